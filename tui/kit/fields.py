"""Lines of a form: texts, names of files that are completed, and choices; and the line in which one finds."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import commonprefix
from pathlib import Path
from typing import ClassVar, Final, Protocol, runtime_checkable

from rich.style import Style
from textual.binding import BindingType
from textual.events import Key, Paste
from textual.strip import Strip
from textual.widgets import Input

from corpusdb.base.cells import cell_width, cut_middle
from corpusdb.base.display import cell_safe
from tui.kit.shown import Text, bind, fitted


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    label: str
    value: str = ""
    hint: str = ""
    choices: tuple[str, ...] = ()
    help: str = ""
    """What it is for, while the cursor stands there."""
    nothing: str = "-"
    """What stands for an empty choice."""
    is_open: bool = False
    """Whether something else than the choices may be typed, too."""
    is_file: bool = False
    """Whether it is the name of a file, which tab completes; of several, apart by spaces, where it ``is_many``."""
    is_many: bool = False
    is_edited: bool = False
    """Whether its value is a text to be edited, and not a default that the first key typed replaces."""
    is_written: bool = False
    """Whether the file is one that will be written: where, is said before."""

    @property
    def told(self) -> str:
        """What is said of it: its hint is not seen once something is typed, nor are all choices where they are many."""
        said, choices = self.help or self.hint, ", ".join(filter(None, self.choices))
        said = said if said.endswith("...") else said.removesuffix(".")
        is_seen = not self.is_open and len(choices) + len(self.choices) <= _HINT_CELLS  # on the line itself
        return "; ".join(filter(None, [said, "" if is_seen or choices in said else f"space: {choices}"]))

    def told_of(self, value: str) -> str:
        """The same, of a file that will be written with its whole path; a text that has no room on its line is told."""
        path = shortened_home(Path(value).expanduser().absolute()) if self.is_written and value else ""
        text = value if self.is_edited and cell_width(value) > _HINT_CELLS else ""
        return "; ".join(filter(None, [text or self.told, path and f"is written to {path}"]))

    def line(self) -> FieldLine:
        if self.is_open or not self.choices:
            return FieldLine(self)
        return ChoiceLine(self if self.value in self.choices else replace(self, choices=(self.value, *self.choices)))


def shortened_home(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


@runtime_checkable
class AskingScreen(Protocol):
    """A screen that asks for what its lines say."""

    is_busy: bool
    """Whether what was typed is being looked up or carried out."""


_HINT_CELLS = 54
"""A line has room for a hint of so many, in brackets; a longer one stands below the form alone."""


class FieldLine(Input):
    """A line of a form, in which a space goes on to the next choice where one of them stands, or all is selected."""

    def __init__(self, field: Field) -> None:
        self.choices = field.choices
        self._field = field
        hint = f"({field.hint})" if 0 < len(field.hint) <= _HINT_CELLS else ""
        is_default = not field.is_edited
        super().__init__(
            field.value, id=field.name, placeholder=cell_safe(hint), compact=True, select_on_focus=is_default
        )

    @property
    def is_choosing(self) -> bool:
        """Whether a space goes on to the next choice, and is not typed."""
        is_whole = bool(self.value) and self.selected_text == self.value
        return bool(self.choices) and (self.value in self.choices or is_whole)

    def watch_selection(self) -> None:
        if self.is_attached:
            self.screen.refresh_bindings()  # a space may be typed now, or choose again

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return not (key == "space" and self.is_choosing) and super().check_consume_key(key, character)

    def action_delete_left(self) -> None:
        """Of a default, which the first letter replaces, the last letter: whoever erases wants to mend it."""
        if self.value and self.selected_text == self.value:
            self.cursor_position = len(self.value)
        super().action_delete_left()

    def render_line(self, y: int) -> Strip:
        """Where the cursor is elsewhere, a value that is too long has a mark where something is left out."""
        if self.has_focus or cell_width(self.value) <= self.size.width:
            return super().render_line(y)
        return fitted(
            Text(cut_middle(cell_safe(self.value), self.size.width)), self.size.width, self.rich_style, self.app.console
        )

    # What is being looked up or carried out is what was typed before: nothing can be changed of it meanwhile.

    @property
    def _waits(self) -> bool:
        return isinstance(self.screen, AskingScreen) and self.screen.is_busy

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not self._waits and super().check_action(action, parameters)

    def on_key(self, event: Key) -> None:
        if self._waits:
            event.prevent_default()

    @property
    def is_path(self) -> bool:
        return self._field.is_file

    def complete(self) -> list[str]:
        """Complete the path as far as it goes; the names with which it may go on."""
        self.value, names = completed(self.value, is_many=self._field.is_many)
        self.cursor_position = len(self.value)
        return names

    def take_path(self, path: str) -> None:
        """Name this file, or begin with this folder: beside those that are named already, where it may be several."""
        named = self.value.rstrip() if self._field.is_many else ""
        if f" {path} " not in f" {named} ":
            self.value = f"{named} {path}".lstrip()
        self.cursor_position = len(self.value)

    def choose(self, step: int) -> None:
        place = self.choices.index(self.value) + step if self.value in self.choices else 0
        self.value = self.choices[place % len(self.choices)]
        self.cursor_position = len(self.value)


class ChoiceLine(FieldLine, inherit_bindings=False):
    """All choices in a row, the one that is chosen in brackets; it alone, and how many there are, where room lacks.

    Letters choose the one that begins with them, and nothing else can be typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("right", "choose(1)", "Choose", "choice.right", "The next choice for this line"),
        bind("left", "choose(-1)", "Choose", "choice.left", "The choice before"),
    ]

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        self._nothing = field.nothing
        self._typed = ""

    def validate_value(self, value: str) -> str:
        return value if value in self.choices else self.value

    def render_line(self, y: int) -> Strip:
        style = Style(reverse=True) if self.has_focus else Style(bold=True)
        shown = Text.assemble(*((self._shown(each), style if each == self.value else "") for each in self.choices))
        if shown.cell_len > self.size.width:
            place = f"{self.choices.index(self.value) + 1} of {len(self.choices)}"
            shown = Text.assemble((self._shown(self.value), style), f" {place}")
        return fitted(shown, self.size.width, self.rich_style, self.app.console)

    def _shown(self, choice: str) -> str:
        name = cell_safe(choice) or self._nothing
        return f"[{name}]" if choice == self.value else f" {name} "

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return key != "space" and super().check_consume_key(key, character)

    async def _on_key(self, event: Key) -> None:
        if event.is_printable and event.key != "space" and not self._waits:
            self._type((event.character or "").casefold())
            event.stop()
            event.prevent_default()

    def _type(self, letter: str) -> None:
        """Choose the first that begins with what was typed, or with this letter alone; the next one of these again."""
        for typed in (self._typed + letter, letter):
            found = [each for each in self.choices if each.casefold().startswith(typed)]
            if found:
                is_again = typed == letter and self.value in found
                self.value = found[(found.index(self.value) + 1) % len(found)] if is_again else found[0]
                self._typed = typed
                return

    def _on_paste(self, event: Paste) -> None:
        event.stop()

    def action_choose(self, step: int) -> None:
        """Go on in one direction, as far as there are choices."""
        self._typed = ""
        if 0 <= self.choices.index(self.value) + step < len(self.choices):
            self.choose(step)


# Names of files.

ENDINGS: Final[Mapping[str, str]] = {"markdown": "md", "latex": "tex"}
"""How names of files of a format end, where that is not its name."""


def named_for(path: str, format: str, formats: Sequence[str]) -> str:
    """A path of which the ending, where it is that of another of the formats, is that of the one that was chosen."""
    stem, dot, ending = path.rpartition(".")
    is_known = bool(dot) and ending in {ENDINGS.get(each, each) for each in formats if each}
    return f"{stem}.{ENDINGS.get(format, format)}" if is_known and format else path


def completed(text: str, *, is_many: bool = False) -> tuple[str, list[str]]:
    """A text with the path at its end completed as far as it goes, and the names with which it may go on.

    Of ``is_many`` paths, apart by spaces, the last one is completed; where it is not begun, it is in the folder of the
    one before.
    """
    if is_many and text.endswith(" ") and (before := _BETWEEN.split(text.rstrip())[-1]):
        text += before[: before.rfind("/") + 1]
    typed = _BETWEEN.split(text)[-1].replace("\\ ", " ") if is_many else text
    folder, begins = os.path.split(os.path.expanduser(typed))
    try:
        with os.scandir(folder or ".") as entries:
            names = sorted(each.name + "/" * each.is_dir() for each in entries if _begins(each.name, begins))
    except OSError:
        return text, []
    added = commonprefix(names)[len(begins) :]
    return text + (added.replace(" ", "\\ ") if is_many else added), names


def _begins(name: str, begins: str) -> bool:
    return name.startswith(begins) and (bool(begins) or not name.startswith("."))


_BETWEEN = re.compile(r"(?<!\\) ")


def recent_paths(texts: Iterable[str]) -> list[str]:
    """The files and folders that there are among the words of some texts, and the folders that they are in."""
    found: dict[str, None] = {}
    for word in (word for text in texts for word in _BETWEEN.split(text.strip())):
        path = Path(word.replace("\\ ", " ")).expanduser()
        if word and path.exists():
            folder, _, name = word.rpartition("/")
            found |= dict.fromkeys(
                each for each in (word + "/" * (path.is_dir() and bool(name)), f"{folder}/") if each != "/"
            )
    return [*found]


# The line in which one types what is to be found in what is shown.


class Findable(Protocol):
    """Rows, or a text, in which something can be found."""

    def find(self, needle: str) -> None: ...

    def focus(self) -> object: ...


class FindLine(Input):
    """Appears for ``/``, finds while one types, and goes away on Enter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("escape", "leave", "Leave", "find.leave", "Leave without looking further"),
    ]

    def __init__(self) -> None:
        super().__init__(id="find-line", placeholder="find in this list", compact=True)
        self._list: Findable | None = None
        self.display = False

    def open_for(self, rows: Findable) -> None:
        self._list = rows
        self.value = ""
        self.display = True
        self.screen.set_focus(self)  # at once: what is typed next is for it

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._list is not None and self.display:
            self._list.find(self.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_leave()
        if self._list is not None:
            self._list.find(self.value)  # what came of it is said again, for the next key wipes it

    def action_leave(self) -> None:
        self.display = False
        if self._list is not None:
            self._list.focus()

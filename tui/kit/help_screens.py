"""The help and the guides, the choice of many lines by what is typed, and the application whose keys they explain."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input

from corpusdb.base.cells import padded, wrapped
from corpusdb.guides import guide_text, guide_topics
from tui.kit.dialogs import MOST_CHOICES, ChoiceDialog, Dialog, FormDialog
from tui.kit.fields import FindLine
from tui.kit.late_screen import LateScreen, is_there
from tui.kit.place_screen import Hints, Legend, PlaceScreen, StatusLine, hint_name
from tui.kit.settings import LiveKeys, TypeAhead, commands_elsewhere, commands_here, keys_out_of_focus, live_keys
from tui.kit.shown import Label, Opened, RowList, Static, StatusChanged, Text, TextPane, bind, find_row
from tui.kit.terminal import MATCH

_LEAST_SOUGHT = 4
"""Of a word of fewer letters than these too many options have something."""


class _SoughtLine(Input):
    """A line in which a question mark is no text: it asks for help, as elsewhere."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return key != "question_mark" and super().check_consume_key(key, character)


class FoundChoiceDialog(ChoiceDialog, inherit_bindings=False):
    """The same of many lines: what is typed leaves those that hold all of its words.

    Where its first word is the name of a group, the commands of the group are among them; what is only found by a
    longer search, such as options, comes behind them.
    """

    TYPED_INTO = "Input"
    HINTS = Hints(("found-choice.open", "found-choice.down"), last=("found-choice.cancel", "found-choice.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind(
            "question_mark,f1", "app.help", "Keys", "found-choice.help", "Help: the keys of this dialog", priority=True
        ),
        bind("enter", "open", "Open", "found-choice.open", "Choose this one", priority=True),
        bind("down", "move(1)", "Next", "found-choice.down", "Go to the next one", priority=True),
        bind("up", "move(-1)", "Before", "found-choice.up", "Go to the one before", priority=True),
        bind("escape", "dismiss(None)", "Cancel", "found-choice.cancel", "Choose nothing"),
    ]

    def __init__(
        self,
        question: str,
        choices: Sequence[str],
        members: Callable[[str], Sequence[str]],
        longer: Callable[[], Awaitable[Sequence[str]]] | None = None,
        *,
        typed: str = "",
    ) -> None:
        """``members`` gives the choices that are behind a word that is typed, once; none for most words.

        ``longer`` gives more choices, which are found by what stands behind the first two blanks. What somebody had
        ``typed`` before stands in the line.
        """
        super().__init__(question, choices)
        self._typed = typed
        self._members = members
        self._longer = longer
        self._found_late = set[int]()
        """The places of choices that came of the longer search."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="form wide"):
            yield Label(self._question, classes="form-title")
            told = "or of what it does" if self._longer is None else "or any words that help to find it"
            asked = f"type a part of its name, {told}"
            yield _SoughtLine(placeholder=asked, id="found-choice", compact=True, select_on_focus=False)
            choices = RowList(id="choices", empty="None has that.")
            choices.can_focus = False  # what is typed is for the line above
            yield choices
            yield Static("", id="choice-whole")
            yield self.hints()

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(Input).value = self._typed

    @on(Input.Changed)
    def _narrow(self, event: Input.Changed) -> None:
        words = event.value.casefold().removeprefix("/").split()
        self._choices += self._members(words[0]) if words else ()
        if self._longer is not None and any(len(word) >= _LEAST_SOUGHT for word in words):
            self._search_longer(self._longer)
            self._longer = None
        self._show_named(words)

    def _show_named(self, words: Sequence[str]) -> None:
        named = [
            place
            for place, each in enumerate(self._choices)
            if all(word in each.casefold() for word in words)
            and (place not in self._found_late or any(word in each.casefold().partition("  ")[2] for word in words))
        ]

        def order(place: int) -> tuple[bool, bool]:
            return place in self._found_late, not self._choices[place].casefold().startswith(tuple(words))

        self._places = sorted(named, key=order)
        self.query_one(RowList).styles.height = max(min(len(named), MOST_CHOICES), 1)
        self._show()
        self._show_whole()

    @work
    async def _search_longer(self, longer: Callable[[], Awaitable[Sequence[str]]]) -> None:
        self.query_one(RowList).empty = "looking among the options ..."
        found = await longer()
        if not is_there(self):  # who has chosen meanwhile wants no more
            return
        self._found_late |= {len(self._choices) + at for at in range(len(found))}
        self._choices += found
        cursor = self.query_one(RowList).cursor
        self._show_named(self.query_one(Input).value.casefold().removeprefix("/").split())
        self.query_one(RowList).empty = "None has that."
        if cursor < len(self._places):
            self.query_one(RowList).cursor = cursor

    def action_move(self, rows: int) -> None:
        self.query_one(RowList).action_move(rows)

    def action_open(self) -> None:
        if self._places:
            self.dismiss(self._places[self.query_one(RowList).cursor])


class _GuidePane(TextPane):
    """A text in which something can be found."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("n", "find_next(1)", "Next", "text.next", "Go to the next line found"),
        bind("N", "find_next(-1)", "Previous", "text.previous", "Go to the line found before"),
    ]

    def __init__(self, guide: str) -> None:
        super().__init__(Text(guide), id="guide")
        self._guide = Text(guide)
        self._needle, self._row = "", 0

    def find(self, needle: str) -> None:
        """Search from the line found last, or from the beginning, and mark what is found."""
        self._needle = needle
        marked = self._guide.copy()
        if needle:
            marked.highlight_regex(re.compile(re.escape(needle), re.IGNORECASE), MATCH)
        self.show(marked, stays=True)
        if needle:
            self._go_to_found(self._row, 1)

    def action_find_next(self, direction: int) -> None:
        if self._needle:
            self._go_to_found(self._row + direction, direction)
        else:
            self.post_message(StatusChanged("nothing was looked for in this guide yet"))

    def go_to(self, line: str) -> None:
        """Go to a line of the guide, as if it had been looked for."""
        if line:
            self.call_after_refresh(self.find, line)

    def _go_to_found(self, start: int, direction: int) -> None:
        width = max(self.scrollable_content_region.width, 1)
        rows = [line.plain for line in self._guide.wrap(self.app.console, width)]
        found = find_row(rows, self._needle, start, direction)
        if found is None:
            self.post_message(StatusChanged(f"{self._needle!r} is in none of its lines", is_error=True))
            return
        self._row = found.row
        self.scroll_to(y=max(found.row - self.size.height // 3, 0), animate=False)
        self.post_message(StatusChanged(f"{self._needle!r}: {found.number:,} of {found.total:,} lines"))


def guide_lines() -> list[tuple[str, str]]:
    """The topics and lines of all guides, but for empty ones."""
    return [(topic, line) for topic in guide_topics() for line in guide_text(topic).splitlines() if line.strip()]


class GuideScreen(Dialog[None]):
    HINTS = Hints(("text.down", "text.up", "guide.find"), last=("guide.close", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("slash", "find", "Find", "guide.find", "Find in this guide; n and N go on"),
        bind("q,escape,enter", "dismiss(None)", "Close", "guide.close", "Close the guide"),
    ]

    def __init__(self, topic: str, at: str = "") -> None:
        """``at``: the line that is shown first."""
        super().__init__()
        self._topic = topic
        self._at = at

    def compose(self) -> ComposeResult:
        yield Static(f"corpusdb guide {self._topic}", id="guide-title")
        yield _GuidePane(guide_text(self._topic).rstrip("\n"))
        yield FindLine()
        yield self.hints()

    def on_mount(self) -> None:
        self.query_one(TextPane).focus()
        self.query_one(_GuidePane).go_to(self._at)

    def lines(self) -> list[str]:
        return self.query_one(TextPane).lines()

    def action_find(self) -> None:
        self.query_one(FindLine).open_for(self.query_one(_GuidePane))

    def on_status_changed(self, message: StatusChanged) -> None:
        """What became of looking for something."""
        self.query_one("#guide-title", Static).update(f"corpusdb guide {self._topic}: {message.text}")


# The keys and signs of a screen, made from the bindings that are in force; a key can be looked for, and run.


_SIGNS = "Signs"
_FIELDS = "Lines of this form"
_HEADINGS = (_FIELDS, "Here", _SIGNS, "In a list", "In a text", "In a line of input", "Everywhere")
_KEY_CELLS = 17
_MOST_CELLS = 76
_FRAME_CELLS = 5
"""For the frame, the mark of the cursor and the scroll bar."""
_TITLE = "Keys on this screen"


@dataclass(frozen=True, slots=True)
class _Line:
    """A key or a sign with what it does or means, or a heading."""

    text: str
    entry: LiveKeys | None = None


def _lines(screen: Screen[object], changed: Mapping[str, str]) -> list[_Line]:
    live = live_keys(screen)
    entries = [*live, *keys_out_of_focus(screen, live, dict(changed))]
    signs = [*getattr(screen, "SIGNS", ()), *getattr(screen, "signs_now", ())]
    lines: list[_Line] = []
    for heading in _HEADINGS:
        told = [
            _Line(_told(" ".join(each.keys), _meaning(screen, each)), each)
            for each in entries
            if each.heading == heading
        ]
        if heading == _SIGNS:
            told = [_Line(_told(sign, meaning)) for sign, meaning in signs]
        if heading == _FIELDS and isinstance(screen, FormDialog):
            told = [_Line(_told(label, meaning)) for label, meaning in screen.explained()]
        if told:
            lines += [*([_Line("")] if lines else []), _Line(heading), *told]
    return lines


def _meaning(screen: Screen[object], keys: LiveKeys) -> str:
    """What keys do, first by the name that they have on the line of hints of this screen, where it has its own."""
    called = getattr(screen, "CALLED", {}).get(keys.binding.id or "")
    told = keys.told or keys.binding.description
    return f"{called.capitalize()}: {told[:1].lower()}{told[1:]}" if called else told


def _told(name: str, meaning: str) -> str:
    return f"  {padded(name, _KEY_CELLS)} {meaning}"


def _folded(line: _Line, width: int) -> list[_Line]:
    """A line in lines that fit, the explanation below itself."""
    indent = _KEY_CELLS + 3
    parts = wrapped(line.text[indent:], width - indent) if len(line.text) > width else []
    if not parts:
        return [line]
    return [_Line((line.text[:indent] if not at else " " * indent) + part, line.entry) for at, part in enumerate(parts)]


class HelpScreen(ModalScreen[None], LateScreen[None]):
    """Shows the keys of the screen below it; Enter does what the key of the row does."""

    HINTS = Hints(("list.open", "help.find", "help.guides"), last=("help.close",))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("slash", "find", "Find", "help.find", "Find a key or a word; n and N go on"),
        bind("q,escape,question_mark,f1", "dismiss", "Close", "help.close", "Close the help"),
        bind("tab", "app.guides", "Guides", "help.guides", "Read a guide: columns, queries, keys ..."),
    ]

    def __init__(self, below: Screen[object], changed: Mapping[str, str]) -> None:
        """``changed`` holds the keys that the user changed, by the ids of their bindings."""
        super().__init__()
        self._lines = _lines(below, changed)
        self._folded: list[_Line] = []

    def compose(self) -> ComposeResult:
        yield Static(_TITLE, id="help-title")
        yield RowList(id="help-rows", empty="")
        yield FindLine()
        yield Legend(self.HINTS, lambda binding: "do it" if binding.id == "list.open" else hint_name(binding))

    def on_mount(self) -> None:
        self.query_one(RowList).focus()

    def on_resize(self) -> None:
        """Fold the lines to the width that there is."""
        rows = self.query_one(RowList)
        width = min(self.size.width, _MOST_CELLS) - _FRAME_CELLS
        self._folded = [part for line in self._lines for part in _folded(line, width)]
        rows.show_rows(len(self._folded), self._row, cursor=rows.cursor)

    def lines(self) -> list[str]:
        return [line.text for line in self._lines]

    def _row(self, row: int) -> Text:
        line = self._folded[row].text
        return Text(line, "" if line.startswith(" ") else "bold")

    def on_status_changed(self, message: StatusChanged) -> None:
        """What became of looking for something."""
        self.query_one("#help-title", Static).update(f"{_TITLE}: {message.text}")

    def action_find(self) -> None:
        self.query_one(FindLine).open_for(self.query_one(RowList))

    @on(Opened)
    def _do(self, message: Opened) -> None:
        """Do what the key of the row does, below."""
        entry = self._folded[message.row].entry
        if entry is None:
            self.on_status_changed(StatusChanged("this row is not a key"))
            return
        self.dismiss()
        if isinstance(entry.node, Widget) and entry.node.can_focus:
            entry.node.focus()
        self.app.call_later(self.app.run_action, entry.binding.action, entry.node)


@runtime_checkable
class Changing(Protocol):
    """A screen of what another process, or another place of this browser, may change while it is being looked at."""

    def look_again(self) -> None:
        """Called after each key: read again what is shown, if that has changed."""


class WatchedKeys(TypeAhead):
    """An application whose places forget with each key what they said before, and look what has changed."""

    def action_guides(self) -> None:
        """Ask for a topic, and show its guide."""
        topics = guide_topics()
        names, width = list(topics), max(map(len, topics))
        choices = [f"{name:<{width}}  {title}" for name, title in topics.items()]
        found = [(name, "") for name in names]

        async def lines() -> list[str]:
            found.extend(told := await asyncio.to_thread(guide_lines))
            return [f"{name:<{width}}  {line.strip()}" for name, line in told]

        dialog = FoundChoiceDialog("Guide", choices, lambda word: (), lines)
        dialog.ask(self.screen, lambda place: self.push_screen(GuideScreen(*found[place])))

    def action_palette(self) -> None:
        """Choose something that has a key, here or elsewhere, by its name or by what it does, and do it."""
        commands = [*commands_here(self)]
        here, known = len(commands), {entry.binding.id for entry in live_keys(self.screen)}

        def members(word: str) -> list[str]:
            """Whoever types looks also for what is done elsewhere."""
            new = [*commands_elsewhere(self, known)] if len(commands) == here else []
            commands.extend(new)
            return [each.shown for each in new]

        dialog = FoundChoiceDialog("Do what?", [each.shown for each in commands], members)
        dialog.ask(self.screen, lambda place: self.call_later(commands[place].run))

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        """Run what a key is bound to; what was said of a key before it is forgotten, if nothing was said of this."""
        screen = self.screen
        line = screen.query_one(StatusLine) if isinstance(screen, PlaceScreen) and not priority else None
        said = line.sayings if line is not None else 0
        is_bound = await super()._check_bindings(key, priority)
        if line is not None and line.is_attached and line.sayings == said:
            line.forget()
        if not priority and isinstance(self.screen, Changing):
            self.screen.look_again()
        return is_bound

"""The help and the guides, and the application whose keys they explain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen, Screen
from textual.widget import Widget

from corpusdb.base.cells import padded, wrapped
from corpusdb.guides import guide_text, guide_topics
from tui.kit.command_forms import FoundChoiceDialog
from tui.kit.dialogs import Dialog, FormDialog
from tui.kit.fields import FindLine
from tui.kit.late_screen import LateScreen
from tui.kit.place_screen import Hints, Legend, PlaceScreen, StatusLine, hint_name
from tui.kit.settings import LiveKeys, TypeAhead, commands_elsewhere, commands_here, keys_out_of_focus, live_keys
from tui.kit.shown import Opened, RowList, Static, StatusChanged, Text, TextPane, bind, find_row
from tui.kit.terminal import MATCH


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


class GuideScreen(Dialog[None]):
    HINTS = Hints(("text.down", "text.up", "guide.find"), last=("guide.close", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("slash", "find", "Find", "guide.find", "Find in this guide; n and N go on"),
        bind("q,escape,enter", "dismiss(None)", "Close", "guide.close", "Close the guide"),
    ]

    def __init__(self, topic: str) -> None:
        super().__init__()
        self._topic = topic

    def compose(self) -> ComposeResult:
        yield Static(f"corpusdb guide {self._topic}", id="guide-title")
        yield _GuidePane(guide_text(self._topic).rstrip("\n"))
        yield FindLine()
        yield self.hints()

    def on_mount(self) -> None:
        self.query_one(TextPane).focus()

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
    signs = [*screen.SIGNS, *screen.signs_now] if isinstance(screen, PlaceScreen) else ()
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
        dialog = FoundChoiceDialog("Guide", choices, lambda word: ())
        dialog.ask(self.screen, lambda place: self.push_screen(GuideScreen(names[place])))

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

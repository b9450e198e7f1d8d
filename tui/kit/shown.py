"""What screens show: harmless texts, and lists of rows with the messages that they send."""

from __future__ import annotations

import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

import rich.text
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style, StyleType
from textual import events, widgets
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from corpusdb.base.cells import wrapped
from corpusdb.base.display import cell_safe, lines_safe
from corpusdb.base.options import option_label
from tui.kit.background import JobState

if TYPE_CHECKING:
    from corpusdb.people.queries.views import UnstoredSession
    from corpusdb.rules.rewriting import Rewriting
    from corpusdb.search.patterns import Mode


def bind(key: str, action: str, description: str, id: str, tooltip: str, *, priority: bool = False) -> Binding:
    """Keys, separated by commas, for an action; ``id`` names it in settings, ``tooltip`` says what it does."""
    return Binding(key, action, description, id=id, tooltip=tooltip, priority=priority)


class Text(rich.text.Text):
    """A text with styles whose characters are harmless, as long as what it was made of."""

    def __init__(self, text: str = "", style: StyleType = "", **how: Any) -> None:
        super().__init__(lines_safe(text), style, **how)

    def append(self, text: rich.text.Text | str, style: StyleType | None = None) -> Text:
        super().append(lines_safe(text) if isinstance(text, str) else text, style)
        return self

    def blank_copy(self, plain: str = "") -> Text:
        how = {name: getattr(self, name) for name in ("justify", "overflow", "no_wrap", "end", "tab_size")}
        return Text(plain, self.style, **how)

    def copy(self) -> Text:
        copied = self.blank_copy(self.plain)
        copied.spans = self.spans.copy()
        return copied

    def join(self, lines: Iterable[rich.text.Text]) -> Text:
        return cast("Text", super().join(lines))

    def __add__(self, other: object) -> Text:
        return cast("Text", super().__add__(other))

    @classmethod
    def assemble(cls, *parts: Any, **how: Any) -> Text:
        return cast("Text", super().assemble(*parts, **how))


def one_row(text: Text) -> Text:
    """The text without line breaks and tabs, for where it has one line."""
    plain = cell_safe(text.plain)
    if plain != text.plain:
        text = text.copy()
        text.plain = plain
    return text


class Static(widgets.Static):
    """Lines of text that stay until they are updated."""

    def __init__(self, content: Text | str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(_harmless(content), id=id, classes=classes, markup=False)

    def update(self, content: Any = "", *, layout: bool = True) -> None:
        super().update(_harmless(content), layout=layout)


class Label(widgets.Label):
    """As Static, no wider than its text."""

    def __init__(self, content: Text | str = "", *, classes: str | None = None) -> None:
        super().__init__(_harmless(content), classes=classes, markup=False)

    def update(self, content: Any = "", *, layout: bool = True) -> None:
        super().update(_harmless(content), layout=layout)


def _harmless(content: Text | str) -> Text | str:
    return lines_safe(content) if isinstance(content, str) else content


# What the program says to whoever is in the shell, as it is done here: by keys, and by ``!`` and the forms of commands.


_COMMAND = re.compile(r"`corpusdb ([^`]+?)(?: --?(\w[^`]*))?`")
_AS_HERE: Final = (
    (re.compile(r"(?<!\S)-[is] finds"), "i finds"),
    (re.compile(r"--ignore-width finds them, too"), "f, Ignore width finds them, too"),
    (re.compile(r"--translated (\w+) leaves"), r"f, Translated into \1 leaves"),
    (re.compile(r"`(?:search )?--(regex|cqp) '?(.*?)'?`"), r"\2 as a \1 pattern (m)"),
    (re.compile(r"--(cqp|regex) takes it for one"), r"m, until it is \1, takes it for one"),
    (
        re.compile(r"without --cqp it is a string, with --regex a pattern"),
        "escape, then m makes a string of it, or a regex",
    ),
    (re.compile(r"--where, --show, --sort, --group and in CQP"), "f, Attribute, and in CQP"),
    (re.compile(r"--lang says where to look"), "l goes to the next language"),
    (re.compile(r"say which with --lang"), "l says which"),
    (re.compile(r"`--timeout 0` on the command line gives"), "! and its Timeout 0 give"),
)
_OPTION = re.compile(r"(?<![^\s(])'?(--\w[\w-]*)'?(?: / '-\w')?")
_SEE_HELP = re.compile(r" \(see `[^`]* --help`\)")
"""The form has the help of its command."""


def _begun_here(command: re.Match[str]) -> str:
    name, options = command.groups()
    if name.startswith("guide "):
        return f"the guide {name.removeprefix('guide ')}"
    return f"! {name}" + (f" ({options.replace(' --', ', ')})" if options else "")


def said_here(text: str) -> str:
    """A message with keys, and the names that forms have, for options of the shell.

    "`corpusdb align --lang A,B`" is "! align (lang A,B)" here, and --skip-unknown is 'Skip the others'.
    """
    text = _COMMAND.sub(_begun_here, _SEE_HELP.sub("", text))
    for known, here in _AS_HERE:
        text = known.sub(here, text)
    return _OPTION.sub(lambda option: repr(option_label(option[1])), text)


# Texts before and after rules rewrote them, with what changed in brackets.


_CHANGED = "bold underline"


def marked_text(text: str, places: Iterable[tuple[int, int]], style: str = _CHANGED) -> Text:
    """The text with brackets around its places: begin and end, from 0."""
    shown, done = Text(no_wrap=True), 0
    for begin, end in sorted(places):
        shown.append(cell_safe(text[done:begin])).append(f"[{cell_safe(text[begin:end])}]", style)
        done = end
    return shown.append(cell_safe(text[done:]))


def marked_texts(text: str, rewriting: Rewriting) -> tuple[Text, Text]:
    """A text and its rewriting, with what was changed marked in both."""
    from corpusdb.rules.queries.rule_sets import changed_places

    before, after = changed_places(text, rewriting)
    return marked_text(text, before), marked_text(rewriting.text, after)


# Messages.


@dataclass
class _FromRow(Message):
    """Something about a row of a list."""

    list_id: str
    row: int


@dataclass
class Highlighted(_FromRow):
    """The cursor of a list came to a row."""

    def can_replace(self, message: Message) -> bool:
        """Only the last row matters."""
        return isinstance(message, Highlighted) and message.list_id == self.list_id


@dataclass
class Opened(_FromRow):
    """Somebody pressed Enter on a row of a list."""


@dataclass
class StatusChanged(Message):
    text: str
    is_error: bool = False


@dataclass
class JobChanged(Message):
    state: JobState

    def can_replace(self, message: Message) -> bool:
        """Only the newest state of a job matters."""
        return isinstance(message, JobChanged) and message.state.number == self.state.number


@dataclass
class PlaceWanted(Message):
    """Somebody wants to go on with something in another place: the browser goes there, and its first screen takes it.

    Posted to the browser itself.
    """

    place: ClassVar[str]
    """The key of the place."""


@dataclass
class CorpusWanted(PlaceWanted):
    """A text is to be searched for; in another ``mode`` than that of any text its lines are shown, as a concordance."""

    place = "corpus"
    text: str
    language: str
    mode: Mode = "substring"
    collection: str | None = None
    """Only in this one."""
    occurrences: bool = False
    """A line for each occurrence of a repeated sentence, not one for all."""


@dataclass
class DocumentsWanted(PlaceWanted):
    """The documents of a collection are to be listed."""

    place = "corpus"
    collection: str


@dataclass
class CollocatesWanted(PlaceWanted):
    place = "collocates"
    word: str
    language: str


@dataclass
class SessionWanted(PlaceWanted):
    place = "session"
    session: UnstoredSession


@dataclass
class SessionOpened(PlaceWanted):
    """A session that is stored is to be opened."""

    place = "session"
    name: str
    id: int


@dataclass
class ParadigmWanted(PlaceWanted):
    place = "paradigms"
    text: str
    language: str


@dataclass
class WordAsked(PlaceWanted):
    """How a word is translated, and what else it is called, is to be shown."""

    place = "equivalents"
    word: str
    language: str


# Finding a text in rows: which of them hold it, and which comes next.


@dataclass(frozen=True, slots=True)
class FoundRow:
    row: int
    number: int
    """From 1, of the rows that hold it."""
    total: int


def find_row(texts: Iterable[str], needle: str, start: int, direction: int) -> FoundRow | None:
    """The first row from ``start`` on, down or up, that holds a text in any case, else the first from the other end."""
    wanted = needle.casefold()
    rows = [row for row, text in enumerate(texts) if wanted in text.casefold()]
    if not rows:
        return None
    place = (bisect_left(rows, start) if direction > 0 else bisect_right(rows, start) - 1) % len(rows)
    return FoundRow(rows[place], place + 1, len(rows))


RenderRow = Callable[[int], Text]
"""Gives the text of a row by its number."""
MARK_CELLS: Final = 2
"""Before each row, for the mark of the cursor."""
_SECONDS_UNTIL_TOLD: Final = 2
_MOST_OF_WORD: Final = 16
"""Cells of a word that are left out rather than that it is cut."""


class _Waiting:
    """Tells how long something takes that is waited for, from a moment on."""

    def __init__(self, rows: RowList) -> None:
        self._rows = rows
        self._timer: Timer | None = None
        self._since = 0.0

    def told(self, empty: str) -> str:
        """What stands instead of rows, and for how long where it ends with "...": something is under way."""
        if not empty.endswith("..."):
            return empty
        if self._timer is None:
            self._since = time.monotonic()
            self._timer = self._rows.set_interval(1.0, self._rows.refresh)
        seconds = int(time.monotonic() - self._since)
        return f"{empty} {seconds} s" if seconds >= _SECONDS_UNTIL_TOLD else empty

    def end(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


class RowList(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows of one line each, with a cursor, a selection and a search in them.

    Posts Highlighted when the cursor moves and Opened on Enter. The text of a row is asked for when it is drawn.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("j,down", "move(1)", "Down", "list.down", "Go to the next row"),
        bind("k,up", "move(-1)", "Up", "list.up", "Go to the row before"),
        bind("g,home", "go(0)", "First", "list.first", "Go to the first row"),
        bind("G,end", "go(-1)", "Last", "list.last", "Go to the last row"),
        bind("ctrl+d", "page(1, 2)", "Half down", "list.half-down", "Half a page down"),
        bind("ctrl+u", "page(-1, 2)", "Half up", "list.half-up", "Half a page up"),
        bind("pagedown", "page(1)", "Page down", "list.page-down", "A page down"),
        bind("pageup", "page(-1)", "Page up", "list.page-up", "A page up"),
        bind("enter", "open", "Open", "list.open", "Open this row"),
        bind("space", "select", "Select", "list.select", "Select this row, or take it out"),
        bind("escape", "select('none')", "Unmark", "list.unmark", "Take all marks away"),
        bind("n", "find_next(1)", "Next", "list.next", "Go to the next row found"),
        bind("N", "find_next(-1)", "Previous", "list.previous", "Go to the row found before"),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor", "row-list--selected"}

    cursor: reactive[int] = reactive(0)

    def __init__(self, *, id: str, empty: str = "Nothing here.", has_headings: bool = False) -> None:
        """``has_headings``: the cursor passes over rows that are bold, dim or empty; none are marked among them."""
        super().__init__(id=id)
        self.has_headings = has_headings
        self.count = 0
        """How many rows there are."""
        self._row_text: RenderRow = lambda row: Text("")
        self.empty = empty
        """What stands where there are no rows; "..." at its end says that they are waited for."""
        self.selected: set[int] = set()
        self.needle = ""
        """What was searched for in the rows."""
        self.shifted = 0
        """So many cells of the rows are left of the screen."""
        self.held: Sequence[int] = ()
        """So many cells at the left of each row stay where the screen moves sideways."""
        self._waiting = _Waiting(self)

    def show_rows(self, count: int, render: RenderRow, *, cursor: int = 0, empty: str | None = None) -> None:
        """Show other rows; ``render`` gives the text of one, which may be longer than the screen is wide.

        Where there are none, the lines of ``empty`` are shown, and else those of before.
        """
        had_rows, self.count = bool(self.count), count
        if had_rows != bool(count) and self.is_attached:
            self.screen.refresh_bindings()  # some need rows
        self._row_text = render
        self.empty = self.empty if empty is None else empty
        self._waiting.end()
        self.selected.clear()
        self.virtual_size = Size(0, count)
        self.set_reactive(RowList.cursor, self.validate_cursor(cursor))
        self._scroll_to_cursor()
        self.refresh()
        if count:
            self.post_message(Highlighted(self.id or "", self.cursor))

    def text_of(self, row: int) -> str:
        return one_row(self._row_text(row)).plain

    def lines(self) -> list[str]:
        return [self.text_of(row) for row in range(self.count)]

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        row = self.scroll_offset.y + y
        if row >= self.count:
            lines = [] if self.count else self._waiting.told(self.empty).split("\n")
            told = [part for each in lines for part in (wrapped(each, width) if cell_len(each) > width else [each])]
            return fitted(Text(told[row] if row < len(told) else "", "dim"), width, self.rich_style, self.app.console)
        style, is_cursor = self.rich_style, row == self.cursor
        if row in self.selected:
            style += self.get_component_rich_style("row-list--selected", partial=True)
        if is_cursor:
            style += self.get_component_rich_style("row-list--cursor", partial=True)
            if not self.has_focus:
                style += Style(reverse=False, underline=True)
        mark = ">" * is_cursor + "*" * (row in self.selected)
        line = Text().append(one_row(self._row_text(row)))
        if self.needle:
            line.highlight_words([self.needle], style=Style(underline=True, bold=True), case_sensitive=False)
        marked = fitted(Text(mark), MARK_CELLS, style, self.app.console)
        strip = Strip.join([marked, _sideways(self, row, line, width - MARK_CELLS, style)])
        if not (is_cursor and self.has_focus):
            return strip
        # Reversed, a colour would be a block that hides its sign: this row has those of the cursor alone.
        own = Style(color=style.color, bgcolor=style.bgcolor)
        return Strip([Segment(text, (each or style) + own) for text, each, _ in strip], strip.cell_length)

    def watch_cursor(self, before: int, now: int) -> None:
        self._scroll_to_cursor()
        self.refresh()
        if self.count:
            self.post_message(Highlighted(self.id or "", now))

    def validate_cursor(self, value: int) -> int:
        row = max(0, min(value, self.count - 1))
        onwards, back = range(row, self.count), range(row, -1, -1)
        ways = (onwards, back) if row >= self.cursor else (back, onwards)
        return next((each for way in ways for each in way if not _is_heading(self, each)), row)

    def _scroll_to_cursor(self) -> None:
        top = self.cursor
        while top and _is_heading(self, top - 1):  # with the first of some rows their heading is seen
            top -= 1
        seen = Region(0, top, 1, self.cursor - top + 1)
        self.scroll_to_region(seen, animate=False, force=True, x_axis=False, immediate=True)

    def on_resize(self) -> None:
        self.call_after_refresh(self._scroll_to_cursor)

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        row = self.scroll_offset.y + event.y
        if row < self.count:
            self.cursor = row

    def action_move(self, rows: int) -> None:
        self.cursor += rows

    def action_go(self, row: int) -> None:
        """Go to a row, counted from the end where it is negative."""
        self.cursor = row % max(self.count, 1)

    def action_page(self, direction: int, parts: int = 1) -> None:
        """Go on by a page less one row, or by a part of one: half a page where ``parts`` is 2."""
        rows = direction * max(1, self.size.height - 1 if parts == 1 else self.size.height // parts)
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False, immediate=True)
        self.cursor += rows

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where there are no rows, none is opened or selected, and no such key is offered; nor are headings marked."""
        if action == "select":
            return bool(self.selected if parameters else self.count and not self.has_headings)
        return bool(self.count) or action != "open"

    def action_open(self) -> None:
        if self.count:
            self.post_message(Opened(self.id or "", self.cursor))

    def action_select(self, which: str = "this") -> None:
        """Select this row, or take it out, and go on; or select ``none``."""
        if not self.count:
            return
        if which == "none":
            self.selected.clear()
        else:
            self.selected ^= {self.cursor}
            self.cursor += 1
        self.refresh()
        self.post_message(Highlighted(self.id or "", self.cursor))  # also of the last row, where it stays

    def find(self, needle: str) -> None:
        """Search in the rows, from the cursor on; says in the status line how many rows hold it."""
        self.needle = needle
        self.refresh()
        if needle:
            self._go_to_found(self.cursor, 1)

    def action_find_next(self, direction: int) -> None:
        if self.needle:
            self._go_to_found(self.cursor + direction, direction)
        else:
            self.post_message(StatusChanged("nothing was looked for in this list yet"))

    def _go_to_found(self, start: int, direction: int) -> None:
        found = find_row((self.text_of(row) for row in range(self.count)), self.needle, start, direction)
        if found is None:
            self.post_message(StatusChanged(f"{self.needle!r} is in none of {self.count:,} rows", is_error=True))
            return
        self.cursor = found.row
        self.post_message(StatusChanged(f"{self.needle!r}: {found.number:,} of {found.total:,} rows"))


def are_awaited(rows: RowList) -> bool:
    """Whether they are being read, as what stands there instead says."""
    return not rows.count and rows.empty.endswith("...")


def _is_heading(rows: RowList, row: int) -> bool:
    if not rows.has_headings:
        return False
    text = rows._row_text(row)
    return text.style in ("bold", "dim") or not text.plain.strip()


def _sideways(rows: RowList, row: int, line: Text, room: int, style: Style) -> Strip:
    """What is seen of a line: behind what is held of it, what stands where the screen has moved to."""
    console = rows.app.console
    held = rows.held[row] if rows.shifted else room
    if held >= room:
        return fitted(ended_at_word(line, room), room, style, console)
    held = min(held, room // 2)
    whole = fitted(line, rows.shifted + room, style, console)
    return Strip.join([whole.crop(0, held), whole.crop(held + rows.shifted)])


def ended_at_word(line: Text, cells: int) -> Text:
    """A line that is too long, to the end of the last word that is seen whole, if that is near, and a mark."""
    if line.cell_len <= cells:
        return line
    seen = line.copy()
    seen.truncate(max(cells - 1, 1), overflow="crop")
    end = seen.plain.rfind(" ")
    begun = seen.plain[end:]
    is_whole = line.plain[len(seen.plain) :].startswith(" ")
    is_apart = cell_len(begun) == len(begun)  # words of Japanese are not: what is seen of them tells something
    if not is_whole and is_apart and end > 0 and len(begun) <= _MOST_OF_WORD:
        seen.right_crop(len(seen.plain) - len(seen.plain[:end].rstrip()))
    is_column = line.plain[len(seen.plain) :].startswith("  ") and seen.cell_len < cells - 1
    return seen.append(" …" if is_column else "…")  # a number that is seen whole is not to look cut


def fitted(text: Text, width: int, style: Style, console: Console) -> Strip:
    """The text in exactly ``width`` cells."""
    text.truncate(max(width, 1), overflow="ellipsis", pad=False)
    segments = [Segment(part.text, part.style) for part in text.render(console) if part.text]
    return Strip(segments).apply_style(style).adjust_cell_length(width, style)


# A text of any length, wrapped, that scrolls where it is longer than its place.


class TextPane(VerticalScroll):
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("j,down", "scroll_down", "Down", "text.down", "Scroll the text down"),
        bind("k,up", "scroll_up", "Up", "text.up", "Scroll the text up"),
        bind("g,home", "scroll_home", "First", "text.first", "Go to the beginning of the text"),
        bind("G,end", "scroll_end", "Last", "text.last", "Go to the end of the text"),
    ]

    def __init__(self, text: Text | None = None, *, id: str) -> None:
        super().__init__(id=id)
        self.text = text or Text()

    def compose(self) -> ComposeResult:
        yield Static(self.text)

    def show(self, text: Text, *, stays: bool = False) -> None:
        """Show another text, from its beginning; the same one, or with ``stays``, stays where it is."""
        if text == self.text:
            return
        self.text = text
        self.query_one(Static).update(text)
        if not stays:
            self.scroll_home(animate=False)

    def lines(self) -> list[str]:
        """The lines of the text as they were given, but for empty ones."""
        return [line for line in self.text.plain.split("\n") if line.strip()]

"""A screen of a place, with the lines around what it shows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast, runtime_checkable

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from corpusdb.base.cells import cell_width, cut_right
from corpusdb.base.errors import CorpusError
from corpusdb.corpus.store import Store
from tui.kit.background import Place, Shell, place_key
from tui.kit.fields import FindLine
from tui.kit.late_screen import HELD, LateScreen, is_there
from tui.kit.reader import DatabaseReader, Superseded
from tui.kit.settings import bindings_of
from tui.kit.shown import PlaceWanted, RowList, StatusChanged, Text, are_awaited, bind, said_here
from tui.kit.terminal import FAULT, KEY

_ROOM_FOR_TWO = 20
"""Lines that a terminal has where a head may take two."""
_LEAST_NAME = 6
"""Cells that a name has in any case."""


class TypedLine(Input):
    """Where one types what is looked for below; its bindings leave it for the list."""

    def action_leave(self) -> None:
        self.screen.set_focus(self.screen.query_one(RowList))


class HeadLine(Widget):
    """The right side is shown whole; the left has what it leaves, and the name before it what both leave."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.name_before = ""
        self.left = ""
        self.right = ""

    def show(self, left: str, right: str, *, name: str = "") -> None:
        self.name_before, self.left, self.right = name, left, right
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A second line where the first is too narrow but for the name, and there is room below."""
        name = min(cell_width(self.name_before), _LEAST_NAME)
        is_long = name + cell_width(f"{self.left}  {self.right}") > width
        return 2 if is_long and self.screen.size.height >= _ROOM_FOR_TWO else 1

    def render(self) -> Text:
        right = Text(f"  {self.right}", "bold", no_wrap=True)
        room = max(self.size.width - right.cell_len, 1)
        if self.size.height > 1:
            first, rest = _broken(f"{self.name_before}{self.left}", room)
            return _padded(Text(first), room) + right + Text("\n") + _padded(Text(rest), self.size.width)
        name = cut_right(self.name_before, max(room - cell_width(self.left), _LEAST_NAME))
        left = Text(f"{name}{self.left}", no_wrap=True)
        left.truncate(room, overflow="ellipsis", pad=True)
        return left + right


_LEAST_CELLS = 3
"""Shorter than this no name tells anything, and the number alone stands there."""


class PlacesLine(Widget):
    """The places with their keys, as much of their names as fits: long ones are shortened first, by a dot.

    The name of the place where one is stays whole, and where names are left out, those of its neighbours come back.
    """

    def __init__(self, places: Sequence[tuple[str, str]], here: str, *, id: str) -> None:
        """Key and name of each place; ``here`` is one of the names."""
        super().__init__(id=id)
        self.places = places
        self._here = here

    def render(self) -> Text:
        return self.line(self.size.width)

    def line(self, width: int) -> Text:
        """The longest line that fits into ``width`` cells."""
        return next((line for line in self._lines() if line.cell_len <= width), self._line(0))

    def _lines(self) -> Iterator[Text]:
        """From the longest to the shortest."""
        longest = max((len(name) for _, name in self.places), default=0)
        yield self._line(longest, gap=" ", after=" ")
        yield self._line(longest, after=" ")
        yield from (self._line(cells) for cells in range(longest, _LEAST_CELLS, -1))
        yield from (self._line(0, beside=cells) for cells in range(longest, _LEAST_CELLS, -1))

    def _line(self, cells: int, *, gap: str = "", after: str = "", beside: int | None = None) -> Text:
        """The places with so many cells of their names; those ``beside`` the one where one is with that many."""
        text = Text(no_wrap=True)
        at = next((place for place, (_, name) in enumerate(self.places) if name == self._here), -2)
        for place, (key, name) in enumerate(self.places):
            text.append(f" {key}{gap}", "dim")
            if place == at:
                text.append(f"[{name}]", "bold")
            else:
                room = beside if beside is not None and abs(place - at) == 1 else cells
                text.append(f"{after}{_short(name, room)}{after}")
        return text


def _short(name: str, cells: int) -> str:
    return name if len(name) <= cells else f"{name[: cells - 1]}." if cells else ""


def named_once(places: Sequence[Place]) -> list[tuple[str, str]]:
    """The names of places with the key of the first that has it."""
    found: dict[str, str] = {}
    for number, place in enumerate(places, 1):
        found.setdefault(place.name, place_key(number).upper())
    return [(key, name) for name, key in found.items()]


_MOST_LINES = 3
_UNDER_WAY = "..."


class StatusLine(Widget):
    """What was last said on the left; on the right what runs in the background, and what holds all the time."""

    message: reactive[str] = reactive("")
    is_error: reactive[bool] = reactive(False)
    job: reactive[str] = reactive("")
    unwritten: reactive[int] = reactive(0)
    """So many changes wait until no other process writes."""

    def __init__(self, *, id: str, mark: str = "") -> None:
        super().__init__(id=id)
        self._mark = mark
        self.sayings = 0
        """How often something was said."""
        self._standing = ""
        """What is shown while nothing else is said."""

    def say(self, text: str, *, is_error: bool = False, stays: bool = False) -> None:
        """Show a message until the next key; what is under way ("...") until the next message, which may be empty.

        One that ``stays`` comes back when others go.
        """
        self.sayings += 1
        told = " ".join(text.splitlines())
        said = said_here(told) if is_error else told
        self._standing = said if stays else self._standing
        self.message, self.is_error = said or self._standing, is_error

    def forget(self) -> None:
        """Show again what stays, unless something is under way."""
        if self.is_error or _UNDER_WAY not in self.message:
            self.message, self.is_error = self._standing, False

    def on_mount(self) -> None:
        """Take another line, or give it back, when something else is said."""
        for said in ("message", "is_error", "job", "unwritten"):
            self.watch(self, said, self._take_lines, init=False)

    def on_resize(self) -> None:
        self._take_lines()

    def _take_lines(self) -> None:
        if not self.size.width:
            return
        over, lines = self._over(self.size.width), self._lines(self.size.width)
        for legend in self.screen.query(Legend):
            legend.cover(lines[0] if over else None)
        if len(lines) - over != self.size.height:
            self.refresh(layout=True)

    def _over(self, width: int) -> int:
        """How many lines stand on that of the keys until the next key: the list above would move otherwise."""
        return int(len(self._lines(width)) > len(self._lines(width, self._standing)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width)) - self._over(width)

    def render(self) -> Text:
        return Text("\n").join(self._lines(self.size.width)[self._over(self.size.width) :])

    def _lines(self, width: int, said: str | None = None) -> list[Text]:
        """What is shown in so many cells, or would be if that were ``said``; what does not fit beside the right side
        stands above it."""
        waiting = f"~ {self.unwritten:,} to write: another process writes" if self.unwritten else ""
        shown = " | ".join(filter(None, (waiting, self.job, self._mark)))
        is_fault = self.is_error and said is None
        rest = said if said is not None else f"! {self.message}" if is_fault else self.message
        right = Text(f" | {shown}" if shown and rest else shown)  # the bar keeps both apart
        right.truncate(max(width // 2, width - cell_width(rest), 1), overflow="ellipsis")
        style, room = FAULT if is_fault else "", max(width - right.cell_len, 1)
        if cell_width(rest) <= room:
            return [_padded(Text(rest, style), room) + right]
        lines: list[Text] = []
        most = _MOST_LINES - bool(shown)  # the right side has a line of its own then, below
        while rest:
            # The last one is cut.
            part, rest = (rest, "") if len(lines) == most - 1 else _broken(rest, max(width, 1))
            lines.append(_padded(Text(part, style), max(width, 1)))
        if shown:
            right = Text(shown)
            right.truncate(max(width, 1), overflow="ellipsis")
            lines.append(_padded(Text(""), max(width - right.cell_len, 0)) + right)
        return lines


def _padded(text: Text, cells: int) -> Text:
    text.truncate(cells, overflow="ellipsis", pad=True)
    return text


def _broken(text: str, cells: int) -> tuple[str, str]:
    """As many words as fit into some cells, and the rest; a first word that is longer is broken itself."""
    if cell_width(text) <= cells:
        return text, ""
    fits = next((end for end in range(min(len(text), cells), 0, -1) if cell_width(text[:end]) <= cells), 1)
    end = fits if text[fits : fits + 1] == " " else text.rfind(" ", 0, fits)
    end = end if end > cells // 2 else fits  # a path is broken rather than moved away from what stands before it
    return text[:end], text[end:].lstrip()


_Entry = tuple[str, list[str]]
"""What a binding does, and its keys."""
_GAP = "  "
_PLUS = "+"
"""The key beside it is for keyboards on which this one needs another: nobody has to be told."""
_WAY_OUT = ".leave"
"""How the id of the binding ends that leads out of a line of input, where the usual key is typed into it."""
_TYPED = frozenset({"slash", "plus", "minus", "equals_sign", "less_than_sign", "greater_than_sign"})
"""Keys of characters that textual does not know to be typed in a line of input."""


@dataclass(frozen=True, slots=True)
class Hints:
    """Which bindings a legend names, by their ids."""

    bindings: tuple[str, ...] = ()
    """The most important first."""
    main: int = 0
    """So many of them are important: their keys are all told for as long as it goes."""
    needed: int | None = None
    """So many, or all, stay as long as it goes."""
    last: tuple[str, ...] = ("screen.back", "app.help")
    """The way out and the help: these are always shown, at the right."""


def hint_name(binding: Binding) -> str:
    """What a line of hints calls a binding: no word begins with a capital there, but the N of "N+" is one."""
    told = binding.description
    return told if told.isupper() else told.lower()


class Legend(Widget):
    """The keys of some bindings of the screen, and at the right the way out and the help.

    Where the line is too narrow, it tells only the first key of the less important ones, then of all, and leaves the
    last ones out, but never the way out and the help.
    """

    def __init__(
        self, hints: Hints, name_of: Callable[[Binding], str] | None = None, first: Callable[[], Sequence[str]] = tuple
    ) -> None:
        """``name_of`` says what a binding does, where that is not its description; ``first`` which come before others
        now."""
        super().__init__(id="legend")
        self._hints = hints
        self._name_of = name_of or hint_name
        self._first = first
        self._covered: Text | None = None

    def cover(self, told: Text | None) -> None:
        """Show this instead of the keys, or these again."""
        self._covered = told
        self.refresh()

    def on_mount(self) -> None:
        """While somebody types, letters are no keys: the legend changes with the focus."""
        self.screen.bindings_updated_signal.subscribe(self, lambda screen: self.refresh())

    def line(self, width: int | None = None) -> str:
        """The legend in at most ``width`` cells, or as long as it is."""
        return "".join(part for part, _ in self._parts(width))

    def render(self) -> Text:
        if self._covered is not None:
            return self._covered
        text = Text(no_wrap=True)
        for part, style in self._parts(self.size.width):
            text.append(part, style)
        return text

    def _parts(self, width: int | None) -> list[tuple[str, str]]:
        """Keys and what stands between them, with their styles."""
        live: dict[str, list[Binding]] = {}
        types = isinstance(self.screen.focused, Input)
        for active in self.screen.active_bindings.values():
            if not (types and active.binding.key in _TYPED):
                live.setdefault(active.binding.id or "", []).append(active.binding)
        ends = list(self._entries(self._hints.last, live))
        if self._hints.last[0] not in live:
            ends = [*self._ways_out(), *ends]
        last = [part for entry in ends for part in _told(entry, 1)][1:]
        wanted = dict.fromkeys((*self._first(), *self._hints.bindings))
        entries = [entry for entry in self._entries(wanted, live) if entry not in ends]
        room = None if width is None else width - _cells(last)
        first = next((parts for parts in self._choices(entries) if room is None or _cells(parts) <= room), [])
        gap = 0 if room is None else max(room - _cells(first), 0)
        return [*first, (_GAP if room is None and first else " " * gap, ""), *last]

    def _entries(self, wanted: Iterable[str], live: dict[str, list[Binding]]) -> Iterator[_Entry]:
        """What each binding does and its keys, in the order in which they were declared."""
        for name in wanted:
            if name in live:
                nodes = filter(None, (self.app, self.screen, self.screen.focused))
                known = (bindings_of(type(node)).get(name) for node in nodes)
                declared = next((each.key for each in known if each), "")
                found = sorted(live[name], key=lambda each: declared.find(each.key))
                keys = [self.app.get_key_display(each) for each in found]
                yield self._name_of(found[0]), keys[:1] if keys[0] == _PLUS else keys

    def _ways_out(self) -> Iterator[_Entry]:
        """Out of the line of input that has the focus; the screen may have another use for the key, at times."""
        found = [
            binding
            for node, bindings in self.screen._modal_binding_chain
            for _, binding in bindings
            if node is self.screen.focused and (binding.id or "").endswith(_WAY_OUT)
        ]
        for binding in sorted(found, key=lambda each: each.key != "escape")[:1]:
            yield hint_name(binding), [self.app.get_key_display(binding)]

    def _choices(self, entries: list[_Entry]) -> Iterator[list[tuple[str, str]]]:
        """The longest line first: fewer keys of each, then fewer entries."""
        count = len(entries)
        needed = count if self._hints.needed is None else min(self._hints.needed, count)
        shapes = [(shown, full) for full in (count, self._hints.main) for shown in range(count, needed - 1, -1)]
        shapes += [(shown, 0) for shown in range(count, 0, -1)]
        for shown, full in shapes:
            parts = [part for at, each in enumerate(entries[:shown]) for part in _told(each, None if at < full else 1)]
            yield [*parts[1:], (_GAP, "")]


def _told(entry: _Entry, most: int | None) -> list[tuple[str, str]]:
    """A gap, some of the keys, and what they do."""
    name, keys = entry
    return [(_GAP, ""), (",".join(keys[:most]), KEY), (f" {name}", "")]


def _cells(parts: Iterable[tuple[str, str]]) -> int:
    return cell_width("".join(part for part, _ in parts))


Answer = TypeVar("Answer")
Step = TypeVar("Step")


@runtime_checkable
class Stepping(Protocol):
    """A screen in which one goes from one thing to the next."""

    def steps_back(self) -> bool:
        """Go back to what it showed before, where there is something; whether there was."""


def went_back_inside(screen: Screen[Any]) -> bool:
    """Go back inside a screen where one has gone on in it; whether that was so."""
    return isinstance(screen, Stepping) and screen.steps_back()


class PlaceScreen(LateScreen[object]):
    """A screen of a place, the first one or one that is opened from it."""

    PLACE: ClassVar[str] = ""
    """The key of its place, for a screen of one place only."""
    REACHED: ClassVar[str] = ""
    """How one comes here from the first screen of the place, such as ``Enter on a session``; empty for that itself."""
    SIGNS: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Its letters, marks and columns, and what each means, for the help."""
    signs_now: Sequence[tuple[str, str]] = ()
    """The same of those that stand there at the moment."""
    HINTS: ClassVar[Hints] = Hints(("list.open", "screen.find", "screen.copy"))
    """What its line of hints names, besides the way out and the help."""
    first_hints: Callable[[], Sequence[str]] = tuple
    """Which of these come first now."""
    CHOSEN_FOR: ClassVar[Callable[[Any, str], Mapping[str, str]]] = lambda screen, form: {}
    """What the form of a command begins with, by the names of its fields: what is marked and chosen on a screen."""
    CALLED: ClassVar[Mapping[str, str]] = {}
    """What its line of hints calls bindings that have another name elsewhere, by their ids."""
    BEGINS: ClassVar[tuple[str, ...]] = ()
    """The commands of the program that belong to its place, which are listed first."""
    # And no line of input: what is typed while a screen is being made is for the keys.
    AUTO_FOCUS: ClassVar[str | None] = "RowList"
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("slash", "find", "Find", "screen.find", "Find in this list; n and N go on"),
        bind("y", "copy", "Copy", "screen.copy", "Copy this row, or the selected rows"),
        bind(
            "exclamation_mark",
            "app.begin_command",
            "Begin",
            "screen.begin",
            "Begin a job: any command of corpusdb, from a form",
        ),
        bind("q", "back", "Back", "screen.back", "Go back; twice on the first screen: leave the browser"),
        bind("escape", "app.leave_screen", "Back", "screen.leave", "Go back to the screen before"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.place = self.PLACE
        """The key of the place to which it belongs."""

    def compose(self) -> ComposeResult:
        """The frame; what is inside comes from compose_body."""
        keys = {place.key: place_key(number).upper() for number, place in enumerate(self.shell.places, 1)}
        here = next((place for place in self.shell.places if place.key == self.place), None)
        yield PlacesLine(named_once(self.shell.places), here.name if here else "", id="places")
        if here is not None and here.part:
            parts = [(keys[each.key], each.part) for each in self.shell.places if each.name == here.name]
            yield PlacesLine(parts, here.part, id="parts")
        yield from self.compose_body()
        yield Legend(self.HINTS, self._name_of, self.first_hints)
        yield FindLine()
        yield StatusLine(id="status", mark="read only" if self.shell.read_only else "")

    def compose_body(self) -> ComposeResult:
        """The widgets between the line of places and the status line."""
        raise NotImplementedError

    def on_mount(self) -> None:
        line, shell = self.query_one(StatusLine), self.shell
        shell.job_changed.subscribe(line, lambda state: setattr(line, "job", shell.jobs.summary))
        shell.unwritten_changed.subscribe(line, lambda count: setattr(line, "unwritten", count))
        line.job, line.unwritten = shell.jobs.summary, shell.runner.unwritten

    def lines(self) -> list[str]:
        """What the screen shows, as lines to be read aloud or piped on."""
        return [line for rows in self.query(RowList) for line in rows.lines()]

    def take(self, wanted: PlaceWanted) -> None:
        """Go on with what somebody wanted of this place; only its first screen is asked."""

    def _name_of(self, binding: Binding) -> str:
        """What the line of hints calls a binding."""
        if binding.id == "screen.back" and self.shell.is_lowest(self):
            return "quit"
        return self.CALLED.get(binding.id or "") or hint_name(binding)

    @property
    def shell(self) -> Shell:
        """The browser around this screen."""
        return cast("Shell", self.app)

    def say(self, text: str, *, is_error: bool = False, stays: bool = False) -> None:
        for line in self.query(StatusLine):  # which goes before the screen does
            line.say(text, is_error=is_error, stays=stays)

    def on_screen_suspend(self) -> None:
        """Forget what was said, when somebody goes elsewhere; a dialog over the screen is not elsewhere."""
        for line in self.query(StatusLine) if isinstance(self.app.screen, PlaceScreen) else ():
            line.forget()

    def on_status_changed(self, message: StatusChanged) -> None:
        self.say(message.text, is_error=message.is_error)

    def ask(
        self,
        question: Callable[[DatabaseReader], Answer],
        then: Callable[[Answer], None],
        kind: str | None = None,
        *,
        opens: bool = False,
    ) -> None:
        """Ask a short question, and hand its answer to ``then`` here, on the thread of the screen.

        Errors go to the status line. Of several questions of one ``kind`` only the newest is answered. Where ``then``
        ``opens`` something, it is said at once that this is waited for. Keys that are pressed meanwhile are for what
        opens. Escape waits no longer.
        """
        if not opens:
            self.wait_for(lambda: self.shell.runner.ask(question, kind), then)
            return
        self.say(f"one moment ...; {HELD}, escape stops it")
        opened = self.opening(self.say)

        async def asked() -> Answer:
            try:
                return await self.shell.runner.ask(question, kind)
            except Superseded:
                opened(lambda: None)
                raise

        self.wait_for(asked, lambda answer: opened(lambda: then(answer)))

    def write(self, change: Callable[[Store], Answer], then: Callable[[Answer], None], *, kept: bool = False) -> None:
        """Change the database in the background, and hand what the change returned to ``then`` here.

        What is ``kept`` is written when no other process writes. Errors go to the status line.
        """
        self.wait_for(lambda: self.shell.runner.change(change, kept=kept), then)

    @work(exclusive=False)
    async def wait_for(self, begin: Callable[[], Awaitable[Answer]], then: Callable[[Answer], None]) -> None:
        """Hand what comes of work in the background to ``then`` here, if this screen is still there.

        Errors go to the status line, and into lists that would wait on.
        """
        with self.errors_shown():
            try:
                answer = await begin()
            except CorpusError as error:
                for rows in self.query(RowList) if is_there(self) else ():
                    if are_awaited(rows):
                        rows.show_rows(0, lambda row: Text(), empty=f"! {error}")
                raise
            if is_there(self):
                then(answer)

    @contextmanager
    def errors_shown(self) -> Iterator[None]:
        """Say what went wrong instead of stopping the browser."""
        try:
            yield
        except Superseded:
            pass
        except CorpusError as error:
            if is_there(self):
                self.stop_waiting()
                self.say(str(error), is_error=True)

    def main_list(self) -> RowList | None:
        """The list that is being looked at: the one with the focus, else the first."""
        return self.focused if isinstance(self.focused, RowList) else next(iter(self.query(RowList)), None)

    def action_find(self) -> None:
        if (rows := self.main_list()) is not None:
            self.query_one(FindLine).open_for(rows)

    def copied_text(self) -> str:
        """What is copied: the selected rows, else the row with the cursor."""
        rows = self.main_list()
        if rows is None or not rows.count:
            return ""
        return "\n".join(rows.text_of(row) for row in sorted(rows.selected) or [rows.cursor])

    @work(exclusive=True, group="copy")
    async def action_copy(self) -> None:
        text = self.copied_text()
        if text:
            self.say(await self.shell.copy(text))
        else:
            self.say("nothing to copy here", is_error=True)

    def action_back(self) -> None:
        if not went_back_inside(self):
            self.shell.go_back()


class StepsScreen(PlaceScreen, Generic[Step]):
    """A line in which one types, and what is found on the way from there, one step after another."""

    @property
    def steps(self) -> Sequence[Step]:
        """Those that one came by; the last is shown."""
        raise NotImplementedError

    def go(self, steps: Sequence[Step]) -> None:
        """Ask for what is at the end of some steps, and show it when it comes."""
        raise NotImplementedError

    def action_type(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: what is typed next is for it

    def action_step_back(self) -> None:
        if not self.steps_back():
            self.action_type()

    def steps_back(self) -> bool:
        if len(self.steps) > 1:
            self.go(self.steps[:-1])
        return len(self.steps) > 1

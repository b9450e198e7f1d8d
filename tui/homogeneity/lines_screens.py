"""Lists of lines with figures before them: of a profile, and those that belong least to the others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from corpusdb.base.arrays import I64
from corpusdb.base.cells import cell_width, padded
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import Cancelled
from corpusdb.base.jobs import Pace, Progress, finished
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.likeness import OutlierReport, outliers
from corpusdb.homogeneity.queries.profile_levels import Level, ProfileView, keep_lines, keep_outliers, line_places
from corpusdb.search.queries.request import Within
from corpusdb.search.queries.results import SelectionSummary, remove_selection, selection_members, stored_selections
from corpusdb.search.report import MEMBER_COLUMNS, format_selection, member_rows
from tui.homogeneity.profile_view import ask_to_keep, cut, figure, marked_line
from tui.kit.dialogs import ConfirmDialog
from tui.kit.exports import ask_export
from tui.kit.place_screen import HeadLine, Hints, Legend, PlaceScreen
from tui.kit.shown import CorpusWanted, Highlighted, Opened, RowList, Static, Text, bind
from tui.search.document_screen import DocumentScreen

if TYPE_CHECKING:
    from corpusdb.search.matches import LanguageText


class SentencesScreen(PlaceScreen):
    """One sentence a row; below them the one under the cursor, whole. Enter goes to its document."""

    PLACE = "profile"
    AUTO_FOCUS = "#profile-lines"
    COLUMNS: ClassVar[str] = ""
    """The heading of the figures."""
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("c", "corpus", "Search", "lines.corpus", "Show this sentence in Search"),
        bind("w", "keep", "Save", "lines.keep", "Save the selected lines, or all of these, by a name"),
    ]
    REACHED = "Enter on a bar"
    HINTS = Hints(("list.open", "list.select", "lines.keep", "lines.corpus"))

    def __init__(self, title: str, language: str, within: Within | None = None) -> None:
        """``within``: the part of the corpus of which the sentences are."""
        super().__init__()
        self.title_told = title
        self.language = language
        self._within = within

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="profile-head")
        yield Static(f"  {self.COLUMNS}", id="profile-columns")
        yield RowList(id="profile-lines", empty="reading the lines ...")
        yield Static("", id="profile-line")

    def show_sentences(self, count: int, empty: str) -> None:
        self.query_one(HeadLine).show(cell_safe(self.title_told), self.counted)
        self.query_one(RowList).show_rows(count, self._row, empty=empty)
        self._show_line()

    @property
    def counted(self) -> str:
        return f"{self.count:,} {'line' if self.count == 1 else 'lines'}"

    @property
    def count(self) -> int:
        raise NotImplementedError

    def sentence(self, row: int) -> tuple[int, str]:
        raise NotImplementedError

    def figures(self, row: int) -> str:
        raise NotImplementedError

    def row_text(self, row: int, width: int) -> Text:
        return Text(cut(self.sentence(row)[1], width), no_wrap=True)

    def told(self, row: int) -> Text:
        return Text(cell_safe(self.sentence(row)[1]))

    def keep(self, store: Store, name: str, rows: list[int], *, others: bool) -> int:
        """Keep the sentences of some rows as a selection, or all others; how many."""
        raise NotImplementedError

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(RowList).refresh()

    def _row(self, row: int) -> Text:
        figures = Text(f"{self.figures(row)} ", no_wrap=True)
        return figures + self.row_text(row, self.size.width - cell_width(figures.plain) - 4)

    @on(Highlighted)
    def _show_line(self) -> None:
        rows = self.query_one(RowList)
        self.query_one("#profile-line", Static).update(self.told(rows.cursor) if rows.count else Text())

    def lines(self) -> list[str]:
        rows = [f"{self.figures(row)} {self.told(row).plain}" for row in range(self.count)]
        return [f"{self.title_told}  {self.counted}", self.COLUMNS, *rows, self.query_one(Legend).line()]

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        self.app.push_screen(DocumentScreen(self.sentence(message.row)[0], self.PLACE, self._within))

    def action_corpus(self) -> None:
        if self.count:
            text = self.sentence(self.query_one(RowList).cursor)[1]
            self.app.post_message(CorpusWanted(text, self.language))
        else:
            self.say("there is no sentence here", is_error=True)

    def action_keep(self) -> None:
        rows = sorted(self.query_one(RowList).selected) or list(range(self.count))
        if not rows:
            self.say("there is no sentence here", is_error=True)
            return

        title = f"Save {len(rows):,} {'line' if len(rows) == 1 else 'lines'} as a selection"
        ask_to_keep(
            self, title, "these, or all others", lambda store, name, others: self.keep(store, name, rows, others=others)
        )


# Lines of a profile: those of a bar, of a document, or between two thresholds.


_SCALES = f"{'I':>7} {'J':>7}"


class LinesScreen(SentencesScreen):
    COLUMNS: ClassVar[str] = f"{_SCALES}  chars  line"

    def __init__(self, title: str, view: ProfileView, places: I64, seen: dict[str, object]) -> None:
        """``places`` of lines in the view; ``seen`` says what they are, for a selection of them."""
        super().__init__(title, view.profile.language)
        self._view = view
        self._places = places
        self._seen = seen
        self._texts: LanguageText | None = None
        self._values = _values_of(view, "line")

    def on_mount(self) -> None:
        language = self.language
        self.query_one(HeadLine).show(cell_safe(self.title_told), self.counted)
        self.ask(lambda reader: reader.searcher.text(language), self._read)

    def _read(self, texts: LanguageText) -> None:
        self._texts = texts
        self.show_sentences(self.count, "No lines here.")

    @property
    def count(self) -> int:
        return len(self._places)

    def sentence(self, row: int) -> tuple[int, str]:
        number = int(self._view.lines.sentences[self._places[row]])
        if self._texts is None:
            return number, ""
        return number, self._texts.lines[int(np.searchsorted(self._texts.sentences, number))]

    def figures(self, row: int) -> str:
        place = int(self._places[row])
        characters = f"{int(self._view.lines.statistics.characters[place]):,}"
        return f"{self._values(place)} {padded(characters, 6, right=True)} "

    def keep(self, store: Store, name: str, rows: list[int], *, others: bool) -> int:
        places = self._places[rows]
        if others:
            places = np.setdiff1d(np.arange(len(self._view.lines.sentences)), places)
        seen = self._seen | {"others": others} | ({"chosen": len(rows)} if len(rows) < self.count else {})
        return keep_lines(store, name, self._view, places, seen)


class EntriesScreen(PlaceScreen):
    PLACE = "profile"
    AUTO_FOCUS = "#profile-entries"
    REACHED = "Enter on a bar"
    HINTS = Hints(("list.open", "screen.find", "screen.copy"))

    def __init__(self, title: str, view: ProfileView, level: Level, places: I64) -> None:
        super().__init__()
        self._title_told = title
        self._view = view
        self._level: Level = level
        self._places = places
        self._values = _values_of(view, level)

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="profile-head")
        yield Static(f"  {_SCALES}   lines  not measured  {self._level}", id="profile-columns")
        yield RowList(id="profile-entries", empty=f"No {self._level} here.")

    def on_mount(self) -> None:
        count = len(self._places)
        noun = self._level if count == 1 else f"{self._level}s"
        self.query_one(HeadLine).show(cell_safe(self._title_told), f"{count:,} {noun}")
        self.query_one(RowList).show_rows(count, self._row)

    def _row(self, row: int) -> Text:
        if self._view.groups is None:
            return Text()
        place, sums = int(self._places[row]), self._view.groups[self._level]
        lines, left_out, _ = (f"{int(count):,}" for count in sums.counts[place])
        counts = f"{padded(lines, 7, right=True)} {padded(left_out, 13, right=True)}"
        figures = f"{self._values(place)} {counts}  "
        return Text(figures + cut(sums.names[place], self.size.width - len(figures) - 4), no_wrap=True)

    def lines(self) -> list[str]:
        head = self.query_one(HeadLine)
        return [f"{head.left}  {head.right}", *super().lines(), self.query_one(Legend).line()]

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        view, level, chosen = self._view, self._level, self._places[[message.row]]
        if view.groups is None:
            return
        name = view.groups[level].names[int(chosen[0])]

        def show(places: I64) -> None:
            values = view.order("line", "I").values[places]
            ordered = places[np.lexsort((values, np.isnan(values)))]
            seen: dict[str, object] = {"level": "line", "seen": f"{level} {name}"}
            self.app.push_screen(LinesScreen(f"{level} {name}", view, ordered, seen))

        self.ask(lambda reader: line_places(reader.store, view, level, chosen), show, opens=True)


def _values_of(view: ProfileView, level: Level) -> Callable[[int], str]:
    """Gives I and, where there is such a scale, J of the entry of a level at a place."""
    first = view.order(level, "I").values
    second = first * math.nan if view.profile.scale is None else view.order(level, "J").values
    return lambda place: f"{figure(float(first[place]))} {figure(float(second[place]))}"


_MOST: Final = 500
_SECONDS: Final = 0.2
"""Between two looks at how far it is."""


class OutliersScreen(SentencesScreen):
    """The strangest line first; brackets stand around the characters that cost half of its bits."""

    COLUMNS: ClassVar[str] = f"{'score':>6} {'bits':>6} {'rarest':>6}  line, [what costs most] in brackets"
    SIGNS = (
        ("score", "The higher, the stranger: bits, fewer where it is short, and a tenth of rarest"),
        ("bits", "What a character costs on average, by a model of the other lines"),
        ("rarest", "Bits of its rarest character: 1 more where half as many lines have it"),
        ("[ ]", "The fewest characters that cost half of its bits; it is measured in lower case"),
    )
    REACHED = "o"

    def __init__(self, language: str, collection: str | None) -> None:
        where = f" of {collection}" if collection else ""
        super().__init__(f"Outlying lines{where}: {language}", language, Within(collection))
        self._collection = collection
        self._report = OutlierReport(language, 0, ())
        """Of nothing, until all is measured."""
        self._stopped = Event()
        self._told = "measuring ..."

    def on_mount(self) -> None:
        language, collection, pace = self.language, self._collection, Pace()

        def watch(step: Progress) -> None:
            self._told = pace.reading(step).told
            if self._stopped.is_set():
                raise Cancelled("measuring was stopped")

        def question(store: Store) -> OutlierReport:
            return finished(outliers(store, language, collection, limit=_MOST), watch)

        self.show_sentences(0, "measuring every line by a model of the others ...; who leaves this screen stops it")
        self.set_interval(_SECONDS, self._tell)
        self.wait_for(lambda: self.shell.runner.ask_beside(question), self._found)

    def on_unmount(self) -> None:
        self._stopped.set()

    def _tell(self) -> None:
        if not self._report.measured:
            self.say(self._told, stays=True)

    def _found(self, report: OutlierReport) -> None:
        self._report = report
        self.say(f"the {self.count:,} strangest of {report.measured:,} lines", stays=True)
        self.show_sentences(self.count, "No line is there.")

    @property
    def count(self) -> int:
        return len(self._report.lines)

    @property
    def counted(self) -> str:
        return f"{self.count:,} of {self._report.measured:,} lines" if self._report.measured else ""

    def sentence(self, row: int) -> tuple[int, str]:
        line = self._report.lines[row]
        return line.sentence, line.text

    def figures(self, row: int) -> str:
        line = self._report.lines[row]
        return f"{line.score:6.2f} {line.self_entropy:6.2f} {line.rarity:6.2f} "

    def row_text(self, row: int, width: int) -> Text:
        return marked_line(self._report.lines[row], width)

    def told(self, row: int) -> Text:
        return marked_line(self._report.lines[row])

    def keep(self, store: Store, name: str, rows: list[int], *, others: bool) -> int:
        chosen = replace(self._report, lines=tuple(self._report.lines[row] for row in rows))
        return keep_outliers(store, name, chosen, self._collection, others=others)


# The selections that are kept, what is in one, and forgetting one.


_NAME, _LANGUAGE, _COUNT, _METHOD = 20, 4, 9, 11
_NONE = "None is kept: w in a profile, or ! select with a name, makes one."


class SelectionsScreen(PlaceScreen):
    PLACE = "profile"
    AUTO_FOCUS = "#selections"
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("D", "remove", "Forget", "selections.remove", "Forget this selection; sentences stay"),
        bind("e", "export", "Export", "selections.export", "Write what is in it to a file, the best first"),
    ]
    REACHED = "s"
    HINTS = Hints(("list.open", "selections.export", "selections.remove", "screen.find"))

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[SelectionSummary] = []

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="profile-head")
        names = (padded("name", _NAME), padded("lang", _LANGUAGE), padded("lines", _COUNT, right=True))
        yield Static(f"  {' '.join(names)}  {padded('method', _METHOD)} made of", id="profile-columns")
        yield RowList(id="selections", empty="reading the selections ...")
        yield Static("", id="profile-line")

    def on_screen_resume(self) -> None:
        self._load()

    def _load(self) -> None:
        self.ask(lambda reader: stored_selections(reader.store), self._show, kind="selections")

    def _show(self, found: list[SelectionSummary]) -> None:
        self._rows = found
        rows = self.query_one(RowList)
        self.query_one(HeadLine).show("Selections: usable wherever a collection is", f"{len(found):,} kept")
        rows.show_rows(len(found), self._row, cursor=rows.cursor, empty=_NONE)
        self.query_one("#profile-line", Static).update("search, keywords, profile and select take one for a collection")

    def _row(self, row: int) -> Text:
        each = self._rows[row]
        cells = (
            padded(cut(each.name, _NAME), _NAME),
            padded(each.language, _LANGUAGE),
            padded(f"{each.sentences:,}", _COUNT, right=True),
        )
        told = f"{' '.join(cells)}  {padded(str(each.parameters['method']), _METHOD)} {format_selection(each)}"
        return Text(cell_safe(told), no_wrap=True)

    def lines(self) -> list[str]:
        head = self.query_one(HeadLine)
        return [f"{head.left}  {head.right}", *super().lines(), self.query_one(Legend).line()]

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        self.app.push_screen(SelectionScreen(self._rows[message.row]))

    def action_export(self) -> None:
        if self._rows:
            _export(self, self._rows[self.query_one(RowList).cursor].name)

    def action_remove(self) -> None:
        if not self._rows:
            self.say("no selection is kept", is_error=True)
            return
        chosen = self._rows[self.query_one(RowList).cursor]
        name = chosen.name

        def removed(count: int) -> None:
            self.say(f"{name} is forgotten; its {count:,} sentences are still in the corpus")
            self._load()

        question = f"Forget the selection {cell_safe(name)} of {chosen.sentences:,} sentences?"

        def answered(yes: bool | None) -> None:
            if yes:
                self.write(lambda store: remove_selection(store, name), removed)

        self.app.push_screen(ConfirmDialog(question), answered)


def _export(screen: PlaceScreen, name: str) -> None:
    def asked(members: list[tuple[int, str, float]]) -> None:
        ask_export(screen, name, (MEMBER_COLUMNS, member_rows(members)))

    screen.ask(lambda reader: selection_members(reader.store, name), asked, opens=True)


class SelectionScreen(SentencesScreen):
    COLUMNS: ClassVar[str] = f"{'rank':>8} {'score':>9}  line"
    SIGNS = (
        ("score", "What ranks it. moore-lewis, bilingual: bits a character by the task less those by all, low is near"),
        ("", "coefficient: how far from that of the task; profile: bits by speech less those by writing"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("e", "export", "Export", "selection.export", "Write rank, score and text of all to a file"),
    ]
    REACHED = "s, then Enter"
    HINTS = Hints(("list.open", "selection.export", "lines.corpus", "screen.find"))

    def __init__(self, selection: SelectionSummary) -> None:
        title = f"Selection {selection.name}: {format_selection(selection)}"
        super().__init__(title, selection.language, Within(selection.name))
        self._kept_as = selection.name
        self._members: list[tuple[int, str, float]] = []

    def on_mount(self) -> None:
        name = self._kept_as

        def show(members: list[tuple[int, str, float]]) -> None:
            self._members = members
            self.show_sentences(len(members), "Nothing is in it.")

        self.ask(lambda reader: selection_members(reader.store, name), show)

    @property
    def count(self) -> int:
        return len(self._members)

    def sentence(self, row: int) -> tuple[int, str]:
        number, text, _ = self._members[row]
        return number, text

    def figures(self, row: int) -> str:
        return f"{row + 1:>8,} {self._members[row][2]:9.4f} "

    def action_keep(self) -> None:
        self.say(f"these are kept already, as {self._kept_as}", is_error=True)

    def action_export(self) -> None:
        _export(self, self._kept_as)

"""The document around a sentence: its lines in all languages, and the rewritings of a Japanese sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import ClassVar, TypeAlias

from rich.cells import cell_len, set_cell_size
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from corpusdb.base.display import cell_safe, counted
from corpusdb.base.errors import CorpusError
from corpusdb.corpus.queries.sentences import SentencePlace, part_of, spotted_places
from corpusdb.corpus.store import Store
from corpusdb.people.queries.sessions import distinct_seeds, unused_name
from corpusdb.people.queries.views import UnstoredSession
from corpusdb.rules.queries.rewritings import JAPANESE, TextRewritings, all_sets, kept_rewritings_of, rewritings_of
from corpusdb.rules.queries.rule_sets import format_changes, rule_changes
from corpusdb.rules.report import format_dropped, format_lineage
from corpusdb.search.queries.distribution import DocumentExtent, documents_in, line_ends, surroundings
from corpusdb.search.queries.request import Within
from tui.alignment.words_screen import WordsScreen
from tui.kit.dialogs import ChoiceDialog, DetailsDialog, one_line
from tui.kit.place_screen import HeadLine, Hints, Legend, PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import (
    Highlighted,
    Opened,
    RowList,
    SessionWanted,
    Static,
    Text,
    bind,
    marked_texts,
)
from tui.translation import TranslationScreen

_USUAL = "all"


@dataclass(frozen=True, slots=True)
class _Found:
    sets: tuple[str, ...]
    """The rule sets there are."""
    rewritings: TextRewritings | None
    reason: str = ""
    """Why there are none."""


class RewritingsScreen(PlaceScreen):
    """Two rows for each rewriting: its text, and below it the rules."""

    PLACE = "corpus"
    AUTO_FOCUS = "#rewritings"
    REACHED = "r on a Japanese sentence"
    HINTS = Hints(("list.open", "rewritings.set", "screen.find"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("s", "choose_set", "Rule set", "rewritings.set", "Rewrite it by another rule set, now"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._found = _Found((), None)
        self._rows: list[Text] = []

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="rewritings-head")
        yield Static(Text(cell_safe(self._text), "bold"), id="rewritten-text")
        yield RowList(id="rewritings", empty="rewriting ...")

    def on_mount(self) -> None:
        self._ask(None)

    def _ask(self, name: str | None) -> None:
        """Rewrite the sentence by a rule set; where none is named, look for what is kept first."""
        text = self._text

        def question(reader: DatabaseReader) -> _Found:
            sets = all_sets(reader.store)
            kept = kept_rewritings_of(reader.store, text) if name is None else None
            try:
                return _Found(sets, kept or rewritings_of(reader.store, text, name or _USUAL))
            except CorpusError as error:
                return _Found(sets, None, one_line(error))

        self.ask(question, self._show, kind="rewritings")

    def _show(self, found: _Found) -> None:
        self._found, made = found, found.rewritings
        if made is None:
            self.query_one(RowList).show_rows(0, lambda row: Text(), empty=found.reason)
            self.say(found.reason, is_error=True)
            return
        self._rows = [*_rows(made)]
        self.query_one(RowList).show_rows(len(self._rows), lambda row: self._rows[row], empty="No rule rewrites this.")
        self.query_one(HeadLine).show(cell_safe(f"by {made.by}"), counted(len(made.rewritings), "rewritings"))
        self.say(format_dropped(made.dropped, "--max", made.most) or "")

    def lines(self) -> list[str]:
        head = self.query_one(HeadLine)
        rows = [row.rstrip() for row in super().lines()]
        told = [f"{head.left}  {head.right}"] if self._found.rewritings else [self._found.reason]
        return [self._text, *told, *rows, self.query_one(Legend).line()]

    def action_choose_set(self) -> None:
        sets = self._found.sets
        if sets:
            dialog = ChoiceDialog("Which rule set?", [cell_safe(name) for name in sets])
            dialog.ask(self, lambda place: self._ask(sets[place]))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        made = self._found.rewritings
        if made is None:
            return
        rewriting = made.rewritings[message.row // 2]
        before, after = marked_texts(made.text, rewriting)
        told = [cell_safe(line) for line in format_changes(rule_changes(made.text, rewriting))]
        self.app.push_screen(DetailsDialog(f"Rewriting {message.row // 2 + 1}", [before.plain, after.plain, *told]))


def _rows(made: TextRewritings) -> Iterator[Text]:
    for number, rewriting in enumerate(made.rewritings, 1):
        yield Text(f"{number:>3}  ", no_wrap=True) + marked_texts(made.text, rewriting)[1]
        yield Text(f"       {cell_safe(format_lineage(rewriting))}", "dim", no_wrap=True)


_Unit: TypeAlias = tuple[int, str, int, str]
"""Line, language, sentence, text."""
_Spot: TypeAlias = tuple[tuple[int, int], SentencePlace]
"""The file, by its number, and the line there; and what the place is called."""

_WIDE = 120
_AROUND = 500
"""Lines that are read before and behind one; whoever comes to the last of them goes on from there."""
_LINE_CELLS, _CODE_CELLS = 16, 5
"""Before a text: the cursor, the mark and the number of its line; and the code of its language."""
_MOST_BELOW = 8
"""Lines for a row that is longer than the screen is wide."""


class WholeRow(Static):
    """The row with the cursor, where rows near it are longer than the screen is wide: in the lines that these need."""

    _lines = 0
    """As many as it had room for; it grows, and does not shrink while one goes on."""

    def make_room(self, rows: Sequence[Sequence[_Unit]], row: int, *, anew: bool = False) -> None:
        """Have room for the rows that are seen with one."""
        width, height = self.screen.size
        rows = rows[max(row - height, 0) : row + height]
        columns = max(map(len, rows), default=1)
        longest = max((cell_len(said) for row in rows for *_, said in row), default=0) + _CODE_CELLS
        is_cut = longest > (width - _LINE_CELLS) // columns
        lines = min(columns * (longest // max(width - _CODE_CELLS, 1) + 1), _MOST_BELOW) if is_cut else 0
        self._lines = lines if anew else max(lines, self._lines)
        self.display = bool(self._lines)
        self.styles.height = self._lines

    def show_row(self, units: Sequence[_Unit]) -> None:
        lines = [f"{language}  {cell_safe(said)}" for _, language, _, said in units]
        self.update(Text("\n".join(lines)), layout=False)


def _has(units: Sequence[_Unit], sentence: int) -> bool:
    return any(unit[2] == sentence for unit in units)


class DocumentLines(RowList):
    """Lines of a file of which those around one are read: the first and the last are those of the file."""

    def action_go(self, row: int) -> None:
        if isinstance(screen := self.screen, DocumentScreen):
            screen.read(screen.ends[row])


class DocumentScreen(PlaceScreen):
    """The document of a sentence, which is marked; Enter goes on with another one."""

    PLACE = "corpus"
    REACHED = "Enter on a sentence"
    SIGNS = (
        ("=", "The sentence that one came for; Enter goes on with another one"),
        ("7,327 fra", "A line without its first text has the same as the line before, translated otherwise"),
    )
    CALLED: ClassVar[Mapping[str, str]] = {"list.open": "centre it", "list.first": "beginning"}
    HINTS = Hints(
        (
            "list.open",
            "document.words",
            "document.paraphrase",
            "list.first",
            "screen.find",
            "screen.copy",
            "document.translate",
            "document.rewritings",
            "document.place",
        ),
        needed=4,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("o", "next_place", "Place", "document.place", "The next place of this sentence"),
        bind("r", "rewritings", "Rewrite", "document.rewritings", "What rules make of it, in Japanese"),
        bind("a", "words", "Words", "document.words", "What each word of this sentence is aligned with"),
        bind("p", "paraphrase", "Paraphrases", "document.paraphrase", "Paraphrases of this sentence"),
        bind("t", "translate", "Translate", "document.translate", "Translate it from the corpus"),
    ]

    def __init__(
        self,
        sentence: int,
        place: str = PLACE,
        within: Within | None = None,
        at: tuple[int, int] | None = None,
    ) -> None:
        """``place`` is the key of the one that opens it. Places ``within`` a part of the corpus come first.

        ``at``: the file, by its number, and the line there; None for the first place of the sentence.
        """
        super().__init__()
        self.place = place
        self._within = within
        self._sentence = sentence
        self._at = at
        """Where the sentence is that one came for; None for its first place."""
        self._line = 0
        """The line in which the cursor is; 0 until something was read."""
        self.ends = 0, 0
        """The first and the last line of the file."""
        self._spots: list[_Spot] = []
        self._units: list[_Unit] = []
        self._rows: list[list[_Unit]] = []
        """What stands in one row: one unit; or, side by side, all of a line."""

    def compose_body(self) -> ComposeResult:
        yield Static("", id="document-title")
        yield DocumentLines(id="document", empty="reading the lines around it ...")
        yield WholeRow(id="document-whole")

    def on_mount(self) -> None:
        self.query_one("#document").focus()
        self.read()

    def lines(self) -> list[str]:
        return [self._title, *super().lines()]

    def read(self, line: int = 0) -> None:
        """Read the lines around one; 0 is that of the sentence that one came for."""
        sentence, within, at = self._sentence, self._within, self._at

        def question(reader: DatabaseReader) -> tuple[list[_Unit], list[_Spot], tuple[int, int], int]:
            with reader.store.snapshot():
                spots = _spots_of(reader.store, sentence, within)
                here = at or next((spot for spot, _ in spots), None)
                if here is None:
                    return [], spots, (0, 0), 0
                centre = here[0], line or here[1]
                around = surroundings(reader.store, sentence, _AROUND, centre)
                return around, spots, line_ends(reader.store, here[0]), centre[1]

        self.ask(question, lambda answer: self._show(*answer), kind="document")

    def _show(self, units: Sequence[_Unit], spots: Sequence[_Spot], ends: tuple[int, int], line: int) -> None:
        self._units, self._spots, self.ends, self._line = list(units), list(spots), ends, line
        numbers = [spot for spot, _ in spots]
        if self._at not in numbers:
            self._at = next(iter(numbers), None)
        self._arrange()

    @property
    def _title(self) -> str:
        """Which file it is, in which of how many lines one is, and of the sentence that one came for all places."""
        here = next((at for at, (spot, _) in enumerate(self._spots) if spot == self._at), None)
        if here is None:
            return "no place"
        place = self._spots[here][1]
        inside = f" ({place})" if self._line == place.line and (place.document or place.unit) else ""
        more = f"; {here + 1:,} of its {len(self._spots):,} places (o: next)" if len(self._spots) > 1 else ""
        return f"{place.collection}/{place.file}: line {self._line:,} of {self.ends[1]:,}{inside}{more}"

    @property
    def _is_wide(self) -> bool:
        return self.size.width >= _WIDE

    def on_resize(self, event: events.Resize) -> None:
        if self._units:
            self._arrange()

    def _arrange(self) -> None:
        """Side by side where there is room for it, else below each other."""
        line = self._line
        if self._is_wide:
            self._rows = _side_by_side(self._units)
        else:
            self._rows = [[unit] for unit in _without_repeated(self._units, line)]
        there = [row for row, units in enumerate(self._rows) if units[0][0] >= line]
        marked = [row for row in there if self._rows[row][0][0] == line and _has(self._rows[row], self._sentence)]
        place = next(iter(marked or there), len(self._rows) - 1)
        self.query_one(WholeRow).make_room(self._rows, place, anew=True)
        rows = self.query_one("#document", RowList)
        rows.show_rows(len(self._rows), self._text, cursor=place, empty="This sentence is in no document.")
        self._centre()
        # Where the screen was not laid out yet, the list had no height, and nothing to scroll by.
        self.call_after_refresh(self._centre)

    @on(Highlighted)
    def _show_whole(self, message: Highlighted) -> None:
        units = self._rows[message.row] if message.row < len(self._rows) else []
        self.query_one(WholeRow).make_room(self._rows, message.row)
        self.query_one(WholeRow).show_row(units)
        if units:
            self._line = units[0][0]
            is_read = self._units[0][0] <= self.ends[0] or message.row > 0
            if not is_read or (self._units[-1][0] < self.ends[1] and message.row == len(self._rows) - 1):
                self.read(self._line)
        self.query_one("#document-title", Static).update(self._title, layout=False)

    def _centre(self) -> None:
        """Have as much in sight before the row with the cursor as behind it."""
        rows = self.query_one("#document", RowList)
        rows.scroll_to(y=rows.cursor - rows.size.height // 2, animate=False, immediate=True)

    def _text(self, row: int) -> Text:
        units = self._rows[row]
        line = units[0][0]
        is_first = row == 0 or self._rows[row - 1][0][0] != line
        text = Text(
            f"{'=' if _has(units, self._sentence) else ' '} {f'{line:,}' if is_first else '':>9}  ", no_wrap=True
        )
        columns = len({language for _, language, _, _ in self._units}) if self._is_wide else 1
        width = (self.query_one("#document", RowList).size.width - cell_len(text.plain) - 3) // max(columns, 1)
        for _, language, sentence, said in units:
            style = "bold underline" if sentence == self._sentence else ""
            told = cell_safe(said)
            if self._is_wide:
                told = set_cell_size(told, width - 7) + "…" if cell_len(told) > width - 6 else told
            text.append(f"{language}  ")
            text.append(told, style)
            if self._is_wide:
                text.append(" " * max(width - 5 - cell_len(told), 1))
        return text

    def action_next_place(self) -> None:
        numbers = [spot for spot, _ in self._spots]
        if len(numbers) > 1 and self._at in numbers:
            self._at = numbers[(numbers.index(self._at) + 1) % len(numbers)]
            self.read()
        else:
            self.say("this sentence is nowhere else", is_error=True)

    def action_rewritings(self) -> None:
        """Show what rules make of the Japanese sentence of the row; of its first on a wide screen."""
        rows = self.query_one("#document", RowList)
        units = self._rows[rows.cursor] if self._rows else []
        text = next((said for _, language, _, said in units if language == JAPANESE), None)
        if text is None:
            self.say("rules rewrite Japanese, and there is none in this row", is_error=True)
        else:
            self.app.push_screen(RewritingsScreen(text))

    def action_words(self) -> None:
        """Go from word to word of the sentence of the row: on a wide screen the first of the line."""
        if (unit := self._current) is not None:
            self.app.push_screen(WordsScreen(self.place, unit[2]))

    @property
    def _current(self) -> _Unit | None:
        """The sentence of the row, on a wide screen the first of the line; says so where there is none."""
        if not self._rows:
            self.say("there is no sentence here", is_error=True)
            return None
        return self._rows[self.query_one("#document", RowList).cursor][0]

    def action_paraphrase(self) -> None:
        if (unit := self._current) is not None:
            show_paraphrases(self, [unit[3]], unit[1])

    def action_translate(self) -> None:
        if (unit := self._current) is not None:
            self.app.push_screen(TranslationScreen(unit[3], unit[1]))

    @on(Opened)
    def _go_on(self, message: Opened) -> None:
        """Go to the sentence of the row, in this document: on a wide screen the first of the line."""
        line, _, self._sentence, _ = self._rows[message.row][0]
        self._at = (self._at[0], line) if self._at else None
        self.read()


def _spots_of(store: Store, sentence: int, within: Within | None) -> list[_Spot]:
    """The places of a sentence in the order in which files came in, those within a part of the corpus first."""
    spots = [(spot, place) for _, spot, place in spotted_places(store, [sentence])]
    if within is None or len(spots) < 2:
        return spots
    inside = {spot for _, spot, _ in spotted_places(store, [sentence], part_of(store, *within))}
    return sorted(spots, key=lambda each: each[0] not in inside)


def _without_repeated(units: Sequence[_Unit], whole: int = 0) -> Iterator[_Unit]:
    """The units, without the first of a line where the line before begins with it, too: with other translations.

    The line that is to be ``whole`` keeps it.
    """
    before = None
    for line, of_line in groupby(units, key=itemgetter(0)):
        first, *others = of_line
        if first[2] != before or not others or line == whole:
            yield first
        yield from others
        before = first[2]


def _side_by_side(units: Sequence[_Unit]) -> list[list[_Unit]]:
    """The units of each line in one row; those that a language has besides its first, in rows below."""
    rows: list[list[_Unit]] = []
    for _, of_line in groupby(units, key=itemgetter(0)):
        by_language: dict[str, list[_Unit]] = {}
        for unit in of_line:
            by_language.setdefault(unit[1], []).append(unit)
        for place in range(max(map(len, by_language.values()))):
            rows.append([said[place] for said in by_language.values() if place < len(said)])
    return rows


class DocumentsScreen(PlaceScreen):
    """The documents of a collection; Enter opens one at its beginning."""

    PLACE = "corpus"
    REACHED = "7, and Enter on a collection"
    SIGNS = (("units", "Lines of the file, each a sentence with its translations"),)

    def __init__(self, collection: str) -> None:
        super().__init__()
        self._collection = collection
        self._documents: list[DocumentExtent] = []

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="documents-head")
        yield RowList(id="documents", empty="reading the documents ...")

    def on_mount(self) -> None:
        self.ask(lambda reader: documents_in(reader.store, self._collection), self._show)

    def _show(self, found: list[DocumentExtent]) -> None:
        self._documents = found
        files = len({each.at[0] for each in found})
        inside = f"{counted(len(found), 'documents')} in " if len(found) > files else ""
        told = f"{inside}{counted(files, 'files')}, {counted(sum(each.lines for each in found), 'units')}"
        self.query_one(HeadLine).show(cell_safe(self._collection), told)
        self.query_one(RowList).show_rows(len(found), self._text, empty="It has no documents.")

    def _text(self, row: int) -> Text:
        each = self._documents[row]
        return Text(f"{each.lines:>9,} units  {each.languages}  {cell_safe(each.name)}", no_wrap=True)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        each = self._documents[message.row]
        self.app.push_screen(DocumentScreen(each.sentence, self.PLACE, at=each.at))


def show_paraphrases(screen: PlaceScreen, texts: Sequence[str], language: str) -> None:
    """Look at the paraphrases of some sentences; the session is stored when something is decided there."""

    def named(name: str) -> None:
        screen.app.post_message(SessionWanted(UnstoredSession(name, language, distinct_seeds(texts).texts)))

    screen.ask(lambda reader: unused_name(reader.store, f"{language}-corpus"), named, opens=True)

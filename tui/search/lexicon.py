"""Words by their frequencies, beside others, and typical of a collection; each leads to its lines and translations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from corpusdb.base.cells import padded
from corpusdb.base.display import cell_safe, counted
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Limit
from corpusdb.corpus.queries.meant_language import usual_language
from corpusdb.corpus.queries.sentences import collection_names, languages_of, result_languages
from corpusdb.corpus.store import Store
from corpusdb.search.patterns import Mode
from corpusdb.search.queries.collocations import Association, Neighbourhood, absent_words, collocates
from corpusdb.search.queries.frequencies import Count, Keyness, KeywordComparison, frequency_list, keywords
from corpusdb.search.queries.token_index import is_in_characters
from corpusdb.search.queries.token_selection import TokenSelection
from tui.kit.dialogs import ChoiceDialog, one_line
from tui.kit.exports import ask_export
from tui.kit.place_screen import Hints, Legend, PlaceScreen, TypedLine
from tui.kit.shown import (
    CollocatesWanted,
    CorpusWanted,
    Opened,
    ParadigmWanted,
    PlaceWanted,
    RowList,
    Static,
    Text,
    WordAsked,
    bind,
)

_MOST_ROWS = 10_000
_FIGURE_CELLS = 10
_LEAST_WORD, _MOST_WORD = 12, 40
_BESIDE_ROW = 3
"""Cells for the mark of the cursor and the scroll bar."""
_MOST_NGRAM = 5
_SECONDS = 60.0
"""For the sequences of words of a large corpus, beside which one may go on."""
_ASSOCIATIONS: Mapping[Association, str] = {
    "loglikelihood": "how surely it is more than chance",
    "mi": "1 is twice as often as by chance, 2 four times; rare words first",
    "t": "how surely it is more than chance, the most frequent words first",
    "logdice": "14: neither without the other; 13: half as often together",
    "mi3": "as mi, but frequent words before rare ones",
    "z": "near it minus by chance, in standard deviations; rare words first",
    "logratio": "1 is twice as frequent near it as elsewhere, 2 four times",
    "sensitivity": "how much of the more frequent one is beside the other",
}
_KEYNESS: Mapping[Keyness, str] = {
    "loglikelihood": "how surely it is more frequent there than elsewhere",
    "logratio": "1 is twice as frequent there as elsewhere, 2 four times",
    "diff": "by how many per cent it is more frequent there",
    "simple": "times as frequent there, 1 per million added to both",
}
"""The measures by which lists are sorted, and what they tell."""


_MARKS = r'[word="\W+"]*'
"""Punctuation between two words, in CQP."""
Measure = TypeVar("Measure", bound=str)


@dataclass(frozen=True, slots=True)
class LexiconQuestion:
    language: str = ""
    text: str = ""
    """What was typed."""
    collection: str = ""
    """The collection, or the result that was kept, in which is counted; empty for all."""
    words_only: bool = True
    fold_case: bool = True
    occurrences: bool = False
    ngram: int = 1
    window: int = 5
    measure: int = 0
    """The place of the measure among those of the list."""
    unit: str = "word"
    """What its language is cut into: words or characters."""

    @property
    def tokens(self) -> TokenSelection:
        return TokenSelection(
            self.language,
            self.collection or None,
            fold_case=self.fold_case,
            words_only=self.words_only,
            occurrences=self.occurrences,
        )

    def measure_of(self, measures: Iterable[Measure]) -> Measure:
        listed = list(measures)
        return listed[self.measure % len(listed)]

    def changed(self, what: str) -> LexiconQuestion:
        """The question that a key makes of it."""
        match what:
            case "marks":
                return replace(self, words_only=not self.words_only)
            case "case":
                return replace(self, fold_case=not self.fold_case)
            case "repeats":
                return replace(self, occurrences=not self.occurrences)
        return replace(self, measure=self.measure + 1)

    def following(self, text: str) -> str:
        """The CQP query for tokens that follow each other, as a list writes them: with spaces between."""
        flag = "%c" if self.fold_case else ""
        words = (re.escape(each).replace('"', '""') for each in text.split())
        return " ".join(f'"{each}"{flag}' for each in words)

    def near(self, word: str) -> str:
        """The CQP query for what was typed and a word near it, on either side; marks between do not count where only
        words are."""
        node, beside = self.following(self.text), self.following(word)
        between = f"[]{{0,{self.window - 1}}}"
        if self.words_only:
            between = f"({_MARKS} []){{0,{self.window - 1}}} {_MARKS}"
        return f"({node} {between} {beside} | {beside} {between} {node})"

    def lines(self, text: str, mode: Mode) -> CorpusWanted:
        return CorpusWanted(text, self.language, mode, self.collection or None, self.occurrences)


class FigureLayout:
    """The columns of figures, each as wide as its name, and wide enough for a count."""

    def __init__(self, *names: str) -> None:
        self._cells = [max(len(name) + 2, _FIGURE_CELLS) for name in names]
        self.headings = self._joined(names)
        of = [f"{names[at - 1]} {name}" if names.count(name) > 1 else name for at, name in enumerate(names)]
        self.names = [each.replace(" ", "_") for each in of]
        """What they are called in a file, where no two are called the same."""

    def _joined(self, cells: Iterable[str]) -> str:
        return "".join(f"{cell:>{width}}" for cell, width in zip(cells, self._cells, strict=True))

    def row(self, values: Iterable[float | None]) -> str:
        """Figures; blank for one that there is not, as in the commands."""
        return self._joined(
            "" if value is None else f"{value:,}" if isinstance(value, int) else _decimal(value) for value in values
        )


def _decimal(value: float) -> str:
    """Of what is below 1 the digits that tell: of words that are rare so much is expected by chance."""
    return f"{value:,.1f}" if abs(value) >= 1 or not value else f"{value:.3f}"


@dataclass(frozen=True, slots=True)
class LexiconAnswer:
    told: str = ""
    kind: str = "word"
    """What the rows are."""
    columns: FigureLayout = field(default_factory=FigureLayout)
    rows: Sequence[tuple[str, Sequence[float | None]]] = field(default=())
    """A word, and its figures."""
    empty: str = "Nothing was found."
    unit: str = "word"

    def word_cells(self, width: int) -> int:
        """What the figures leave to the words on a screen of so many cells."""
        return min(max(width - _BESIDE_ROW - len(self.columns.headings), _LEAST_WORD), _MOST_WORD)


def _kind(asked: LexiconQuestion) -> str:
    return asked.unit if asked.ngram == 1 else f"{asked.ngram} {asked.unit}s"


def _sequences(asked: LexiconQuestion) -> str:
    return f"{asked.unit}s" if asked.ngram == 1 else f"sequences of {asked.ngram} {asked.unit}s"


def count_words(store: Store, asked: LexiconQuestion) -> LexiconAnswer:
    """The most frequent words or sequences, of which the typed pattern is found in each."""
    count = Count(asked.tokens, n=asked.ngram, pattern=asked.text or None)
    found = frequency_list(store, count, _MOST_ROWS, time_limit=Limit(_SECONDS))
    told = f"{counted(found.total, _sequences(asked))}, {found.distinct:,} different"
    told += f", {found.found:,} match" if asked.text else ""
    told += f"; the first {len(found.rows):,}, ! writes all" if len(found.rows) < found.found else ""
    columns = FigureLayout("count", "per million", "sentences")
    rows = [(row.text, (row.count, row.per_million, row.sentences)) for row in found.rows]
    return LexiconAnswer(told, _kind(asked), columns, rows)


def find_collocates(store: Store, asked: LexiconQuestion) -> LexiconAnswer:
    if not asked.text:
        return LexiconAnswer(empty="/ types a word, or several that follow each other.")
    near = Neighbourhood(asked.tokens, asked.text, left=asked.window, right=asked.window, least=2)
    measure = asked.measure_of(_ASSOCIATIONS)
    found = collocates(store, near, measure, _MOST_ROWS, time_limit=Limit(_SECONDS))
    absent = absent_words(store, near) if not found.nodes else []
    told = (
        f"{asked.text} occurs {counted(found.nodes, 'times')}; {counted(asked.window, f'{asked.unit}s')} on either side"
    )
    told += "; those near it twice or more"
    columns = FigureLayout("near it", "in all", "by chance", measure)
    rows = [(row.text, (row.count, row.frequency, row.expected, float(getattr(row, measure)))) for row in found.rows]
    alike = f"; {asked.language} has {', '.join(absent)}" if absent else ""
    empty = f"No {asked.unit} occurs near it twice." if found.nodes else f"{asked.text!r} does not occur{alike}."
    return LexiconAnswer(told, _kind(asked), columns, rows, empty)


def find_keywords(store: Store, asked: LexiconQuestion) -> LexiconAnswer:
    if not asked.text and len(_parts(store)) > 1:
        return LexiconAnswer(empty=_WHICH_COLLECTION)
    if not asked.text:
        return LexiconAnswer(empty=f"{_KEYWORDS}\n\nThere is one collection only. {_OTHERS}")
    measure = asked.measure_of(_KEYNESS)
    target = replace(asked.tokens, collection=asked.text)
    if collection_names(store) == [asked.text]:
        only = f"{asked.text} is the only collection: there is nothing to compare it with."
        return LexiconAnswer(empty=f"{only}\n{_OTHERS}")
    comparison = KeywordComparison(target, n=asked.ngram)
    found = keywords(store, comparison, measure, _MOST_ROWS)
    told = f"{counted(found.target_tokens, _sequences(asked))} of {asked.text}, {found.reference_tokens:,} elsewhere"
    told += f"; those there {found.least} times or more"
    columns = FigureLayout("there", "per million", "elsewhere", "per million", measure)
    figures = (
        (each.count, each.per_million, each.reference_count, each.reference_per_million, getattr(each, measure))
        for each in found.rows
    )
    rows = [(row.text, each) for row, each in zip(found.rows, figures, strict=True)]
    return LexiconAnswer(told, _kind(asked), columns, rows)


_ANNOTATE = {"jpn": "! annotate makes words"}
_ALL = "whole corpus"
_OTHERS = "A part of it can be compared: find it in\nSearch and save the result (w); o here then lists it."
_KEYWORDS = "Keywords are the words that set one collection apart from all other sentences."
_WHICH_COLLECTION = f"""{_KEYWORDS}

o chooses a collection, or a result that was kept of a search (w in Search)."""


class LexiconLine(TypedLine):
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("down,escape", "leave", "To the list", "lexicon.leave", "Go to the list"),
    ]


class FigureColumns(Static):
    """The headings above the words and their figures."""

    _answer = LexiconAnswer()

    def show(self, answer: LexiconAnswer) -> None:
        self._answer = answer
        word = padded(answer.kind, answer.word_cells(self.screen.size.width))
        self.update(f"  {word}{answer.columns.headings}" if answer.rows else "")

    def on_resize(self) -> None:
        self.show(self._answer)
        self.screen.query_one(RowList).refresh()


def _chosen_for(screen: LexiconScreen, form: str) -> Mapping[str, str]:
    """A list of the command counts as the one here does; of a list of another kind, the word is that of the row."""
    if form not in screen.BEGINS or not screen.asked.language:
        return {}
    asked, flags = screen.asked, {False: "no", True: "yes"}
    row = screen.answer.rows[screen.query_one(RowList).cursor][0] if screen.answer.rows else asked.text
    said = {
        "lang": asked.language,
        "ignore_case": flags[asked.fold_case],
        "words_only": flags[asked.words_only],
        "collection": asked.collection,
        "occurrences": flags[asked.occurrences],
    }
    own = {
        "frequencies": {"pattern": asked.text, "ngram": str(asked.ngram)},
        "collocates": {"word": asked.text, "window": str(asked.window)},
        "keywords": {"collection": asked.text, "ngram": str(asked.ngram)},
    }
    of_word = {"word": row} if form == "collocates" else {}
    measure = {"measure": asked.measure_of(screen.MEASURES)} if screen.MEASURES and form == screen.PLACE else {}
    return {**said, **(own.get(form, {}) if form == screen.PLACE else of_word), **measure}


def _measure_told(screen: LexiconScreen) -> str:
    measure = screen.asked.measure_of(screen.MEASURES)
    return f"{measure}: {screen.MEASURES[measure]}; m: others"


def _parts(store: Store) -> dict[str, str]:
    """What words may be counted in: all, each of several collections, and each kept result, with its language."""
    collections = collection_names(store)
    return {"": "", **{name: "" for name in collections if len(collections) > 1}, **result_languages(store)}


def _choose_part(screen: LexiconScreen) -> None:
    """Choose in what words are counted; of keywords, what is compared with all else."""

    def listed(languages: dict[str, str]) -> None:
        names = [name for name in languages if name or not screen.IS_COMPARED]

        def chosen(place: int) -> None:
            name, language = names[place], languages[names[place]] or screen.asked.language
            if screen.IS_COMPARED:
                screen.asked = replace(screen.asked, language=language)
                screen.type_in(name)
            else:
                screen.look(replace(screen.asked, language=language, collection=name))

        if len(languages) > 1:
            dialog = ChoiceDialog(screen.WHICH, [cell_safe(name or _ALL) for name in names])
            dialog.ask(screen, chosen)
        else:
            screen.say(f"there is one collection only. {_OTHERS}".replace("\n", " "))

    screen.ask(lambda reader: _parts(reader.store), listed, opens=True)


class LexiconScreen(PlaceScreen):
    question: Callable[[Store, LexiconQuestion], LexiconAnswer]
    PLACEHOLDER: ClassVar[str] = ""
    MEASURES: ClassVar[Mapping[Any, str]] = {}
    IS_COMPARED: ClassVar[bool] = False
    """Whether what is typed is a collection, which is compared with all else."""
    WHICH: ClassVar[str] = "Words of which collection?"
    CHOSEN_FOR = _chosen_for
    BEGINS = ("frequencies", "collocates", "keywords", "annotate")
    NEEDS_ROWS = ("go_on", "export")
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("slash", "type", "Type", "lexicon.type", "Type what to look for"),
        bind("c", "go_on('collocates')", "Collocates", "lexicon.collocates", "What occurs near the word"),
        bind("t", "go_on('equivalents')", "Translations", "lexicon.equivalents", "How the word is translated"),
        bind("e", "export", "Export", "lexicon.export", "Write the table to a file"),
        bind("p", "go_on('paradigms')", "Paradigm", "lexicon.paradigm", "What stands in the place of the word"),
        bind("o", "change('part')", "Collection", "lexicon.collection", "Choose a collection, or a kept result"),
        bind("l", "next_language", "Language", "lexicon.language", "The next language"),
        bind(
            "full_stop",
            "change('marks')",
            "Punctuation",
            "lexicon.marks",
            "Count punctuation too, or words alone",
        ),
        bind("i", "change('case')", "Case", "lexicon.case", "Ignore case, or not"),
        bind("r", "change('repeats')", "Repeats", "lexicon.repeats", "Count a repeated sentence each time, or once"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.asked = LexiconQuestion()
        self.answer = LexiconAnswer()
        self._languages: list[str] = []

    def compose_body(self) -> ComposeResult:
        yield LexiconLine(id="lexicon-line", placeholder=self.PLACEHOLDER, compact=True)
        yield Static("", id="lexicon-told")
        yield FigureColumns("", id="lexicon-columns")
        yield RowList(id="lexicon", empty="counting ...")

    def on_screen_resume(self) -> None:
        """Where nothing is shown, look what there is now: sentences may have come, and results may have been kept."""
        is_asked = bool(self.answer.rows or self.asked.text) or self.answer.empty.endswith("...")
        if is_asked and self._languages:
            return

        def question(store: Store) -> tuple[list[str], str]:
            usual = usual_language(store)
            return languages_of(store), usual.language if usual else ""

        self.ask(lambda reader: question(reader.store), lambda known: self._begin(*known))

    def _begin(self, languages: list[str], usual: str) -> None:
        self._languages = languages
        if not languages:
            self.query_one(RowList).show_rows(0, self._row, empty="The corpus is empty: ! begins an import.")
            return
        language = self.shell.language if self.shell.language in languages else usual
        self.look(replace(self.asked, language=self.asked.language or language))

    def on_unmount(self) -> None:
        self.shell.runner.stop_beside()

    def look(self, asked: LexiconQuestion) -> None:
        """Count for another question; what was found for the one before can no more be seen or opened."""
        self.asked = asked
        if not asked.language:
            return  # the languages are being read
        self.query_one("#lexicon-told", Static).update(asked.language)
        self.answer = LexiconAnswer(empty="counting ...", unit=self.answer.unit)
        self.query_one(FigureColumns).show(self.answer)
        self.refresh_bindings()  # what + and - lead to is another
        self.query_one(RowList).show_rows(0, self._row, empty=self.answer.empty)
        self.wait_for(lambda: self.shell.runner.ask_beside(lambda store: self._answer(store, asked)), self._show)

    def _answer(self, store: Store, asked: LexiconQuestion) -> LexiconAnswer:
        """What was counted, or why it cannot be; in a thread of its own."""
        asked = replace(asked, unit="character" if is_in_characters(store, asked.language) else "word")
        try:
            return replace(self.question(store, asked), unit=asked.unit)
        except (InputError, UsageError) as error:
            return LexiconAnswer(empty=f"! {one_line(error)}")

    def _show(self, answer: LexiconAnswer) -> None:
        self.answer = answer
        where = "" if self.IS_COMPARED else f"{cell_safe(self.asked.collection) or _ALL} (o), "
        how = f"{self.asked.language} (l), {where}{'any case' if self.asked.fold_case else 'case-sensitive'}"
        how += f" (i), {'each occurrence' if self.asked.occurrences else 'sentences once'} (r), "
        how += f"{'no punctuation' if self.asked.words_only else 'punctuation, too'} (.)"
        counted = cell_safe(answer.told)
        if counted and answer.unit == "character":
            counted += f"; {_ANNOTATE.get(self.asked.language, 'no spaces, no annotation')}"
        parts = [*filter(None, [counted, how])]
        told = (" | " if cell_len(" | ".join(parts)) <= self.size.width else "\n").join(parts)
        self.query_one("#lexicon-told", Static).update(told)
        self.query_one(FigureColumns).show(answer)
        self.query_one(RowList).show_rows(len(answer.rows), self._row, empty=answer.empty)
        if answer.rows and self.MEASURES:
            self.say(_measure_told(self), stays=True)

    def _row(self, row: int) -> Text:
        word, figures = self.answer.rows[row]
        cells = self.answer.word_cells(self.size.width)
        return Text(f"{padded(cell_safe(word), cells)}{self.answer.columns.row(figures)}", no_wrap=True)

    def lines(self) -> list[str]:
        columns = self.answer.columns.headings.strip()
        head = [self.answer.told, f"{self.answer.kind}  {columns}" if columns else ""]
        return [*filter(None, head), *(super().lines() or [self.answer.empty]), self.query_one(Legend).line()]

    @on(Input.Submitted, "#lexicon-line")
    def _typed(self, event: Input.Submitted) -> None:
        self.query_one(RowList).focus()
        self.look(replace(self.asked, text=event.value.strip()))

    def type_in(self, text: str) -> None:
        self.query_one(Input).value = text
        self.look(replace(self.asked, text=text))

    @property
    def word(self) -> str:
        """The word of the row. Raises UsageError where there is none."""
        if not self.answer.rows:
            raise UsageError("there is no word here")
        return self.answer.rows[self.query_one(RowList).cursor][0]

    @on(Opened)
    def _opened(self) -> None:
        """The lines in which the word stands."""
        with self.errors_shown():
            self.app.post_message(self.lines_of(self.word))

    def lines_of(self, word: str) -> CorpusWanted:
        """What finds the lines of a word, or of several, between which a sentence need not have a space: don't."""
        if " " in word:
            return self.asked.lines(self.asked.following(word), "cqp")
        return self.asked.lines(word, "word")

    def action_type(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: what is typed next is for it

    def action_go_on(self, place: str) -> None:
        wanted = {"collocates": CollocatesWanted, "equivalents": WordAsked, "paradigms": ParadigmWanted}[place]
        with self.errors_shown():
            self.app.post_message(wanted(self.word, self.asked.language))

    def action_export(self) -> None:
        rows = [(word, *figures) for word, figures in self.answer.rows]
        ask_export(self, self.PLACE, ((self.answer.kind.replace(" ", "_"), *self.answer.columns.names), rows))

    def action_next_language(self) -> None:
        if self._languages:
            at = self._languages.index(self.asked.language) if self.asked.language in self._languages else -1
            self.look(replace(self.asked, language=self._languages[(at + 1) % len(self._languages)]))

    def action_change(self, what: str) -> None:
        if what == "part":
            _choose_part(self)
            return
        self.look(self.asked.changed(what))
        if what == "measure":
            self.say(_measure_told(self), stays=True)  # at once: there may be no words to count yet


_SIGNS = (
    ("(l)", "This key goes to the next language; (i) and (r) change what is before them"),
    ("any case", "A and a are the same word; i changes it"),
    ("once", "Each sentence, however often the corpus has it; r counts each occurrence"),
    ("characters", "Of a language without spaces; ! annotate makes words of Japanese"),
)


class SequencesScreen(LexiconScreen):
    """Also of several words that follow each other."""

    def _name_of(self, binding: Binding) -> str:
        """What the line of hints calls a binding: of how many words the rows would be."""
        step = {"more": 1, "less": -1}.get((binding.id or "").partition(".")[2])
        if step is None:
            return super()._name_of(binding)
        ngram = min(max(self.asked.ngram + step, 1), _MOST_NGRAM)
        return f"{ngram}-grams" if ngram > 1 else f"{self.answer.unit}s"

    def action_ngram(self, by: int) -> None:
        ngram = min(max(self.asked.ngram + by, 1), _MOST_NGRAM)
        asked = replace(self.asked, ngram=ngram, unit=self.answer.unit)
        self.look(asked)
        self.say(_sequences(asked))


def _hints(first: Sequence[str], last: Sequence[str]) -> Hints:
    """What the line of hints names first and last; between them stands what all lists of words have."""
    names = ("export", "collection", "equivalents", "language", "marks", "case", "repeats", "type")
    return Hints((*dict.fromkeys([*first, *(f"lexicon.{name}" for name in names), *last]),), needed=5)


class FrequenciesScreen(SequencesScreen):
    PLACE = "frequencies"
    question = staticmethod(count_words)
    PLACEHOLDER = "all words; / types a part of them: ^un for the beginning, ing$ for the end"
    SIGNS = (*_SIGNS, ("per million", "Of all words that were counted"), ("sentences", "In how many it occurs"))
    HINTS = _hints(
        ("lexicon.type", "list.open", "frequencies.more", "lexicon.collocates"),
        ("lexicon.paradigm", "frequencies.less"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("plus,equals_sign", "ngram(1)", "Longer", "frequencies.more", "Sequences that are one longer"),
        bind("minus", "ngram(-1)", "Shorter", "frequencies.less", "Sequences that are one shorter"),
    ]


class CollocatesScreen(LexiconScreen):
    """The words near another one, by how much they are bound to it."""

    PLACE = "collocates"
    MEASURES = _ASSOCIATIONS
    question = staticmethod(find_collocates)
    PLACEHOLDER = "a word; Enter finds what occurs near it"
    SIGNS = (
        *_SIGNS,
        ("near it", "How often it occurs near the word; by chance, how often it would"),
        ("loglikelihood", "The measure by which they are sorted; m goes to the next"),
    )
    HINTS = _hints(
        ("lexicon.type", "list.open", "collocates.measure", "collocates.wider", "lexicon.collocates"),
        ("collocates.narrower",),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("m", "change('measure')", "Measure", "collocates.measure", "Sort by the next measure"),
        bind("plus,equals_sign", "window(1)", "Wider", "collocates.wider", "One word more on each side"),
        bind("minus", "window(-1)", "Narrower", "collocates.narrower", "One word less on each side"),
    ]

    def take(self, wanted: PlaceWanted) -> None:
        if isinstance(wanted, CollocatesWanted):
            self.asked = replace(self.asked, language=wanted.language)
            self.type_in(wanted.word)

    def lines_of(self, word: str) -> CorpusWanted:
        return self.asked.lines(self.asked.near(word), "cqp")

    def action_window(self, by: int) -> None:
        self.look(replace(self.asked, window=max(self.asked.window + by, 1)))


class KeywordsScreen(SequencesScreen):
    PLACE = "keywords"
    IS_COMPARED = True
    WHICH = "Keywords of what?"
    MEASURES = _KEYNESS
    question = staticmethod(find_keywords)
    PLACEHOLDER = "a collection or a kept result; Enter finds the words that set it apart"
    SIGNS = (
        *_SIGNS,
        ("there", "How often in the collection; elsewhere, in all other sentences"),
        ("per million", "The same of a million words there, and of a million elsewhere"),
    )
    HINTS = _hints(
        ("lexicon.collection", "list.open", "keywords.measure", "lexicon.collocates"),
        ("keywords.more", "keywords.less"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("m", "change('measure')", "Measure", "keywords.measure", "Sort by the next measure"),
        bind("plus,equals_sign", "ngram(1)", "Longer", "keywords.more", "Sequences that are one longer"),
        bind("minus", "ngram(-1)", "Shorter", "keywords.less", "Sequences that are one shorter"),
    ]

    def lines_of(self, word: str) -> CorpusWanted:
        """Those of the collection, as many as are counted there."""
        return replace(super().lines_of(word), collection=self.asked.text)

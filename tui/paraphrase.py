"""Paradigms: what stands in the place of a phrase, where it stands, and a way through them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from corpusdb.base.cells import cell_width, cut_middle, padded
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import UsageError
from corpusdb.base.text import has_undelimited_script
from corpusdb.corpus.queries.fillers import prepared_languages
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.paradigms import (
    contexts_of_filler,
    fillers_commuting_with,
    fillers_of_context,
    gap_of,
    shared_contexts,
)
from tui.kit.place_screen import Hints, StepsScreen, TypedLine
from tui.kit.reader import DatabaseReader
from tui.kit.shown import (
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

Kind: TypeAlias = Literal["fillers", "contexts", "shared", "gap"]
"""What commutes with a phrase; where it stands; where two phrases stand; what fills a gap."""

_FIRST = 2_000
"""Rows that are shown at first: more of them take time in contexts that tens of thousands of sentences have."""
_EMPTY = "(nothing)"


@dataclass(frozen=True, slots=True)
class ParadigmRow:
    count: int
    """Contexts of a filler, or sentences of a context."""
    text: str
    beside: str
    """What shows it in use."""
    phrase: str | None = None
    """The phrase that it is, or None."""
    context: str | None = None
    sentence: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    total: int
    rows: tuple[ParadigmRow, ...]


NOTHING = Answer(0, ())


@dataclass(frozen=True, slots=True)
class ParadigmStep:
    """One question, and where the cursor was in its answer."""

    kind: Kind
    text: str
    """A phrase, or for a gap the sentence with it."""
    other: str = ""
    """The second phrase of ``shared``."""
    limit: int = _FIRST
    """How many rows are wanted; 0 is all."""
    cursor: int = 0

    @property
    def name(self) -> str:
        match self.kind:
            case "contexts":
                return f"where {_shown(self.text)} occurs"
            case "shared":
                return f"{_shown(self.text)} / {_shown(self.other)}"
        return _shown(self.text)

    @property
    def found(self) -> str:
        """What the rows are."""
        match self.kind:
            case "fillers":
                return "phrases stand in its place; contexts: in so many sentences with a gap"
            case "contexts":
                return "sentences with a gap for it; phrases: how many stand in the gap"
            case "shared":
                return "sentences with a gap have both; phrases: how many stand in the gap"
        return "phrases stand in the gap; contexts: in so many sentences with a gap"

    def ask(self, store: Store, language: str) -> Answer:
        """Look it up. Raises InputError where the language has no index, and UsageError for a gap that is none."""
        total, rows = _found(self, store, language)
        return Answer(total, tuple(rows))

    def whole(self) -> ParadigmStep:
        """The same without a limit."""
        return replace(self, limit=0)

    def into(self, row: ParadigmRow) -> ParadigmStep | None:
        """Where Enter on a row leads; None where it leads to the sentence."""
        if self.kind == "fillers" and row.phrase is not None:
            return ParadigmStep("shared", self.text, row.phrase)
        if self.kind != "gap" and row.context is not None:
            return ParadigmStep("gap", row.context)
        return None


def step_for(text: str) -> ParadigmStep:
    """The step that begins with what somebody typed. Raises UsageError for two gaps and for nothing but a gap."""
    return ParadigmStep("fillers" if gap_of(text) is None else "gap", text)


def _shown(phrase: str) -> str:
    """As it would be typed: with _ for the gap, which has the space before it inside."""
    before, gap, after = phrase.partition("␣")
    space = " " if gap and before[-1:].isalnum() and not has_undelimited_script(before[-1]) else ""
    return f"{before}{space}{'_' if gap else ''}{after}" or _EMPTY


def _found(step: ParadigmStep, store: Store, language: str) -> tuple[int, Iterator[ParadigmRow]]:
    """How many there are, and the rows of those that are wanted."""
    asked = store, language, step.text
    match step.kind:
        case "fillers":
            fillers = fillers_commuting_with(*asked, step.limit)
            return fillers.total, (
                ParadigmRow(each.contexts, _shown(each.text), each.example, phrase=each.text, context=each.example)
                for each in fillers.members
            )
        case "contexts":
            contexts = contexts_of_filler(*asked, step.limit)
            return contexts.total, (
                ParadigmRow(each.fillers, each.text, each.sentence, context=each.text, sentence=each.sentence)
                for each in contexts.members
            )
        case "shared":
            shared = shared_contexts(*asked, step.other, step.limit)
            return shared.total, (
                ParadigmRow(each.fillers, each.text, each.sentence, context=each.text, sentence=each.sentence)
                for each in shared.members
            )
    gap = fillers_of_context(*asked, step.limit)
    return gap.total, (
        ParadigmRow(each.contexts, _shown(each.text), each.sentence, phrase=each.text, sentence=each.sentence)
        for each in gap.members
    )


NO_INDEX = "no language has an index; b in the jobs (6) builds one"
_FIRST_LANGUAGE = "eng"


@dataclass(frozen=True, slots=True)
class ParadigmHistory:
    """Steps, and the answer to the last one."""

    steps: tuple[ParadigmStep, ...] = ()
    answer: Answer = NOTHING

    @property
    def name(self) -> str:
        return " > ".join(step.name for step in self.steps)

    @property
    def count(self) -> int:
        """The rows that are shown, with the one that leads to more."""
        return len(self.answer.rows) + (self.answer.total > len(self.answer.rows))

    def row(self, place: int) -> ParadigmRow | None:
        """What was found in a row; None for the row that leads to more."""
        return self.answer.rows[place] if place < len(self.answer.rows) else None

    def left_at(self, cursor: int) -> tuple[ParadigmStep, ...]:
        """The steps, with where the cursor is in the last one, so that one comes back to it."""
        return (*self.steps[:-1], replace(self.steps[-1], cursor=cursor))

    def opened(self, cursor: int) -> tuple[ParadigmStep, ...] | None:
        """The steps to where Enter on a row leads; None where it leads to the sentence."""
        here, row = self.left_at(cursor), self.row(cursor)
        if row is None:
            return (*here[:-1], here[-1].whole())
        step = here[-1].into(row)
        return None if step is None else (*here, step)

    def looked_at(self, kind: Kind, cursor: int) -> tuple[ParadigmStep, ...]:
        """The steps to the fillers or contexts of the phrase in a row, else of the one that the last step is about.

        Raises UsageError where there is no phrase.
        """
        if not self.steps:
            raise UsageError("type a phrase first")
        row, last = self.row(cursor), self.steps[-1]
        if row is not None and row.phrase is not None and row.phrase != last.text:
            return (*self.left_at(cursor), ParadigmStep(kind, row.phrase))
        if last.kind == "gap":
            raise UsageError("this row is not a phrase")
        return (*self.left_at(cursor), ParadigmStep(kind, last.text))


class IndexedLanguages:
    def __init__(self) -> None:
        self.current = ""
        self._all: Sequence[str] = ()

    def were_read(self, found: Sequence[str], wanted: str) -> None:
        """Begin with one of those that were found, the one that is ``wanted`` first, where none was chosen yet."""
        self._all = found
        if not self.current and wanted in found:
            self.current = wanted
        if not self.current:
            self.current = _FIRST_LANGUAGE if _FIRST_LANGUAGE in found else next(iter(found), "")

    def next(self) -> None:
        """Go to the language after this one. Raises UsageError where there is no other."""
        if len(self._all) < 2:
            raise UsageError(f"only {self.current} has an index" if self.current else NO_INDEX)
        place = self._all.index(self.current) + 1 if self.current in self._all else 0
        self.current = self._all[place % len(self._all)]


_COLUMNS: Mapping[Kind, tuple[str, str, str]] = {
    "fillers": (" contexts", "phrase that occurs there", "an example"),
    "contexts": ("  phrases", "sentence with the gap", "with the phrase"),
    "shared": ("  phrases", "sentence with the gap", "with the first"),
    "gap": (" contexts", "phrase in the gap", "the sentence"),
}
_NONE = (
    "Nothing was found.",
    "Nothing was found: whole sentences are looked for, with their marks, such as  I like _.",
)
_LEAST_CELLS, _TEXT_CELLS = 22, 30
"""The least width of the first column of texts, and what it may have in any case before longer ones are cut: they stand
whole behind it."""
_BESIDE = 13
"""Cells beside both columns of texts."""


class PhraseLine(TypedLine):
    """Where one types what to look for; Enter looks."""

    BINDINGS: ClassVar[list[BindingType]] = [
        bind("down,escape", "leave", "To the list", "phrase.leave", "Go to the list"),
    ]


class ParadigmsScreen(StepsScreen[ParadigmStep]):
    """A line for a phrase or a sentence with a gap, the way that one came, and what was found at its end."""

    PLACE = "paradigms"
    BEGINS = ("annotate", "align", "frequencies", "collocates", "keywords")
    SIGNS = (
        ("contexts", "Sentences with a gap in which the phrase stands"),
        ("phrases", "So many are seen in the gap of the sentence"),
        ("_", "A gap"),
        ("(nothing)", "The sentence without anything in the gap"),
    )
    HINTS = Hints(
        (
            "paradigms.type",
            "list.open",
            "paradigms.fillers",
            "paradigms.contexts",
            "paradigms.sentences",
            "paradigms.equivalents",
            "paradigms.language",
            "paradigms.back",
        ),
        needed=5,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("slash", "type", "Phrase", "paradigms.type", "Type a phrase, or a sentence with _ for a gap"),
        bind("f", "look('fillers')", "In its place", "paradigms.fillers", "What stands in the place of this phrase"),
        bind("c", "look('contexts')", "Contexts", "paradigms.contexts", "Where this phrase occurs"),
        bind("v", "sentences", "Sentences", "paradigms.sentences", "Show it in Search"),
        bind("t", "look('equivalents')", "Translations", "paradigms.equivalents", "How it is translated"),
        bind("l", "language", "Language", "paradigms.language", "The next language with an index"),
        bind("backspace", "step_back", "Back", "paradigms.back", "Go one step back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.languages = IndexedLanguages()
        self.trail = ParadigmHistory()
        self._needed = 0
        """The cells of the longest text in the first column."""

    def compose_body(self) -> ComposeResult:
        yield PhraseLine(id="phrase", placeholder="a phrase, or a sentence with _ for a gap; Enter", compact=True)
        yield Static(id="way")
        yield Static("", id="paradigm-columns", classes="aligned-columns")
        empty = "/ types a phrase such as  coffee,  or a whole sentence with a gap:  I like _."
        yield RowList(id="paradigm", empty=empty)

    def on_mount(self) -> None:
        self.ask(lambda reader: prepared_languages(reader.store), self._languages_read)

    def _languages_read(self, found: list[str]) -> None:
        self.languages.were_read(found, self.shell.language)
        if not found:
            self.say(NO_INDEX, is_error=True)
        self._show_head()

    @property
    def steps(self) -> tuple[ParadigmStep, ...]:
        return self.trail.steps

    def lines(self) -> list[str]:
        return [self._way_in_words(), *super().lines()]

    def take(self, wanted: PlaceWanted) -> None:
        if isinstance(wanted, ParadigmWanted):
            self.languages.current = wanted.language
            self.query_one(Input).value = wanted.text
            self._begin(wanted.text)

    @on(Input.Submitted, "#phrase")
    def _typed(self, event: Input.Submitted) -> None:
        self._begin(event.value)

    def _begin(self, text: str) -> None:
        with self.errors_shown():
            if not text.strip():
                raise UsageError("type a phrase, or a sentence with _ for a gap")
            self.set_focus(self.query_one(RowList))  # at once: keys that come before the answer are not typed
            self.go([step_for(text)])

    def go(self, steps: Sequence[ParadigmStep]) -> None:
        language = self.languages.current
        self.say(f"looking up {cell_safe(steps[-1].text)} ...")

        def question(reader: DatabaseReader) -> Answer:
            if not language:
                raise UsageError(NO_INDEX)
            return steps[-1].ask(reader.store, language)

        self.ask(question, lambda answer: self._arrived(ParadigmHistory(tuple(steps), answer)), kind="paradigm")

    def _arrived(self, trail: ParadigmHistory) -> None:
        self.trail = trail
        self._needed = max((cell_width(cell_safe(_shown(row.text))) for row in trail.answer.rows), default=0)
        self._show_head()
        rows = self.query_one(RowList)
        kind = trail.steps[-1].kind
        rows.show_rows(trail.count, self._line, cursor=trail.steps[-1].cursor, empty=_NONE[kind == "gap"])
        if trail.count:
            rows.focus()
        told = trail.steps[-1].found
        told = told if trail.answer.total else told.partition(";")[0]
        self.say(f"{trail.answer.total:,} {told}", stays=True)

    @property
    def _text_cells(self) -> int:
        """The width of the first column of texts: what they need, at most half of what there is."""
        most = max((self.size.width - _BESIDE) // 2, _TEXT_CELLS)
        return min(max(self._needed, _LEAST_CELLS), most)

    def on_resize(self) -> None:
        self._show_head()
        self.query_one(RowList).refresh()

    def _show_head(self) -> None:
        """Show the way, and what stands above the rows."""
        self.query_one("#way", Static).update(self._way_in_words())
        told = ""
        if self.trail.count:
            number, text, beside = _COLUMNS[self.trail.steps[-1].kind]
            told = f"  {number}  {padded(text, self._text_cells)}  {beside}"
        self.query_one("#paradigm-columns", Static).update(told)

    def _way_in_words(self) -> str:
        language = self.languages.current or "no language"
        return f"{language}: {self.trail.name}" if self.trail.name else language

    def _line(self, place: int) -> Text:
        row = self.trail.row(place)
        if row is None:
            return Text(f"{self.trail.answer.total - place:,} more: Enter shows them", "bold")
        cells = self._text_cells
        text = padded(cut_middle(cell_safe(_shown(row.text)), cells), cells)
        return Text(f"{row.count:>9,}  {text}  {cell_safe(_shown(row.beside))}")

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        steps, row = self.trail.opened(message.row), self.trail.row(message.row)
        if steps is not None:
            self.go(steps)
        elif row is not None and row.sentence is not None:
            self.app.post_message(CorpusWanted(row.sentence, self.languages.current))

    def action_look(self, kind: str) -> None:
        """Look at the fillers, contexts or equivalents of the phrase in the row, else of the one of the step."""
        with self.errors_shown():
            cursor = self.query_one(RowList).cursor
            if kind == "equivalents":
                phrase = self.trail.looked_at("fillers", cursor)[-1].text
                self.app.post_message(WordAsked(phrase, self.languages.current))
            else:
                self.go(self.trail.looked_at(cast("Kind", kind), cursor))

    def action_sentences(self) -> None:
        row = self.trail.row(self.query_one(RowList).cursor)
        text = None if row is None else row.sentence or row.phrase
        if text:
            self.app.post_message(CorpusWanted(text, self.languages.current))
        else:
            self.say("nothing to show in Search here", is_error=True)

    def action_language(self) -> None:
        with self.errors_shown():
            self.languages.next()
            self._show_head()
            if self.trail.steps:
                self.go([replace(self.trail.steps[0], cursor=0)])

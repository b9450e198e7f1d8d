"""A way through the paradigms: its steps, what is found at each, and the way one has come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from corpusdb.base.errors import UsageError
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.paradigms import (
    contexts_of_filler,
    fillers_commuting_with,
    fillers_of_context,
    gap_of,
    shared_contexts,
)

__all__ = ["NOTHING", "NO_INDEX", "Answer", "Kind", "Languages", "Row", "Step", "Trail", "step_for"]


# A way through the paradigms: at each step a phrase or a context, and what is found there, as rows to be shown.


Kind: TypeAlias = Literal["fillers", "contexts", "shared", "gap"]
"""What commutes with a phrase; where it stands; where two phrases stand; what fills a gap."""

_FIRST = 2_000
"""Rows that are shown at first: more of them take time in contexts that tens of thousands of sentences have."""
_EMPTY = "(nothing)"


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was found."""

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
    """What was found at a step."""

    total: int
    rows: tuple[Row, ...]


NOTHING = Answer(0, ())


@dataclass(frozen=True, slots=True)
class Step:
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
        """What the step is called on the way that one came."""
        match self.kind:
            case "contexts":
                return f"where {_shown(self.text)} stands"
            case "shared":
                return f"{_shown(self.text)} / {_shown(self.other)}"
        return _shown(self.text)

    @property
    def found(self) -> str:
        """What the rows are."""
        match self.kind:
            case "fillers":
                return "fillers commute with it, each in so many contexts"
            case "contexts":
                return "contexts, each of so many sentences"
            case "shared":
                return "contexts have both, each of so many sentences"
        return "fillers, each in so many contexts"

    def ask(self, store: Store, language: str) -> Answer:
        """Look it up. Raises InputError where the language has no index, and UsageError for a gap that is none."""
        total, rows = _ROWS[self.kind](self, store, language)
        return Answer(total, tuple(rows))

    def whole(self) -> Step:
        """The same without a limit."""
        return replace(self, limit=0)

    def into(self, row: Row) -> Step | None:
        """Where Enter on a row leads; None where it leads to the sentence."""
        if self.kind == "fillers" and row.phrase is not None:
            return Step("shared", self.text, row.phrase)
        if self.kind != "gap" and row.context is not None:
            return Step("gap", row.context)
        return None


def step_for(text: str) -> Step:
    """The step that begins with what somebody typed. Raises UsageError for two gaps and for nothing but a gap."""
    return Step("fillers" if gap_of(text) is None else "gap", text)


def _shown(phrase: str) -> str:
    return phrase or _EMPTY


_Found: TypeAlias = tuple[int, Iterator[Row]]


def _fillers(step: Step, store: Store, language: str) -> _Found:
    found = fillers_commuting_with(store, language, step.text, step.limit)
    return found.total, (
        Row(each.contexts, _shown(each.text), each.example, phrase=each.text, context=each.example)
        for each in found.members
    )


def _contexts(step: Step, store: Store, language: str) -> _Found:
    found = contexts_of_filler(store, language, step.text, step.limit)
    return found.total, (
        Row(each.fillers, each.text, each.sentence, context=each.text, sentence=each.sentence) for each in found.members
    )


def _shared(step: Step, store: Store, language: str) -> _Found:
    found = shared_contexts(store, language, step.text, step.other, step.limit)
    return found.total, (
        Row(
            each.fillers,
            each.text,
            f"{each.sentence} / {each.other_sentence}",
            context=each.text,
            sentence=each.sentence,
        )
        for each in found.members
    )


def _gap(step: Step, store: Store, language: str) -> _Found:
    found = fillers_of_context(store, language, step.text, step.limit)
    return found.total, (
        Row(each.contexts, _shown(each.text), each.sentence, phrase=each.text, sentence=each.sentence)
        for each in found.members
    )


_ROWS = {"fillers": _fillers, "contexts": _contexts, "shared": _shared, "gap": _gap}


# The way through the paradigms that somebody has come: its steps, and what was found at its end.


NO_INDEX = "no language has an index; x in the jobs (6) makes one"
_FIRST_LANGUAGE = "eng"


@dataclass(frozen=True, slots=True)
class Trail:
    """Steps, and the answer to the last one."""

    steps: tuple[Step, ...] = ()
    answer: Answer = NOTHING

    @property
    def name(self) -> str:
        """The names of the steps."""
        return " > ".join(step.name for step in self.steps)

    @property
    def count(self) -> int:
        """The rows that are shown, with the one that leads to more."""
        return len(self.answer.rows) + (self.answer.total > len(self.answer.rows))

    def row(self, place: int) -> Row | None:
        """What was found in a row; None for the row that leads to more."""
        return self.answer.rows[place] if place < len(self.answer.rows) else None

    def left_at(self, cursor: int) -> tuple[Step, ...]:
        """The steps, with where the cursor is in the last one, so that one comes back to it."""
        return (*self.steps[:-1], replace(self.steps[-1], cursor=cursor))

    def opened(self, cursor: int) -> tuple[Step, ...] | None:
        """The steps to where Enter on a row leads; None where it leads to the sentence."""
        here, row = self.left_at(cursor), self.row(cursor)
        if row is None:
            return (*here[:-1], here[-1].whole())
        step = here[-1].into(row)
        return None if step is None else (*here, step)

    def looked_at(self, kind: Kind, cursor: int) -> tuple[Step, ...]:
        """The steps to the fillers or contexts of the phrase in a row, else of the one that the last step is about.

        Raises UsageError where there is no phrase.
        """
        if not self.steps:
            raise UsageError("type a phrase first")
        row, last = self.row(cursor), self.steps[-1]
        if row is not None and row.phrase is not None and row.phrase != last.text:
            return (*self.left_at(cursor), Step(kind, row.phrase))
        if last.kind == "gap":
            raise UsageError("this row is no phrase")
        return (*self.left_at(cursor), Step(kind, last.text))


class Languages:
    """The languages with an index, and the one that is looked at."""

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

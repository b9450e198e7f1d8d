"""A way through the paradigms: at each step a phrase or a context, and what is found there, as rows to be shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from corpusdb.queries.analogy.paradigms import (
    contexts_of_filler,
    fillers_commuting_with,
    fillers_of_context,
    gap_of,
    shared_contexts,
)
from corpusdb.store import Store

__all__ = ["NOTHING", "Answer", "Kind", "Row", "Step", "step_for"]

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

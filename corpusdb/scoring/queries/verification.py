"""Verification: stored scores computed again, and what has come to differ.

Three things can: the references that the corpus now gives for the same sources, the files that the texts came from, and
the number that this version of the program computes from the texts as they were. Files may also be given, to be held
against what was kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, usable_cores
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.formats.reading import digest_of
from corpusdb.corpus.formats.records import digest, exact_digest, output_digest
from corpusdb.corpus.store import Store
from corpusdb.scoring.measures import statistics_of_systems
from corpusdb.scoring.queries.combined_sets import additions_again
from corpusdb.scoring.queries.scoring_references import given_sets, rewritten_sets_again
from corpusdb.scoring.queries.stored_scores import (
    EXACT,
    StoredScore,
    check_words,
    stored_lattices,
    stored_measure,
    stored_scores,
)
from corpusdb.scoring.substituted_measures import LatticeReferences

_TOLERANCE = 1e-9
"""Of scores up to 100: what another order of additions can change."""


@dataclass(frozen=True, slots=True)
class Given:
    """Texts to be held against those that were kept; None for those that the database is to give."""

    sets: tuple[ReferenceSet, ...] | None = None
    hypotheses: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class SetDifference:
    segment: int
    """From 1."""
    gained: tuple[str, ...]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    id: int
    system: str
    signature: str
    stored: float
    again: float
    """From the texts as they were."""
    current: float | None
    """With the references rebuilt and the files given; None where a segment has no reference any more."""
    differences: tuple[str, ...]
    """In plain words; none where all is as it was."""
    segments: tuple[SetDifference, ...] = ()
    """Where the rebuilt reference set is another."""
    notes: tuple[str, ...] = ()
    """What could not be compared."""
    exact: bool = True
    """Whether the numbers from the texts as they were are those that were stored, bit for bit."""
    from_corpus: bool = False
    """Whether the reference set was made from the corpus."""

    @property
    def ok(self) -> bool:
        return not self.differences


def verify(store: Store, score: int | None = None, given: Given = Given()) -> Job[list[Verification]]:
    """Compute the stored scores again, or the one of that number.

    Raises InputError where there is no such score, where what is given has another number of segments, and where a
    dictionary by which words are told apart is another now.
    """
    found: list[Verification] = []
    made: _Made | None = None
    for each in stored_scores(store, score):
        check_words(each.signature, f"score {each.id}")
        if made is None or (made.digest, made.parameters) != (each.digest, each.parameters):
            made = yield from _made(store, each, given)  # scores of one set follow each other
        found.append((yield from _verification(each, made, given.hypotheses or each.hypotheses)))
    return found


@dataclass(frozen=True, slots=True)
class _Made:
    """The references of scores, as they were and as they are now, with the equivalents in them, if there are any."""

    digest: str
    parameters: dict[str, Any]
    sets: tuple[ReferenceSet, ...]
    before: LatticeReferences | None
    now: LatticeReferences | None
    reason: str | None
    """Why there are no equivalents any more."""

    def differences(self, signature: str) -> Iterator[str]:
        """In words, where the equivalents are not those of a signature."""
        if self.reason is not None:
            yield f"its equivalents cannot be made again: {self.reason}"
        elif self.before is not None and f"eq:{self.before.equivalents}" not in signature.split("|"):
            yield f"its equivalents are others now: eq:{self.before.equivalents}"


def _made(store: Store, stored: StoredScore, given: Given) -> Job[_Made]:
    if given.sets is None:
        sets = yield from _rebuilt(store, stored)
    else:
        sets = yield from rewritten_sets_again(store, given.sets, stored.parameters)
    before = now = reason = None
    try:
        before = now = yield from stored_lattices(store, stored.sets, stored.parameters)
        if before is not None and sets != stored.sets:
            now = yield from stored_lattices(store, sets, stored.parameters)
    except (InputError, UsageError) as error:
        reason = str(error)
    return _Made(stored.digest, stored.parameters, sets, before, now, reason)


def _rebuilt(store: Store, stored: StoredScore) -> Job[tuple[ReferenceSet, ...]]:
    """The sets as the corpus gives them now; as they were, where they came from files. Rules are applied again."""
    sets = stored.sets if "rules" not in stored.parameters else given_sets(stored.sets, stored.parameters)
    if stored.origin == "corpus":
        both = yield from additions_again(store, stored.sets, stored.parameters)
        sets = tuple(each.plain(number) for number, each in enumerate(both, 1))
    return (yield from rewritten_sets_again(store, sets, stored.parameters))


def _verification(stored: StoredScore, made: _Made, hypotheses: Sequence[str]) -> Job[Verification]:
    rebuilt = made.sets
    for texts in (rebuilt, hypotheses):
        if len(texts) != len(stored.sets):
            raise InputError(f"score {stored.id} is of {len(stored.sets):,} segments, what is given has {len(texts):,}")
    measure = stored_measure(stored.settings, stored.sets, made.before)
    (statistics,) = yield from statistics_of_systems(measure, [stored.hypotheses], usable_cores())
    again, segments = float(measure.scores(statistics.sum(axis=0))), measure.of_segments.scores(statistics)
    changed = set_differences(stored.sets, rebuilt)
    missing, moved = _file_differences(stored)
    pairs = enumerate(zip(stored.hypotheses, hypotheses, strict=True), 1)
    other = [number for number, (before, now) in pairs if before != now]
    differences = (
        *_number_differences(stored, again, segments),
        *_digest_differences(stored),
        *made.differences(stored.signature),
        *format_changes(changed, len(rebuilt)),
        *([] if not other else [f"the output is another: {len(other):,} hypotheses differ, the first is {other[0]}"]),
        *moved,
    )
    current = None
    if all(each.references for each in rebuilt):
        measure = stored_measure(stored.settings, rebuilt, made.now)
        (statistics,) = yield from statistics_of_systems(measure, [hypotheses], usable_cores())
        current = float(measure.scores(statistics.sum(axis=0)))
    return Verification(
        stored.id,
        stored.system,
        stored.signature,
        stored.value,
        again,
        current,
        differences,
        tuple(changed),
        (*missing, *_copies_note(stored, current, differences)),
        exact=again == stored.value and segments.tobytes() == stored.segment_values.tobytes(),
        from_corpus=stored.origin == "corpus",
    )


def format_changes(changed: Sequence[SetDifference], segments: int) -> Iterator[str]:
    """In words, where any of the segments has other references than it had."""
    if changed:
        gained = sum(len(each.gained) for each in changed)
        lost = sum(len(each.lost) for each in changed)
        yield (
            f"the reference set is another: {len(changed):,} of {segments:,} segments differ"
            f" ({gained:,} gained, {lost:,} lost), the first is {changed[0].segment}"
        )


def _number_differences(stored: StoredScore, again: float, segments: F64) -> Iterator[str]:
    if abs(again - stored.value) > _TOLERANCE:
        yield f"the score was {stored.value:.6f}, and is {again:.6f} from the same texts"
    if len(segments) != len(stored.segment_values):
        yield f"there were values for {len(stored.segment_values):,} segments, and there are {len(segments):,}"
        return
    other = np.flatnonzero(np.abs(segments - stored.segment_values) > _TOLERANCE)
    if len(other):
        yield f"the scores of {len(other):,} segments differ, the first is {int(other[0]) + 1}"


def _digest_differences(stored: StoredScore) -> Iterator[str]:
    """What was changed in the database behind the back of the program."""
    if (stored.digest, stored.parameters.get(EXACT)) != (digest(stored.sets), exact_digest(stored.sets)):
        yield "the reference set that is kept is not that of its digest"
    if output_digest(stored.hypotheses) != stored.output_digest:
        yield "the output that is kept is not that of its digest"


def set_differences(before: Sequence[ReferenceSet], now: Sequence[ReferenceSet]) -> list[SetDifference]:
    """The segments whose references are others, by what a digest names: neither their order nor their repetition.

    There are as many segments in both, and none differs where their digests are equal.
    """
    found = []
    for number, (old, new) in enumerate(zip(before, now, strict=True), 1):
        was, is_now = (list(dict.fromkeys(text.strip() for text in each.references)) for each in (old, new))
        if set(was) != set(is_now):
            gained = tuple(text for text in is_now if text not in was)
            lost = tuple(text for text in was if text not in is_now)
            found.append(SetDifference(number, gained, lost))
    return found


def _copies_note(stored: StoredScore, current: float | None, differences: Sequence[str]) -> Iterator[str]:
    """That the same references give another number, where only the copies of them can be why."""
    if not differences and current is not None and abs(current - stored.value) > _TOLERANCE:
        yield (
            f"the references are the same, but some are there more or fewer times, and {stored.settings.metric}"
            f" counts every copy: from these the score is {current:.4f}"
        )


def _file_differences(stored: StoredScore) -> tuple[list[str], list[str]]:
    """Files of references that are not there any more, which proves nothing, and those that were changed."""
    missing, changed = [], []
    for each in stored.parameters.get("files", ()):
        path = Path(each["path"])
        if not path.is_file():
            missing.append(f"{path} is not there to be compared")
        elif digest_of([path]) != each["digest"]:
            changed.append(f"{path} was changed since")
    return missing, changed

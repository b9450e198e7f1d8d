"""References of files and of the corpus together: those of the files first, and of the corpus what they have not.

What the corpus has of a segment are translations of its source, with their paraphrases; where that is nothing, or there
is no source, the paraphrases of the references themselves. That is asked of each segment by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Final

from corpusdb.bounds import probability_told
from corpusdb.formats import ReferenceSet
from corpusdb.jobs import Job
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.paraphrase.filters import (
    NO_FILTER,
    Filter,
    NSequenceFilter,
    relaxations,
    relaxations_told,
)
from corpusdb.queries.references.coverage import has_any, lacking_told
from corpusdb.queries.references.reference_sets import (
    AttributedSet,
    Recipe,
    attributed_sets,
    given_reference,
    paraphrased_sets,
)
from corpusdb.store import Store

__all__ = [
    "GIVEN",
    "PARAPHRASED",
    "Additions",
    "additions",
    "additions_again",
    "combined_sets",
    "found_by",
    "given_parameter",
    "given_sets",
    "held_back",
    "is_paraphrased",
    "looking_again",
    "signed_origins",
]

GIVEN: Final = "given"
"""The parameter of such a set that says how many references of each segment the files gave."""
PARAPHRASED: Final = "paraphrased"
"""The parameter of such a set whose references of the corpus are paraphrases of those of the files: true, or, where
others were found by their sources, a list with the numbers of the segments of which it holds, from 1."""
_MOST_LISTED: Final = 10


@dataclass(frozen=True, slots=True)
class Additions:
    """What the corpus has for segments that have references."""

    sets: tuple[AttributedSet, ...]
    """Of each segment what was found, which may be what its files have already."""
    are_paraphrases: tuple[bool, ...]
    """Of each segment whether of its references, and not found by its source."""
    reason: str | None = None
    """Why none is found by its source, in words, where there are sources."""

    def parameters(self, given: Sequence[ReferenceSet]) -> dict[str, object]:
        """What, beside the recipe, the sets that files gave and these are made from again: see additions_again."""
        by_source, _ = self.counts(given)
        numbers = [
            number
            for number, (is_one, count) in enumerate(zip(self.are_paraphrases, self.added(given), strict=True), 1)
            if is_one and count
        ]
        told: bool | list[int] = numbers if by_source else any(self.are_paraphrases)
        paraphrased = {PARAPHRASED: told} if told else {}
        return {"sources": [each.source for each in self.sets], **given_parameter(given), **paraphrased}

    def added(self, given: Sequence[ReferenceSet]) -> list[int]:
        """How many references each segment gets that it does not have."""
        return _added(given, self.sets)

    def count(self, given: Sequence[ReferenceSet]) -> int:
        """How many references the segments get that they do not have."""
        return sum(self.added(given))

    def counts(self, given: Sequence[ReferenceSet]) -> tuple[int, int]:
        """The same of those that were found by the sources, and of those that are paraphrases of the references."""
        pairs = list(zip(self.are_paraphrases, self.added(given), strict=True))
        return sum(count for is_one, count in pairs if not is_one), sum(count for is_one, count in pairs if is_one)

    def told(self, given: Sequence[ReferenceSet]) -> str:
        """In words how many references the segments get that they do not have, and how they were found, with the first
        that get none."""
        added = self.added(given)
        missing = [number for number, count in enumerate(added, 1) if not count]
        covered, total = len(added) - len(missing), sum(added)
        segments = "segment" if len(added) == 1 else "segments"
        told = f"{covered:,} of {len(added):,} {segments} got "
        if not total:
            return f"{told}more references: 0 added by the corpus"
        told += f"{total:,} more reference{'' if total == 1 else 's'} from the corpus"
        by_source, paraphrased = self.counts(given)
        if by_source and paraphrased:
            told += f" ({by_source:,} by the sources, {paraphrased:,} as paraphrases of the references)"
        elif paraphrased and any(each.source for each in given) and self.reason is None:
            told += ", all as paraphrases of the references: the sources yield none"
        if missing:
            more = len(missing) - _MOST_LISTED
            told += f"; none for {', '.join(map(str, missing[:_MOST_LISTED]))}"
            told += f" and {more:,} more" if more > 0 else ""
        return told


def additions(
    store: Store, given: Sequence[ReferenceSet], recipe: Recipe, source_language: str | None = None
) -> Job[Additions]:
    """What the corpus has for segments with these references.

    It is asked for the sources, unless there are none or it has no sentence in their language, and for paraphrases of
    the references of each segment that gets nothing by its source. Raises InputError where nothing was generated and
    generated references are asked for.
    """
    sources = [each.source for each in given]
    reason = None
    if any(sources):
        is_there = source_language in (None, *languages_of(store)) and has_any(store, sources)
        # What is in another language, and not in the corpus, is no seed either, and to find that out takes long.
        if is_there or source_language is None or source_language == recipe.language in languages_of(store):
            found = yield from attributed_sets(store, sources, recipe)
            if any(each.references for each in found) or is_there:
                lacking = [not count for count in _added(given, found)]
                made = yield from _paraphrased_where(store, given, found, lacking, recipe)
                return Additions(made, tuple(lacking))
        reason = f"{lacking_told(store, sources, source_language)}: the references themselves are paraphrased"
    paraphrased = yield from paraphrased_sets(store, given, recipe)
    return Additions(tuple(paraphrased), (True,) * len(given), reason)


def _added(given: Sequence[ReferenceSet], found: Sequence[AttributedSet]) -> list[int]:
    """How many references each segment gets that it does not have."""
    combined = combined_sets(given, found)
    return [len(both.references) - len(each.references) for both, each in zip(combined, given, strict=True)]


def _paraphrased_where(
    store: Store,
    given: Sequence[ReferenceSet],
    found: Sequence[AttributedSet],
    chosen: Sequence[bool],
    recipe: Recipe,
) -> Job[tuple[AttributedSet, ...]]:
    """What was found by the sources, and of the chosen segments the paraphrases of their references in its place.

    What a session rejected of either is told.
    """
    made = iter((yield from paraphrased_sets(store, list(compress(given, chosen)), recipe)))
    return tuple(
        replace(other := next(made), source=each.source, rejected=(*each.rejected, *other.rejected)) if is_one else each
        for each, is_one in zip(found, chosen, strict=True)
    )


def looking_again(job: Job[Additions]) -> Job[Additions]:
    """The same, called what it is: a second look, at what is asked for without filters."""
    try:
        while True:
            yield replace(next(job), stage="looking for what the filters keep back")
    except StopIteration as end:
        found: Additions = end.value
        return found
    finally:
        job.close()


def held_back(given: Sequence[ReferenceSet], recipe: Recipe, found_by: Callable[[Recipe], Additions]) -> str | None:
    """In words what the segments would get if less were asked for; None where they would get nothing.

    For a corpus that gave nothing: a person cannot tell one that has nothing from one of which nothing is certain.
    ``found_by`` looks by another recipe: first at all that there is, which tells what an order of 0 would bring, too;
    and where that is something, once more at what is less certain.
    """
    kept = recipe.kept
    if not isinstance(kept, NSequenceFilter):
        return None
    free = replace(recipe, kept=replace(NO_FILTER, marks=kept.marks), limit=0)
    everything: list[list[float | None]] = []

    def count(less: Filter) -> int:
        if not everything:
            everything.extend(_validities_of_new(given, found_by(free)))
        if isinstance(less, NSequenceFilter) and less.final_marks and not less.order:
            passing = [[one for one in new if one is None or one >= less.min_validity] for new in everything]
        else:
            passing = _validities_of_new(given, found_by(replace(recipe, kept=less)))
        return sum(min(len(new), recipe.limit or len(new)) for new in passing)

    told = relaxations_told(relaxations(kept, count, final_marks=True), "would add")
    if not told:
        return None
    best = max((one for new in everything for one in new if one is not None), default=1.0)
    if best < kept.min_validity:
        told += f"; the highest validity of theirs is {probability_told(best)}"
    return f"the filters keep references back: {told}"


def _validities_of_new(given: Sequence[ReferenceSet], found: Additions) -> list[list[float | None]]:
    """Of each segment the validities of the references that it would get."""
    combined = combined_sets(given, found.sets)
    return [
        [one.validity for one in each.references[len(known.references) :]]
        for known, each in zip(given, combined, strict=True)
    ]


def additions_again(
    store: Store, sets: Sequence[ReferenceSet], parameters: Mapping[str, Any]
) -> Job[tuple[AttributedSet, ...]]:
    """What files gave of stored sets from the corpus, with what the corpus has now, asked as it was for those sets."""
    given, recipe = given_sets(sets, parameters), Recipe.of(parameters)
    chosen = [is_paraphrased(parameters, number) for number, _ in enumerate(given, 1)]
    if all(chosen):
        return combined_sets(given, (yield from paraphrased_sets(store, given, recipe)))
    found = yield from attributed_sets(store, parameters["sources"], recipe)
    return combined_sets(given, (yield from _paraphrased_where(store, given, found, chosen, recipe)))


def is_paraphrased(parameters: Mapping[str, Any], segment: int) -> bool:
    """Whether the corpus was asked for paraphrases of the references of a segment, and not by its source.

    The segment, from 1, is one of a set of these parameters.
    """
    told = parameters.get(PARAPHRASED, False)
    return segment in told if isinstance(told, list) else bool(told)


def combined_sets(given: Sequence[ReferenceSet], sets: Sequence[AttributedSet]) -> tuple[AttributedSet, ...]:
    """What files gave, of the origins that they say or as originals, then what the corpus has besides; the sources are
    those that the corpus was asked for. Raises ValueError unless there are as many of both."""
    return tuple(
        AttributedSet(
            made.source,
            (
                *(given_reference(text, each.provenance_of(text).origin, each.source) for text in each.references),
                *(one for one in made.references if one.text not in each.references),
            ),
        )
        for each, made in zip(given, sets, strict=True)
    )


def given_parameter(given: Sequence[ReferenceSet]) -> dict[str, list[int]]:
    """The parameter by which ``given_sets`` finds these sets again in those that they were combined to."""
    return {GIVEN: [len(each.references) for each in given]}


def found_by(sets: Sequence[ReferenceSet], parameters: Mapping[str, Any]) -> dict[str, int]:
    """How many references the corpus added to sets with these parameters, by their sources and as paraphrases."""
    counts = {"by_source": 0, PARAPHRASED: 0}
    for number, (each, given) in enumerate(zip(sets, parameters[GIVEN], strict=True), 1):
        counts[PARAPHRASED if is_paraphrased(parameters, number) else "by_source"] += len(each.references) - given
    return counts


def given_sets(sets: Sequence[ReferenceSet], parameters: Mapping[str, Any]) -> tuple[ReferenceSet, ...]:
    """What files gave of a stored reference set, by its parameters; sets without references where it was nothing."""
    counts = parameters.get(GIVEN, [0] * len(sets))
    return tuple(replace(each, references=each.references[:count]) for each, count in zip(sets, counts, strict=True))


def signed_origins(parameters: Mapping[str, Any], *, from_corpus: bool) -> str | None:
    """Where the references are from, as signatures say it of a set with these parameters; None for files alone."""
    if GIVEN not in parameters:
        return "corpus" if from_corpus else None
    if PARAPHRASED not in parameters:
        return "files+corpus"
    return "files+corpus:" + ("partly-paraphrased" if isinstance(parameters[PARAPHRASED], list) else "paraphrased")

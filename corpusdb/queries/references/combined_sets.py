"""References of files and of the corpus together: those of the files first, and of the corpus what they have not.

What the corpus has of a segment are translations of its source, with their paraphrases; where the corpus does not know
the sources, or there are none, the paraphrases of the references themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
    AttributedReference,
    AttributedSet,
    Recipe,
    attributed_sets,
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
    "given_parameter",
    "given_sets",
    "held_back",
    "looking_again",
    "signed_origins",
]

GIVEN: Final = "given"
"""The parameter of such a set that says how many references of each segment the files gave."""
PARAPHRASED: Final = "paraphrased"
"""The parameter, true, of such a set whose references of the corpus are paraphrases of those of the files."""
_MOST_LISTED: Final = 10


@dataclass(frozen=True, slots=True)
class Additions:
    """What the corpus has for segments that have references."""

    sets: tuple[AttributedSet, ...]
    """Of each segment what was found, which may be what its files have already."""
    are_paraphrases: bool
    """Whether of the references, and not by the sources."""
    reason: str | None = None
    """Why, in words, where there are sources."""

    def parameters(self, given: Sequence[ReferenceSet]) -> dict[str, object]:
        """What, beside the recipe, the sets that files gave and these are made from again: see additions_again."""
        paraphrased = {PARAPHRASED: True} if self.are_paraphrases else {}
        return {"sources": [each.source for each in self.sets], **given_parameter(given), **paraphrased}

    def count(self, given: Sequence[ReferenceSet]) -> int:
        """How many references the segments get that they do not have."""
        combined = combined_sets(given, self.sets)
        return sum(len(each.references) for each in combined) - sum(len(each.references) for each in given)

    def told(self, given: Sequence[ReferenceSet]) -> str:
        """In words how many references the segments get that they do not have, with the first that get none."""
        counts = [len(each.references) for each in combined_sets(given, self.sets)]
        added = [count - len(each.references) for count, each in zip(counts, given, strict=True)]
        missing = [number for number, count in enumerate(added, 1) if not count]
        covered, total = len(added) - len(missing), sum(added)
        segments = "segment" if len(added) == 1 else "segments"
        told = f"{covered:,} of {len(added):,} {segments} got "
        if not total:
            return f"{told}more references: 0 added by the corpus"
        told += f"{total:,} more reference{'' if total == 1 else 's'} from the corpus"
        if missing:
            more = len(missing) - _MOST_LISTED
            told += f"; none for {', '.join(map(str, missing[:_MOST_LISTED]))}"
            told += f" and {more:,} more" if more > 0 else ""
        return told


def additions(
    store: Store, given: Sequence[ReferenceSet], recipe: Recipe, source_language: str | None = None
) -> Job[Additions]:
    """What the corpus has for segments with these references.

    It is asked for the sources, and for paraphrases of the references where there are no sources, where the corpus has
    no sentence in their language, or where it has none of them and gives nothing for any. Raises InputError where
    nothing was generated and generated references are asked for.
    """
    sources = [each.source for each in given]
    reason = None
    if any(sources):
        is_there = source_language in (None, *languages_of(store)) and has_any(store, sources)
        # What is in another language, and not in the corpus, is no seed either, and to find that out takes long.
        if is_there or source_language is None or source_language == recipe.language in languages_of(store):
            found = yield from attributed_sets(store, sources, recipe)
            if any(each.references for each in found) or is_there:
                return Additions(tuple(found), are_paraphrases=False)
        reason = f"{lacking_told(store, sources, source_language)}: the references themselves are paraphrased"
    paraphrased = yield from paraphrased_sets(store, given, recipe)
    return Additions(tuple(paraphrased), are_paraphrases=True, reason=reason)


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
    if parameters.get(PARAPHRASED):
        found = yield from paraphrased_sets(store, given, recipe)
    else:
        found = yield from attributed_sets(store, parameters["sources"], recipe)
    return combined_sets(given, found)


def combined_sets(given: Sequence[ReferenceSet], sets: Sequence[AttributedSet]) -> tuple[AttributedSet, ...]:
    """What files gave as originals, then what the corpus has besides; the sources are those that the corpus was asked
    for. Raises ValueError unless there are as many of both."""
    return tuple(
        AttributedSet(
            made.source,
            (
                *(AttributedReference(text, ("original",), text) for text in each.references),
                *(one for one in made.references if one.text not in each.references),
            ),
        )
        for each, made in zip(given, sets, strict=True)
    )


def given_parameter(given: Sequence[ReferenceSet]) -> dict[str, list[int]]:
    """The parameter by which ``given_sets`` finds these sets again in those that they were combined to."""
    return {GIVEN: [len(each.references) for each in given]}


def given_sets(sets: Sequence[ReferenceSet], parameters: Mapping[str, Any]) -> tuple[ReferenceSet, ...]:
    """What files gave of a stored reference set, by its parameters; sets without references where it was nothing."""
    counts = parameters.get(GIVEN, [0] * len(sets))
    return tuple(replace(each, references=each.references[:count]) for each, count in zip(sets, counts, strict=True))


def signed_origins(parameters: Mapping[str, Any], *, from_corpus: bool) -> str | None:
    """Where the references are from, as signatures say it of a set with these parameters; None for files alone."""
    if GIVEN not in parameters:
        return "corpus" if from_corpus else None
    return "files+corpus:paraphrased" if PARAPHRASED in parameters else "files+corpus"

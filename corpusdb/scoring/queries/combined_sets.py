"""References of files and of the corpus together, and which sources have some."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any, Final

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job
from corpusdb.base.options import format_probability, format_share
from corpusdb.base.text import normalise, unmarked_by
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.orders import ONE_PIVOT
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import (
    NO_FILTER,
    NO_THRESHOLDS,
    Filter,
    NSequenceFilter,
    format_relaxations,
    relaxations,
)
from corpusdb.paraphrase.queries.paraphrases import HELD_THROUGH_ONE, validity_pivots
from corpusdb.scoring.queries.attributed import GIVEN, PARAPHRASED, AttributedSet, expected_precision, given_reference
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets, paraphrased_sets, reference_origins

_MOST_LISTED: Final = 10


def check_covered(sets: Sequence[AttributedSet], recipe: Recipe, source: Path, lacking: str | None = None) -> None:
    """Raise InputError, with the line of the first in the file of the sources, where some have no reference.

    ``lacking`` says why, where the corpus has none of the sources.
    """
    missing = [number for number, each in enumerate(sets, 1) if not each.references]
    if missing:
        reason = f"the corpus has no reference ({', '.join(recipe.origins)}) in {recipe.language}"
        advice = "; --skip-missing leaves them out" if len(missing) < len(sets) else ""
        if lacking is not None:
            advice += f"; {lacking}; with --ref FILE your own references are paraphrased"
        found = f"{reason} for {len(missing):,} of {len(sets):,} sources looked at, this is the first"
        raise InputError(f"{found}{advice}", path=source, line=missing[0])


def letting_more_pass(recipe: Recipe, sets_of: Callable[[Recipe], Sequence[AttributedSet]]) -> str:
    """What to ask less for, in words, where sources have no reference: ``-V 0 finds 3``; empty where nothing helps.

    ``sets_of`` makes the sets of these sources by another recipe.
    """

    def count(less: Recipe) -> int:
        return sum(bool(each.references) for each in sets_of(less))

    told = format_relaxations(
        relaxations(recipe.kept, lambda less: count(replace(recipe, kept=less)), final_marks=True), "finds"
    )
    if told or recipe.least == NO_THRESHOLDS:
        return told
    found = count(replace(recipe, least=NO_THRESHOLDS))
    return f"without --min-... there are {found:,}" if found else ""


_ANY = """
select 1 from json_each(:texts) given
where exists (select 1 from sentence where sentence.text = given.value and sentence.language in (
    select value from json_each(:languages)
)) limit 1
"""


def has_any(store: Store, texts: Sequence[str]) -> bool:
    """Whether the corpus has one of these sentences, in whatever language."""
    given = {
        "texts": json.dumps([normalise(text) for text in texts]),
        "languages": json.dumps(languages_of(store)),
    }
    return store.connection.execute(_ANY, given).fetchone() is not None


def format_lacking(store: Store, sources: Sequence[str], language: str | None) -> str | None:
    """In words that the corpus has no sentence in the language of these sources, or none of them, and what it has.

    None where it has one of them. ``language`` is None where it is not known.
    """
    present = languages_of(store)
    listed = ", ".join(present) or "no sentence"
    if language is not None and language not in present:
        return f"the corpus has no {language}; it has {listed}"
    if has_any(store, sources):
        return None
    told = "the source is not" if len(sources) == 1 else f"none of the {len(sources):,} sources is"
    return f"{told} in the corpus, which has {listed}"


def pivot_languages(store: Store, language: str) -> tuple[str, ...]:
    """The languages through which the corpus relates two sentences of a language; none where nothing was learned."""
    known = validity_pivots(store, language)
    return known.languages if known else ()


def format_coverage(sets: Sequence[AttributedSet]) -> str:
    """How many of the sources have a reference, in words, with the beginning of the list of the others."""
    missing = [number for number, each in enumerate(sets, 1) if not each.references]
    covered = len(sets) - len(missing)
    references = sum(len(each.references) for each in sets)
    sources = "source" if len(sets) == 1 else "sources"
    told = f"{covered:,} of {len(sets):,} {sources} {'has' if covered == 1 else 'have'} a reference"
    if covered:
        told += f", {references / covered:.1f} on average"
    alone = sum(bool(each.references) and {one.text for one in each.references} == {each.source} for each in sets)
    if alone:
        told += f"; {'all have' if alone == len(sets) else f'{alone:,} of them have'} no other than the source itself"
    return told + (_none_for(missing) if covered else "")


def format_rejected(sets: Iterable[AttributedSet]) -> str:
    """How many paraphrases are left out since they were rejected, and in which sessions; empty where none is."""
    sessions = [name for each in sets for _, name in each.rejected]
    if not sessions:
        return ""
    names = ", ".join(dict.fromkeys(sessions))
    told = "1 paraphrase is" if len(sessions) == 1 else f"{len(sessions):,} paraphrases are"
    return f"{told} left out, rejected in session {names}"


# What the corpus has of a segment are translations of its source, with their paraphrases; where that is nothing, or
# there is no source, the paraphrases of the references themselves. That is asked of each segment by itself.


@dataclass(frozen=True)
class Additions:
    given: Sequence[ReferenceSet]
    """What the segments have."""
    sets: tuple[AttributedSet, ...]
    """Of each segment what was found, which may be what its files have already."""
    are_paraphrases: tuple[bool, ...]
    """Of each segment whether of its references, and not found by its source."""
    reason: str | None = None
    """Why none is found by its source, in words, where there are sources."""

    def parameters(self) -> dict[str, object]:
        """What, beside the recipe, the sets that files gave and these are made from again: see additions_again."""
        pairs = enumerate(zip(self.are_paraphrases, self.added, strict=True), 1)
        numbers = [number for number, (is_one, count) in pairs if is_one and count]
        told: bool | list[int] = numbers if self.counts[0] else any(self.are_paraphrases)
        paraphrased = {PARAPHRASED: told} if told else {}
        return {"sources": [each.source for each in self.sets], **given_parameter(self.given), **paraphrased}

    @cached_property
    def added(self) -> list[int]:
        """How many references each segment gets that it does not have."""
        return _added(self.given, self.sets)

    @property
    def counts(self) -> tuple[int, int]:
        """The same together, of those found by the sources and of those that are paraphrases of the references."""
        paraphrased = sum(compress(self.added, self.are_paraphrases))
        return sum(self.added) - paraphrased, paraphrased

    def __str__(self) -> str:
        """How many references the segments get, and how they were found, with the first that get none."""
        missing = [number for number, count in enumerate(self.added, 1) if not count]
        covered, total = len(self.added) - len(missing), sum(self.added)
        segments = "segment" if len(self.added) == 1 else "segments"
        told = f"{covered:,} of {len(self.added):,} {segments} got "
        if not total:
            return f"{told}more references: 0 added by the corpus"
        told += f"{total:,} more reference{'' if total == 1 else 's'} from the corpus"
        by_source, paraphrased = self.counts
        if by_source and paraphrased:
            told += f" ({by_source:,} by the sources, {paraphrased:,} as paraphrases of the references)"
        elif paraphrased and any(each.source for each in self.given) and self.reason is None:
            told += ", all as paraphrases of the references: the sources yield none"
        return told + _none_for(missing)


def _none_for(missing: Sequence[int]) -> str:
    """The beginning of a list of numbers; empty without any."""
    more = len(missing) - _MOST_LISTED
    listed = f"; none for {', '.join(map(str, missing[:_MOST_LISTED]))}" if missing else ""
    return f"{listed} and {more:,} more" if more > 0 else listed


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
                return Additions(given, made, tuple(lacking))
        reason = f"{format_lacking(store, sources, source_language)}: the references themselves are paraphrased"
    paraphrased = yield from paraphrased_sets(store, given, recipe)
    return Additions(given, tuple(paraphrased), (True,) * len(given), reason)


def _added(given: Sequence[ReferenceSet], found: Sequence[AttributedSet]) -> list[int]:
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

    def validities(less: Recipe) -> list[list[float | None]]:
        """Of what each segment would get."""
        combined = zip(given, combined_sets(given, found_by(less).sets), strict=True)
        return [[one.validity for one in each.references[len(known.references) :]] for known, each in combined]

    def count(less: Filter) -> int:
        if not everything:
            everything.extend(validities(free))
        if isinstance(less, NSequenceFilter) and less.final_marks and not less.order:
            passing = [[one for one in new if one is None or one >= less.min_validity] for new in everything]
        else:
            passing = validities(replace(recipe, kept=less))
        return sum(min(len(new), recipe.limit or len(new)) for new in passing)

    told = format_relaxations(relaxations(kept, count, final_marks=True), "would add")
    if not told:
        return None
    best = max((one for new in everything for one in new if one is not None), default=1.0)
    if best < kept.min_validity:
        told += f"; the highest validity of theirs is {format_probability(best)}"
    return f"the filters keep references back: {told}"


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


_READ: Final = "of English pairs that were read 81 to 98% held without a doubt"
"""What readers said of pairs that the usual filter keeps, by what makes them: `corpusdb guide validity`."""


def format_precision(
    sets: Sequence[AttributedSet], pivots: Sequence[str], *, language: str | None = None
) -> str | None:
    """In words how many of the references probably hold, and of which origins these are, the first of each; ``pivots``
    are the other languages of the corpus. None where nothing is known of it. ``language`` is that of the references: of
    what the one pivot language does not mark there, nothing is known either, unless people judged enough.

    Through one language alone a word with two meanings there is not told from two words that mean the same, and nothing
    else in the corpus can confirm what it says: `study precision` asks for two.
    """
    validity = expected_precision(sets)
    if validity is None:
        return None
    counts = Counter(one.origins[0] for each in sets for one in each.references if one.validity is not None)
    listed = ", ".join(f"{counts[origin]:,} {origin}" for origin in reference_origins() if origin in counts)
    unseen = unmarked_by(pivots[0], language) if len(pivots) == 1 and language is not None else ()
    if unseen and all((one.validity or 0.0) <= ONE_PIVOT for each in sets for one in each.references):
        return (
            f"how many of the references of the corpus ({listed}) hold is not known: {pivots[0]} is the one pivot"
            f" language, which does not mark {', '.join(unseen)}; of such pairs that were read {HELD_THROUGH_ONE} held"
        )
    told = f"of the references of the corpus ({listed}) {format_share(validity)} are expected to hold; {_READ}"
    if len(pivots) == 1:
        told += f"; less sure than it looks: {pivots[0]} is the one pivot language, and no other can confirm it"
    return told

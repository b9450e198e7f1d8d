"""How far a probability that paraphrases hold can be trusted, by a language whose translations it has not seen.

A pair is confirmed where its sentences share a translation into that language. Of pairs that mean the same, only a part
does: what is expected of each says how probable that is, so that the precision of some pairs is the number of those
confirmed over the sum of what is expected. The expectation is read off sentences that are translated often; it is too
high for rare ones and too low for contractions, so that a precision may be above 1, and compares better than it counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import InputError
from corpusdb.base.estimates import Interval, wilson
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import language_code
from corpusdb.chain.queries.generation import generate_all, prepare
from corpusdb.corpus.model import Finding
from corpusdb.corpus.queries.sentences import check_languages, languages_of, sentences_after
from corpusdb.corpus.queries.storing import copy_corpus, scratch_store
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.runs import exclusive
from corpusdb.paraphrase.exchange_index import Sharing
from corpusdb.paraphrase.queries.exchanges import load_links, sharing_by
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, NSequenceFilter
from corpusdb.paraphrase.queries.origins.stored import CANDIDATES, analogy_odds, detection_strength
from corpusdb.paraphrase.queries.paraphrases import validity_pivots
from corpusdb.paraphrase.queries.validity_update import judge_paraphrases
from corpusdb.paraphrase.ranking import score
from corpusdb.paraphrase.validity import GeneratedValidity
from corpusdb.people.queries.verdicts import JudgedPair, judged_pairs

EDGES: Final = (0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
"""Where the bands of the probability begin and end; the last one holds 1 as well."""


@dataclass(frozen=True, slots=True)
class HeldOutPairs:
    """Pairs of sentences that both have translations into the language held out; parallel arrays."""

    confirmed: Bools
    """Whether they share one."""
    expected: F64
    """How probable that is for two sentences of one meaning, by the numbers of their translations."""
    key: I64
    """The same for a pair and its reverse, which are confirmed together and count as one in an interval."""

    def __len__(self) -> int:
        return len(self.confirmed)

    def __getitem__(self, chosen: Bools) -> HeldOutPairs:
        return HeldOutPairs(self.confirmed[chosen], self.expected[chosen], self.key[chosen])


@dataclass(frozen=True, slots=True)
class Figures:
    """What is found of some pairs; shares are None where there is no pair."""

    pairs: int
    confirmed: int
    share: float | None
    """Of the pairs that are confirmed, 0 to 1."""
    interval: Interval
    """Of the share: Wilson's, at 95 %, a pair and its reverse counted once."""
    precision: float | None
    """Confirmed over expected, 0 and above."""


@dataclass(frozen=True, slots=True)
class Band(Figures):
    """Pairs by their probability."""

    low: float
    high: float
    """Not in the band, but for 1."""
    mean: float | None
    """The mean of the probability, which the precision may be held against."""


@dataclass(frozen=True, slots=True)
class PrecisionPoint(Figures):
    """Pairs of a probability or above it."""

    least: float


def bands(pairs: HeldOutPairs, probability: F64, edges: Sequence[float] = EDGES) -> list[Band]:
    """One for each two neighbours of ``edges``, ascending."""
    found = []
    for low, high in pairwise(edges):
        chosen = (probability >= low) & ((probability < high) | (high == edges[-1]))
        mean = float(probability[chosen].mean()) if chosen.any() else None
        found.append(Band(*_figures(pairs[chosen]), low, high, mean))
    return found


def curve(pairs: HeldOutPairs, probability: F64, thresholds: Sequence[float] = EDGES[:-1]) -> list[PrecisionPoint]:
    """Precision against yield: one point for each threshold."""
    return [PrecisionPoint(*_figures(pairs[probability >= least]), least) for least in thresholds]


def _figures(pairs: HeldOutPairs) -> tuple[int, int, float | None, Interval, float | None]:
    count, confirmed = len(pairs), int(pairs.confirmed.sum())
    share = confirmed / count if count else None
    different = len(np.unique(pairs.key))
    interval = wilson(round((share or 0.0) * different), different)
    expected = float(pairs.expected.sum())
    return count, confirmed, share, interval, confirmed / expected if expected else None


def area_under_curve(scores: F64, confirmed: Bools) -> float | None:
    """How probable it is that a pair that is confirmed has a higher score than one that is not; equal ones count half.

    The area under the receiver operating characteristic, by mean ranks (Hanley & McNeil 1982). None where all pairs are
    confirmed, or none is.
    """
    positive, negative = int(confirmed.sum()), int((~confirmed).sum())
    if not positive or not negative:
        return None
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return float((ranks[place][confirmed].sum() - positive * (positive + 1) / 2) / (positive * negative))


# Held-out languages: what a corpus without the translations into one of them says of pairs that these can confirm.


@dataclass(frozen=True, slots=True)
class Area:
    """The area under the curve of some pairs; None where all of them are confirmed, or none is."""

    elsewhere: bool
    """Only pairs both sentences of which have a translation into yet another language: no others can share one there,
    and without the language held out a corpus would mostly not have their sentences. False: all pairs."""
    pairs: int
    validity: float | None
    former: float | None
    """Of the score by the analogies alone, with which paraphrases were ranked before there was a validity."""


@dataclass(frozen=True, slots=True)
class MeasuredProbability:
    with_sharing: bool
    """Whether a translation that a pair shares in another language counts for it."""
    areas: tuple[Area, ...]
    """Of all pairs, and of those with translations elsewhere."""
    bands: tuple[Band, ...]
    curve: tuple[PrecisionPoint, ...]


@dataclass(frozen=True, slots=True)
class Yield:
    """How many candidates of the rebuilt corpus pass the filter."""

    least: float
    kept: int


@dataclass(frozen=True, slots=True)
class HeldOutLanguage:
    language: str
    pairs: int
    """Generated pairs both sentences of which have a translation into it, in either direction."""
    labelled: int
    """Pairs that the model was fitted to; 0 where those were too few, and it is the one that is shipped."""
    measured: tuple[MeasuredProbability, ...] = ()
    """Without and with sharing; empty where there is no pair."""
    yields: tuple[Yield, ...] = ()


@dataclass(frozen=True, slots=True)
class PrecisionStudy:
    """The validity of a language, held against what it has not seen."""

    language: str
    kept: dict[str, object]
    """The filter of the yields, beside the validity."""
    held_out: tuple[HeldOutLanguage, ...]
    judged: tuple[Band, ...]
    """What people said of pairs, by the validity that these have now; empty where nobody has judged any."""


@dataclass(frozen=True, slots=True)
class LanguagePrecision:
    """What is kept of the candidates of a language, how much of it is expected to hold, and what people found."""

    language: str
    pivots: tuple[str, ...]
    """The languages that its validities were learned through."""
    unseen: tuple[str, ...]
    """What the only pivot does not mark; empty where there are several, or it marks all."""
    kept: int
    expected: float | None
    """The mean validity of these; None where nothing is kept."""
    judged: int
    """Pairs of at least the least validity of the filter of which people said whether they mean the same."""
    held: float | None
    """The share of those that do; None where nobody judged any."""
    interval: Interval
    """Of that share: Wilson's, at 95 %."""


_EXPECTED = f"""
select count(*), avg(candidate.validity) from seed cross join {CANDIDATES} candidate on candidate.seed = seed.id
where seed.language = :language and ({{kept}})
"""


def precision_by_language(store: Store, kept: NSequenceFilter = DEFAULT_FILTER) -> Job[list[LanguagePrecision]]:
    """Of each language that has candidates with a validity, without making anything again; in their order."""
    found = []
    languages = languages_of(store)
    for number, language in enumerate(languages):
        yield Progress("languages", number, len(languages))
        pivots = validity_pivots(store, language)
        if pivots is None:
            continue
        values = {"language": language, **kept.values}
        statement = _EXPECTED.format(kept=kept.condition("candidate"))
        count, expected = store.connection.execute(statement, values).fetchone()
        said = [each.accepted for each in judged_pairs(store, language) if each.validity >= kept.min_validity]
        held = sum(said) / len(said) if said else None
        interval = wilson(sum(said), len(said))
        known = (pivots.languages, pivots.unseen if len(pivots.languages) == 1 else ())
        found.append(LanguagePrecision(language, *known, count, expected, len(said), held, interval))
    return found


def precision_study(
    store: Store, language: str, held_out: Sequence[str] = (), kept: NSequenceFilter = DEFAULT_FILTER
) -> Job[PrecisionStudy]:
    """Hold out one language of the translations after the other, or those given.

    Each time everything is made again in a temporary database from the sentences and all other translations; the store
    is only read. ``kept`` is the filter of the yields, whose least validity is varied. Raises InputError for a language
    of which the corpus has no sentence, where no other language is left to learn from.
    """
    language = language_code(language)
    known = languages_of(store)
    others = [each for each in known if each != language]
    wanted = list(dict.fromkeys(map(language_code, held_out))) or others
    check_languages(store, (language, *wanted))
    if language in wanted:
        raise InputError(f"{language} is the language of the paraphrases; hold out one that they are translated into")
    if len(others) < 2:
        raise InputError(
            f"{language} has translations into {len(others)} other language{'s' * (len(others) != 1)}; holding one out"
            " takes two: one that finds paraphrases, and one that confirms them; what people can judge instead is a"
            f" sample: `corpusdb judge sample NAME --lang {language} --kind meaning`, whose precision by score"
            " `corpusdb judge report NAME` tells"
        )
    found = []
    for each in wanted:
        found.append((yield from _hold_out(store, language, each, kept)))
    return PrecisionStudy(language, kept.document(), tuple(found), tuple(_judged_bands(store, language)))


def _hold_out(store: Store, language: str, held_out: str, kept: NSequenceFilter) -> Job[HeldOutLanguage]:
    with scratch_store() as scratch:
        with store.snapshot():
            yield Progress(f"reading translations into {held_out}", 0, 0)
            sentences = np.array([number for number, _ in sentences_after(store, language, 0)], dtype=np.int64)
            sharing = sharing_by(*load_links(store, language, sentences), len(sentences))
            bound = {"language": language, "held_out": held_out}
            yield from copy_corpus(store, scratch, _SENTENCES, _TRANSLATIONS, bound)
        validity = yield from _made_again(scratch, language)
        generated = _generated(scratch, language)
        found = _measured(generated, sentences, sharing, held_out, validity)
        pairs = found[0].curve[0].pairs if found else 0
        return HeldOutLanguage(held_out, pairs, validity.labelled, found, tuple(_yields(scratch, language, kept)))


@exclusive("study")
def _made_again(scratch: Store, language: str) -> Job[GeneratedValidity]:
    yield from prepare(scratch, language)
    yield from generate_all(scratch, language)
    return (yield from judge_paraphrases(scratch, language, apart=True)).generated


# All that the paraphrases of a language are made from but for one language of its translations; sentences of other
# languages have their number for a text.
_SENTENCES = """
select id, language, iif(language = :language, text, cast(id as text)) from sentence
where language <> :held_out
"""
_TRANSLATIONS = """
select translation.* from translation not indexed
where sentence in (select id from sentence where language = :language)
        and translation not in (select id from sentence where language = :held_out)
   or translation in (select id from sentence where language = :language)
        and sentence not in (select id from sentence where language = :held_out)
"""


@dataclass(frozen=True, slots=True)
class _Generated:
    """Candidates of the rebuilt corpus that are sentences of it, as their seeds are; parallel arrays."""

    candidate: I64
    """Number, ascending."""
    seed: I64
    other: I64
    """Numbers of sentences."""
    former: F64
    """The score by the analogies alone."""
    former_with_sharing: F64


_INSIDE = """
select candidate.id, seed.sentence, other.id, candidate.frequency, candidate.pivots, candidate.languages,
       candidate.probability, coalesce(paraphrase.translations, 0)
from seed cross join candidate on candidate.seed = seed.id
cross join sentence other on other.language = seed.language and other.text = candidate.text
left join paraphrase on paraphrase.sentence = seed.sentence and paraphrase.paraphrase = other.id
where seed.language = ? and seed.sentence is not null order by candidate.id
"""


def _generated(scratch: Store, language: str) -> _Generated:
    numbers, scores = [], []
    for number, seed, other, *figures, shared in scratch.connection.execute(_INSIDE, (language,)):
        generated = Finding("", "", odds=analogy_odds(*figures))
        direct = [Finding("", "", strength=detection_strength(shared))] if shared else []
        numbers.append((number, seed, other))
        scores.append((score([generated]), score([generated, *direct])))
    columns = np.array(numbers, dtype=np.int64).reshape(-1, 3).T
    return _Generated(*columns, *np.array(scores, dtype=np.float64).reshape(-1, 2).T)


def _measured(
    generated: _Generated, sentences: I64, sharing: Sharing, held_out: str, validity: GeneratedValidity
) -> tuple[MeasuredProbability, ...]:
    row = sharing.languages.index(held_out)
    one, other = np.searchsorted(sentences, generated.seed), np.searchsorted(sentences, generated.other)
    expected = sharing.shared.recalled(sharing.recalls, one, other)[row]
    chosen = expected > 0
    if not chosen.any():
        return ()
    confirmed = sharing.shared.languages_shared(one, other)[row]
    pairs = HeldOutPairs(confirmed, expected, np.minimum(one, other) * len(sentences) + np.maximum(one, other))[chosen]
    others = np.delete(sharing.shared.counts, row, axis=0).sum(axis=0) > 0
    elsewhere = (others[one] & others[other])[chosen]
    order = np.argsort(validity.candidate)
    place = order[np.searchsorted(validity.candidate, generated.candidate[chosen], sorter=order)]
    found = []
    for with_sharing, new, former in (
        (False, validity.alone, generated.former),
        (True, validity.validity, generated.former_with_sharing),
    ):
        found.append(
            MeasuredProbability(
                with_sharing,
                tuple(
                    Area(
                        only,
                        int(of.sum()),
                        area_under_curve(new[place][of], pairs.confirmed[of]),
                        area_under_curve(former[chosen][of], pairs.confirmed[of]),
                    )
                    for only, of in ((False, np.ones_like(elsewhere)), (True, elsewhere))
                ),
                tuple(bands(pairs, new[place])),
                tuple(curve(pairs, new[place])),
            )
        )
    return tuple(found)


_KEPT = f"""
select count(*) from seed cross join {CANDIDATES} candidate on candidate.seed = seed.id
where seed.language = :language and ({{kept}})
"""


def _yields(scratch: Store, language: str, kept: NSequenceFilter) -> Iterator[Yield]:
    for least in EDGES[1:-1]:
        filtered = replace(kept, min_validity=least)
        statement = _KEPT.format(kept=filtered.condition("candidate"))
        (count,) = scratch.connection.execute(statement, {"language": language, **filtered.values}).fetchone()
        yield Yield(least, count)


def _judged_bands(store: Store, language: str) -> list[Band]:
    judged: list[JudgedPair] = judged_pairs(store, language)
    if not judged:
        return []
    pairs = HeldOutPairs(
        np.array([each.accepted for each in judged]), np.ones(len(judged)), np.arange(len(judged), dtype=np.int64)
    )
    return bands(pairs, np.array([each.validity for each in judged]))

"""Reference sets to be measured for their variation, and how much their sentences vary."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from operator import itemgetter

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import Interval, bootstrap, pearson, percentile_interval
from corpusdb.base.tokenisation import Tokenise, tokeniser
from corpusdb.corpus.formats.records import ReferenceSet, exact_digest
from corpusdb.corpus.formats.segments import ReferenceTexts
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, Filter
from corpusdb.paraphrase.queries.origins.stored import CANDIDATES
from corpusdb.paraphrase.ranking import APART, EligibleParaphrase, diverse_choice
from corpusdb.scoring.measures import signature_of
from corpusdb.scoring.metric import References
from corpusdb.scoring.metric_settings import NO_SMOOTHING, MetricSettings, Smoothing
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.unit_metrics import bleu_scores, bleu_statistics, nist_scores, nist_statistics, normalised

# How much the sentences of a reference set vary, by what they score against each other.
# Lepage and Denoual (2005), section 7: paraphrases that are to be references should score low against their seed
# (Figure 2) and against each other (Table 7), since low scores show lexical and syntactical variation. BLEU and NIST
# are on the scale from 0 to 1, NIST by the score of the reference against itself (footnote 6). The paper names no
# order, case or tokenisation; BLEU to order 4 and NIST to order 5 without smoothing are what mteval gives. So a
# sentence of fewer than four words has a BLEU of 0 even against itself, unless the smoothing says ``effective``.
#
# The information weights of NIST are those of one test set in which each sentence that is scored is a segment.


@dataclass(frozen=True, slots=True)
class ParaphraseSet:
    """A seed and its paraphrases, one or more; together they are a reference set."""

    seed: str
    paraphrases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scoring:
    """How one sentence is scored against another."""

    tokenise: Tokenise
    order: int = 4
    """Of BLEU."""
    nist_order: int = 5
    smoothing: Smoothing = NO_SMOOTHING


@dataclass(frozen=True, slots=True)
class SeedVariation:
    """A point of Figure 2: the paraphrases of one seed, all together, against the seed."""

    length: int
    """Of the seed, in units."""
    paraphrases: int
    bleu: float
    nist: float


@dataclass(frozen=True, slots=True)
class Mean:
    """What the seeds of one length, or with one number of paraphrases, score on average."""

    x: int
    seeds: int
    score: float


@dataclass(frozen=True, slots=True)
class VariationCurve:
    """One of the four graphs of Figure 2."""

    measure: str
    """bleu or nist."""
    axis: str
    """length or paraphrases."""
    means: tuple[Mean, ...]
    """By x, ascending."""
    pearson: float | None
    """Between x and score over all seeds; None where one of them does not vary."""


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """A row of Table 7. The intervals are 95 % over samples of the sets and over which sentence is left out."""

    sets: int
    sentences: int
    bleu: float
    """The mean over all sentences but those left out, and over all draws."""
    bleu_interval: Interval
    nist: float
    nist_interval: Interval


@dataclass(frozen=True, slots=True)
class _Scores:
    """Statistics of sentences, each against one reference, a row each."""

    bleu: I64
    nist: F64
    own_nist: F64
    """Of each reference against itself."""
    lengths: I64
    """Of the references, in units."""


def seed_variation(sets: Sequence[ParaphraseSet], scoring: Scoring) -> list[SeedVariation]:
    """The score of each set against its seed (section 7.2): all its paraphrases as one test set with one reference.

    Raises InputError without sets, for a set without paraphrases and for blank seeds.
    """
    _check(sets)
    sizes = np.array([len(each.paraphrases) for each in sets], dtype=np.int64)
    hypotheses = [text for each in sets for text in each.paraphrases]
    scores = _scores(hypotheses, [each.seed for each in sets for _ in each.paraphrases], scoring)
    firsts = np.cumsum(sizes) - sizes
    bleu = bleu_scores(np.add.reduceat(scores.bleu, firsts), scoring.smoothing)[:, -1]
    nist = nist_scores(np.add.reduceat(scores.nist, firsts))[:, -1]
    nist = normalised(nist, nist_scores(scores.own_nist[firsts])[:, -1])
    rows = (scores.lengths[firsts].tolist(), sizes.tolist(), bleu.tolist(), nist.tolist())
    return [SeedVariation(*row) for row in zip(*rows, strict=True)]


def figure_2(points: Sequence[SeedVariation]) -> list[VariationCurve]:
    """The four graphs: BLEU and NIST by length of the seed, then both by number of paraphrases."""
    return [
        _curve(measure, axis, [(getattr(point, axis), getattr(point, measure)) for point in points])
        for axis in ("length", "paraphrases")
        for measure in ("bleu", "nist")
    ]


def leave_one_out(
    sets: Sequence[ParaphraseSet], scoring: Scoring, *, draws: int = 20, samples: int = 100, seed: int
) -> LeaveOneOut:
    """How little the sentences of whole sets vary among themselves (section 7.3, Table 7).

    In each draw one sentence of each set, seed included, is chosen at random and left out; each other sentence is
    scored against it alone, as a sentence. The paper draws once. The intervals resample the sets ``samples`` times in
    each draw. Raises InputError without sets, for a set of one sentence and for blank texts, and UsageError for fewer
    than one draw or sample.
    """
    _check(sets)
    if draws < 1:
        raise UsageError(f"at least one draw is needed, not {draws}")
    rng = np.random.default_rng(seed)
    cached = Scoring(cache(scoring.tokenise), scoring.order, scoring.nist_order, scoring.smoothing)
    texts = [(each.seed, *each.paraphrases) for each in sets]
    sizes = np.array([len(each) for each in texts], dtype=np.int64)
    firsts = np.cumsum(sizes - 1) - (sizes - 1)
    sums = np.empty((2, draws, len(sets), 2))
    sums[..., 1] = sizes - 1
    for draw in range(draws):
        chosen = rng.integers(0, sizes).tolist()
        pairs = [
            (text, each[left_out])
            for each, left_out in zip(texts, chosen, strict=True)
            for number, text in enumerate(each)
            if number != left_out
        ]
        bleu, nist = _sentence_scores(pairs, cached)
        sums[0, draw, :, 0] = np.add.reduceat(bleu, firsts)
        sums[1, draw, :, 0] = np.add.reduceat(nist, firsts)
    means = (sums[..., 0].sum(axis=(1, 2)) / sums[..., 1].sum(axis=(1, 2))).tolist()
    resampled = (bootstrap(each, _ratio, samples=samples, seed=seed) for each in sums)
    intervals = [percentile_interval(each.ravel()) for each in resampled]
    return LeaveOneOut(len(sets), int(sizes.sum()), means[0], intervals[0], means[1], intervals[1])


def _check(sets: Sequence[ParaphraseSet]) -> None:
    if not sets:
        raise InputError("there are no reference sets")
    for number, each in enumerate(sets, 1):
        if not each.paraphrases:
            raise InputError("the set has only one sentence", path="sets", line=number)


def _ratio(rows: F64) -> F64:
    quotients: F64 = rows[..., 0] / rows[..., 1]
    return quotients


def _sentence_scores(pairs: Iterable[tuple[str, str]], scoring: Scoring) -> tuple[F64, F64]:
    """BLEU and normalised NIST of each sentence against its one reference."""
    hypotheses, references = zip(*pairs, strict=True)
    scores = _scores(hypotheses, references, scoring)
    bleu = bleu_scores(scores.bleu, scoring.smoothing)[:, -1]
    return bleu, normalised(nist_scores(scores.nist)[:, -1], nist_scores(scores.own_nist)[:, -1])


def _scores(hypotheses: Sequence[str], texts: Sequence[str], scoring: Scoring) -> _Scores:
    references = References.of([[text] for text in texts], cache(scoring.tokenise))
    encoded = references.encode(hypotheses)
    return _Scores(
        bleu_statistics(encoded, references, scoring.order),
        nist_statistics(encoded, references, scoring.nist_order),
        nist_statistics(references.sequences, references, scoring.nist_order),
        references.sequences.lengths,
    )


def _curve(measure: str, axis: str, points: Sequence[tuple[int, float]]) -> VariationCurve:
    scores: defaultdict[int, list[float]] = defaultdict(list)
    for x, score in points:
        scores[x].append(score)
    means = tuple(Mean(x, len(here), sum(here) / len(here)) for x, here in sorted(scores.items()))
    return VariationCurve(measure, axis, means, pearson(*zip(*points, strict=True)) if points else None)


# Reference sets to be measured for their variation: generated ones from the database, others from files.


@dataclass(frozen=True, slots=True)
class SetSelection:
    kept: Filter = DEFAULT_FILTER
    """What a paraphrase must pass (section 4.4)."""
    least: int = 1
    """Minimum number of paraphrases of a seed."""
    sample: int = 400
    """How many seeds, drawn at random; 0 is all. The paper takes 400."""
    seed: int = 1
    varied: bool = False
    """Whether only those paraphrases of the seeds that are drawn stay that are APART from these and from each other."""


@dataclass(frozen=True, slots=True)
class Measuring:
    """How the sentences are scored, and what is drawn."""

    unit: str = "word"
    tokenisation: str | None = None
    lowercase: bool = False
    effective: bool = False
    """Whether BLEU of a sentence that is shorter than its order takes only the orders it has, instead of being 0."""
    draws: int = 20
    seed: int = 1

    @property
    def bleu(self) -> MetricSettings:
        smoothing = Smoothing(effective=self.effective)
        return settings_for(
            "bleu", unit=self.unit, tokenisation=self.tokenisation, lowercase=self.lowercase, smoothing=smoothing
        )

    @property
    def nist(self) -> MetricSettings:
        return settings_for("nist", unit=self.unit, tokenisation=self.tokenisation, lowercase=self.lowercase)


@dataclass(frozen=True, slots=True)
class VariationReport:
    name: str
    sets: int
    of: int
    """How many sets there were to draw from."""
    paraphrases: float
    """By set, on average."""
    table_7: LeaveOneOut
    figure_2: tuple[VariationCurve, ...]
    bleu_signature: str
    nist_signature: str


_SEEDS = f"""
select seed.text from seed join {CANDIDATES} candidate on candidate.seed = seed.id
where seed.language = :language and candidate.text <> seed.text and ({{kept}})
group by seed.id having count(*) >= :least order by seed.text
"""
_PARAPHRASES = f"""
select seed.text, candidate.text, coalesce(candidate.validity, 1.0) from json_each(:seeds) drawn
cross join seed on seed.language = :language and seed.text = drawn.value
cross join {CANDIDATES} candidate on candidate.seed = seed.id
where candidate.text <> seed.text and ({{kept}}) order by seed.text, candidate.text
"""


def generated_sets(store: Store, language: str, selection: SetSelection) -> tuple[list[ParaphraseSet], int]:
    """Seeds with their generated paraphrases, by the text of the seed, and how many seeds there were to draw from.

    The same sample for the same candidates, whatever the order in which they were made. Raises InputError where no seed
    has enough paraphrases.
    """
    kept = selection.kept.condition("candidate")
    bound = {"language": language, **selection.kept.values}
    found = store.connection.execute(_SEEDS.format(kept=kept), bound | {"least": selection.least})
    seeds = [row[0] for row in found]
    if not seeds:
        raise InputError(
            f"no seed of {language} has {selection.least} paraphrases at {selection.kept};"
            f" `corpusdb generate --lang {language}` makes them"
        )
    count = len(seeds)
    if selection.sample and selection.sample < count:
        seeds = random.Random(selection.seed).sample(seeds, selection.sample)
    rows = store.connection.execute(_PARAPHRASES.format(kept=kept), bound | {"seeds": json.dumps(seeds)})
    by_seed = groupby(rows, key=itemgetter(0))
    sets = {seed: [EligibleParaphrase(text, seed, value) for _, text, value in pairs] for seed, pairs in by_seed}
    if selection.varied:
        for seed, choices in sets.items():
            places = diverse_choice(choices, len(choices), [seed], language, apart=APART)
            sets[seed] = [choices[place] for place in places]
    return [ParaphraseSet(seed, tuple(each.text for each in left)) for seed, left in sets.items() if left], count


def hand_made_sets(
    segments: Iterable[Sequence[str]], sample: int = 0, seed: int = 1
) -> tuple[list[ParaphraseSet], int]:
    """One set for each segment of two references or more, or for ``sample`` of these, and how many of these there are.

    Which reference stands for the seed is drawn, because some test sets have them in an order, such as by length.
    """
    rng = random.Random(seed)
    sets = [
        ParaphraseSet(first, tuple(others))
        for first, *others in (rng.sample(each, len(each)) for each in segments)
        if others
    ]
    return (rng.sample(sets, sample) if 0 < sample < len(sets) else sets), len(sets)


def generated_variation(store: Store, language: str, selection: SetSelection, how: Measuring) -> VariationReport:
    """The variation of generated sets. Raises InputError where no seed has enough paraphrases."""
    sets, count = generated_sets(store, language, selection)
    name = f"generated, {language}, {selection.kept}{', varied' if selection.varied else ''}"
    return variation_report(name, sets, count, how)


def hand_made_variation(name: str, texts: ReferenceTexts, how: Measuring, *, sample: int = 0) -> VariationReport:
    """The variation of the references of a test set, of ``sample`` segments or of all. Raises InputError as above."""
    segments = [[reference.text for reference in references] for references in texts.references]
    sets, count = hand_made_sets(segments, sample, how.seed)
    return variation_report(name, sets, count, how)


def variation_report(name: str, sets: Sequence[ParaphraseSet], of: int, how: Measuring) -> VariationReport:
    """Table 7 and Figure 2 for these sets, drawn from ``of``. Raises InputError where there are none."""
    bleu, nist = how.bleu, how.nist
    tokenise = tokeniser(bleu.tokenisation or "none", lowercase=bleu.lowercase)
    scoring = Scoring(tokenise, bleu.order or 1, nist.order or 1, bleu.smoothing)
    table = leave_one_out(sets, scoring, draws=how.draws, seed=how.seed)
    # Which of the texts is the seed counts, too.
    texts = exact_digest(ReferenceSet("", each.seed, each.paraphrases) for each in sets)

    def signature(settings: MetricSettings) -> str:
        # Each sentence is scored against one other, whatever the size of its set.
        return str(replace(signature_of(settings, (1,), texts), seed=how.seed))

    return VariationReport(
        name=name,
        sets=len(sets),
        of=of,
        paraphrases=sum(len(each.paraphrases) for each in sets) / len(sets),
        table_7=table,
        figure_2=tuple(figure_2(seed_variation(sets, scoring))),
        bleu_signature=signature(bleu),
        nist_signature=signature(nist),
    )

"""Scores of systems against references, with their signatures and what chance may have done to them, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import UsageError, there_are
from corpusdb.base.estimates import (
    BootstrapComparison,
    Interval,
    Score,
    Spread,
    SystemComparison,
    bootstrap,
    paired_bootstrap,
    paired_randomisation,
    percentile_interval,
    spread,
)
from corpusdb.base.jobs import Job, Progress, finished, with_progress_if
from corpusdb.base.system_agreement import LEVEL, RankedSystem, ranked_systems
from corpusdb.base.text import are_undelimited, main_script
from corpusdb.base.tokenisation import needs_spaces
from corpusdb.corpus.formats.records import ReferenceSet, repeated
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.measures import measures, smoothed_for_segments, statistics_of_systems
from corpusdb.scoring.metric import Details, Measure
from corpusdb.scoring.metric_settings import MetricSettings, Signature
from corpusdb.scoring.metrics import computed_place
from corpusdb.scoring.queries.scoring_references import Freezing, ScoringReferences, format_undelimited

if TYPE_CHECKING:
    from corpusdb.scoring.queries.recipe import SubstitutionRecipe
    from corpusdb.scoring.queries.reference_equivalents import ReferenceEquivalents
    from corpusdb.scoring.substituted_measures import LatticeReferences

Significance: TypeAlias = Literal["randomisation", "bootstrap"]
DEFAULT_TEST: Final = "randomisation"
"""As in Riezler and Maxwell (2005), who find the bootstrap to call too many differences significant."""

NULL_HYPOTHESIS = "the two systems are equally good, and differ only by the choice of the segments"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How chance is tried out; samples, trials and seed are sacrebleu's unless others are given."""

    samples: int = 1000
    """Of the segments, by bootstrap."""
    seed: int = 12345
    confidence: float = 0.95
    trials: int = 10_000
    """Of approximate randomisation."""

    @classmethod
    def given(cls, count: int | None, seed: int) -> Sampling:
        """So many samples, and as many trials; as usual for None."""
        return cls(seed=seed) if count is None else cls(count, seed, trials=count)

    def drawn(self, test: Significance) -> int:
        return self.trials if test == "randomisation" else self.samples


Frames: TypeAlias = Literal["pandas", "polars"]


def frame_of(rows: Sequence[Mapping[str, Any]], library: Frames) -> Any:
    """Rows as a DataFrame, each with all columns. Raises UsageError where the library is not installed."""
    columns = dict.fromkeys(name for row in rows for name in row)
    try:
        return import_module(library).DataFrame([{name: row.get(name) for name in columns} for row in rows])
    except ImportError as error:
        raise UsageError(f"{library} is not installed: pip install {library}") from error


def compared(
    test: Significance, statistics: I64 | F64, score: Score, baseline: int, sampling: Sampling
) -> Sequence[SystemComparison]:
    """Each system against the one at ``baseline``, itself included."""
    options = {"baseline": baseline, "samples": sampling.drawn(test), "seed": sampling.seed}
    return (paired_randomisation if test == "randomisation" else paired_bootstrap)(statistics, score, **options)


@dataclass(frozen=True, eq=False, repr=False)
class MetricScores:
    """The scores of all systems by one metric, on the scale in which they are printed."""

    measure: Measure
    systems: tuple[str, ...]
    statistics: I64 | F64
    """Shape (systems, segments, columns)."""
    signature: str

    def __repr__(self) -> str:
        found = ", ".join(
            f"{name}: {score:.4f}" for name, score in zip(self.systems, self.scores.tolist(), strict=True)
        )
        return f"<{self.label} {found}>"

    def __getitem__(self, system: str) -> float:
        """The score of the system of this name. Raises UsageError where none has it."""
        if system not in self.systems:
            raise UsageError(f"there is no system {system!r}; {there_are(system, self.systems)}")
        return float(self.scores[self.systems.index(system)])

    @property
    def settings(self) -> MetricSettings:
        return self.measure.settings

    @property
    def label(self) -> str:
        return self.measure.label

    @property
    def short_signature(self) -> str:
        """The signature to be read, without what only a computer needs."""
        return Signature.parse(self.signature).short()

    @property
    def sacrebleu_signature(self) -> str | None:
        """That of sacrebleu for the same numbers; None where it has none such."""
        return Signature.parse(self.signature).of_sacrebleu()

    def signatures(self) -> dict[str, str | None]:
        """All of them, as JSON has them."""
        names = ("signature", "short_signature", "sacrebleu_signature")
        return {name: getattr(self, name) for name in names}

    @cached_property
    def scores(self) -> F64:
        """Of each system over all segments."""
        return self.measure.scores(self.statistics.sum(axis=1))

    @cached_property
    def segments(self) -> F64:
        """Of each system for each segment: shape (systems, segments)."""
        return self.measure.of_segments.scores(self.statistics)

    def details(self, at: int) -> Details:
        """What the score of the system of this number, from 0, is made of."""
        return self.measure.metric.details(self.settings, self.statistics[at].sum(axis=0))

    def rows(self, *, segments: bool = False, intervals: bool = False) -> list[dict[str, Any]]:
        """A row for each system, with what its score is made of and the signature, or for each segment of each.

        ``intervals``: with the low and high end of that of each system, as ``intervals`` has it.
        """
        if segments:
            return [
                {"segment": number, "system": system, "metric": self.label, "score": value}
                for system, values in zip(self.systems, self.segments.tolist(), strict=True)
                for number, value in enumerate(values, 1)
            ]
        bounds = [asdict(each) for each in self.intervals()] if intervals else [dict[str, float]()] * len(self.systems)
        told = {"signature": self.signature}
        return [
            {"system": system, "metric": self.label, "score": value, **bounds[at], **self.details(at), **told}
            for at, (system, value) in enumerate(zip(self.systems, self.scores.tolist(), strict=True))
        ]

    def frame(self, library: Frames = "pandas", *, segments: bool = False, intervals: bool = False) -> Any:
        """The rows as a DataFrame. Raises UsageError where the library is not installed."""
        return frame_of(self.rows(segments=segments, intervals=intervals), library)

    def intervals(self, sampling: Sampling | None = None) -> list[Interval]:
        """Of each system, by bootstrap over the segments: 95 %, 1,000 samples and seed 12345 if not given."""
        sampling = Sampling() if sampling is None else sampling
        resampled = bootstrap(self.statistics, self.measure.scores, samples=sampling.samples, seed=sampling.seed)
        return [percentile_interval(row, sampling.confidence) for row in resampled]

    def comparisons(self, test: Significance, baseline: int, sampling: Sampling) -> Sequence[SystemComparison]:
        """Each system against the one at ``baseline``, itself included; wins are those of the better system."""
        found = compared(test, self.statistics, self.measure.scores, baseline, sampling)
        if not self.measure.metric.lower_is_better:
            return found
        return [replace(x, wins=1 - x.wins) if isinstance(x, BootstrapComparison) else x for x in found]

    def spreads(self, outputs: Sequence[Output], draws: int, sampling: Sampling) -> Job[list[Spread]]:
        """How each score varies with the segments and with the references, over draws of these.

        Raises UsageError for TER, and for fewer than two draws.
        """
        drawn = list(self.measure.resampled(draws, seed=sampling.seed))
        spreads: list[Spread] = []
        for number, output in enumerate(outputs):
            rows: list[Any] = []
            for measure in drawn:
                yield Progress(f"drawing references of {self.label}", number * draws + len(rows), len(outputs) * draws)
                rows.append(measure.statistics(output.texts))
            spreads.append(spread(np.array(rows), self.measure.scores, samples=sampling.samples, seed=sampling.seed))
        return spreads


def score_systems(
    outputs: Sequence[Output], references: ScoringReferences, settings: Sequence[MetricSettings]
) -> list[MetricScores]:
    return finished(scoring(outputs, references, settings))


def scoring(
    outputs: Sequence[Output], references: ScoringReferences, settings: Sequence[MetricSettings], processes: int = 1
) -> Job[list[MetricScores]]:
    """Score every output by every metric, by slow ones in as many processes.

    Raises InputError where a segment has no reference, and UsageError where a metric or tokenisation needs a package
    that is not installed.
    """
    return (yield from scores_by(outputs, measures(settings, references.texts), references, processes))


def scores_by(
    outputs: Sequence[Output], chosen: Sequence[Measure], references: ScoringReferences, processes: int = 1
) -> Job[list[MetricScores]]:
    """The scores of every output by measures that are there, signed with these references."""
    systems = tuple(output.system for output in outputs)
    texts = [output.texts for output in outputs]
    found = []
    for measure in chosen:
        statistics = yield from statistics_of_systems(measure, texts, processes)
        signature = references.signed(measure.signature(references.digest))
        found.append(MetricScores(measure, systems, statistics, signature))
    return found


def freezing_notes(outputs: Sequence[Output], freezing: Freezing | None) -> Iterator[str]:
    """That the references were made for outputs, where they were, and which of these outputs they were not made for."""
    if freezing is None:
        return
    yield freezing.note
    for output in outputs:
        if not freezing.has_guided(output):
            yield (
                f"{output.path}: did not guide the references of {freezing.name}, which favour the systems"
                " that did: the two cannot be compared by this score"
            )


def notes_on(outputs: Sequence[Output], references: ScoringReferences, scores: Sequence[MetricScores]) -> Iterator[str]:
    """What someone should know of these scores, though nothing is refused for it."""
    segments = len(references.sets)
    for output in outputs:
        if empty := sum(not text.strip() for text in output.texts):
            yield f"{output.path}: {empty:,} of {segments:,} hypotheses are empty, and score as such"
    if any(each.settings.tokenisation not in (None, "none", "char") for each in scores):
        yield from _notes_on_tokenised(outputs)
    yield from notes_on_sameness(outputs, references)
    yield from _notes_on_copies(references, scores)
    for each in scores:
        if told := note_on_words(each.settings, each.label, references.sets):
            yield told
        for system, row in zip(each.systems, each.statistics.sum(axis=1), strict=True):
            if remark := each.measure.metric.remark(each.settings, row):
                yield f"{each.label} of {system} {remark}"


def needs_spaced_words(settings: MetricSettings) -> bool:
    """Whether a metric counts words that are told apart by the spaces between them."""
    cuts_characters = settings.normalised and settings.asian_support
    cuts_itself = settings.tokenisation is None and settings.unit == "word" and not cuts_characters
    return cuts_itself or needs_spaces(settings.tokenisation)


def note_on_words(settings: MetricSettings, label: str, sets: Sequence[ReferenceSet]) -> str | None:
    """That no spaces tell the words apart which a metric counts, and what to count; None where this changes little."""
    if not needs_spaced_words(settings) or not (told := format_undelimited(sets)):
        return None
    texts = [text for each in sets for text in each.references]
    cutting = "ja-sudachi or ja-mecab cut" if "hiragana" in map(main_script, texts) else "zh or char cuts"
    how = f"--unit char counts characters, -tok {cutting} into words"
    how = "chrF needs no words" if settings.tokenisation is None else how
    return f"{label}{' is meaningless' * are_undelimited(texts)}: {told}; {how}"


_TOKENISED: Final = 100
"""Lines that end in a full stop of its own from which on sacrebleu warns."""


def _notes_on_tokenised(outputs: Sequence[Output]) -> Iterator[str]:
    for output in outputs:
        apart = sum(text.endswith(" .") for text in output.texts)
        if apart >= min(_TOKENISED, len(output.texts) / 2):
            yield (
                f"{output.path}: {apart:,} hypotheses end in ' .', as tokenised ones do:"
                " scores are of detokenised text; -tok none takes spaces as they are"
            )


_NEARLY_ALL: Final = 0.95
"""The share of segments from which on texts that are the same are no chance."""


def notes_on_sameness(outputs: Sequence[Output], references: ScoringReferences) -> Iterator[str]:
    """Where texts are given as what they are not: the source, or a reference, as an output, the source as reference."""
    segments = len(references.sets)
    for output in outputs:
        pairs = list(zip(output.texts, references.sets, strict=True))
        if sum(text.strip() == each.source.strip() != "" for text, each in pairs) * 2 > segments:
            yield f"{output.path}: more than half of the hypotheses are the source"
        same = sum(text in each.references for text, each in pairs)
        if same == segments:
            yield f"{output.path}: every hypothesis is one of its references"
        elif same >= _NEARLY_ALL * segments:
            yield f"{output.path}: {same:,} of {segments:,} hypotheses are one of their references"
    sources = sum(each.source.strip() != "" and each.source in each.references for each in references.sets)
    if sources >= _NEARLY_ALL * segments:
        yield f"the source is given as a reference: {sources:,} of {segments:,} segments are the same"


def _notes_on_copies(references: ScoringReferences, scores: Sequence[MetricScores]) -> Iterator[str]:
    segments, having = len(references.sets), sum(repeated(each) > 0 for each in references.sets)
    # Two translators write the same now and then; where many segments have a copy, a format filled them up.
    if 10 * having <= segments:
        return
    told = f"{having:,} of {segments:,} segments have a reference twice, as files have that are filled up"
    counting = [each.label for each in scores if each.measure.metric.counts_copies]
    if not counting:
        yield f"{told} or given twice: the score is the same without, refs: and copies: in the signature count them"
    end = "(sacrebleu, sgm, wmt), and every copy counts: as jsonl or tsv the set scores otherwise"
    yield from (f"{label}: {told} {end}" for label in counting)


# Scores as rows, a system and a metric each, with what chance may have done to them.


_MANY_DRAWN: Final = 1_000_000
"""Segments of all systems in all samples from which on it takes so long that it is told of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    sampling: Sampling
    intervals: bool = False
    """Of 95 %, by bootstrap over the segments."""
    test: Significance | None = None
    """Of every system against the baseline."""
    baseline: int = 0
    """The number of an output, from 0."""
    reference_draws: int = 0
    """How often the references are drawn, too; 0 is not at all."""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    system: str
    scores: MetricScores
    at: int
    """The number of the system among these, from 0."""
    interval: Interval | None
    comparison: SystemComparison | None
    """With the baseline; None for the baseline itself."""
    spread: Spread | None
    stored: int | None = None

    @property
    def score(self) -> float:
        return float(self.scores.scores[self.at])

    @property
    def details(self) -> Details:
        return self.scores.details(self.at)

    @property
    def segments(self) -> F64:
        segments: F64 = self.scores.segments[self.at]
        return segments

    @property
    def smoothed_segments(self) -> F64:
        """The same with BLEU smoothed as `compare` has it: most segments that have 0 are told apart."""
        return smoothed_for_segments(self.scores.measure).of_segments.scores(self.scores.statistics[self.at])


def making_rows(outputs: Sequence[Output], scores: Sequence[MetricScores], chance: Chance) -> Job[list[ScoreRow]]:
    """A row for each metric of the first system, then those of the next.

    Raises UsageError where references are to be drawn, and a metric keeps them to itself.
    """
    columns = []
    for each in scores:
        is_long = each.statistics.shape[1] * len(outputs) * chance.sampling.samples >= _MANY_DRAWN
        columns.append(list((yield from with_progress_if(is_long, _rows_of_metric(outputs, each, chance)))))
    return [row for of_system in zip(*columns, strict=True) for row in of_system]


def with_numbers(
    rows: Sequence[ScoreRow], scores: Sequence[MetricScores], stored: Sequence[Sequence[int]]
) -> list[ScoreRow]:
    """The rows with the numbers of their stored scores, which are as store_scores returns them."""
    numbers = {id(each): of_metric for each, of_metric in zip(scores, stored, strict=True)}
    return [replace(row, stored=numbers[id(row.scores)][row.at]) for row in rows]


def _rows_of_metric(outputs: Sequence[Output], scores: MetricScores, chance: Chance) -> Job[list[ScoreRow]]:
    sampling = chance.sampling
    intervals = comparisons = spreads = None
    if chance.intervals:
        yield Progress(f"resampling segments for the intervals of {scores.label}", 0, 0)
        intervals = scores.intervals(sampling)
    if chance.test:
        yield Progress(f"resampling segments to compare systems by {scores.label}", 0, 0)
        comparisons = scores.comparisons(chance.test, chance.baseline, sampling)
    if chance.reference_draws:
        spreads = yield from scores.spreads(outputs, chance.reference_draws, sampling)
    return [
        ScoreRow(
            system=output.system,
            scores=scores,
            at=at,
            interval=intervals[at] if intervals else None,
            comparison=comparisons[at] if comparisons and at != chance.baseline else None,
            spread=spreads[at] if spreads else None,
        )
        for at, output in enumerate(outputs)
    ]


def best_first(rows: Sequence[ScoreRow], metric: str) -> list[ScoreRow]:
    """The rows with the systems in the order of their scores by a metric, which may be named as in a table.

    Systems that are equal stay in their order. Raises UsageError for a metric that they were not scored by.
    """
    metrics = list({id(row.scores): row.scores for row in rows}.values())
    scores = metrics[computed_place([each.settings for each in metrics], metric, "--sort")]
    sign = 1 if scores.measure.metric.lower_is_better else -1
    return sorted(rows, key=lambda row: sign * float(scores.scores[row.at]))


# Every system against every other.


@dataclass(frozen=True, eq=False)
class SystemPairs:
    """The systems by one metric, each compared with each."""

    scores: MetricScores
    comparisons: Sequence[Sequence[SystemComparison]]
    """Of each system from each other one, by their numbers."""
    ranked: Sequence[RankedSystem]

    @property
    def order(self) -> list[int]:
        """The numbers of the systems, the best first."""
        return [self.scores.systems.index(each.system) for each in self.ranked]


def comparing_pairs(scores: MetricScores, test: Significance, sampling: Sampling) -> Job[SystemPairs]:
    """Compare all pairs of systems. One is better where p is less than 0.05 and the interval, if there is one, is
    beside 0."""
    count, sign = len(scores.systems), -1 if scores.measure.metric.lower_is_better else 1
    columns: list[list[SystemComparison]] = []
    for baseline in range(count):
        yield Progress(f"comparing pairs of systems by {scores.label}", baseline, count)
        columns.append([*scores.comparisons(test, baseline, sampling)])
    rows = list(zip(*columns, strict=True))
    is_better = np.array([[sign * each.difference > 0 and _is_sure(each) for each in row] for row in rows])
    ranked = ranked_systems(scores.systems, (sign * scores.scores).tolist(), is_better)
    return SystemPairs(scores, rows, [replace(each, score=sign * each.score) for each in ranked])


def _is_sure(found: SystemComparison) -> bool:
    is_beside = not isinstance(found, BootstrapComparison) or not found.interval.low <= 0 <= found.interval.high
    return found.p_value < LEVEL and is_beside


# Scores of systems against references in which equivalents are substituted.


def score_over_lattices(
    outputs: Sequence[Output],
    references: ScoringReferences,
    lattices: LatticeReferences,
    settings: Sequence[MetricSettings],
) -> list[MetricScores]:
    """The scores of every output over all paths of the lattices of the same references.

    Raises UsageError for a metric that has no such score, and InputError where a segment has no reference.
    """
    from corpusdb.scoring.substituted_measures import lattice_measures

    return finished(scores_by(outputs, lattice_measures(settings, lattices), references))


def substitution_note(found: ReferenceEquivalents, recipe: SubstitutionRecipe, lattices: LatticeReferences) -> str:
    """How many equivalents there are and where they can stand, in words."""
    sets, members = found.counted(recipe)
    places = [sum(len(text.everything) for text in own) for own in lattices.texts]
    segments = sum(map(bool, places))
    told = (
        f"{sets:,} equivalence sets of {members:,} words and phrases; {sum(places):,} substitutions "
        f"in {segments:,} of {len(places):,} segments"
    )
    if not recipe.spellings:
        return told
    spelled = sum(each.probability == 1 for own in lattices.texts for text in own for each in text.replacements)
    return f"{told}, {spelled:,} of them the same words written otherwise"

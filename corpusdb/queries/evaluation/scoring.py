"""Scores of systems against references from files or from the corpus, with their signatures and uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from corpusdb.arrays import F64, I64
from corpusdb.errors import InputError
from corpusdb.formats import ReferenceSet
from corpusdb.formats.files.reading import digest_of
from corpusdb.formats.reference_digest import digest, output_digest, repeated
from corpusdb.formats.scoring_input import Output, ReferenceTexts, reference_files
from corpusdb.japanese import Rewriting, RuleSet
from corpusdb.jobs import Job, finished
from corpusdb.metrics.measures import measures, statistics_of_systems
from corpusdb.metrics.metric import Details, Measure
from corpusdb.metrics.settings import Settings
from corpusdb.metrics.signature import Signature
from corpusdb.metrics.tokenisation import needs_spaces
from corpusdb.queries.references.combined_sets import Additions, combined_sets, signed_origins
from corpusdb.queries.references.reference_sets import (
    AttributedSet,
    Recipe,
    expected_precision,
    written_of,
)
from corpusdb.stats.intervals import Interval
from corpusdb.stats.resampling import (
    BootstrapComparison,
    Comparison,
    Spread,
    bootstrap,
    paired_bootstrap,
    paired_randomisation,
    percentile_interval,
    spread,
)
from corpusdb.text import has_undelimited_script

__all__ = [
    "NULL_HYPOTHESIS",
    "Freezing",
    "MetricScores",
    "RuleRewriting",
    "Sampling",
    "ScoringReferences",
    "Significance",
    "covered_segments",
    "freezing_notes",
    "notes_on",
    "references_from_both",
    "references_from_corpus",
    "references_from_files",
    "score_systems",
    "scores_by",
    "scoring",
]

Significance: TypeAlias = Literal["bootstrap", "randomisation"]
Origin: TypeAlias = Literal["corpus", "files"]

NULL_HYPOTHESIS = "system and baseline are equally good, and they differ only by the choice of the segments"


@dataclass(frozen=True, slots=True)
class Freezing:
    """That a reference set was made for outputs of systems, and signed before any score on it was shown."""

    name: str
    """Of the set."""
    frozen: str
    """When, UTC, ISO 8601."""
    guided_by: tuple[tuple[str, str], ...]
    """The systems that it was made for, each with the digest of its output."""

    @property
    def note(self) -> str:
        """In words what a reader of a score on this set has to know."""
        systems = "1 system" if len(self.guided_by) == 1 else f"{len(self.guided_by):,} systems"
        return (
            f"references generated for these outputs ({self.name}): frozen on {self.frozen[:10]}, guided by {systems}"
        )

    def document(self) -> dict[str, object]:
        """The same as JSON has it beside a score."""
        return {"name": self.name, "frozen": self.frozen, "systems": [system for system, _ in self.guided_by]}

    def has_guided(self, output: Output) -> bool:
        """Whether the set was made for this output, under whatever name."""
        return output_digest(output.texts) in {digest for _, digest in self.guided_by}


@dataclass(frozen=True, slots=True)
class RuleRewriting:
    """That rules added to a reference set."""

    label: str
    """As signatures have it: the set, its digest, the most of a text, the analyser."""
    rules: RuleSet
    lineages: tuple[Mapping[str, tuple[str, Rewriting]], ...] = ()
    """Of each segment the references that were added, with the reference that each was made of; none where they are not
    known."""


@dataclass(frozen=True)
class ScoringReferences:
    """The references of every segment, and what they were made from."""

    sets: tuple[ReferenceSet, ...]
    labels: tuple[tuple[str, ...], ...]
    """For each reference of each segment where it comes from: file and line, or its origins in the corpus."""
    origin: Origin
    parameters: dict[str, Any]
    """What the set can be made from again, as JSON can hold it."""
    attributed: tuple[AttributedSet, ...] = ()
    """The sets with their origins, where they come from the corpus."""
    freezing: Freezing | None = None
    """Where the set was made for outputs."""
    rewriting: RuleRewriting | None = None
    """Where rules added to it."""
    signed_as: str | None = None
    """The digest that a frozen set was signed with, which may be one of an older version."""
    pivots: tuple[str, ...] = ()
    """The languages through which the corpus relates its references; none where that is not known."""

    @cached_property
    def digest(self) -> str:
        """What names the set: see reference_digest; signatures have its beginning."""
        return self.signed_as or digest(self.sets)

    @cached_property
    def have_undelimited_script(self) -> bool:
        """Whether one of them is in a script that does not put spaces between words."""
        return any(has_undelimited_script(text) for each in self.sets for text in each.references)

    @property
    def validity(self) -> float | None:
        """The expected precision of the references from the corpus; None where nothing is known of it."""
        return expected_precision(self.attributed)

    @property
    def texts(self) -> list[tuple[str, ...]]:
        return [each.references for each in self.sets]

    @property
    def written(self) -> list[tuple[str, ...]]:
        """Of each segment the references that people wrote: not those that the corpus or rules made of others.

        All of them where nothing is known of that; the source where the corpus made every one.
        """
        if not self.attributed:
            added = () if self.rewriting is None else self.rewriting.lineages
            made = added or ({},) * len(self.sets)
            return [
                tuple(text for text in each.references if text not in of_rules)
                for each, of_rules in zip(self.sets, made, strict=True)
            ]
        return [written_of(each) for each in self.attributed]

    def signed(self, signature: Signature) -> str:
        """A signature of scores on these references; with how many are copies, and what else they are besides."""
        return str(
            replace(
                signature,
                copies=sum(map(repeated, self.sets)) or None,
                origins=signed_origins(self.parameters, from_corpus=self.origin == "corpus"),
                guided=None if self.freezing is None else len(self.freezing.guided_by),
                rules=None if self.rewriting is None else self.rewriting.label,
            )
        )

    def __str__(self) -> str:
        counts = [len(each.references) for each in self.sets]
        told = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
        return f"{told} reference{'' if max(counts) == 1 else 's'} of {len(counts):,} segments"

    @property
    def language(self) -> str | None:
        """That of references from the corpus; None where it is not known."""
        made: Mapping[str, Any] = self.parameters if self.freezing is None else self.parameters["guided"]
        return made.get("language")

    @property
    def corpus_language(self) -> str | None:
        """That of the references that the corpus made; None where it made none."""
        return self.language if self.origin == "corpus" or self.freezing is not None else None


def references_from_files(
    texts: ReferenceTexts, paths: Sequence[Path], sources: Sequence[str] = ()
) -> ScoringReferences:
    """References as files hold them; with their sources, or those given with them."""
    known = sources or texts.sources or ("",) * len(texts.references)
    sets = tuple(
        ReferenceSet(str(number), source, tuple(each.text for each in references))
        for number, (source, references) in enumerate(zip(known, texts.references, strict=True), 1)
    )
    labels = tuple(tuple(map(str, references)) for references in texts.references)
    named = (path for path in reference_files(paths) if path.name != "-")
    files = [{"path": str(path.resolve()), "digest": digest_of([path])} for path in named]
    return ScoringReferences(sets, labels, "files", {"files": files})


def references_from_corpus(sets: Sequence[AttributedSet], recipe: Recipe) -> ScoringReferences:
    """References made by a recipe. Raises InputError, with the number of the source, for one that has none."""
    for number, each in enumerate(sets, 1):
        if not each.references:
            wanted = ", ".join(recipe.origins)
            raise InputError(f"the corpus has no reference ({wanted}) for {each.source!r}", path="source", line=number)
    parameters = recipe.document() | {"sources": [each.source for each in sets]}
    labels = tuple(tuple("+".join(reference.origins) for reference in each.references) for each in sets)
    plain = tuple(each.plain(number) for number, each in enumerate(sets, 1))
    return ScoringReferences(plain, labels, "corpus", parameters, tuple(sets))


def references_from_both(given: ScoringReferences, added: Additions, recipe: Recipe) -> ScoringReferences:
    """References of files with those of the corpus behind them; a segment that the corpus knows nothing of stays."""
    both = combined_sets(given.sets, added.sets)
    parameters = recipe.document() | added.parameters(given.sets)
    labels = tuple(
        (*label, *("+".join(one.origins) for one in each.references[len(label) :]))
        for label, each in zip(given.labels, both, strict=True)
    )
    plain = tuple(each.plain(number) for number, each in enumerate(both, 1))
    return ScoringReferences(plain, labels, "corpus", given.parameters | parameters, both)


def covered_segments(
    outputs: Sequence[Output], sets: Sequence[AttributedSet], recipe: Recipe
) -> tuple[list[Output], ScoringReferences]:
    """Outputs and references of the segments that have any, of which there is one or more."""
    kept = [number for number, each in enumerate(sets) if each.references]
    chosen = [replace(output, texts=tuple(output.texts[number] for number in kept)) for output in outputs]
    return chosen, references_from_corpus([sets[number] for number in kept], recipe)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How chance is tried out."""

    samples: int = 1000
    seed: int = 1
    confidence: float = 0.95


@dataclass(frozen=True, eq=False)
class MetricScores:
    """The scores of all systems by one metric, on the scale in which they are printed."""

    measure: Measure
    systems: tuple[str, ...]
    statistics: I64 | F64
    """Shape (systems, segments, columns)."""
    signature: str

    @property
    def settings(self) -> Settings:
        return self.measure.settings

    @property
    def label(self) -> str:
        """What the metric is called in a table."""
        return self.measure.label

    @property
    def short_signature(self) -> str:
        """The signature to be read, without what only a computer needs."""
        return Signature.parse(self.signature).short()

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

    def intervals(self, sampling: Sampling) -> list[Interval]:
        """The confidence interval of each score, by bootstrap over the segments."""
        resampled = bootstrap(self.statistics, self.measure.scores, samples=sampling.samples, seed=sampling.seed)
        return [percentile_interval(row, sampling.confidence) for row in resampled]

    def comparisons(
        self, test: Significance, baseline: int, sampling: Sampling
    ) -> list[Comparison | BootstrapComparison]:
        """Each system against the one at ``baseline``, itself included; wins are those of the better system."""
        options = {"baseline": baseline, "samples": sampling.samples, "seed": sampling.seed}
        if test == "randomisation":
            return [*paired_randomisation(self.statistics, self.measure.scores, **options)]
        found = paired_bootstrap(self.statistics, self.measure.scores, **options)
        if not self.measure.metric.lower_is_better:
            return [*found]
        return [replace(each, wins=1 - each.wins) for each in found]

    def spreads(self, outputs: Sequence[Output], draws: int, sampling: Sampling) -> list[Spread]:
        """How each score varies with the segments and with the references, over draws of these.

        Raises UsageError for the metrics of sacrebleu, and for fewer than two draws.
        """
        drawn = list(self.measure.resampled(draws, seed=sampling.seed))
        spreads = []
        for output in outputs:
            rows = np.array([measure.statistics(output.texts) for measure in drawn])
            spreads.append(spread(rows, self.measure.scores, samples=sampling.samples, seed=sampling.seed))
        return spreads


def score_systems(
    outputs: Sequence[Output], references: ScoringReferences, settings: Sequence[Settings]
) -> list[MetricScores]:
    """The scores of every output by every metric, as ``scoring`` makes them."""
    return finished(scoring(outputs, references, settings))


def scoring(
    outputs: Sequence[Output], references: ScoringReferences, settings: Sequence[Settings], processes: int = 1
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
        pairs = list(zip(output.texts, references.sets, strict=True))
        if sum(text.strip() == each.source.strip() != "" for text, each in pairs) * 2 > segments:
            yield f"{output.path}: more than half of the hypotheses are the source"
        if all(text in each.references for text, each in pairs):
            yield f"{output.path}: every hypothesis is one of its references"
    yield from _notes_on_copies(references, scores)
    for each in scores:
        if needs_spaces(each.settings.tokenisation) and references.have_undelimited_script:
            yield f"{each.label}: the references hold a script without spaces; --unit char needs no words"
        for system, row in zip(each.systems, each.statistics.sum(axis=1), strict=True):
            if remark := each.measure.metric.remark(each.settings, row):
                yield f"{each.label} of {system} {remark}"


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

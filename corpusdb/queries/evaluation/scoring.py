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
from corpusdb.formats.reference_digest import digest, output_digest
from corpusdb.formats.scoring_input import Output, ReferenceTexts
from corpusdb.japanese import Rewriting, RuleSet
from corpusdb.metrics.measures import measures
from corpusdb.metrics.metric import Measure
from corpusdb.metrics.settings import Settings
from corpusdb.metrics.signature import Signature
from corpusdb.queries.references.reference_sets import AttributedSet, Recipe, expected_precision
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
    "check_covered",
    "covered_segments",
    "freezing_notes",
    "needs_spaces",
    "notes_on",
    "references_from_corpus",
    "references_from_files",
    "score_systems",
    "scores_by",
    "with_distinct_names",
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
        count = len(self.guided_by)
        systems = "1 system" if count == 1 else f"{count:,} systems"
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

    @cached_property
    def digest(self) -> str:
        """SHA-256 of sources and references; signatures have its beginning."""
        return digest(self.sets)

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

    def signed(self, signature: Signature) -> str:
        """A signature of scores on these references; with what they were made for, and which rules added some."""
        guided = None if self.freezing is None else len(self.freezing.guided_by)
        return str(replace(signature, guided=guided, rules=None if self.rewriting is None else self.rewriting.label))

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
    def precision_note(self) -> str | None:
        """In words how many of the references probably hold, where something is known of it."""
        if self.validity is None:
            return None
        return f"of the detected and generated references {self.validity:.1%} are expected to hold"


def references_from_files(
    texts: ReferenceTexts, paths: Sequence[Path], sources: Sequence[str] = ()
) -> ScoringReferences:
    """References as files hold them; their sources, or those given with them, are part of the digest."""
    known = sources or texts.sources or ("",) * len(texts.references)
    sets = tuple(
        ReferenceSet(str(number), source, tuple(each.text for each in references))
        for number, (source, references) in enumerate(zip(known, texts.references, strict=True), 1)
    )
    labels = tuple(tuple(map(str, references)) for references in texts.references)
    files = [{"path": str(path.resolve()), "digest": digest_of([path])} for path in paths if path.name != "-"]
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


def check_covered(sets: Sequence[AttributedSet], recipe: Recipe, source: Path) -> None:
    """Raise InputError, with the line of the first in the file of the sources, where some have no reference."""
    missing = [number for number, each in enumerate(sets, 1) if not each.references]
    if missing:
        reason = f"the corpus has no reference ({', '.join(recipe.origins)}) in {recipe.language}"
        advice = "; --skip-missing leaves them out" if len(missing) < len(sets) else ""
        raise InputError(
            f"{reason} for {len(missing):,} sources, this is the first{advice}", path=source, line=missing[0]
        )


def covered_segments(
    outputs: Sequence[Output], sets: Sequence[AttributedSet], recipe: Recipe, source: Path
) -> tuple[list[Output], ScoringReferences]:
    """Outputs and references of the segments that have any. Raises InputError as check_covered where none has."""
    kept = [number for number, each in enumerate(sets) if each.references]
    if not kept:
        check_covered(sets, recipe, source)
    chosen = [replace(output, texts=tuple(output.texts[number] for number in kept)) for output in outputs]
    return chosen, references_from_corpus([sets[number] for number in kept], recipe)


def with_distinct_names(outputs: Sequence[Output]) -> list[Output]:
    """The outputs under the names of their systems; by their files where two systems have one name."""
    names = [output.system for output in outputs]
    return [
        output if names.count(output.system) == 1 else replace(output, system=str(output.path)) for output in outputs
    ]


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

    @cached_property
    def scores(self) -> F64:
        """Of each system over all segments."""
        return self.measure.scores(self.statistics.sum(axis=1))

    @cached_property
    def segments(self) -> F64:
        """Of each system for each segment: shape (systems, segments)."""
        return self.measure.scores(self.statistics)

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
    """The scores of every output by every metric.

    Raises InputError where a segment has no reference, and UsageError where a metric or tokenisation needs a package
    that is not installed.
    """
    return scores_by(outputs, measures(settings, references.texts), references)


def scores_by(
    outputs: Sequence[Output], chosen: Sequence[Measure], references: ScoringReferences
) -> list[MetricScores]:
    """The scores of every output by measures that are there, signed with these references."""
    systems = tuple(output.system for output in outputs)
    found = []
    for measure in chosen:
        statistics = np.array([measure.statistics(output.texts) for output in outputs])
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
    for each in scores:
        if needs_spaces(each.settings.tokenisation) and references.have_undelimited_script:
            yield f"{each.label}: the references hold a script without spaces; --unit char needs no words"
        for system, row in zip(each.systems, each.statistics.sum(axis=1), strict=True):
            if remark := each.measure.metric.remark(each.settings, row):
                yield f"{each.label} of {system} {remark}"


def needs_spaces(tokenisation: str | None) -> bool:
    """Whether words are told apart by the spaces between them."""
    return tokenisation in ("13a", "intl", "none")

"""Scores of systems without a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from corpusdb.corpus.formats import ReferenceSet
    from corpusdb.scoring.metrics.settings import Settings
    from corpusdb.scoring.queries.scoring import MetricScores

__all__ = ["score", "scores_of"]


def score(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    metrics: Sequence[str | Settings] = ("bleu",),
    *,
    sources: Sequence[str] = (),
) -> list[MetricScores]:
    """The scores of each system by each metric: one hypothesis and any number of references for each segment.

    A metric is a name, or its settings. The digest in the signatures is that of the references.
    Raises InputError where the numbers of segments differ, and UsageError for a metric that there is not.

    >>> [bleu] = corpusdb.score({"one": ["Where is the bus stop?"]}, [["Where's the bus stop?", "Where is the bus?"]])
    >>> round(float(bleu.scores[0]), 2)
    90.36
    >>> bleu.signature.split("|set:")[0]
    'metric:bleu|order:4|unit:word|case:mixed|tok:13a|smooth:none|refs:2'
    """
    from corpusdb.base.errors import InputError
    from corpusdb.corpus.formats import ReferenceSet

    if sources and len(sources) != len(references):
        raise InputError(f"{len(sources):,} sources for the references of {len(references):,} segments")
    known = sources or ("",) * len(references)
    numbered = enumerate(zip(known, references, strict=True), 1)
    return scores_of(systems, [ReferenceSet(str(n), source, tuple(texts)) for n, (source, texts) in numbered], metrics)


def scores_of(
    systems: Mapping[str, Sequence[str]], sets: Sequence[ReferenceSet], metrics: Sequence[str | Settings]
) -> list[MetricScores]:
    """The scores of each system by each metric on reference sets. Raises as ``score`` does."""
    from corpusdb.corpus.formats.scoring_input import Output
    from corpusdb.scoring.metrics.registry import settings_for
    from corpusdb.scoring.queries.scoring import score_systems
    from corpusdb.scoring.queries.scoring_references import ScoringReferences

    labels = tuple(tuple("" for _ in each.references) for each in sets)
    outputs = [Output(name, Path(name), tuple(texts)) for name, texts in systems.items()]
    settings = [settings_for(each) if isinstance(each, str) else each for each in metrics]
    # Only the corpus tells where each reference comes from: its sets are signed as the command signs them.
    origin: Literal["corpus", "files"] = "corpus" if all(each.provenance for each in sets) else "files"
    return score_systems(outputs, ScoringReferences(tuple(sets), labels, origin, {}), settings)

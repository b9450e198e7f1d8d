"""Scores that others computed, brought into the order of the systems whose agreement is measured."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from corpusdb.arrays import F64
from corpusdb.errors import InputError
from corpusdb.formats.scores.score_file import ExternalScores, joined, name_of_mean
from corpusdb.metrics.registry import counts_errors, is_corpus_metric
from corpusdb.queries.agreement.metric_scores import GivenScores, means_in_samples

__all__ = ["given_scores"]


def given_scores(
    files: Sequence[ExternalScores], systems: Sequence[str], segments: int | None, taken: Collection[str] = ()
) -> Iterator[GivenScores]:
    """The scores of each metric, of these systems, in their order; those that count errors are taken negative.

    Scores of systems that are not given are the means of their segments. ``segments`` is how many there are, None where
    only whole systems are scored; names in ``taken`` are those of others, from which these are told. Raises InputError
    for a system that comes twice, for another number of segments, and for scores of none of the systems.
    """
    by_name: dict[str, dict[str, ExternalScores]] = {}
    for each in joined(files):
        by_name.setdefault(each.name, {})[each.level] = each
        if each.segments is not None and segments is not None and each.segments != segments:
            reason = f"scores of {each.segments:,} segments of each system, and there are {segments:,}"
            raise InputError(reason, path=each.path, line=min(each.lines.values()))
        if not set(systems) & set(each.scores):
            raise InputError(f"the scores are of other systems: {', '.join(sorted(each.scores))}", path=each.path)
    for name, levels in by_name.items():
        of_segments = _ordered(levels["segment"], systems) if "segment" in levels else None
        if "system" in levels:
            of_systems = _ordered(levels["system"], systems)[:, 0]
        else:
            assert of_segments is not None  # one of the two levels is there
            of_systems = means_in_samples(of_segments, np.ones((1, of_segments.shape[1])))[:, 0]
        if counts_errors(name):
            of_systems, of_segments = -of_systems, None if of_segments is None else -of_segments
        told = name_of_mean(name) if "system" not in levels and is_corpus_metric(name) else name
        told = told if told not in taken else f"{told}, given"
        signature = _signature(name, list(levels.values()))
        yield GivenScores(name, told, signature, signature, of_systems, of_segments)


def _signature(name: str, levels: Sequence[ExternalScores]) -> str:
    """Where scores are from, as `compare` has it."""
    paths = dict.fromkeys(path for each in levels for path in (each.path, *each.paths.values()))
    return f"imported:{name}|file:{', '.join(path.name for path in paths)}"


def _ordered(scores: ExternalScores, systems: Sequence[str]) -> F64:
    """NaN for a system without scores: shape (systems, segments), or (systems, 1)."""
    nothing = np.full(scores.segments or 1, np.nan)
    return np.stack([scores.scores.get(system, nothing) for system in systems])

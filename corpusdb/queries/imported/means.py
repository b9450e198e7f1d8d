"""Scores of systems beside the means of those of their segments, which may be others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corpusdb.formats.scores.coverage import first_few
from corpusdb.formats.scores.score_file import ExternalScores, Level, differs, name_of_mean
from corpusdb.metrics.registry import is_corpus_metric

__all__ = ["means_told"]


def means_told(scores: Sequence[ExternalScores]) -> list[str]:
    """Where the scores of systems are not the means of their segments: both are given and differ, or would differ."""
    levels: dict[str, dict[Level, ExternalScores]] = {}
    for each in scores:
        levels.setdefault(each.name, {})[each.level] = each
    lines = []
    for name, found in levels.items():
        if "segment" not in found:
            continue
        segments = found["segment"].scores
        given = {} if "system" not in found else {system: float(x[0]) for system, x in found["system"].scores.items()}
        unlike = [
            f"{system} {whole:.5g}, not {np.nanmean(segments[system]):.5g}"
            for system, whole in given.items()
            if system in segments and not np.isnan(segments[system]).all() and differs(whole, segments[system])
        ]
        if unlike:
            lines.append(f"{name}: scores of systems as given, not the means of their segments: {first_few(unlike)}")
        elif not given and is_corpus_metric(name):
            lines.append(f"{name}: scores of segments alone; their mean is no {name} of a system: {name_of_mean(name)}")
    return lines

"""What people said of the systems that are evaluated, as arrays beside those of their scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corpusdb.errors import InputError
from corpusdb.formats.scores.human import HumanJudgements
from corpusdb.studies.reference_count import HumanScores

__all__ = ["human_ratings"]


def human_ratings(human: HumanJudgements, systems: Sequence[str], segments: int) -> HumanScores:
    """The human scores of these systems, in their order.

    Raises InputError where none of them has any, and for a score of a segment that is not there.
    """
    if not any(name in human.systems for name in systems):
        raise InputError(f"the human scores are of other systems: {', '.join(sorted(human.systems))}")
    by_system = np.array([human.systems.get(name, np.nan) for name in systems])
    by_segment = np.full((len(systems), segments), np.nan)
    for row, name in zip(by_segment, systems, strict=True):
        for segment, score in human.segments.get(name, {}).items():
            if segment >= segments:
                raise InputError(f"{name} has a human score of segment {segment}, and there are {segments} from 0")
            row[segment] = score
    return HumanScores(by_system, None if np.isnan(by_segment).all() else by_segment)

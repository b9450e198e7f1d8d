"""How sure it is that the scores of sentences differ, which two systems gave for the same sentences.

Denoual 2005, section 4.1.2, makes a "mean comparison of the 510 paired score values assigned to sentences". Here that
is a randomisation of signs. The confidence is 1 - p, two-sided. It is about one draw of training data and the next test
set; what another draw would change, the same of each draw tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.arrays import F64
from corpusdb.stats.resampling import paired_randomisation

__all__ = ["TRIALS", "PairedConfidence", "paired_confidence"]

TRIALS: Final = 10_000


@dataclass(frozen=True, slots=True)
class PairedConfidence:
    """Scores of the same sentences by two systems."""

    measure: str
    sentences: int
    ties: int
    """Sentences that have the same score by both."""
    random: float
    """The mean of the first system's."""
    selected: float
    difference: float
    """The first system's less the second's."""
    t: float | None
    """Of the paired t-test; None where all differences are equal."""
    confidence: float
    """1 - p of the randomisation, 0 to 1, two-sided."""


def paired_confidence(measure: str, random: F64, selected: F64, *, seed: int) -> PairedConfidence:
    """Compare the scores of each sentence: shape (sentences)."""
    differences = random - selected
    sd = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    rows = np.stack([selected, random])[:, :, np.newaxis]
    compared = paired_randomisation(
        rows, lambda sums: sums[..., 0] / len(differences), baseline=0, samples=TRIALS, seed=seed
    )[1]
    return PairedConfidence(
        measure=measure,
        sentences=len(differences),
        ties=int(np.count_nonzero(differences == 0)),
        random=float(random.mean()),
        selected=float(selected.mean()),
        difference=float(differences.mean()),
        t=float(differences.mean() / (sd / len(differences) ** 0.5)) if sd > 0 else None,
        confidence=1 - compared.p_value,
    )

"""Other reference sets drawn from one, to see how far a score is due to the references that happened to be there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from corpusdb.metrics.encoding import References

__all__ = ["resampled_references"]


def resampled_references(references: References, draws: int, *, seed: int) -> Iterator[References]:
    """``draws`` sets in which every segment has as many references as before, drawn with replacement from its own.

    One that is drawn twice counts once, which changes no metric that takes the best reference. So sets have fewer
    different references than the original, and lower scores: compare scores of draws with each other only.
    """
    rng = np.random.default_rng(seed)
    firsts, segments = references.firsts[:-1], references.segments
    for _ in range(draws):
        drawn = firsts[segments] + rng.integers(0, references.counts[segments])
        chosen = np.zeros(len(segments), dtype=np.bool_)
        chosen[drawn] = True
        yield references.subset(chosen)

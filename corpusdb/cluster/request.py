"""What is asked of a run, and what it tells; without anything that Spark needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Request:
    language: str
    folder: Path
    """On storage that the driver and all workers see under the same name."""
    collection: str
    """What the corpus is called when it is loaded."""
    seeds: Sequence[str] | None = None
    """The sentences that are generated from; None for all."""
    least_order: int = 0
    """The N of the filter, by which candidates are counted as kept."""
    partitions: int = 0
    """Into how many parts rows are divided; 0: by the number of cores and of units."""


@dataclass(frozen=True, slots=True)
class DistributedReport:
    units: int
    sentences: int
    paraphrases: int
    too_common: int
    """Contexts that too many sentences have."""
    left_out: int
    """Translations that too many sentences have."""
    commutations: int
    candidates: int
    kept: int
    """Of these, with every sequence of the asked length in the corpus."""
    seeds: int
    missing_seeds: int
    """Asked for, and no sentence of the corpus."""
    collisions: int
    """Fingerprints that stand for several fillers."""
    seconds: float
    steps: dict[str, float] = field(default_factory=dict)
    """Seconds of each; of those that were there before, what they had taken."""

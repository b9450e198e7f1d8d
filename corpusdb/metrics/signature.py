"""The signature of a number: all that someone needs to get the same number again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

from corpusdb import __version__
from corpusdb.errors import InputError, UsageError

__all__ = ["DIGEST_LENGTH", "ReferenceCounts", "Signature"]

DIGEST_LENGTH: Final = 16
"""Hexadecimal digits of a digest in a signature: 64 bits, so that two of a million sets agree by chance once in 37
million times."""


@dataclass(frozen=True, slots=True)
class ReferenceCounts:
    """How many references the segments have."""

    least: int
    mean: float
    """Rounded to a hundredth."""
    most: int

    def __post_init__(self) -> None:
        if not 1 <= self.least <= self.most or not self.least - 0.005 <= self.mean <= self.most + 0.005:
            raise UsageError(f"impossible numbers of references: {self.least}, {self.mean}, {self.most}")

    @classmethod
    def of(cls, counts: Sequence[int]) -> ReferenceCounts:
        """From the number of references of each segment; UsageError without segments."""
        if not counts:
            raise UsageError("there are no segments")
        return cls(min(counts), round(sum(counts) / len(counts), 2), max(counts))

    def __str__(self) -> str:
        return str(self.least) if self.least == self.most else f"{self.least}/{self.mean:.2f}/{self.most}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """How a score was computed; ``str`` gives one short line, from which parse makes the same signature again.

    None says that a field has no meaning for the metric, and leaves it out of the line.
    """

    metric: str
    order: int | None = None
    unit: str | None = None
    """word or char."""
    case: str = "mixed"
    """mixed, or lc where it was folded."""
    tokenisation: str
    smoothing: str | None = None
    references: ReferenceCounts
    digest: str
    """The first DIGEST_LENGTH digits of the digest of the reference set."""
    guided: int | None = None
    """The number of systems for whose outputs some of the references were generated; None where none was."""
    equivalents: str | None = None
    """What can be substituted in the references, how many at a time, and the digest of it; None for nothing."""
    rules: str | None = None
    """The rule set that references were rewritten by, and its digest, with the analyser; None for none."""
    seed: int | None = None
    """Of what was drawn at random."""
    version: str = __version__
    """Of corpusdb."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str) and not re.fullmatch(r"[^|\s]+", value):
                raise UsageError(f"{field.name} of a signature cannot be {value!r}: no white space, no |, not empty")
        if not re.fullmatch(f"[0-9a-f]{{{DIGEST_LENGTH}}}", self.digest):
            raise UsageError(f"a digest in a signature has {DIGEST_LENGTH} hexadecimal digits, unlike {self.digest!r}")

    def __str__(self) -> str:
        pairs = ((_KEYS[field.name], getattr(self, field.name)) for field in fields(self))
        return "|".join(f"{key}:{value}" for key, value in pairs if value is not None)

    @classmethod
    def parse(cls, line: str) -> Signature:
        """The signature of which ``line`` is the ``str``; InputError where it is none."""
        pairs = [pair.partition(":")[::2] for pair in line.split("|")]
        given = dict(pairs)
        if len(given) < len(pairs) or not _REQUIRED <= set(given) <= set(_KEYS.values()):
            raise InputError(f"not a signature: {line!r}")
        texts = {name: given[key] for name, key in _KEYS.items() if key in given}
        numbers = {name: texts.pop(name) for name in ("order", "seed", "guided", "references") if name in texts}
        try:
            return cls(
                **texts,
                order=int(numbers["order"]) if "order" in numbers else None,
                seed=int(numbers["seed"]) if "seed" in numbers else None,
                guided=int(numbers["guided"]) if "guided" in numbers else None,
                references=_reference_counts(numbers["references"]),
            )
        except (ValueError, UsageError) as error:
            raise InputError(f"not a signature: {line!r} ({error})") from error


_KEYS: Final = {
    "metric": "metric",
    "order": "order",
    "unit": "unit",
    "case": "case",
    "tokenisation": "tok",
    "smoothing": "smooth",
    "references": "refs",
    "digest": "set",
    "guided": "guided",
    "equivalents": "eq",
    "rules": "rules",
    "seed": "seed",
    "version": "version",
}
"""What each field is called in the line."""
_REQUIRED: Final = {"metric", "case", "tok", "refs", "set", "version"}


def _reference_counts(text: str) -> ReferenceCounts:
    least, mean, most = text.split("/") if "/" in text else (text, text, text)
    return ReferenceCounts(int(least), float(mean), int(most))

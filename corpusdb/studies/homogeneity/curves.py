"""What a selection of each size is worth beside random ones, and where the two curves cross (Denoual 2005, section 4).

"Better" means lower for perplexity and mWER, higher for BLEU and NIST.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from corpusdb.homogeneity.selection import crossing

__all__ = ["Crossing", "SelectionCurve", "crossing_of"]


_LEAST_DRAWS: Final = 2
"""Fewer have no spread."""


@dataclass(frozen=True, slots=True)
class SelectionCurve:
    """One measure of models or translators of several amounts of data, chosen by one method."""

    measure: str
    """perplexity, bleu, nist or mwer."""
    method: str
    """How the data was selected; ``random`` for draws at random, of which ``values`` are the means."""
    shares: tuple[float, ...]
    """Of the characters of the pool, ascending, above 0 and at most 1."""
    values: tuple[float, ...]
    """One for each share; of a method that was not asked for all of them, for the first ones."""
    draws: tuple[tuple[float, ...], ...] = ()
    """Of random draws: the values of each, one for each share."""

    @property
    def sd(self) -> tuple[float | None, ...]:
        """The standard deviation of the draws at each share, with n - 1; None where there are fewer than two."""
        if len(self.draws) < _LEAST_DRAWS:
            return (None,) * len(self.values)
        rows = zip(*self.draws, self.values, strict=True)
        return tuple((sum((each - mean) ** 2 for each in own) / (len(own) - 1)) ** 0.5 for *own, mean in rows)


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where a method ceases to be better than random data, before all data, which are the same for both."""

    measure: str
    method: str
    share: float | None
    """Against the mean of the draws: the last such share, interpolated; None where there is none."""
    beyond_draws: float | None
    """The same against the best draw at each share: up to there it is no matter of the draw."""
    of_draws: tuple[float | None, ...]
    """Against each draw by itself."""
    compared: tuple[float, ...]
    """The shares at which there is a value of the method, but for all data."""
    better_at: tuple[float, ...]
    """Those at which the method is better than the mean of the draws."""
    better_than_all_at: tuple[float, ...]
    """Those at which it is better than every draw."""

    @property
    def verdict(self) -> str:
        """In words."""
        if not self.better_at:
            return "none: random data are as good or better at every amount"
        if self.better_at == self.compared:
            return f"none: the method is better at every amount{self._beyond}"
        if self.better_at[-1] == self.compared[-1]:
            worse = max(place for place, share in enumerate(self.compared) if share not in self.better_at)
            found = "none:" if self.share is None else f"at {100 * self.share:.1f} %, but"
            return f"{found} the method is better from {100 * self.compared[worse + 1]:g} % on{self._beyond}"
        if self.share is None:
            raise RuntimeError("a curve that was lower and is not has no crossing")
        return f"at {100 * self.share:.1f} %{self._beyond}"

    @property
    def _beyond(self) -> str:
        if len(self.of_draws) < _LEAST_DRAWS:
            return ""
        if not self.better_than_all_at:
            return ", within the spread of the draws"
        if self.better_than_all_at == self.better_at:
            return ", beyond the spread of the draws"
        at = ", ".join(f"{100 * share:g}" for share in self.better_than_all_at)
        return f", beyond the spread of the draws at {at} %"


def crossing_of(selected: SelectionCurve, random: SelectionCurve, *, lower_is_better: bool) -> Crossing:
    """Where the curve of a method crosses that of random draws of the same shares."""
    shares = tuple(share for share in random.shares[: len(selected.values)] if share < 1)
    sign = 1.0 if lower_is_better else -1.0
    ours, mean, *draws = (
        [sign * value for value in values[: len(shares)]] for values in (selected.values, random.values, *random.draws)
    )
    best = [min(row) for row in zip(*draws, strict=True)] if draws else mean
    return Crossing(
        measure=selected.measure,
        method=selected.method,
        share=crossing(shares, ours, mean),
        beyond_draws=crossing(shares, ours, best),
        of_draws=tuple(crossing(shares, ours, draw) for draw in draws),
        compared=shares,
        better_at=_where_lower(shares, ours, mean),
        better_than_all_at=_where_lower(shares, ours, best),
    )


def _where_lower(shares: Sequence[float], first: Sequence[float], second: Sequence[float]) -> tuple[float, ...]:
    return tuple(share for share, one, other in zip(shares, first, second, strict=True) if one < other)

"""What of a profile is looked at: a level, a scale, bars of some width, and two thresholds; nothing of it is drawn."""

from __future__ import annotations

from corpusdb.errors import UsageError
from corpusdb.queries.homogeneity.profile_levels import Level
from corpusdb.queries.homogeneity.seen.profile_view import LEVELS_SEEN, ProfileView
from corpusdb.queries.homogeneity.seen.scale_order import DEFAULT_WIDTH, SCALES, WIDTHS, Bar, Scale, ScaleOrder, Stretch
from corpusdb.reports.homogeneity import TickedBar, histogram

__all__ = ["Sight"]

_STEP = {"I": 0.01, "J": 0.05}
"""By which a threshold moves."""
_USUAL = {"I": (0.25, 0.55), "J": (0.0, 1.0)}


class Sight:
    """A view with what is chosen in it. Thresholds are kept for each scale."""

    def __init__(self, view: ProfileView, before: Sight | None = None) -> None:
        """``before``: what was looked at before, whose choices are kept where they still make sense."""
        self.view = view
        self.level: Level = "line"
        self.scale: Scale = "I"
        self.width: float = DEFAULT_WIDTH
        self.is_high: bool = False
        """Whether the upper threshold is the one that moves."""
        self._ends: dict[Scale, tuple[float, float]] = _first_ends(view)
        self._bars: tuple[object, list[TickedBar]] = ((), [])
        self._shown: object = None
        """What the cursor stands in: a level, a scale and a width."""
        if before is not None:
            self._go_on(before)

    def _go_on(self, before: Sight) -> None:
        """Take over what was chosen before."""
        self.width, self.is_high = before.width, before.is_high
        if self.view.groups is not None:
            self.level = before.level
        if self.view.profile.scale is not None:
            self.scale = before.scale
        if before.view.profile.id == self.view.profile.id:
            self._ends = dict(before._ends)
            self._shown = before._shown

    @property
    def order(self) -> ScaleOrder:
        """The entries that are looked at."""
        return self.view.order(self.level, self.scale)

    @property
    def ends(self) -> tuple[float, float]:
        """Both thresholds."""
        return self._ends[self.scale]

    @property
    def between(self) -> Stretch:
        """What lies between the thresholds."""
        return self.order.between(*self.ends)

    @property
    def bars(self) -> list[TickedBar]:
        """The histogram; made again only where something else is looked at."""
        key = (self.level, self.scale, self.width, self.view.groups is not None)
        if self._bars[0] != key:
            self._bars = (key, histogram(self.view, self.level, self.scale, self.width))
        return self._bars[1]

    def bar_now(self, cursor: int) -> int:
        """Where the cursor belongs: where it is, or in other bars than before on the longest."""
        shown, self._shown = self._shown, (self.level, self.scale, self.width)
        if shown == self._shown:
            return cursor
        entries = [each.bar.stretch.entries for each in self.bars]
        return entries.index(max(entries))

    def use_other(self) -> None:
        """Move the other threshold from now on."""
        self.is_high = not self.is_high

    def move(self, steps: int) -> None:
        """Move the threshold that moves; it stops at the other one."""
        low, high = self.ends
        self.put((high if self.is_high else low) + steps * _STEP[self.scale])

    def put(self, at: float) -> None:
        """Put the threshold that moves somewhere; it stops at the other one, and at the ends of I."""
        low, high = self.ends
        if self.scale == "I":
            at = min(max(at, 0.0), 1.0)
        at = round(at, 3)
        self._ends[self.scale] = (low, max(at, low)) if self.is_high else (min(at, high), high)

    def put_at(self, bar: Bar | None) -> None:
        """Put the threshold that moves at the outer edge of a bar. Raises UsageError where there is no edge."""
        if bar is None:
            raise UsageError("there is no bar here")
        edges = (bar.high, bar.low) if self.is_high else (bar.low, bar.high)
        edge = next((each for each in edges if each is not None), None)
        if edge is None:
            raise UsageError("a threshold cannot stand here: these have no value")
        self.put(edge)

    def next_level(self) -> None:
        """The next level. Raises UsageError as long as documents are not summed up."""
        if self.view.groups is None:
            raise UsageError("documents are being summed up; in a moment they can be shown")
        self.level = LEVELS_SEEN[(LEVELS_SEEN.index(self.level) + 1) % len(LEVELS_SEEN)]

    def next_scale(self) -> None:
        """The other scale. Raises UsageError where the references have no other."""
        other = SCALES[(SCALES.index(self.scale) + 1) % len(SCALES)]
        self.view.order(self.level, other)
        self.scale = other

    def change_width(self, finer: int) -> None:
        """Make bars narrower, or wider where ``finer`` is below 0. Raises UsageError where there is no such width."""
        place = WIDTHS.index(self.width) + finer
        if not 0 <= place < len(WIDTHS):
            raise UsageError(f"bars are {WIDTHS[-1]:g} to {WIDTHS[0]:g} wide")
        self.width = WIDTHS[place]

    def inside(self, bar: Bar) -> str:
        """Whether a bar lies between the thresholds: ``|`` all of it, ``:`` a part of it, else a blank."""
        low, high = self.ends
        if bar.kind == "undefined":
            return " "
        if bar.kind != "bar" and self.scale == "I":
            return "|" if (low <= 0 if bar.kind == "below" else high >= 1) else " "
        first = float("-inf") if bar.low is None else bar.low
        last = float("inf") if bar.high is None else bar.high
        if low <= first and last <= high:
            return "|"
        return ":" if low < last and first < high else " "


def _first_ends(view: ProfileView) -> dict[Scale, tuple[float, float]]:
    """On I from where unseen text of the spoken reference stands to where that of the written one does."""
    low, high = view.profile.unseen
    known = (round(low, 2), round(high, 2)) if low is not None and high is not None and low < high else _USUAL["I"]
    return {"I": known, "J": _USUAL["J"]}

"""What is chosen in a profile of similarity, and the dialogs that change it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from corpusdb.base.cells import bar as drawn_bar
from corpusdb.base.cells import cut_right, padded
from corpusdb.base.display import cell_safe, check_name, counted
from corpusdb.base.errors import UsageError
from corpusdb.corpus.queries.names import saved_queries
from corpusdb.corpus.queries.sentences import collection_names
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.likeness import OutlyingLine
from corpusdb.homogeneity.queries.profile_levels import (
    DEFAULT_WIDTH,
    LEVELS,
    SCALES,
    WIDTHS,
    Bar,
    Level,
    ProfileView,
    Scale,
    ScaleOrder,
    Stretch,
    keep_lines,
    line_places,
)
from corpusdb.homogeneity.queries.profiles import (
    ProfileRecipe,
    StoredProfile,
    Subset,
    all_profiles,
    among,
    profile_state,
    read_lines,
)
from corpusdb.homogeneity.report import Tick, TickedBar, bar_label, format_between, histogram
from corpusdb.search.queries.results import stored_selections
from tui.kit.dialogs import ChoiceDialog, FormDialog
from tui.kit.fields import Field
from tui.kit.place_screen import PlaceScreen
from tui.kit.reader import DatabaseReader
from tui.kit.shown import Text

_STEP = {"I": 0.01, "J": 0.05}
"""By which a threshold moves."""
_USUAL = {"I": (0.25, 0.55), "J": (0.0, 1.0)}


_One = TypeVar("_One")


def following(each: Sequence[_One], now: _One) -> _One:
    """The one behind ``now``, or the first behind the last."""
    return each[(each.index(now) + 1) % len(each)]


class ProfileState:
    def __init__(self, view: ProfileView, before: ProfileState | None = None) -> None:
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

    def _go_on(self, before: ProfileState) -> None:
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
        return self.view.order(self.level, self.scale)

    @property
    def ends(self) -> tuple[float, float]:
        return self._ends[self.scale]

    @property
    def between(self) -> Stretch:
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
        self.is_high = not self.is_high

    def move(self, steps: int) -> None:
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
            raise UsageError("a threshold cannot be here: these have no value")
        self.put(edge)

    def next_level(self) -> None:
        """The next level. Raises UsageError as long as documents are not summed up."""
        if self.view.groups is None:
            raise UsageError("documents are being summed up; in a moment they can be shown")
        self.level = following(LEVELS, self.level)

    def next_scale(self) -> None:
        """The other scale. Raises UsageError where the references have no other."""
        other = following(SCALES, self.scale)
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


# A profile, and what of it is looked at, in words.


def format_profile(profile: StoredProfile) -> str:
    """The language and the references, and what is not as usual."""
    given, usual = profile.parameters, ProfileRecipe(spoken=(), written=())
    spoken, written = (", ".join(Path(each).name for each in given[side]) for side in ("spoken", "written"))
    is_usual = (given["order"], given["smoothing"]) == (usual.order, usual.smoothing)
    how = "" if is_usual else f" ({given['order']}-grams, {given['smoothing']})"
    return f"{profile.language}: 0 speech ({spoken}), 1 writing ({written}){how}"


SCALES_TOLD: Mapping[Scale, str] = {
    "I": "0 where a line is as the spoken reference, 1 as the written one; new text is seldom near either end",
    "J": "The same, with new text like the spoken reference at 0 and like the written one at 1",
}


def format_scale(scale: Scale) -> str:
    """What a scale is, for whoever has just chosen it."""
    return f"{scale}: {SCALES_TOLD[scale].removeprefix('The same, with ')}"


def told(sight: ProfileState) -> str:
    """How much is looked at, and where it and unseen text stand; what is undefined or clipped has a bar of its own."""
    order, view = sight.order, sight.view
    parts = [counted(len(order), f"{sight.level}s")]
    if (median := order.quantile(0.5)) is not None:
        parts[0] += f", half below {median:.2f}"
    first, second = view.profile.unseen if sight.scale == "I" else (0.0, 1.0)
    if first is not None and second is not None:
        parts.append(f"unseen speech at {first:.2f}, unseen writing at {second:.2f}")
    if view.lines.left_out and sight.level == "line":
        parts.append(f"{view.lines.left_out:,} left out")
    front = [f"only {view.among.name}"] if view.among else []
    if view.lines.changed:
        front.append("out of date: m renews it")
    return cell_safe("; ".join([*front, *parts]))


def between(sight: ProfileState) -> str:
    low, high = (f"{end:.2f}" for end in sight.ends)
    ends = f"chosen from {low} to [{high}]" if sight.is_high else f"chosen from [{low}] to {high}"
    return f"{ends}: {format_between(sight.between, sight.level)}"


def between_name(sight: ProfileState) -> str:
    low, high = sight.ends
    return f"{sight.scale} from {low:g} to {high:g}"


def between_seen(sight: ProfileState) -> dict[str, object]:
    """The thresholds as a selection keeps them."""
    low, high = sight.ends
    return {"level": sight.level, "scale": sight.scale, "from": low, "to": high}


# Bars, lines and documents as rows of lists.


_LABEL, _COUNT, _SHARE, _TICKS = 13, 9, 7, 8
_BESIDE = 4
"""Cells of the mark of the cursor and the scroll bar."""


def bar_columns(level: str) -> str:
    ticks = "documents" if level == "line" else ""
    cells = (padded("from - to", _LABEL), padded(f"{level}s", _COUNT, right=True), padded("chars", _SHARE, right=True))
    return f"    {' '.join(cells)}  {padded(ticks, _TICKS)}  | chosen, : partly"


def bar_row(each: TickedBar, sight: ProfileState, most: int, width: int, *, ascii: bool) -> Text:
    """A bar with its figures, at most as long as ``width`` allows; ``most`` is the entries of the longest."""
    bar, stretch = each.bar, each.bar.stretch
    mark = sight.inside(bar)
    cells = (
        padded(bar_label(bar, sight.scale), _LABEL),
        padded(f"{stretch.entries:,}", _COUNT, right=True),
        padded(f"{100 * stretch.share:.1f} %", _SHARE, right=True),
        padded(_ticks(each.ticks) if sight.level == "line" else "", _TICKS),
    )
    figures = f"{mark} {' '.join(cells)} "
    room = max(width - _BESIDE - len(figures), 1)
    drawn = drawn_bar(room * stretch.entries / max(most, 1), ascii=ascii) if stretch.entries else ""
    return Text(figures + drawn, "bold" if mark == "|" else "", no_wrap=True)


def _ticks(ticks: Sequence[Tick]) -> str:
    """A mark for each document, or how many there are."""
    return "|" * len(ticks) if len(ticks) < _TICKS else f"|x {len(ticks):,}"


def format_ticks(ticks: Sequence[Tick], most: int = 50) -> str:
    """The documents of a bar by their names, each with where it stands."""
    told = [f"{cell_safe(tick.name)}{'' if tick.value is None else f' {tick.value:.3f}'}" for tick in ticks[:most]]
    more = f", and {len(ticks) - most:,} more" if len(ticks) > most else ""
    return ", ".join(told) + more


def figure(value: float) -> str:
    return padded("-" if math.isnan(value) else f"{value:.3f}", 7, right=True)


def marked_line(line: OutlyingLine, width: int | None = None) -> Text:
    """The text with its dearest characters in brackets, bold and underlined; cut where it is wider than ``width``."""
    text, dear, inside = Text(no_wrap=True), {*line.dearest}, False
    for place, char in enumerate(cell_safe(line.measured)):
        if (place in dear) != inside:
            text.append("]" if inside else "[")
            inside = not inside
        text.append(char, "bold underline" if inside else "")
    if inside:
        text.append("]")
    if width is not None and text.cell_len > width:
        text.truncate(max(width, 1), overflow="ellipsis")
    return text


def cut(text: str, width: int) -> str:
    return cut_right(cell_safe(text), max(width, 1))


# What the place reads of the database: its profiles, the lines of one, then its documents.


@dataclass(frozen=True)
class KnownProfiles:
    profiles: list[StoredProfile] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    collections: list[str] = field(default_factory=list)
    selections: list[str] = field(default_factory=list)
    searches: list[str] = field(default_factory=list)
    state: int = 0
    """Another number where sentences or profiles may have come or gone."""


def _known(reader: DatabaseReader) -> KnownProfiles:
    store = reader.store
    profiles, languages = all_profiles(store)
    searches = [each.name for each in saved_queries(store) if each.command == "search"]
    selections = [each.name for each in stored_selections(store)]
    return KnownProfiles(profiles, languages, collection_names(store), selections, searches, profile_state(store))


class Loading:
    """Reads again only what may have changed."""

    def __init__(self, screen: PlaceScreen, show: Callable[[ProfileView | None], None]) -> None:
        """``show`` is given the view: with its lines, and once more with its documents; None where there is none."""
        self._screen = screen
        self._show = show
        self.known = KnownProfiles()
        self.limits: Mapping[str, str | None] = {}
        """Which sentences are measured: collection, document and query; empty for all."""
        self._chosen: int | None = None
        self._read: tuple[object, ...] = ()

    def load(self) -> None:
        """Look what there is, and read the chosen profile, else the last one, if it is not as it was."""
        self._screen.ask(_known, self._look, kind="profiles")

    def choose(self, profile: StoredProfile) -> None:
        self._chosen, self.limits = profile.id, {}
        self.load()

    def limit(self, limits: Mapping[str, str | None]) -> None:
        """Measure some sentences only; what is not there is said, and changes nothing."""
        language = next((each.language for each in self.known.profiles if each.id == self._chosen), "")

        def found(_: Subset | None) -> None:
            self.limits = limits
            self.load()

        self._screen.ask(lambda reader: among(reader.store, language, **limits), found)

    def choose_latest(self) -> None:
        self._chosen = None
        self.load()

    def _look(self, known: KnownProfiles) -> None:
        self.known = known
        profile = next((each for each in known.profiles if each.id == self._chosen), None)
        if profile is None:
            profile = max(known.profiles, key=lambda each: each.id, default=None)
        self._chosen = None if profile is None else profile.id
        wanted = (self._chosen, tuple(self.limits.items()), known.state)
        if wanted == self._read:
            return
        if profile is None:
            self._show(None)
            return
        self._screen.say("reading the profile ...")
        self._read_profile(profile, wanted)

    def _read_profile(self, profile: StoredProfile, wanted: tuple[object, ...]) -> None:
        limits, beside = dict(self.limits), self._screen.shell.runner.ask_beside

        def lines(store: Store) -> ProfileView:
            chosen = among(store, profile.language, **limits)
            return ProfileView(profile, read_lines(store, profile, chosen), None, chosen)

        def lines_read(view: ProfileView) -> None:
            self._read = wanted
            self._show(view)
            self._screen.wait_for(lambda: beside(view.summed), self._show)

        self._screen.wait_for(lambda: beside(lines), lines_read)


# What the place asks before lines are kept, and what it makes of the answers.


_OTHERS: Final = "all others"
_THESE: Final = "these"


def ask_to_keep(screen: PlaceScreen, title: str, these: str, keep: Callable[[Store, str, bool], int]) -> None:
    """Ask for a name and whether these lines or all others are kept by it; ``keep`` does it, and gives how many."""

    def check(values: Mapping[str, str]) -> None:
        check_name(values["name"], "a selection")

    saved: list[int] = []

    async def save(values: Mapping[str, str]) -> None:
        name, others = values["name"], values["lines"] == _OTHERS
        saved.append(await screen.shell.runner.change(lambda store: keep(store, name, others), kept=True))

    def told(values: Mapping[str, str]) -> None:
        screen.say(f"{saved[-1]:,} lines are saved as {values['name']}; s in Profile lists and exports them")

    fields = [
        Field("name", "Name", hint="the name of the selection; s lists them"),
        Field("lines", "Lines", _THESE, these, choices=(_THESE, _OTHERS)),
    ]
    FormDialog(title, fields, check, save).ask(screen, told, late=told)


# What the place asks in dialogs: which profile, which sentences, under what name lines are kept.


def ask_keep(screen: PlaceScreen, sight: ProfileState) -> None:
    view, level, order, stretch = sight.view, sight.level, sight.order, sight.between
    seen = between_seen(sight)

    def keep(store: Store, name: str, others: bool) -> int:
        places = line_places(store, view, level, order.places(stretch, others=others))
        return keep_lines(store, name, view, places, seen | {"others": others})

    title = f"Save as a selection: {level}s with {between_name(sight)}"
    ask_to_keep(screen, title, between(sight).partition(": ")[2], keep)


def ask_profile(screen: PlaceScreen, loading: Loading) -> None:
    profiles = loading.known.profiles
    if not profiles:
        raise UsageError("there is no profile yet: m makes one")
    dialog = ChoiceDialog("Which?", [cell_safe(format_profile(each)) for each in profiles])
    dialog.ask(screen, lambda place: loading.choose(profiles[place]))


def recipe_typed(screen: PlaceScreen, sight: ProfileState | None) -> Mapping[str, str]:
    """What the form of a profile says of the one that is looked at; without any the language that one works in."""
    if sight is None:
        return {"lang": screen.shell.language}
    profile = sight.view.profile
    given = {name: ",".join(profile.parameters[name]) for name in ("spoken", "written")}
    how = {option: str(profile.parameters[name]) for option, name in _HOW.items()}
    return {"lang": profile.language, **given, **how}


_HOW: Final = {"order": "order", "smoothing": "smoothing", "normalise": "normalisation"}
"""What the form calls them, and the profile."""


def ask_limits(screen: PlaceScreen, loading: Loading, sight: ProfileState) -> None:
    known, now = loading.known, loading.limits
    collections = [*known.collections, *known.selections]
    fields = [
        Field(
            "collection", "Collection", now.get("collection") or "", "or a selection", ("", *collections), is_open=True
        ),
        Field("document", "Document or file", now.get("document") or "", "any"),
        Field("query", "Saved search", now.get("query") or "", "what it finds", ("", *known.searches), nothing="any"),
    ]
    title = f"Only sentences that fulfil all of this ({sight.view.profile.language}); nothing is all"
    limit = lambda values: loading.limit({what: given for what, given in values.items() if given})  # noqa: E731
    FormDialog(title, fields, lambda values: values).ask(screen, limit)


def with_language(screen: PlaceScreen, loading: Loading, shown: str | None, then: Callable[[str], None]) -> None:
    """Go on with the language that is shown, else with the only one, or the one that somebody chooses."""
    languages = loading.known.languages
    if shown is not None or len(languages) == 1:
        then(shown or languages[0])
        return
    if not languages:
        raise UsageError("the corpus is empty: 6 and i import")
    dialog = ChoiceDialog("Lines that do not belong: of which language?", languages, screen.shell.language)
    dialog.ask(screen, lambda place: then(languages[place]))

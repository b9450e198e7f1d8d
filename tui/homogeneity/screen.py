"""Profile: the histogram of a scale with documents as ticks, two thresholds, and what lies between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from corpusdb.base.display import cell_safe
from corpusdb.base.errors import UsageError
from corpusdb.homogeneity.queries.profile_levels import LEVELS, SCALES, Bar, ProfileView
from corpusdb.homogeneity.report import TickedBar, bar_label
from tui.homogeneity import profile_view as dialogs
from tui.homogeneity.lines_screens import EntriesScreen, LinesScreen, OutliersScreen, SelectionsScreen
from tui.homogeneity.profile_view import (
    SCALES_TOLD,
    Loading,
    ProfileState,
    bar_columns,
    bar_row,
    between,
    between_name,
    between_seen,
    following,
    format_profile,
    format_scale,
    format_ticks,
    told,
)
from tui.kit.background import JobState
from tui.kit.command_forms import begin_command
from tui.kit.place_screen import HeadLine, Hints, Legend, PlaceScreen
from tui.kit.shown import Highlighted, Opened, RowList, Static, Text, bind

_NONE = """A profile tells where each line lies between speech and writing.

m makes one from two references, collections or files: text like speech, and
text like writing. o finds lines that do not belong, without any references."""


class ProfileScreen(PlaceScreen):
    """One bar a row; below them the documents that stand in the one under the cursor."""

    PLACE = "profile"
    CHOSEN_FOR = lambda screen, form: dialogs.recipe_typed(screen, screen.sight) if form == "profile" else {}  # noqa: E731
    BEGINS = ("profile", "select", "similarity", "perplexity", "model")
    AUTO_FOCUS = "#bars"
    NEEDS_ROWS = ("change",)
    SIGNS = (
        *SCALES_TOLD.items(),
        ("unseen speech", "Where new text like the spoken reference lies; unseen writing: like the written one"),
        ("left out", "Lines that are part of a reference, or are empty"),
        ("beyond", "Lines below 0 or above 1, which are put there"),
        ("chars", "Which part of all characters is in the bar"),
        ("|", "The bar is chosen: it lies between the two thresholds"),
        ("||", "Documents whose mean is here, one each"),
        ("[ ]", "The threshold that < and > move; t goes to the other one"),
    )
    HINTS = Hints(
        (
            *("list.open", "profile.lower", "profile.raise", "profile.scale", "profile.level", "profile.keep"),
            *("profile.text", "profile.other", "profile.outliers", "profile.selections", "profile.here"),
            "profile.between",
            *("profile.make", "profile.limits", "profile.choose", "profile.finer", "profile.coarser"),
        ),
        needed=8,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("less_than_sign", "change('lower')", "Down", "profile.lower", "Move the threshold down"),
        bind("greater_than_sign", "change('raise')", "Up", "profile.raise", "Move the threshold up"),
        bind("t", "change('other')", "Other", "profile.other", "Move the other threshold"),
        bind("h", "change('here')", "Here", "profile.here", "Put the threshold at the edge of this bar"),
        bind("b", "ask('between')", "Between", "profile.between", "List what the thresholds enclose"),
        bind("w", "ask('keep')", "Save", "profile.keep", "Save the lines between the thresholds"),
        bind("a", "change('scale')", "Scale", "profile.scale", "The scale I or J; unseen text is 0 and 1 on J"),
        bind("v", "change('level')", "Level", "profile.level", "Lines, documents or collections"),
        bind("plus,equals_sign", "change('finer')", "Finer", "profile.finer", "Narrow bars"),
        bind("minus", "change('coarser')", "Coarser", "profile.coarser", "Wider bars"),
        bind("o", "ask('outliers')", "Outliers", "profile.outliers", "Lines that do not belong"),
        bind("s", "ask('selections')", "Selections", "profile.selections", "What was saved"),
        bind("f", "ask('limits')", "Only", "profile.limits", "Only some sentences, or all again"),
        bind("p", "ask('profile')", "Profile", "profile.choose", "Choose another profile"),
        bind("m", "ask('make')", "Make", "profile.make", "Make a profile, or renew this one"),
        bind("x", "ask('text')", "Text", "profile.text", "Measure a text of your own: a file, not imported"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.sight: ProfileState | None = None
        self.profiles = Loading(self, self._show)

    def compose_body(self) -> ComposeResult:
        yield HeadLine(id="profile-head")
        yield Static("", id="profile-told")
        yield Static("", id="profile-between")
        yield Static("", id="profile-columns")
        yield RowList(id="bars", empty="reading the profile ...")
        yield Static("", id="profile-line")

    def on_mount(self) -> None:
        self.shell.job_changed.subscribe(self, self._job_changed)

    def on_screen_resume(self) -> None:
        self.profiles.load()

    def on_resize(self, event: events.Resize) -> None:
        self.query_one(RowList).refresh()

    def _job_changed(self, state: JobState) -> None:
        """Look at the profile that a job has made; one that measured a text made none."""
        made = state.program if state.phase == "done" else None
        if made is not None and made.form == "profile" and not made.typed.get("text"):
            self.profiles.choose_latest()
        elif state.phase == "done":
            self.profiles.load()

    def _show(self, view: ProfileView | None) -> None:
        self.set_class(view is None, "without-profile")
        if view is None:
            self.sight = None
            self._show_none()
            return
        self.sight = ProfileState(view, self.sight)
        self.say("" if view.groups else "summing up documents ...")
        self._draw()

    def _name_of(self, binding: Binding) -> str:
        """What the line of hints calls a binding: what it shows next."""
        if self.sight is None:
            return super()._name_of(binding)
        names = {
            "profile.scale": f"to {following(SCALES, self.sight.scale)}",
            "profile.level": f"{following(LEVELS, self.sight.level)}s",
        }
        return names.get(binding.id or "") or super()._name_of(binding)

    def _show_none(self) -> None:
        languages, rows = self.profiles.known.languages, self.query_one(RowList)
        if not languages:
            rows.show_rows(0, lambda row: Text(), empty="The corpus is empty: ! begins an import.")
            return
        self.query_one(HeadLine).show("No profile yet", "")
        rows.show_rows(0, lambda row: Text(), empty=_NONE)

    def _draw(self) -> None:
        """Show all of what is looked at; the cursor stays on its bar, and goes to the longest of other bars."""
        sight, rows = self.sight, self.query_one(RowList)
        if sight is None:
            return
        self.query_one(HeadLine).show(
            cell_safe(format_profile(sight.view.profile)), f"{sight.level}s, scale {sight.scale}"
        )
        self.query_one("#profile-told", Static).update(told(sight), layout=False)
        self.query_one("#profile-columns", Static).update(bar_columns(sight.level), layout=False)
        rows.show_rows(len(sight.bars), self._row, cursor=sight.bar_now(rows.cursor))
        self._draw_thresholds()
        self._show_ticks()

    def _draw_thresholds(self) -> None:
        """The thresholds alone, which move with every key."""
        if self.sight is not None:
            self.query_one("#profile-between", Static).update(Text(between(self.sight), "bold"), layout=False)
            self.query_one(RowList).refresh()

    def _row(self, row: int) -> Text:
        if self.sight is None or row >= len(self.sight.bars):
            return Text()
        bars = self.sight.bars
        most = max(each.bar.stretch.entries for each in bars)
        return bar_row(bars[row], self.sight, most, self.size.width, ascii=self.shell.ascii_only)

    @property
    def current(self) -> TickedBar | None:
        rows = self.query_one(RowList)
        return self.sight.bars[rows.cursor] if self.sight and rows.count else None

    @on(Highlighted)
    def _show_ticks(self) -> None:
        each = self.current
        if each is not None and self.sight is not None:
            noun = "collections" if self.sight.level == "collection" else "documents"
            here = f"{noun} here: {format_ticks(each.ticks)}" if each.ticks else f"no {noun} here"
            self.query_one("#profile-line", Static).update(here, layout=False)

    def lines(self) -> list[str]:
        if self.sight is None:
            return [self.query_one(HeadLine).left, str(self.query_one("#profile-line", Static).render())]
        head, sight = self.query_one(HeadLine), self.sight
        rows = [
            f"{row.rstrip()}  {format_ticks(each.ticks)}".rstrip()
            for row, each in zip(super().lines(), sight.bars, strict=True)
        ]
        return [
            f"{head.left}  {head.right}",
            told(sight),
            between(sight),
            bar_columns(sight.level).rstrip(),
            *rows,
            self.query_one(Legend).line(),
        ]

    def action_change(self, what: str) -> None:
        if self.sight is None:
            self.say("there is no profile yet: m makes one", is_error=True)
            return
        with self.errors_shown():
            if what in _MOVES:
                _MOVES[what](self.sight, self.current)
                self._draw_thresholds()
            else:
                _CHANGES[what](self.sight)
                self._draw()
                if what == "scale":
                    self.say(format_scale(self.sight.scale))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        needs_profile = action == "ask" and parameters[0] not in ("outliers", "selections", "make", "text")
        return super().check_action(action, parameters) and (self.sight is not None or not needs_profile)

    def action_ask(self, what: str) -> None:
        with self.errors_shown():
            _ASKED[what](self)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        if self.sight is not None:
            self.open(self.sight, self.sight.bars[message.row].bar)

    def open(self, sight: ProfileState, bar: Bar | None) -> None:
        """List what stands in a bar, or where there is none between the thresholds."""
        stretch = sight.between if bar is None else bar.stretch
        if not stretch.entries:
            self.say(f"no {sight.level} is here", is_error=True)
            return
        places = sight.order.places(stretch)
        title = between_name(sight) if bar is None else f"{sight.scale} {bar_label(bar, sight.scale)}"
        if sight.level == "line":
            seen: dict[str, object] = {"level": "line", "seen": title} if bar else between_seen(sight)
            self.app.push_screen(LinesScreen(f"Lines, {title}", sight.view, places, seen))
        else:
            title = f"{sight.level.capitalize()}s, {title}"
            self.app.push_screen(EntriesScreen(title, sight.view, sight.level, places))


_MOVES: Mapping[str, Callable[[ProfileState, TickedBar | None], None]] = {
    "lower": lambda sight, bar: sight.move(-1),
    "raise": lambda sight, bar: sight.move(1),
    "other": lambda sight, bar: sight.use_other(),
    "here": lambda sight, bar: sight.put_at(None if bar is None else bar.bar),
}
_CHANGES: Mapping[str, Callable[[ProfileState], None]] = {
    "scale": lambda sight: sight.next_scale(),
    "level": lambda sight: sight.next_level(),
    "finer": lambda sight: sight.change_width(1),
    "coarser": lambda sight: sight.change_width(-1),
}


def _required(screen: ProfileScreen) -> ProfileState:
    if screen.sight is None:
        raise UsageError("there is no profile yet: m makes one")
    return screen.sight


def _open_outliers(screen: ProfileScreen) -> None:
    """Of the language that is shown; where nothing is, of one that is chosen."""
    profiles = screen.profiles
    collection = profiles.limits.get("collection")
    if {*profiles.limits} - {"collection"}:
        raise UsageError("outliers are of a collection, or of all: f takes document and search away")

    def show(language: str) -> None:
        screen.app.push_screen(OutliersScreen(language, collection))

    dialogs.with_language(screen, profiles, None if screen.sight is None else screen.sight.view.profile.language, show)


def _make(screen: ProfileScreen) -> None:
    is_stale = screen.sight is not None and bool(screen.sight.view.lines.changed)
    begin_command(screen, "profile", {"rebuild": "yes"} if is_stale else {})


_ASKED: Mapping[str, Callable[[ProfileScreen], object]] = {
    "between": lambda screen: screen.open(_required(screen), None),
    "keep": lambda screen: dialogs.ask_keep(screen, _required(screen)),
    "profile": lambda screen: dialogs.ask_profile(screen, screen.profiles),
    "make": _make,
    "text": lambda screen: begin_command(screen, "profile", option="text"),
    "limits": lambda screen: dialogs.ask_limits(screen, screen.profiles, _required(screen)),
    "outliers": _open_outliers,
    "selections": lambda screen: screen.app.push_screen(SelectionsScreen()),
}

"""The browser: an application with places, how one leaves it, and what it shows as plain text."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal, TypeAlias

from textual import on
from textual.actions import SkipAction
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingsMap, BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.pilot import Pilot
from textual.screen import ModalScreen, Screen
from textual.signal import Signal
from textual.types import CSSPathType
from textual.widgets import Input

from corpusdb.base.display import cell_safe
from corpusdb.base.errors import UsageError
from corpusdb.base.startup import save_memory
from corpusdb.corpus.store import open_for_reading
from corpusdb.corpus.store.user_history import first_operation
from tui import places
from tui.kit.background import JobState, Offered, Place, Runner, kept_jobs, place_key
from tui.kit.dialogs import Dialog
from tui.kit.fields import FindLine
from tui.kit.help_screens import HelpScreen, WatchedKeys
from tui.kit.late_screen import LateScreen
from tui.kit.place_screen import Hints, PlaceScreen, StatusLine, went_back_inside
from tui.kit.programs import ProgramOutput
from tui.kit.reader import SpareMemory
from tui.kit.saved_state import SavedState
from tui.kit.settings import BrowserSettings, Contexts, contexts_of, is_key, load_settings
from tui.kit.shown import JobChanged, Label, PlaceWanted, RowList, Static, bind
from tui.kit.terminal import Looks, TerminalApplication, copy_beside_terminal, fits_terminal

# Leaving with jobs under way, and the terminal that is too small.

Leave: TypeAlias = Literal["wait", "cancel", "stay"]
_CHOICES = (
    "w  wait: leave when they are done",
    "c  cancel: what they have written to the database is kept",
    "s  stay",
)
_UNWRITTEN_CHOICES = ("w  wait: leave when they are written", "c  leave without them: they are lost", "s  stay")


class LeaveDialog(Dialog[Leave]):
    """Asks what is to become of jobs, and of what is not written yet, when somebody leaves."""

    HINTS = Hints(last=("leave.stay", "dialog.help"))
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("w", "dismiss('wait')", "Wait", "leave.wait", "Leave when all is done"),
        bind("c", "dismiss('cancel')", "Cancel", "leave.cancel", "Cancel it and leave"),
        bind("s,q,escape", "dismiss('stay')", "Stay", "leave.stay", "Do not leave"),
    ]

    def __init__(self, active: list[JobState], unwritten: int = 0) -> None:
        super().__init__()
        self._active = active
        self._unwritten = unwritten

    def compose(self) -> ComposeResult:
        with Vertical(classes="form wide"):
            for line in self.lines():
                yield Label(line)
            yield self.hints()

    def lines(self) -> list[str]:
        waiting = f"Not written yet, since another process writes: {self._unwritten:,} of your changes; c loses them"
        lines = [waiting] if self._unwritten else []
        if self._active:
            lines += ["These jobs are not done:", *(f"   {job.title}" for job in self._active)]
        return [*lines, *(_CHOICES if self._active else _UNWRITTEN_CHOICES)]


class Leaving:
    """Leaves the browser: at once where no job runs and all is written, else as its user says."""

    def __init__(self, app: App[None], runner: Runner) -> None:
        self._app = app
        self._runner = runner
        self._jobs = runner.jobs
        self.waits = False
        """Whether somebody who left waits for what is not done."""
        self._drops = False
        """Whether they do without what is not written."""

    @property
    def _is_idle(self) -> bool:
        return not self._jobs.active and (self._drops or not self._runner.unwritten)

    def leave(self) -> None:
        """Leave, or ask what is to become of what is not done."""
        if self._is_idle:
            self._app.exit()
        elif not isinstance(self._app.screen, LeaveDialog):
            self._app.push_screen(LeaveDialog(self._jobs.active, self._runner.unwritten), self._answered)

    def leave_if_idle(self) -> None:
        """Leave where somebody waits for what is not done and nothing is left."""
        if self.waits and self._is_idle:
            self._app.exit()

    def _answered(self, answer: Leave | None) -> None:
        self.waits = answer in ("wait", "cancel")
        self._drops = answer == "cancel"
        if answer == "cancel":
            for job in self._jobs.active:
                self._jobs.cancel(job.number)
            self._jobs.interrupt()
        self.leave_if_idle()


LEAST_WIDTH, LEAST_HEIGHT = 40, 10


class TooSmallScreen(ModalScreen[None], LateScreen[None]):
    """Says that the terminal is too small, until it is made larger."""

    def compose(self) -> ComposeResult:
        yield Static("\n".join(self.lines()), id="too-small")

    def on_screen_resume(self) -> None:
        """It may have become larger while another place was looked at."""
        if self.app.size.width >= LEAST_WIDTH and self.app.size.height >= LEAST_HEIGHT:
            self.dismiss()

    def lines(self) -> list[str]:
        return ["This terminal is too small.", f"{LEAST_WIDTH}x{LEAST_HEIGHT} are needed.", "ctrl+q leaves."]


_TIDIED_SECONDS = 5
_LEAVES = "q again leaves the browser, and so does ctrl+q"


class Navigation(TerminalApplication, inherit_bindings=False):
    """An application that goes from place to place."""

    places: Sequence[Place]
    memory: SavedState
    leaving: Leaving
    came_from: dict[str, str]
    """By place, that from which something was wanted of it: there one goes back to."""
    wanted_screen: Screen[object] | None = None
    """The one that a place has opened for what was wanted of it last: from there one goes back to where that was."""

    async def go_and_do(self, place: str, owner: type[Screen[object]], binding: Binding) -> None:
        """Go to a screen of a place and do what one of its bindings does; say how it is reached where none is open."""
        if place != self.current_mode:
            await self.switch_mode(place)
        is_open = any(isinstance(screen, owner) for screen in self.screen_stack)
        while len(self.screen_stack) > 1 and not isinstance(self.screen, owner):
            self.pop_screen()
        if is_open:
            await self.run_action(binding.action, self.screen)
        else:
            way = owner.REACHED if issubclass(owner, PlaceScreen) else ""
            self.say(f"{way}: there {self.get_key_display(binding.with_key(binding.key.split(',')[0]))} does it")

    def is_lowest(self, screen: Screen[object]) -> bool:
        """Whether going back from a screen leaves the browser."""
        is_first = self.current_mode == self.places[0].key and self.current_mode not in self.came_from
        return is_first and screen is self.screen_stack[0]

    def go_back(self) -> None:
        """Back; out of the browser only if asked twice in a row, since most only wanted back."""
        is_lowest = len(self.screen_stack) == 1
        goes_further = is_lowest or self.screen is self.wanted_screen
        if not is_lowest:
            self.pop_screen()
        place = self.came_from.pop(self.current_mode, "") if goes_further else ""
        if place in {each.key for each in self.places}:
            self.switch_mode(place)
        elif not is_lowest:
            pass
        elif self.current_mode != self.places[0].key:
            self.switch_mode(self.places[0].key)
        elif (line := self.screen.query_one(StatusLine)).message == _LEAVES:
            self.leaving.leave()
        else:
            line.say(_LEAVES)

    def action_leave_screen(self) -> None:
        """Go back to what was before: not out of the browser, nor to a place that one did not come from."""
        screen = self.screen
        is_first = screen is self.screen_stack[0] and self.current_mode not in self.came_from
        if not isinstance(screen, PlaceScreen) or (is_first and not went_back_inside(screen)):
            raise SkipAction
        if not is_first:
            screen.action_back()

    def say(self, text: str, *, is_error: bool = False, stays: bool = False) -> None:
        raise NotImplementedError


class Browser(WatchedKeys, Navigation, inherit_bindings=False):
    """corpusdb by keyboard."""

    TITLE = "corpusdb"
    CSS_PATH: ClassVar[CSSPathType | None] = Path(__file__).with_name("browser.tcss")
    ENABLE_COMMAND_PALETTE = False  # ours looks as all dialogs do
    DEFAULT_MODE = places.PLACES[0].key
    BINDINGS: ClassVar[list[BindingType]] = [
        bind("question_mark,f1", "help", "Keys", "app.help", "Help: the keys of this screen"),
        bind("colon,ctrl+p", "palette", "Commands", "app.palette", "Search commands by name"),
        bind("ctrl+t", "next_theme", "Theme", "app.theme", "Change the colours"),
        bind("ctrl+l", "redraw", "Redraw", "app.redraw", "Draw the screen again"),
        bind("ctrl+z", "suspend_process", "Suspend", "app.suspend", "Go to the shell; fg comes back"),
        bind("ctrl+q", "quit", "Quit", "app.quit", "Leave the browser", priority=True),
        bind("ctrl+c", "say_how_to_leave", "Leave?", "app.interrupt", "Say how to leave"),
    ]

    def __init__(
        self, path: Path, settings: BrowserSettings, memory: SavedState | None = None, commands: Offered | None = None
    ) -> None:
        """``memory`` is what was kept from the last time; without it nothing is, and nothing will be.

        ``commands`` are those of the program that can be begun.
        """
        self.places: Sequence[Place] = places.PLACES
        self.memory = memory or SavedState(path, None)
        if self.memory.place in {each.key for each in self.places}:  # else the first; no other is seen before it
            self.DEFAULT_MODE = self.memory.place  # type: ignore[misc]
        super().__init__()
        for place in self.places:
            self.add_mode(place.key, place.open)
        self._bindings = BindingsMap.merge([BindingsMap(_place_bindings(self.places)), self._bindings])
        self.path = path
        self.opens = f"opening {cell_safe(str(path))} ..."
        self.settings = settings
        self.commands = commands
        self.language = ""
        self.test_sets: dict[int, str] = {}
        self.came_from = {}
        self.looks = Looks(self, settings, self.memory)
        self.looks.begin()  # before anything is drawn, or all would be styled twice
        self.job_changed: Signal[JobState] = Signal(self, "job-changed")
        self.unwritten_changed: Signal[int] = Signal(self, "unwritten-changed")
        self.runner = Runner(path, lambda state: self.post_message(JobChanged(state)), self._unwritten)
        self.jobs = self.runner.jobs
        self.jobs.restore(self.memory.jobs)
        self.leaving = Leaving(self, self.runner)
        self._names = {each.key: each.name for each in self.places}
        self._parts_seen = {self._names.get(self.current_mode, ""): self.current_mode}
        """The key of the place of each name that was looked at last."""

    @cached_property
    def read_only(self) -> bool:
        return not os.access(self.path, os.W_OK)

    @property
    def ascii_only(self) -> bool:
        return self.looks.ascii_only

    def on_mount(self) -> None:
        self.set_keymap(dict(self.settings.keys))
        self.mode_change_signal.subscribe(
            self, lambda place: self._parts_seen.update({self._names.get(place, ""): place})
        )
        spare = SpareMemory()
        self.set_interval(_TIDIED_SECONDS, lambda: asyncio.to_thread(spare.give_back))

    def on_unmount(self) -> None:
        self.memory.place = self.current_mode
        _remember(self)
        if self._exception is None or not self.jobs.active:
            self.runner.close()

    def on_resize(self, event: Resize) -> None:
        """Say it where there is no room, and go on where there is room again."""
        fits = event.size.width >= LEAST_WIDTH and event.size.height >= LEAST_HEIGHT
        if isinstance(self.screen, TooSmallScreen):
            if fits:
                self.screen.dismiss()
        elif not fits:
            self.push_screen(TooSmallScreen())

    def on_job_changed(self, message: JobChanged) -> None:
        self.job_changed.publish(message.state)
        if message.state.is_over:
            _remember(self)
            is_answer = message.state.phase == "done" and isinstance(message.state.result, ProgramOutput)
            told = f"{message.state.summary}{'; its answer: 6, Enter' if is_answer else ''}"
            self.say(told, is_error=message.state.phase == "failed")
        self.leaving.leave_if_idle()

    def _unwritten(self, count: int) -> None:
        if self.is_running:
            self.unwritten_changed.publish(count)
            self.leaving.leave_if_idle()

    @on(PlaceWanted)
    def _go_on_elsewhere(self, wanted: PlaceWanted) -> None:
        """Go to the first screen of a place at once, for what is typed next, and let it take what is wanted of it."""
        if wanted.place not in {place.key for place in self.places}:
            self.say(f"this browser has no place {wanted.place}", is_error=True)
            return
        if self.current_mode != wanted.place:
            self.came_from[wanted.place] = self.current_mode
        mounted = self.switch_mode(wanted.place)
        while len(self.screen_stack) > 1:
            self.pop_screen()
        self.run_worker(self._hand_over(mounted, wanted))

    async def _hand_over(self, mounted: Awaitable[object], wanted: PlaceWanted) -> None:
        await mounted
        first = self.screen_stack[0]
        if isinstance(first, PlaceScreen):
            first.take(wanted)
            self.wanted_screen = self.screen if self.screen is not first else None

    def say(self, text: str, *, is_error: bool = False, stays: bool = False) -> None:
        line = next((line for screen in reversed(self.screen_stack) for line in screen.query(StatusLine)), None)
        if line is not None:
            line.say(text, is_error=is_error, stays=stays)

    async def copy(self, text: str) -> str:
        if fits_terminal(text):
            self.copy_to_clipboard(text)
        return await asyncio.to_thread(copy_beside_terminal, text, os.environ)

    def action_go(self, place: str) -> None:
        """Go to a place; by the key of a name, from elsewhere, to that of its parts that was looked at last."""
        self.came_from.pop(place, None)
        if place == "jobs" != self.current_mode:  # what was begun is looked at there, and one goes on where it was
            self.came_from[place] = self.current_mode
        name, here = self._names.get(place), self._names.get(self.current_mode)
        if name is not None and name != here and place == next(key for key, of in self._names.items() if of == name):
            place = self._parts_seen.get(name, place)
        if place != self.current_mode:
            self.switch_mode(place)

    def action_help(self) -> None:
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen, self.settings.keys))

    def action_begin_command(self, name: str = "", option: str = "") -> None:
        from tui.kit.command_forms import begin_command, choose_command

        screen, first = self.screen, self.screen_stack[0]  # that of the place, to which its commands belong
        if isinstance(screen, PlaceScreen) and name:
            begin_command(screen, name, option=option)
        elif isinstance(screen, PlaceScreen) and isinstance(first, PlaceScreen):
            choose_command(screen, first.BEGINS)

    def action_set_theme(self, name: str) -> None:
        self.looks.choose(name)
        self.say(f"theme {name}")

    def action_next_theme(self) -> None:
        self.action_set_theme(self.looks.next_theme)

    def action_redraw(self) -> None:
        self.screen.refresh(layout=True)

    def action_say_how_to_leave(self) -> None:
        self.say("ctrl+q leaves the browser")

    async def action_quit(self) -> None:
        self.leaving.leave()


def _place_bindings(known: Sequence[Place]) -> list[Binding]:
    """The keys of places."""
    return [
        bind(place_key(number), f"go('{place.key}')", place.title, f"go.{place.key}", place.help)
        for number, place in enumerate(known, 1)
    ]


def all_contexts() -> Contexts:
    """Every binding that can be changed, with those that are in force at the same time."""
    for place in places.PLACES:
        place.load()
    return contexts_of(Browser, _place_bindings(places.PLACES))


def all_bindings() -> Mapping[str, Binding]:
    """Every binding that can be changed, by its id."""
    return {name: binding for context in all_contexts().values() for name, binding in context.items()}


def load_configuration(file: Path | None = None) -> BrowserSettings:
    """The settings in ``file``, else in that of the user, else the usual ones. Raises InputError."""
    return load_settings(all_contexts, file)


def _remember(browser: Browser) -> None:
    """Keep what there is for the next time; a database that was empty is known by its first operation from now on."""
    if browser.memory.is_kept and not browser.memory.begun:
        browser.memory.begun = first_operation(browser.path)
    browser.memory.keep(kept_jobs(browser.jobs.states))


def make_browser(
    path: Path, configuration: Path | None = None, commands: Offered | None = None, *, remembers: bool = False
) -> Browser:
    """The browser on a database; one that ``remembers`` begins where its user left the last one.

    Raises what opening the database and reading the configuration raise.
    """
    settings = load_configuration(configuration)
    open_for_reading(path).close()
    known = SavedState.of_user(path, first_operation(path)) if remembers else None
    if known is not None:
        known.place = known.place or "overview"
    return Browser(path, settings, known, commands)


def run(path: Path, configuration: Path | None = None, commands: Offered | None = None) -> None:
    """Run the browser until somebody leaves it. Raises what make_browser raises, and any fault of the program."""
    save_memory()
    browser = make_browser(path, configuration, commands, remembers=True)
    try:
        browser.run_until_left()
    finally:
        _finish_jobs(browser)


def _finish_jobs(browser: Browser) -> None:
    """Wait for what a fault of the browser has not ended: it is none of the jobs'."""
    if active := browser.jobs.active:
        titles = ", ".join(job.title for job in active)
        print(f"corpusdb: the browser failed; its jobs go on, ctrl+c ends them: {titles}", file=sys.stderr)
        browser.runner.close(waits=True)


# Plain text.


_SIZE = (120, 50)
"""Columns and lines: wide enough for everything that a screen has to show."""


@dataclass(frozen=True, slots=True)
class Visit:
    place: str
    """Its key, such as ``corpus``."""
    find: str | None = None
    """Typed into the place's line of input, and Enter; where it has none, the first row that holds it is opened."""
    press: Sequence[str] = ()
    """Keys, by their names or characters, pressed after that."""


@dataclass(frozen=True, slots=True)
class View:
    lines: tuple[str, ...]
    message: str
    """What stands in the status line."""
    is_error: bool


def visit_place(path: Path, visit: Visit, configuration: Path | None = None) -> View:
    """What a place shows. Raises UsageError for an unknown place, row or key, and what make_browser raises."""
    known = [place.key for place in places.PLACES]
    if visit.place not in known:
        raise UsageError(f"there is no place {visit.place!r}; there are {', '.join(known)}")
    for key in visit.press:
        if not is_key(key):
            raise UsageError(f"{key!r} is not a key, such as j, enter or ctrl+d")
    browser = make_browser(path, configuration)
    seen: list[View | UsageError] = []

    async def steps(pilot: Pilot[object]) -> None:
        try:
            seen.append(await _visited(browser, pilot, visit))
        except UsageError as error:
            seen.append(error)
        browser.exit()

    browser.run_until_left(size=_SIZE, pilot=steps)
    if isinstance(seen[0], UsageError):
        raise seen[0]
    return seen[0]


async def _visited(browser: Browser, pilot: Pilot[object], visit: Visit) -> View:
    await _settled(pilot)
    browser.action_go(visit.place)
    await _settled(pilot)
    if visit.find is not None:
        await _find(browser, pilot, visit.find)
    for key in visit.press:
        await pilot.press(key)
        await _settled(pilot)
        if browser.return_code is not None:
            raise UsageError(f"{key!r} leaves the browser")
    line = next((line for screen in reversed(browser.screen_stack) for line in screen.query(StatusLine)), None)
    message, is_error = ("", False) if line is None else (line.message, line.is_error)
    return View(tuple(screen_lines(browser.screen)), message, is_error)


async def _settled(pilot: Pilot[object]) -> None:
    """Wait until every question is answered and what came of it is shown."""
    await pilot.pause()
    while pilot.app.workers:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()


async def _find(browser: Browser, pilot: Pilot[object], text: str) -> None:
    line = next((each for each in browser.screen.query(Input) if each.display and not isinstance(each, FindLine)), None)
    if line is not None:
        line.focus()
        line.value = text
    else:
        rows = next(iter(browser.screen.query(RowList)), None)
        if rows is None or not any(text.casefold() in row.casefold() for row in rows.lines()):
            raise UsageError(f"nothing here holds {text!r}")
        rows.focus()
        rows.find(text)
    await _settled(pilot)
    await pilot.press("enter")
    await _settled(pilot)


def screen_lines(screen: Screen[object]) -> list[str]:
    """What any screen shows: what it says itself, else its texts, lines of input and lists from top to bottom."""
    if hasattr(screen, "lines"):
        return list(screen.lines())
    found: list[str] = []
    for widget in screen.query("*"):
        if isinstance(widget, Static | Label):
            found += str(widget.render()).splitlines()
        elif isinstance(widget, Input) and widget.display:
            found.append(f"{widget.placeholder}: {widget.value}")
        elif isinstance(widget, RowList):
            found += widget.lines()
    return found

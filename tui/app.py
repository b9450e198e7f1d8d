"""The browser: its places, its keys, its looks, and the one function that the command line calls."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from textual.app import AutopilotCallbackType, ScreenStackError
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.filter import LineFilter
from textual.keys import KEY_DISPLAY_ALIASES, format_key
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.signal import Signal
from textual.types import CSSPathType

from corpusdb import signals
from corpusdb.store import open_for_reading
from tui.background.jobs import Jobs, JobState
from tui.background.reader import Desktop
from tui.corpus.screen import CorpusScreen, show_in_corpus
from tui.jobs.screen import JobsScreen
from tui.judging.samples_screen import JudgingScreen
from tui.keys.clashes import Contexts, contexts_of
from tui.keys.palette import KeyCommands
from tui.keys.settings import THEMES, Settings, load_settings
from tui.keys.type_ahead import TypeAhead
from tui.messages import JobChanged
from tui.overview.screen import OverviewScreen
from tui.paradigms.screen import ParadigmsScreen, open_paradigm
from tui.sessions.list_screen import SessionScreen, open_session
from tui.shared.help import HelpScreen
from tui.shared.leaving import leave
from tui.shared.place_screen import PLACES
from tui.shared.too_small import LEAST_HEIGHT, LEAST_WIDTH, TooSmallScreen
from tui.shown import TextWall
from tui.terminal.capabilities import PlainScrollBar, draws_lines, has_few_colours, wants_no_colour
from tui.terminal.clipboard import copy_beside_terminal, fits_terminal
from tui.widgets.status_line import StatusLine

__all__ = ["Browser", "all_bindings", "all_contexts", "load_configuration", "make_browser", "run"]


class Browser(TypeAhead, inherit_bindings=False):
    """corpusdb by keyboard."""

    TITLE = "corpusdb"
    CSS_PATH: ClassVar[CSSPathType | None] = Path(__file__).with_name("browser.tcss")
    COMMANDS = {KeyCommands}  # noqa: RUF012
    MODES = {  # noqa: RUF012
        "corpus": CorpusScreen,
        "session": SessionScreen,
        "paradigms": ParadigmsScreen,
        "judging": JudgingScreen,
        "jobs": JobsScreen,
        "overview": OverviewScreen,
    }
    DEFAULT_MODE = "corpus"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"go('{mode}')", name, id=f"go.{mode}", tooltip=f"Go to {name}", show=False)
            for number, (mode, name) in enumerate(PLACES, 1)
        ),
        Binding("question_mark,f1", "help", "Help", id="app.help", tooltip="Show the keys of this screen"),
        Binding(
            "colon,ctrl+p",
            "command_palette",
            "Commands",
            id="app.palette",
            tooltip="Search commands by name",
            show=False,
        ),
        Binding("ctrl+t", "next_theme", "Theme", id="app.theme", tooltip="Change the colours", show=False),
        Binding("ctrl+l", "redraw", "Redraw", id="app.redraw", tooltip="Draw the screen again", show=False),
        Binding("ctrl+z", "suspend_process", "Suspend", id="app.suspend", tooltip="Go to the shell; fg comes back"),
        Binding("ctrl+q", "quit", "Quit", id="app.quit", tooltip="Leave the browser", show=False, priority=True),
        Binding("ctrl+c", "say_how_to_leave", "Leave?", id="app.interrupt", tooltip="Say how to leave", show=False),
    ]

    def __init__(self, path: Path, settings: Settings) -> None:
        # Where no colour is wanted, those of the terminal are not to be made true colours, and then greys.
        super().__init__(ansi_color=True if wants_no_colour(os.environ) else None)
        self.wall = TextWall()
        self.path = path
        self.settings = settings
        self.desktop = Desktop(path)
        self.job_changed: Signal[JobState] = Signal(self, "job-changed")
        """Published with each new state of a background job."""
        self.jobs = Jobs(path, lambda state: self.post_message(JobChanged(state)))
        self.leaves_when_idle = False
        """Whether somebody who left waits for the jobs."""
        self._loop_of_screen: asyncio.AbstractEventLoop | None = None
        self._is_ended = False

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Every line of every screen passes them, the wall last."""
        return [*super().get_line_filters(), self.wall]

    @cached_property
    def read_only(self) -> bool:
        """Whether the database may only be read."""
        return not os.access(self.path, os.W_OK)

    def on_mount(self) -> None:
        self._loop_of_screen = asyncio.get_running_loop()
        if self._is_ended:
            self.exit()
        self._set_theme(self._theme_at_start())
        ascii_only = self.settings.borders == "ascii" or (
            self.settings.borders == "auto" and not draws_lines(os.environ)
        )
        self.set_class(ascii_only, "ascii")
        ScrollBar.renderer = PlainScrollBar if ascii_only else ScrollBarRender
        self.set_keymap(dict(self.settings.keys))

    def _theme_at_start(self) -> str:
        if self.settings.theme != "auto":
            return self.settings.theme
        return "ansi-dark" if has_few_colours(self.console.color_system, os.environ) else "dark"

    def _set_theme(self, name: str) -> None:
        self.theme_name = name
        self.theme = THEMES[name]

    def on_resize(self, event: Resize) -> None:
        """Say it where there is no room, and go on where there is room again."""
        fits = event.size.width >= LEAST_WIDTH and event.size.height >= LEAST_HEIGHT
        if isinstance(self.screen, TooSmallScreen):
            if fits:
                self.pop_screen()
        elif not fits:
            self.push_screen(TooSmallScreen())

    def get_key_display(self, binding: Binding) -> str:
        """A key as one would say it: ``ctrl+d``, ``?``, ``up``."""
        *modifiers, key = binding.key.split("+")
        named = key if key in KEY_DISPLAY_ALIASES and key != "minus" else format_key(key)
        return "+".join([*modifiers, named])

    def say(self, text: str, *, is_error: bool = False) -> None:
        """Tell something in the status line of the topmost screen that has one."""
        for screen in reversed(self.screen_stack):
            for line in screen.query(StatusLine):
                line.say(text, is_error=is_error)
                return

    def action_set_theme(self, name: str) -> None:
        self._set_theme(name)
        self.say(f"theme {name}")

    def action_next_theme(self) -> None:
        names = list(THEMES)
        self.action_set_theme(names[(names.index(self.theme_name) + 1) % len(names)])

    def action_redraw(self) -> None:
        self.screen.refresh(layout=True)

    def action_say_how_to_leave(self) -> None:
        self.say("ctrl+q leaves the browser")

    def on_unmount(self) -> None:
        self.jobs.close()
        self.desktop.close()

    def on_job_changed(self, message: JobChanged) -> None:
        self.job_changed.publish(message.state)
        if message.state.is_over:
            self.say(message.state.summary, is_error=message.state.phase == "failed")
        if self.leaves_when_idle and not self.jobs.active:
            self.exit()

    async def action_quit(self) -> None:
        leave(self)

    def clear_selection(self) -> None:
        """Nothing is selected before the first screen stands; a line of input asks for it while it is being made."""
        with suppress(ScreenStackError):
            super().clear_selection()

    def action_go(self, mode: str) -> None:
        if mode in self.MODES and mode != self.current_mode:
            self.switch_mode(mode)

    def open_session(self, texts: Sequence[str], language: str) -> None:
        """Begin a paraphrase session with these sentences, and go to it."""
        open_session(self, texts, language)

    def action_help(self) -> None:
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen))

    def show_in_corpus(self, text: str, language: str) -> None:
        """Go to the corpus, and search for a string in it."""
        show_in_corpus(self, text, language)

    def open_paradigm(self, text: str, language: str) -> None:
        """Go to the paradigms of a phrase, or of a sentence with a gap."""
        open_paradigm(self, text, language)

    def go_back(self) -> None:
        """To the screen below this one; from the lowest of a place to the corpus, and from there out."""
        if len(self.screen_stack) > 1:
            self.pop_screen()
        elif self.current_mode != self.DEFAULT_MODE:
            self.switch_mode(self.DEFAULT_MODE)
        else:
            leave(self)

    async def copy(self, text: str) -> str:
        """Copy to the terminal's clipboard, to tmux and to a file; what to tell the user."""
        if fits_terminal(text):
            self.copy_to_clipboard(text)
        return await asyncio.to_thread(copy_beside_terminal, text, os.environ)

    def _fatal_error(self) -> None:
        """Leave after a fault of the program; ``run`` raises it, and textual shows no traceback of its own."""
        self._close_messages_no_wait()

    def run_until_left(
        self, *, size: tuple[int, int] | None = None, pilot: AutopilotCallbackType | None = None
    ) -> None:
        """Run on the terminal, or unseen where there is a ``pilot``, until somebody leaves.

        Raises any fault of the program, and KeyboardInterrupt where a signal ended it: the terminal is in order then.
        """
        with signals.handled_by(self._end):
            self.run(headless=pilot is not None, size=size, mouse=False, auto_pilot=pilot)
        if self._exception is not None:
            raise self._exception
        signals.raise_received()

    def _end(self) -> None:
        """Leave at once, whatever is under way; called between any two steps of the main thread."""
        self._is_ended = True
        if self._loop_of_screen is not None:
            self._loop_of_screen.call_soon_threadsafe(self.exit)


def all_contexts() -> Contexts:
    """Every binding that can be changed, with those that are in force at the same time."""
    return contexts_of(Browser)


def all_bindings() -> Mapping[str, Binding]:
    """Every binding that can be changed, by its id."""
    return {name: binding for context in all_contexts().values() for name, binding in context.items()}


def load_configuration(file: Path | None = None) -> Settings:
    """The settings in ``file``, else in that of the user, else the usual ones. Raises InputError."""
    return load_settings(all_contexts(), file)


def make_browser(path: Path, configuration: Path | None = None) -> Browser:
    """The browser on a database. Raises what opening the database and reading the configuration raise."""
    settings = load_configuration(configuration)
    open_for_reading(path).close()
    return Browser(path, settings)


def run(path: Path, configuration: Path | None = None) -> None:
    """Run the browser until somebody leaves it. Raises what make_browser raises, and any fault of the program."""
    make_browser(path, configuration).run_until_left()

"""An application that owns a terminal: it leaves it in order, whatever ends it, and sends it nothing harmful."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress

from textual.app import AutopilotCallbackType, ScreenStackError
from textual.binding import Binding
from textual.filter import LineFilter
from textual.keys import KEY_DISPLAY_ALIASES, format_key

from corpusdb import signals
from tui.keys.type_ahead import TypeAhead
from tui.shown import TextWall
from tui.terminal.capabilities import wants_no_colour

__all__ = ["TerminalApplication"]


class TerminalApplication(TypeAhead):
    """Runs until somebody leaves it, a signal ends it, or a fault of the program does, which is raised."""

    def __init__(self) -> None:
        # Where no colour is wanted, those of the terminal are not to be made true colours, and then greys.
        super().__init__(ansi_color=True if wants_no_colour(os.environ) else None)
        self.wall = TextWall()
        self._loop_of_screen: asyncio.AbstractEventLoop | None = None
        self._is_ended = False

    def on_mount(self) -> None:
        self._loop_of_screen = asyncio.get_running_loop()
        if self._is_ended:
            self.exit()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Every line of every screen passes them, the wall last."""
        return [*super().get_line_filters(), self.wall]

    def get_key_display(self, binding: Binding) -> str:
        """A key as one would say it: ``ctrl+d``, ``?``, ``up``."""
        *modifiers, key = binding.key.split("+")
        named = key if key in KEY_DISPLAY_ALIASES and key != "minus" else format_key(key)
        return "+".join([*modifiers, named])

    def clear_selection(self) -> None:
        """Nothing is selected before the first screen stands; a line of input asks for it while it is being made."""
        with suppress(ScreenStackError):
            super().clear_selection()

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

    def _fatal_error(self) -> None:
        """Leave after a fault of the program; ``run`` raises it, and textual shows no traceback of its own."""
        self._close_messages_no_wait()

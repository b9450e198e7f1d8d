"""How the browser looks: its theme, its borders, and the colours of what means something."""

from __future__ import annotations

import os
from collections.abc import Mapping

from textual.app import App
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import BUILTIN_THEMES, Theme

from tui.kit.settings import THEMES, BrowserSettings
from tui.kit.terminal import PlainScrollBar, SavedState, draws_lines

# The colours of what means something, from the 16 of the terminal; never by colour alone.
#
# Each stands for one meaning wherever it appears, beside a letter, a sign or a style that says the same without
# colour. Everything else has the terminal's own colour.


MATCH = "bold underline yellow"
"""What was searched for, or matches a reference; underlined."""
ACCEPTED = "bold green"
"""Beside ``+``."""
WRITTEN = "bold bright_green"
"""Beside ``w``: accepted and in the corpus."""
REJECTED = "red"
"""Beside ``-``."""
UNSTORED = "bold yellow"
"""Beside ``~``: decided, and not in the file yet."""
FAULT = "bold red"
"""A message that begins with ``!``."""
KEY = "bold cyan"
"""A key in a line of hints."""
ORIGINS: Mapping[str, str] = {
    "detected": "cyan",
    "analogy": "magenta",
    "exchange": "yellow",
    "equivalent": "bright_blue",
    "rule": "bright_magenta",
}
"""Of the letters of origins, by the names of these."""
_SURE, _DOUBTFUL = 0.95, 0.5


def validity_style(validity: float | None) -> str:
    """Of a validity, which stands there as a figure: what holds, what is more likely not to hold, and between."""
    if validity is None:
        return "dim"
    return "green" if validity >= _SURE else "" if validity >= _DOUBTFUL else "red"


# How the browser looks: its theme and its borders.


QUIET = Theme(
    name=THEMES["quiet"],
    primary="ansi_bright_black",
    secondary="ansi_cyan",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    accent="ansi_cyan",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    dark=True,
    ansi=True,
    variables={
        **BUILTIN_THEMES["ansi-dark"].variables,
        "border-blurred": "ansi_bright_black",
        "input-selection-background": "ansi_cyan",
        "scrollbar": "ansi_bright_black",
        "scrollbar-background": "ansi_default",
    },
)
"""The terminal's own background and text, light or dark; colours are left to what has a meaning (see tui.kit.looks)."""


class Looks:
    """The looks of an application, as its user and the terminal want them."""

    def __init__(self, app: App[None], settings: BrowserSettings, memory: SavedState | None = None) -> None:
        """``memory`` knows the theme that was chosen the last time."""
        self._app = app
        self._memory = memory
        self._settings = settings
        self.theme = ""
        """The name of the theme, one of THEMES."""

    @property
    def ascii_only(self) -> bool:
        borders = self._settings.borders
        return borders == "ascii" or (borders == "auto" and not draws_lines(os.environ))

    def begin(self) -> None:
        self._app.register_theme(QUIET)
        self.wear(self._first_theme())
        self._app.set_class(self.ascii_only, "ascii")
        ScrollBar.renderer = PlainScrollBar if self.ascii_only else ScrollBarRender

    def wear(self, theme: str) -> None:
        self.theme = theme
        self._app.theme = THEMES[theme]

    def choose(self, theme: str) -> None:
        """Change the theme, and keep it for the next time."""
        self.wear(theme)
        if self._memory is not None:
            self._memory.keep_theme(theme, self._settings.theme)

    @property
    def next_theme(self) -> str:
        names = list(THEMES)
        return names[(names.index(self.theme) + 1) % len(names)]

    def _first_theme(self) -> str:
        chosen = self._memory.theme(self._settings.theme) if self._memory is not None else ""
        if chosen in THEMES:
            return chosen
        return next(iter(THEMES)) if self._settings.theme == "auto" else self._settings.theme

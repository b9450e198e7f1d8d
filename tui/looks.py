"""How the browser looks: its theme and its borders."""

from __future__ import annotations

import os

from textual.app import App
from textual.scrollbar import ScrollBar, ScrollBarRender

from tui.keys.settings import THEMES, Settings
from tui.terminal.capabilities import PlainScrollBar, draws_lines, has_few_colours

__all__ = ["Looks"]


class Looks:
    """The looks of an application, as its user and the terminal want them."""

    def __init__(self, app: App[None], settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self.theme = ""
        """The name of the theme, one of THEMES."""

    @property
    def ascii_only(self) -> bool:
        """Whether borders and plots are drawn in ASCII."""
        borders = self._settings.borders
        return borders == "ascii" or (borders == "auto" and not draws_lines(os.environ))

    def begin(self) -> None:
        """Put on the looks of the settings."""
        self.wear(self._first_theme())
        self._app.set_class(self.ascii_only, "ascii")
        ScrollBar.renderer = PlainScrollBar if self.ascii_only else ScrollBarRender

    def wear(self, theme: str) -> None:
        """Change the theme."""
        self.theme = theme
        self._app.theme = THEMES[theme]

    @property
    def next_theme(self) -> str:
        """The name of the theme after this one."""
        names = list(THEMES)
        return names[(names.index(self.theme) + 1) % len(names)]

    def _first_theme(self) -> str:
        if self._settings.theme != "auto":
            return self._settings.theme
        return "ansi-dark" if has_few_colours(self._app.console.color_system, os.environ) else "dark"

"""What the terminal can show, as far as its environment tells."""

from __future__ import annotations

from collections.abc import Mapping

from textual.scrollbar import ScrollBarRender

__all__ = ["PlainScrollBar", "draws_lines", "wants_no_colour"]

_WITHOUT_LINES = ("dumb", "linux", "vt")


def wants_no_colour(environment: Mapping[str, str]) -> bool:
    """Whether the user asked every program for no colours: ``NO_COLOR`` is there and not empty."""
    return bool(environment.get("NO_COLOR"))


def draws_lines(environment: Mapping[str, str]) -> bool:
    """Whether the terminal has the characters of lines and corners: it speaks UTF-8 and is no bare console."""
    if environment.get("TERM", "").startswith(_WITHOUT_LINES):
        return False
    language = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := environment.get(name))), "")
    # Where nothing is said, Python itself takes the terminal for one of UTF-8.
    return language in ("", "C", "POSIX") or language.lower().replace("-", "").endswith("utf8")


class PlainScrollBar(ScrollBarRender):
    """A scroll bar whose ends are whole characters."""

    VERTICAL_BARS = [" "]  # noqa: RUF012
    HORIZONTAL_BARS = [" "]  # noqa: RUF012

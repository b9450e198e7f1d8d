"""The colours of what means something, from the 16 of the terminal; never by colour alone.

Each stands for one meaning wherever it appears, beside a letter, a sign or a style that says the same without colour.
Everything else has the terminal's own colour.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["ACCEPTED", "FAULT", "KEY", "MATCH", "ORIGINS", "REJECTED", "UNSTORED", "WRITTEN", "validity_style"]

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

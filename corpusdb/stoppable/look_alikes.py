"""Regular expressions of people whose typed spaces, apostrophes and hyphens stand for whatever looks like them.

What is excluded is only what was typed: [^ ] finds a no-break space, and (?! ) allows one. Otherwise what nobody sees
the difference of would take hits away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from corpusdb.text import LOOK_ALIKES, as_typed

__all__ = ["look_alike_pattern"]

_PART = re.compile(
    r"""(?P<escape>\\(?:[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|.))
    |(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<flags>\(\?[aiLmsux-]+\))|(?P<open>\((?:\?<?[=!]|\?[aiLmsux-]*:)?)
    |(?P<close>\))|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_KEY_OF: Final = {char: key for key, chars in LOOK_ALIKES.items() if key for char in key + chars}


def look_alike_pattern(pattern: str, alike: str) -> tuple[str, str]:
    """The expression that is to be put to ``as_typed`` texts, and by which keys of LOOK_ALIKES these are.

    ``alike``: the keys that stand for their look-alikes. Those that something excludes are left as they are in the
    texts; where they stand elsewhere, the expression then has all their look-alikes itself.
    """
    excluded = {_KEY_OF[char] for part, is_negated in _parts(pattern) if is_negated for char in _typed_in(part)}
    excluded &= set(alike)
    if not excluded:
        return as_typed(pattern, alike), alike
    written = "".join(part if is_negated else _widened(part, excluded) for part, is_negated in _parts(pattern))
    rest = "".join(key for key in alike if key not in excluded)
    return as_typed(written, rest), rest


def _parts(pattern: str) -> Iterator[tuple[str, bool]]:
    """The expression in parts, and of each whether a text that has it is excluded."""
    negated: list[bool] = [False]
    for match in _PART.finditer(pattern):
        part = match[0]
        if match.lastgroup == "open":
            negated.append(negated[-1] or part.endswith("!"))
        elif match.lastgroup == "close" and len(negated) > 1:
            yield part, negated.pop()
            continue
        yield part, negated[-1] or (match.lastgroup == "set" and part.startswith("[^"))


def _typed_in(part: str) -> list[str]:
    """The spaces, apostrophes and hyphens that a part has; a hyphen between two others in a set is a range."""
    if part.startswith("[") and len(part) > 1:
        inside = part[1:-1].removeprefix("^")
        found = [char for char in inside if char in _KEY_OF and char != "-"]
        return [*found, "-"] if inside[:1] == "-" or inside[-1:] == "-" or r"\-" in inside else found
    char = part[1:] if part.startswith("\\") else part
    return [char] if char in _KEY_OF else []


def _widened(part: str, keys: set[str]) -> str:
    """The same with all that looks like what it has of some keys."""
    found = {_KEY_OF[char] for char in _typed_in(part)} & keys
    if not found:
        return part
    others = "".join(re.escape(key) + LOOK_ALIKES[key] for key in sorted(found))
    return f"{part[:-1]}{others}]" if part.startswith("[") else f"[{others}]"

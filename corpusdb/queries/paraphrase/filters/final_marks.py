"""The marks that a sentence ends with: what differs from its seed in nothing else is no paraphrase.

One definition, in SQL and in Python. What opens a sentence goes with the mark that ends it, as ¿ with ?.
"""

from __future__ import annotations

from typing import Final

__all__ = ["differs_in_final_marks", "differs_in_final_marks_sql"]

_LAST: Final = '.!?…。．｡！？‼⁇⁈⁉؟।։ \u00a0\u202f\u3000"”»」』'
"""Marks, with the spaces before them and the quotation marks behind."""
_FIRST: Final = '¿¡"“«「『 \u00a0\u202f'


def differs_in_final_marks(seed: str, text: str) -> bool:
    """Whether two different texts are the same but for the marks at their end."""
    return seed.rstrip(_LAST).lstrip(_FIRST) == text.rstrip(_LAST).lstrip(_FIRST)


def differs_in_final_marks_sql(seed: str, text: str) -> str:
    """The same of two expressions in SQL, each of which is looked at once."""
    return " = ".join(f"ltrim(rtrim({each}, '{_LAST}'), '{_FIRST}')" for each in (seed, text))

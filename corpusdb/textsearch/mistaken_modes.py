"""Of what kind a pattern looks that was taken for one of another kind, and found nothing."""

from __future__ import annotations

import re

from corpusdb.errors import QueryError, UsageError
from corpusdb.textsearch.patterns import Mode

__all__ = ["has_token_test", "meant_mode"]

_QUERY_MARKS = re.compile(r"""["']|\[\s*\]""")
_TOKEN_TEST = re.compile(r"\[\s*\w+\s*!?=")
"""Of a token, also where the quotes were lost on the way through a shell: [lemma=go]."""
_REGEX_MARKS = re.compile(r"\\[bBdDsSwW.]|[.\])][*+?]|\[[^\]]+\]|\w\|\w|\(\?|^\^|\w\$$")
"""What stands in regular expressions, and hardly in a sentence; "(really)?" is among it."""


def meant_mode(text: str, mode: Mode) -> Mode | None:
    """The kind of pattern that a text of another kind looks like; None where it looks like no other."""
    if mode != "cqp" and _is_query(text):
        return "cqp"
    return "regex" if mode in ("substring", "word") and _is_regex(text) else None


def has_token_test(text: str) -> bool:
    """Whether it has a token with a condition, as CQP queries have."""
    return _TOKEN_TEST.search(text) is not None


def _is_query(text: str) -> bool:
    from corpusdb.cqp import parse

    if has_token_test(text):
        return True
    if not _QUERY_MARKS.search(text):
        return False
    try:
        parse(text)
    except (QueryError, UsageError):
        return False
    return True


def _is_regex(text: str) -> bool:
    if not _REGEX_MARKS.search(text):
        return False
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True

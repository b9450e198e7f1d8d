"""What a query asks of where a match stands: what files say of documents and lines, such as the speaker.

In CQP these are structural attributes: ``<u_who="Bob">`` in front, or ``:: match.u_who = "Bob"``. They are kept as
``--where`` has them, since they are conditions on occurrences, and all else in a query is one on tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn, TypeAlias

from corpusdb.search.cqp_syntax import And, Condition, WordPattern, WordTest, leaves_of

Fail: TypeAlias = Callable[[str, int], NoReturn]
"""Raises QueryError for a reason, at a place in the text of the query."""
MATCH = "match"
"""The label of the whole match, whose attributes are those of where it stands."""
_KNOWN = re.compile(r"\\[^\w*|]|\.\*")
_OTHERS = re.compile(r"[\\*+?^$(){}\[\]]")


def condition_on_place(fail: Fail, name: str, pattern: WordPattern, *, equal: bool) -> str:
    """An attribute and its value as ``--where`` has them.

    Raises QueryError for what is no alternative and no ``.*`` of a regular expression, which is all that it knows.
    """
    is_flagged = pattern.literal or pattern.ignore_case or pattern.ignore_diacritics
    if is_flagged or _OTHERS.search(_KNOWN.sub("", pattern.text)):
        fail(f"the value of {name} may have only | and .* of regular expressions, and no flags", pattern.position)
    value = re.sub(r"\\(.)", r"\1", pattern.text.replace(".*", "*"))
    return f"{name}{'' if equal else '!'}={value}"


def without_places(fail: Fail, constraint: Condition) -> tuple[Condition | None, tuple[str, ...]]:
    """A constraint without its tests of where the match stands, and these, which hold for the whole query.

    Raises QueryError where such a test is not joined to the others by & alone.
    """
    parts = constraint.operands if isinstance(constraint, And) else (constraint,)
    of_places = [part for part in parts if isinstance(part, WordTest) and part.label == MATCH]
    kept = tuple(part for part in parts if part not in of_places)
    for leaf in (leaf for part in kept for leaf in leaves_of(part)):
        if MATCH in ((leaf.label,) if isinstance(leaf, WordTest) else (leaf.left, leaf.right)):
            fail('a condition on the place stands by itself or with &: match.u_who = "..."', leaf.position)
    rest = And(kept, constraint.position) if len(kept) > 1 else next(iter(kept), None)
    return rest, tuple(condition_on_place(fail, each.attribute, each.pattern, equal=each.equal) for each in of_places)

"""The origins there are. A new one is a module beside this one, and a line here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from corpusdb.base.errors import UsageError
from corpusdb.corpus.model import Paraphrase
from corpusdb.paraphrase.queries.origins.made import EQUIVALENT, RULE
from corpusdb.paraphrase.queries.origins.origin import Origin
from corpusdb.paraphrase.queries.origins.stored import ANALOGY, DETECTED, EXCHANGE

ORIGINS: Final[dict[str, Origin]] = {origin.name: origin for origin in (DETECTED, ANALOGY, EXCHANGE, EQUIVALENT, RULE)}
"""By name, in the order in which their evidence is combined and their marks are shown."""


def select_origins(names: Iterable[str] | None = None) -> list[Origin]:
    """The origins of these names, or all, in the order of the registry. Raises UsageError for an unknown name."""
    if names is None:
        return list(ORIGINS.values())
    wanted = frozenset(names)
    found = [origin for name, origin in ORIGINS.items() if name in wanted]
    if len(found) < len(wanted):
        raise UsageError(f"unknown origin {min(wanted - ORIGINS.keys())!r}; there are {', '.join(ORIGINS)}")
    return found


def origin_marks(paraphrase: Paraphrase) -> str:
    """A character for each origin, and then * in the corpus; a space for what is not.

    D is detected, G generated, E exchanged, Q an equivalent, R by rules.
    """
    marks = [origin.mark if name in paraphrase.origins else " " for name, origin in ORIGINS.items()]
    return "".join([*marks, "*" if paraphrase.in_corpus else " "])

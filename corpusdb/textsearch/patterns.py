"""Patterns that a sentence may hold: strings, whole words, regular expressions and CQP queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from corpusdb.textsearch.folding import NO_FOLDING, Folding

__all__ = ["Mode", "Pattern"]

Mode: TypeAlias = Literal["substring", "word", "regex", "cqp"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is looked for."""

    text: str
    mode: Mode = "substring"
    """word: as whole tokens, as frequencies count them; cqp: a query over tokens, see corpusdb.cqp."""
    folding: Folding = NO_FOLDING

"""Analogies between strings: the formal definition, and the general solver of analogical equations."""

from __future__ import annotations

from corpusdb.analogy.definition import is_analogy, lcs_distance, lcs_length
from corpusdb.analogy.solver import LONGEST_TERM, solutions, solve

__all__ = ["LONGEST_TERM", "is_analogy", "lcs_distance", "lcs_length", "solutions", "solve"]

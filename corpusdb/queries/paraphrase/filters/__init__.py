"""What is kept of the paraphrases: filters, each in SQL and in Python."""

from corpusdb.queries.paraphrase.filters.filter import Filter
from corpusdb.queries.paraphrase.filters.final_marks import differs_in_final_marks, differs_in_final_marks_sql
from corpusdb.queries.paraphrase.filters.nsequences import (
    DEFAULT_FILTER,
    NO_FILTER,
    FilterOptions,
    NSequenceFilter,
    filter_at,
)
from corpusdb.queries.paraphrase.filters.registry import FILTERS, AllOf, filter_from
from corpusdb.queries.paraphrase.filters.relaxation import Relaxation, relaxations, relaxations_told
from corpusdb.queries.paraphrase.filters.thresholds import (
    NO_THRESHOLDS,
    ListOptions,
    Thresholds,
    filter_and_thresholds,
)

__all__ = [
    "DEFAULT_FILTER",
    "FILTERS",
    "NO_FILTER",
    "NO_THRESHOLDS",
    "AllOf",
    "Filter",
    "FilterOptions",
    "ListOptions",
    "NSequenceFilter",
    "Relaxation",
    "Thresholds",
    "differs_in_final_marks",
    "differs_in_final_marks_sql",
    "filter_and_thresholds",
    "filter_at",
    "filter_from",
    "relaxations",
    "relaxations_told",
]

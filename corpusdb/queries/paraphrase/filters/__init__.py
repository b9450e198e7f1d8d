"""What is kept of the paraphrases: filters, each in SQL and in Python."""

from corpusdb.queries.paraphrase.filters.filter import Filter
from corpusdb.queries.paraphrase.filters.nsequences import (
    DEFAULT_FILTER,
    NO_FILTER,
    FilterOptions,
    NSequenceFilter,
    filter_at,
)
from corpusdb.queries.paraphrase.filters.registry import FILTERS, AllOf, filter_from

__all__ = [
    "DEFAULT_FILTER",
    "FILTERS",
    "NO_FILTER",
    "AllOf",
    "Filter",
    "FilterOptions",
    "NSequenceFilter",
    "filter_at",
    "filter_from",
]

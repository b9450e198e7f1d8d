"""Characters: n-grams of every length, and how fluent a text is by those that were seen."""

from corpusdb.charlm.matching import SortedCorpus
from corpusdb.charlm.nsequences import FluencyOrders, fluency_orders, hashes_within, sequence_hash
from corpusdb.charlm.suffixes import SuffixIndex, sort_suffixes

__all__ = [
    "FluencyOrders",
    "SortedCorpus",
    "SuffixIndex",
    "fluency_orders",
    "hashes_within",
    "sequence_hash",
    "sort_suffixes",
]

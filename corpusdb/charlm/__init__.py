"""Characters: language models over them, and how fluent a text is by the character n-grams that were seen."""

from corpusdb.charlm.nsequences import FluencyOrders, fluency_orders, hashes_within, sequence_hash

__all__ = ["FluencyOrders", "fluency_orders", "hashes_within", "sequence_hash"]

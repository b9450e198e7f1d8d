"""Characters: language models over them, and how fluent a text is by the character n-grams that were seen."""

from corpusdb.charlm.nsequences import Fluency, FluencyOrders, fluency_of, fluency_orders, hashes_within, sequence_hash

__all__ = ["Fluency", "FluencyOrders", "fluency_of", "fluency_orders", "hashes_within", "sequence_hash"]

"""Exchanges of words in the corpus: their rates, stored, and the validity of paraphrases that is learned from them."""

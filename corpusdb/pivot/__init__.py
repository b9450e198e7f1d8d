"""Paraphrases by pivoting: sentences of one language that share a translation in another."""

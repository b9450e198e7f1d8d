"""Paraphrases of a sentence, wherever they come from: detected, counted, ranked."""

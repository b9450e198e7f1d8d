"""Paraphrases by proportional analogy: the index of slots, the candidates it yields, and what stands behind each."""

"""Paraphrase sessions: seeds that a person works through, and what is accepted of them."""

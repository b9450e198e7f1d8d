"""Reference sets made from the corpus."""

"""Translation of a text from the examples of the corpus."""

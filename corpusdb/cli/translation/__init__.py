"""The command that translates from the examples of the corpus."""

"""Commands that put texts into the corpus and take them out."""

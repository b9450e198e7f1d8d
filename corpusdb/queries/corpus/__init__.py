"""What the corpus holds: sentences, their translations, the files and lines in which they stand."""

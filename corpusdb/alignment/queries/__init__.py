"""Word alignment of files and of the corpus, and what follows from it."""

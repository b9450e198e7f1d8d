"""corpusdb: aligned multilingual corpora in one SQLite file, and the paraphrases that are in them."""

__version__ = "0.1.0"

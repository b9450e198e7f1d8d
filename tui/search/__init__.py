"""The corpus: search, concordances, documents."""

"""Rules that rewrite Japanese sentences: sets of them, what they make of texts, and what they do to correlations."""

"""Translation by the phrases of the aligned corpus."""

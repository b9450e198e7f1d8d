"""Commands that make references, score with them, and study what scores are worth."""

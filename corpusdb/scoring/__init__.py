"""Scores of translations: computed, kept, explained, verified."""

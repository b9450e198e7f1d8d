"""Scores of others, kept with the outputs that they were given to."""

"""References with substitutions, and the scores over all that they stand for."""

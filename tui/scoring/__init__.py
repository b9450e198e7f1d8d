"""The place of scores: the table of systems, their segments, what matched in each, and curves."""

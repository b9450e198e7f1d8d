"""The options and the answer of the command that scores systems."""

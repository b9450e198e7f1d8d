"""The place Equivalents: how a word is translated, what else it is called, and what a person rejects of that."""

"""Morphemes of languages that are written without spaces: what they are, and who finds them.

An analyser is whatever satisfies the protocol ``Analyser``; ``sudachi_analyser`` makes the one there is, for Japanese.
"""

from corpusdb.morphemes.analyser import Analyser, Morpheme
from corpusdb.morphemes.sudachi import analysers_used, required_analyser, sudachi_analyser

__all__ = ["Analyser", "Morpheme", "analysers_used", "required_analyser", "sudachi_analyser"]

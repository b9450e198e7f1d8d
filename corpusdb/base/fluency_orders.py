"""Fluency orders: how long the character sequences of a text may be so that all occur in the corpus.

Apart from the values of the model, since the command line needs the default when it starts.
"""

from __future__ import annotations

from typing import Final

DEFAULT_ORDER: Final = 20
"""The N of the N-sequence filter that gave Lepage & Denoual (2005, section 5) the quality of the corpus itself."""
DEFAULT_MIN_VALIDITY: Final = 0.95
"""The least probability that a paraphrase holds with which it is kept: README says what was read at it."""
ONE_PIVOT: Final = 0.5
"""What the probability is multiplied by where all translations are into one language, which does not mark what this one
does: whether a pair differs in that, nothing here can tell. Of French and German pairs through English alone that were
read, with a validity of 0.999 and more, 17 and 18 % held; of Japanese ones, which have to say less than English, 94 %.
"""
NO_LIMIT: Final = 2**31 - 1
"""The order of a text that occurs in the corpus whole: every N-sequence of it was seen, at any N."""

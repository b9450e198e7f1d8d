"""Fluency orders, and what is asked of a paraphrase so that it is kept.

The order of a text is how long the sequences of its characters may be so that all occur in the corpus. Options have
such figures as their defaults, so that nothing else stands here: commands that make no paraphrases load no more.
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


# How long the sequences of a paraphrase must have been seen, so that it is kept at N.


REPLACES: Final = 1
"""Every region that differs from the seed is a replacement that the corpus has evidence for."""
STANDS: Final = 2
"""The words probably make a sentence, by what was read of others: half of N will do."""
SURELY_STANDS: Final = 4
"""They do more probably: a quarter of N will do."""
AS_PROBABLE: Final = 0.0
"""The word gain with which half of N will do for what is only inserted or left out: of 80 of .95 or more all hold."""
NEARLY_AS_PROBABLE: Final = -0.5
"""The one with which a tenth will do for a replacement with evidence that surely stands: of 139 of .95 or more that
reach no quarter 136 hold."""
DOUBTED: Final = -5.0
"""What has less does not pass, whatever N it reaches, unless the corpus has the sentence."""


def part_of_order(order: int, divisor: int) -> int:
    """A part of N, rounded up."""
    return -(-order // divisor)


def order_asked(order: int, *, replacement: int, gain: float | None) -> int:
    """What a paraphrase has to reach at N = ``order``; ``replacement`` as a ``Finding`` has it."""
    known = DOUBTED if gain is None else gain
    if replacement >= SURELY_STANDS:
        return part_of_order(order, 10 if known >= NEARLY_AS_PROBABLE and replacement > SURELY_STANDS else 4)
    return part_of_order(order, 2) if replacement or known >= AS_PROBABLE else order

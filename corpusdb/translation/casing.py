"""How words are written inside sentences: for those that a translation moved there from the beginning of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from corpusdb.text import units_of

__all__ = ["Casing", "learn_casing"]

Casing = Mapping[str, str]
"""Of a folded unit, how it is written."""
_SENTENCES = 20_000
"""So many, evenly spread, tell the case of all words that are frequent enough to begin sentences."""


def learn_casing(texts: Sequence[str]) -> Casing:
    """The most frequent way to write each unit that stands inside texts."""
    counts: dict[str, Counter[str]] = {}
    for text in texts[:: max(1, len(texts) // _SENTENCES)]:
        for unit in units_of(text)[1:]:
            written = unit.strip()
            counts.setdefault(written.casefold(), Counter())[written] += 1
    return {folded: count.most_common(1)[0][0] for folded, count in counts.items()}

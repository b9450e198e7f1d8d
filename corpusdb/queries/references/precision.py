"""How many references of the corpus are expected to hold, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from corpusdb.bounds import share_told
from corpusdb.queries.references.reference_sets import AttributedSet, expected_precision, reference_origins

__all__ = ["precision_told"]


def precision_told(sets: Sequence[AttributedSet], pivots: Sequence[str], *, is_far: bool = False) -> str | None:
    """In words how many of the references probably hold, and of which origins these are, the first of each; ``pivots``
    are the other languages of the corpus. None where nothing is known of it.

    Validities were learned from sentences of the corpus: of a test set that ``is_far`` from it they say nothing.
    Through one language alone a word with two meanings there is not told from two words that mean the same, and nothing
    else in the corpus can confirm what it says: `study precision` asks for two.
    """
    validity = expected_precision(sets)
    if validity is None:
        return None
    counts = Counter(one.origins[0] for each in sets for one in each.references if one.validity is not None)
    listed = ", ".join(f"{counts[origin]:,} {origin}" for origin in reference_origins() if origin in counts)
    if is_far:
        return (
            f"how many of the references of the corpus ({listed}) hold is not known: what is expected is of sentences"
            " like those of the corpus, and does not hold for this test set, which stands far from it"
        )
    told = f"of the references of the corpus ({listed}) {share_told(validity)} are expected to hold"
    if len(pivots) == 1:
        told += f"; less sure than it looks: {pivots[0]} is the one pivot language, and no other can confirm it"
    return told

"""How many references of the corpus are expected to hold, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from corpusdb.bounds import share_told
from corpusdb.languages import unmarked_by
from corpusdb.ngrams.fluency_orders import ONE_PIVOT
from corpusdb.queries.exchange.validity_rows import HELD_THROUGH_ONE
from corpusdb.queries.references.reference_sets import AttributedSet, expected_precision, reference_origins

__all__ = ["precision_told"]


_READ: Final = "of English pairs that were read 89 to 98% held without a doubt"
"""What readers said of pairs that the usual filter keeps, by what makes them: `corpusdb guide validity`."""


def precision_told(
    sets: Sequence[AttributedSet], pivots: Sequence[str], *, is_far: bool = False, language: str | None = None
) -> str | None:
    """In words how many of the references probably hold, and of which origins these are, the first of each; ``pivots``
    are the other languages of the corpus. None where nothing is known of it. ``language`` is that of the references: of
    what the one pivot language does not mark there, nothing is known either, unless people judged enough.

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
    unseen = unmarked_by(pivots[0], language) if len(pivots) == 1 and language is not None else ()
    if unseen and all((one.validity or 0.0) <= ONE_PIVOT for each in sets for one in each.references):
        return (
            f"how many of the references of the corpus ({listed}) hold is not known: {pivots[0]} is the one pivot"
            f" language, which does not mark {', '.join(unseen)}; of such pairs that were read {HELD_THROUGH_ONE} held"
        )
    told = f"of the references of the corpus ({listed}) {share_told(validity)} are expected to hold; {_READ}"
    if len(pivots) == 1:
        told += f"; less sure than it looks: {pivots[0]} is the one pivot language, and no other can confirm it"
    return told

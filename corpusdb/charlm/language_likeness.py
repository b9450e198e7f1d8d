"""In which of several languages a text probably is, by models of characters of what there is in each.

The language whose model foresees the text best is the one, as in Dunning (1994, Statistical Identification of Language)
and Cavnar and Trenkle (1994). What is known of each language is cut to one size, so that more text is no advantage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from corpusdb.charlm.alphabet import Alphabet
from corpusdb.charlm.counts import train
from corpusdb.charlm.normalisation import normalised
from corpusdb.charlm.references import drawn_characters
from corpusdb.charlm.scoring import text_bits
from corpusdb.charlm.smoothing import model_of

__all__ = ["MOST_CHARACTERS", "bits_per_language"]

MOST_CHARACTERS: Final = 20_000
"""Of each language as many are learned from at most."""
_ORDER: Final = 4
_SMOOTHING: Final = "mkn"
_SEED: Final = 1


def bits_per_language(texts: Sequence[str], known: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Bits per character of all texts together, under a model of what is known of each language; lower is likelier.

    Both are in the normalisation "case". Languages of which nothing is known are left out; no language, where the texts
    have no characters. Characters that no language has count as unknown, in each the same.
    """
    given = [text for text in normalised(texts, "case") if text]
    learned = {language: [text for text in normalised(found, "case") if text] for language, found in known.items()}
    learned = {language: found for language, found in learned.items() if found}
    if not given or not learned:
        return {}
    size = min(MOST_CHARACTERS, *(sum(map(len, found)) for found in learned.values()))
    alphabet = Alphabet.of(text for found in learned.values() for text in found)
    counts = [train(drawn_characters(found, size, _SEED), alphabet, _ORDER) for found in learned.values()]
    measured = text_bits([model_of(each, _SMOOTHING) for each in counts], given)
    return dict(zip(learned, measured.entropies().tolist(), strict=True))

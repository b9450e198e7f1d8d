"""Words as they sound, roughly: names and cognates are written alike then, in Cyrillic and in Latin letters too."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from corpusdb.alignment.bitext import without_accents

__all__ = ["sounding"]

_CYRILLIC: Final = (
    "а a б b в v г g д d е e ж zh з z и i к k л l м m н n о o п p р r с s т t у u ф f х h ц ts ч ch ш sh щ sht ъ a "
    "ы i э e ю iu я ia і i є e ј i љ l њ n ћ ch ђ d џ dz"
).split()
_SPELLINGS: Final = ("ph f th t c k w v y i x ks q k").split()
_DOUBLED: Final = re.compile(r"([^\W\d_])\1")


def sounding(word: str) -> str:
    """A folded word in Latin letters without accents, each sound written in one way, doubled letters once.

    A rough measure, for comparison alone. What is written in other scripts, and numbers, stay as they are.
    """
    latin = without_accents(word).translate(_to_latin())
    for spelling, sound in zip(_SPELLINGS[::2], _SPELLINGS[1::2], strict=True):
        latin = latin.replace(spelling, sound)
    return _DOUBLED.sub(r"\1", latin)


@cache
def _to_latin() -> dict[int, str]:
    letters = dict(zip(_CYRILLIC[::2], _CYRILLIC[1::2], strict=True))
    return str.maketrans({**letters, "ь": ""})

"""Scripts: in which a text is written, and in which a language is, where it is always in the same (ISO 15924, CLDR)."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

__all__ = ["main_script", "scripts_of_language"]

# Languages that are written in several scripts (kazakh, malay ...) are left out: nothing is expected of them.
_WRITTEN = """
latin: afr ast bre cat ces cor cym dan deu eng epo est eus fao fij fil fin fra fry gla gle glg hat haw hrv hun ibo ido
 ina ind isl ita kal kin lat lav lin lit ltz mlg mlt mri nav nds nld nno nob nor nya oci orm pol por que roh ron run scn
 slk slv smo sna som sot spa sqi srd swa swe ton tsn tur vie vol wol xho yor zul
latin cyrillic: srp bos
cyrillic: bak bel bul chv kir mkd rus tat tgk ukr
greek: ell
armenian: hye
georgian: kat
hebrew: heb yid
arabic: ara fas pus uig urd
devanagari: hin mar nep san
bengali: asm ben
gujarati: guj
tamil: tam
telugu: tel
kannada: kan
malayalam: mal
oriya: ori
sinhala: sin
thai: tha
lao: lao
khmer: khm
myanmar: mya
tibetan: bod
ethiopic: amh tir
hangul cjk: kor
cjk hiragana katakana: jpn
cjk: cmn wuu yue lzh
"""


@lru_cache(maxsize=1)
def _scripts() -> dict[str, frozenset[str]]:
    entries = [line.split(":") for line in _WRITTEN.replace("\n ", " ").strip().splitlines()]
    return {code: frozenset(scripts.split()) for scripts, codes in entries for code in codes.split()}


def scripts_of_language(language: str) -> frozenset[str]:
    """The scripts that a language, an ISO 639-3 code, is written in; empty where nothing is expected."""
    return _scripts().get(language, frozenset())


@lru_cache(maxsize=1 << 14)
def _script(char: str) -> str:
    """The script of a letter by the beginning of its name in Unicode; empty for all else, and other scripts."""
    if not char.isalpha():
        return ""
    words = unicodedata.name(char, "").lower().replace("-", " ").split()[:2]
    known = {script for scripts in _scripts().values() for script in scripts}
    return next((word for word in words if word in known), "")


def main_script(text: str) -> str:
    """The script that most letters of a text are in, the first of several; empty for a text without letters of one.

    In a text with kana this is hiragana, however few they are: only Japanese has them.
    """
    counts = Counter(script for script in map(_script, text) if script)
    if counts.keys() & {"hiragana", "katakana"} and counts["latin"] <= counts.total() / 2:
        return "hiragana"
    return max(counts, key=counts.__getitem__, default="")

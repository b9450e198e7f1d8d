"""Language codes: what people write, mapped to the ISO 639-3 code that the database holds; and what languages mark."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from corpusdb.base.errors import InputError

__all__ = ["language_code", "language_codes", "language_of_name", "unmarked_by"]

# ISO 639-3 code: ISO 639-1 code, bibliographic ISO 639-2 code and English names, where there are any. A macrolanguage
# whose texts are nearly always of one member (zho, ara, fas ...) maps to the code that corpora use for it.
_TABLE = """
afr af afrikaans|amh am amharic|ara ar arb arabic|asm as assamese|ast asturian|aze az azerbaijani|bak ba bashkir
bel be belarusian|ben bn bengali|ber berber|bod bo tib tibetan|bos bs bosnian|bre br breton|bul bg bulgarian
cat ca catalan|ceb cebuano|ces cs cze czech|chv cv chuvash|cmn zh zho chi chinese mandarin|cor kw cornish
cos co corsican|cym cy wel welsh|dan da danish|deu de ger german|ell el gre greek|eng en english|epo eo esperanto
est et ekk estonian|eus eu baq basque|ewe ee ewe|fao fo faroese|fas fa per pes persian farsi|fij fj fijian
fil tl tgl filipino tagalog|fin fi finnish|fra fr fre french|fry fy frisian|ful ff fula|gla gd gaelic|gle ga irish
glg gl galician|grn gn guarani|guj gu gujarati|hat ht haitian|hau ha hausa|haw hawaiian|heb he iw hebrew|hin hi hindi
hmn hmong|hrv hr croatian|hun hu hungarian|hye hy arm armenian|ibo ig igbo|ido io ido|ile ie interlingue
ina ia interlingua|ind id indonesian|isl is ice icelandic|ita it italian|jav jv javanese|jbo lojban|jpn ja japanese
kab kabyle|kal kl kalaallisut|kan kn kannada|kat ka geo georgian|kaz kk kazakh|khm km khmer|kin rw kinyarwanda
kir ky kyrgyz|kor ko korean|kur ku kurdish|lao lo lao|lat la latin|lav lv lvs latvian|lin ln lingala|lit lt lithuanian
ltz lb luxembourgish|lzh literary-chinese|mal ml malayalam|mar mr marathi|mkd mk mac macedonian|mlg mg malagasy
mlt mt maltese|mon mn khk mongolian|mri mi mao maori|msa ms may zsm malay|mya my bur burmese|nav nv navajo
nds low-german|nep ne npi nepali|nld nl dut dutch|nno nn nynorsk|nob nb bokmal|nor no norwegian|nya ny chichewa
oci oc occitan|ori or odia|orm om oromo|pan pa punjabi|pol pl polish|por pt portuguese|pus ps pashto|que qu quechua
roh rm romansh|ron ro rum romanian|run rn rundi|rus ru russian|san sa sanskrit|scn sicilian|shi tachelhit
sin si sinhala|slk sk slo slovak|slv sl slovenian|smo sm samoan|sna sn shona|snd sd sindhi|som so somali|sot st sotho
spa es spanish castilian|sqi sq alb albanian|srd sc sardinian|srp sr serbian|sun su sundanese|swa sw swh swahili
swe sv swedish|tam ta tamil|tat tt tatar|tel te telugu|tgk tg tajik|tha th thai|tir ti tigrinya|tlh klingon
tok toki-pona|ton to tongan|tsn tn tswana|tuk tk turkmen|tur tr turkish|uig ug uyghur|ukr uk ukrainian|urd ur urdu
uzb uz uzn uzbek|vie vi vietnamese|vol vo volapuk|wol wo wolof|wuu wu wu|xho xh xhosa|yid yi ydd yiddish|yor yo yoruba
yue cantonese|zul zu zulu|zza zazaki|mul multiple|und undetermined
"""


@lru_cache(maxsize=1)
def _aliases() -> dict[str, str]:
    aliases: dict[str, str] = {}
    for entry in _TABLE.replace("\n", "|").split("|"):
        words = entry.split()
        for word in words:
            aliases[word] = words[0]
    return aliases


def language_code(code: str) -> str:
    """The ISO 639-3 code for ``code``.

    Accepts ISO 639-1, 639-2 and 639-3 codes in any case, with or without region or script (``en-US``, ``zh_Hant``).
    Raises InputError for anything else.
    """
    head = re.split(r"[-_]", code.strip().lower(), maxsplit=1)[0]
    known = _aliases().get(head) if 2 <= len(head) <= 3 else None
    if known is None:
        raise InputError(f"unknown language code {code!r}; use an ISO 639 code such as eng, fra, jpn, cmn")
    return known


def language_codes(codes: str | Iterable[str]) -> tuple[str, ...]:
    """Several codes, as a list or in one text with commas between. Raises InputError for an unknown or repeated one."""
    parts = codes.split(",") if isinstance(codes, str) else list(codes)
    mapped = tuple(language_code(part) for part in parts)
    for code in mapped:
        if mapped.count(code) > 1:
            raise InputError(f"language {code!r} is given twice")
    return mapped


def language_of_name(name: str) -> str | None:
    """The code for a code or an English language name, as column headers have them, or None."""
    return _aliases().get(name.strip().lower())


_YOU: Final = "number of those addressed"
_MARKS: Final = ("person", "number", "tense", "address", "gender", _YOU)
"""What a sentence of one language may have to say, and the same one in another language leaves open. Address is that of
French tu and vous; gender that of adjectives and participles, which agree with a person."""
_IN_ENGLISH: Final = frozenset({"person", "number", "tense"})
_MARKED: Final = {
    "eng": _IN_ENGLISH,
    **dict.fromkeys(("fra", "rus", "ukr", "bel", "ces", "slk", "bul", "hrv", "srp"), frozenset(_MARKS) - {_YOU}),
    **dict.fromkeys(("spa", "ita", "por", "cat", "glg", "pol", "ron", "deu"), frozenset(_MARKS)),
}
"""By language; what is not here is not known to mark anything, as Japanese and Chinese hardly do."""
_HAS_TO_SAY: Final = {"eng": _IN_ENGLISH, "jpn": frozenset({"tense"}), "cmn": frozenset({"person", "number"})}
"""By language, where it is less than all: a Japanese sentence need not say of whom it speaks."""


def unmarked_by(pivot: str, language: str) -> tuple[str, ...]:
    """What sentences of a language have to say and their translations into ``pivot`` do not, in words.

    Two sentences that differ in nothing else have the same translation there. Empty where nothing is known to be lost.
    """
    marked, wanted = _MARKED.get(pivot, frozenset[str]()), _HAS_TO_SAY.get(language, frozenset(_MARKS))
    return tuple(each for each in _MARKS if each in wanted and each not in marked)

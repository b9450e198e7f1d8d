"""Text as the database holds it, its units, the scripts that it is written in, and the codes of languages."""

from __future__ import annotations

import re
import unicodedata
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import accumulate, chain, groupby
from typing import Final

from corpusdb.base.errors import InputError

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
    known = known_language(code)
    if known is None:
        raise InputError(f"unknown language code {code!r}; use an ISO 639 code such as eng, fra, jpn, cmn")
    return known


def known_language(code: str) -> str | None:
    """The same; None for anything else."""
    head = re.split(r"[-_]", code.strip().lower(), maxsplit=1)[0]
    return _aliases().get(head) if 2 <= len(head) <= 3 else None


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


# Text as the database holds it, and its units: words, clitics and marks; characters where nothing delimits words.
#
# Also what two of them have in common at their beginning and at their end.


# Scripts written without spaces between words: every character, with the marks that stand on it, is a unit.
_UNDELIMITED = (
    "\u0e00-\u0e7f\u0e80-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u1a20-\u1aaf\uaa60-\uaa7f"  # Tibetan, Myanmar, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b"  # radicals, marks
    "\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff"  # kana, bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"  # Han, half-width kana
)
MAX_SENTENCE_UNITS = 1_000
"""What has more units than this is a text rather than a sentence, and has no slots: each of its contexts would be as
long as itself. The longest sentence of Tatoeba has 80."""

LOOK_ALIKES: Final[Mapping[str, str]] = {
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "'": "\u2018\u2019\u201b\u02bc\u2032",
    "-": "\u2010\u2011\u2212",
    "": "\u00ad\u200b\u2060\ufeff",
}
"""What one types, and what looks the same: every space, apostrophe and hyphen; and what is not seen at all."""
_TYPED: Final = {char: typed for typed, chars in LOOK_ALIKES.items() for char in chars}

_BREAKS = re.compile(r"[\t\n\r]+")
_LAST_MARK = 0x1FFFF
_JOINERS = frozenset({0x200C, 0x200D, *range(0x1F3FB, 0x1F400)})  # the last five are skin tones of emoji


def normalise(text: str) -> str:
    """``text`` as it is stored: NFC, tabs and line breaks as one space, nothing at either end."""
    if not text.isascii():
        text = nfc(text)
    if not text.isprintable():  # as nearly all is, which is seen ten times as fast as that it holds no break
        text = _BREAKS.sub(" ", text)
    return text.strip()


def nfc(text: str) -> str:
    """``text`` in NFC, in time that does not grow as the square of the marks on one letter, as Python's own does."""
    if unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", _many_marks().sub(_in_canonical_order, text))


def _in_canonical_order(marks: re.Match[str]) -> str:
    """The same marks, decomposed and in the order that normalisation gives them, which it then need not look for."""
    parts = (part for mark in marks[0] for part in unicodedata.normalize("NFD", mark))
    return "".join(
        "".join(sorted(run, key=unicodedata.combining))
        for _, run in groupby(parts, lambda char: unicodedata.combining(char) > 0)
    )


def fold_case(text: str) -> str:
    """``text`` in lower case, letter by letter, so that no two letters become one: ß stays, and is no ss.

    Only the two small sigmas are one, as they are for regular expressions: which of them it is depends on its place.
    """
    return text.lower() if text.isascii() else text.lower().replace("ς", "σ")


def alike_in(text: str) -> str:
    """Which spaces, apostrophes and hyphens a text has: what may look like them, a search for it takes for them."""
    return "".join(typed for typed in LOOK_ALIKES if typed and any(_TYPED.get(char, char) == typed for char in text))


def as_typed(text: str, alike: str) -> str:
    """``text`` with some keys of LOOK_ALIKES for all that looks like them, and without what is not seen."""
    if text.isascii():
        return text
    for typed in (*alike, ""):
        for char in LOOK_ALIKES[typed]:  # one after the other: looking for a single character is what is quick
            if char in text:
                text = text.replace(char, typed)
    return text


def has_undelimited_script(text: str) -> bool:
    """Whether ``text`` holds a character of a script that does not delimit words."""
    return not text.isascii() and re.search(f"[{_UNDELIMITED}]", text) is not None


_marks_dropped: ContextVar[list[str] | None] = ContextVar("marks_dropped", default=None)


@contextmanager
def marks_dropped() -> Iterator[list[str]]:
    """The files that are read inside the block and begin with a byte order mark, by their names, once for each time."""
    names: list[str] = []
    token = _marks_dropped.set(names)
    try:
        yield names
    finally:
        _marks_dropped.reset(token)


def is_utf8(text: str) -> bool:
    """Whether UTF-8 can hold a text: names of files, and what was typed in another encoding, may be other bytes."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def without_mark(head: bytes, name: str) -> bytes:
    """The beginning of a file of UTF-8 without its byte order mark, which is no part of the text; that is noted."""
    noted = _marks_dropped.get()
    if noted is not None and head.startswith(BOM_UTF8):
        noted.append(name)
    return head.removeprefix(BOM_UTF8)


def undelimited_share(texts: Iterable[str]) -> float:
    """The share of the texts, 0 to 1, that hold a character of such a script; 0 without texts."""
    found = [has_undelimited_script(text) for text in texts]
    return sum(found) / len(found) if found else 0.0


def are_undelimited(texts: Iterable[str]) -> bool:
    """Whether most of the texts hold a character of such a script: a name or two in it do not make a text one."""
    return undelimited_share(texts) > 0.5


def inside_of_class(codes: Iterable[int]) -> str:
    """Ascending code points as the ranges inside of a character class of a regular expression."""
    spans: list[list[int]] = []
    for code in codes:
        if spans and spans[-1][1] == code - 1:
            spans[-1][1] = code
        else:
            spans.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in spans)


@lru_cache(maxsize=1)
def _marks() -> str:
    """The inside of a character class for marks and joiners, which belong to the character before them."""
    codes = range(0x300, _LAST_MARK + 1)
    marks = (code for code in codes if unicodedata.category(chr(code)) in ("Mn", "Mc", "Me") or code in _JOINERS)
    return f"{inside_of_class(marks)}\U000e0100-\U000e01ef"


@lru_cache(maxsize=1)
def _many_marks() -> re.Pattern[str]:
    return re.compile(f"[{_marks()}]{{32,}}")


@lru_cache(maxsize=1)
def _complex() -> re.Pattern[str]:
    return re.compile(f"[{_UNDELIMITED}{_marks()}]")


_POSSIBLY_COMPLEX = re.compile("[^\0-\u02ff\u2000-\u200b\u200e-\u206f]")  # up to U+10FFFF would take 5 ms to compile


@lru_cache(maxsize=2)
def _unit_pattern(is_complex: bool) -> re.Pattern[str]:
    if is_complex:
        word = rf"(?:[^\W{_UNDELIMITED}]|[{_marks()}])"
        letter, marks, undelimited = rf"[^\W{_UNDELIMITED}]", f"[{_marks()}]*", f"|[{_UNDELIMITED}][{_marks()}]*"
    else:  # most text; the plain classes are four times as fast
        word, letter, marks, undelimited = r"\w", r"\w", "", ""
    apostrophe = "['\N{RIGHT SINGLE QUOTATION MARK}]"
    # Both cases are spelled out: re.IGNORECASE makes the whole pattern a sixth slower.
    english = f"(?:[sS]|[mM]|[rR][eE]|[vV][eE]|[lL][lL]|[dD]|[eE][mM])(?!{word})"
    french = "(?:[cdjlmnstCDJLMNST]|[qQ]u|[jJ]usqu|[lL]orsqu|[pP]uisqu|[qQ]uoiqu)"
    negation = f"[nN]{apostrophe}[tT](?!{word})"
    # No group is repeated possessively: Python up to 3.11.4 loses what such a group matched (gh-106052).
    return re.compile(
        rf"(?={word}++{apostrophe}[tT](?!{word})){word}+?(?={negation})|{negation}"  # do + n't
        rf"|{french}{apostrophe}(?={letter})"  # l' + eau
        rf"|{apostrophe}{english}"  # Tom + 's
        rf"|{word}++(?:{apostrophe}(?!{english}){word}++|(?<=\d)[.,:](?=\d){word}++)*"  # o'clock, aujourd'hui, 5:30
        rf"{undelimited}"
        rf"|([^\w\s]){marks}(?:\1{marks})*(?:(?<=\u200d)[^\w\s]{marks})*|\S{marks}"
    )


@lru_cache(maxsize=2)
def _cutting_pattern(is_complex: bool) -> re.Pattern[str]:
    """The same with the space before a unit, as a group, to cut a text in one call: in two thirds of the time."""
    unit = _unit_pattern(is_complex).pattern.replace(r"\1", r"\2")
    return re.compile(rf"(\s*+(?:{unit}))")


def needs_slow_units(text: str) -> bool:
    """Whether ``text`` holds a character that unit_ends must look at closely: of an undelimited script, or a mark."""
    # Nearly all text is told by a few ranges of characters, which takes a hundredth of the time.
    found = None if text.isascii() else _POSSIBLY_COMPLEX.search(text)
    return found is not None and _complex().search(text, found.start()) is not None


def unit_ends(text: str, *, slow: bool | None = None) -> list[int]:
    """Where each unit of ``text`` ends, in code points, ascending.

    A unit begins where the one before it ended, so that it carries the space before it: the units of "I don't." are
    "I", " do", "n't" and ".". Line breaks end a unit, so that many sentences can be cut in one call; who does that
    tells with ``slow`` whether one of them needs_slow_units, which is otherwise looked up.
    """
    units = _cut(text, needs_slow_units(text) if slow is None else slow)
    return list(accumulate(map(len, units)))


def units_of(text: str) -> list[str]:
    """The units of a text, each with the space before it."""
    return _cut(text, needs_slow_units(text))


def _cut(text: str, is_complex: bool) -> list[str]:
    # Between two units stands nothing, and inside of each a group: every third part is a unit.
    return _cutting_pattern(is_complex).split(text)[1::3]


def is_too_long(text: str) -> bool:
    """Whether ``text`` has more than MAX_SENTENCE_UNITS units."""
    return len(text) > MAX_SENTENCE_UNITS and len(unit_ends(text)) > MAX_SENTENCE_UNITS


def is_word(token: str) -> bool:
    """Whether a token has a letter or digit, of any script."""
    return token.isalnum() or any(unicodedata.category(char)[0] in "LN" for char in token)


def word_count(text: str) -> int:
    """How many words ``text`` has: runs between spaces, or characters where the script does not delimit words."""
    if has_undelimited_script(text):
        return sum(1 for unit in _unit_pattern(True).findall(text) if not unit)
    return len(text.split())


def shared_beginning(some: Iterable[object], others: Iterable[object]) -> int:
    """Count the characters, or units, with which both begin."""
    count = 0
    for one, other in zip(some, others, strict=False):
        if one != other:
            break
        count += 1
    return count


def common_ends(one: Sequence[object], other: Sequence[object]) -> tuple[int, int]:
    """Count the characters, or units, with which both begin, and those of the rest with which both end."""
    begin = shared_beginning(one, other)
    return begin, shared_beginning(reversed(one[begin:]), reversed(other[begin:]))


# Words, and whether two texts differ in any: not where capitals, marks and contractions are all that differs.


_CONTRACTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "eng": {
        "'m": "am",
        "'re": "are",
        "'ve": "have",
        "'ll": "will",
        "n't": "not",
        "'em": "them",
        "ca": "can",  # these three stand before n't only
        "wo": "will",
        "sha": "shall",
        "cannot": "can not",
    },
}
"""By language: a unit in lower case, and the words that it is in full."""
_AMBIGUOUS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "eng": {"'s": ("is", "has", "us"), "'d": ("would", "had")},
    "deu": {"'s": ("es",)},
}
"""By language: a unit that is one of several words in full, by what stands beside it; the most usual one first."""
_NOTHING: Final[Mapping[str, tuple[str, ...]]] = {}


def lower_words(text: str) -> list[str]:
    """The words of a text in lower case without marks: its units, so that "Don't!" is "do" and "n't".

    They are characters where the script does not delimit words.
    """
    # No unit goes on behind a space, and most runs between spaces were cut before.
    return list(chain.from_iterable(map(_words_of_run, as_typed(fold_case(text), "'").split())))


@lru_cache(maxsize=1 << 14)
def _words_of_run(run: str) -> tuple[str, ...]:
    words: list[str] = []
    for word in units_of(run):
        if word.isalnum() or (word[:1] == "'" and word[1:].isalnum()) or word == "n't":
            words.append(word)
        else:  # a mark, or a word with marks in it
            words += "".join(char if _is_of_word(char) else " " for char in word).split()
    return tuple(words)


def _is_of_word(char: str) -> bool:
    return char.isalnum() or (not char.isascii() and unicodedata.category(char)[0] == "M")


def words_in_full(words: Iterable[str], language: str) -> list[str]:
    """Words as ``lower_words`` gives them, with the contractions of a language undone where they are of one kind."""
    known = _CONTRACTIONS.get(language)
    if known is None:
        return list(words)
    return [each for word in words for each in (known[word].split() if word in known else (word,))]


def are_same_words(words: Sequence[str], others: Sequence[str], language: str) -> bool:
    """Whether two lists as ``words_in_full`` gives them are the same, where a contraction may be any of its words."""
    if len(words) != len(others):
        return False
    ambiguous = _AMBIGUOUS.get(language, _NOTHING)
    return all(
        one == other or other in ambiguous.get(one, ()) or one in ambiguous.get(other, ())
        for one, other in zip(words, others, strict=True)
    )


def ambiguous_words(language: str) -> frozenset[str]:
    """The units of a language that may be several words in full, as 's is."""
    return frozenset(_AMBIGUOUS.get(language, _NOTHING))


def usual_words(words: Iterable[str], language: str) -> list[str]:
    """The same with the most usual word for contractions that may be several."""
    ambiguous = _AMBIGUOUS.get(language, _NOTHING)
    return [ambiguous[word][0] if word in ambiguous else word for word in words_in_full(words, language)]


@lru_cache(maxsize=1024)
def _compared_words(text: str, language: str) -> tuple[str, ...]:
    return tuple(words_in_full(lower_words(text), language))


def differs_in_words(one: str, other: str, language: str) -> bool:
    """Whether two texts of a language differ in more than capitals, marks and contractions."""
    return not are_same_words(_compared_words(one, language), _compared_words(other, language), language)


# Scripts: in which a text is written, and in which a language is, where it is always in the same (ISO 15924, CLDR).


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


# Regular expressions of people whose typed spaces, apostrophes and hyphens stand for whatever looks like them; what is
# excluded is only what was typed: [^ ] finds a no-break space. Otherwise what nobody sees the difference of would take
# hits away.

_PART = re.compile(
    r"""(?P<escape>\\(?:[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|.))
    |(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<flags>\(\?[aiLmsux-]+\))|(?P<open>\((?:\?<?[=!]|\?[aiLmsux-]*:)?)
    |(?P<close>\))|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_KEY_OF: Final = {char: key for key, chars in LOOK_ALIKES.items() if key for char in key + chars}


def look_alike_pattern(pattern: str, alike: str) -> tuple[str, str]:
    """The expression that is to be put to ``as_typed`` texts, and by which keys of LOOK_ALIKES these are.

    ``alike``: the keys that stand for their look-alikes. Those that something excludes are left as they are in the
    texts; where they stand elsewhere, the expression then has all their look-alikes itself.
    """
    excluded = {_KEY_OF[char] for part, is_negated in _parts(pattern) if is_negated for char in _typed_in(part)}
    excluded &= set(alike)
    if not excluded:
        return as_typed(pattern, alike), alike
    written = "".join(part if is_negated else _widened(part, excluded) for part, is_negated in _parts(pattern))
    rest = "".join(key for key in alike if key not in excluded)
    return as_typed(written, rest), rest


def _parts(pattern: str) -> Iterator[tuple[str, bool]]:
    """The expression in parts, and of each whether a text that has it is excluded."""
    negated: list[bool] = [False]
    for match in _PART.finditer(pattern):
        part = match[0]
        if match.lastgroup == "open":
            negated.append(negated[-1] or part.endswith("!"))
        elif match.lastgroup == "close" and len(negated) > 1:
            yield part, negated.pop()
            continue
        yield part, negated[-1] or (match.lastgroup == "set" and part.startswith("[^"))


def _typed_in(part: str) -> list[str]:
    """The spaces, apostrophes and hyphens that a part has; a hyphen between two others in a set is a range."""
    if part.startswith("[") and len(part) > 1:
        inside = part[1:-1].removeprefix("^")
        found = [char for char in inside if char in _KEY_OF and char != "-"]
        return [*found, "-"] if inside[:1] == "-" or inside[-1:] == "-" or r"\-" in inside else found
    char = part[1:] if part.startswith("\\") else part
    return [char] if char in _KEY_OF else []


def _widened(part: str, keys: set[str]) -> str:
    found = {_KEY_OF[char] for char in _typed_in(part)} & keys
    if not found:
        return part
    others = "".join(re.escape(key) + LOOK_ALIKES[key] for key in sorted(found))
    return f"{part[:-1]}{others}]" if part.startswith("[") else f"[{others}]"

"""Normalisation, scripts and units of texts."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise, product
from pathlib import Path
from string import ascii_lowercase

import pytest
from corpora import CHARACTERS
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base import text as module
from corpusdb.base.text import (
    are_undelimited,
    has_undelimited_script,
    is_too_long,
    language_code,
    lower_words,
    main_script,
    needs_slow_units,
    nfc,
    normalise,
    scripts_of_language,
    undelimited_share,
    unit_ends,
    word_count,
)

# Letters around which the rules turn, scripts of each kind, marks, joiners and emoji, besides any character at all.
TELLING = st.sampled_from(
    "aensTtdlqu'\N{RIGHT SINGLE QUOTATION MARK}.,:!-_ 017éß水のーガขน้ำक्षि한مُ\u0301\u200d\ufe0f🏽👩🚀"
)
texts = st.text(alphabet=st.one_of(TELLING, st.characters(exclude_categories=["Cs"])), max_size=30).map(normalise)


MARKS = [chr(code) for code in range(0x300, 0x1E000) if unicodedata.combining(chr(code))]
"""All that normalisation may move."""
marked = st.lists(
    st.tuples(st.sampled_from("eéकﬠ가\u200d "), st.lists(st.sampled_from(MARKS), max_size=80)).map(
        lambda each: each[0] + "".join(each[1])
    ),
    max_size=3,
).map("".join)


@given(st.one_of(marked, st.text(CHARACTERS)))
def test_nfc_is_that_of_unicode(text: str) -> None:
    assert nfc(text) == unicodedata.normalize("NFC", text)


def test_many_marks_on_one_letter() -> None:
    """Python's own normalisation takes a minute for these; here it is too fast to be seen among the tests."""
    assert nfc("a" + "\u0301\u0323" * 50_000) == "\u1ea1" + "\u0323" * 49_999 + "\u0301" * 50_000


@pytest.mark.parametrize(("text", "expected"), [("ha " * 1000, False), ("ha " * 1001, True), ("a" * 1001, False)])
def test_too_long_is_by_units(text: str, expected: bool) -> None:
    assert is_too_long(text) == expected


def units(text: str) -> list[str]:
    return [text[start:stop] for start, stop in pairwise([0, *unit_ends(text)])]


@pytest.mark.parametrize(
    "cut",
    [
        # English: the clitics of the Penn Treebank, in both cases and with both apostrophes
        "I| do|n't|.",
        "I| ca|n't| wo|n't| AI|N'T",
        "do|n\N{RIGHT SINGLE QUOTATION MARK}t",
        "Tom|'s| dog|'s| tail",
        "TOM|'S",
        "I|'m| they|'re| we|'ve| he|'ll| she|'d",
        "I|'d|'ve",
        "get| 'em",
        "is|n't| it|?",
        "n't",
        "the| dogs|'| tails",
        "cannot| o'clock| y'all",
        "rock| '|n|'| roll",
        # French: elided words
        "L'|eau| de| l'|hôtel",
        "J'|ai| qu'|il| n'|a| s'|il| d'|accord",
        "jusqu'|à| lorsqu'|on| puisqu'|elle| quoiqu'|il",
        "aujourd'hui| quelqu'un",
        "l\N{RIGHT SINGLE QUOTATION MARK}|été",
        "s'|il| vous| plaît|.",
        # numbers
        "5:30",
        "1,000.50| yen",
        "3.14|.",
        "5|:|pm| v|.|2",
        "e|.|g|.",
        # marks
        "“|Yes|,|”| he| said|...",
        "What|?|!!",
        "mother|-|in|-|law",
        "x_y",
        # scripts without word spaces: characters
        "水|を|く|だ|さ|い|。",
        "パ|ー|テ|ィ|ー",
        "10|時|30|分",
        "iPhone|を|買|う",
        "我|要|一|杯|咖|啡|。",
        "ข|อ|น้|ำ",
        "か\u3099|ん",
        # combining marks stay with their letter, and words with marks stay whole
        "नमस्ते| दुनिया|।",
        "مُحَمَّد| هنا",
        "e\u0301te\u0301| ici",
        "l'\u0301eau",
        "한국어| 좋아요",
        # emoji: joined sequences, skin tones, variation selectors
        "👨\u200d👩\u200d👧| hi",
        "👩🏽\u200d🚀| 👍🏽|!",
        "I| ❤\ufe0f| 1\ufe0f\u20e3",
        "",
    ],
)
def test_units(cut: str) -> None:
    assert units(cut.replace("|", "")) == [unit for unit in cut.split("|") if unit]


@given(texts)
def test_units_cover_the_text_in_order(text: str) -> None:
    ends = unit_ends(text)
    assert all(first < second for first, second in pairwise([0, *ends]))
    assert (ends[-1] if ends else 0) == len(text.rstrip())
    assert all(unit.strip() for unit in units(text))


@given(texts)
def test_no_unit_ends_before_a_combining_mark(text: str) -> None:
    for end in unit_ends(text):
        assert end == len(text) or unicodedata.category(text[end]) not in ("Mn", "Mc", "Me")
        assert end == len(text) or text[end] not in "\u200d\ufe0f"


@given(st.lists(texts, max_size=6), st.booleans())
def test_many_sentences_are_cut_as_each_alone(sentences: list[str], told: bool) -> None:
    slow = any(needs_slow_units(sentence) for sentence in sentences) if told else None
    expected, offset = [], 0
    for sentence in sentences:
        expected += [offset + end for end in unit_ends(sentence)]
        offset += len(sentence) + 1
    assert unit_ends("\n".join(sentences), slow=slow) == expected


@given(texts.filter(lambda text: not needs_slow_units(text)))
def test_the_fast_way_cuts_as_the_slow_one(text: str) -> None:
    assert unit_ends(text, slow=False) == unit_ends(text, slow=True)


@given(st.text("aTs’'-., \t\u3000\xa0n5:ςΣé\u0301\u200dの本!\x85İ", max_size=14))
def test_words_are_those_of_the_units_of_the_whole_text(text: str) -> None:
    """Marks part what has others in it; the apostrophe of a clitic is none."""
    words = []
    for unit in module.units_of(module.as_typed(module.fold_case(text), "'")):
        is_clitic = re.fullmatch(r"\s*('\w+|n't)", unit) and "_" not in unit
        words += [unit.strip()] if is_clitic else "".join(c if module._is_of_word(c) else " " for c in unit).split()
    assert lower_words(text) == words


@pytest.mark.parametrize(
    "text", ["水", "a水", "ー", "ก", "e\u0301\u0323", "नमस्ते", "مُ", "👨\u200d👩", "👍🏽", "\U00020000"]
)
def test_texts_that_need_a_closer_look(text: str) -> None:
    assert needs_slow_units(text)


@pytest.mark.parametrize("text", ["", "I don't.", "Où est l'hôtel ?", "Что?", "한국어", "٣", "👍", "“…”"])
def test_texts_that_do_not(text: str) -> None:
    assert not needs_slow_units(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("  two  spaces ", "two  spaces"),
        ("a\tb\r\nc\n\n", "a b c"),
        ("e\u0301", "é"),
        ("か\u3099", "が"),
        ("\u212b", "Å"),  # ANGSTROM SIGN
        ("①Ａｶ", "①Ａｶ"),  # compatibility characters stay: NFC, not NFKC
        ("\u3000全角\u3000", "全角"),
    ],
)
def test_normalise(text: str, expected: str) -> None:
    assert normalise(text) == expected


@given(
    st.text(alphabet=st.one_of(TELLING, st.characters(exclude_categories=["Cs"]), st.sampled_from("\t\n\r\x0b\x85")))
)
def test_normalised_text_stays_as_it_is(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once == once.strip()
    assert not set("\t\n\r") & set(once)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Don't move!", 2),
        ("s'il vous plaît", 3),
        ("水をください。", 6),
        ("iPhoneを買う。", 4),
        ("ขอน้ำ", 4),
        ("नमस्ते दुनिया", 2),
    ],
)
def test_word_count(text: str, count: int) -> None:
    assert word_count(text) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [("plain", False), ("été", False), ("한국어", False), ("a水", True), ("ไทย", True), ("ຂໍ", True)],
)
def test_undelimited_scripts(text: str, expected: bool) -> None:
    assert has_undelimited_script(text) is expected


@pytest.mark.parametrize(
    ("texts", "share", "are"),
    [
        ([], 0.0, False),
        (["水", "a", "b", "c"], 0.25, False),
        (["水", "a"], 0.5, False),
        (["水", "ไทย", "a"], 2 / 3, True),
    ],
)
def test_a_name_in_such_a_script_does_not_make_a_text_one(texts: list[str], share: float, are: bool) -> None:
    assert undelimited_share(texts) == pytest.approx(share)
    assert are_undelimited(texts) == are


# In which script a text is, and which scripts a language has.


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Où est-il ?", "latin"),
        ("Где он?", "cyrillic"),
        ("猫が寝る", "hiragana"),
        ("カタカナ", "hiragana"),
        ("我不知道", "cjk"),
        ("안녕하세요", "hangul"),
        ("ποῦ;", "greek"),
        ("NHK のニュース", "hiragana"),
        ("A long English line on の", "latin"),
        ("123 !", ""),
    ],
)
def test_the_script_of_most_letters(text: str, script: str) -> None:
    assert main_script(text) == script


def test_scripts_of_languages() -> None:
    assert scripts_of_language("fra") == {"latin"}
    assert scripts_of_language("jpn") == {"cjk", "hiragana", "katakana"}
    assert scripts_of_language("kaz") == set()


def test_every_language_with_a_script_has_a_code() -> None:
    codes = ["".join(letters) for letters in product(ascii_lowercase, repeat=3)]
    written = [code for code in codes if scripts_of_language(code)]
    assert len(written) > 100
    assert [language_code(code) for code in written] == written


def test_what_is_looked_at_closely_is_seen_by_a_few_ranges() -> None:
    everything = "".join(map(chr, range(0x110000)))
    assert module._complex().search(module._POSSIBLY_COMPLEX.sub("", everything)) is None


def test_no_group_is_repeated_possessively() -> None:
    """Python 3.11.2, which Debian 12 has, cut every word into letters by one that was (gh-106052)."""
    root = Path(module.__file__).parents[2]
    sources = [path for folder in ("corpusdb", "tui") for path in (root / folder).rglob("*.py")]
    assert len(sources) > 100
    assert [path for path in sources if re.search(r"\)[*+?]\+", path.read_text(encoding="utf-8"))] == []

"""Language codes and names."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base import text as languages
from corpusdb.base.errors import InputError
from corpusdb.base.text import language_code, language_codes, language_of_name, unmarked_by


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # ISO 639-1, 639-2/B, 639-2/T and 639-3, from the tables of the registration authorities
        ("en", "eng"),
        ("eng", "eng"),
        ("ja", "jpn"),
        ("jpn", "jpn"),
        ("fr", "fra"),
        ("fre", "fra"),
        ("de", "deu"),
        ("ger", "deu"),
        ("cs", "ces"),
        ("cze", "ces"),
        ("el", "ell"),
        ("gre", "ell"),
        ("is", "isl"),
        ("ice", "isl"),
        ("cy", "cym"),
        ("wel", "cym"),
        ("nl", "nld"),
        ("dut", "nld"),
        ("eu", "eus"),
        ("baq", "eus"),
        ("ka", "kat"),
        ("geo", "kat"),
        ("iw", "heb"),
        # macrolanguages, under the code that corpora use
        ("zh", "cmn"),
        ("zho", "cmn"),
        ("chi", "cmn"),
        ("cmn", "cmn"),
        ("arb", "ara"),
        ("per", "fas"),
        ("pes", "fas"),
        ("swh", "swa"),
        # case, regions, scripts, blanks
        ("EN", "eng"),
        ("en-US", "eng"),
        ("zh_Hant", "cmn"),
        ("pt-BR", "por"),
        (" ja ", "jpn"),
    ],
)
def test_language_code(given: str, expected: str) -> None:
    assert language_code(given) == expected


@pytest.mark.parametrize("code", ["", "e", "xx", "qqq", "english", "en us", "-", "en,fr", "日本", "e-n"])
def test_unknown_codes_are_named(code: str) -> None:
    with pytest.raises(InputError, match=re.escape(repr(code))):
        language_code(code)


def test_several_codes() -> None:
    assert language_codes("en, fra,JA") == ("eng", "fra", "jpn")
    assert language_codes(["en", "zh-CN"]) == ("eng", "cmn")


@pytest.mark.parametrize("codes", ["en,eng", "zh,cmn", ["fr", "fre"]])
def test_a_language_given_twice_is_refused(codes: str | list[str]) -> None:
    with pytest.raises(InputError, match="twice"):
        language_codes(codes)


@pytest.mark.parametrize("codes", ["", ",", "en,", "en,xx"])
def test_several_codes_with_one_that_is_none(codes: str) -> None:
    with pytest.raises(InputError, match="unknown language code"):
        language_codes(codes)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("English", "eng"),
        ("japanese", "jpn"),
        (" French ", "fra"),
        ("Mandarin", "cmn"),
        ("Farsi", "fas"),
        ("ger", "deu"),
        ("sentence", None),
        ("", None),
    ],
)
def test_language_of_name(name: str, expected: str | None) -> None:
    assert language_of_name(name) == expected


def test_no_code_or_name_stands_for_two_languages() -> None:
    entries = [set(entry.split()) for entry in languages._TABLE.replace("\n", "|").split("|")]
    assert [word for word, count in Counter(word for entry in entries for word in entry).items() if count > 1] == []


def test_each_entry_begins_with_a_code_of_three_letters() -> None:
    for entry in filter(None, languages._TABLE.replace("\n", "|").split("|")):
        assert re.fullmatch("[a-z]{3}", entry.split()[0])


@given(st.sampled_from(sorted(languages._aliases())))
def test_what_a_code_maps_to_maps_to_itself(alias: str) -> None:
    code = language_of_name(alias)
    assert code is not None
    assert language_code(code) == code


@pytest.mark.parametrize(
    ("pivot", "language", "unmarked"),
    [
        ("eng", "fra", ("address", "gender", "number of those addressed")),
        ("eng", "deu", ("address", "gender", "number of those addressed")),
        ("eng", "jpn", ()),
        ("fra", "eng", ()),
        ("deu", "eng", ()),
        ("fra", "deu", ("number of those addressed",)),
        ("ita", "fra", ()),
        ("jpn", "eng", ("person", "number", "tense")),
        ("cmn", "jpn", ("tense",)),
        ("kab", "eng", ("person", "number", "tense")),
    ],
)
def test_what_a_pivot_language_leaves_open(pivot: str, language: str, unmarked: tuple[str, ...]) -> None:
    """Tu and vous are one word in English; she and he are none in Japanese; of what is not known all is supposed."""
    assert unmarked_by(pivot, language) == unmarked

"""JSON Lines: the shapes that are read, and what is refused at which line."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.jsonl import JsonlSource, write_jsonl
from corpusdb.corpus.formats.records import Document, Item, Options, Record, Rejected, Version

ALL = ()
PAIR = ("eng", "fra")
A, B = Version("reference", "A"), Version("reference", "B")


def _items(tmp_path: Path, text: str, languages: tuple[str, ...] = ALL) -> list[Item]:
    path = tmp_path / "file.jsonl"
    path.write_bytes(text.encode())
    return list(JsonlSource((path,), Options(languages)).items())


@pytest.mark.parametrize(
    ("unit", "languages", "item"),
    [
        ({"eng": "a", "fra": "b"}, ALL, Record(1, ("a", "b"), PAIR)),
        ({"french": "b", "en-GB": "a"}, ALL, Record(1, ("b", "a"), ("fra", "eng"))),
        ({"french": "b", "en-GB": "a"}, PAIR, Record(1, ("a", "b"), PAIR)),
        ({"en": "a", "fr": "b", "de": "c"}, ("deu", "eng"), Record(1, ("c", "a"), ("deu", "eng"))),
        ({"en": ["a", "b", ""], "fr": "c"}, ALL, Record(1, ("a", "b", "c"), ("eng", "eng", "fra"))),
        ({"en": " ", "fr": "b"}, ALL, Rejected(1, "has a text in fra only")),
        ({"en": None, "fr": []}, ALL, Rejected(1, "has no text")),
        ({"en": "a", "fr": 1}, ("eng", "deu"), Rejected(1, "has a text in eng only")),
        ({"score": 0.5, "en": "a", "fr": "b", "": {}}, ALL, Record(1, ("a", "b"), PAIR)),
        ({"id": "x", "document": "d", "en": "a", "fr": "b"}, ALL, Record(1, ("a", "b"), PAIR, "x", Document("d"))),
        ({"id": 7, "document": 8, "en": "a", "fr": "b"}, ALL, Record(1, ("a", "b"), PAIR, "7", Document("8"))),
        ({"id": None, "document": None, "en": "a", "fr": "b"}, ALL, Record(1, ("a", "b"), PAIR)),
        ({"id": "a", "en": "b"}, ("ind", "eng"), Record(1, ("a", "b"), ("ind", "eng"))),
        ({"id": "x", "ind": "a", "en": "b"}, ("ind", "eng"), Record(1, ("a", "b"), ("ind", "eng"), "x")),
        ({"id": "x", "translation": {"id": "a", "en": "b"}}, ALL, Record(1, ("a", "b"), ("ind", "eng"), "x")),
        ({"translation": {"en": "a", "fr": "b"}}, ALL, Record(1, ("a", "b"), PAIR)),
        ({"translation": "b", "en": "a"}, ALL, Rejected(1, "has a text in eng only")),
        (
            {
                "id": "x",
                "document": "d",
                "attributes": {"origlang": "fr", "domain": "news"},
                "texts": [
                    {"lang": "fr", "text": "a", "role": "source"},
                    {"lang": "eng", "text": "b", "role": "reference", "name": "A"},
                    {"lang": "eng", "text": "b", "role": "reference", "name": "B", "score": 1},
                ],
            },
            ("eng", "fra"),
            Record(
                1,
                ("b", "b", "a"),
                ("eng", "eng", "fra"),
                "x",
                Document("d", (("domain", "news"), ("origlang", "fr"))),
                (A, B, Version("source")),
            ),
        ),
    ],
)
def test_shapes(tmp_path: Path, unit: object, languages: tuple[str, ...], item: Item) -> None:
    assert _items(tmp_path, json.dumps(unit), languages) == [item]


def test_lines_end_in_lf_alone(tmp_path: Path) -> None:
    text = '\ufeff{"en":"a\u2028","fr":"b\x85"}\r\n\n  \n{"en":"c","fr":"d"}'
    assert _items(tmp_path, text) == [
        Record(1, ("a\u2028", "b\x85"), PAIR),
        Rejected(2, "blank line"),
        Rejected(3, "blank line"),
        Record(4, ("c", "d"), PAIR),
    ]


def test_a_key_given_twice_counts_once(tmp_path: Path) -> None:
    assert _items(tmp_path, '{"en": "a", "fr": "b", "en": "c"}') == [Record(1, ("c", "b"), PAIR)]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"en": "a", "fr": "b"', "is no JSON: .* at character 22"),
        ("One.\tUn.", "is no JSON"),
        ('["a", "b"]', "is no JSON object"),
        ("null", "is no JSON object"),
        ("[" * 500_000, "is no JSON that can be read"),
        ('{"n": ' + "1" * 5000 + "}", "is no JSON that can be read"),
        ('{"en": "a", "fr": 1}', "the value of 'fr' is no string"),
        ('{"en": "a", "fr": ["b", ["c"]]}', "the value of 'fr' is no string"),
        ('{"en": "a", "fr": "b", "id": true}', "the value of 'id' is no string"),
        ('{"en": "a", "fr": "b", "document": {}}', "the value of 'document' is no string"),
        ('{"en": "a", "fr": "b", "document": "d", "attributes": []}', None),
        ('{"en": "a", "fr": "b", "document": "d", "attributes": [1]}', "'attributes' is no object"),
        ('{"texts": ["a", "b"]}', "a text in 'texts' is no object"),
        ('{"texts": [{"text": "a"}]}', "the value of 'lang' is no string"),
        ('{"texts": [{"lang": "xx", "text": "a"}]}', "unknown language code 'xx'"),
        ('{"texts": [{"lang": "en"}]}', "the value of 'text' is no string"),
        ('{"texts": [{"lang": "en", "text": "a", "role": "judge"}]}', "the role 'judge' is none of source, reference"),
        ('{"texts": [{"lang": "en", "text": "a", "role": []}]}', "the role .. is none of"),
        (r'{"en": "a\u0000", "fr": "b"}', "holds '.x00', which is no character"),
        (r'{"en": "a\ud83d", "fr": "b"}', "holds '.ud83d', which is no character"),
        (r'{"en": "\ud83d\ude00", "fr": "b"}', None),
    ],
)
def test_what_is_refused(tmp_path: Path, row: str, reason: str | None) -> None:
    text = '{"en": "a", "fr": "b"}\n' + row + "\n"
    if reason is None:
        assert len(_items(tmp_path, text)) == 2
        return
    with pytest.raises(InputError, match=reason) as caught:
        _items(tmp_path, text)

    assert (caught.value.path, caught.value.line) == (str(tmp_path / "file.jsonl"), 2)


def test_lines_are_counted_on_from_file_to_file(tmp_path: Path) -> None:
    paths = (tmp_path / "one.jsonl", tmp_path / "two.jsonl")
    for path in paths:
        path.write_text('{"en": "a", "fr": "b"}\n' * 2)
    assert [item.line for item in JsonlSource(paths, Options()).items()] == [1, 2, 3, 4]

    paths[1].write_text("\n?\n")
    with pytest.raises(InputError) as caught:
        list(JsonlSource(paths, Options()).items())
    assert (caught.value.path, caught.value.line) == (str(paths[1]), 2)


def test_what_is_written() -> None:
    units = [
        Record(1, ("é\u2028", "b"), PAIR),
        Record(2, ("a", "b"), PAIR, "x", Document("d", (("domain", "news"),)), (Version("source"), B)),
    ]
    file = io.StringIO()

    assert write_jsonl(units, file) == 2
    assert file.getvalue() == (
        '{"texts":[{"lang":"eng","text":"é\u2028"},{"lang":"fra","text":"b"}]}\n'
        '{"id":"x","document":"d","attributes":{"domain":"news"},"texts":[{"lang":"eng","text":"a","role":"source"},'
        '{"lang":"fra","text":"b","role":"reference","name":"B"}]}\n'
    )

"""Which texts of a unit are written."""

from __future__ import annotations

import pytest

from corpusdb.corpus.formats.records import Document, Record, Version, languages_of, select

PAIR = ("eng", "fra")
A, PLAIN = Version("reference", "A"), Version()
NAMED = Record(4, ("a", "b", "c"), ("fra", "eng", "fra"), "x", Document("d"), (A, PLAIN, PLAIN))


@pytest.mark.parametrize(
    ("record", "languages", "texts", "chosen", "versions"),
    [
        (NAMED, (), ("a", "b", "c"), ("fra", "eng", "fra"), (A, PLAIN, PLAIN)),
        (NAMED, PAIR, ("b", "a", "c"), ("eng", "fra", "fra"), (PLAIN, A, PLAIN)),
        (NAMED, ("eng",), ("b",), ("eng",), ()),
        (NAMED, ("jpn",), (), (), ()),
        (Record(1, ("a", "b")), PAIR, ("a", "b"), PAIR, ()),
        (Record(1, ("a", None, " ", "b"), ("eng", "fra", "jpn", "deu")), (), ("a", "b"), ("eng", "deu"), ()),
        (Record(1, ("a", ""), PAIR), PAIR, ("a",), ("eng",), ()),
    ],
)
def test_texts_are_chosen_and_put_in_order(
    record: Record,
    languages: tuple[str, ...],
    texts: tuple[str, ...],
    chosen: tuple[str, ...],
    versions: tuple[Version, ...],
) -> None:
    assert select(record, languages) == Record(record.line, texts, chosen, record.name, record.document, versions)


def test_languages_come_in_the_order_of_their_appearance() -> None:
    assert languages_of([NAMED, Record(1, ("a", "b"), ("deu", "eng"))]) == ("fra", "eng", "deu")

"""Documents by their names: which files, and which documents inside files, a name stands for."""

from __future__ import annotations

import pytest
from corpora import import_rows
from listed import import_units

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats import Record
from corpusdb.corpus.formats.records import Document
from corpusdb.corpus.queries.sentences import FilePlace, places
from corpusdb.corpus.store import Store

PAIR = ("eng", "fra")


@pytest.fixture
def corpus(empty: Store) -> Store:
    """Sections 1 to 3 in the first file and 4 in the second; the third is named as one of them."""
    letters = [Document(name) for name in "aba"]
    import_units(empty, [Record(n, (f"e{n}", f"f{n}"), PAIR, "", each) for n, each in enumerate(letters)], name="one")
    import_units(empty, [Record(1, ("x", "y"), PAIR, "", Document("a"))], (), "others", "two.en, two.fr")
    import_units(empty, [Record(1, ("v", "w"), PAIR)], (), "others", "b")
    return empty


ONE, TWO, THREE = FilePlace(1, PAIR), FilePlace(2, PAIR), FilePlace(3, PAIR)


@pytest.mark.parametrize(
    ("collections", "document", "expected"),
    [
        ((), None, [ONE, TWO, THREE]),
        (("others",), None, [TWO, THREE]),
        ((), "a", [FilePlace(1, PAIR, 1), FilePlace(1, PAIR, 3), FilePlace(2, PAIR, 4)]),
        (("others",), "a", [FilePlace(2, PAIR, 4)]),
        ((), "b", [FilePlace(1, PAIR, 2), THREE]),
        ((), "one", [ONE]),
        ((), "two.fr", [TWO]),
        ((), "two.en, two.fr", [TWO]),
    ],
)
def test_what_a_name_stands_for(
    corpus: Store, collections: tuple[str, ...], document: str | None, expected: list[FilePlace]
) -> None:
    assert places(corpus, collections, document) == expected


def test_names_that_are_not_there(corpus: Store) -> None:
    with pytest.raises(InputError, match=r"no document 'c'; there are one, two\.en, two\.fr, b, a$"):
        places(corpus, (), "c")
    with pytest.raises(InputError, match="no collection 'c'; there are units, others"):
        places(corpus, ("c",))


def test_a_long_list_is_cut_and_says_so(empty: Store) -> None:
    import_units(empty, [Record(n, (f"e{n}", f"f{n}"), PAIR, "", Document(f"d{n}")) for n in range(30)])
    with pytest.raises(InputError, match=r"there are listed\.tmx, d0, d1, d2, d3, d4, d5, d6, d7, d8, \.\.\.$"):
        places(empty, (), "c")


def test_an_empty_corpus_has_none(empty: Store) -> None:
    assert places(empty) == []
    with pytest.raises(InputError, match="there are none"):
        places(empty, (), "c")


def test_a_file_that_is_said_to_have_no_languages(empty: Store) -> None:
    import_rows(empty, [("one", "un")])
    empty.connection.execute("update document set languages = ''")
    assert places(empty) == [FilePlace(1, ())]

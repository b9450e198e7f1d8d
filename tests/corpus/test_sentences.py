"""Sentences, their translations and documents, by every name they have; and how many there are of each language."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from corpora import drawn_units, filled_store, import_rows, import_units, new_store, random_rows
from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.base.text import as_typed, normalise
from corpusdb.corpus.formats import Record
from corpusdb.corpus.formats.records import Document
from corpusdb.corpus.queries import names
from corpusdb.corpus.queries.names import LanguageCounts, language_counts
from corpusdb.corpus.queries.sentences import (
    FilePlace,
    places,
    places_of,
    sentence_id,
    sentences_after,
    sentences_of,
    translations_of_sentence,
)
from corpusdb.corpus.store import Store
from corpusdb.people.queries.decisions import accept
from corpusdb.search.queries.distribution import surroundings

_BY_HAND = """
select distinct occurrence.sentence from occurrence
join document on document.id = occurrence.document
join collection on collection.id = document.collection
left join unit on unit.document = occurrence.document and unit.line = occurrence.line
left join section on section.id = unit.section
where (:collection is null or collection.name = :collection)
  and (:document is null or :document in (document.name, section.name)) order by 1
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Store]:
    with filled_store(tmp_path, fill) as store:
        yield store


def fill(store: Store) -> None:
    import_units(store, drawn_units(random.Random(1), 100), (), "one", "first.tmx")
    import_units(store, drawn_units(random.Random(2), 50), (), "two", "d1")
    import_rows(store, [("eng 1", "fra 2"), ("more", "plus")])


@pytest.mark.parametrize("collection", [None, "one", "two", "rows"])
@pytest.mark.parametrize("document", [None, "first.tmx", "d0", "d1", "corpus-2.tsv"])
def test_sentences_of_a_collection_or_document(corpus: Store, collection: str | None, document: str | None) -> None:
    rows = corpus.connection.execute(_BY_HAND, {"collection": collection, "document": document}).fetchall()
    if not rows:
        with pytest.raises(InputError, match=f"there is no document '{document}'"):
            sentences_of(corpus, collection, document)
        return
    found = sentences_of(corpus, collection, document)
    assert found.dtype == np.int64
    assert found.tolist() == [row[0] for row in rows]


def test_a_collection_that_is_not_there(corpus: Store) -> None:
    with pytest.raises(InputError, match="no collection 'three'; there are one, two, rows"):
        sentences_of(corpus, "three")


def test_an_empty_corpus_has_no_sentence(empty: Store) -> None:
    assert sentences_of(empty).tolist() == []


# What looks the same, looked up, against all sentences gone through.


LOOKING = st.text("ab '-\u2019\u00a0\u2010\u200b\u00ad", min_size=1, max_size=6).map(normalise).filter(bool)


@given(st.lists(LOOKING, min_size=1, max_size=8), st.lists(LOOKING, min_size=1, max_size=3))
@example(["a\u200bb"], ["ab"])
@example(["ab\u00ad", "a\u2019b"], ["ab", "a'b"])
def test_what_looks_the_same_is_looked_up(stored: list[str], texts: list[str]) -> None:
    with TemporaryDirectory() as folder, new_store(Path(folder)) as store:
        import_rows(store, [(each, stored[0]) for each in stored])
        looked_up = names.alike_sentences(store, texts)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(names, "_MOST_LOOKED_UP", -1)
            assert names.alike_sentences(store, texts) == looked_up
    assert {text: set(each) for text, each in looked_up.items()} == {
        text: alike
        for text in texts
        if text not in stored and (alike := {each for each in stored if typed(each) == typed(text)})
    }


def typed(text: str) -> str:
    return as_typed(text, " '-")


# Translations at a distance against a breadth-first walk, and the places where sentences stand.


def walked(edges: dict[int, set[int]], origin: int, distance: int) -> dict[int, int]:
    """How far each sentence is."""
    distances, edge = {origin: 0}, {origin}
    for step in range(1, distance + 1):
        edge = {other for node in edge for other in edges[node]} - distances.keys()
        distances |= dict.fromkeys(edge, step)
    del distances[origin]
    return distances


@pytest.mark.parametrize("number", range(8))
def test_distances(empty: Store, number: int) -> None:
    chance = random.Random(number)
    for languages in (("eng", "fra"), ("fra", "jpn"), ("eng", "jpn", "deu")):
        rows = [tuple(f"{code}{chance.randrange(6)}" for code in languages) for _ in range(chance.randint(1, 8))]
        import_rows(empty, rows, languages)
    edges: dict[int, set[int]] = {}
    language = dict(empty.connection.execute("select id, language from sentence").fetchall())
    for one, other in empty.connection.execute("select sentence, translation from translation"):
        edges.setdefault(one, set()).add(other)
    for distance in (1, 2, 3):
        found = translations_of_sentence(empty, edges, (), distance)
        chosen = translations_of_sentence(empty, edges, ("jpn",), distance)
        for origin in edges:
            everything = walked(edges, origin, distance)
            others = {one: far for one, far in everything.items() if language[one] != language[origin]}
            assert {each.sentence: each.distance for each in found[origin]} == others
            assert {each.sentence: each.distance for each in chosen[origin]} == {
                one: far for one, far in everything.items() if language[one] == "jpn"
            }
            order = [(each.distance, each.language, each.sentence) for each in found[origin]]
            assert order == sorted(order)
            for each in found[origin]:
                assert (each.via is None) == (each.distance == 1)
                if each.via is not None:
                    assert each.sentence in edges[each.via]
                    assert walked(edges, origin, distance)[each.via] == each.distance - 1


def test_a_sentence_without_translations(empty: Store) -> None:
    import_rows(empty, [("a", "b")])
    assert translations_of_sentence(empty, [12345]) == {12345: []}
    assert translations_of_sentence(empty, []) == {}


def test_places_and_surroundings(empty: Store) -> None:
    import_rows(empty, [(f"s{line}", f"t{line}") for line in range(1, 8)] + [("s2", "t7")])
    number = sentence_id(empty, "eng", "s2")
    assert number is not None
    places = places_of(empty, [number, 999])
    assert [(place.collection, place.line, str(place)) for place in places[number]] == [
        ("rows", 2, "rows/corpus-0.tsv:2"),
        ("rows", 8, "rows/corpus-0.tsv:8"),
    ]
    assert places[999] == []
    around = surroundings(empty, number, 1)
    assert [(line, language, text) for line, language, _, text in around] == [
        (line, code, f"{letter}{line}") for line in (1, 2, 3) for code, letter in (("eng", "s"), ("fra", "t"))
    ]
    document, _ = empty.connection.execute(
        "select document, line from occurrence where sentence = ?", (number,)
    ).fetchone()
    assert [text for *_, text in surroundings(empty, number, 0, (document, 8))] == ["s2", "t7"]
    assert surroundings(empty, 999) == []
    assert len(sentences_after(empty, "eng", 0)) == 7


# Documents by their names: which files, and which documents inside files, a name stands for.


PAIR = ("eng", "fra")


@pytest.fixture
def files_corpus(empty: Store) -> Store:
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
    files_corpus: Store, collections: tuple[str, ...], document: str | None, expected: list[FilePlace]
) -> None:
    assert places(files_corpus, collections, document) == expected


def test_names_that_are_not_there(files_corpus: Store) -> None:
    with pytest.raises(InputError, match=r"no document 'c'; there are one, two\.en, two\.fr, b, a$"):
        places(files_corpus, (), "c")
    with pytest.raises(InputError, match="no collection 'c'; there are units, others"):
        places(files_corpus, ("c",))


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


# The counts of languages against counting every row, for documents that tell them and for those that do not.


_OCCURRENCES = "select language, occurrence.line from occurrence join sentence on sentence.id = occurrence.sentence"
_TRANSLATIONS = "select language, collection from translation join sentence on sentence.id = translation.sentence"


def counted(store: Store) -> LanguageCounts:
    """Row by row."""
    found = LanguageCounts()
    found.occurrences.update(language for language, _ in store.connection.execute(_OCCURRENCES))
    found.translations.update(language for language, _ in store.connection.execute(_TRANSLATIONS))
    return found


def goes_over_rows(store: Store) -> bool:
    """Whether the sentences are gone through with their occurrences."""
    statements: list[str] = []
    store.connection.set_trace_callback(statements.append)
    language_counts(store.connection)
    store.connection.set_trace_callback(None)
    return any("cross join occurrence" in each for each in statements)


def two_files(store: Store) -> None:
    for seed in (1, 2):  # with pairs that are in both
        import_rows(store, random_rows(random.Random(seed), 60))
    import_rows(store, [("a b", "猫"), ("a b", "犬"), ("c", "猫")], ("eng", "jpn"))


def accepted(store: Store) -> None:
    import_rows(store, [("One beer.", "Une bière."), ("A beer.", "Une bière."), ("A beer.", "La bière.")])
    finished(accept(store, "A beer.", "Two beers.", "eng"))
    finished(accept(store, "One beer.", "A beer.", "eng"))
    finished(accept(store, "Une bière.", "Des bières.", "fra"))


def three_languages(store: Store) -> None:
    import_rows(store, [("a", "b", "c"), ("d", "", "f")], ("eng", "fra", "jpn"))


def versions(store: Store) -> None:
    import_units(store, [Record(1, ("a", "b", "x"), ("eng", "eng", "fra")), Record(2, ("c", "y"), ("eng", "fra"))])


def older_version(store: Store) -> None:
    """Whose documents had no counts."""
    two_files(store)
    with store.write() as connection:
        connection.execute("update document set counts = '{}'")


def other_counts(store: Store) -> None:
    two_files(store)
    with store.write() as connection:
        connection.execute("update document set counts = json_set(counts, '$.read', 7)")


@pytest.mark.parametrize(
    ("fill", "over_rows"),
    [
        (two_files, False),
        (accepted, False),
        (three_languages, True),
        (versions, True),
        (older_version, True),
        (other_counts, True),
    ],
)
def test_counts_are_those_of_the_rows(fill: Callable[[Store], None], over_rows: bool, tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        assert language_counts(store.connection) == LanguageCounts()
        fill(store)
        assert language_counts(store.connection) == counted(store)
        assert goes_over_rows(store) == over_rows

"""What looks like another language than it is said to be; all texts are of the built-in phrasebook."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from corpora import import_rows, new_store

import corpusdb
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import TextSample, check_sources, column_doubts
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.store import Store


@cache
def phrases() -> dict[str, list[str]]:
    """By language, in parallel; the odd ones are known to the database, the even ones imported."""
    rows = [
        line.split("\t")
        for file in sorted((Path(corpusdb.__file__).parent / "phrasebook").glob("*.tsv"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    rows = [row for row in rows if len(row) == 3 and row[0] != "english"]
    return {language: [row[place] for row in rows] for place, language in enumerate(("eng", "jpn", "fra"))}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with new_store(tmp_path) as store:
        texts = phrases()
        for other in ("fra", "jpn"):
            import_rows(store, list(zip(texts["eng"][1::2], texts[other][1::2], strict=True)), ("eng", other))
        yield store


def doubts(store: Store, tmp_path: Path, said: dict[str, str], lines: int = 200) -> list[str]:
    """Of a file with columns that are said to be in some languages, each in fact in another."""
    columns = [phrases()[true][::2][:lines] for true in said.values()]
    file = tmp_path / "columns.tsv"
    file.write_text("".join("\t".join(row) + "\n" for row in zip(*columns, strict=True)), encoding="utf-8")
    options = Options(languages=tuple(said), header="no")
    return column_doubts(store, finished(check_sources(open_sources(None, [file], options))))


@pytest.mark.parametrize("lines", [10, 30, 200])
@pytest.mark.parametrize("pair", [("eng", "fra"), ("eng", "jpn"), ("jpn", "fra")])
def test_what_is_right_is_not_doubted(store: Store, tmp_path: Path, pair: tuple[str, str], lines: int) -> None:
    assert doubts(store, tmp_path, {each: each for each in pair}, lines) == []


def test_columns_the_other_way_round(store: Store, tmp_path: Path) -> None:
    one, other = doubts(store, tmp_path, {"fra": "eng", "eng": "fra"})
    assert "what is said to be fra looks like eng: " in one
    assert "what is said to be eng looks like fra: " in other
    one, other = doubts(store, tmp_path, {"jpn": "eng", "eng": "jpn"})
    assert "said to be jpn is written in latin letters" in one
    assert "said to be eng is written in kana" in other


def test_a_new_language_the_other_way_round(store: Store, tmp_path: Path) -> None:
    """The database has no French; what it has of English tells which of the two columns is English."""
    folder = tmp_path / "english"
    folder.mkdir()
    with new_store(folder) as english:
        import_rows(english, [(text, "x") for text in phrases()["eng"][1::2]], ("eng", "deu"))
        (found,) = doubts(english, tmp_path, {"fra": "eng", "eng": "fra"})
        assert "eng and fra look exchanged: by what the database has of eng" in found
        assert doubts(english, tmp_path, {"fra": "fra", "eng": "eng"}) == []


def test_too_few_lines_tell_nothing_but_where_the_same_stand(store: Store, tmp_path: Path) -> None:
    told = doubts(store, tmp_path, {"fra": "eng", "eng": "fra"}, 9)
    assert all("stand in the database" in each for each in told), "by what the characters are like"


def test_an_empty_database_has_scripts_only(tmp_path: Path) -> None:
    with new_store(tmp_path) as empty:
        assert doubts(empty, tmp_path, {"fra": "eng", "eng": "fra"}) == []
        assert len(doubts(empty, tmp_path, {"jpn": "eng", "eng": "jpn"})) == 2


def test_a_sample_is_from_all_over() -> None:
    sample = TextSample()
    for number in range(10_000):
        sample.add(str(number))
    places = [int(text) for text in sample.texts]
    assert 150 <= len(places) < 300
    assert {second - first for first, second in pairwise(places)} == {places[1]}
    assert places[-1] >= 10_000 - places[1]


@pytest.mark.parametrize("lines", [1, 2, 5])
def test_few_texts_that_stand_there_in_another_language_are_told(store: Store, tmp_path: Path, lines: int) -> None:
    known = [phrases()[language][1::2][:lines] for language in ("fra", "jpn")]
    file = tmp_path / "few.tsv"
    file.write_text("".join("\t".join(row) + "\n" for row in zip(*known, strict=True)), encoding="utf-8")

    def told(*languages: str) -> list[str]:
        options = Options(languages=languages, header="no")
        return column_doubts(store, finished(check_sources(open_sources(None, [file], options))))

    assert told("fra", "jpn") == []
    (doubt,) = told("eng", "jpn")
    assert f" of {lines} texts looked at" in doubt
    assert doubt.endswith("in the database as fra, and none as eng")

"""Damage of what is stored of an alignment: told in one line by the check and by what needs it."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from aligned import aligned_rows, drawn_pairs
from corpora import import_rows, new_store

from corpusdb.alignment.links import links_to_bytes
from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.alignment.queries.pairs import links_between
from corpusdb.alignment.queries.phrase_places import translations_of
from corpusdb.base.errors import DatabaseDamaged
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import update_layers
from corpusdb.chain.queries.repair import repair
from corpusdb.corpus.store import Store, open_store

MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture
def store(make_once: MakeOnce, tmp_path: Path) -> Iterator[Store]:
    def make(folder: Path) -> None:
        with new_store(folder) as made:
            import_rows(made, drawn_pairs(random.Random(2), 120))
            finished(align_languages(made, "eng", "fra"))

    source = make_once("aligned", make) / "corpus.db"
    with open_store(shutil.copy(source, tmp_path / "corpus.db")) as opened:
        yield opened


def damage(store: Store, statement: str, *values: object) -> None:
    with store.unchecked_references(), store.write() as connection:
        assert connection.execute(statement, values).rowcount > 0


_ONE = "where (sentence, translation) = (select sentence, translation from alignment where length(links) > 5 limit 1)"
_OUTSIDE = links_to_bytes([(0, 0), (200, 0)])
LINKS = (
    ("update alignment set links = x'0700' " + _ONE, (), "no list of links"),
    ("update alignment set links = substr(links, 1, 4) " + _ONE, (), "no list of links"),
    ("update alignment set links = cast(x'010100' || substr(links, 2) as blob) " + _ONE, (), "not in order"),
    ("update alignment set links = ? " + _ONE, (_OUTSIDE,), "leads outside of texts"),
    ("update alignment set tokens_digest = x'0102030405060708' " + _ONE, (), "those of other tokens"),
)


@pytest.mark.parametrize(("statement", "values", "told"), LINKS, ids=range(len(LINKS)))
def test_links_that_cannot_be_used(store: Store, statement: str, values: tuple[bytes, ...], told: str) -> None:
    pair = store.connection.execute("select sentence, translation from alignment " + _ONE).fetchone()
    damage(store, statement, *values)
    for full in (False, True):
        problems = check(store, full=full).problems
        assert len(problems) == 1 and told in problems[0] and f"{pair[0]} and {pair[1]}" in problems[0]
    with pytest.raises(DatabaseDamaged, match=told):
        links_between(store, *pair)


def test_links_that_could_be_but_are_not_are_seen_by_counting_again(store: Store) -> None:
    damage(store, "update alignment set links = x'01' " + _ONE)
    assert check(store).ok
    problems = check(store, full=True).problems
    assert len(problems) == 3 and all("not what its links give" in each for each in problems)


COUNTS = (
    "update phrase_pair set count = count + 1 where source = 1",
    "delete from phrase_pair where (source, target) = (select source, target from phrase_pair limit 1)",
    "update phrase_count set paired = paired + 1 where phrase = (select phrase from phrase_count limit 1)",
)


@pytest.mark.parametrize("statement", COUNTS, ids=range(len(COUNTS)))
def test_counts_that_do_not_fit_together(store: Store, statement: str) -> None:
    damage(store, statement)
    (problem,) = check(store).problems
    assert "by their own counts" in problem
    assert not check(store, full=True).ok


MODELS = (
    "update alignment_model set tables = cast(substr(tables, 1, 1000) || x'00' || substr(tables, 1002) as blob)",
    "update alignment_model set tables = x''",
    "update alignment_model set source_language = 'deu'",
)


@pytest.mark.parametrize("statement", MODELS, ids=range(len(MODELS)))
def test_a_model_that_is_damaged_or_of_other_languages(store: Store, statement: str) -> None:
    before = aligned_rows(store)["alignment"]
    damage(store, statement)
    if "deu" in statement:
        import_rows(store, [("die Katze", "le chat")], ("deu", "fra"))
        wanted = "deu"
    else:
        import_rows(store, [("the zebra", "le zèbre")])
        wanted = "eng"
    problems = check(store).problems
    assert any("is damaged, or one of other languages" in each for each in problems)
    told = "damaged, or one of other languages.*--retrain"
    with pytest.raises(DatabaseDamaged, match=told):
        finished(align_languages(store, wanted, "fra"))
    assert len(aligned_rows(store)["alignment"]) == len(before)


def test_a_damaged_training_begins_again(store: Store) -> None:
    before = aligned_rows(store)
    job = align_languages(store, "eng", "fra", retrain=True)
    while store.connection.execute("select count(tables) from alignment_model").fetchone() != (2,):
        next(job)
    job.close()
    damage(store, "update alignment_model set tables = x'00' where state = 'training'")
    finished(align_languages(store, "eng", "fra", retrain=True))
    assert aligned_rows(store) == before
    assert check(store, full=True).problems == ()


def test_an_import_says_that_the_model_is_damaged_and_a_repair_makes_it_anew(store: Store) -> None:
    before = aligned_rows(store)
    damage(store, "update alignment_model set tables = x'00'")
    assert translations_of(store, "eng", "cat", "fra").occurrences
    import_rows(store, [("the zebra", "le zèbre")])
    with pytest.raises(DatabaseDamaged, match="damaged"):
        finished(update_layers(store))
    assert finished(repair(store)).ok
    after = aligned_rows(store)
    assert len(after["alignment"]) == len(before["alignment"]) + 1
    assert translations_of(store, "eng", "zebra", "fra").occurrences == 1


def test_a_pair_without_its_links_is_said_by_the_example_that_needs_it(store: Store) -> None:
    damage(store, "delete from alignment")
    with pytest.raises(DatabaseDamaged, match="the pair has no links"):
        translations_of(store, "eng", "cat", "fra")
    assert not check(store, full=True).ok

"""A layer that a test adds: one value, one line, and a script for its table; everything else goes over the registry."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from corpora import import_rows

from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.chain.queries import layers as registry
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import import_files, update_layers
from corpusdb.chain.queries.layers import LAYERS, DerivedLayer, DerivedTable, layer_tables, with_needed
from corpusdb.chain.queries.overview import overview
from corpusdb.chain.queries.repair import repair
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.queries.sentences import new_sentences, sentences_after
from corpusdb.corpus.store import Layer, Store, finish_run, layer_state, open_store, save_layer, start_run
from corpusdb.corpus.store import opening as migrations
from corpusdb.corpus.store.runs import exclusive

TABLE = """
create table length (
    sentence integer primary key references sentence (id),
    characters integer not null,
    run integer not null references run (id)
) strict;
"""
ROWS = """
select row.sentence, row.characters from {of}.length row
join sentence on sentence.id = row.sentence where sentence.language = :language
"""


@exclusive("measure")
def measure(store: Store, language: str) -> Job[None]:
    """The number of characters of each sentence."""
    state = layer_state(store, language, "length")
    fresh = sentences_after(store, language, state.last_sentence if state else 0)
    yield Progress("measuring sentences", 0, len(fresh))
    if not fresh:
        return
    with store.write() as connection:
        run = start_run(store, "measure", {"language": language})
        rows = [(sentence, len(text), run.id) for sentence, text in fresh]
        connection.executemany("insert into length values (?, ?, ?)", rows)
        save_layer(store, language, "length", Layer({}, fresh[-1][0], run.id, complete=True), run)
        finish_run(store, run, {"sentences": len(rows)})


LENGTHS = DerivedLayer(
    name="length",
    tables=(DerivedTable("length", made_by=("measure",), rows=ROWS),),
    update=measure,
    behind=new_sentences,
)
FIRST = [("A beer, please.", "Une bière."), ("Thanks.", "Merci.")]
MORE = [("A tea.", "Un thé."), ("Thank you.", "Merci.")]


@pytest.fixture(params=[False, True], ids=["where begun", "in every language"])
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Store]:
    """A corpus of which lengths are a derived layer, in every language or in English."""
    script = tmp_path / f"{migrations.latest_version() + 1:04}_length.sql"
    script.write_text(TABLE, encoding="utf-8")
    scripts = (*migrations._scripts(), (script.stem, (script,)))
    monkeypatch.setattr(migrations, "_scripts", lambda: scripts)
    monkeypatch.setattr(registry, "LAYERS", (*LAYERS, replace(LENGTHS, in_every_language=request.param)))
    with open_store(tmp_path / "corpus.db", create=True) as opened:
        import_rows(opened, FIRST)
        finished(measure(opened, "eng"))
        yield opened


def add(store: Store, *, follow: bool) -> None:
    """Import some more, as the command does."""
    file = store.path.with_name("more.tsv")
    file.write_text("".join(f"{english}\t{french}\n" for english, french in MORE), encoding="utf-8")
    source = open_source("tsv", [file], Options(languages=("eng", "fra"), header="no"))
    finished(import_files(store, [source], "more", follow=follow))


def lengths(store: Store) -> dict[str, int]:
    query = "select text, characters from length join sentence on sentence.id = sentence where language = 'eng'"
    return dict(store.connection.execute(query).fetchall())


def shown(store: Store) -> dict[str, tuple[str, int]]:
    english = next(language for language in overview(store).languages if language.code == "eng")
    return {layer.name: (layer.state, layer.behind) for layer in english.layers}


def test_it_is_updated_after_an_import_and_shown(store: Store) -> None:
    assert shown(store) == {"length": ("up to date", 0)}
    add(store, follow=False)
    assert shown(store) == {"length": ("behind", 2)}
    finished(update_layers(store))
    assert shown(store) == {"length": ("up to date", 0)}
    assert lengths(store) == {text: len(text) for text, _ in (*FIRST, *MORE)}


def test_an_import_updates_it(store: Store) -> None:
    add(store, follow=True)
    assert lengths(store) == {text: len(text) for text, _ in (*FIRST, *MORE)}
    in_every_language = registry.derived_layers()[-1].in_every_language
    assert (layer_state(store, "fra", "length") is not None) == in_every_language


def test_one_in_the_making_is_incomplete(store: Store) -> None:
    with store.write() as connection:
        connection.execute("update layer set complete = 0 where name = 'length'")
    assert shown(store) == {"length": ("incomplete", 0)}


@pytest.mark.parametrize("follow", [True, False], ids=["up to date", "behind"])
@pytest.mark.parametrize(
    "damage",
    [
        "update length set characters = characters + 1 where sentence = 1",
        "delete from length where sentence = 1",
        "update length set run = 1 where sentence = 1",
        "drop table length",
    ],
)
@pytest.mark.slow
def test_damage_is_found_and_it_is_rebuilt(store: Store, damage: str, follow: bool) -> None:
    add(store, follow=follow)
    assert check(store, full=True).problems == ()
    before = lengths(store)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute(damage)
    found = check(store, full=True).problems
    assert found
    assert all("length" in problem for problem in found)
    report = finished(repair(store))
    assert (report.ok, report.left) == (True, ())
    assert lengths(store).items() >= before.items()
    assert check(store, full=True).problems == ()
    assert shown(store) == {"length": ("up to date", 0)}
    assert finished(repair(store)).done == ()


def test_what_it_is_made_by_is_looked_at(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lengths of an older version, which counted otherwise, are told and no damage."""
    other = replace(registry.derived_layers()[-1], parameters=lambda: {"rules": 2}, in_every_language=False)
    monkeypatch.setattr(registry, "LAYERS", (*LAYERS, other))
    with store.write() as connection:
        connection.execute("update length set characters = 0")
    report = check(store, full=True)
    assert report.problems == ()
    assert any("eng" in each for each in report.left_out)


def test_each_layer_comes_after_those_that_it_needs() -> None:
    names = [layer.name for layer in LAYERS]
    assert len({*names}) == len(names)
    for place, layer in enumerate(LAYERS):
        assert {*layer.needs} <= {*names[:place]}
        assert not layer.in_every_language or all(LAYERS[names.index(name)].in_every_language for name in layer.needs)
    tables = [*layer_tables()]
    assert len({*tables}) == len(tables)


def test_a_layer_with_all_that_it_is_made_from() -> None:
    assert [layer.name for layer in with_needed({"candidate"})] == ["paraphrase", "ngram", "commutation", "candidate"]
    assert [layer.name for layer in with_needed({"token"})] == ["token"]
    assert with_needed(set()) == []

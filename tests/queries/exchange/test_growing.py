"""The layer of validity does not depend on how the corpus grew, nor on what ended it in the midst."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from corpora import Dump, Row, generated_store, import_rows, judged_rows, new_store, random_rows
from interrupted import run

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import update_layers
from corpusdb.chain.queries.layer_registry import layer_tables
from corpusdb.chain.queries.repair import repair
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase import validity_models
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.queries.seed_validity import SeedValidity

LANGUAGES = ("eng", "fra", "deu")


def drawn_rows(number: int, count: int = 60) -> list[Row]:
    chance = random.Random(number)
    english = [text for text, _ in random_rows(chance, count, words="abcd")]
    return [(text, f"f{chance.randrange(20)}", f"g{chance.randrange(20)}") for text in english]


def model(store: Store) -> object:
    """What the run of the layer tells of the model."""
    made = "select run from layer where name = 'validity'"
    query = f"select json_extract(parameters, '$.model') from run where id = ({made})"
    ((text,),) = store.connection.execute(query).fetchall()
    return json.loads(text)


def rows_after(folder: Path, name: str, parts: Sequence[Sequence[Row]], *, each: bool) -> tuple[Dump, object]:
    """What is judged after these imports, and the model, with a generation after each of them or after the last."""
    with new_store(folder, name) as store:
        for number, part in enumerate(parts, 1):
            import_rows(store, part, LANGUAGES)
            if each or number == len(parts):
                finished(generate(store, "eng"))
        assert check(store, full=True).problems == ()
        return judged_rows(store), model(store)


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("number", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in (1, 2))])
def test_growing_gives_what_a_rebuild_gives(
    tmp_path: Path, number: int, fitted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fitted:
        monkeypatch.setattr(validity_models, "LEAST_LABELLED", 30)
    rows = drawn_rows(number)
    parts = [rows[:40], rows[40:43], rows[43:]]
    grown, whole = (rows_after(tmp_path, str(each), parts, each=each) for each in (True, False))
    assert grown == whole
    found, document = whole
    assert all(rows for table, rows in found.items() if table != "rewording")
    assert isinstance(document, dict) and (document["labelled"] >= 30) == fitted


def test_nothing_is_done_again_where_nothing_has_changed(tmp_path: Path) -> None:
    with generated_store(tmp_path, drawn_rows(1), LANGUAGES) as store:
        count = "select count(*) from run where operation = 'validity'"
        finished(generate(store, "eng"))
        finished(update_layers(store))
        assert store.connection.execute(count).fetchone() == (1,)
        import_rows(store, [("a b c d.", "f1", "g30")], LANGUAGES)
        finished(update_layers(store))
        assert store.connection.execute(count).fetchone() == (2,)
        finished(generate(store, "eng", ["d c b a a"]))
        unjudged = "select count(*) from candidate where validity is null or replacement is null"
        assert store.connection.execute(unjudged).fetchone() == (0,)


def test_a_generation_that_was_killed_while_judging_is_finished_by_the_next(tmp_path: Path) -> None:
    with new_store(tmp_path, "begun") as store:
        import_rows(store, drawn_rows(2, 80), LANGUAGES)
    undisturbed = Path(shutil.copy(tmp_path / "begun.db", tmp_path / "undisturbed.db"))
    steps = run("generate", undisturbed)
    assert steps is not None
    with open_store(undisturbed) as store:
        expected = judged_rows(store)
    while_judging = 0
    for part in range(60, 96, 5):
        killed = Path(shutil.copy(tmp_path / "begun.db", tmp_path / f"killed-{part}.db"))
        assert run("generate", killed, steps * part // 100) is None
        with open_store(killed) as store:
            layers = dict(store.connection.execute("select name, complete from layer"))
            if layers.get("candidate") and "validity" not in layers:
                while_judging += 1
                assert not judged_rows(store)["exchange"]
                finished(generate(store, "eng"))
                assert judged_rows(store) == expected
                assert check(store, full=True).problems == ()
        if while_judging == 2:
            return
    pytest.fail("it was not killed twice while it judged")


def test_a_generation_that_is_stopped_at_any_step_of_judging_is_finished_by_the_next(tmp_path: Path) -> None:
    with generated_store(tmp_path, drawn_rows(3), LANGUAGES) as store:
        expected = judged_rows(store)
        stages = []
        for stop in range(1, 20):
            store.connection.execute("delete from layer where name = 'validity'")
            store.connection.execute("update candidate set validity = null, replacement = null")
            store.connection.execute("delete from exchange_part where exchange % 2 = 0")
            job = generate(store, "eng")
            steps = [step.stage for _, step in zip(range(stop), job, strict=False)]
            job.close()
            stages += steps[-1:]
            if len(steps) == stop and steps[-1] != "rewording by exchanges":
                assert judged_rows(store)["exchange_part"] != expected["exchange_part"]
            finished(generate(store, "eng"))
            assert judged_rows(store) == expected
    assert {"comparing paraphrases with their seeds", "summing up exchanges", "storing validity"} <= set(stages)


@pytest.mark.parametrize("fitted", [False, True])
def test_a_single_seed_is_judged_as_it_is_when_stored(
    tmp_path: Path, fitted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of pairs of which no translation is known: the seed, or its paraphrase, is no sentence of the corpus."""
    if fitted:
        monkeypatch.setattr(validity_models, "LEAST_LABELLED", 30)
    outside = ["d c b a", "a d d b.", "c a b d", "b b a c."]
    with new_store(tmp_path) as store:
        import_rows(store, drawn_rows(4), LANGUAGES)
        finished(generate(store, "eng"))
        finished(generate(store, "eng", outside))
        stored = store.connection.execute(
            """select seed.text, candidate.text, frequency, candidate.languages, probability, validity, replacement
            from candidate join seed on seed.id = candidate.seed
            where not exists (select 1 from sentence where language = 'eng' and text = candidate.text)
                or seed.sentence is null order by candidate.id"""
        ).fetchall()
        assert {row[0] for row in stored} & set(outside)
        assert len({row[5] for row in stored}) > 10
        judging = SeedValidity(store, "eng")
        for seed in sorted({row[0] for row in stored}):
            rows = [row for row in stored if row[0] == seed]
            judged = judging.judge([Pair(0, *row[:5]) for row in rows])
            assert judged is not None
            for one, (*_, validity, replacement) in zip(judged, rows, strict=True):
                assert one.validity == pytest.approx(validity, abs=1.01e-4)
                assert one.replacement == replacement


def test_before_anything_was_learned_nothing_is_judged(empty: Store) -> None:
    judge = SeedValidity(empty, "eng")
    assert not judge.is_known
    with pytest.raises(LookupError):
        judge.judge([Pair(0, "a b", "a c", 1, 1, 0.5)])


DAMAGES = [
    "update exchange set shared = shared + 1 where id = (select min(id) from exchange)",
    "delete from exchange_part; delete from exchange",
    "delete from exchange_part where kind = 'left'",
    pytest.param("update exchange set x = x || '!' where id = (select max(id) from exchange)", marks=pytest.mark.slow),
    pytest.param("update exchange_part set expected = expected + 1 where kind = 'language'", marks=pytest.mark.slow),
    pytest.param("drop table exchange_part", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_exchanges_are_found_and_made_again(tmp_path: Path, damage: str) -> None:
    with generated_store(tmp_path, drawn_rows(5), LANGUAGES) as store:
        expected = judged_rows(store)
        assert check(store, full=True).problems == ()
        with store.unchecked_references():
            store.connection.executescript(damage)
        assert not check(store, full=True).ok
        report = finished(repair(store))
        assert (report.ok, report.left) == (True, ())
        assert report.done
        assert judged_rows(store) == expected
        assert finished(repair(store)).done == ()


def test_the_tables_are_those_of_a_layer() -> None:
    assert {"exchange", "exchange_part"} <= set(layer_tables())

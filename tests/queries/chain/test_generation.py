"""The whole chain: the same rows whatever interrupts it, given seeds, and layers that are kept up to date."""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from corpora import Row, all_rows, copy_of_corpus, derived_rows, import_rows, new_store, random_rows, tatoeba
from interrupted import run, run_with_kills

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries import generation
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import check_source, import_source, update_layers
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.store import Store, layer_state, open_store
from corpusdb.paraphrase.queries import candidate_update, slot_index
from corpusdb.phrasebook import phrasebook_files


def some_pairs(store: Store) -> None:
    """English with four languages, or where the data is absent with one."""
    try:
        for language in ("fra", "deu", "jpn", "cmn"):
            import_rows(store, tatoeba(language, 1000, 550), ("eng", language))
    except pytest.skip.Exception:
        for path in phrasebook_files():
            source = open_source("tsv", [path], Options(languages=("eng", "fra")))
            finished(import_source(store, finished(check_source(source)), "phrasebook"))


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    with new_store(folder) as store:
        some_pairs(store)
        return store.path


@pytest.fixture(scope="module")
def undisturbed(imported: Path) -> tuple[Path, int]:
    """The database after an undisturbed run, and how many thousand steps that took."""
    path = Path(shutil.copy(imported, imported.with_name("undisturbed.db")))
    steps = run("generate", path)
    assert steps is not None
    return path, steps


@pytest.mark.data
@pytest.mark.parametrize(
    ("kills", "number"), [(4, 3), *(pytest.param(10, number, marks=pytest.mark.slow) for number in range(3))]
)
def test_killed_runs_end_with_the_same_rows(
    imported: Path, undisturbed: tuple[Path, int], tmp_path: Path, kills: int, number: int
) -> None:
    expected, steps = undisturbed
    path = Path(shutil.copy(imported, tmp_path / "killed.db"))
    assert run_with_kills("generate", path, kills, steps, random.Random(number)) == kills
    with open_store(path) as killed, open_store(expected) as whole:
        found, wanted = all_rows(killed), all_rows(whole)
        assert len(wanted["candidate"]) > 100
        for table, rows in wanted.items():
            assert found[table] == rows, table
        assert killed.connection.execute("pragma integrity_check").fetchone() == ("ok",)


def rows() -> list[Row]:
    return random_rows(random.Random(1), 25)


def unfinished(store: Store) -> int:
    return int(store.connection.execute("select count(*) from run where finished is null").fetchone()[0])


@pytest.fixture
def small_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "_SEEDS_PER_TRANSACTION", 3)
    monkeypatch.setattr(slot_index, "_ROWS_PER_TRANSACTION", 50)


def steps_of(store: Store) -> list[str]:
    """What an undisturbed generation in a copy of the corpus shows at its every step."""
    with copy_of_corpus(store, "watched") as copy:
        stages: list[str] = []
        finished(generate(copy, "eng"), lambda step: stages.append(step.stage))
        return stages


@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize(
    ("then", "small"),
    [
        ("generate", 0.0),
        ("follow", 10.0),
        pytest.param("generate", 10.0, marks=pytest.mark.slow),
        pytest.param("follow", 0.0, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    "part", [0.0, 0.4, 0.8, 1.0, *(pytest.param(part, marks=pytest.mark.slow) for part in (0.2, 0.6, 0.9))]
)
def test_what_is_imported_during_an_interruption_is_in_the_end(
    empty: Store, monkeypatch: pytest.MonkeyPatch, part: float, then: str, small: float
) -> None:
    """Stopped at any step, the corpus grown meanwhile: the rows are those of a generation from all at once.

    ``small`` decides whether what is new is followed or everything made anew.
    """
    monkeypatch.setattr(candidate_update, "_SMALL", small)
    import_rows(empty, rows())
    stages = steps_of(empty)
    assert {"cutting slots", "storing slots", "generating from sentences"} <= {*stages}
    job = generate(empty, "eng")
    for _ in range(max(1, int(part * len(stages)))):
        next(job)
    job.close()
    import_rows(empty, [("a b d.", "t1"), ("d.", "t2")])
    if then == "follow":
        finished(update_layers(empty))
    finished(generate(empty, "eng"))
    with copy_of_corpus(empty) as copy:
        finished(generate(copy, "eng"))
        assert derived_rows(copy) == derived_rows(empty)


def test_a_second_call_does_nothing(empty: Store) -> None:
    import_rows(empty, rows())
    first = finished(generate(empty, "eng"))
    before = all_rows(empty)
    again = finished(generate(empty, "eng"))
    assert all_rows(empty) == before
    assert replace(again, seconds=first.seconds) == first
    assert unfinished(empty) == 0


def test_all_seeds_after_some(empty: Store) -> None:
    """What was generated for some seeds only is no part of what is generated for all."""
    import_rows(empty, rows())
    some = finished(generate(empty, "eng", [rows()[0][0], "x y z."]))
    everything = finished(generate(empty, "eng"))
    assert some.candidates < everything.candidates
    with copy_of_corpus(empty) as copy:
        finished(generate(copy, "eng"))
        assert derived_rows(copy) == derived_rows(empty)
    assert empty.connection.execute("select count(*) from seed where sentence is null").fetchone() == (0,)


def test_some_seeds_after_all(empty: Store) -> None:
    """Those of the corpus are there already, and those that are not in it come to them."""
    import_rows(empty, rows())
    everything = finished(generate(empty, "eng"))
    before = derived_rows(empty)["candidate"]
    inside = empty.connection.execute("select text from seed order by id limit 1").fetchone()[0]
    report = finished(generate(empty, "eng", [inside, "a b a c b."]))
    after = derived_rows(empty)["candidate"]
    assert [row for row in after if row[2] is not None] == before
    assert report.candidates == sum(row[1] in (inside, "a b a c b.") for row in after)
    assert finished(generate(empty, "eng")).candidates == everything.candidates + len(after) - len(before)


@pytest.mark.usefixtures("small_transactions")
def test_no_run_is_left_unfinished(empty: Store) -> None:
    """Found by test: a generation that ``update_layers`` brought to its end had no end in the record of runs."""
    import_rows(empty, rows())
    job = generate(empty, "eng")
    while next(job).stage != "generating from sentences":
        pass
    next(job)
    next(job)  # the first seeds are stored while the third are generated
    job.close()
    assert unfinished(empty) == 1
    finished(update_layers(empty))
    assert unfinished(empty) == 0


def test_an_update_without_anything_derived_makes_the_corpus_searchable_and_nothing_else(empty: Store) -> None:
    import_rows(empty, rows())
    before = all_rows(empty)
    finished(update_layers(empty))
    after = all_rows(empty)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"layer", "run", "token_segment", "type"}
    finished(update_layers(empty))
    assert all_rows(empty) == after


def test_every_language_that_has_something_is_followed(empty: Store) -> None:
    import_rows(empty, rows())
    finished(generate(empty, "eng"))
    finished(generate(empty, "fra"))
    import_rows(empty, [("a b d.", "t1"), ("d.", "t2 t3")])
    finished(update_layers(empty))
    with copy_of_corpus(empty) as copy:
        for language in ("eng", "fra"):
            finished(generate(copy, language))
        assert derived_rows(copy) == derived_rows(empty)


def test_given_seeds_that_an_interruption_left_out_are_generated_after_a_small_update(
    empty: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by reading: the candidates of all sentences were generated in their place."""
    import_rows(empty, rows())
    seeds = [rows()[0][0], rows()[3][0]]
    finished(generate(empty, "eng", seeds))
    monkeypatch.setattr(candidate_update, "_SMALL", 0.0)
    import_rows(empty, [("a b d.", "t1")])
    job = update_layers(empty)
    while next(job).stage != "generating from seeds":
        pass
    job.close()
    monkeypatch.setattr(candidate_update, "_SMALL", 10.0)
    import_rows(empty, [("d.", "t2")])
    finished(update_layers(empty))
    state = layer_state(empty, "eng", "candidate")
    assert state is not None
    assert (state.parameters, state.complete) == ({"seeds": "given"}, True)
    with copy_of_corpus(empty) as copy:
        finished(generate(copy, "eng", seeds))
        assert derived_rows(copy) == derived_rows(empty)


def test_what_was_given_is_known_as_gone_once_all_are_being_generated(empty: Store) -> None:
    """The candidates of given seeds are dropped in the transaction that says so, so that an update brings them back."""
    import_rows(empty, rows())
    finished(generate(empty, "eng", [rows()[0][0]]))
    job = generate(empty, "eng")
    assert next(job).stage == "generating from sentences"
    job.close()
    assert derived_rows(empty)["candidate"] == []
    state = layer_state(empty, "eng", "candidate")
    assert state is not None
    assert (state.parameters, state.complete) == ({"seeds": "all"}, False)
    finished(update_layers(empty))
    assert derived_rows(empty)["candidate"] != []


def test_a_language_without_sentences(empty: Store) -> None:
    with pytest.raises(InputError, match="the corpus is empty"):
        finished(generate(empty, "deu"))

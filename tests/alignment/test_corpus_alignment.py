"""The alignment of the corpus: it follows imports and goes on after interruptions; damage is told."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from corpora import aligned_rows, drawn_pairs, import_rows, new_store
from interrupted import run, run_with_kills

from corpusdb.alignment.links import Links, links_from_bytes, links_to_bytes
from corpusdb.alignment.model import AlignmentModel
from corpusdb.alignment.queries import corpus_alignment
from corpusdb.alignment.queries.corpus_alignment import AlignmentReport, align_languages
from corpusdb.alignment.queries.pairs import links_between, read_model, ready_model
from corpusdb.alignment.queries.phrase_places import translations_of
from corpusdb.alignment.training import align
from corpusdb.base.errors import DatabaseDamaged, InputError, UsageError
from corpusdb.base.jobs import Progress, finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import update_layers
from corpusdb.chain.queries.overview import overview
from corpusdb.chain.queries.repair import repair
from corpusdb.corpus.store import Store, open_store
from corpusdb.search.token_corpus import tokenise

# The alignment of the corpus: it follows imports, goes on after interruptions, and is replaced by a new model.


@pytest.fixture
def small_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_alignment, "_PAIRS_PER_TRANSACTION", 50)


def aligned(folder: Path, number: int, count: int = 120) -> Store:
    store = new_store(folder)
    import_rows(store, drawn_pairs(random.Random(number), count))
    finished(align_languages(store, "fra", "eng"))
    return store


def stored_model(store: Store) -> AlignmentModel:
    found = ready_model(store, "eng", "fra")
    assert found is not None
    return read_model(store, found)


_LINKED = """
select own.text, other.text, links from alignment
join sentence own on own.id = alignment.sentence join sentence other on other.id = alignment.translation
"""


def test_one_bar_goes_from_the_first_step_to_the_last(tmp_path: Path) -> None:
    steps = list[Progress]()
    with new_store(tmp_path) as store:
        import_rows(store, drawn_pairs(random.Random(1), 120))
        finished(align_languages(store, "eng", "fra"), steps.append)
    bar = [step for step in steps if step.stage == "aligning eng and fra, per cent"]
    assert [step.done for step in bar] == sorted(step.done for step in bar)
    assert (bar[0].done, bar[-1].done, {step.total for step in bar}) == (0, 100, {100})
    assert {step.stage for step in steps if step.total} == {bar[0].stage}


@pytest.mark.usefixtures("small_transactions")
def test_links_are_those_that_the_model_gives_and_every_pair_has_them(tmp_path: Path) -> None:
    with aligned(tmp_path, 1) as store:
        rows = store.connection.execute(_LINKED).fetchall()
        (pairs,) = store.connection.execute("select count(*) from translation").fetchone()
        assert len(rows) == pairs // 2 > 100
        source, target = ([tokenise(row[side]) for row in rows] for side in (0, 1))
        given = finished(align(stored_model(store), source, target))
        for number, (own, theirs, row) in enumerate(zip(source, target, rows, strict=True)):
            assert links_from_bytes(row[2], len(own), len(theirs)) == given.of_pair(number)
        assert check(store, full=True).problems == ()


@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize("number", range(4))
def test_importing_one_after_the_other_is_importing_both(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    more = [*drawn_pairs(chance, 70), ("A zebra sleeps", "Un zèbre dort"), ("zebra", "zèbre")]
    cut = chance.randrange(1, len(more))
    with aligned(tmp_path, number) as store:
        path = store.path
        before = aligned_rows(store)["model"]
    copy = shutil.copy(path, path.with_name("copy.db"))
    with open_store(path) as store:
        for rows in (more[:cut], more[cut:]):
            import_rows(store, rows)
            finished(update_layers(store))
        one_by_one = aligned_rows(store)
        assert one_by_one["model"] == before
    with open_store(copy) as store:
        import_rows(store, more)
        assert [layer.state for each in overview(store).languages for layer in each.layers] == ["behind", "behind"]
        finished(update_layers(store))
        assert aligned_rows(store) == one_by_one
        assert [layer.state for each in overview(store).languages for layer in each.layers] == ["up to date"] * 2
        assert check(store, full=True).problems == ()


@pytest.mark.slow
@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize("number", range(3))
def test_killed_and_run_again_it_gives_the_same(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    with new_store(tmp_path) as store:
        import_rows(store, drawn_pairs(chance, 200))
        path = store.path
    whole = shutil.copy(path, path.with_name("whole.db"))
    steps = run("align", Path(whole))
    assert steps is not None
    run_with_kills("align", path, 4, steps, chance)
    with open_store(path) as store, open_store(whole) as undisturbed:
        assert aligned_rows(store) == aligned_rows(undisturbed)
        assert check(store, full=True).problems == ()


@pytest.mark.usefixtures("small_transactions")
def test_stopped_between_any_two_steps_it_goes_on(tmp_path: Path) -> None:
    with aligned(tmp_path, 3, 60) as store:
        wanted = aligned_rows(store)
    with new_store(tmp_path, "stopped") as store:
        import_rows(store, drawn_pairs(random.Random(3), 60))
        report = None
        for most in range(1, 200):
            job = align_languages(store, "eng", "fra")
            try:
                for _ in range(most):
                    next(job)
                job.close()
            except StopIteration as end:
                report = end.value
                break
        assert isinstance(report, AlignmentReport) and report.pairs == report.aligned == len(wanted["alignment"])
        assert aligned_rows(store) == wanted
        (runs,) = store.connection.execute("select count(*) from run where operation = 'align'").fetchone()
        assert runs == 1


@pytest.mark.slow
@pytest.mark.usefixtures("small_transactions")
def test_a_new_model_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    with aligned(tmp_path, 4) as store:
        import_rows(store, drawn_pairs(random.Random(5), 120))
        finished(update_layers(store))
        before = aligned_rows(store)
        again = finished(align_languages(store, "eng", "fra"))
        assert (again.trained, again.pairs, aligned_rows(store)) == (0, 0, before)
        report = finished(align_languages(store, "eng", "fra", retrain=True))
        assert report.trained == report.pairs == report.aligned == len(before["alignment"])
        after = aligned_rows(store)
        assert len(after["model"]) == 1 and after["model"] != before["model"]
        assert check(store, full=True).problems == ()
    with new_store(tmp_path, "new") as fresh:
        for number in (4, 5):
            import_rows(fresh, drawn_pairs(random.Random(number), 120))
        finished(align_languages(fresh, "eng", "fra"))
        assert aligned_rows(fresh) == after


@pytest.mark.usefixtures("small_transactions")
def test_an_earlier_model_counts_until_the_new_one_has_aligned_all(tmp_path: Path) -> None:
    with aligned(tmp_path, 6) as store:
        first = ready_model(store, "eng", "fra")
        job = align_languages(store, "eng", "fra", retrain=True)
        while (
            store.connection.execute("select count(*) from alignment_model where state = 'decoding'").fetchone()[0] < 1
        ):
            next(job)
        assert ready_model(store, "eng", "fra") == first
        finished(job)
        second = ready_model(store, "eng", "fra")
        assert first is not None and second is not None and second.id > first.id


@pytest.mark.usefixtures("small_transactions")
def test_what_cannot_be_aligned_is_told_and_leaves_nothing(empty: Store) -> None:
    import_rows(empty, [("...", "!")], ("eng", "fra"))
    with pytest.raises(UsageError, match="two languages"):
        finished(align_languages(empty, "eng", "eng"))
    with pytest.raises(InputError, match="no sentence in deu has a translation in eng"):
        finished(align_languages(empty, "eng", "deu"))
    assert empty.connection.execute("select count(*) from alignment_model").fetchone() == (0,)
    assert empty.connection.execute("select count(*) from run where operation = 'align'").fetchone() == (0,)


# Damage of what is stored of an alignment: told in one line by the check and by what needs it.


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
(_OUTSIDE,) = links_to_bytes(Links.of([[(0, 0), (200, 0)]]))
LINKS = (
    ("update alignment set links = x'0700' " + _ONE, (), "not a list of links"),
    ("update alignment set links = substr(links, 1, 4) " + _ONE, (), "not a list of links"),
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

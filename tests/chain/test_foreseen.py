"""What a piece of work is about to take, beside what it took, and in words."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from corpora import new_store, tatoeba, write_rows

from corpusdb.base.jobs import finished
from corpusdb.chain.queries import generation
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import import_files
from corpusdb.chain.queries.overview import (
    Expected,
    Foreseen,
    Range,
    candidates_work,
    foreseen_generation,
    foreseen_import,
    format_foreseen,
    generation_work,
    import_work,
    index_work,
    room_warning,
)
from corpusdb.corpus.formats import Options, Source, open_source
from corpusdb.corpus.store import Store

# What import and generation will take: beside what they took, and for databases in every state.


ANIMALS = {"dogs": "chiens", "cats": "chats", "birds": "oiseaux"}
PAIRS = [(f"I have {n} {one}.", f"J'ai {n} {other}.") for one, other in ANIMALS.items() for n in range(2, 40)]


def sources_of(path: Path, languages: tuple[str, ...] = ("eng", "fra")) -> list[Source]:
    return [open_source("tsv", [path], Options(languages=languages, header="no"))]


def middle(expected: Range) -> float:
    """The geometric mean: as many times the least as the most is of it."""
    return math.sqrt(expected.low * expected.high)


def is_near(foreseen: Foreseen | None, grown: int) -> bool:
    assert foreseen is not None
    ratio = grown / middle(foreseen.expected.growth)
    return 1 / 4 < ratio < 4


@pytest.mark.data
@pytest.mark.parametrize(
    ("language", "count", "every", "follow"),
    [
        ("fra", 5_000, 33, False),
        ("jpn", 5_000, 1, True),
        pytest.param("fra", 20_000, 1, True, marks=pytest.mark.slow),
        pytest.param("deu", 15_000, 11, False, marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_the_file_grows_as_foreseen(language: str, count: int, every: int, follow: bool, tmp_path: Path) -> None:
    """With the shortest sentences, where ``every`` is 1, and with those from all over the corpus."""
    rows = tatoeba(language, 0, count * every)[::every]
    sources = sources_of(write_rows(tmp_path / "some.tsv", rows), ("eng", language))
    with new_store(tmp_path) as store:
        foreseen, size = foreseen_import(store.path, sources, follow=follow), size_of(store)
        finished(import_files(store, sources, "some", follow=follow))
        assert is_near(foreseen, size_of(store) - size)
        foreseen, size = foreseen_generation(store, "eng", seeded=False), size_of(store)
        finished(generate(store, "eng"))
        assert is_near(foreseen, size_of(store) - size)


def size_of(store: Store) -> int:
    """Of the database file, with all that stands in the journal."""
    store.connection.execute("pragma wal_checkpoint(truncate)")
    return store.path.stat().st_size


@pytest.fixture
def some(empty: Store, tmp_path: Path) -> Store:
    finished(import_files(empty, sources_of(write_rows(tmp_path / "some.tsv", PAIRS)), "some"))
    return empty


COUNTED = (len(PAIRS), sum(len(english) for english, _ in PAIRS))


def test_generation_is_foreseen_until_it_is_done(some: Store) -> None:
    both = [foreseen_generation(some, "eng", seeded=seeded) for seeded in (False, True)]
    assert [each and each.expected for each in both] == [generation_work(*COUNTED), index_work(*COUNTED)]
    finished(generate(some, "eng", [PAIRS[0][0]]))
    assert foreseen_generation(some, "eng", seeded=True) is None, "the index is there"
    left = foreseen_generation(some, "eng", seeded=False)
    assert left is not None
    assert left.expected == candidates_work(*COUNTED, 1.0)
    finished(generate(some, "eng"))
    assert foreseen_generation(some, "eng", seeded=False) is None
    assert foreseen_generation(some, "fra", seeded=False) is not None


def test_what_is_left_of_an_interrupted_generation(some: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "_SEEDS_PER_TRANSACTION", len(PAIRS) // 6)
    job = generate(some, "eng")
    for step in job:
        if step.stage == "generating from sentences" and step.done >= step.total / 2:
            break
    job.close()
    (done,) = some.connection.execute("select last_sentence from layer where name = 'candidate'").fetchone()
    ids = [row[0] for row in some.connection.execute("select id from sentence where language = 'eng'")]
    share = sum(each > done for each in ids) / len(ids)
    assert 0.4 < share < 0.9
    left = foreseen_generation(some, "eng", seeded=False)
    assert left is not None
    assert left.expected == candidates_work(*COUNTED, share)


def test_much_that_is_new_is_foreseen_and_little_is_not(some: Store, tmp_path: Path) -> None:
    finished(generate(some, "eng"))
    for name, rows, is_foreseen in (
        ("little", [("I have 99 dogs.", "J'ai 99 chiens.")], False),
        ("much", [(f"You have {one}", f"Vous avez {other}") for one, other in PAIRS], True),
    ):
        path = write_rows(tmp_path / f"{name}.tsv", rows)
        finished(import_files(some, sources_of(path), name, follow=False))
        assert (foreseen_generation(some, "eng", seeded=False) is not None) == is_foreseen


def test_nothing_is_foreseen_of_nothing(empty: Store, tmp_path: Path) -> None:
    assert foreseen_generation(empty, "eng", seeded=False) is None
    standard_input = sources_of(Path("-"))
    assert foreseen_import(empty.path, standard_input, follow=True) is None


def test_the_database_and_its_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is that of the folder, whether the database is there or not, and may tell nothing."""
    sources = sources_of(write_rows(tmp_path / "some.tsv", PAIRS))
    size = (tmp_path / "some.tsv").stat().st_size
    asked = []

    def usage(folder: Path) -> SimpleNamespace:
        asked.append(folder)
        return SimpleNamespace(free=12_345)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    found = foreseen_import(tmp_path / "new.db", sources * 2, follow=False)
    assert found == Foreseen(import_work(2 * size, follow=False), 0, 12_345)
    with new_store(tmp_path) as store:
        there = foreseen_import(store.path, sources, follow=True)
        assert there == Foreseen(import_work(size, follow=True), store.path.stat().st_size, 12_345)
    assert asked == [tmp_path] * 2

    def no_usage(folder: Path) -> SimpleNamespace:
        raise OSError(folder)

    monkeypatch.setattr(shutil, "disk_usage", no_usage)
    unknown = foreseen_import(tmp_path / "new.db", sources, follow=False)
    assert unknown is not None
    assert unknown.free is None


@pytest.mark.parametrize("follow", [False, True])
def test_more_takes_more(follow: bool) -> None:
    """And every least is less than its most."""
    works = [
        [import_work(size, follow=follow) for size in (0, 10**6, 10**9)],
        *([work(n, 30 * n) for n in (1, 10**4, 10**6)] for work in (generation_work, index_work)),
        [candidates_work(10**4, 10**5, left) for left in (0.1, 0.5, 1.0)],
    ]
    for sizes in works:
        assert [each.growth.high for each in sizes] == sorted(each.growth.high for each in sizes)
        assert [each.seconds.low for each in sizes] == sorted(each.seconds.low for each in sizes)
        for each in sizes:
            for one in (each.seconds, each.memory, each.growth, each.beside):
                assert 0 <= one.low <= one.high


EXPECTED = Expected(
    seconds=Range(40, 160), memory=Range(0.63e9, 1.2e9), growth=Range(131e6, 438e6), beside=Range(22e6, 110e6)
)
FORESEEN = Foreseen(EXPECTED, 110_690_304, 10**12)


def test_ranges_in_a_line() -> None:
    told = "about 1 to 3 minutes, 0.6 to 1.2 GB of memory, the file grows to 240 to 550 MB"
    assert format_foreseen(FORESEEN) == told
    assert room_warning(FORESEEN) is None


def test_a_file_that_is_not_there_yet_does_not_grow() -> None:
    told = format_foreseen(replace(FORESEEN, size=0))
    assert told is not None
    assert told.endswith(", a file of 130 to 440 MB")


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (0.5, 9.9, None),
        (0.5, 12, "1 to 12 seconds"),
        (20, 89, "20 to 89 seconds"),
        (20, 91, "1 to 2 minutes"),
        (130, 170, "2 to 3 minutes"),
        (1_000, 5_399, "16 to 90 minutes"),
        (4_000, 9_000, "1 to 3 hours"),
        (3_600 * 1_000, 3_600 * 4_000, "1,000 to 4,000 hours"),
    ],
)
def test_times(low: float, high: float, told: str | None) -> None:
    line = format_foreseen(replace(FORESEEN, expected=replace(EXPECTED, seconds=Range(low, high))))
    assert (line and line.partition(" of memory")[0].rpartition(", ")[0]) == (told and f"about {told}")


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (14e6, 59e6, "14 to 59 MB"),
        (100e6, 104e6, "100 MB"),
        (0.4e6, 9.96e6, "0.4 to 10 MB"),
        (500, 40_400, "0.5 to 40 kB"),
        (994e6, 996e6, "1 GB"),
        (370e6, 1_250e6, "0.4 to 1.2 GB"),
        (12.4e9, 123.4e9, "12 to 120 GB"),
    ],
)
def test_sizes(low: float, high: float, told: str) -> None:
    line = format_foreseen(replace(FORESEEN, expected=replace(EXPECTED, memory=Range(low, high))))
    assert line is not None
    assert line.split(", ")[1] == f"{told} of memory"


def test_a_disk_that_is_too_small() -> None:
    warning = "the disk has 300 MB left, and this takes about 150 to 550 MB of it"
    assert room_warning(replace(FORESEEN, free=300_000_000)) == warning
    assert room_warning(replace(FORESEEN, free=547_000_000)) is not None
    assert room_warning(replace(FORESEEN, free=548_000_000)) is None, "growth and journal have room"
    assert room_warning(replace(FORESEEN, free=None)) is None, "the system does not tell"

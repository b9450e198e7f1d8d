"""The chain on Spark gives the rows of the database's own chain, and what is loaded of a run."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
import unicodedata
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias

import pytest

pytest.importorskip("pyarrow", reason="the extra spark is not installed")

import pyarrow as pa
from corpora import Dump, Row, generated_store, import_rows, two_exchanges
from distributed_runs import compared_rows, load_into, run_on, source_of
from hypothesis import event, given, settings
from hypothesis import strategies as st

import corpusdb.phrasebook
from corpusdb.base.errors import ClusterError, CorpusError, DatabaseIsExtract, InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import import_files
from corpusdb.chain.queries.overview import overview
from corpusdb.cluster import folder
from corpusdb.cluster.chain import STEPS
from corpusdb.cluster.exchanges import judged
from corpusdb.cluster.folder import claim_folder, run_folder
from corpusdb.cluster.queries import load, look_up, read_units
from corpusdb.cluster.session import Request
from corpusdb.cluster.workspace import Workspace
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.formats.registry import open_sources
from corpusdb.corpus.queries.sentences import places_of, sentence_id
from corpusdb.corpus.store import Store, open_for_reading, open_store
from corpusdb.paraphrase.lexical_model import LexicalModel
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.paraphrases import explain, paraphrases
from corpusdb.paraphrase.witnesses import TranslatedSentences, TranslationPairs, TranslationsInto
from corpusdb.people.queries.decisions import accept
from corpusdb.scoring.queries.reference_sets import Recipe, attributed_sets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# The chain on Spark gives the rows of the database's own chain, however the rows are divided.
#
# CORPUSDB_SPARK_EXAMPLES is how many corpora are drawn: a run of each takes many seconds.


Bitext: TypeAlias = tuple[Sequence[str], list[Row]]
"""Languages, and texts in them."""

EXAMPLES = int(os.environ.get("CORPUSDB_SPARK_EXAMPLES", "4"))
PARTITIONS = (1, 3, 7)
WORDS = ("a", "b", "no", "don't", "東", "京", "か\u3099", "𠮷", "🙂", "e\u0301")
"""Of several scripts, some outside of the first plane and some that normalisation changes."""
FRAMES = ("{} {}.", "{} {} {}", "a {}", "{}{}{}", "{} {} 。", "no {}, a {}  ", "{}")
TRANSLATIONS = ("t0", "t1", "t2", "テスト。", "か\u3099 𠮷", "\U0001d531")


def drawn_rows(chance: random.Random, count: int) -> list[Row]:
    """Rows over so few words and translations that contexts, fillers and paraphrases meet all the time."""

    def sentence() -> str:
        text = " ".join(chance.choice(WORDS[: chance.randint(2, len(WORDS))]) for _ in range(chance.randint(1, 4)))
        return text + chance.choice(["", ".", " 。", "  "])

    return [(sentence(), f"t{chance.randrange(8)}") for _ in range(count)]


@st.composite
def bitexts(draw: st.DrawFn) -> Bitext:
    """Of two or three languages; a few rows are there twice, and a few lack a side."""
    words = st.sampled_from(WORDS)
    sentences = st.builds(str.format, st.sampled_from(FRAMES), words, words, words)
    languages = draw(st.sampled_from((("eng", "fra"), ("eng", "jpn"), ("eng", "fra", "jpn"))))
    sides = [sentences, *([st.sampled_from(TRANSLATIONS)] * (len(languages) - 1))]
    rows: list[Row] = draw(st.lists(st.tuples(*sides), min_size=60, max_size=120, unique=True))
    for row in draw(st.lists(st.sampled_from(rows), max_size=4)):
        rows.insert(draw(st.integers(0, len(rows))), row)
    for row in draw(st.lists(st.sampled_from(rows), max_size=3)):
        side = draw(st.integers(0, len(row) - 1))
        empty = draw(st.sampled_from(("", " ")))
        rows.insert(draw(st.integers(0, len(rows))), (*row[:side], empty, *row[side + 1 :]))
    return languages, rows


@settings(max_examples=EXAMPLES)
@given(bitext=bitexts(), partitions=st.sampled_from(PARTITIONS))
def test_rows_of_any_corpus(session: SparkSession, bitext: Bitext, partitions: int) -> None:
    with TemporaryDirectory() as folder:
        found = _compared(session, Path(folder), bitext, partitions)
    event(f"candidates: {bool(found['candidate'])}")


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_rows_do_not_depend_on_partitions(session: SparkSession, tmp_path: Path, partitions: int) -> None:
    _compare_much(session, tmp_path, drawn_rows(random.Random(partitions), 120), partitions)


def test_rows_of_exchanges_and_of_what_is_put_together(session: SparkSession, tmp_path: Path) -> None:
    found = _compared(session, tmp_path, (("eng", "fra"), two_exchanges()), 2)["rewording"]
    assert {row[-1] for row in found} == {1, 2}, "one exchange, and two of them"


def test_rows_through_one_language_that_does_not_mark_all(session: SparkSession, tmp_path: Path) -> None:
    """English does not mark who is addressed how: what the words of a pair change of that is told in either way."""
    chance = random.Random(5)
    whom, what = (
        ("Du bist", "Ihr seid", "Sie sind", "Er ist"),
        ("müde", "schläfrig", "hier", "da", "Lehrer", "Lehrerin"),
    )
    sentences = [f"{who} {which}{end}" for who in whom for which in what for end in ".!"]
    rows: list[Row] = [(sentence, f"t{chance.randrange(6)}") for sentence in sentences for _ in range(3)]
    found = _compared(session, tmp_path, (("deu", "eng"), list(dict.fromkeys(rows))), 2)
    assert found["candidate"]


def test_a_run_of_some_seeds_is_as_the_database_generates_from_them(session: SparkSession, tmp_path: Path) -> None:
    """With the index of all sentences, by which others are generated from later."""
    rows = drawn_rows(random.Random(1), 120)
    with generated_store(tmp_path, rows) as whole:
        other, *seeds = (text for (text,) in whole.connection.execute(f"{SEEDED} limit 3"))
    source = source_of(tmp_path / "rows.tsv", rows)
    request = Request("eng", tmp_path / "run", "rows", seeds=[*seeds, "No such sentence."], partitions=2)
    run_on(session, [source], request)
    loaded, _ = load_into(tmp_path / "loaded.db", tmp_path / "run")
    with loaded, open_store(tmp_path / "own.db", create=True) as own:
        import_rows(own, rows)
        finished(generate(own, "eng", seeds))
        assert compared_rows(loaded) == compared_rows(own) and compared_rows(own)["candidate"]
        assert check(loaded, full=True).problems == ()
        for store in (loaded, own):
            finished(generate(store, "eng", [other]))
        assert compared_rows(loaded) == compared_rows(own)
    with pytest.raises(InputError, match="has none of the 1 seeds"):
        finished(look_up(tmp_path / "run", [other]))
    extract, report = load_into(tmp_path / "extract.db", tmp_path / "run", [seeds[0], other])
    with extract:
        assert (report.seeds, report.missing_seeds) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_rows_of_other_corpora(session: SparkSession, tmp_path: Path, seed: int) -> None:
    _compare_much(session, tmp_path, drawn_rows(random.Random(100 + seed), 200), PARTITIONS[seed % 3])


def _compare_much(session: SparkSession, folder: Path, rows: list[Row], partitions: int) -> None:
    """The same of a corpus that gives rows of all kinds."""
    found = _compared(session, folder, (("eng", "fra"), rows), partitions)
    assert found["candidate"] and found["commutation"]
    assert any(unicodedata.category(char) == "Lo" for row in found["candidate"] for char in str(row))


def _compared(session: SparkSession, folder: Path, bitext: Bitext, partitions: int) -> Dump:
    """The rows of the database's chain, which those of Spark are found to be."""
    languages, rows = bitext
    request = Request(languages[0], folder / "run", "rows", partitions=partitions)
    report = run_on(session, [source_of(folder / "rows.tsv", rows, languages)], request)
    loaded, _ = load_into(folder / "loaded.db", folder / "run")
    with loaded, generated_store(folder, rows, languages) as generated:
        expected = compared_rows(generated)
        assert compared_rows(loaded) == expected
        assert report.candidates == len(expected["candidate"])
    return expected


# A folder on a file system that Spark alone knows: here viewfs, which maps addresses onto a folder of this machine.


def test_a_run_on_another_file_system_gives_the_same_rows(session: SparkSession, mounted: Path, tmp_path: Path) -> None:
    rows = drawn_rows(random.Random(3), 120)
    source = source_of(tmp_path / "rows.tsv", rows)
    request = Request("eng", "viewfs://corpus/runs/same", "rows", partitions=3)
    report = run_on(session, [source], request)
    steps = sorted(path.stem for path in (mounted / "same").glob("*.json"))
    assert steps == sorted(["corpusdb-distributed", "plan", "unit", *STEPS])
    made = {path: path.stat().st_mtime_ns for path in (mounted / "same").rglob("*") if path.is_file()}
    (mounted / "same" / "lone.json").unlink()  # as where a driver was killed in that step
    again = run_on(session, [source], request)
    assert replace(again, seconds=0, steps={}) == replace(report, seconds=0, steps={})
    kept = [path for path in made if path.exists() and path.stat().st_mtime_ns == made[path]]
    assert {path.relative_to(mounted / "same").parts[0] for path in kept} >= {*list(STEPS)[:18], "unit"}
    with generated_store(tmp_path, rows) as generated:
        (seed,) = generated.connection.execute(SEEDED).fetchone()
        loaded, _ = load_into(tmp_path / "loaded.db", str(request.folder), session=session)
        extract, _ = load_into(tmp_path / "extract.db", str(request.folder), [seed], session)
        with loaded, extract:
            assert compared_rows(loaded) == compared_rows(generated)
            assert compared_rows(extract)["candidate"]


def test_what_a_killed_driver_had_sent_of_a_step_is_no_part_of_it(session: SparkSession, mounted: Path) -> None:
    folder = run_folder("viewfs://corpus/runs/half", session)
    (mounted / "half" / "unit.unfinished").mkdir(parents=True)
    (mounted / "half" / "unit.unfinished" / "part-1.parquet").write_text("of that driver", encoding="utf-8")
    with folder.filled("unit") as place:
        (place / "part-0.parquet").write_text("all of it", encoding="utf-8")
    found = {path.relative_to(mounted / "half") for path in (mounted / "half").rglob("*.parquet")}
    assert found == {Path("unit/part-0.parquet")}


def test_one_driver_at_a_time_is_at_work_at_an_address(
    session: SparkSession, mounted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of this machine it is known whether it is alive; of another one that is, if its file changes."""
    monkeypatch.setattr(folder, "_SECONDS_BETWEEN_SIGNS", 0.2)
    place, sign = run_folder("viewfs://corpus/runs/held", session), mounted / "held" / "at-work"
    claim_folder(place)
    refused = pytest.raises(InputError, match=r"another run is at work in it: `distributed run` of process \d+ on ")
    with place.held():
        mine = json.loads(sign.read_text(encoding="utf-8"))
        with refused, run_folder("viewfs://corpus/runs/held", session).held():
            pass
    assert not sign.exists()
    left = {"dead here": mine | {"token": "other"}, "gone elsewhere": mine | {"host": "elsewhere"}}
    for why, of_other in left.items():
        sign.write_text(json.dumps(of_other), encoding="utf-8")
        with place.held():
            assert json.loads(sign.read_text(encoding="utf-8"))["host"] == mine["host"], why
    with place.held():  # but was so long without a sign that another took it for dead
        sign.with_name(".at-work.crc").unlink()
        sign.write_text(json.dumps(mine | {"token": "of another"}), encoding="utf-8")
        time.sleep(1)
        with pytest.raises(InputError, match="which took this one for dead"):
            place.write_text("unit.json", "{}")


def test_a_step_that_the_file_system_does_not_rename_is_not_complete(
    session: SparkSession, mounted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so by its answer alone, as where a quota is full."""
    folder = run_folder("viewfs://corpus/runs/fixed", session)
    system = folder._system  # type: ignore[attr-defined]

    class Fixed:
        def __getattr__(self, name: str) -> object:
            return (lambda *_: False) if name == "rename" else getattr(system, name)

    monkeypatch.setattr(folder, "_system", Fixed())
    told = pytest.raises(ClusterError, match=r"does not rename viewfs://corpus/runs/fixed/unit\.unfinished to ")
    with told, folder.filled("unit") as place:
        (place / "part-0.parquet").write_text("all of it", encoding="utf-8")
    assert not (mounted / "fixed" / "unit").exists()


def test_folders_of_another_file_system_that_are_none_of_a_run(
    session: SparkSession, mounted: Path, tmp_path: Path
) -> None:
    (mounted / "other").mkdir()
    (mounted / "other" / "letter.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"^viewfs://corpus/runs/other: holds other files"):
        finished(read_units([], Request("eng", "viewfs://corpus/runs/other", "rows"), session))
    with pytest.raises(InputError, match=r"^viewfs://corpus/runs/none: is not the folder of a distributed run"):
        finished(look_up("viewfs://corpus/runs/none", session=session))
    with pytest.raises(UsageError, match="needs Spark"):
        finished(look_up("viewfs://corpus/runs/none"))


# What is loaded of a run: an extract answers as the whole does, and refuses what needs the whole.


FILES = [Path(corpusdb.phrasebook.__file__).parent / f"{name}.tsv" for name in ("directions", "airport")]
OPTIONS = Options(languages=("eng", "jpn", "fra"))


@pytest.fixture(scope="module")
def run(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run on a part of the phrasebook, in three languages."""
    folder = tmp_path_factory.mktemp("phrasebook") / "run"
    run_on(session, open_sources(None, FILES, OPTIONS), Request("eng", folder, "phrasebook", partitions=2))
    return folder


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The same by the database's own chain."""
    with open_store(tmp_path_factory.mktemp("generated") / "corpus.db", create=True) as store:
        finished(import_files(store, open_sources(None, FILES, OPTIONS), "phrasebook", follow=False))
        finished(generate(store, "eng"))
        yield store


SEEDED = "select distinct seed.text from seed join candidate on candidate.seed = seed.id order by 1"


@pytest.fixture(scope="module")
def seeds(generated: Store) -> list[str]:
    """Some sentences with candidates, and one without."""
    texts = [row[0] for row in generated.connection.execute(SEEDED)]
    without = generated.connection.execute(
        "select text from sentence where language = 'eng' and id not in (select sentence from seed) order by id limit 1"
    ).fetchone()
    return [*random.Random(7).sample(texts, 12), *without]


@pytest.fixture(scope="module")
def extract(run: Path, seeds: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """What these need."""
    store, report = load_into(tmp_path_factory.mktemp("extract") / "extract.db", run, [*seeds, "No such sentence."])
    assert (report.seeds, report.missing_seeds, report.extract) == (len(seeds), 1, True)
    with store:
        yield store


def test_the_whole_has_the_rows_of_the_database(run: Path, generated: Store, tmp_path: Path) -> None:
    store, report = load_into(tmp_path / "whole.db", run)
    with store:
        assert compared_rows(store) == compared_rows(generated)
        assert len(compared_rows(store)["word_model"]) == 1
        assert not report.extract
        # What `info` tells of the paraphrases is counted when they are loaded.
        (told,), (expected,) = (overview(each).variation for each in (store, generated))
        assert told == replace(expected, run=told.run)
        assert finished(generate(store, "eng")) is not None  # nothing is to be made
        assert compared_rows(store) == compared_rows(generated)


def test_the_driver_holds_one_model_at_a_time(
    session: SparkSession, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of translations that of a language; and what was let go is given back, which Arrow's own allocator would keep."""
    made: list[weakref.ref[LexicalModel]] = []
    learn = TranslatedSentences.learn

    def learned(sentences: TranslatedSentences, language: str, links: TranslationPairs) -> TranslationsInto:
        assert [each for each in made if each() is not None] == []
        found = learn(sentences, language, links)
        made.append(weakref.ref(found.model))
        return found

    monkeypatch.setattr(TranslatedSentences, "learn", learned)
    judged(Workspace(session, run_folder(run), "eng", 2))
    assert len(made) == 2
    assert pa.default_memory_pool().backend_name == "system"


def test_an_extract_answers_as_the_whole(extract: Store, generated: Store, seeds: list[str]) -> None:
    explained = 0
    for seed in seeds:
        found = paraphrases(extract, seed, "eng", limit=0, kept=NO_FILTER)
        assert found == paraphrases(generated, seed, "eng", limit=0, kept=NO_FILTER)
        for each in found[:20]:
            told = explain(extract, seed, each.text, "eng", limit=0)
            expected = explain(generated, seed, each.text, "eng", limit=0)
            assert set(told.analogies) == set(expected.analogies)
            assert (told.total, told.validity) == (expected.total, expected.validity)
            assert told.exchanges == expected.exchanges
            assert set(told.direct) == set(expected.direct) and set(told.reasons) <= set(expected.reasons)
            # The sentence between two steps is no seed, so that an extract lacks what paraphrases it.
            missing = set(expected.reasons) - set(told.reasons)
            assert all(each.startswith("made in two steps") for each in missing)
            assert {pair: set(shared) for pair, shared in told.shared.items()} == {
                pair: set(shared) for pair, shared in expected.shared.items()
            }
            explained += len(told.analogies)
    assert explained > 100


def test_an_extract_knows_the_places_of_its_sentences(extract: Store, generated: Store, seeds: list[str]) -> None:
    for seed in seeds:
        places = []
        for store in (extract, generated):
            number = sentence_id(store, "eng", seed)
            assert number is not None
            places.append(list(map(str, places_of(store, [number])[number])))
        assert places[0] == places[1] != []


def test_an_extract_gives_the_same_references(extract: Store, generated: Store, seeds: list[str]) -> None:
    sets = [finished(attributed_sets(store, seeds, Recipe(language="eng"))) for store in (extract, generated)]
    assert sets[0] == sets[1]
    assert sum(len(each.references) for each in sets[0]) > len(seeds)


def test_an_extract_is_sound_and_far_smaller(extract: Store, generated: Store) -> None:
    for full in (False, True):
        report = check(extract, full=full)
        assert report.problems == ()
        assert any("extract" in told for told in report.left_out)
    slots = "select count(*) from slot"
    assert extract.connection.execute(slots).fetchone()[0] < generated.connection.execute(slots).fetchone()[0] / 2


def test_an_extract_refuses_what_needs_the_whole(extract: Store, seeds: list[str], tmp_path: Path) -> None:
    other = "select text from sentence where language = 'eng' and text not in (select text from seed) limit 1"
    (unknown,) = extract.connection.execute(other).fetchone()
    (tmp_path / "more.tsv").write_text("Yes.\tOui.\n", encoding="utf-8")
    source = open_source("tsv", [tmp_path / "more.tsv"], Options(languages=("eng", "fra")))
    candidate = paraphrases(extract, seeds[0], "eng", limit=1, kept=NO_FILTER)[0].text
    for refused in (
        lambda: finished(generate(extract, "eng")),
        lambda: finished(detect(extract, "eng")),
        lambda: finished(import_files(extract, [source], "more")),
        lambda: finished(accept(extract, seeds[0], candidate, "eng")),
        lambda: paraphrases(extract, unknown, "eng"),
        lambda: paraphrases(extract, "Of which nobody has heard.", "eng"),
    ):
        with pytest.raises(DatabaseIsExtract, match="13 seeds in eng"):
            refused()


def test_a_load_that_was_stopped_goes_on(run: Path, seeds: list[str], extract: Store, tmp_path: Path) -> None:
    wanted = finished(look_up(run, [*seeds, "No such sentence."]))
    with open_store(tmp_path / "corpus.db", create=True) as store:
        job = load(store, wanted)
        assert any(step.stage == "storing slots" for step in job)
        job.close()
        with pytest.raises(DatabaseIsExtract, match="a load was not ended"):
            finished(generate(store, "eng"))
        with pytest.raises(InputError, match="holds another load"):
            finished(load(store, finished(look_up(run))))
    with open_store(tmp_path / "corpus.db") as store:
        finished(load(store, wanted))
        assert compared_rows(store) == compared_rows(extract)
        assert check(store, full=True).problems == ()
        assert store.connection.execute("select count(*) from run where finished is null").fetchone() == (0,)
        with pytest.raises(InputError, match="holds this load already"):
            finished(load(store, wanted))


def test_a_run_is_not_loaded_into_a_corpus(run: Path, generated: Store) -> None:
    wanted = finished(look_up(run))
    with open_for_reading(generated.path) as _, pytest.raises(InputError, match="holds a corpus"):
        finished(load(generated, wanted))


def test_folders_that_cannot_be_loaded(run: Path, tmp_path: Path) -> None:
    def refused(folder: Path, seeds: list[str] | None = None) -> str:
        with pytest.raises(CorpusError) as caught:
            finished(look_up(folder, seeds))
        assert caught.value.exit_code == 3
        return str(caught.value)

    (tmp_path / "other").mkdir()
    assert "is not the folder of a distributed run" in refused(tmp_path / "other")
    assert "is not the folder of a distributed run" in refused(tmp_path / "missing")
    assert "has none of the 1 seeds" in refused(run, ["No such sentence."])
    half = tmp_path / "half"
    shutil.copytree(run, half)
    (half / "slot.json").unlink()
    assert "is not complete: step slot is missing" in refused(half)
    (half / "slot.json").write_text("{", encoding="utf-8")
    assert "is damaged" in refused(half)
    (half / "corpusdb-distributed.json").write_text('{"corpusdb": "0.0.1", "layout": 1}', encoding="utf-8")
    assert "was made by corpusdb 0.0.1" in refused(half)

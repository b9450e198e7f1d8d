"""The overview of a database, and what a job gave, as values and as lines."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from corpora import import_units, new_store, tatoeba, write_rows

from corpusdb.base.cells import table_lines
from corpusdb.base.errors import DatabaseDamaged, DatabaseLocked
from corpusdb.base.jobs import finished
from corpusdb.chain.queries import foreseen, generation
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.foreseen import (
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
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import check_source, import_files, import_source
from corpusdb.chain.queries.overview import (
    AlignmentOverview,
    LanguageOverview,
    LayerOverview,
    LayerState,
    VariationOverview,
    overview,
)
from corpusdb.chain.report import counts_in_words, gist, job_details, next_steps, overview_lines, report_lines
from corpusdb.corpus.formats import Options, Record, Source, open_source
from corpusdb.corpus.formats.records import Document
from corpusdb.corpus.model import ImportReport
from corpusdb.corpus.store import Store, finish_run, open_store, start_run
from corpusdb.corpus.store.opening import latest_version
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.people.queries.decisions import accept

FIRST = """\
A beer, please.\tUne bière.
Can I have a beer?\tUne bière.
I'd like a beer, please.\tJe veux une bière.
A tea, please.\tUn thé.
I'd like a tea, please.\tJe veux un thé.
Can I have a tea?\tUn thé.
"""
MORE = """\
English\tFrench
Thanks.\tMerci.
Thank you.\tMerci.
A beer, please.\tUn thé.
\tRien.
"""


def add(store: Store, text: str, name: str, licence: str | None = None) -> None:
    file = store.path.with_name(f"{name}.tsv")
    file.write_text(text, encoding="utf-8")
    checked = finished(check_source(open_source("tsv", [file], Options(languages=("eng", "fra")))))
    finished(import_source(store, checked, name, licence))


def english(store: Store) -> LanguageOverview:
    return next(language for language in overview(store).languages if language.code == "eng")


def states(store: Store) -> dict[str, tuple[str, int]]:
    return {layer.name: (layer.state, layer.behind) for layer in english(store).layers}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "corpus.db", create=True) as opened:
        add(opened, FIRST, "phrases", "CC BY 2.0 FR")
        yield opened


def test_an_empty_database(tmp_path: Path) -> None:
    with open_store(tmp_path / "empty.db", create=True) as empty:
        found = overview(empty)
    assert (found.collections, found.languages, found.runs, found.sizes) == ((), (), (), None)
    assert set(asdict(found.counts).values()) == {0}
    assert (found.schema_version, found.journal_mode) == (latest_version(), "wal")


def test_collections_and_languages(store: Store) -> None:
    add(store, MORE, "more")
    found = overview(store)
    assert [tuple(asdict(each).values()) for each in found.collections] == [
        ("phrases", 1, 6, "CC BY 2.0 FR", 0),
        ("more", 1, 3, None, 0),
    ]
    texts = {
        "eng": ["A beer, please.", "Can I have a beer?", "I'd like a beer, please.", "A tea, please.",
                "I'd like a tea, please.", "Can I have a tea?", "Thanks.", "Thank you."],
        "fra": ["Une bière.", "Je veux une bière.", "Un thé.", "Je veux un thé.", "Merci."],
    }  # fmt: skip
    for language in found.languages:
        assert language.sentences == len(texts[language.code])
        assert language.characters == sum(map(len, texts[language.code]))
        assert (language.occurrences, language.translations, language.layers) == (9, 9, ())
    assert found.path == str(store.path)
    assert found.size >= store.path.stat().st_size > 0


def test_documents_inside_files_are_counted(store: Store) -> None:
    talks = [Document(name) for name in ("one", "one", "two")]
    units = [Record(n, (f"e{n}", f"f{n}"), ("eng", "fra"), "", talk) for n, talk in enumerate(talks, 1)]
    for name in ("first", "second"):
        import_units(store, units, (), "talks", name)
        units.pop(0)
    found = overview(store).collections
    assert [(each.name, each.documents, each.sections, each.lines) for each in found] == [
        ("phrases", 1, 0, 6),
        ("talks", 2, 4, 5),
    ]


@pytest.mark.slow
def test_counts_are_those_of_the_tables(store: Store) -> None:
    finished(generate(store, "eng"))
    counts = asdict(overview(store).counts)
    # Une bière and un thé are translations of two sentences each, and each of the four is generated from its partner.
    assert (counts["paraphrases"], counts["candidates"], counts["seeds"], counts["accepted"]) == (4, 4, 4, 0)
    for name in ("context", "filler", "slot", "commutation"):
        rows = store.connection.execute(f"select count(*) from {name}").fetchone()[0]
        assert counts[f"{name}s"] == rows > 0


@pytest.mark.slow
def test_accepted_candidates_are_counted(store: Store) -> None:
    finished(generate(store, "eng"))
    finished(accept(store, "A tea, please.", "Tea, please.", "eng"))
    finished(accept(store, "A tea, please.", "Some tea.", "eng"))
    found = overview(store)
    assert found.counts.accepted == 2
    assert [(each.name, each.documents, each.lines) for each in found.collections] == [
        ("phrases", 1, 6),
        ("accepted", 1, 2),
    ]
    assert {state for state, _ in states(store).values()} == {"up to date"}
    assert check(store).problems == ()


@pytest.mark.slow
def test_layers_follow_the_corpus(store: Store) -> None:
    assert states(store) == {}
    finished(detect(store, "eng"))
    assert states(store) == {"paraphrase": ("up to date", 0)}
    finished(generate(store, "eng"))
    current = dict.fromkeys(
        ("paraphrase", "ngram", "commutation", "candidate", "validity", "rewording"), ("up to date", 0)
    )
    assert states(store) == current
    add(store, MORE, "more")
    behind = ("behind", 2)
    # Two sentences are new, and a third has a new translation.
    assert states(store) == current | dict.fromkeys(("ngram", "commutation", "candidate"), behind) | {
        "paraphrase": ("behind", 3),
        "validity": ("behind", 3),
        "rewording": ("behind", 3),
    }
    finished(detect(store, "eng"))
    # That gives it, and what it now is a paraphrase of, new paraphrases: three sentences besides the two new ones.
    assert states(store)["paraphrase"] == ("up to date", 0)
    assert states(store)["commutation"][0] == "behind"
    assert states(store)["commutation"][1] > 2
    finished(generate(store, "eng"))
    assert states(store) == current


def test_a_sentence_without_translations_is_not_behind_for_ever(store: Store) -> None:
    """Found by reading: nothing is detected for it, and the paraphrases were said to be behind."""
    finished(generate(store, "eng"))
    with store.write() as connection:
        connection.execute("insert into sentence (language, text) values ('eng', 'Alone.')")
    assert {state for state, _ in states(store).values()} == {"behind"}
    finished(generate(store, "eng"))
    assert {state for state, _ in states(store).values()} == {"up to date"}


@pytest.mark.slow
def test_a_layer_in_the_making_is_incomplete(store: Store) -> None:
    finished(generate(store, "eng"))
    store.connection.execute("update layer set complete = 0, last_sentence = 0 where name = 'candidate'")
    assert states(store)["candidate"] == ("incomplete", 6)
    assert states(store)["commutation"] == ("up to date", 0)


def test_seeds_asked_for_one_by_one_are_up_to_date_with_the_index(store: Store) -> None:
    finished(generate(store, "eng", ["A tea, please."]))
    assert states(store)["candidate"] == ("up to date", 0)


def test_the_last_ten_runs(store: Store) -> None:
    with store.write():
        for number in range(12):
            run = start_run(store, "detect", {"number": number})
            if number % 2:
                finish_run(store, run, {"pairs": number})
    runs = overview(store).runs
    assert [run.counts.get("pairs") for run in runs] == [11, None, 9, None, 7, None, 5, None, 3, None]
    assert all((run.finished is None) == (run.counts == {}) for run in runs)


def test_sizes_add_up_to_the_file(store: Store) -> None:
    sizes = overview(store, sizes=True).sizes
    assert sizes is not None
    pages, page = (store.connection.execute(f"pragma {name}").fetchone()[0] for name in ("page_count", "page_size"))
    free = store.connection.execute("pragma freelist_count").fetchone()[0]
    assert sum(sizes.values()) == (pages - free) * page
    assert {"sentence", "occurrence_sentence"} <= set(sizes)
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)


@pytest.mark.slow
def test_it_can_be_written_as_json(store: Store) -> None:
    finished(generate(store, "eng"))
    assert json.loads(json.dumps(asdict(overview(store, sizes=True))))["languages"][0]["code"] == "eng"


def test_a_damaged_database_says_so(store: Store) -> None:
    root = store.connection.execute(
        "select rootpage from sqlite_master where name = 'sqlite_autoindex_sentence_1'"
    ).fetchone()[0]
    store.connection.execute("pragma wal_checkpoint(truncate)")
    store.close()
    content = bytearray(store.path.read_bytes())
    content[4096 * (root - 1)] ^= 0xFF
    store.path.write_bytes(content)
    with open_store(store.path, read_only=True) as opened, pytest.raises(DatabaseDamaged):
        overview(opened)


def test_a_locked_database_says_so(store: Store) -> None:
    store.connection.execute("pragma journal_mode = delete")
    with open_store(store.path, read_only=True) as reader:
        reader.connection.execute("pragma busy_timeout = 0")
        store.connection.execute("begin exclusive")
        with pytest.raises(DatabaseLocked):
            overview(reader)
        store.connection.execute("rollback")


# Tables of the overview as lines.


@pytest.mark.parametrize(
    ("paraphrases", "candidates", "states", "alignments", "commands"),
    [
        (0, 0, [], 0, ["detect", "align"]),
        (9, 0, ["up to date"], 1, ["generate"]),
        (9, 5, ["behind"], 1, ["detect"]),
        (9, 5, ["up to date", "behind"], 0, ["generate", "align"]),
        (9, 5, ["up to date", "up to date"], 1, []),
        (9, 5, ["behind", "behind", "behind", "behind"], 1, ["detect", "generate", "align", "profile"]),
    ],
)
def test_the_next_steps_are_what_is_wanting_or_behind(
    store: Store, paraphrases: int, candidates: int, states: list[LayerState], alignments: int, commands: list[str]
) -> None:
    found = overview(store)
    names = ("paraphrase", "candidate", "alignment", "profile")
    layers = tuple(LayerOverview(name, state, 1) for name, state in zip(names, states, strict=False))
    languages = tuple(replace(each, layers=layers) for each in found.languages)
    counts = replace(found.counts, paraphrases=paraphrases, candidates=candidates)
    aligned = (AlignmentOverview("eng", "fra", "here", 1, 0),) * alignments
    made = replace(found, languages=languages, counts=counts, alignments=aligned)
    assert [step.command for step in next_steps(made)] == commands
    assert [step.renews for step in next_steps(made)] == [" again: " in step.told for step in next_steps(made)]
    assert [step.command for step in next_steps(replace(made, languages=()))] == ["import"]


def test_columns_are_aligned_by_cells() -> None:
    rows = [("日本", 1, "x"), ("a", 1_000, "yy")]
    assert table_lines(("name", "n", "what"), rows) == [
        "  name      n  what",
        "  日本      1  x",
        "  a     1,000  yy",
    ]
    assert table_lines(("name",), []) == []


# What a job gave, as lines.


REPORT = ImportReport(3, 2, 1, 0, 1, 1.25, first_rejected=(("a.tsv", 4, "empty"),), first_duplicates=(("a.tsv", 2),))


def test_a_report_is_told_field_by_field() -> None:
    told = report_lines(REPORT)
    assert told[:3] == ["read: 3", "sentences: 2", "translations: 1"]
    assert "seconds: 1.2" in told
    assert told[-4:] == ["first rejected:", "   a.tsv:4: empty", "first duplicates:", "   a.tsv:2"]
    assert gist(REPORT) == "read 3, sentences 2, translations 1, duplicates 0, rejected 1"


@pytest.mark.parametrize(("report", "told"), [(None, []), ("some text", ["some text"]), (7, ["7"])])
def test_what_is_no_report(report: object, told: list[str]) -> None:
    assert report_lines(report) == told
    assert gist(report) == ""


def test_counts_in_one_line() -> None:
    counts: dict[str, object] = json.loads('{"kept_seeds": 1234, "seconds": 1.25, "all": true}')
    assert counts_in_words(counts) == "kept seeds 1,234, seconds 1.2, all yes"


@pytest.mark.parametrize(("phase", "advice"), [("done", False), ("failed", True), ("cancelled", True)])
def test_a_job_that_did_not_end_can_be_run_again(phase: str, advice: bool) -> None:
    told = job_details("import a.tsv", phase, "", REPORT)
    assert told[:2] == ["import a.tsv", f"state: {phase}"]
    assert told[2] == "read: 3", "there is nothing to tell of its state"
    assert told[-1].startswith("the key . in the list of jobs begins it again") == advice


@pytest.mark.slow
def test_how_many_paraphrases_are_real_is_told_from_the_last_generation(empty: Store) -> None:
    """As it was counted then: the pairs are not looked at again."""
    add(empty, FIRST, "first")
    assert overview(empty).variation == ()
    report = finished(generate(empty, "eng", None, NO_FILTER))
    assert report.run is not None
    told = VariationOverview(
        "eng", report.run, report.kept + report.exchanged, report.real, report.real_seeds, report.deep
    )
    assert overview(empty).variation == (told,)
    assert told.real > 0
    lines = [line.split() for line in overview_lines(overview(empty))]
    assert ["eng", str(told.pairs), str(told.real), str(told.real_seeds), str(told.deep)] in lines
    with empty.write() as connection:
        connection.execute("update candidate set text = text || ' again'")
    finished(generate(empty, "eng", ["A soup, please."]))  # of some seeds is not of all
    assert overview(empty).variation == (told,)


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
        ("fra", 20_000, 1, True),
        ("deu", 15_000, 11, False),
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


def test_the_pace_of_earlier_work_in_the_file_is_counted_on(some: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of generation where there was any, and else of imports; not of another version, nor of a night between."""
    monkeypatch.setattr(foreseen, "_MEASURED_SECONDS", 1e6)  # so that these few sentences take seconds
    timed = "update run set started = ?, finished = datetime(unixepoch(?) + ?, 'unixepoch') where operation = ?"

    def seconds_after(operation: str, taken: float) -> Range:
        begun = "2026-11-29T12:00:00+00:00"
        with some.write() as connection:
            connection.execute(timed, (begun, begun, round(taken), operation))
        left = foreseen_generation(some, "eng", seeded=False)
        assert left is not None
        return left.expected.seconds

    usual = generation_work(*COUNTED).seconds
    with some.write() as connection:
        connection.execute("update run set counts = json_set(counts, '$.read', 100000)")
    assert [seconds_after("import", taken) for taken in (2, 8, 8 * 3600)] == [usual, usual.times(2.4, 1.6), usual]
    with some.write() as connection:
        connection.execute("update run set version = '0.1'")
    assert seconds_after("import", 8) == usual
    finished(generate(some, "eng"))
    with some.write() as connection:
        connection.execute("update layer set complete = 0 where name = 'commutation'")
    pace = 4 / (2 * usual.low)
    assert seconds_after("generate", 4) == usual.times(1.2 * pace, 0.8 * pace)


@pytest.mark.slow
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


@pytest.mark.parametrize("sentences", [10**3, 10**5])
def test_the_parts_of_a_generation_take_no_more_than_all_of_it_and_together_as_much(sentences: int) -> None:
    """Whoever has the index made and then the candidates waits as long, for a file as large."""
    counted = sentences, 30 * sentences
    whole = generation_work(*counted)
    index, candidates = index_work(*counted), candidates_work(*counted, 1.0)
    for of_whole, *of_parts in (
        (whole.seconds, index.seconds, candidates.seconds),
        (whole.growth, index.growth, candidates.growth),
    ):
        assert max(each.high for each in of_parts) <= of_whole.high <= sum(each.high for each in of_parts)
        assert sum(each.low for each in of_parts) <= of_whole.low
    # Most of the file is the index, whose rows are many and small.
    assert index.growth.low > whole.growth.low / 2


EXPECTED = Expected(
    seconds=Range(40, 160), memory=Range(0.63e9, 1.2e9), growth=Range(131e6, 438e6), beside=Range(22e6, 110e6)
)
FORESEEN = Foreseen(EXPECTED, 110_690_304, 10**12)


def test_ranges_in_a_line() -> None:
    told = "about 1 to 3 minutes, 0.6 to 1.2 GB of memory, the file grows to 240 to 550 MB"
    assert format_foreseen(FORESEEN) == told
    assert room_warning(FORESEEN) is None
    assert (format_foreseen(replace(FORESEEN, size=0)) or "").endswith(", a file of 130 to 440 MB")


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

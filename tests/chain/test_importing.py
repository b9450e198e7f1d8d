"""Import: what is stored and counted, of one file and of several, and what looks like another language."""

from __future__ import annotations

import csv
import gzip
import random
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from calls import MakeOnce, Run
from corpora import DATA, Row, all_rows, data_folder, import_file, import_rows, new_store, write_rows
from hypothesis import given
from hypothesis import strategies as st
from interrupted import run, run_with_kills

import corpusdb
from corpusdb.base.errors import InputError, StoreError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries import importing as file_import
from corpusdb.chain.queries.importing import (
    TextSample,
    check_source,
    check_sources,
    collection_name,
    column_doubts,
    import_files,
    import_source,
    language_order,
    reading_digest,
)
from corpusdb.chain.queries.overview import overview, recent_runs
from corpusdb.corpus.formats import Options, Source, open_source, open_sources
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries.detection import detect

# Import: what is stored and counted, and that neither interruptions, bad files nor a full disk leave a trace.


PAIRS = [("A beer, please.", "Une bière."), ("Thanks.", "Merci."), ("Thank you.", "Merci.")]


def count(store: Store, table: str) -> int:
    return int(store.connection.execute(f"select count(*) from {table}").fetchone()[0])


def generated_rows(size: int) -> list[Row]:
    """Pairs of which many sentences, and some pairs, come again."""
    chance = random.Random(size)
    return [(f"Give me {chance.randrange(size // 2)}.", f"Donnez {chance.randrange(size // 3)}.") for _ in range(size)]


def test_what_an_import_stores(empty: Store) -> None:
    report = import_rows(empty, PAIRS)
    assert (report.read, report.sentences, report.translations, report.duplicates, report.rejected) == (3, 5, 3, 0, 0)
    both = empty.connection.execute(
        "select a.language, a.text, b.text from translation join sentence a on a.id = translation.sentence"
        " join sentence b on b.id = translation.translation"
    ).fetchall()
    assert set(both) == {("eng", a, b) for a, b in PAIRS} | {("fra", b, a) for a, b in PAIRS}
    assert len(both) == 6
    places = empty.connection.execute("select line, text, original from occurrence join sentence on id = sentence")
    assert sorted(places) == sorted((line, text, None) for line, pair in enumerate(PAIRS, 1) for text in pair)
    ((name, complete, lines, languages),) = empty.connection.execute(
        "select name, complete, lines_done, languages from document"
    )
    assert (name, complete, lines, languages) == ("corpus-0.tsv", 1, 3, "eng,fra")


def test_the_same_file_again_adds_nothing_and_says_so(empty: Store, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "pairs.tsv", PAIRS)
    import_file(empty, path, ("eng", "fra"))
    before = all_rows(empty)
    copy = Path(shutil.copy(path, tmp_path / "other name.tsv"))
    report = import_file(empty, copy, ("eng", "fra"))
    assert report.unchanged == ("other name.tsv",)
    assert (report.read, report.sentences, report.translations, report.duplicates) == (0, 0, 0, 0)
    assert all_rows(empty) == before


def test_the_same_file_read_in_another_way_is_read(empty: Store, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "pairs.tsv", PAIRS)
    import_file(empty, path, ("eng", "fra"))
    report = import_file(empty, path, ("eng", "deu"))
    assert (report.unchanged, report.translations) == ((), 3)


def test_a_second_collection_has_its_own_translations(empty: Store, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "pairs.tsv", PAIRS)
    import_file(empty, path, ("eng", "fra"), "one")
    report = import_file(empty, path, ("eng", "fra"), "two")
    assert (report.read, report.sentences, report.translations, report.duplicates) == (3, 0, 3, 0)
    assert (count(empty, "sentence"), count(empty, "translation"), count(empty, "document")) == (5, 12, 2)


def test_duplicates_and_rejected_lines_are_counted(empty: Store) -> None:
    rows = [*PAIRS, PAIRS[0], ("", "Vide."), ("No.", "  "), PAIRS[0], ("",)]
    report = import_rows(empty, rows)
    assert (report.read, report.translations, report.duplicates, report.rejected) == (5, 3, 2, 3)
    assert [line for _, line, _ in report.first_rejected] == [5, 6, 8]
    assert [line for _, line in report.first_duplicates] == [4, 7]
    assert all(path.endswith("corpus-0.tsv") and reason for path, _, reason in report.first_rejected)
    again = import_rows(empty, PAIRS)
    assert (again.sentences, again.translations, again.duplicates) == (0, 0, 3)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("Une bie\u0300re", "Une bi\u00e8re"),
        (" Une bière ", "Une bière"),
        ("カ\u3099ラス", "ガラス"),
        ("\u1100\u1161", "가"),
        ("Une bière", "Une bière"),
    ],
)
def test_the_original_is_kept_where_it_was_changed(empty: Store, written: str, stored: str) -> None:
    import_rows(empty, [("A beer", written)])
    ((text, original),) = empty.connection.execute(
        "select text, original from occurrence join sentence on id = sentence where language = 'fra'"
    )
    assert text == stored == unicodedata.normalize("NFC", text)
    assert original == (None if written == stored else written)


def test_three_languages_are_three_pairs(empty: Store) -> None:
    rows = [("Thanks.", "Merci.", "どうも。"), ("No.", "", "いいえ。")]
    report = import_rows(empty, rows, ("eng", "fra", "jpn"))
    assert (report.read, report.sentences, report.translations) == (2, 5, 4)
    pairs = empty.connection.execute(
        "select a.text, b.text from translation join sentence a on a.id = translation.sentence"
        " join sentence b on b.id = translation.translation and a.id < b.id"
    )
    expected = [("Merci.", "どうも。"), ("No.", "いいえ。"), ("Thanks.", "Merci."), ("Thanks.", "どうも。")]
    assert sorted(pairs) == expected


@pytest.fixture
def small_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_import, "_BATCH", 100)
    monkeypatch.setattr(file_import, "_SECONDS_PER_TRANSACTION", 0.0)


@pytest.mark.slow
@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize(
    "stops",
    [(2,), (3, 1, 4), (1,), (5,), (1, 1, 1)],
)
def test_stopped_imports_go_on(tmp_path: Path, stops: tuple[int, ...]) -> None:
    """``stops`` tells after how many steps each try is stopped; the last is not."""
    path = write_rows(tmp_path / "pairs.tsv", [*generated_rows(1000), ("", "Vide."), *generated_rows(250)])
    checked = finished(check_source(open_source("tsv", [path], Options(languages=("eng", "fra"), header="no"))))
    with new_store(tmp_path, "whole") as whole, new_store(tmp_path, "parts") as parts:
        expected = finished(import_source(whole, checked, "rows"))
        for steps in stops:
            job = import_source(parts, checked, "rows")
            for _ in range(steps):
                next(job)
            job.close()
        report = finished(import_source(parts, checked, "rows"))
        assert all_rows(parts) == all_rows(whole)
        assert (report.read, report.sentences, report.translations, report.duplicates, report.rejected) == (
            expected.read,
            expected.sentences,
            expected.translations,
            expected.duplicates,
            expected.rejected,
        )


@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize(
    "stops", [(4, 2), *(pytest.param(stops, marks=pytest.mark.slow) for stops in ((1, 1), (2, 1)))]
)
def test_detection_between_the_parts_of_an_import_misses_nothing(tmp_path: Path, stops: tuple[int, ...]) -> None:
    """Found by test: detection took all rows of the interrupted run for seen, also those that were still to come."""
    path = write_rows(tmp_path / "pairs.tsv", generated_rows(1000))
    checked = finished(check_source(open_source("tsv", [path], Options(languages=("eng", "fra"), header="no"))))
    with new_store(tmp_path, "whole") as whole, new_store(tmp_path, "parts") as parts:
        finished(import_source(whole, checked, "rows"))
        finished(detect(whole, "eng"))
        for steps in stops:
            job = import_source(parts, checked, "rows")
            for _ in range(steps):
                next(job)
            job.close()
            with suppress(InputError):  # of a corpus that has no sentence yet
                finished(detect(parts, "eng"))
        finished(import_source(parts, checked, "rows"))
        finished(detect(parts, "eng"))
        rows = "select sentence, paraphrase, translations, languages, probability from paraphrase"
        assert parts.connection.execute(rows).fetchall() == whole.connection.execute(rows).fetchall()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A database with 8,000 lines, and how many thousand steps their import took."""
    database = tmp_path_factory.mktemp("import") / "rows.db"
    write_rows(database.with_suffix(".tsv"), generated_rows(8_000))
    steps = run("import", database)
    assert steps is not None
    return database, steps


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_killed_imports_go_on(undisturbed: tuple[Path, int], tmp_path: Path, number: int) -> None:
    whole, steps = undisturbed
    database = tmp_path / "rows.db"
    shutil.copy(whole.with_suffix(".tsv"), database.with_suffix(".tsv"))
    assert run_with_kills("import", database, 6, steps, random.Random(number)) >= 5
    with open_store(whole) as expected, open_store(database) as found:
        assert count(found, "document where complete") == 1
        assert all_rows(found) == all_rows(expected)
        assert found.connection.execute("pragma integrity_check").fetchone() == ("ok",)


def bad_files() -> list[str]:
    """The TSV and plain files of the collection of damaged files, or a name that is skipped where that is absent."""
    manifest = DATA / "formats" / "manifest.tsv"
    if not manifest.exists():
        return ["absent"]
    with manifest.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row[0] for row in rows if row[1] in ("tsv", "plain") and row[2] != "valid"]


REFUSED = (
    "ragged.tsv truncated.tsv utf16-bom.tsv latin1.tsv nul-bytes.tsv missing-column.tsv single-line-5mb.tsv "
    "ref-one-short.en.txt hyp-one-long.en.txt ref-utf16.en.txt"
).split()
"""The others are unusual and can be read."""


@pytest.mark.data
@pytest.mark.parametrize("name", bad_files())
def test_bad_files_leave_the_database_as_it_was(empty: Store, tmp_path: Path, name: str) -> None:
    folder = data_folder("formats")
    path = folder / name
    if name.endswith(".gz"):
        path = tmp_path / path.stem
        path.write_bytes(gzip.decompress((folder / name).read_bytes()))
    import_rows(empty, PAIRS)
    before = all_rows(empty)
    try:
        if name.startswith("tsv"):
            source = open_source("tsv", [path], Options(languages=("eng", "fra")))
        else:
            files = [folder / "plain/valid/sample.src.ja.txt", path]
            source = open_source("moses", files, Options(languages=("jpn", "eng")))
        finished(import_source(empty, finished(check_source(source)), "bad"))
    except InputError as error:
        assert path.name in REFUSED
        assert path.name in str(error)
        assert all_rows(empty) == before
    else:
        assert path.name not in REFUSED
        assert all_rows(empty) != before


@pytest.mark.usefixtures("small_transactions")
@pytest.mark.parametrize("pages", [20, *(pytest.param(pages, marks=pytest.mark.slow) for pages in (5, 50))])
def test_a_full_disk(tmp_path: Path, pages: int) -> None:
    """What was stored stays and can be read; once there is room the import goes on to the same rows."""
    path = write_rows(tmp_path / "pairs.tsv", generated_rows(3000))
    checked = finished(check_source(open_source("tsv", [path], Options(languages=("eng", "fra"), header="no"))))
    with new_store(tmp_path, "whole") as whole, new_store(tmp_path) as store:
        finished(import_source(whole, checked, "rows"))
        (used,) = store.connection.execute("pragma page_count").fetchone()
        store.connection.execute(f"pragma max_page_count = {used + pages}")
        with pytest.raises(StoreError, match=r"corpus\.db: the disk is full"):
            finished(import_source(store, checked, "rows"))
        assert store.connection.execute("pragma integrity_check").fetchone() == ("ok",)
        assert not store.connection.in_transaction
        assert store.connection.execute("pragma foreign_keys").fetchone() == (1,)
        assert count(store, "translation") < count(whole, "translation")
        store.connection.execute("pragma max_page_count = 1000000")
        finished(import_source(store, checked, "rows"))
        assert all_rows(store) == all_rows(whole)


@pytest.mark.usefixtures("small_transactions")
def test_readers_see_whole_transactions_and_never_wait(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "pairs.tsv", generated_rows(1500))
    checked = finished(check_source(open_source("tsv", [path], Options(languages=("eng", "fra"), header="no"))))
    whole = "select json_extract(counts, '$.translations') * 2 = (select count(*) from translation) from document"
    with new_store(tmp_path) as store, open_store(store.path, read_only=True) as reader:
        reader.connection.execute("pragma busy_timeout = 0")
        seen = set()
        for step in import_source(store, checked, "rows"):
            if step.done:
                assert reader.connection.execute(whole).fetchone() == (1,)
            with store.write():
                seen.add(count(reader, "sentence"))  # not even in the midst of a transaction
        assert len(seen) > 10
        reader.connection.execute("begin")
        before = count(reader, "sentence")
        import_rows(store, [("New.", "Nouveau.")])
        assert count(reader, "sentence") == before
        reader.connection.execute("commit")
        assert count(reader, "sentence") == before + 2


def test_a_file_that_turns_bad_after_its_check(empty: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The transaction in which that shows leaves nothing; the whole file, once it is there, gives what it gives."""
    monkeypatch.setattr(file_import, "_BATCH", 100)
    monkeypatch.setattr(file_import, "_SECONDS_PER_TRANSACTION", 3600.0)
    path = write_rows(tmp_path / "pairs.tsv", generated_rows(1000))
    checked = finished(check_source(open_source("tsv", [path], Options(languages=("eng", "fra"), header="no"))))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + b"\xff\n")
    with pytest.raises(InputError, match=r"pairs\.tsv"):
        finished(import_source(empty, checked, "rows"))
    assert (count(empty, "sentence"), count(empty, "translation"), count(empty, "occurrence")) == (0, 0, 0)
    path.write_bytes(whole)
    finished(import_source(empty, checked, "rows"))
    with new_store(tmp_path, "undisturbed") as store:
        finished(import_source(store, checked, "rows"))
        assert all_rows(empty) == all_rows(store)


def test_an_empty_file_is_refused_before_the_database_is_touched(empty: Store, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "none.tsv", [("", "")])
    with pytest.raises(InputError, match="no aligned text"):
        import_file(empty, path, ("eng", "fra"))
    assert count(empty, "run") == 0


@pytest.mark.parametrize(
    ("sequences", "order"),
    [
        ([], ""),
        (["ab", "bc"], "abc"),
        (["ac", "ab", "bc"], "abc"),
        (["ad", "cd", "abd", "bc"], "abcd"),
        (["ba", "ab"], "ba"),
        (["abc", "ca", "cb", "cd"], "abcd"),
        (["", "b", "a"], "ba"),
        (["abb", "cb"], "acb"),
    ],
)
def test_languages_are_put_in_the_order_of_the_units(sequences: list[str], order: str) -> None:
    assert "".join(language_order([tuple(each) for each in sequences])) == order


@given(st.permutations("abcdef"), st.data())
def test_an_order_that_all_units_have_is_found(order: list[str], data: st.DataObject) -> None:
    kept = data.draw(st.lists(st.sets(st.sampled_from(order)), max_size=12))
    sequences = [tuple(filter(each.__contains__, order)) for each in kept]
    found = language_order(sequences)
    assert set(found) == {language for each in sequences for language in each}
    assert [tuple(filter(each.__contains__, found)) for each in kept] == sequences


@given(st.lists(st.lists(st.sampled_from("abcdef"), unique=True), min_size=1, max_size=12))
def test_the_first_order_stands_whatever_comes_later(sequences: list[list[str]]) -> None:
    found = language_order(map(tuple, sequences))
    assert [language for language in found if language in sequences[0]] == sequences[0]
    again = language_order([tuple(filter(each.__contains__, found)) for each in sequences])
    assert [tuple(filter(each.__contains__, again)) for each in sequences] == [
        tuple(filter(each.__contains__, found)) for each in sequences
    ]


@dataclass(frozen=True, slots=True)
class _LaterOptions(Options):
    """As a later version may have them."""

    strict: bool = False


@pytest.mark.parametrize("options", [{"languages": ("eng", "fra")}, {"languages": ("fra", "eng"), "columns": (2, 1)}])
def test_one_more_option_changes_no_digest(tmp_path: Path, options: dict[str, Any]) -> None:
    """Found by reading: the text of the options stood in it, so that every file was imported a second time."""
    path = tmp_path / "pairs.tsv"
    path.write_text("Yes.\tOui.\n", encoding="utf-8")
    source, later = open_source("tsv", [path], Options(**options)), open_source("tsv", [path], _LaterOptions(**options))
    assert reading_digest(source) == reading_digest(later)
    strict = open_source("tsv", [path], _LaterOptions(**options, strict=True))
    assert reading_digest(strict) != reading_digest(source)


FILES = {
    "one.tsv": "One.\tUn.\nTwo.\tDeux.\nBroken.\t\n",
    "two.tsv": "One.\tUn.\nThree.\tTrois.\n\tRien.\n",
}


def sources(folder: Path, files: dict[str, str]) -> list[Source]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return open_sources("tsv", [folder / name for name in files], Options(languages=("eng", "fra"), header="no"))


def test_all_files_are_added_up(empty: Store, tmp_path: Path) -> None:
    report = finished(import_files(empty, sources(tmp_path, FILES), "numbers", "CC0"))
    assert replace(report, seconds=0.0, first_rejected=(), first_duplicates=()) == replace(
        report, read=4, sentences=6, translations=3, duplicates=1, rejected=2, seconds=0.0, first_rejected=(),
        first_duplicates=(),
    )  # fmt: skip
    assert [(Path(file).name, line) for file, line, _ in report.first_rejected] == [("one.tsv", 3), ("two.tsv", 3)]
    assert [(Path(file).name, line) for file, line in report.first_duplicates] == [("two.tsv", 1)]
    (collection,) = overview(empty).collections
    assert (collection.name, collection.documents, collection.licence) == ("numbers", 2, "CC0")


def test_a_bad_file_stops_all_before_the_first_is_stored(empty: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"two\.tsv"):
        finished(import_files(empty, sources(tmp_path, FILES | {"two.tsv": "Alone.\n"}), "numbers"))
    assert overview(empty).collections == ()


@pytest.mark.parametrize(("follow", "operations"), [(True, {"import", "tokenise"}), (False, {"import"})])
def test_what_is_searched_follows_if_wanted(follow: bool, operations: set[str], empty: Store, tmp_path: Path) -> None:
    finished(import_files(empty, sources(tmp_path, FILES), "numbers", follow=follow))
    assert {run.operation for run in recent_runs(empty)} == operations


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a/corpus.tsv", "corpus"),
        ("corpus.en.gz", "corpus"),
        ("corpus.fr.txt", "corpus"),
        ("corpus", "corpus"),
        ("-", "stdin"),
    ],
)
def test_the_name_of_a_collection(file: str, name: str) -> None:
    assert collection_name(Path(file)) == name


# What looks like another language than it is said to be; all texts are of the built-in phrasebook.


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
def store(make_once: MakeOnce, tmp_path: Path) -> Iterator[Store]:
    def fill(folder: Path) -> None:
        with new_store(folder) as made:
            texts = phrases()
            for other in ("fra", "jpn"):
                import_rows(made, list(zip(texts["eng"][1::2], texts[other][1::2], strict=True)), ("eng", other))

    with open_store(Path(shutil.copy(make_once("odd-phrases", fill) / "corpus.db", tmp_path))) as store:
        yield store


def doubts(store: Store, tmp_path: Path, said: dict[str, str], lines: int = 200) -> list[str]:
    """Of a file with columns that are said to be in some languages, each in fact in another."""
    columns = [phrases()[true][::2][:lines] for true in said.values()]
    file = tmp_path / "columns.tsv"
    file.write_text("".join("\t".join(row) + "\n" for row in zip(*columns, strict=True)), encoding="utf-8")
    options = Options(languages=tuple(said), header="no")
    return [told for told, _ in column_doubts(store, finished(check_sources(open_sources(None, [file], options))))]


@pytest.mark.slow
@pytest.mark.parametrize("pair", [("eng", "fra"), *((each, "jpn") for each in ("eng", "fra"))])
def test_what_is_right_is_not_doubted(store: Store, tmp_path: Path, pair: tuple[str, str]) -> None:
    for lines in (10, 30, 200):
        assert doubts(store, tmp_path, {each: each for each in pair}, lines) == []


@pytest.mark.slow
def test_columns_the_other_way_round(store: Store, tmp_path: Path) -> None:
    one, other = doubts(store, tmp_path, {"fra": "eng", "eng": "fra"})
    assert "text given as fra looks like eng: " in one
    assert "text given as eng looks like fra: " in other
    one, other = doubts(store, tmp_path, {"jpn": "eng", "eng": "jpn"})
    assert "given as jpn is written in latin letters" in one
    assert "given as eng is written in kana" in other


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
    assert all("are in the database" in each for each in told), "by what the characters are like"


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
        return [told for told, _ in column_doubts(store, finished(check_sources(open_sources(None, [file], options))))]

    assert told("fra", "jpn") == []
    (doubt,) = told("eng", "jpn")
    assert f" of {lines} texts looked at" in doubt
    assert doubt.endswith("in the database as fra, and none as eng")


@pytest.mark.parametrize("languages", ["fra,eng", "eng,jpn"])
def test_what_is_surely_in_another_language_is_imported_only_where_it_is_asked_for(
    run: Run, tmp_path: Path, languages: str
) -> None:
    """To remove it again takes long. Few lines are let in with a warning: names and cries are in several languages."""
    rows = [*zip(phrases()["eng"][:11], phrases()["fra"][:11], strict=True)]
    (tmp_path / "p.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "few.tsv").write_text("".join("\t".join(row) + "\n" for row in rows[:2]), encoding="utf-8")
    if languages == "fra,eng":
        assert run("import", "p.tsv", "--lang", "eng,fra", "--name", "right").exit_code == 0
    call = ("import", "p.tsv", "--lang", languages, "--name", "wrong")
    refused = run(*call)
    assert refused.exit_code == 3
    assert "nothing was imported" in refused.stderr
    assert "wrong" not in run("info", "--json").stdout
    assert run("import", "few.tsv", "--lang", languages, "--name", "few").exit_code == 0
    assert run(*call, "--trust-lang").exit_code == 0
    assert '"wrong"' in run("info", "--json").stdout

"""The commands that export the corpus, and those that look after the database file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from calls import Prepare, Run

from corpusdb.corpus.store.row_checksums import seal_rows


@pytest.mark.slow
def test_a_sound_database_is_ok(run: Run, generated: Path) -> None:
    result = run("check", "--full")
    assert (result.exit_code, result.stdout) == (0, "ok\n")
    report = json.loads(run("check", "--json").stdout)
    assert (report["ok"], report["problems"]) == (True, [])
    assert report["checks"]


def test_problems_are_printed_and_the_answer_is_no(run: Run, corpus: Path) -> None:
    with closing(sqlite3.connect(corpus)) as connection, connection:  # one direction of a pair only
        connection.execute("delete from translation where sentence = (select min(sentence) from translation)")
    result = run("check")
    assert result.exit_code == 1
    assert "translation" in result.stdout
    assert run("check", "--json").exit_code == 1


def test_a_backup_is_the_same_database(run: Run, generated: Path, tmp_path: Path) -> None:
    result = run("backup", "copy.db", "--json")
    assert json.loads(result.stdout) == {"file": "copy.db", "bytes": (tmp_path / "copy.db").stat().st_size}
    assert run("backup", "copy.db").exit_code == 2
    assert run("backup", "copy.db", "--overwrite").exit_code == 0
    select = ("sql", "select * from candidate order by id", "--json")
    assert run("--db", "copy.db", *select).stdout == run(*select).stdout


SELECT = "select language, count(*) as n from sentence group by language"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), "language\tn\neng\t7\nfra\t6\n"),
        (("--format", "tsv"), "language\tn\neng\t7\nfra\t6\n"),
        (("--format", "table"), "language  n\neng       7\nfra       6\n"),
    ],
)
def test_sql_as_text(options: tuple[str, ...], expected: str, run: Run, corpus: Path) -> None:
    assert run("sql", SELECT, *options).stdout == expected
    assert run("sql", "-", *options, stdin=SELECT).stdout == expected


@pytest.mark.parametrize("options", [("--json",), ("--format", "json")])
def test_sql_as_json(options: tuple[str, ...], run: Run, corpus: Path) -> None:
    document = json.loads(run("sql", "select 1 as a, null as a, x'00ff' as b", *options).stdout)
    assert document == {"columns": ["a", "a", "b"], "rows": [[1, None, "00ff"]], "truncated": False}


def test_sql_never_cuts_in_silence(run: Run, corpus: Path) -> None:
    result = run("sql", "select text from sentence", "--limit", "2")
    assert len(result.stdout.splitlines()) == 3
    assert "only the first 2 rows; `--limit 0` shows all" in result.stderr
    whole = run("sql", "select text from sentence", "--limit", "0")
    assert (len(whole.stdout.splitlines()), whole.stderr) == (14, "")


@pytest.mark.parametrize(
    ("statement", "code"), [("delete from sentence", 2), ("selec", 2), ("select 1; select 2", 2), ("", 2)]
)
def test_sql_only_reads(statement: str, code: int, run: Run, corpus: Path) -> None:
    result = run("sql", statement)
    assert result.exit_code == code
    assert result.stderr.startswith("corpusdb: error: ")
    assert run("sql", "select count(*) as n from sentence").stdout == "n\n13\n"


def test_sql_stops_after_its_time(run: Run, corpus: Path) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    result = run("sql", endless, "--timeout", "0.05")
    assert result.exit_code == 4
    assert "0.05 seconds" in result.stderr


@pytest.mark.slow
def test_a_repair_says_what_it_did_and_what_only_a_backup_can_mend(run: Run, generated: Path) -> None:
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update candidate set frequency = frequency + 1")
        connection.execute("drop index slot_filler")
    assert run("check", "--full").exit_code == 1
    result = run("check", "--repair")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "ok")
    assert "rebuilt the index slot_filler" in result.stdout
    assert json.loads(run("check", "--repair", "--json").stdout) == {"ok": True, "done": [], "left": []}
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update sentence set text = text || '.' where id = 1")
    result = run("check", "--repair")
    assert result.exit_code == 1
    assert "only a backup can mend this: the sentences 1 to" in result.stdout


@pytest.mark.slow
def test_no_command_answers_from_a_file_that_a_check_refused(run: Run, generated: Path) -> None:
    sound = run("search", "beer", "--lang", "eng").stdout
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update candidate set frequency = frequency + 1")
    assert run("search", "beer", "--lang", "eng").exit_code == 0  # nobody has looked yet
    result = run("check", "--full")
    assert (result.exit_code, "other commands refuse it until it is mended" in result.stderr) == (1, True)
    for refused in (["search", "beer"], ["info"], ["generate", "--lang", "eng"], ["sql", "select 1"]):
        result = run(*refused)
        assert (result.exit_code, result.stdout) == (4, "")
        assert "was found damaged on 20" in result.stderr
    assert run("backup", "copy.db").exit_code == 0
    assert run("--db", "copy.db", "info").exit_code == 4
    for more in ("--repair", "--full"):
        assert run("check", "--ignore", more).exit_code == 2
    assert run("info").exit_code == 4  # nothing was ignored
    assert run("check", "--ignore").exit_code == 0
    assert run("search", "beer", "--lang", "eng").stdout == sound
    assert run("check", "--full").exit_code == 1
    assert run("check", "--repair").exit_code == 0
    assert run("search", "beer", "--lang", "eng").stdout == sound


@pytest.mark.slow
def test_a_full_check_that_finds_nothing_any_more_lets_commands_answer(run: Run, generated: Path) -> None:
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update candidate set frequency = frequency + 1")
    assert run("check", "--full").exit_code == 1
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update candidate set frequency = frequency - 1")
    assert run("check").exit_code == 0
    assert run("info").exit_code == 4  # it looked at less
    assert run("check", "--full").exit_code == 0
    assert run("info").exit_code == 0


@pytest.mark.parametrize(
    "table",
    [
        "row_checksum",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("job_lock", "damage")),
    ],
)
def test_a_table_is_missing_without_which_nothing_is_written(run: Run, generated: Path, table: str) -> None:
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute(f"drop table {table}")
    assert run("check", "--full").exit_code in (1, 4)
    assert run("detect", "--lang", "eng").exit_code in (0, 4)
    result = run("check", "--repair")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "ok")
    assert run("check", "--full").exit_code == 0


@pytest.mark.slow
def test_what_is_not_looked_at_is_said(run: Run, generated: Path) -> None:
    assert "`check --full` does that" in run("check").stderr
    assert "`check --full` does that" not in run("check", "--full").stderr
    assert "`check --full` does that" in json.loads(run("check", "--json").stdout)["left_out"][0]


def test_a_damaged_segment_ends_a_search_with_4(run: Run, generated: Path) -> None:
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update token_segment set text = substr(text, 1, length(text) - 1)")
    result = run("search", "beer", "--lang", "eng")
    assert result.exit_code == 4
    assert "check --repair" in result.stderr


@pytest.mark.slow
def test_what_an_older_version_derived_is_no_damage(run: Run, generated: Path) -> None:
    """Such as by a version that summed probabilities in another order."""
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update layer set parameters = '{}' where name = 'paraphrase'")
        connection.execute("delete from row_checksum where name = 'layer'")
        connection.execute("update paraphrase set probability = probability * (1 - 1e-15)")
        seal_rows(connection, "layer")
    result = run("check", "--full")
    assert (result.exit_code, result.stdout) == (0, "ok\n")
    assert "what an older corpusdb derived in eng was not made again" in result.stderr
    assert run("generate", "--lang", "eng").exit_code == 0
    assert run("check", "--full").exit_code == 0
    assert "older corpusdb derived" not in run("check").stderr


NEWS = """\
{"id": "1", "document": "news.1", "texts": [{"lang": "eng", "text": "one"}, {"lang": "fra", "text": "un"}]}
{"id": "2", "document": "news.1", "texts": [{"lang": "eng", "text": "two"}, {"lang": "jpn", "text": "二"}]}
"""
PAIRS = "one\tune\nthree\ttrois\n"


@pytest.fixture
def folder(run: Run, prepare: Prepare) -> Path:
    """A folder with a database of two collections in three languages."""

    def fill() -> None:
        Path("news.jsonl").write_text(NEWS, encoding="utf-8")
        Path("pairs.tsv").write_text(PAIRS, encoding="utf-8")
        assert run("import", "news.jsonl").exit_code == 0
        assert run("import", "pairs.tsv", "--lang", "eng,fra").exit_code == 0

    return prepare("two-collections", fill)


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ((), ["one\tun", "three\ttrois", "one\tune"]),
        (("--collection", "pairs"), ["one\tune", "three\ttrois"]),
        (("--collection", "pairs", "--collection", "news"), ["one\tun", "one\tune", "three\ttrois"]),
        (("--document", "news.1"), ["one\tun"]),
        (("--document", "pairs.tsv"), ["one\tune", "three\ttrois"]),
    ],
)
def test_a_part_of_the_corpus(run: Run, folder: Path, options: Sequence[str], lines: list[str]) -> None:
    result = run("export", *options, "--lang", "en,fr", "--format", "moses", "-o", "out")
    assert result.exit_code == 0, result.stderr
    english, french = (Path(f"out.{code}").read_text(encoding="utf-8").splitlines() for code in ("eng", "fra"))
    assert sorted(map("\t".join, zip(english, french, strict=True))) == sorted(lines)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("out.tmx", "<?xml version"),
        ("out.xml", "<?xml version"),
        ("out.tsv", "id\tdocument\teng\tfra"),
        ("out.csv", "id,document,eng,fra"),
        ("out.ndjson", '{"id":"1","document":"news.1"'),
    ],
)
def test_the_name_of_the_file_tells_the_format(run: Run, folder: Path, name: str, start: str) -> None:
    result = run("export", "-o", name)
    assert result.exit_code == 0, result.stderr
    assert Path(name).read_text(encoding="utf-8").startswith(start)
    assert "file\t" + name in result.stdout


def test_the_report(run: Run, folder: Path) -> None:
    report = json.loads(run("export", "-o", "out.jsonl", "--lang", "fra,eng", "--json").stdout)
    assert report.pop("seconds") >= 0
    assert report == {"files": ["out.jsonl"], "units": 3, "left_out": 1, "languages": ["fra", "eng"]}


def test_units_that_a_format_cannot_hold_are_counted_with_the_others(run: Run, folder: Path) -> None:
    # One has two translations, three has one, and two has none in French.
    result = run("export", "-o", "out", "--format", "moses", "--by-sentence", "eng", "--lang", "fra", "--json")
    report = json.loads(result.stdout)
    assert (report["files"], report["units"], report["left_out"]) == (["out.eng", "out.fra"], 1, 2)
    assert "left out: 1 unit with not exactly one text in every language" in result.stderr
    assert "left out: 1 unit with fewer than two texts in eng, fra" in result.stderr


def test_sentences_with_all_their_translations(run: Run, folder: Path) -> None:
    result = run("export", "-o", "-", "--format", "jsonl", "--by-sentence", "en", "--lang", "fra,jpn", "--quiet")
    texts = [[each["text"] for each in json.loads(line)["texts"]] for line in result.stdout.splitlines()]
    assert texts == [["one", "un", "une"], ["two", "二"], ["three", "trois"]]
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (("-o", "out"), 2, "the name out does not tell the format; give --format: conllu, csv, jsonl, moses"),
        (("-o", "-"), 2, "standard output has no name; give --format"),
        (("-o", "-", "--format", "docx"), 2, "format 'docx' cannot be written; there are conllu, csv"),
        (("-o", "-", "--format", "tsv", "--json"), 2, "name a file"),
        (("-o", "-", "--format", "moses"), 2, "cannot go to standard output"),
        (("-o", "o.tmx", "--by-sentence", "eng", "--document", "news.1"), 2, "--by-sentence takes no --document"),
        (("-o", "o.tmx", "--collection", "old"), 3, "there is no collection 'old'; there are news, pairs"),
        (("-o", "o.tmx", "--lang", "eng,deu"), 3, "there is no text in 'deu'; there are eng, fra, jpn"),
        (("-o", "o.tmx", "--by-sentence", "deu"), 3, "there is no text in 'deu'; there are eng, fra, jpn"),
        (("-o", "o.tmx", "--document", "old"), 3, "there is no document 'old'; there are news.jsonl, pairs.tsv"),
        (("-o", "o.tmx", "--lang", "fra,jpn"), 3, "nothing to export: 4 units with fewer than two texts in fra, jpn"),
        (("-o", "o.vert", "--lang", "eng"), 3, "nothing to export: vert takes none of the units: no annotation"),
    ],
)  # fmt: skip
def test_what_cannot_be_exported(run: Run, folder: Path, arguments: Sequence[str], code: int, problem: str) -> None:
    result = run("export", *arguments)
    assert (result.exit_code, problem in result.stderr) == (code, True), result.stderr
    assert {path.name.partition("-")[0] for path in folder.iterdir()} == {"corpus.db", "news.jsonl", "pairs.tsv"}


def test_texts_of_one_language_are_exported_alone(run: Run, folder: Path) -> None:
    assert run("export", "-o", "out", "--format", "moses", "--lang", "fra").exit_code == 0
    told = run("search", "", "--lang", "fra", "--json").stdout
    assert set((folder / "out.fra").read_text().splitlines()) == {each["text"] for each in json.loads(told)["hits"]}


def test_a_database_that_may_only_be_read_can_be_exported(run: Run, folder: Path) -> None:
    (folder / "corpus.db").chmod(0o444)
    assert run("export", "-o", "out.tmx").exit_code == 0


def test_progress_has_a_stage_for_each_pass(run: Run, folder: Path) -> None:
    told = run("export", "-o", "out.tsv").stderr
    assert told == "corpusdb: reading units, pass 1 ... reading units, pass 3: done\n"

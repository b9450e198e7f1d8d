from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]


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


def test_a_repair_says_what_it_did_and_what_only_a_backup_can_mend(run: Run, generated: Path) -> None:
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update candidate set frequency = frequency + 1")
        connection.execute("drop index slot_filler")
    assert run("check", "--full").exit_code == 1
    result = run("check", "--repair")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "ok")
    assert "made the index slot_filler anew" in result.stdout
    assert json.loads(run("check", "--repair", "--json").stdout) == {"ok": True, "done": [], "left": []}
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update sentence set text = text || '.' where id = 1")
    result = run("check", "--repair")
    assert result.exit_code == 1
    assert "only a backup can mend this: the sentences 1 to" in result.stdout


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
    assert run("check", "--ignore").exit_code == 0
    assert run("search", "beer", "--lang", "eng").stdout == sound
    assert run("check", "--full").exit_code == 1
    assert run("check", "--repair").exit_code == 0
    assert run("search", "beer", "--lang", "eng").stdout == sound


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
        "job_lock",
        "row_checksum",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("damage", "checksum_since")),
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


def test_what_is_not_looked_at_is_said(run: Run, generated: Path) -> None:
    assert "`check --full` does that" in run("check").stderr
    assert "`check --full` does that" not in run("check", "--full").stderr
    assert "`check --full` does that" in json.loads(run("check", "--json").stdout)["left_out"][0]


def test_a_damaged_segment_ends_a_search_with_4(run: Run, generated: Path) -> None:
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update token_segment set text = cast(replace(text, 'beer', 'bier') as blob)")
    result = run("search", "beer", "--lang", "eng")
    assert result.exit_code == 4
    assert "check --repair" in result.stderr


def test_what_an_older_version_derived_is_no_damage(run: Run, generated: Path) -> None:
    """Found on a database of schema 11: its probabilities were summed in another order."""
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("update layer set parameters = '{}' where name = 'paraphrase'")
        connection.execute("delete from row_checksum where name = 'layer'")
        connection.execute("update checksum_since set since = 1000, against = -1001 where name = 'layer'")
        connection.execute("update paraphrase set probability = probability * (1 - 1e-15)")
    result = run("check", "--full")
    assert (result.exit_code, result.stdout) == (0, "ok\n")
    assert "what an older corpusdb derived in eng was not made again" in result.stderr
    assert run("generate", "--lang", "eng").exit_code == 0
    assert run("check", "--full").exit_code == 0
    assert "older corpusdb derived" not in run("check").stderr

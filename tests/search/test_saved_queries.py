"""Queries that are kept, run again with the same answer, and come from other versions."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from calls import Run
from typer.testing import Result

from corpusdb.base.errors import DatabaseReadOnly, InputError, UsageError
from corpusdb.base.options import default_of, options_from_json, options_to_json
from corpusdb.commands.command import kept_command
from corpusdb.corpus.queries.names import SavedQuery, delete_query, save_query, saved_queries, saved_query
from corpusdb.corpus.store import Store, open_store
from corpusdb.program.catalogue import replayed_command

OPTIONS = {"text": "水を飲む。", "limit": 20, "lang": None, "seeds": ["a", "b"]}


def test_a_query_is_found_as_it_was_saved(empty: Store) -> None:
    save_query(empty, "water", "paraphrases", OPTIONS, note="for the course")
    found = saved_query(empty, "water")
    assert found == SavedQuery("water", "paraphrases", OPTIONS, "for the course", found.saved)
    assert datetime.fromisoformat(found.saved).tzinfo == UTC


def test_queries_are_listed_by_name(empty: Store) -> None:
    for name in ("b", "a", "水"):
        save_query(empty, name, "sql", {"statement": name})
    assert [query.name for query in saved_queries(empty)] == ["a", "b", "水"]


def test_the_same_query_may_be_saved_again_and_another_not(empty: Store) -> None:
    save_query(empty, "water", "paraphrases", OPTIONS)
    before = saved_queries(empty)
    save_query(empty, "water", "paraphrases", dict(reversed(OPTIONS.items())))
    for command, options in (("paraphrases", OPTIONS | {"limit": 21}), ("sql", OPTIONS)):
        with pytest.raises(UsageError, match="another query is saved as 'water'"):
            save_query(empty, "water", command, options)
    assert saved_queries(empty) == before


@pytest.mark.parametrize("name", ["", "7", "-", "-x", " a", "a ", "a\nb", "a\x1b"])
def test_names_that_could_be_something_else(name: str, empty: Store) -> None:
    with pytest.raises(UsageError, match=r"cannot be the name|is not a name for a query"):
        save_query(empty, name, "sql", {})
    assert saved_queries(empty) == []


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("colours", "did you mean 'colour'"),
        ("colou", "did you mean 'colour' or 'colon'"),
        ("x", "`corpusdb queries` lists those there are"),
    ],
)
def test_a_name_that_is_not_there(name: str, advice: str, empty: Store) -> None:
    for known in ("colour", "colon", "verbs"):
        save_query(empty, known, "sql", {})
    for look in (saved_query, delete_query):
        with pytest.raises(InputError, match=advice):
            look(empty, name)
    assert len(saved_queries(empty)) == 3


def test_options_are_plain_json_in_the_database(empty: Store) -> None:
    save_query(empty, "a", "sql", OPTIONS)
    (written,) = empty.connection.execute("select options from saved_query").fetchone()
    assert json.loads(written) == OPTIONS
    assert "水" in written


def test_nothing_is_saved_where_nothing_may_be_written(empty: Store) -> None:
    with open_store(empty.path, read_only=True) as reader, pytest.raises(DatabaseReadOnly):
        save_query(reader, "a", "sql", {})


SEED = "A twin, please."
ASK = ("paraphrases", SEED, "--limit", "1", "-N", "0")
LINE = f"corpusdb paraphrases --fluency 0 '{SEED}'"


@pytest.mark.slow
@pytest.mark.parametrize("format", ["table", "tsv", "csv", "json", "jsonl", "markdown"])
def test_every_answer_comes_in_every_format_and_to_a_file(format: str, run: Run, generated: Path) -> None:
    result = run(*ASK, "--format", format)
    assert result.exit_code == 0
    to_file = run(*ASK, "--format", format, "-o", "rows")
    assert (to_file.exit_code, to_file.stdout) == (0, "")
    assert generated.with_name("rows").read_bytes() == result.stdout_bytes != b""
    assert run(*ASK, "--format", format, "-o", "-").stdout == result.stdout


def test_a_file_has_all_rows_in_the_format_of_its_name(run: Run, corpus: Path) -> None:
    words = ("frequencies", "--lang", "eng", "--least", "1")
    whole = run(*words, "-n", "0", "--format", "csv")
    for more, expected in (((), whole.stdout), (("-n", "2"), "".join(whole.stdout.splitlines(keepends=True)[:3]))):
        assert run(*words, *more, "-o", "rows.csv", "--overwrite").exit_code == 0
        assert corpus.with_name("rows.csv").read_bytes().decode() == expected.replace("\r", "").replace("\n", "\r\n")
    assert run(*words, "-o", "rows.csv", "--overwrite", "--format", "tsv").exit_code == 0
    assert corpus.with_name("rows.csv").read_text(encoding="utf-8").startswith("text\tcount")
    assert len(run("search", "", "--lang", "eng", "-o", "-").stdout.splitlines()) <= 21


def test_formats_hold_the_same_rows(run: Run, generated: Path) -> None:
    table = run(*ASK).stdout.splitlines()
    header, row = (line.split("\t") for line in table)
    assert list(csv.reader(StringIO(run(*ASK, "--format", "csv").stdout))) == [header, row]
    (line,) = run(*ASK, "--format", "jsonl").stdout.splitlines()
    assert [str(value) for value in json.loads(line).values()] == row
    assert run(*ASK, "--json").stdout == run(*ASK, "--format", "json").stdout


def test_two_formats_are_a_usage_error(run: Run, generated: Path) -> None:
    assert run(*ASK, "--json", "--format", "csv").exit_code == 2
    assert run(*ASK, "--json", "--format", "json").exit_code == 0


def test_a_failing_query_leaves_the_file_and_is_not_kept(run: Run, generated: Path) -> None:
    file = generated.with_name("rows")
    file.write_text("before")
    assert run("sql", "selec", "-o", "rows", "--save", "wrong").exit_code == 2
    assert file.read_text() == "before"
    assert json.loads(run("queries", "--json").stdout) == json.loads(run("history", "--json").stdout) == []


def test_a_saved_query_is_run_again_with_its_options(run: Run, generated: Path) -> None:
    first = run(*ASK, "--save", "beer")
    again = run("run", "beer", "-n", "1")
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    assert again.stderr.startswith(f"corpusdb: $ {LINE.replace('--fluency', '--limit 1 --fluency')}\n")
    assert run("run", "beer", "-n", "1", "--json").stdout == run(*ASK, "--json").stdout
    assert run("run", "beer", "--format", "markdown").stdout.startswith("| validity | frequency |")
    assert run("--quiet", "run", "beer").stderr == ""
    (row,) = run("queries").stdout.splitlines()[1:]
    assert (row.split("\t")[0], row.split("\t")[-1]) == ("beer", LINE)
    (document,) = json.loads(run("queries", "--json").stdout)
    assert (document["command"], document["options"]["limit"]) == ("paraphrases", 20)


def test_how_many_rows_were_shown_is_no_part_of_a_saved_query(run: Run, generated: Path) -> None:
    words = ("frequencies", "--lang", "eng", "--least", "1")
    whole = run(*words, "-n", "0").stdout
    assert len(run(*words, "-n", "2", "--save", "words").stdout.splitlines()) == 3
    assert len(run("run", "-").stdout.splitlines()) == 3
    assert len(run("run", "words").stdout.splitlines()) == len(whole.splitlines()) > 5
    assert len(run("run", "words", "-n", "4").stdout.splitlines()) == 5
    for query in ("words", "-"):
        assert run("run", query, "-o", "rows.tsv", "--overwrite").exit_code == 0
        assert generated.with_name("rows.tsv").read_text() == whole


def test_a_name_is_not_taken_from_another_query(run: Run, generated: Path) -> None:
    for _ in range(2):
        assert run(*ASK, "--save", "beer").exit_code == 0
    other = run("sql", "select 1", "--save", "beer")
    assert (other.exit_code, "corpusdb queries --delete beer" in other.stderr) == (2, True)
    assert run("queries", "--delete", "beer").exit_code == 0
    assert run("sql", "select 1", "--save", "beer").exit_code == 0
    assert run("run", "beer").stdout == "1\n1\n"
    missing = run("queries", "--delete", "bear")
    assert (missing.exit_code, "'beer'" in missing.stderr) == (3, True)


def test_the_history_lists_and_runs_by_number(run: Run, generated: Path) -> None:
    gap = ("paradigm", "I'd like _, please.", "-n", "1")
    asked = [run("sql", "select 1"), run(*gap), run("sql", "select 1"), run("sql", "select 2", "-n", "0")]
    documents = json.loads(run("history", "--json").stdout)
    assert [(one["number"], one["total"]) for one in documents] == [(2, 3), (3, 1), (4, 1)]
    lines = [line.split("\t") for line in run("history", "-n", "2").stdout.splitlines()]
    assert [line[-1] for line in lines] == ["query", "corpusdb sql 'select 1'", "corpusdb sql --limit 0 'select 2'"]
    assert "1 more query" in run("history", "-n", "2").stderr
    for number, result in enumerate(asked, 1):  # numbers stay, although each of these calls is remembered too
        assert run("run", number).stdout == result.stdout
    assert run("run", "-").stdout == asked[-1].stdout
    assert run("run", "2", "--save", "drinks").stdout == run("run", "drinks", "-n", "1").stdout == asked[1].stdout


def test_the_history_is_that_of_a_database(run: Run, generated: Path) -> None:
    run("sql", "select 1")
    assert run("backup", "copy.db").exit_code == 0
    assert json.loads(run("--db", "copy.db", "history", "--json").stdout) == []
    assert run("--db", "copy.db", "run", "1").exit_code == 2
    assert run("--db", "copy.db", "run", "-").exit_code == 2
    run("--db", "copy.db", "sql", "select 2")
    assert len(run("history", "--all").stdout.splitlines()) == 3
    assert run("history", "--clear").exit_code == 0
    assert [one["number"] for one in json.loads(run("history", "--all", "--json").stdout)] == [1]


def test_stdin_is_not_kept(run: Run, generated: Path) -> None:
    assert run("sql", "-", stdin="select 1").exit_code == 0
    assert json.loads(run("history", "--json").stdout) == []
    assert run("sql", "-", "--save", "one", stdin="select 1").exit_code == 2


def test_history_can_be_off(run: Run, generated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORPUSDB_HISTORY", "off")
    assert run(*ASK).exit_code == 0
    assert json.loads(run("history", "--json").stdout) == []


def test_a_query_of_another_version_is_listed_and_not_run(run: Run, generated: Path) -> None:
    run("sql", "select 1", "--save", "old")
    with closing(sqlite3.connect(generated)) as connection, connection:
        connection.execute("""update saved_query set options = '{"select": "1"}'""")
        connection.execute("insert into saved_query select 9, 'gone', 'gone', '{}', '', saved from saved_query")
    assert run("queries").stdout.count("corpusdb ") == 2
    for name in ("old", "gone"):
        result = run("run", name)
        assert result.exit_code == 2
        assert "version of corpusdb" in result.stderr


def test_a_name_that_is_taken_is_told_before_anything_is_answered(run: Run, generated: Path) -> None:
    saved = run(*ASK, "--save", "it is mine")
    assert "saved; `corpusdb run 'it is mine'` runs it again" in saved.stderr
    assert run(*ASK, "--save", "it is mine").stdout == saved.stdout
    for name, told in (("it is mine", "another query is saved as 'it is mine'"), ("7", "cannot be the name")):
        taken = run(*ASK, "--real", "--save", name)
        assert (taken.exit_code, taken.stdout) == (2, "")
        assert told in taken.stderr


@pytest.mark.slow
def test_a_query_whose_reader_has_seen_enough_is_the_last_one(
    run: Run, generated: Path, environment: dict[str, str]
) -> None:
    run("search", "twin", "--lang", "eng")
    reading, writing = os.pipe()
    os.close(reading)  # as `| head` has done when the line behind its last one is written
    asked = [sys.executable, "-m", "corpusdb", "search", "beer", "--lang", "eng", "--kwic", "--save", "beers"]
    unbuffered = environment | {"PYTHONUNBUFFERED": "1"}
    with os.fdopen(writing, "wb") as output:
        done = subprocess.run(asked, cwd=generated.parent, env=unbuffered, stdout=output, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    assert run("run", "-").stderr.startswith("corpusdb: $ corpusdb search --lang eng --kwic beer\n")
    assert run("run", "beers").exit_code == 0


# What other versions of the program kept: its JSON as version 72d0413 wrote it, with members missing and too many.


KEPT: Mapping[str, Any] = json.loads(Path(__file__).with_name("kept_at_72d0413.json").read_text(encoding="utf-8"))
SAVED: Mapping[str, Any] = KEPT["saved"]
DOCUMENTS: Mapping[str, Any] = KEPT["documents"]
ASKED = [
    *((kept_command(each["command"]).options, each["options"]) for each in SAVED.values()),
    *((found.options, each["options"]) for name, each in DOCUMENTS.items() if (found := replayed_command(name))),
]
GONE = "was kept by another version of corpusdb, with an option of no effect now: 'colour'"


@pytest.mark.parametrize(("kind", "document"), ASKED, ids=[*SAVED, *(f"replay {name}" for name in DOCUMENTS)])
def test_every_option_is_what_was_kept_or_its_default(kind: type[Any], document: Mapping[str, object]) -> None:
    whole = options_to_json(options_from_json(kind, document))
    assert {name: value for name, value in document.items() if name in whole and whole[name] != value} == {}
    for option in fields(kind):
        if default_of(option) is not MISSING:
            rest = {name: value for name, value in document.items() if name != option.name}
            assert getattr(options_from_json(kind, rest), option.name) == default_of(option)


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement, values).rowcount == 1


def keep(path: Path, document: object) -> None:
    change(path, "update saved_query set options = ? where name = 'k'", json.dumps(document))


def last(result: Result) -> str:
    return result.stderr.splitlines()[-1]


KEPT_BY_OTHERS_OPTIONS: Mapping[str, Any] = SAVED["paraphrases"]["options"] | {
    "text": "A twin, please.",
    "fluency": 0,
    "order": 0,
}


@pytest.mark.slow
@pytest.mark.parametrize("missing", [(), ("min_shared",), ("min_shared", "min_pivots", "as_text", "limit")])
@pytest.mark.parametrize("more", [{}, {"colour": "red"}])
def test_a_saved_query_is_run(missing: tuple[str, ...], more: dict[str, object], run: Run, generated: Path) -> None:
    first = run("paraphrases", "A twin, please.", "-n", "3", "--save", "k")
    with closing(sqlite3.connect(generated)) as connection:
        written = json.loads(connection.execute("select options from saved_query").fetchone()[0])
    keep(generated, {name: value for name, value in written.items() if name not in missing} | more)
    again = run("run", "k")
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    assert again.stderr.count(f"the query 'k' {GONE}") == len(more)
    assert "corpusdb paraphrases" in run("queries").stdout


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"text": "a", "limit": "many"}, "'limit' cannot be 'many'"),
        ({"text": ["a"]}, "'text' cannot be ['a']"),
        ({"text": None}, "'text' cannot be None"),
        ({"limit": 3}, "it does not say what 'text' should be"),
        (["text", "a"], "its options are not a JSON object"),
        (None, "its options are not a JSON object"),
    ],
)
def test_what_cannot_be_restored_is_told_in_one_line(document: object, told: str, run: Run, generated: Path) -> None:
    run("paraphrases", "A twin, please.", "--save", "k")
    keep(generated, document)
    result = run("run", "k")
    assert (result.exit_code, result.stdout) == (2, "")
    assert last(result) == f"corpusdb: error: the query 'k' was kept by another version of corpusdb: {told}"
    assert run("queries").exit_code == 0


@pytest.mark.parametrize("asked", ["-", "1"])
@pytest.mark.parametrize("more", [{}, {"colour": "red"}])
def test_a_query_of_the_history_is_run(
    asked: str, more: dict[str, object], run: Run, generated: Path, state: Path
) -> None:
    (entry,) = [each for each in KEPT["history"] if each["command"] == "search"][:1]
    options = {name: value for name, value in entry["options"].items() if name not in ("kwic", "limit")}
    line = entry | {"database": str(generated.resolve()), "options": options | more | {"pattern": "twin", "shown": ""}}
    folder = state / "corpusdb"
    folder.mkdir(exist_ok=True)
    # A member of the line itself that only another version knows is no reason to forget the query.
    (folder / "history.jsonl").write_text(json.dumps(line | {"mood": "glad"}) + "\n", encoding="utf-8")
    result = run("run", asked, "--format", "tsv")
    assert result.exit_code == 0
    assert "I'd like a twin, please." in result.stdout
    assert result.stderr.count(GONE) == len(more)
    kept = run("results", "keep", "twins", asked if asked == "-" else "1")
    assert kept.exit_code == 0
    # The query that was run is the last one now, without what there is no more.
    assert kept.stderr.count(GONE) == (len(more) if asked == "1" else 0)


@pytest.mark.parametrize("more", [{}, {"colour": "red"}])
def test_what_uses_a_saved_search_says_it_too(more: dict[str, object], run: Run, generated: Path) -> None:
    for name in ("k", "l"):
        assert run("search", "twin" if name == "k" else "pizza", "--lang", "eng", "--save", name).exit_code == 0
    keep(generated, SAVED["search"]["options"] | {"pattern": "twin", "shown": ""} | more)
    result = run("results", "union", "both", "k", "l")
    assert (result.exit_code, result.stderr.count(GONE)) == (0, len(more))


@pytest.mark.parametrize(
    ("dropped", "more", "code", "told"),
    [
        ((), {}, 0, ""),
        (("lowercase", "smoothing"), {}, 0, ""),
        ((), {"colour": 1}, 0, f"a stored score {GONE}"),
        ((), {"lowercase": "no"}, 3, "a stored score was kept by another version of corpusdb: 'lowercase' cannot be"),
        (("metric",), {}, 3, "a stored score was kept by another version of corpusdb: it does not say what 'metric'"),
    ],
)
def test_a_stored_score_is_computed_again(
    dropped: tuple[str, ...], more: dict[str, object], code: int, told: str, run: Run, generated: Path
) -> None:
    for name, text in (("hyp.txt", "A twin , please .\n"), ("ref.txt", "A twin , thanks .\n")):
        generated.with_name(name).write_text(text, encoding="utf-8")
    assert run("score", "hyp.txt", "--ref", "ref.txt", "--store").exit_code == 0
    document = {name: value for name, value in KEPT["records"]["score"].items() if name not in dropped} | more
    change(generated, "update score set parameters = ?", json.dumps(document))
    result = run("verify", "1")
    assert result.exit_code == code, result.stderr
    assert result.stderr.count("another version") == bool(told)
    assert told in result.stderr


@pytest.mark.parametrize(
    ("dropped", "more", "code", "told"),
    [
        ((), {}, 0, ""),
        (("order", "smoothing", "normalisation"), {}, 0, ""),
        ((), {"colour": 1}, 0, f"the model 'm' {GONE}"),
        ((), {"order": None}, 3, "the model 'm' was kept by another version of corpusdb: 'order' cannot be None"),
    ],
)
def test_a_stored_model_is_read(
    dropped: tuple[str, ...], more: dict[str, object], code: int, told: str, run: Run, generated: Path
) -> None:
    generated.with_name("words").write_text("one two\nthree\n", encoding="utf-8")
    assert run("model", "train", "m", "words", "--lang", "eng").exit_code == 0
    recipe = {name: value for name, value in KEPT["records"]["model"]["recipe"].items() if name not in dropped} | more
    change(generated, "update char_model set parameters = ?", json.dumps(recipe))
    for call in (("model", "list"), ("perplexity", "one", "--model", "m")):
        result = run(*call)
        assert result.exit_code == code, result.stderr
        assert told in result.stderr


@pytest.mark.parametrize(
    ("dropped", "more", "code", "told"),
    [
        ((), {}, 0, ""),
        (("lowercase", "segments", "samples"), {}, 0, ""),
        ((), {"colour": 1}, 0, GONE),
        ((), {"lowercase": "no"}, 3, "'lowercase' cannot be 'no'"),
    ],
)
def test_a_document_is_replayed(
    dropped: tuple[str, ...], more: dict[str, object], code: int, told: str, run: Run, tmp_path: Path
) -> None:
    for name in ("hyp.txt", "ref.txt"):
        (tmp_path / name).write_text("A twin , please .\n", encoding="utf-8")
    (row,) = json.loads(run("score", "hyp.txt", "--ref", "ref.txt", "--json").stdout)
    options = {name: value for name, value in DOCUMENTS["score"]["options"].items() if name not in dropped} | more
    row["made_from"] |= {"options": options}
    (tmp_path / "score.json").write_text(json.dumps([row]), encoding="utf-8")
    result = run("replay", "score.json")
    assert result.exit_code == code, result.stderr
    assert told in result.stderr

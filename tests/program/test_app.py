"""The program as a whole: its commands and their help, the one that opens the browser, and texts that are too long."""

from __future__ import annotations

import inspect
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from calls import Run

from corpusdb import __version__
from corpusdb.base.errors import InputError
from corpusdb.commands.command import CommandGroup
from corpusdb.corpus.formats import Record
from corpusdb.corpus.queries.storing import check_unit
from corpusdb.paraphrase.equations import LONGEST_TERM, solutions, solve
from corpusdb.people.judging_commands import judge
from corpusdb.people.session_commands import sessions
from corpusdb.program.catalogue import COMMANDS
from corpusdb.scoring import unit_metrics as mwer
from corpusdb.scoring import unit_metrics as trace
from corpusdb.scoring.measures import measures
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.unit_metrics import trace_segment
from tui.places import PLACES

GROUPS = {"session": sessions, "judge": judge}
NAMES = [command.name for commands in COMMANDS.values() for command in commands]


def test_the_help_lists_every_command_in_one_line_of_80_columns(run: Run) -> None:
    result = run("--help")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines if line.split() and line.split()[0] in NAMES] == NAMES
    assert max(map(len, lines)) <= 80
    assert "..." not in result.stdout.partition("Start:")[2]


@pytest.mark.parametrize(
    "name", [*NAMES, *(f"{name} {each.name}" for name, group in GROUPS.items() for each in group.commands)]
)
def test_every_command_has_help_and_takes_the_common_options(name: str, run: Run) -> None:
    result = run(*name.split(), "-h")
    assert result.exit_code == 0
    assert all(option in result.stdout for option in ("--db", "--quiet", "--json"))
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_the_list_of_commands_says_what_they_say_of_themselves() -> None:
    for each in (each for commands in COMMANDS.values() for each in commands):
        command = each.load()
        told = command.help if isinstance(command, CommandGroup) else inspect.getdoc(command.run)
        assert told is not None
        assert each.summary == told.splitlines()[0]
        assert (each.name, tuple(each.aliases)) == (command.name, tuple(getattr(command, "aliases", ())))


def test_how_to_cite(run: Run) -> None:
    shown = run("--cite")
    root = Path(__file__).resolve().parents[2]
    assert (shown.exit_code, shown.stdout) == (0, (root / "corpusdb" / "CITATION.cff").read_text(encoding="utf-8"))
    assert shown.stdout.startswith("cff-version: 1.2.0\n")
    assert f"\nversion: {__version__}\n" in shown.stdout
    assert shown.stdout.count("  - type: conference-paper\n") == 5


def test_a_mistyped_command_is_told_what_it_is_like(run: Run) -> None:
    result = run("similarty")
    assert result.exit_code == 2
    assert "'similarity'" in result.stderr


def test_names_of_commands_are_completed_without_loading_them(tmp_path: Path, environment: dict[str, str]) -> None:
    script = """
import sys
sys.argv = ["corpusdb"]
from corpusdb.program.catalogue import main
try:
    main()
finally:
    print("corpusdb.search.commands" in sys.modules)
"""
    asked = environment | {"_CORPUSDB_COMPLETE": "complete_bash", "COMP_WORDS": "corpusdb se", "COMP_CWORD": "1"}
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=asked, capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["search", "session", "select", "False"]


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"corpusdb {__version__}\n"


def test_no_command_is_a_usage_error_with_the_help_on_stderr(run: Run) -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage:" in result.stderr


def test_the_alias_works_and_is_not_listed(run: Run, generated: Path) -> None:
    assert "stats " not in run("--help").stdout
    assert run("stats", "--lang", "en").stdout == run("statistics", "--lang", "eng").stdout != ""


def test_options_of_the_program_may_stand_on_either_side(run: Run, corpus: Path) -> None:
    target = corpus.rename(corpus.with_name("other.db"))
    for arguments in (("--db", target, "--quiet", "info"), ("info", "--db", target, "--quiet")):
        result = run(*arguments)
        assert (result.exit_code, result.stderr) == (0, "")
        assert "paper" in result.stdout


def test_the_database_is_the_named_one_then_that_of_the_environment(
    run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = corpus.rename(corpus.with_name("other.db"))
    assert run("info").exit_code == 4
    monkeypatch.setenv("CORPUSDB_DB", str(target))
    assert run("info").exit_code == 0
    assert run("--db", "corpus.db", "info").exit_code == 4


def test_quiet_silences_progress_and_talk_but_no_error(run: Run, corpus: Path) -> None:
    assert run("detect", "--lang", "eng").stderr != ""
    assert run("--quiet", "detect", "--lang", "eng").stderr == ""
    assert run("--quiet", "detect", "--lang", "xx").stderr.startswith("corpusdb: error: ")


def test_an_older_schema_is_brought_up_to_date_by_a_command_that_reads(
    run: Run, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from corpusdb.corpus.store import opening as migrations

    script = tmp_path / f"{migrations.latest_version() + 1:04}_toy.sql"
    script.write_text("create table note (id integer primary key) strict;\n", encoding="utf-8")
    scripts = (*migrations._scripts(), (script.stem, (script,)))
    monkeypatch.setattr(migrations, "_scripts", lambda: scripts)
    result = run("--db", corpus, "info")
    assert result.exit_code == 0
    assert f"schema {int(script.name[:4])}" in result.stdout


@pytest.mark.parametrize(
    "command", ["info", "detect --lang eng", "check --repair", "backup copy.db", "import paper.tsv"]
)
def test_a_database_from_before_the_baseline_is_refused_in_one_line(run: Run, corpus: Path, command: str) -> None:
    with closing(sqlite3.connect(corpus)) as connection:
        connection.execute("pragma user_version = 27")
    result = run("--quiet", "--db", corpus, *command.split())
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr.startswith(f"corpusdb: error: {corpus}: has schema 27, of a version before 1.0")
    assert result.stderr.count("\n") == 1


@pytest.mark.browser
def test_the_corpus_as_lines(run: Run, corpus: Path) -> None:
    result = run("browse", "--lines", "corpus", "--find", "slice")
    assert result.exit_code == 0
    assert "I'd like a slice of pizza, please." in result.stdout
    assert "A slice of pizza, please." in result.stdout
    assert "beer" not in result.stdout


def test_the_help_names_every_place(run: Run) -> None:
    *first, last = (place.key for place in PLACES)
    assert f": {', '.join(first)} or {last}." in " ".join(run("browse", "--help").output.split())


@pytest.mark.browser
def test_lines_as_json(run: Run, corpus: Path) -> None:
    document = json.loads(run("browse", "--lines", "corpus", "--find", "twin", "--json").stdout)
    assert set(document) == {"lines", "message", "is_error"}
    assert any("A twin, please." in line for line in document["lines"])
    assert not document["is_error"]


@pytest.mark.slow
@pytest.mark.browser
def test_keys_are_pressed_as_on_the_screen(run: Run, corpus: Path) -> None:
    keys = run("browse", "--lines", "corpus", "--press", "?").stdout.splitlines()
    assert any(line.split() == ["j", "down", "Go", "to", "the", "next", "row"] for line in keys)
    assert "Everywhere" in keys


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("--lines", "nowhere"), 2, "there is no place 'nowhere'; there are corpus, session, "),
        (("--lines", "corpus", "--press", "shfit+a"), 2, "'shfit+a' is not a key"),
        pytest.param(
            ("--lines", "corpus", "--press", "ctrl+q"), 2, "'ctrl+q' leaves the browser", marks=pytest.mark.browser
        ),
        (("--keys", "--check-config"), 2, "--keys and --check-config exclude each other"),
        (("--find", "a"), 2, "--find and --press go with --lines"),
        (("--press", "a"), 2, "--find and --press go with --lines"),
        (("--config", "missing.toml", "--lines", "corpus"), 3, "missing.toml: cannot be read"),
        (("--config", "missing.toml", "--keys"), 3, "missing.toml: cannot be read"),
        ((), 2, "is not a terminal; `corpusdb browse --lines PLACE` prints what a place shows"),
    ],
)
def test_what_cannot_be_done_is_told(
    arguments: tuple[str, ...], code: int, reason: str, run: Run, corpus: Path
) -> None:
    result = run("browse", *arguments)
    assert result.exit_code == code
    assert result.stdout == ""
    assert reason in result.stderr


def test_a_database_that_cannot_be_opened_is_told_and_no_screen_appears(run: Run, tmp_path: Path) -> None:
    missing = run("browse", "--lines", "corpus")
    assert (missing.exit_code, missing.stdout) == (4, "")
    assert "there is no such database" in missing.stderr
    (tmp_path / "corpus.db").write_text("x" * 200, encoding="utf-8")
    other = run("browse", "--lines", "corpus")
    assert (other.exit_code, other.stdout) == (4, "")


def test_who_browses_no_database_is_asked_whether_to_make_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = SimpleNamespace(isatty=lambda: True)
    streams = SimpleNamespace(stdin=terminal, stdout=terminal, stderr=terminal)
    monkeypatch.setattr("corpusdb.program.commands.sys", streams)
    monkeypatch.setattr("corpusdb.program.commands.said_meanwhile", lambda _: nullcontext())  # it needs a terminal
    monkeypatch.setenv("TERM", "screen")
    shown: list[bool] = []
    monkeypatch.setattr("tui.app.run", lambda path, *others: shown.append(path.exists()))
    for answer, is_made in (("n\n", False), ("y\n", True)):
        result = run("browse", stdin=answer)
        assert "corpus.db: there is no such database; make a new one? [Y/n]" in result.stderr
        assert (shown.pop(), "is a new database" in result.stderr) == (is_made, is_made)


def test_a_database_of_a_later_version_is_told(run: Run, corpus: Path) -> None:
    with closing(sqlite3.connect(corpus)) as connection, connection:
        connection.execute("pragma user_version = 9999")
    result = run("browse", "--lines", "corpus")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "later version" in result.stderr or "newer" in result.stderr


def test_a_damaged_database_is_told(run: Run, corpus: Path) -> None:
    size = corpus.stat().st_size
    with corpus.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(size - 100))
    result = run("browse", "--lines", "corpus")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "Traceback" not in result.stderr


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "browser.toml"
    monkeypatch.setenv("CORPUSDB_CONFIG", str(file))
    return file


def test_settings_are_shown_with_their_origin(run: Run, settings: Path) -> None:
    settings.write_text('borders = "ascii"\n[keys]\nscreen.copy = "f7"\n', encoding="utf-8")
    rows = [line.split("\t") for line in run("browse", "--keys").stdout.splitlines()]
    assert rows[0] == ["setting", "value", "origin"]
    assert ["borders", "ascii", str(settings)] in rows
    assert ["theme", "auto", "default"] in rows
    assert ["keys.screen.copy", "f7", str(settings)] in rows
    assert ["keys.list.down", "j,down", "default"] in rows
    document = json.loads(run("browse", "--keys", "--json").stdout)
    assert {"name": "borders", "value": "ascii", "origin": str(settings)} in document


def test_settings_are_checked(run: Run, settings: Path) -> None:
    settings.write_text('theme = "light"\n', encoding="utf-8")
    assert run("browse", "--check-config").stdout == f"{settings}: ok\n"
    assert json.loads(run("browse", "--check-config", "--json").stdout) == {"ok": True, "file": str(settings)}
    settings.write_text('[keys]\nscreen.copy = "q"\n', encoding="utf-8")
    result = run("browse", "--check-config")
    assert (result.exit_code, result.stdout) == (3, "")
    assert f"{settings}:2: 'q' cannot do both screen.copy and screen.back" in result.stderr


def test_without_a_file_the_settings_are_right(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CORPUSDB_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    result = run("browse", "--check-config")
    assert (result.exit_code, result.stdout) == (0, "ok\n")


@pytest.mark.slow
@pytest.mark.browser
def test_changed_keys_are_in_the_help(run: Run, corpus: Path, settings: Path) -> None:
    settings.write_text('[keys]\nlist.down = "ctrl+n"\n', encoding="utf-8")
    keys = run("browse", "--lines", "corpus", "--press", "?").stdout
    assert "ctrl+n            Go to the next row" in keys


# Texts so long that what is asked of them would never end are refused with a line that says so.


LONG = "ha " * 20_001


def test_terms_of_an_equation() -> None:
    long = "a" * (LONGEST_TERM + 1)
    assert solve(long, long + "b", "c" + long) is None
    assert solutions(long, long + "b", "c" + long) == []
    assert solve(long, long, "c") == "c"
    assert solve(long, "c", long) == "c"
    assert solve("a" * 900, "a" * 900 + "b", "c" + "a" * 900) == "c" + "a" * 900 + "b"


def edits(hypothesis: str, reference: str) -> None:
    (measure,) = measures([settings_for("mwer", tokenisation="none")], [["ha"], [reference]])
    measure.statistics(["ha", hypothesis])


def moved(hypothesis: str, reference: str) -> None:
    (measure,) = measures([settings_for("ter")], [["ha"], [reference]])
    measure.statistics(["ha", hypothesis])


@pytest.mark.parametrize("metric", [edits, moved])
@pytest.mark.parametrize("texts", [(LONG, "ha"), ("ha", LONG)])
def test_segments_of_metrics(metric: Callable[[str, str], None], texts: tuple[str, str]) -> None:
    with pytest.raises(InputError, match=r"20,001 (units is too long|words, too many)") as caught:
        metric(*texts)
    assert caught.value.line == 2 or "of segment 2 has" in str(caught.value)


def test_a_segment_within_the_bound_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mwer, "_MOST_UNITS", 3)
    edits("a b c", "d e f")
    with pytest.raises(InputError, match="4 units"):
        edits("a b c d", "d e f")


def test_a_segment_that_is_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "_LONGEST", 3)
    trace_segment(["a"] * 3, [["b"]], 4)
    with pytest.raises(InputError, match="4 units is too long to be taken apart; 3 are the most"):
        trace_segment(["a"], [["b"] * 4], 4)


@pytest.mark.parametrize(
    ("english", "french", "refused"), [(500, 500, False), (501, 500, True), (250_000, 1, False), (10_000, 0, False)]
)
def test_versions_of_a_unit(english: int, french: int, refused: bool) -> None:
    record = Record(7, ("text",) * (english + french), ("eng",) * english + ("fra",) * french)
    if not refused:
        check_unit(record, ())
        return
    with pytest.raises(InputError, match="a unit of 1,001 texts makes 250,500 pairs; 250,000 are the most") as caught:
        check_unit(record, ())
    assert caught.value.line == 7

"""Which modules a call loads: what it does not use it does not pay for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from corpusdb.program.catalogue import COMMANDS

# Which modules a call loads: start-up is most of what a short answer takes, and grows unseen.


_SCRIPT = """
import sys
sys.argv = ["corpusdb", *{arguments!r}]
from corpusdb.program.catalogue import main
try:
    main()
except SystemExit as end:
    assert not end.code
finally:
    print("loaded:", *sys.modules)
"""


def loaded(arguments: list[str], database: Path, environment: dict[str, str]) -> set[str]:
    result = subprocess.run(
        [sys.executable, "-c", _SCRIPT.format(arguments=[*arguments, "--db", str(database)])],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(result.stdout.rpartition("loaded:")[2].split())


_QUERIES = "corpusdb.search.cqp"
_FORMATS = "corpusdb.corpus.formats.registry"


@pytest.mark.parametrize(
    ("arguments", "spared"),
    [
        (["search", "beer", "-n", "3", "--lang", "eng"], {_QUERIES, _FORMATS, "corpusdb.base.tokenisation"}),
        pytest.param(
            ["search", "be+r", "--regex", "--timeout", "5"],
            {_QUERIES, _FORMATS, "corpusdb.base.tokenisation"},
            marks=pytest.mark.slow,
        ),
        (["paraphrases", "A beer, please.", "--min-validity", "0.5"], {"numpy", _FORMATS, "corpusdb.paraphrase.slots"}),
        (["info"], {"numpy", _FORMATS}),
        (["frequencies", "--ngram", "2", "--lang", "eng"], {_FORMATS}),
    ],
)
def test_a_call_loads_nothing_that_it_does_not_use(
    arguments: list[str], spared: set[str], generated: Path, environment: dict[str, str]
) -> None:
    modules = loaded(arguments, generated, environment)
    assert "sqlite3" in modules
    assert not modules & {*spared, "pydantic", "textual", "sqlite_utils"}


_HEAVY = {
    *("numpy", "sqlite3", "sqlite_utils", "textual", "rich", "multiprocessing"),
    *("corpusdb.corpus.store", "corpusdb.corpus.formats", "corpusdb.corpus.model"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "module"),
    [
        (["--help"], None),
        (["--version"], None),
        (["search", "--help"], "corpusdb.search.commands"),
        (["score", "--help"], "corpusdb.scoring.commands"),
        (["import", "-h"], "corpusdb.chain.import_commands"),
    ],
)
def test_help_imports_the_command_that_is_asked_for_and_nothing_heavy(
    arguments: list[str], module: str | None, generated: Path, environment: dict[str, str]
) -> None:
    """Not even what the formats it lists need to read a file."""
    modules = loaded(arguments, generated, environment)
    called = {each.module for commands in COMMANDS.values() for each in commands}
    directly = {name for name in called if name in modules}
    assert (module in directly) if module else not directly
    assert len(directly) < len(called) / 4
    lists_formats = module in ("corpusdb.chain.import_commands", "corpusdb.scoring.commands")
    assert modules & _HEAVY <= ({"corpusdb.corpus.formats"} if lists_formats else set())


def test_a_guide_and_the_browser_are_begun_without_what_results_are_made_of(
    generated: Path, environment: dict[str, str]
) -> None:
    assert not loaded(["guide", "keys"], generated, environment) & {"numpy", "sqlite3", "corpusdb.corpus.store.opening"}


@pytest.mark.slow
def test_what_a_call_uses_is_loaded(generated: Path, environment: dict[str, str]) -> None:
    """Else the names above might be those of no module."""
    assert loaded(["search", '"beer"', "--cqp"], generated, environment) >= {"numpy", _QUERIES}
    text = generated.with_name("one.tsv")
    text.write_text("A tea, please.\tUn thé, s'il vous plaît.\n", encoding="utf-8")
    imported = loaded(["import", str(text), "--lang", "eng,fra"], generated, environment)
    assert imported >= {_FORMATS, "corpusdb.paraphrase.slots"}


# What a call does not use it does not pay for: threads for matrices, and searches for garbage.


@pytest.mark.parametrize(("said", "threads"), [(None, "1"), ("2", "2")])
def test_a_process_starts_no_threads_for_matrices_unless_it_is_told_to(
    said: str | None, threads: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    script = """
import gc, os, sys
sys.argv = ["corpusdb", "--version"]
from corpusdb.__main__ import main
usual = gc.get_threshold()[0]
try:
    main()
finally:
    print(os.environ["OPENBLAS_NUM_THREADS"], gc.isenabled() and gc.get_threshold()[0] > usual)
"""
    own = {name: value for name, value in environment.items() if name != "OPENBLAS_NUM_THREADS"}
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=own | ({"OPENBLAS_NUM_THREADS": said} if said else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.splitlines()[-1] == f"{threads} True"

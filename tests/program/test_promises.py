"""What `corpusdb guide stable` promises: what was there when a version was released is there in each that follows.

``promised.txt`` lists it, a line each. A line is never taken out of it before the first number of the version is
raised; CORPUSDB_RENEW_SNAPSHOTS=1 adds what is new, which is done for a release.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer
from calls import Run
from typer.core import TyperArgument

import corpusdb
from corpusdb.base import errors
from corpusdb.commands.group import FORMER_OPTIONS
from corpusdb.corpus.formats import FORMATS
from corpusdb.corpus.store.opening import OLDEST, migrate
from corpusdb.guides import guide_text
from corpusdb.library import Homogeneity
from corpusdb.program import catalogue
from corpusdb.program.catalogue import FORMER_COMMANDS, app

KEPT = Path(__file__).with_name("promised.txt")
RENEWED = os.environ.get("CORPUSDB_RENEW_SNAPSHOTS") == "1"
SEED, CANDIDATE = "A slice of pizza, please.", "Can I have a slice of pizza?"
ANSWERS = r"""
paraphrases SEED; explain SEED CANDIDATE; exchanges --lang eng; solve walk walked talk; statistics --lang eng
search pizza --lang eng; search pizza --lang eng --kwic; frequencies --lang eng -n 3; collocates pizza --lang eng
info; check; queries; history; results list; sql 'select 1 one'; guide sharing; man; paradigm pizza
score h.txt --ref r.txt; score h.txt --ref r.txt --metric bleu,chrf --segments; browse --keys
references SEED -o refs --format jsonl
"""


def commands(context: typer.Context) -> Iterator[tuple[str, Any]]:
    """Every command and group with the words that it is called by."""
    group: Any = context.command
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = typer.Context(command, info_name=name, parent=context)
        yield inner.command_path.partition(" ")[2], command
        if hasattr(command, "list_commands"):
            yield from commands(inner)


def calls() -> Iterator[str]:
    """Commands, options and arguments."""
    program: Any = typer.main.get_command(app)
    root = typer.Context(program, info_name="corpusdb")
    for words, command in [("", program), *commands(root)]:
        yield f"command {words}".rstrip()
        for each in command.get_params(typer.Context(command)):
            if isinstance(each, TyperArgument):
                yield f"argument {words} {each.metavar}"
            else:
                yield from (f"option {words} {name}".replace("  ", " ") for name in (*each.opts, *each.secondary_opts))


def former_names() -> Iterator[str]:
    yield from (f"former {old}" for old in (*FORMER_OPTIONS, *FORMER_COMMANDS))


def exit_codes() -> Iterator[str]:
    for name, kind in vars(errors).items():
        if inspect.isclass(kind) and issubclass(kind, errors.CorpusError) and not name.startswith("_"):
            yield f"error {name} {kind.exit_code}"


def formats() -> Iterator[str]:
    for each in FORMATS.values():
        parts: dict[str, object] = {"read": each.reader, "written": each.writer}
        parts |= {"references": each.reference_writer, "scored": each.scoring_reader}
        yield from (f"format {each.name} {part}" for part, there in parts.items() if there)
        yield from (f"format {each.name} {extension}" for extension in each.extensions)


def library() -> Iterator[str]:
    """The names of the library with those of their parameters."""
    for name in corpusdb.__all__:
        yield f"library {name}"
    kinds = {"Corpus": corpusdb.Corpus, "Homogeneity": Homogeneity}
    called = {f"{owner}.{name}": each for owner, kind in kinds.items() for name, each in vars(kind).items()}
    for name, each in {**called, **{name: getattr(corpusdb, name) for name in corpusdb.__all__}}.items():
        if inspect.isroutine(each) and not name.rpartition(".")[2].startswith("_"):
            yield from (f"library {name} {parameter}" for parameter in inspect.signature(each).parameters)


def tables() -> Iterator[str]:
    """The columns of tables and views, for `corpusdb sql`."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        migrate(database)
        names = database.execute("select name from sqlite_master where type in ('table', 'view') order by name")
        for (name,) in names.fetchall():
            if not name.startswith(("sqlite_", "_")):
                columns = database.execute("select name from pragma_table_xinfo(?)", (name,))
                yield from (f"table {name}.{column}" for (column,) in columns)


def keys(value: object, place: str = "") -> Iterator[str]:
    """The places of the keys of a JSON document, as jq has them; what is inside of records of calls is no promise."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield f"{place}.{key}"
            if key != "options" and not place.endswith(".runs[]"):
                yield from keys(each, f"{place}.{key}")
    elif isinstance(value, list):
        for each in value:
            yield from keys(each, f"{place}[]")


def promised(kinds: str) -> set[str]:
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    return {line for line in lines if line.split(" ")[0] in kinds.split()}


def keep(now: set[str], kinds: str) -> None:
    """Every promise holds; where it is said so, what is new becomes one."""
    if RENEWED:
        others = set(KEPT.read_text(encoding="utf-8").splitlines()) if KEPT.exists() else set[str]()
        KEPT.write_text("".join(f"{line}\n" for line in sorted(others | now)), encoding="utf-8")
    assert promised(kinds)
    assert sorted(promised(kinds) - now) == []


@pytest.mark.parametrize(
    ("kinds", "there"),
    [
        ("command option argument", calls),
        ("error", exit_codes),
        ("former", former_names),
        ("format", formats),
        ("library", library),
        ("table", tables),
    ],
)
def test_what_was_promised_is_there(kinds: str, there: Callable[[], Iterator[str]]) -> None:
    keep(set(there()), kinds)


def test_answers_in_json_have_the_keys_that_were_promised(run: Run, generated: Path) -> None:
    for name, text in (("h.txt", "a cup of tea"), ("r.txt", "one cup of tea")):
        generated.with_name(name).write_text(f"{text}\n", encoding="utf-8")
    found = set[str]()
    for call in filter(None, (each.strip() for each in ANSWERS.replace("\n", ";").split(";"))):
        words = shlex.split(call.replace("SEED", shlex.quote(SEED)).replace("CANDIDATE", shlex.quote(CANDIDATE)))
        result = run(*words, "--json")
        assert result.stdout, (call, result.stderr)
        found |= {f"json {words[0]} {place}" for place in keys(json.loads(result.stdout))}
    keep(found, "json")


# Old names work, and say what is to be used instead; and what each version brought is told.


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--order", "0"), "--order is called --fluency now"),
        (("--order=0",), "--order is called --fluency now"),
        (("-T0.2", "-N0"), "-T is called -V now"),
        (("--fluency", "0"), ""),
        (("--order", "0", "--quiet"), ""),
    ],
)
def test_an_old_name_of_an_option_works_and_says_so(
    run: Run, generated: Path, words: tuple[str, ...], told: str
) -> None:
    result = run("paraphrases", SEED, *words)
    assert CANDIDATE in result.stdout
    assert result.stderr.count("is called") == bool(told)
    assert told in result.stderr


def test_an_old_name_of_a_command_works_and_says_so(run: Run, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue._Program, "former_names", {"overview": "info", "words": "frequencies --lang eng"})
    assert run("overview", "--json").stdout == run("info", "--json").stdout != ""
    assert "overview is called info now; the old name works until version" in run("overview").stderr
    assert "is called" not in run("overview", "--quiet").stderr
    assert run("words", "-n", "1", "--quiet").stdout == run("frequencies", "--lang", "eng", "-n", "1", "--quiet").stdout
    assert "overview" not in run("--help").stdout


def test_changes_are_told() -> None:
    text = guide_text("changes")
    newest = re.findall(r"(?m)^\d+\.\d+\S*", text)[0].rstrip(",")
    assert newest == corpusdb.__version__
    assert f"Schema {OLDEST} and later." in text
    assert [old for old in (*FORMER_OPTIONS, *FORMER_COMMANDS) if f"\n    {old} " not in text] == []

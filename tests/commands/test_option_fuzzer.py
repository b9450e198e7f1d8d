"""Whatever is given to whatever command, it ends with a known exit code and says what is wrong in one line.

The commands and their options are those of the program as it is; CORPUSDB_FUZZ is how many calls are tried.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
from corpora import CHARACTERS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from corpusdb.base.options import Argument, Option, described
from corpusdb.commands.command import Command, CommandGroup
from corpusdb.commands.options import hints_of, names_of
from corpusdb.program.catalogue import app, load_all

CODES = {0, 1, 2, 3, 4, 130}
CALLS = int(os.environ.get("CORPUSDB_FUZZ", "60"))
BY_THEMSELVES = {"demo"}
"""What takes seconds and has no option of its own."""

PAIRS = """\
english	french
I'd like a beer, please.	Je voudrais une bière, s'il vous plaît.
A beer, please.	Une bière, s'il vous plaît.
Can I have a beer?	Une bière, s'il vous plaît.
I'd like a slice of pizza, please.	Je voudrais une part de pizza, s'il vous plaît.
A slice of pizza, please.	Une part de pizza, s'il vous plaît.
A twin, please.	Une chambre à deux lits, s'il vous plaît.
"""
NUMBERS = (*"0 1 2 3 20 1000 -1 -0 2147483647 2147483648 9223372036854775808".split(), "1" + "0" * 30)
NO_NUMBERS = ("", " ", "x", "1.5", "1e5", "nan", "inf", "-inf", "1e400", "1e-400", "٣", "²", "0x10", "1_0", "9" * 4400)
TEXTS = (
    *("", " ", "A beer, please.", "I _.", "9" * 5000, "a" * 100_000),
    *"beer s1 grade eng fra eng,fra en xx eng,, , pairs 1 2-5 - -- -1- a,b,c bleu bleu,nist corpus = y".split(),
    *'floor=x floor=nan 日本語 ( [a * a{1,2} [word="a" % \' " \\ tsv jsonl ../x / \N{PILE OF POO}'.split(),
    *("no\nbreaks", "tab\there", "nul\0", "half\udce9", "\ud800", "\x1b[31mred", "\u202e", "e" + "\u0301" * 500),
    *('"I" []', "select 1", "select * from sentence", "drop table run"),
)
PATHS = (
    *"pairs.tsv plain.en references.jsonl human.tsv sheet.tsv bytes.bin empty missing - . corpus.db".split(),
    *"/dev/null new.out no/such/folder".split(),
    *("", "a\nb", "nul\0", "half\udce9", "x" * 300, "d/" * 2500),
)
STDIN = (b"", b"a\tab\tb\n", b"select 1", b"\xff\xfe\x00", b"x" * 70_000, b"A beer, please.\n", "日本\n".encode())


@dataclass(frozen=True)
class Choice:
    """One argument or option of a command."""

    names: tuple[str, ...]
    """None for an argument."""
    kind: Any
    is_list: bool


def leaves() -> Iterator[tuple[tuple[str, ...], Command[Any]]]:
    """Every command with the words that call it."""
    for entry in load_all():
        if isinstance(entry, CommandGroup):
            yield from (((entry.name, command.name), command) for command in entry.commands)
        elif entry.name not in BY_THEMSELVES:
            yield (entry.name,), entry


def choices(command: Command[Any]) -> Iterator[Choice]:
    """What can be said to a command."""
    for options in (command.options, command.common):
        hints = hints_of(options)
        for name, option in described(options, Option).items():
            names = () if isinstance(option, Argument) else tuple(filter(None, names_of(name, option)))
            is_list = get_origin(hints[name]) is list
            kind = get_args(hints[name])[0] if is_list else hints[name]
            yield Choice(names, kind, is_list)


def values(kind: Any) -> st.SearchStrategy[str]:
    if get_origin(kind) is Literal:
        return st.sampled_from([*get_args(kind), "nothing", ""])
    if kind in (int, float):
        return st.sampled_from(NUMBERS * 2 + NO_NUMBERS)
    return st.sampled_from(PATHS if kind is Path else TEXTS) | st.text(CHARACTERS, max_size=8)


def words_of(draw: st.DrawFn, choice: Choice) -> list[str]:
    """What is said for one choice; often nothing where it is an option."""
    is_left_out = draw(st.integers(0, 3)) > 0
    if choice.names and is_left_out:
        return []
    if choice.kind is bool:
        return [draw(st.sampled_from(choice.names))]
    times = draw(st.sampled_from((1, 1, 1, 2, 3, 200))) if choice.is_list else 1
    said = [draw(values(choice.kind)) for _ in range(min(times, 3))]
    if times > len(said):
        said = said[:1] * times
    if not choice.names:
        return said
    name = choice.names[0]
    return [f"{name}={word}" if name.startswith("--") else name + word for word in said]


@st.composite
def calls(draw: st.DrawFn) -> list[str]:
    """The words of a call of the program."""
    path, command = draw(st.sampled_from(LEAVES))
    said = [(choice, words_of(draw, choice)) for choice in choices(command)]
    named = [word for choice, words in said if choice.names for word in words]
    placed = [word for choice, words in said if not choice.names for word in words]
    return [*path, *named, *(["--"] if draw(st.booleans()) else []), *placed]


LEAVES = list(leaves())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files of all kinds, and a small database with something of everything."""
    made = tmp_path_factory.mktemp("fuzzed")
    (made / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    (made / "plain.en").write_text("A beer, please.\nCan I have a beer?\n", encoding="utf-8")
    (made / "references.jsonl").write_text(
        '{"references": ["A beer."]}\n{"references": ["a", "b"]}\n', encoding="utf-8"
    )
    (made / "human.tsv").write_text("system\tz\nplain\t0.5\n", encoding="utf-8")
    (made / "sheet.tsv").write_text(
        "item\tseed\ttext\tverdict\tcomment\n" + "9" * 5000 + "\ta\tb\ty\n", encoding="utf-8"
    )
    (made / "bytes.bin").write_bytes(bytes(range(256)))
    (made / "empty").touch()
    with pytest.MonkeyPatch.context() as patch:
        surround(patch, made)
        for call in MAKE:
            result = CliRunner().invoke(app, list(call))
            assert result.exit_code == 0, result.stderr
    return made


MAKE: Sequence[Sequence[str]] = (
    ("import", "pairs.tsv", "--lang", "eng,fra"),
    ("generate", "--lang", "eng", "-N", "3"),
    ("judge", "sample", "grade", "--lang", "eng", "--kind", "meaning", "-N", "0", "--size", "3"),
    ("session", "new", "s1", "--lang", "eng", "--text", "A beer, please."),
    ("search", "beer", "--save", "pairs"),
    ("score", "plain.en", "--ref", "references.jsonl", "--store"),
)


def surround(patch: pytest.MonkeyPatch, place: Path) -> None:
    """A folder of its own for all that the program writes."""
    patch.chdir(place)
    patch.setenv("XDG_STATE_HOME", str(place / "state"))
    patch.setenv("TMPDIR", str(place))
    for name in ("CORPUSDB_DB", "CORPUSDB_TRACEBACK", "CORPUSDB_HISTORY", "CORPUSDB_CONFIG"):
        patch.delenv(name, raising=False)


@settings(max_examples=CALLS, suppress_health_check=list(HealthCheck))
@given(call=calls(), stdin=st.sampled_from(STDIN))
def test_no_call_ends_in_a_way_that_is_not_documented(
    call: list[str], stdin: bytes, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("call")
    shutil.copytree(folder, place, dirs_exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        surround(patch, place)
        result = CliRunner().invoke(app, call, input=stdin)
    shutil.rmtree(place)
    shown = [word if len(word) < 200 else f"{word[:20]}... {len(word)}" for word in call[:20]]
    assert result.exit_code in CODES, (shown, result.exception)
    assert "error: unexpected" not in result.stderr, (shown, result.stderr)
    lines = result.stderr.rstrip("\n").split("\n") if result.stderr else []
    assert all(line.startswith(("corpusdb: ", "  ")) for line in lines), (shown, result.stderr)
    assert sum(line.startswith("corpusdb: error: ") for line in lines) <= 1, (shown, result.stderr)
    assert max(map(len, lines), default=0) < 1000, (shown, result.stderr)


def test_every_command_is_called() -> None:
    assert len(LEAVES) > 30
    assert all(list(choices(command)) for _, command in LEAVES)

"""`man`: the manual page has every command with every option, and is what `man` takes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

from corpusdb.commands.command import CommandGroup
from corpusdb.guides import guide_topics
from corpusdb.program.catalogue import COMMANDS

Run: TypeAlias = Callable[..., Result]

MACROS = {"TH", "SH", "SS", "PP", "TP", "B"}


def commands() -> Iterator[str]:
    """The words by which each command is called, those of groups too."""
    for listed in (each for panel in COMMANDS.values() for each in panel):
        loaded = listed.load()
        yield listed.name
        if isinstance(loaded, CommandGroup):
            yield from (f"{listed.name} {each.name}" for each in loaded.commands)


@pytest.fixture
def page(run: Run) -> str:
    result = run("man")
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def plain(roff: str) -> str:
    """The text of a page, without macros and escapes."""
    text = re.sub(r"^\.[A-Z]+ ?", "", roff, flags=re.MULTILINE).replace('"', "")
    names = {"\\-": "-", "\\e": "\\", "\\&": "", "\\(dq": '"', "\\(ti": "~", "\\(ha": "^", "\\(ga": "`", "\\(aq": "'"}
    return re.sub(r"\\(?:\(..|.)", lambda found: names[found[0]], text)


def test_every_command_has_a_section_with_what_its_help_has(run: Run, page: str) -> None:
    parts = re.split(r'^\.SH "(.*)"\n', page, flags=re.MULTILINE)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    sections = {name.replace("\\-", "-").lower(): plain(text) for name, text in pairs}
    names = list(commands())
    assert len(names) > 80
    assert [name for name in sections if name in names] == names
    for name in names:
        described = run(*name.split(), "--help").stdout.partition("\n")[2]
        wanted = [word for word in described.split() if word not in ("Usage:", "Arguments:", "Options:", "Commands:")]
        # a hyphen at the end of a line of the help may be one at which it was folded
        has = re.sub(r"\s|-", "", sections[name])
        assert [word for word in wanted if re.sub("-", "", word) not in has] == [], name


def test_the_rest_of_the_page(page: str) -> None:
    text = plain(page)
    assert all(f"{topic}\n{title}" in text for topic, title in guide_topics().items())
    assert all(f"{panel}\n" in text for panel in COMMANDS)
    assert all(words in text for words in ("--version", "--cite", "CORPUSDB_DB", "130 interrupted"))


def test_every_line_is_a_macro_or_text(page: str) -> None:
    lines = page.rstrip("\n").split("\n")
    assert lines[0].startswith('.TH "CORPUSDB" "1"')
    for line in lines:
        assert line
        assert line[0] != "'"
        if line[0] == ".":
            assert re.fullmatch(r'\.([A-Z]+)((?: "(?:[^"])*")*)', line), line
            assert line[1:].split(" ")[0] in MACROS
        assert not re.search(r"\\(?!-|e|&|\((?:dq|ti|ha|ga|aq))", line), line


def test_it_is_what_man_takes(page: str, tmp_path: Path) -> None:
    if shutil.which("man") is None or shutil.which("groff") is None:
        pytest.skip("there is no man here")
    (tmp_path / "corpusdb.1").write_text(page, encoding="utf-8")
    environment = os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANPAGER": "cat", "MAN_KEEP_FORMATTING": ""}
    command = ["man", "--warnings", "-l", str(tmp_path / "corpusdb.1")]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert shown.stderr == ""
    text = re.sub(".\b", "", shown.stdout)
    assert max(map(len, text.split("\n"))) <= 80
    assert re.search(r"^SESSION NEW$", text, re.MULTILINE)


def test_as_a_document(run: Run, page: str) -> None:
    assert json.loads(run("man", "--json").stdout)["text"] == page

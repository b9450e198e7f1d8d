"""Analyses that SudachiPy made once, for tests that run without it: analyses.tsv beside this module.

A test takes the fixture ``recorded_morphemes``; then whatever asks for Japanese morphemes gets the recorded ones. A
text that is not recorded is an error. To record more, run the tests that need it once, where the extra is installed,
with CORPUSDB_RECORD_MORPHEMES=1: the file grows by what they ask for. test_morphemes.py holds all of it against
SudachiPy.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from corpusdb.base import tokenisation
from corpusdb.base.errors import UsageError
from corpusdb.base.tokenisation import Analyser, Morpheme, sudachi_analyser

FILE = Path(__file__).with_name("analyses.tsv")
"""First the identity of the analyser; then, for each text, it as JSON, a line for each morpheme, and a blank line."""
_RECORDS = "CORPUSDB_RECORD_MORPHEMES"
_EMPTY = "*"
Analyses: TypeAlias = Mapping[str, tuple[Morpheme, ...]]


class RecordedAnalyser:
    """Gives what was recorded."""

    def __init__(self, identity: str, analyses: Analyses, more: Analyser | None = None) -> None:
        """``more`` is asked for texts that are not there, which are then added to the file."""
        self.identity = identity
        self._analyses = dict(analyses)
        self._more = more

    def analyse(self, text: str) -> tuple[Morpheme, ...]:
        if text not in self._analyses:
            if self._more is None:
                raise AssertionError(f"no analysis of {text!r} is recorded; {_RECORDS}=1 records what is asked for")
            self._analyses[text] = self._more.analyse(text)
            _append(text, self._analyses[text])
        return self._analyses[text]


def lose_morphemes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were not installed."""

    def opened(dictionary: str) -> None:
        raise UsageError("Japanese morphemes need more: pip install 'corpusdb[japanese]'")

    monkeypatch.setattr(tokenisation, "_opened", opened)


def recorded_analyser() -> RecordedAnalyser:
    """The analyser of the file."""
    return _recorded() if _RECORDS not in os.environ else RecordedAnalyser(*recorded_in(FILE), _installed())


@cache
def _recorded() -> RecordedAnalyser:
    return RecordedAnalyser(*recorded_in(FILE))


def _installed() -> Analyser:
    found = sudachi_analyser()
    assert found.identity == recorded_in(FILE)[0], "another dictionary is recorded: renew the file"
    return found


def recorded_in(file: Path) -> tuple[str, dict[str, tuple[Morpheme, ...]]]:
    """The identity and the analyses of a file, by text."""
    identity, _, rest = file.read_text(encoding="utf-8").partition("\n\n")
    return identity, dict(map(_analysis, filter(None, rest.split("\n\n"))))


def _analysis(block: str) -> tuple[str, tuple[Morpheme, ...]]:
    text, *lines = block.strip("\n").split("\n")
    return json.loads(text), tuple(_morphemes(lines))


def _morphemes(lines: list[str]) -> Iterator[Morpheme]:
    for line in lines:
        surface, begin, part_of_speech, *rest = line.split("\t")
        values: list[Any] = [json.loads(f'"{each}"') for each in ("" if each == _EMPTY else each for each in rest)]
        yield Morpheme(json.loads(f'"{surface}"'), int(begin), tuple(part_of_speech.split(",")), *values)


def _append(text: str, morphemes: tuple[Morpheme, ...]) -> None:
    lines = [json.dumps(text, ensure_ascii=not text.isprintable())]
    for surface, begin, part_of_speech, *rest in morphemes:
        told = [_told(surface), str(begin), ",".join(part_of_speech), *(_told(each) or _EMPTY for each in rest)]
        lines.append("\t".join(told))
    with FILE.open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("\n".join(lines) + "\n\n")


def _told(text: str) -> str:
    """Escaped as in JSON; a tag of one asterisk, which stands for none here, too."""
    return json.dumps(text, ensure_ascii=not text.isprintable())[1:-1].replace("*", "\\u002a")

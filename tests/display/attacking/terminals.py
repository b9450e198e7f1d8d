"""Asks the runner beside it for what the program sends to its terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from hostile import Corpus

__all__ = ["Run", "Sent", "environment", "on_terminals"]

Run: TypeAlias = Sequence[str] | Mapping[str, object]
"""Arguments of the command line; or, for the browser, ``stand`` and ``keys``."""

_CHECKOUT = Path(__file__).parents[3]
_RUNNER = Path(__file__).with_name("terminal_runs.py")


@dataclass(frozen=True)
class Sent:
    """What came out of one run."""

    run: Run
    code: int
    text: str


def environment(corpus: Corpus) -> dict[str, str]:
    """That of a process whose database is the corpus."""
    path = os.pathsep.join([str(_CHECKOUT), str(_CHECKOUT / "tests" / "tui" / "driving")])
    terminal = {
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLUMNS": "120",
        "PAGER": "cat",
    }  # others wait for a key
    return {**os.environ, **terminal, "PYTHONPATH": path, "CORPUSDB_DB": str(corpus.path)}


def on_terminals(runs: Sequence[Run], corpus: Corpus, folder: Path) -> list[Sent]:
    """What each run sends to a terminal of its own, one after the other over one corpus."""
    asked, answered = folder / "runs.json", folder / "answers.json"
    asked.write_text(json.dumps(runs), encoding="utf-8")
    subprocess.run([sys.executable, _RUNNER, asked, answered], check=True, cwd=corpus.folder, env=environment(corpus))
    answers = json.loads(answered.read_text(encoding="utf-8"))
    return [Sent(each["run"], each["code"], bytes.fromhex(each["sent"]).decode()) for each in answers]

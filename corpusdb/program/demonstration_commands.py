"""The command that shows the whole chain."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which

from corpusdb.base.errors import UsageError
from corpusdb.commands.command import command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import write_json, write_text

__all__ = ["demo"]

_COLLECTION = "phrasebook"


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What `demo` takes: nothing of its own."""


@command("demo")
def demo(invocation: Invocation, options: DemoOptions) -> None:
    """Show each system on the built-in phrasebook, and what to try next.

    It runs in a new database: a temporary file, which is left there to be looked at, or the one that --db names.
    Japanese rules, and alignment with Japanese, need the extra japanese; without it all else is shown.
    """
    from corpusdb.chain.queries.overview import overview
    from corpusdb.program.demonstration_report import demonstration_document, demonstration_text
    from corpusdb.program.queries.demonstration import run_demo

    if invocation.chosen is None:
        invocation = replace(invocation, chosen=Path(tempfile.mkdtemp(prefix="corpusdb-")) / "demo.db")
    with invocation.writing(create=True) as store:
        others = [each.name for each in overview(store).collections if each.name != _COLLECTION]
        if others:
            raise UsageError(f"{store.path} holds {', '.join(others)}; the demonstration wants a database of its own")
        report = invocation.run(run_demo(store))
    text = demonstration_text(report, invocation.path, _program())
    if invocation.json:
        figures = demonstration_document(report)
        write_json(figures | {"text": text, "database": str(invocation.path)})
    else:
        write_text(text)
    invocation.say(f"the database is {invocation.path}; --db FILE makes it where you say")
    invocation.say("`corpusdb guide linguists` and `guide evaluators` go on with it")


def _program() -> str:
    """How this program is called: by its name where that is found, else as it was called now."""
    called = sys.argv[0]
    if which("corpusdb"):
        return "corpusdb"
    return called if Path(called).name == "corpusdb" else "python -m corpusdb"

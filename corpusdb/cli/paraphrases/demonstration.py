"""The command that shows the whole chain."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_text
from corpusdb.errors import UsageError

__all__ = ["demo"]

_COLLECTION = "phrasebook"


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What `demo` takes: nothing of its own."""


@command("demo")
def demo(invocation: Invocation, options: DemoOptions) -> None:
    """Show the whole chain on the built-in phrasebook.

    It runs in a new database: a temporary file, which is left there to be looked at, unless one is named with --db.
    """
    from corpusdb.queries.chain.demonstration import run_demo
    from corpusdb.queries.database.overview import overview
    from corpusdb.reports.demonstration import demonstration_text

    if invocation.chosen is None:
        invocation = replace(invocation, chosen=Path(tempfile.mkdtemp(prefix="corpusdb-")) / "demo.db")
    with invocation.writing(create=True) as store:
        others = [each.name for each in overview(store).collections if each.name != _COLLECTION]
        if others:
            raise UsageError(f"{store.path} holds {', '.join(others)}; the demonstration wants a database of its own")
        report = invocation.run(run_demo(store))
    text = demonstration_text(report)
    if invocation.json:
        figures = {"sentences": report.sentences, "detection": report.detection, "generation": report.generation}
        write_json(figures | {"text": text, "database": str(invocation.path)})
    else:
        write_text(text)
    invocation.say(f"the database is {invocation.path}; go on with `corpusdb --db {invocation.path} info`")

"""The command that checks rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_line

__all__ = ["check_rules"]


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What `rules check` takes."""

    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="[FILE...]", help="Files of rules; those of the program if not given.", show_default=False
        ),
    ] = field(default_factory=list)
    texts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Try them on these texts, one a line.", show_default=False)
    ] = None
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=0, help="Failures of each kind that are shown; 0 is all.")
    ] = 20


@command("check")
def check_rules(invocation: Invocation, options: CheckOptions) -> None:
    """Check that rules do what their examples say.

    Each example must come out, and each rule must have three in each direction and two that stay as they are. Then each
    rule by itself is tried on --texts, or on all examples: what it makes should analyse into the morphemes that it
    wrote (else it is dropped where rules are applied), and the other direction of a two-way rule restore the text. The
    exit code is 1 where an example fails or, of --texts, more than 0.2 % is read otherwise or 1 % not restored; it is
    3, with file, line and column, for a rule that cannot be read.
    """
    from corpusdb.formats.scoring_input import read_plain
    from corpusdb.queries.rules.checking import check_rule_files
    from corpusdb.queries.rules.choice import rules_of_files
    from corpusdb.reports.rules import check_document, check_lines

    rules = rules_of_files(options.files)
    texts = read_plain(options.texts) if options.texts else []
    found = invocation.run(check_rule_files(rules, texts), resumes=False)
    if invocation.json:
        write_json(check_document(found))
    else:
        for line in check_lines(found, options.limit):
            write_line(line)
        for what in ("reading", "round trip"):
            total = sum(each.what == what for each in found.failures)
            invocation.say_cut(options.limit or total, total, f"failures in {what}")
    if not found.ok:
        raise typer.Exit(1)

"""The command that shows what is to be known beyond `--help`."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated

import typer

from corpusdb.cli.database.paging import show_text
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_table
from corpusdb.errors import UsageError
from corpusdb.guides import guide_text, guide_topics

__all__ = ["guide"]


@dataclass(frozen=True, slots=True)
class GuideOptions:
    """What `guide` takes."""

    topic: Annotated[str | None, typer.Argument(metavar="TOPIC", help="One of those listed without it.")] = None


@command("guide")
def guide(invocation: Invocation, options: GuideOptions) -> None:
    """Read about a topic; without one, list the topics.

    On a terminal a text that is longer than it is shown by $PAGER, or by less; anywhere else as it is.
    """
    topics = guide_topics()
    if options.topic is None:
        if invocation.json:
            write_json(topics)
        else:
            write_table(("topic", "about"), list(topics.items()))
        return
    if options.topic not in topics:
        near = get_close_matches(options.topic, topics)
        meant = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"there is no guide to {options.topic!r}{meant or '; there are ' + ', '.join(topics)}")
    if invocation.json:
        write_json({"topic": options.topic, "text": guide_text(options.topic)})
    else:
        show_text(guide_text(options.topic).rstrip("\n"))

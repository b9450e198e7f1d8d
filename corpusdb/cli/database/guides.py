"""The command that shows what is to be known beyond `--help`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_line, write_table
from corpusdb.errors import UsageError
from corpusdb.guides import guide_text, guide_topics

__all__ = ["guide"]


@dataclass(frozen=True, slots=True)
class GuideOptions:
    """What `guide` takes."""

    topic: Annotated[str | None, typer.Argument(metavar="TOPIC", help="One of those listed without it.")] = None


@command("guide")
def guide(invocation: Invocation, options: GuideOptions) -> None:
    """Read about a topic; without one, list the topics."""
    topics = guide_topics()
    if options.topic is None:
        if invocation.json:
            write_json(topics)
        else:
            write_table(("topic", "about"), list(topics.items()))
        return
    if options.topic not in topics:
        raise UsageError(f"there is no guide to {options.topic!r}; there are {', '.join(topics)}")
    if invocation.json:
        write_json({"topic": options.topic, "text": guide_text(options.topic)})
    else:
        write_line(guide_text(options.topic).rstrip("\n"))

"""What was made again, as text."""

from __future__ import annotations

from collections.abc import Iterator

from corpusdb.queries.replay.stored import Replayed

__all__ = ["replay_lines"]


def replay_lines(found: Replayed) -> Iterator[str]:
    """What it is and whether it is the same; below that what differs, and which input is another."""
    yield f"{'equal  ' if found.equal else 'differs'}  {found.what}"
    for difference in found.differences:
        yield f"    {difference}"
    for line in found.inputs:
        yield f"    {'but ' if found.equal else ''}{line}"
    if not found.equal and not found.inputs and not found.notes:
        yield "    no input that is known has changed"
    for note in found.notes:
        yield f"    {note}"

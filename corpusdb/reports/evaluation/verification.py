"""A stored score that was computed again, as text."""

from __future__ import annotations

from collections.abc import Iterator

from corpusdb.queries.evaluation.verification import Verification

__all__ = ["verification_lines"]

_SEGMENTS_SHOWN = 5


def verification_lines(found: Verification) -> Iterator[str]:
    """The score and what differs, below it the segments whose references are others, five at most."""
    yield f"{found.id}  {found.system}  {found.stored:.4f}  {'ok' if found.ok else 'differs'}  {found.signature}"
    for difference in found.differences:
        yield f"    {difference}"
    for each in found.segments[:_SEGMENTS_SHOWN]:
        for sign, texts in (("+", each.gained), ("-", each.lost)):
            for text in texts:
                yield f"      {each.segment} {sign} {text}"
    if (more := len(found.segments) - _SEGMENTS_SHOWN) > 0:
        yield f"      and {more:,} more segments whose references differ"
    if not found.ok:
        now = "none: a segment has no reference" if found.current is None else f"{found.current:.4f}"
        yield f"    the score is now {now}"
    for note in found.notes:
        yield f"    {note}"

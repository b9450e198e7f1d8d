"""Reference sets with what rules made of them, written with the lineage of each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.rules.reference_rules import rewritten

if TYPE_CHECKING:
    from corpusdb.formats import ReferenceSet
    from corpusdb.outputs import Guard

__all__ = ["LINEAGE", "check_lineage", "with_rules", "write_lineage"]

LINEAGE: Final = "lineage.jsonl"
"""Beside the files of a layout: of each reference that rules made its segment, its place and its steps."""


def check_lineage(folder: Path, guard: Guard) -> None:
    """Raise what writing the lineage there would raise, before there is anything to write."""
    from corpusdb.outputs import check_output

    if folder.exists():
        check_output(folder / LINEAGE, guard)


def with_rules(
    invocation: Invocation, sets: Sequence[ReferenceSet], rules: str, most: int
) -> tuple[list[ReferenceSet], str, list[dict[str, object]]]:
    """The sets with what rules make of them, the label of the rules, and the lineage of all that was added."""
    from corpusdb.formats.references import with_added
    from corpusdb.queries.evaluation.rewritten_references import lineage_documents

    found, label = rewritten(invocation, sets, rules, most)
    known = [with_added(before, after, "rule") for before, after in zip(sets, found.sets, strict=True)]
    return known, label, lineage_documents(found)


def write_lineage(lineage: Sequence[object], folder: Path, guard: Guard) -> Path:
    """Write the file of the lineage; returns its path."""
    from corpusdb.outputs import Outputs
    from corpusdb.rows import json_line

    path = folder / LINEAGE
    with Outputs(guard) as outputs, outputs.text(path) as stream:
        stream.writelines(f"{json_line(each)}\n" for each in lineage)
    return path

"""The references that a person accepted in a session, as a file of references."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.references import ReferenceSet
from corpusdb.formats.registry import FORMATS, format_of_extension
from corpusdb.outputs import Guard, Outputs, check_output
from corpusdb.queries.sessions.decisions import decisions
from corpusdb.queries.sessions.sessions import seeds_of_session
from corpusdb.store import Store

__all__ = [
    "REFERENCE_FORMATS",
    "ReferenceFile",
    "ReferenceFormat",
    "WrittenReferences",
    "reference_file",
    "session_references",
    "write_session_references",
]

ReferenceFormat: TypeAlias = Literal["tsv", "jsonl"]
REFERENCE_FORMATS: Final[tuple[ReferenceFormat, ...]] = get_args(ReferenceFormat)


@dataclass(frozen=True, slots=True)
class ReferenceFile:
    """Where references go, and how."""

    path: Path
    format: ReferenceFormat
    guard: Guard


@dataclass(frozen=True, slots=True)
class WrittenReferences:
    """What was written."""

    path: Path
    segments: int
    """One for each seed."""
    accepted: int
    """References that were accepted, those beside the seeds themselves."""


def reference_file(path: Path, format: str | None, guard: Guard) -> ReferenceFile:
    """A file of references, its format by its ending where none is given.

    Raises UsageError for a format that there is none of, and as check_output does for a file that stands in the way.
    """
    found = format_of_extension(path.suffix.casefold()) if not format else None
    wanted = format or (found.name if found is not None else "")
    chosen = next((each for each in REFERENCE_FORMATS if each == wanted), None)
    if chosen is None:
        told = f"there is no format {format!r} here" if format else f"{path.name} does not tell the format"
        raise UsageError(f"{told}; there are {' and '.join(REFERENCE_FORMATS)}")
    check_output(path, guard)
    return ReferenceFile(path, chosen, guard)


def session_references(store: Store, name: str) -> list[ReferenceSet]:
    """A set for each seed of a session, in their order: the seed itself, then what was accepted of it, as accepted.

    What was accepted counts whether it is written into the corpus or not. Raises InputError where there is no such
    session, and where nothing is accepted in it.
    """
    with store.snapshot():
        seeds = [each.text for each in seeds_of_session(store, name)]
        said = decisions(store, name)
    accepted: dict[str, list[str]] = {seed: [seed] for seed in seeds}
    for each in said:
        if each.verdict == "accept" and each.text not in accepted[each.seed]:
            accepted[each.seed].append(each.text)
    if all(len(texts) == 1 for texts in accepted.values()):
        raise InputError(f"nothing is accepted in session {name!r} yet")
    return [ReferenceSet(str(number), seed, tuple(accepted[seed])) for number, seed in enumerate(seeds, 1)]


def write_session_references(store: Store, name: str, file: ReferenceFile) -> WrittenReferences:
    """Write the references of a session to one file, in a form that ``score --ref`` reads.

    Raises what session_references raises, and InputError for texts that the format cannot hold.
    """
    sets = session_references(store, name)
    writer = FORMATS[file.format].reference_writer
    if writer is None or writer.lines is None:
        raise UsageError(f"references cannot be written as one file of {file.format}")
    with Outputs(file.guard) as outputs, outputs.text(file.path) as target:
        target.writelines(writer.lines(sets))
    accepted = sum(len(each.references) - 1 for each in sets)
    return WrittenReferences(file.path, len(sets), accepted)

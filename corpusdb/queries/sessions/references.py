"""The references that a person accepted in a session, as a file of references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.references import ReferenceSet
from corpusdb.formats.registry import FORMATS, format_of_extension
from corpusdb.formats.scoring_input import read_texts
from corpusdb.outputs import Guard, Outputs, check_output
from corpusdb.queries.sessions.decisions import decisions
from corpusdb.queries.sessions.sessions import seeds_of_session
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = [
    "BLANK",
    "REFERENCE_FORMATS",
    "ReferenceFile",
    "ReferenceFormat",
    "SessionReferences",
    "WrittenReferences",
    "reference_file",
    "session_references",
    "write_session_references",
]

ReferenceFormat: TypeAlias = Literal["tsv", "jsonl"]
REFERENCE_FORMATS: Final[tuple[ReferenceFormat, ...]] = get_args(ReferenceFormat)
BLANK: Final = "-"
"""Source and reference of a segment without text: as little as can be, since no reference may be blank."""


@dataclass(frozen=True, slots=True)
class ReferenceFile:
    """Where references go, and how."""

    path: Path
    format: ReferenceFormat
    guard: Guard


@dataclass(frozen=True, slots=True)
class SessionReferences:
    """The references that a session has for some segments."""

    sets: tuple[ReferenceSet, ...]
    accepted: int
    """References that were accepted, those beside the seeds themselves."""
    alone: int
    """Segments that have only themselves: nothing is accepted of their seed."""
    no_seed: int = 0
    """Of these, the lines of a test set that are no seed of the session."""
    blank: int = 0
    """Lines of a test set that are blank; their reference is BLANK, since none may be blank."""
    left_out: int = 0
    """Seeds that are no line of the test set."""


@dataclass(frozen=True, slots=True)
class WrittenReferences:
    """What was written."""

    path: Path
    segments: int
    references: SessionReferences
    unit: Literal["seed", "line"]
    """What there is a segment for: each seed of the session, or each line of a test set."""

    @property
    def notes(self) -> list[str]:
        """What there is to know beside how many they are."""
        found, notes = self.references, []
        if found.alone:
            only = "has only itself" if found.alone == 1 else "have only themselves"
            notes.append(f"{found.alone:,} of {self.segments:,} {self.unit}s {only} as reference")
        if found.no_seed:
            notes[-1] += f", {found.no_seed:,} of them no seed"
        if found.blank:
            what = "blank line has" if found.blank == 1 else "blank lines have"
            # First, since it changes a score; a status line may have no room for more.
            notes.insert(0, f"{found.blank:,} {what} the reference {BLANK!r}: score {BLANK!r} there")
        if found.left_out:
            notes.append(f"seeds that are in no line, left out: {found.left_out:,}")
        return notes


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


def session_references(store: Store, name: str, lines: Sequence[str] | None = None) -> SessionReferences:
    """A set for each seed of a session, in their order: the seed itself, then what was accepted of it, as accepted.

    With the ``lines`` of a test set there is one for each of these, doubles included, so that outputs of that test set
    have as many segments; a line that is no seed is its only reference. What was accepted counts whether it is written
    into the corpus or not. Raises InputError where there is no such session, where nothing is accepted in it, and where
    no line is a seed.
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
    texts = seeds if lines is None else [normalise(line) for line in lines]
    if accepted.keys().isdisjoint(texts):
        raise InputError(f"no line of the test set is a seed of session {name!r}")
    sets = tuple(
        ReferenceSet(str(number), text or BLANK, tuple(accepted.get(text, [text or BLANK])))
        for number, text in enumerate(texts, 1)
    )
    blank = sum(not text for text in texts)
    return SessionReferences(
        sets=sets,
        accepted=sum(len(each.references) - 1 for each in sets),
        alone=sum(len(each.references) == 1 for each in sets) - blank,
        no_seed=sum(text not in accepted for text in texts) - blank,
        blank=blank,
        left_out=len(accepted.keys() - set(texts)),
    )


def write_session_references(
    store: Store, name: str, file: ReferenceFile, test_set: Path | None = None
) -> WrittenReferences:
    """Write the references of a session to one file, in a form that ``score --ref`` reads.

    ``test_set`` has a line, or a row with a source, for each segment that is wanted. Raises what session_references
    raises, and InputError for texts that the format cannot hold and for a test set that cannot be read.
    """
    lines = None if test_set is None else read_texts(test_set)
    found = session_references(store, name, lines)
    writer = FORMATS[file.format].reference_writer
    if writer is None or writer.lines is None:
        raise UsageError(f"references cannot be written as one file of {file.format}")
    with Outputs(file.guard) as outputs, outputs.text(file.path) as target:
        target.writelines(writer.lines(found.sets))
    return WrittenReferences(file.path, len(found.sets), found, "seed" if lines is None else "line")

"""What every reader yields: aligned units, and the lines that were left out with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from corpusdb.errors import InputError
from corpusdb.formats.annotated.annotation import Annotation

__all__ = [
    "Document",
    "Header",
    "Item",
    "Options",
    "Record",
    "Rejected",
    "Role",
    "Skipped",
    "Source",
    "Version",
    "aligned_unit",
    "skip_or_raise",
]

Header: TypeAlias = Literal["auto", "yes", "no"]
Role: TypeAlias = Literal["", "source", "reference", "system"]


@dataclass(frozen=True, slots=True)
class Document:
    """A document inside a file: a talk, a dialogue, a news story."""

    name: str
    """Its id in the file."""
    attributes: tuple[tuple[str, str], ...] = ()
    """Other attributes in the file, such as its original language, domain or genre, sorted by name."""


@dataclass(frozen=True, slots=True)
class Version:
    """Which of the texts of a unit this is, where the file says so."""

    role: Role = ""
    name: str = ""
    """Of the translator or the system."""


@dataclass(slots=True, unsafe_hash=True)  # a frozen one takes six times as long to make, and there are millions
class Record:
    """One aligned unit: a text for each language, in the order of the languages; "" or None where one is missing.

    Nobody changes one.
    """

    line: int
    """Line of the file, counted from 1; of the links file for Tatoeba."""
    texts: tuple[str | None, ...]
    """Texts as they stand in the file, neither stripped nor normalised."""
    languages: tuple[str, ...] = ()
    """The languages of ``texts`` where they differ from unit to unit; empty where those of the source hold."""
    name: str = ""
    """The id of the unit in its file or document; empty where it has none."""
    document: Document | None = None
    """The document that the unit stands in, where the file has documents; units of one document follow each other."""
    versions: tuple[Version, ...] = ()
    """A version for each text; empty where the file gives none."""
    annotations: tuple[Annotation | None, ...] = ()
    """For each text what is known of its tokens; empty where the file says nothing of tokens."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that is skipped and counted."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped(Rejected):
    """A line for which the file would be refused, were bad lines not to be skipped."""

    path: Path
    place: int
    """Its line in this file, from 1, where ``line`` counts units or goes on from file to file."""


Item: TypeAlias = Record | Rejected


@dataclass(frozen=True, slots=True)
class Options:
    """How files are to be read; each format takes what it needs of it."""

    languages: tuple[str, ...] = ()
    """ISO 639-3 codes in the order wanted. Empty = all, for the formats that name the languages themselves."""
    columns: tuple[int, ...] | tuple[str, ...] | None = None
    """TSV: one column per language, by position from 1 or by header name. None = from the header, else the first."""
    header: Header = "auto"
    """TSV and CSV: whether the first line names the columns."""
    systems: bool = False
    """WMT XML and SGM: also the output of systems, which is left out otherwise, since no person wrote it."""
    attributes: tuple[str, ...] = ()
    """Vertical files: what the columns are, the word first. TMX: the properties that are attributes of tokens."""
    skip_bad: bool = False
    """Whether a line or unit that cannot be used is ``Skipped``, where the format can tell where the next one begins;
    otherwise it is an error. How many there may be is for the reader's caller to say."""


class Source(Protocol):
    """Files that are read as one sequence of units, as often as wanted."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, in the order in which they are read; ``-`` is standard input."""

    @property
    def languages(self) -> tuple[str, ...]:
        """ISO 639-3 codes of the texts of a record; empty where every record names its own."""

    def items(self) -> Iterator[Item]:
        """Read the files from their beginning.

        Raises InputError when they cannot be used. That may happen after any number of items, so a caller who wants
        all or nothing must take back what came before.
        """

    def digest(self) -> str:
        """SHA-256 over the bytes of all files in order, in hexadecimal."""


def skip_or_raise(error: InputError, line: int, *, skip_bad: bool) -> Skipped:
    """What stands for a bad line, the ``line``-th of its source; where bad lines are no less than errors, raises it."""
    if not skip_bad or error.path is None or error.line is None:
        raise error
    return Skipped(line, error.reason, Path(error.path), error.line)


def aligned_unit(line: int, texts: tuple[str, ...], places: Sequence[str]) -> Item:
    """The record for one line, or its rejection where too few texts are left to align.

    A text of nothing but white space counts as missing. A unit of more than two languages may lack some as long as
    two texts are left; these stand as "". ``places`` says for each text where it stood, as in "column 2 (fra)".
    """
    empty = [place for place, text in zip(places, texts, strict=True) if not text or text.isspace()]
    if not empty:
        return Record(line, texts)
    if len(texts) - len(empty) < 2:
        return Rejected(line, "empty text in " + " and ".join(empty))
    return Record(line, tuple("" if text.isspace() else text for text in texts))

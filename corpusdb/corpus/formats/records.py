"""What travels between files and the rest: aligned units read, units selected to be written, reference sets."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, Protocol, TypeAlias

from corpusdb.base.display import Formulas, json_line, tsv_line
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import Option, number_of
from corpusdb.base.outputs import Content
from corpusdb.base.text import normalise, unit_ends
from corpusdb.corpus.formats.reading import digest_of, read_lines

# What is known of the tokens of a sentence, and where in its text they stand.

WORD_ATTRIBUTE: Final = "word"
"""The attribute that every token has: its form."""
_NAME: Final = re.compile(r"[^\W\d]\w*(?:-\w+)*")


@dataclass(frozen=True, slots=True)
class Annotation:
    names: tuple[str, ...]
    """Of the attributes, the word first."""
    spans: tuple[tuple[int, int], ...]
    """Where each token stands in the normalised text, half open, in code points; never before the one before it begins.

    Words that are written as one, as French *du* is *de le*, have one span.
    """
    columns: tuple[tuple[str, ...], ...]
    """For each attribute its value for each token; "" where nothing is known."""
    remarks: tuple[tuple[int, str], ...] = ()
    """Lines of the file that are about no token by itself, each with the number of tokens before it; -1: a comment."""

    def __post_init__(self) -> None:
        if any(len(column) != len(self.spans) for column in self.columns) or len(self.names) != len(self.columns):
            raise ValueError("each attribute has a value for each token")


@dataclass(frozen=True, slots=True)
class Surface:
    """What stands in the text for one token, or for several that are written as one."""

    text: str
    words: int = 1
    """How many tokens it is."""
    space_after: bool = True


def place_tokens(surfaces: Sequence[Surface], text: str | None = None) -> tuple[str, list[tuple[int, int]]] | str:
    """The normalised text, and where each surface stands in it; or the first surface that is not where it should be.

    Without a ``text`` it is put together from the surfaces. Only white space may stand between two of them.
    """
    if text is None:
        text = "".join(each.text + " " * each.space_after for each in surfaces)
    text = normalise(text)
    spans: list[tuple[int, int]] = []
    end = 0
    for surface in surfaces:
        written = normalise(surface.text)
        while end < len(text) and text[end].isspace() and not text.startswith(written, end):
            end += 1
        if not written or not text.startswith(written, end):
            return surface.text
        spans.append((end, end + len(written)))
        end += len(written)
    return (text, spans) if not text[end:].strip() else text[end:].strip()


def word_spans(span: tuple[int, int], surface: str, forms: Sequence[str]) -> list[tuple[int, int]]:
    """Where the words stand that are written as one: each by itself where they follow each other there (do + n't)."""
    begin, end = span
    if "".join(forms) != surface:
        return [span] * len(forms)
    spans = []
    for form in forms:
        spans.append((begin, begin + len(form)))
        begin += len(form)
    return spans if begin == end else [span] * len(forms)


def is_name(name: str) -> bool:
    """Whether a query can ask for an attribute of that name."""
    return _NAME.fullmatch(name) is not None and name not in ("within", "s")


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of attributes as a query can ask for them. Raises UsageError for one that it cannot, and for one twice."""
    for place, name in enumerate(names):
        if not is_name(name):
            raise UsageError(f"{name!r} is not an attribute name; names are letters, digits and _, such as lemma")
        if name in names[:place]:
            raise UsageError(f"the attribute {name} is named twice")
    return tuple(names)


# Attributes of tokens in the properties of a text, as translation memories hold them: the values of
# ``<prop type="lemma">he go home .</prop>`` are those of the tokens in their order; _ is nothing known. The tokens are
# those of a property ``word``, where there is one, else the units of the program: words, clitics and marks.


def annotation_in_properties(
    text: str, properties: Mapping[str, str], names: Sequence[str], path: Path, line: int
) -> Annotation | None:
    """What the properties named, with or without ``x-`` before the name, say of the tokens of a text; None for nothing.

    Raises InputError where a property has not one value for each token, and where words do not make up the text.
    """
    found = {}
    for name in names:
        value = properties.get(name, properties.get(f"x-{name}"))
        if value is not None:
            found[name] = value.split()
    if not found:
        return None
    stored = normalise(text)
    words = found.pop(WORD_ATTRIBUTE, None)
    if words is not None:
        placed = place_tokens([Surface(word) for word in words], stored)
        if isinstance(placed, str):
            raise InputError(f"the property {WORD_ATTRIBUTE} is not the text, at {placed!r}", path=path, line=line)
        spans = placed[1]
    else:  # without the space before each unit
        units = pairwise([0, *unit_ends(stored)])
        spans = [(end - len(stored[begin:end].lstrip()), end) for begin, end in units]
    for name, values in found.items():
        if len(values) != len(spans):
            reason = f"the property {name} has {len(values)} values, and the text {len(spans)} tokens"
            raise InputError(reason, path=path, line=line)
    columns = [tuple("" if value == "_" else value for value in values) for values in found.values()]
    forms = tuple(stored[begin:end] for begin, end in spans)
    return Annotation((WORD_ATTRIBUTE, *found), tuple(spans), (forms, *columns))


# What every reader yields: aligned units, and the lines that were left out with the reason.

Header: TypeAlias = Literal["auto", "yes", "no"]
Role: TypeAlias = Literal["", "source", "reference", "system"]


@dataclass(frozen=True, slots=True)
class Document:
    """A document inside a file: a talk, a dialogue, a news story."""

    name: str
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
    path: Path | None = None
    """The file, where the source has several; None: its first."""
    place: int = 0
    """Its line in this file, from 1, where ``line`` counts units or goes on from file to file; 0: ``line``."""


@dataclass(frozen=True, slots=True)
class Skipped(Rejected):
    """A line for which the file would be refused, were bad lines not to be skipped."""


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
    """Vertical files: what the columns are, the word first. TMX: the properties that are attributes of tokens, and
    those of units. Tables: the columns that are attributes of lines."""
    skip_bad: bool = False
    """Whether a line or unit that cannot be used is ``Skipped``, where the format can tell where the next one begins;
    otherwise it is an error. How many there may be is for the reader's caller to say."""


@dataclass(frozen=True, kw_only=True)  # without slots, so that it can stand beside other options
class AskedReading:
    """What the command line asks of reading that not every format knows; ``reading`` makes it the Options of readers.

    In a help, {formats with NAME} stands for the formats whose reader takes the option of that name.
    """

    columns: Annotated[
        str | None,
        Option("{formats with columns}: the column of each language, by number from 1 or by name.", metavar="COL,..."),
    ] = None
    header: Annotated[Header, Option("{formats with header}: whether the first line names the columns.")] = "auto"
    systems: Annotated[bool, Option("{formats with systems}: also the output of the systems.")] = False
    attributes: Annotated[
        str,
        Option(
            "{formats with attributes}: attributes of tokens, as word,pos,lemma; or of lines: columns of tables, "
            "properties of tmx units, as speaker,scene or document=doc,speaker=en_speaker.",
            metavar="NAME,...",
        ),
    ] = ""

    def reading(self, languages: tuple[str, ...], *, skip_bad: bool) -> Options:
        """The same as readers take it; what has commas between its parts is told apart."""
        asked: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(AskedReading)}
        columns = tuple(self.columns.split(",")) if self.columns else None
        by_number = columns is not None and all(column.isdecimal() for column in columns)
        asked["columns"] = tuple(map(number_of, columns)) if columns and by_number else columns
        asked["attributes"] = tuple(self.attributes.split(",")) if self.attributes else ()
        return Options(languages, skip_bad=skip_bad, **asked)


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


@dataclass(frozen=True, slots=True)
class FilesRead:
    """Files, and how they are read: what a Source of them needs beside its items."""

    paths: tuple[Path, ...]
    options: Options
    counts_units: ClassVar[bool] = False
    """Whether the line of a record is the number of its unit, since the file may have no line ends."""
    names_languages: ClassVar[bool] = False
    """Whether every record names its own languages."""

    @property
    def languages(self) -> tuple[str, ...]:
        return () if self.names_languages else self.options.languages

    def digest(self) -> str:
        return digest_of(self.paths)


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


# Reference sets, the reference translations of each segment, and what their writers have in common.

ANY: Final = "any"
"""The language that test sets name where none is known."""

PROVENANCE: Final = "provenance.tsv"
"""Beside references in a form that has no room for it: where each comes from."""
PROVENANCE_COLUMNS: Final = ("origin", "validity", "corpus", "change")
"""What tables of references tell of each, where it is known."""


class Provenance(NamedTuple):
    origin: str
    """All that hold, with + between them: original+detected; empty where it is not known."""
    validity: float | None = None
    """The probability that it holds; None for those that people vouch for, and where it is not known."""
    change: str = ""
    """What it differs from the original in: mark, contraction, pointing or real; empty where it is not known."""

    @classmethod
    def of_cells(cls, origin: str, validity: str) -> Provenance:
        """From the cells of a table; a validity that is no number is not known."""
        try:
            return cls(origin, float(validity))
        except ValueError:
            return cls(origin)


UNKNOWN: Final = Provenance("")


@dataclass(frozen=True, slots=True)
class ReferenceSet:
    id: str
    """What the segment is called in messages and in the output: its line, or its number in a document."""
    source: str
    """The text that was, or is to be, translated; the seed where there is no other; empty where it is not known."""
    references: tuple[str, ...]
    """Best first."""
    provenance: Mapping[str, Provenance] = field(default_factory=dict, compare=False)
    """By reference, where that is known: no part of what a set is, nor of its digest."""

    corpus: str = field(default="", compare=False)
    """How the test set stands to the corpus that made its references: near; or far, where their validities do not hold;
    empty where it is not known. No part of what a set is either."""

    def provenance_of(self, reference: str) -> Provenance:
        return self.provenance.get(reference, UNKNOWN)

    def known_of(self, reference: str) -> tuple[str, float | None, str, str]:
        """The cells of a reference under PROVENANCE_COLUMNS."""
        known = self.provenance_of(reference)
        return known.origin, known.validity, self.corpus, known.change


def with_added(before: ReferenceSet, after: ReferenceSet, origin: str) -> ReferenceSet:
    """The set ``after`` with what is known of its references: those that it had ``before`` are given unless something
    else is known of them, the others are of that origin."""
    given = {text: Provenance("original") for text in before.references} | dict(before.provenance)
    found = {text: given.get(text, Provenance(origin)) for text in after.references}
    return replace(after, provenance=found, corpus=before.corpus)


def check_sets(sets: Iterable[ReferenceSet], forbidden: str = "") -> tuple[list[ReferenceSet], bool]:
    """The sets, and whether they have sources: all or none has. Raises InputError as check_set."""
    segments = list(sets)
    have_sources = any(each.source for each in segments)
    return [check_set(each, forbidden, has_source=have_sources) for each in segments], have_sources


def check_set(segment: ReferenceSet, forbidden: str = "", *, has_source: bool = True) -> ReferenceSet:
    """The set itself. Raises InputError for one without references, and for texts that are blank or hold a character of
    ``forbidden``, which are line breaks and tabs."""
    if not segment.references:
        raise InputError(f"segment {segment.id!r} has no reference; a missing one is not the same as an empty one")
    texts = {"source": segment.source} if has_source else {}
    texts |= {f"reference {n}": text for n, text in enumerate(segment.references, 1)}
    for what, text in texts.items():
        if not text or text.isspace():
            raise InputError(f"{what} of segment {segment.id!r} is empty")
        if any(character in text for character in forbidden):
            names = "a line break or a tab" if "\t" in forbidden else "a line break"
            raise InputError(f"{what} of segment {segment.id!r} holds {names}")
    return segment


def references_of_rank(segments: Sequence[ReferenceSet], rank: int) -> Iterator[str]:
    """The reference of each segment at a rank, from 0; smaller sets are filled up by repeating their own.

    They are repeated in the order of their texts, so that sets of the same references are filled up alike, and NIST and
    TER, which count each copy, say the same of them as the digest does.
    """
    for segment in segments:
        known = segment.references
        yield known[rank] if rank < len(known) else sorted(known)[(rank - len(known)) % len(known)]


def reference_units(sets: Iterable[ReferenceSet]) -> list[Record]:
    """The sets as units of a test set: each a source and the same number of references, named 1, 2 ... by rank.

    There is no unit without a source: the first reference stands for one where none is known.
    """
    segments, have_sources = check_sets(sets)
    if not have_sources:
        segments = [replace(each, source=each.references[0]) for each in segments]
    width = max((len(segment.references) for segment in segments), default=0)
    ranks = [list(references_of_rank(segments, rank)) for rank in range(width)]
    versions = (Version("source"), *(Version("reference", str(rank)) for rank in range(1, width + 1)))
    return [
        Record(line, (segment.source, *references), languages=(ANY,) * (width + 1), name=segment.id, versions=versions)
        for line, (segment, *references) in enumerate(zip(segments, *ranks, strict=True), 1)
    ]


def provenance_files(sets: Sequence[ReferenceSet]) -> dict[str, Content]:
    """The file of where each reference comes from; none where nothing is known of that."""
    if not any(each.provenance for each in sets):
        return {}
    rows: list[tuple[str | int | float | None, ...]] = [("segment", "rank", *PROVENANCE_COLUMNS)]
    for number, each in enumerate(sets, 1):
        rows += [(number, rank, *each.known_of(text)) for rank, text in enumerate(each.references, 1)]
    return {PROVENANCE: lambda file: file.writelines(map(tsv_line, rows))}


def read_provenance(path: Path) -> dict[tuple[int, int], Provenance]:
    """What such a file says of each reference, by segment and rank, from 1. Raises InputError for any other table."""
    found = {}
    for line, row in read_lines(path):
        cells = row.split("\t")
        if line == 1 and cells[:4] == ["segment", "rank", "origin", "validity"]:
            continue
        if line == 1 or len(cells) < 4 or not (cells[0].isdecimal() and cells[1].isdecimal()):
            reason = "is not a table of segment, rank, origin and validity, as `corpusdb references` writes it"
            raise InputError(reason, path=path, line=line)
        found[number_of(cells[0]), number_of(cells[1])] = Provenance.of_cells(cells[2], cells[3])
    return found


def lines_of(lines: Iterable[str]) -> Content:
    """The content of a file with these lines."""
    return lambda file: file.writelines(f"{line}\n" for line in lines)


# The texts of units that are to be written, one by one, and checked for what a format cannot hold.

Records: TypeAlias = Callable[[], Iterable[Record]]
"""Units that may be read several times, each time from the beginning and in the same order."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One text of a unit, which is not blank."""

    version: Version
    language: str
    text: str
    annotation: Annotation | None = None


def variants_of(record: Record, languages: tuple[str, ...]) -> list[Variant]:
    """The texts of a unit that are not blank; ``languages`` hold where the record names none."""
    versions = record.versions or (Version(),) * len(record.texts)
    annotations = record.annotations or (None,) * len(record.texts)
    texts = zip(versions, record.languages or languages, record.texts, annotations, strict=True)
    return [
        Variant(version, language, text, annotation)
        for version, language, text, annotation in texts
        if text and not text.isspace()
    ]


def select(record: Record, languages: tuple[str, ...]) -> Record:
    """The unit with those of its texts that are there and in one of the languages, in their order; empty = all.

    The languages are named by the unit that is returned; they are also those of a unit that does not name its own.
    """
    is_selected = bool(record.languages) and languages in ((), record.languages)
    if is_selected and not record.versions and all(text and not text.isspace() for text in record.texts):
        return record
    variants = variants_of(record, languages)
    if languages:
        chosen = (each for each in variants if each.language in languages)
        variants = sorted(chosen, key=lambda each: languages.index(each.language))
    versions = tuple(each.version for each in variants)
    return Record(
        record.line,
        tuple(each.text for each in variants),
        tuple(each.language for each in variants),
        record.name,
        record.document,
        versions if any(each != Version() for each in versions) else (),
        tuple(each.annotation for each in variants) if record.annotations else (),
    )


@dataclass(slots=True)
class SelectedUnits:
    """The units with the texts to be written, and counts of the latest pass over them."""

    records: Records
    languages: tuple[str, ...]
    least: int = 2
    given: int = field(default=0, init=False)
    too_few: int = field(default=0, init=False)
    """Units with fewer texts in the languages chosen, which are left out."""
    formulas: Formulas = field(default_factory=Formulas, init=False)
    """Where writers of CSV count the cells that a spreadsheet would run."""
    licence: str = ""
    """Of the collections that the units are of, for formats that have a place for it."""

    def __call__(self) -> Iterator[Record]:
        self.given = self.too_few = 0
        for record in self.records():
            chosen = select(record, self.languages)
            if len(chosen.texts) < self.least:
                self.too_few += 1
            else:
                self.given += 1
                yield chosen


def languages_of(records: Iterable[Record]) -> tuple[str, ...]:
    """The languages that units name, in the order in which they first appear."""
    return tuple(dict.fromkeys(language for record in records for language in record.languages))


def check_writable(text: str, forbidden: re.Pattern[str], format: str) -> str:
    """``text`` itself. Raises InputError where it holds what that format has no way to write."""
    found = forbidden.search(text)
    if found is not None:
        raise InputError(f"{format} cannot hold the character {found[0]!r} in {text[:60]!r}")
    return text


# The digests that name what was scored: of a reference set, as signatures have it, and of an output.
#
# What names a set is what the scores depend on: its segments in order, each with the set of its references. Neither
# the file, nor the order of the references of a segment, nor their repetition (with which formats fill up smaller
# sets), nor the source is part of it. ``exact_digest`` tells whether the texts are the very same.

_VERSION: Final = "2-"
"""What stands before the hexadecimal digits: by which rule the digest is made."""


def digest(sets: Iterable[ReferenceSet]) -> str:
    """``2-`` and the SHA-256 of the references, in hexadecimal: the same for what is scored in whatever format.

    Serialised as one line for each segment in order, ``["reference a","reference b"]``: its references without the
    white space around them, which counts in no score, each once, in the order of their code points; JSON without
    spaces, characters beyond ASCII as they are, UTF-8, ended by LF.
    """
    sha = hashlib.sha256()
    for segment in sets:
        references = sorted({text.strip() for text in segment.references})
        sha.update((json_line(references, compact=True) + "\n").encode())
    return _VERSION + sha.hexdigest()


def repeated(segment: ReferenceSet) -> int:
    """How many references of a segment only repeat another one, by what the digest takes for the same."""
    return len(segment.references) - len({text.strip() for text in segment.references})


def exact_digest(sets: Iterable[ReferenceSet]) -> str:
    """SHA-256 of all texts as they stand, in hexadecimal.

    Serialised as one line for each segment in order, ``["source",["reference 1","reference 2"]]``: JSON without spaces,
    characters beyond ASCII as they are, UTF-8, ended by LF. The ids are no part of it.
    """
    sha = hashlib.sha256()
    for segment in sets:
        sha.update((json_line([segment.source, list(segment.references)], compact=True) + "\n").encode())
    return sha.hexdigest()


def output_digest(texts: Sequence[str]) -> str:
    """SHA-256 of the lines of an output, each ended by LF, in hexadecimal."""
    return hashlib.sha256("".join(f"{text}\n" for text in texts).encode()).hexdigest()

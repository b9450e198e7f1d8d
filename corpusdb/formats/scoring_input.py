"""What is scored and what it is scored with: outputs of systems, sources and references, by segment.

Plain text has one segment a line, and a file of references one reference of every segment. Where segments have
different numbers of references, JSONL and TSV as references.py writes them, mteval SGM and WMT XML tell how many. The
extension of the name says which it is. Everything here is checked, and refused with the file and the line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from corpusdb.errors import InputError
from corpusdb.formats.files.reading import read_lines
from corpusdb.formats.records import Document, Options
from corpusdb.formats.test_sets.bundles import Side

__all__ = [
    "Output",
    "Reference",
    "ReferenceTexts",
    "Segmentation",
    "read_output",
    "read_plain",
    "read_references",
    "read_sources",
]

SegmentId: TypeAlias = tuple[str, str]
"""Of the document, and of the segment in it."""

# Any two codes: who scores need not say which languages these are, and files of references may say "any".
_ANY_LANGUAGES: Final = Options(languages=("und", "und"))
_MARKUP: Final = re.compile(
    r"\s*(<\?xml\b|<!doctype\b|</?(?:seg|refset|tstset|srcset|mteval|dataset|tmx|tuv?|doc)(?:\s[^<>]*)?/?>)",
    re.IGNORECASE,
)
_COLUMNS: Final = ("segment", "reference")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference, and where it stands."""

    text: str
    path: Path
    line: int
    """From 1; in mark-up, of the beginning of its document."""
    name: str = ""
    """Of the translator, where the file tells."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" + (f" ({self.name})" if self.name else "")


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The segments of a file, by which other files are held against it."""

    path: Path
    lines: tuple[int, ...]
    """Where each segment stands in the file, from 1."""
    ids: tuple[SegmentId, ...] = ()
    """An id for each segment, or none where the file gives none."""
    files: int = 1
    """How many files of references there are."""


@dataclass(frozen=True, slots=True)
class ReferenceTexts:
    """The references of every segment, one or more each, none of them blank."""

    segmentation: Segmentation
    """That of the first file."""
    references: tuple[tuple[Reference, ...], ...]
    """By segment."""
    sources: tuple[str, ...] = ()
    """A source for each segment, or none where the files hold no sources."""


@dataclass(frozen=True, slots=True)
class Output:
    """What one system made of every segment."""

    system: str
    path: Path
    texts: tuple[str, ...]
    """A blank one is legal: the system said nothing."""


def read_references(paths: Sequence[Path]) -> ReferenceTexts:
    """The references of some files together: of each segment those of the first file, then those of the next.

    Raises InputError where the files have different numbers of segments, or ids that do not agree, for a blank
    reference, for a segment without any, and for what cannot be read.
    """
    if not paths:
        raise InputError("no file of references is given")
    files = [_READERS.get(_kind(path), _read_plain_references)(path) for path in paths]
    segmentation = replace(files[0].segmentation, files=len(files))
    for other in files[1:]:
        _check_counts(segmentation, other.segmentation)
    references = tuple(
        tuple(reference for part in parts for reference in part)
        for parts in zip(*(_in_order_of(segmentation, each) for each in files), strict=True)
    )
    return ReferenceTexts(segmentation, references, next((each.sources for each in files if each.sources), ()))


def read_sources(path: Path, references: ReferenceTexts | None = None) -> tuple[list[str], Segmentation]:
    """The sources in a plain text file, none of them blank.

    Raises InputError unless there is one for every segment of the references, and where they are the references: where
    a translator says in more than half of the segments what the source says.
    """
    sources = read_plain(path)
    for line, text in enumerate(sources, 1):
        if not text.strip():
            raise InputError("the source is blank", path=path, line=line)
    segmentation = Segmentation(path, tuple(range(1, len(sources) + 1)))
    if references is not None:
        _check_counts(references.segmentation, segmentation)
        _refuse_sources(sources, references)
    return sources, segmentation


def _refuse_sources(sources: Sequence[str], references: ReferenceTexts) -> None:
    copies: dict[tuple[Path, str], list[int]] = {}
    for source, texts in zip(sources, references.references, strict=True):
        translators = {(each.path, each.name): each.line for each in texts}
        for translator, line in translators.items():
            said = (each.text for each in texts if (each.path, each.name) == translator)
            if all(text.strip() == source.strip() for text in said):
                copies.setdefault(translator, []).append(line)
    for (path, _), lines in copies.items():
        if 2 * len(lines) > len(sources):
            reason = f"the source is given as a reference: {len(lines):,} of {len(sources):,} segments are the same"
            raise InputError(reason, path=path, line=lines[0])


def read_output(path: Path, segmentation: Segmentation) -> list[Output]:
    """The output in a file, of one system, or of several where it is mark-up that holds several.

    With ids on both sides, segments are joined by these. Raises InputError unless there is one text for every segment,
    which may be blank, and for what cannot be read.
    """
    if _kind(path) not in _MARKED:
        texts = read_plain(path)
        _check_counts(segmentation, Segmentation(path, tuple(range(1, len(texts) + 1))))
        return [Output(_system_name(path), path, tuple(texts))]
    found = _texts_by_version(path, "system")
    if not found:
        raise InputError("holds no output of a system", path=path, line=1)
    return [
        Output(name or _system_name(path), path, tuple(_joined(path, texts, segmentation)))
        for name, texts in found.items()
    ]


def read_plain(path: Path) -> list[str]:
    """The lines of a plain text file; ``-`` is standard input. Raises InputError for mark-up, and as ``read_lines``."""
    lines = []
    for number, line in read_lines(path):
        if found := _MARKUP.match(line):
            reason = f"markup where plain text is expected: {found[1][:40]!r}; name the file .sgm or .xml if it is that"
            raise InputError(reason, path=path, line=number)
        lines.append(line)
    return lines


def _kind(path: Path) -> str:
    """The extension of a name, in lower case, without that of gzip."""
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def _system_name(path: Path) -> str:
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).stem


def _joined(path: Path, texts: dict[SegmentId, Reference], segmentation: Segmentation) -> Iterator[str]:
    """The texts of an output in the order of the segments."""
    own = Segmentation(path, tuple(each.line for each in texts.values()), tuple(texts))
    _check_counts(segmentation, own)
    for id in _ids_in_order_of(segmentation, own):
        yield texts[id].text


def _in_order_of(segmentation: Segmentation, other: ReferenceTexts) -> Iterator[tuple[Reference, ...]]:
    if not other.segmentation.ids:
        return iter(other.references)
    by_id = dict(zip(other.segmentation.ids, other.references, strict=True))
    return (by_id[id] for id in _ids_in_order_of(segmentation, other.segmentation))


def _ids_in_order_of(segmentation: Segmentation, other: Segmentation) -> Sequence[SegmentId]:
    """The ids of another file in the order of the segments: by the ids where both have them."""
    if not segmentation.ids:
        return other.ids
    known = set(segmentation.ids)
    for (document, segment), line in zip(other.ids, other.lines, strict=True):
        if (document, segment) not in known:
            reason = f"segment {segment!r} of document {document!r} is not in {segmentation.path}"
            raise InputError(reason, path=other.path, line=line)
    return segmentation.ids  # as many, and all of them known


def _check_counts(one: Segmentation, two: Segmentation) -> None:
    """Raises InputError, for the first segment that has no counterpart, unless both have the same number."""
    counts = len(one.lines), len(two.lines)
    if counts[0] == counts[1]:
        return
    longer, shorter = (one, two) if counts[0] > counts[1] else (two, one)
    end = min(counts)
    reason = f"has no counterpart: {shorter.path} ends after {end:,} segments, this file has {max(counts):,}"
    if one.files > 1 and one.files == counts[1]:
        reason += "; a file of references holds one reference of every segment, not all references of one"
    raise InputError(reason, path=longer.path, line=longer.lines[end])


def _reference(text: str, path: Path, line: int, name: str = "") -> Reference:
    if not text.strip():
        what = f"the reference of {name}" if name else "a reference"
        raise InputError(
            f"{what} is blank; what is missing is to be left out, as JSONL, TSV and SGM can", path=path, line=line
        )
    return Reference(text, path, line, name)


def _read_plain_references(path: Path) -> ReferenceTexts:
    segments = tuple((_reference(text, path, line),) for line, text in enumerate(read_plain(path), 1))
    return ReferenceTexts(Segmentation(path, tuple(range(1, len(segments) + 1))), segments)


def _read_jsonl(path: Path) -> ReferenceTexts:
    segments, sources = [], []
    for line, text in read_lines(path):
        try:
            unit = json.loads(text)
        except (ValueError, RecursionError) as error:  # also for a number of over 4,300 digits
            raise InputError(f"is no JSON that can be read: {error}", path=path, line=line) from error
        told = unit.get("references") if isinstance(unit, dict) else None
        if not isinstance(told, list) or not told or not all(isinstance(each, str) for each in told):
            reason = "is no object with a list of texts, one or more, as 'references'"
            raise InputError(reason, path=path, line=line)
        segments.append(tuple(_reference(each, path, line) for each in told))
        sources.append(unit.get("source", ""))
        if not isinstance(sources[-1], str):
            raise InputError("the value of 'source' is no text", path=path, line=line)
    known = tuple(sources) if any(sources) else ()
    return ReferenceTexts(Segmentation(path, tuple(range(1, len(segments) + 1))), tuple(segments), known)


def _read_tsv(path: Path) -> ReferenceTexts:
    """Rows of segment (from 1, ascending), rank, source and reference, in any order of the columns."""
    rows = read_lines(path)
    header = next(rows)[1].split("\t")
    if not all(name in header for name in _COLUMNS):
        raise InputError(f"the first line does not name the columns {' and '.join(_COLUMNS)}", path=path, line=1)
    segments: list[list[Reference]] = []
    sources, lines = list[str](), list[int]()
    for line, text in rows:
        cells = text.split("\t")
        if len(cells) != len(header):
            raise InputError(f"{len(cells)} columns, and the first line has {len(header)}", path=path, line=line)
        row = dict(zip(header, cells, strict=True))
        if row["segment"] == str(len(segments) + 1):
            segments.append([])
            sources.append(row.get("source", ""))
            lines.append(line)
        elif row["segment"] != str(len(segments)) or not segments:
            reason = f"segment {row['segment']!r} stands where {len(segments) + 1} is next"
            raise InputError(reason, path=path, line=line)
        segments[-1].append(_reference(row["reference"], path, line))
    if not segments:
        raise InputError("holds no reference", path=path, line=1)
    known = tuple(sources) if any(sources) else ()
    return ReferenceTexts(Segmentation(path, tuple(lines)), tuple(map(tuple, segments)), known)


def _read_marked(path: Path) -> ReferenceTexts:
    by_id: dict[SegmentId, list[Reference]] = {}
    for name, texts in _texts_by_version(path, "reference").items():
        for id, each in texts.items():
            by_id.setdefault(id, []).append(_reference(each.text, path, each.line, name))
    if not by_id:
        raise InputError("holds no reference", path=path, line=1)
    source = next(iter(_texts_by_version(path, "source").values()), {})
    known = tuple(source[id].text if id in source else "" for id in by_id)
    segmentation = Segmentation(path, tuple(references[0].line for references in by_id.values()), tuple(by_id))
    return ReferenceTexts(segmentation, tuple(map(tuple, by_id.values())), known if any(known) else ())


def _texts_by_version(path: Path, role: str) -> dict[str, dict[SegmentId, Reference]]:
    """The texts of one role by the name of their translator or system; errors name the line of their document."""
    found: dict[str, dict[SegmentId, Reference]] = {}
    for document, sides in _MARKED[_kind(path)](path):
        for side in sides:
            if side.version.role == role:
                texts = found.setdefault(side.version.name, {})
                for segment, text in side.segments.items():
                    id = document.name, segment
                    if id in texts:
                        reason = f"segment {segment!r} of document {document.name!r} stands twice"
                        raise InputError(reason, path=path, line=side.line)
                    texts[id] = Reference(text, path, side.line, side.version.name)
    return found


# Loaded when needed: most of the time no mark-up is read.


def _sgm_documents(path: Path) -> Iterator[tuple[Document, list[Side]]]:
    from corpusdb.formats.test_sets.sgm import read_documents

    for document, side in read_documents(path, _ANY_LANGUAGES):
        yield document, [side]


def _wmt_documents(path: Path) -> Iterator[tuple[Document, list[Side]]]:
    from corpusdb.formats.test_sets.wmt import WmtSource

    return WmtSource((path,), _ANY_LANGUAGES).documents(path)


_MARKED: Final[dict[str, Callable[[Path], Iterator[tuple[Document, list[Side]]]]]] = {
    ".sgm": _sgm_documents,
    ".sgml": _sgm_documents,
    ".xml": _wmt_documents,
}
_READERS: Final[dict[str, Callable[[Path], ReferenceTexts]]] = {
    ".jsonl": _read_jsonl,
    ".ndjson": _read_jsonl,
    ".tsv": _read_tsv,
    **dict.fromkeys(_MARKED, _read_marked),
}

"""Test sets of machine translation: documents whose segments have a source, references and outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from itertools import count, groupby
from pathlib import Path
from typing import Final, TypeAlias

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.format import ScoringReader
from corpusdb.corpus.formats.records import (
    Document,
    Item,
    Options,
    Record,
    Rejected,
    Role,
    Variant,
    Version,
    variants_of,
)
from corpusdb.corpus.formats.segments import (
    Output,
    Reference,
    ReferenceTexts,
    Segmentation,
    SegmentId,
    base_name,
    check_counts,
    ids_in_order,
    make_reference,
)
from corpusdb.corpus.formats.xml import code_of_tag, holdable

# Test sets of machine translation, what WMT XML and mteval SGM share: documents whose segments have a source,
# references and outputs of systems. The sides of a document are joined by the ids of their segments when they are read.

UNNAMED_DOCUMENT: Final = "corpusdb"
"""The id of the document that holds units which stand in none."""
NO_TEST_SEGMENT: Final = "no source text in the first language, or no other text"
"""Which units have no place in a test set."""


@dataclass(frozen=True, slots=True)
class Side:
    """One version of a document: its source, or one translation of it."""

    version: Version
    language: str
    path: Path
    line: int
    """Where it begins in its file, from 1."""
    segments: dict[str, str] = field(default_factory=dict)
    """Texts by the ids of their segments."""

    def add(self, segment: str | None, text: str, line: int) -> None:
        """Add a segment. Raises InputError for one without an id or with an id that this side has already."""
        if segment is None:
            raise InputError("a segment without an id", path=self.path, line=line)
        if segment in self.segments:
            raise InputError(f"segment id {segment!r} appears twice in one document", path=self.path, line=line)
        self.segments[segment] = text


def language_of_side(tag: str | None, role: Role, options: Options, path: Path, line: int) -> str:
    """The ISO 639-3 code of a side from its language tag.

    Where the file says nothing, or ``any``, the two languages of the options are used: that of the source, and that of
    its translations. Raises InputError, naming the path and line, for an unknown language and where the options are
    needed and do not give two.
    """
    if tag and tag.lower() != "any":
        return code_of_tag(tag, path, line)
    if len(options.languages) != 2:
        reason = f"the language of this {role} is not told; give two languages, that of the source first"
        raise InputError(reason, path=path, line=line)
    return options.languages[0 if role == "source" else 1]


def aligned_units(
    document: Document, sides: Sequence[Side], options: Options, numbers: Iterator[int]
) -> Iterator[Item]:
    """The units of a document in the order of its source, with the texts in the order of the sides.

    Outputs of systems are left out unless the options ask for them, and so are languages that the options do not name.
    A translation may lack segments, which are then missing from their units. Each item takes its number from
    ``numbers``. Raises InputError for a second source and for a translation of a segment that the source has not.
    """
    sources = [side for side in sides if side.version.role == "source"]
    for extra in sources[1:]:
        raise InputError(f"document {document.name!r} has a second source", path=extra.path, line=extra.line)
    if not sources:
        for segment in dict.fromkeys(segment for side in sides for segment in side.segments):
            yield Rejected(next(numbers), f"segment {segment!r} of document {document.name!r} has no source")
        return
    source = sources[0]
    for side in sides:
        _check_ids(document, source, side)
    chosen = [
        side
        for side in sides
        if (options.systems or side.version.role != "system")
        and (not options.languages or side.language in options.languages)
    ]
    for segment in source.segments:
        number = next(numbers)
        present = [side for side in chosen if side.segments.get(segment, "").strip()]
        if source not in present or len(present) < 2:
            lack = "translation" if source in present else f"source text in {source.language}"
            yield Rejected(number, f"segment {segment!r} of document {document.name!r} has no {lack} to be taken")
            continue
        yield Record(
            number,
            tuple(side.segments[segment] for side in present),
            tuple(side.language for side in present),
            segment,
            document,
            tuple(side.version for side in present),
        )


def _check_ids(document: Document, source: Side, side: Side) -> None:
    for segment in side.segments:
        if segment not in source.segments:
            where = f"the source in {source.path}" if source.path != side.path else "the source"
            reason = f"segment {segment!r} of document {document.name!r} is not in {where}"
            raise InputError(reason, path=side.path, line=side.line)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A document that is to be written, with all its units."""

    name: str
    attributes: tuple[tuple[str, str], ...]
    language: str
    units: int
    sides: Mapping[tuple[Version, str], list[tuple[str, str]]]
    """For each version and language (id, text) of the segments that have it; the source first, then references."""


def bundles_of(records: Iterable[Record], languages: tuple[str, ...]) -> Iterator[Bundle]:
    """Units grouped into documents; units without one, between others, are a document of their own.

    A unit of known versions keeps them. Otherwise its first text in the first of ``languages`` is the source, and the
    others are references, numbered within their language. Units without a source or without a translation are left
    out, and where the language of the source changes a new document begins. Ids stay where they are unlike within a
    document; other segments get their number in it, or the next one free. Of the units, one document is in memory.
    """
    told = (unit for record in records if (unit := _assign_roles(record, languages)) is not None)
    for (document, language), group in groupby(told, key=lambda unit: (unit[0].document, unit[1][0].language)):
        units = list(group)
        sides: dict[tuple[Version, str], list[tuple[str, str]]] = {}
        for name, (_, variants) in zip(_segment_ids([record.name for record, _ in units]), units, strict=True):
            for variant in variants:
                sides.setdefault((variant.version, variant.language), []).append((name, variant.text))
        name = document.name if document is not None and document.name else UNNAMED_DOCUMENT
        ordered = dict(sorted(sides.items(), key=lambda side: _ORDER[side[0][0].role]))
        yield Bundle(holdable(name), document.attributes if document else (), language, len(units), ordered)


_ORDER: Final[Mapping[Role, int]] = {"source": 0, "reference": 1, "": 1, "system": 2}


def _assign_roles(record: Record, languages: tuple[str, ...]) -> tuple[Record, list[Variant]] | None:
    """The unit with a role for every text, its source first and no version twice; None where it lacks one side."""
    variants = variants_of(record, languages)
    first = languages[0] if languages else None
    sources = [each for each in variants if each.version.role == "source"] or [
        each for each in variants if each.version.role == "" and first in (None, each.language)
    ]
    if not sources or len(variants) < 2:
        return None
    source = sources[0]
    told = [Variant(Version("source"), source.language, source.text)]
    used = {(told[0].version, source.language)}
    numbers: Counter[str] = Counter()
    for each in variants:
        if each is source:
            continue
        role: Role = "system" if each.version.role == "system" else "reference"
        numbers[each.language] += 1
        number = str(numbers[each.language])
        name = each.version.name or ("" if each.version.role else number)
        same = {version.name for version, language in used if (version.role, language) == (role, each.language)}
        version = Version(role, make_distinct(name or number, same) if name in same else name)
        used.add((version, each.language))
        told.append(Variant(version, each.language, each.text))
    return record, told


def _segment_ids(names: Sequence[str]) -> list[str]:
    """An id for each segment of a document: its own where no other has it, else its number or the next that is free."""
    names = [holdable(name) for name in names]
    times = Counter(names)
    unlike = {name for name in names if name and times[name] == 1}
    ids, free = [], 1
    for position, name in enumerate(names, 1):
        if name not in unlike:
            free = next(number for number in count(max(free, position)) if str(number) not in unlike)
            name, free = str(free), free + 1
        ids.append(name)
    return ids


def make_distinct(name: str, used: AbstractSet[str]) -> str:
    """``name`` itself, or followed by the first number from -2 that makes it unlike those in ``used``."""
    if name not in used:
        return name
    return next(other for number in count(2) if (other := f"{name}-{number}") not in used)


# References and outputs of systems in the documents of a test set, by the ids of their segments.

ReadDocuments: TypeAlias = Callable[[Path], Iterator[tuple[Document, list[Side]]]]
"""Reads the documents of a file, each with some or all of its sides."""

ANY_LANGUAGES: Final = Options(languages=("und", "und"))
"""Any two codes: who scores need not say which languages these are, and files of references may say "any"."""


def scoring_reader(documents: ReadDocuments) -> ScoringReader:
    """The reader of references and outputs for a format whose documents are read so."""
    return ScoringReader(partial(_references, documents), partial(_outputs, documents))


def _references(documents: ReadDocuments, path: Path) -> ReferenceTexts:
    by_id: dict[SegmentId, list[Reference]] = {}
    for name, texts in _texts_by_version(documents, path, "reference").items():
        for id, each in texts.items():
            by_id.setdefault(id, []).append(make_reference(each.text, path, each.line, name))
    if not by_id:
        raise InputError("holds no reference", path=path, line=1)
    source = next(iter(_texts_by_version(documents, path, "source").values()), {})
    known = tuple(source[id].text if id in source else "" for id in by_id)
    segmentation = Segmentation(path, tuple(references[0].line for references in by_id.values()), tuple(by_id))
    return ReferenceTexts(segmentation, tuple(map(tuple, by_id.values())), known if any(known) else ())


def _outputs(documents: ReadDocuments, path: Path, segmentation: Segmentation) -> list[Output]:
    found = _texts_by_version(documents, path, "system")
    if not found:
        raise InputError("holds no output of a system", path=path, line=1)
    return [
        Output(name or base_name(path), path, tuple(_texts_in_order(path, texts, segmentation)))
        for name, texts in found.items()
    ]


def _texts_in_order(path: Path, texts: dict[SegmentId, Reference], segmentation: Segmentation) -> Iterator[str]:
    own = Segmentation(path, tuple(each.line for each in texts.values()), tuple(texts))
    check_counts(segmentation, own)
    for id in ids_in_order(segmentation, own):
        yield texts[id].text


def _texts_by_version(documents: ReadDocuments, path: Path, role: Role) -> dict[str, dict[SegmentId, Reference]]:
    """The texts of one role by the name of their translator or system; errors name the line of their document."""
    found: dict[str, dict[SegmentId, Reference]] = {}
    for document, sides in documents(path):
        for side in sides:
            if side.version.role == role:
                texts = found.setdefault(side.version.name, {})
                for segment, text in side.segments.items():
                    id = document.name, segment
                    if id in texts:
                        reason = f"segment {segment!r} of document {document.name!r} appears twice"
                        raise InputError(reason, path=path, line=side.line)
                    texts[id] = Reference(text, path, side.line, side.version.name)
    return found

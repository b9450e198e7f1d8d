"""mteval SGM: the test sets of NIST, and of the Conference on Machine Translation until 2020, read and written.

srcset, refset or tstset / doc / hl and p / seg. The sides of one test set stand in several files; units are joined by
the ids of their document and segment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Final, Literal, TextIO, TypeAlias

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.files.reading import digest_of
from corpusdb.formats.format import FileContents, Format, Reader, ReferenceWriter, Writer
from corpusdb.formats.markup.escaping import (
    attribute_name,
    attributes,
    escape,
    name_of_attribute,
    tag_of_code,
)
from corpusdb.formats.markup.sgml import Tag, read_tags
from corpusdb.formats.records import Document, Item, Options, Record, Role, Version
from corpusdb.formats.references import (
    ANY,
    PROVENANCE,
    ReferenceSet,
    provenance_files,
    reference_units,
    refuse_leftovers,
)
from corpusdb.formats.selection import SelectedUnits
from corpusdb.formats.test_sets.bundles import (
    NO_TEST_SEGMENT,
    Bundle,
    Side,
    aligned_units,
    bundles_of,
    language_of_side,
    make_distinct,
)
from corpusdb.formats.test_sets.scoring import ANY_LANGUAGES, scoring_reader
from corpusdb.outputs import NEW_ONLY, Content, Guard, write_files

__all__ = ["SGM", "SgmSource", "Which", "read_documents", "write_sgm", "write_sgm_references"]

Which: TypeAlias = Literal["src", "ref", "tst"]

# Element, role, and the attribute of the set with the language of its texts.
_SETS: Final[dict[str, tuple[Role, str]]] = {
    "srcset": ("source", "srclang"),
    "refset": ("reference", "trglang"),
    "tstset": ("system", "trglang"),
}
_SOURCES: Final = "references-src.sgm"
_REFERENCES: Final = "references-ref.sgm"
_IDS: Final = frozenset({"docid", "sysid"})


@dataclass(slots=True)
class _Sides:
    """What the files hold, by the ids of the documents."""

    documents: dict[str, Document] = field(default_factory=dict)
    """Those of the source, in its order."""
    sources: dict[str, Side] = field(default_factory=dict)
    translations: dict[str, list[Side]] = field(default_factory=dict)
    versions: set[tuple[str, Version, str]] = field(default_factory=set)
    """Document, version and language of all translations."""

    def take(self, document: Document, side: Side) -> None:
        """Add one document of one set. Raises InputError where it is there already."""
        key = (document.name, side.version, side.language)
        if document.name in self.sources if side.version.role == "source" else key in self.versions:
            reason = f"document {document.name!r} stands twice in the same set"
            raise InputError(reason, path=side.path, line=side.line)
        if side.version.role == "source":
            self.documents[document.name] = document
            self.sources[document.name] = side
        else:
            self.versions.add(key)
            self.translations.setdefault(document.name, []).append(side)

    def check(self, paths: tuple[Path, ...], options: Options) -> None:
        """Raises InputError where the source or all translations are missing, or a translation is of no source."""
        roles = {version.role for _, version, _ in self.versions}
        if not self.sources:
            held = "references" if "reference" in roles else "the output of systems"
            lack = f"holds {held} only; give the file with the source set (srcset) too"
            raise InputError(lack + (", and ask for systems" if held != "references" else ""), path=paths[0])
        if not roles & ({"reference", "system"} if options.systems else {"reference"}):
            lack = "the output of systems, which is only taken when asked for" if roles else "nothing else"
            raise InputError(f"holds a source set and {lack}; give a reference set (refset) too", path=paths[0])
        for name, sides in self.translations.items():
            if name not in self.sources:
                reason = f"document {name!r} is not in the source set"
                known = next(iter(self.sources.values())).path
                raise InputError(f"{reason} in {known}", path=sides[0].path, line=sides[0].line)


@dataclass(frozen=True, slots=True)
class SgmSource:
    """The files of one test set in any order: source sets, reference sets, and outputs of systems where asked for.

    Languages that ``options`` do not name are left out, all are taken where there are none; two hold for the source and
    its translations where the files say "any". The test set is held in memory. A record's line is the number of its
    segment in the source, from 1; errors name lines of the files. Ids that stand twice, translations of what is not in
    the source set, and a missing source or reference set are errors.
    """

    paths: tuple[Path, ...]
    options: Options

    @property
    def languages(self) -> tuple[str, ...]:
        return ()

    def digest(self) -> str:
        return digest_of(self.paths)

    def items(self) -> Iterator[Item]:
        sides = _Sides()
        for path in self.paths:
            for document, side in read_documents(path, self.options):
                sides.take(document, side)
        sides.check(self.paths, self.options)
        numbers = count(1)
        for name, document in sides.documents.items():
            of_document = [sides.sources[name], *sides.translations.get(name, ())]
            yield from aligned_units(document, of_document, self.options, numbers)


def read_documents(path: Path, options: Options) -> Iterator[tuple[Document, Side]]:
    """The documents of all sets of a file. Raises InputError where elements are missing, or begin or end wrongly."""
    current: Tag | None = None
    document: tuple[Document, Side] | None = None
    sets = 0
    for tag in read_tags(path):
        if tag.name in ("doc", *_SETS) and document is not None:
            raise InputError(f"the document has no end before <{tag.name}>", path=path, line=document[1].line)
        if tag.name in _SETS:
            current, sets = tag, sets + 1
        elif tag.name == "doc":
            document = _document(tag, current, path, options)
        elif tag.name == "seg":
            if document is None:
                raise InputError("a segment outside of a document", path=path, line=tag.line)
            document[1].add(tag.attribute("id"), tag.text, tag.line)
        elif tag.name == "/doc" and document is not None:
            yield document
            document = None
        elif current is not None and tag.name == f"/{current.name}":
            if document is not None:
                raise InputError(f"the document has no end before <{tag.name}>", path=path, line=document[1].line)
            current = None
    if not sets:
        raise InputError("holds no srcset, refset or tstset", path=path, line=1)
    if current is not None:
        line = document[1].line if document else current.line
        raise InputError(f"the file is cut off inside <{'doc' if document else current.name}>", path=path, line=line)


def _document(tag: Tag, current: Tag | None, path: Path, options: Options) -> tuple[Document, Side]:
    if current is None:
        raise InputError("a document outside of srcset, refset and tstset", path=path, line=tag.line)
    name = tag.attribute("docid")
    if name is None:
        raise InputError("a document without a docid", path=path, line=tag.line)
    role, naming = _SETS[current.name]
    language = language_of_side(current.attribute(naming), role, options, path, current.line)
    version = Version(role, "" if role == "source" else tag.attribute("sysid") or "")
    rest = {name_of_attribute(key): value for key, value in tag.attributes.items() if key.lower() not in _IDS}
    return Document(name, tuple(sorted(rest.items()))), Side(version, language, path, tag.line)


def write_sgm(
    records: Iterable[Record], languages: tuple[str, ...], file: TextIO, which: Which, target: str | None = None
) -> int:
    """Write one side of a test set: its source, its references, or outputs of systems; returns how many units it has.

    ``languages`` are those of records that name none, and their first the language of the source. References and
    outputs are those in ``target``, the second of ``languages`` unless given. For files that belong together give the
    same records in the same order. Documents, versions and ids are made as ``bundles_of`` says, and units left out that
    lack the source or any translation; a document whose id is taken gets another. mteval wants every segment in every
    reference, which is for the records to see to. One document is in memory. Raises UsageError without a target.
    """
    if which != "src" and target is None and len(languages) < 2:
        raise UsageError("the language of the references is not told")
    chosen = target if target is not None or which == "src" else languages[1]
    element = f"{which}set"
    written, ids, language = 0, set[str](), None
    for bundle in bundles_of(records, languages):
        name = make_distinct(bundle.name, ids)
        ids.add(name)
        lines = list(_document_lines(bundle, name, _SETS[element][0], chosen))
        if not lines:
            continue
        if bundle.language != language:
            file.write("" if language is None else f"</{element}>\n")
            file.write(_start_tag(element, bundle.language, chosen))
            language = bundle.language
        file.writelines(lines)
        written += bundle.units
    if language is None:
        file.write(_start_tag(element, languages[0] if languages else "any", chosen))
    file.write(f"</{element}>\n")
    return written


def _start_tag(element: str, source: str, target: str | None) -> str:
    translated = [] if element == "srcset" or target is None else [("trglang", tag_of_code(target))]
    return f"<{element}{attributes(('setid', 'corpusdb'), ('srclang', tag_of_code(source)), *translated)}>\n"


def _document_lines(bundle: Bundle, name: str, role: Role, target: str | None) -> Iterator[str]:
    """The lines of a document, once for each version."""
    names = {version.name for version, _ in bundle.sides}
    for (version, language), segments in bundle.sides.items():
        if version.role != role or (role != "source" and language != target):
            continue
        system = [] if role == "source" else [("sysid", version.name or make_distinct(role, names))]
        rest = ((attribute_name(key, _IDS), value) for key, value in bundle.attributes)
        yield f"<doc{attributes(*system, ('docid', name), *rest)}>\n<p>\n"
        for segment, text in segments:
            yield f"<seg{attributes(('id', segment))}>{escape(text, one_line=True)}</seg>\n"
        yield "</p>\n</doc>\n"


def _files(units: SelectedUnits, languages: tuple[str, ...], name: str) -> FileContents:
    sources, sides = dict[str, None](), dict[tuple[str, str], None]()
    for bundle in bundles_of(units(), languages):
        sources[bundle.language] = None
        sides.update(dict.fromkeys((version.role, language) for version, language in bundle.sides))

    def content(which: Which, target: str | None) -> Callable[[TextIO], int]:
        return lambda file: write_sgm(units(), languages, file, which, target)

    stem = re.sub(r"\.sgml?$", "", name, flags=re.IGNORECASE)
    files = {f"{stem}-src.{language}.sgm": content("src", None) for language in islice(sources, 1)}
    files |= {f"{stem}-ref.{code}.sgm": content("ref", code) for role, code in sides if role == "reference"}
    return files | {f"{stem}-tst.{code}.sgm": content("tst", code) for role, code in sides if role == "system"}


def write_sgm_references(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write references-src.sgm and references-ref.sgm for mteval, otherwise as ``write_wmt_references``."""
    segments = list(sets)
    records = reference_units(segments)
    files: dict[str, Content] = {
        _SOURCES: lambda file: write_sgm(records, (ANY, ANY), file, "src"),
        _REFERENCES: lambda file: write_sgm(records, (ANY, ANY), file, "ref"),
        **provenance_files(segments),
    }
    refuse_leftovers(directory, files, (PROVENANCE,))
    return write_files(directory, files, guard)


def _documents(path: Path) -> Iterator[tuple[Document, list[Side]]]:
    return ((document, [side]) for document, side in read_documents(path, ANY_LANGUAGES))


SGM: Final = Format(
    name="sgm",
    extensions=(".sgm", ".sgml"),
    reader=Reader(SgmSource, options=("systems",), read_together="the sides of a test set (sgm)"),
    writer=Writer(_files, NO_TEST_SEGMENT, "prefix"),
    reference_writer=ReferenceWriter(write_sgm_references, (_SOURCES, _REFERENCES, PROVENANCE), fills_up=True),
    scoring_reader=scoring_reader(_documents),
)

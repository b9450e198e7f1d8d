"""Test sets in mark-up: WMT XML, of the Conference on Machine Translation since 2021, and mteval SGM, read and written.

WMT XML: dataset / collection, where there is one / doc / src, ref, hyp / p / seg. A unit is a segment of the source
with its references, and with the outputs of systems where they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import ClassVar, Final, Literal, TextIO, TypeAlias

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.outputs import Content
from corpusdb.corpus.formats.bundles import (
    ANY_LANGUAGES,
    NO_TEST_SEGMENT,
    Bundle,
    Side,
    aligned_units,
    bundles_of,
    language_of_side,
    make_distinct,
    scoring_reader,
)
from corpusdb.corpus.formats.format import FileContents, Format, Reader, ReferenceWriter, Writer
from corpusdb.corpus.formats.reading import MAX_LINE, read_text
from corpusdb.corpus.formats.records import (
    ANY,
    PROVENANCE,
    Document,
    FilesRead,
    Item,
    Options,
    Record,
    ReferenceSet,
    Role,
    SelectedUnits,
    Version,
    reference_units,
)
from corpusdb.corpus.formats.xml import (
    XmlElement,
    XmlLayout,
    attribute_name,
    attributes,
    escape,
    name_of_attribute,
    tag_of_code,
)

_LAYOUT: Final = XmlLayout("dataset", "doc", frozenset({"seg"}))
_REFERENCES: Final = "references.xml"
_COLLECTION: Final = "collection"
# Element, role, and the attribute with the name of the version.
_SIDES: Final[dict[str, tuple[Role, str]]] = {
    "src": ("source", ""),
    "ref": ("reference", "translator"),
    "hyp": ("system", "system"),
}
_ELEMENTS: Final = {role: (element, naming) for element, (role, naming) in _SIDES.items()}


@dataclass(frozen=True, slots=True)
class WmtSource(FilesRead):
    """WMT XML files, one after the other.

    Languages that ``options`` do not name are left out, all are taken where there are none; two hold for the source and
    its translations where the file does not say. A document has its other attributes and the id of its collection. One
    document is in memory. A record's line is the number of its segment in the source, from 1, since a file may have no
    line ends; errors name lines of the file. Ids that stand twice are an error, because what belongs together is not
    known then.
    """

    names_languages: ClassVar[bool] = True

    def items(self) -> Iterator[Item]:
        numbers = count(1)
        for path in self.paths:
            for document, sides in self.documents(path):
                yield from aligned_units(document, sides, self.options, numbers)

    def documents(self, path: Path) -> Iterator[tuple[Document, list[Side]]]:
        """The documents of a file with all their sides, whatever the options ask for."""
        from corpusdb.corpus.formats.xml_reader import read_units  # loads an XML parser, which few need

        met: set[tuple[str | None, str]] = set()
        for around, element in read_units(path, _LAYOUT):
            document = _document(around, element, path)
            key = (dict(document.attributes).get(_COLLECTION), document.name)
            sides = [self._side(part, path) for part in element.parts if isinstance(part, XmlElement)]
            if key in met:
                raise InputError(f"document id {key[1]!r} appears twice", path=path, line=element.line)
            met.add(key)
            yield document, [side for side in sides if side is not None]

    def _side(self, element: XmlElement, path: Path) -> Side | None:
        if element.name not in _SIDES:
            return None
        role, naming = _SIDES[element.name]
        language = language_of_side(element.attributes.get("lang"), role, self.options, path, element.line)
        side = Side(Version(role, element.attributes.get(naming, "")), language, path, element.line)
        for segment in element.descendants("seg"):
            side.add(segment.attributes.get("id"), segment.text(), segment.line)
        return side


def _document(around: tuple[XmlElement, ...], element: XmlElement, path: Path) -> Document:
    found = {name_of_attribute(name): value for name, value in element.attributes.items() if name != "id"}
    if "id" not in element.attributes:
        raise InputError("a document without an id", path=path, line=element.line)
    collections = [each.attributes.get("id", "") for each in around if each.name == _COLLECTION]
    if collections:
        found[_COLLECTION] = collections[-1]
    return Document(element.attributes["id"], tuple(sorted(found.items())))


def write_wmt(records: Iterable[Record], languages: tuple[str, ...], file: TextIO) -> int:
    """Write units as WMT XML; returns how many. ``languages`` are those of records that name none.

    Documents, versions and ids are made as ``bundles_of`` says; units without a source (the first of ``languages``
    where the unit does not tell) or without a translation are left out. A document whose id is taken gets another.
    Characters that XML cannot hold become U+FFFD. One document is in memory.
    """
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n<dataset id="corpusdb">\n')
    written, ids = 0, dict[str | None, set[str]]()
    collection: str | None = None
    for bundle in bundles_of(records, languages):
        known = dict(bundle.attributes)
        inside = known.pop(_COLLECTION, None)
        if inside != collection:
            file.write("" if collection is None else "</collection>\n")
            file.write("" if inside is None else f"<collection{attributes(('id', inside))}>\n")
            collection = inside
        taken = ids.setdefault(inside, set())
        name = make_distinct(bundle.name, taken)
        taken.add(name)
        file.writelines(_document_lines(bundle, name, known))
        written += bundle.units
    file.write("" if collection is None else "</collection>\n")
    file.write("</dataset>\n")
    return written


def _document_lines(bundle: Bundle, name: str, known: dict[str, str]) -> Iterator[str]:
    named = ((attribute_name(attribute, frozenset({"id"})), value) for attribute, value in known.items())
    yield f"<doc{attributes(('id', name), *named)}>\n"
    for (version, language), segments in bundle.sides.items():
        element, naming = _ELEMENTS[version.role]
        naming_pair = [(naming, version.name)] if version.name else []
        yield f"<{element}{attributes(('lang', tag_of_code(language)), *naming_pair)}>\n<p>\n"
        for segment, text in segments:
            yield f"<seg{attributes(('id', segment))}>{escape(text)}</seg>\n"
        yield f"</p>\n</{element}>\n"
    yield "</doc>\n"


def _references_file(sets: Sequence[ReferenceSet]) -> dict[str, Content]:
    """A WMT test set of one document.

    The languages are "any", the translators 1, 2 ... by rank; smaller sets are filled up as for sacrebleu, because each
    reference of a test set is complete. Ids stay where they are unlike, and are numbers otherwise.
    """
    records = reference_units(sets)
    return {_REFERENCES: lambda file: write_wmt(records, (), file)}


WMT: Final = Format(
    name="wmt",
    extensions=(".xml",),
    reader=Reader(WmtSource, options=("systems",)),
    writer=Writer(
        lambda units, languages, name: {name: lambda file: write_wmt(units(), languages, file)}, NO_TEST_SEGMENT
    ),
    reference_writer=ReferenceWriter((_REFERENCES, PROVENANCE), _references_file, fills_up=True),
    scoring_reader=scoring_reader(lambda path: WmtSource((path,), ANY_LANGUAGES).documents(path)),
)


# Tags of mteval SGM, which is SGML in name only: read as mteval reads it, with patterns and not with a grammar.


# Nothing here gives back what it took, and no name of an attribute is looked for inside another: what stands between
# two angles may be a megabyte, and is looked at once.
_TAG: Final = re.compile(r"<(/?[A-Za-z][\w.-]*+)([^<>]*+)>")
_INSIDE_TAG: Final = re.compile(r"<[^<>]*")
_DECLARATION: Final = re.compile(r"<![^<>\[]*")
_ATTRIBUTE: Final = re.compile(r"""(?<![^\s=<>"'/])([^\s=<>"'/]++)\s*+=\s*+("[^"]*"|'[^']*'|[^\s"'>]+)""")
_SEGMENT_END: Final = re.compile(
    r"<(?:(/seg)\s*+|seg\s[^<>]*+|/?(?:doc|srcset|refset|tstset)\b[^<>]*+)>", re.IGNORECASE
)
_REFERENCE: Final = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6}));")
_NAMED: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag; of <seg> with its text."""

    name: str
    """In lower case; with / before it at the end of an element."""
    attributes: dict[str, str]
    """Names as they are written, which may be in upper case."""
    line: int
    """Where it begins, from 1."""
    text: str = ""

    def attribute(self, name: str) -> str | None:
        """The value of an attribute whose name is given in lower case, or None."""
        return next((value for other, value in self.attributes.items() if other.lower() == name), None)


def read_tags(path: Path) -> Iterator[Tag]:
    """The tags of a file in their order; comments, text outside of segments and a document type are skipped.

    In a segment every character is text but for its end tag, the five entities of XML and numeric ones; white space at
    its ends is dropped. UTF-8, plain or gzip; ``-`` is standard input. At most one segment is in memory. Raises
    InputError with the line for entities of the file's own, segments and tags that do not end or have more than
    MAX_LINE bytes, and as ``read_text`` does.
    """
    scanner = _Scanner(path)
    while scanner.skip_to_tag():
        if scanner.skip_declaration():
            continue
        tag = scanner.tag()
        if tag is None:
            continue
        yield tag if tag.name != "seg" else Tag("seg", tag.attributes, tag.line, scanner.segment(tag))


class _Scanner:
    """What has been read of a file and not yet been used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 1
        self._pieces = read_text(path)
        self._rest = ""
        self._at = 0

    def skip_to_tag(self) -> bool:
        """Go to the next <; False at the end of the file."""
        while (found := self._rest.find("<", self._at)) < 0:
            self._go(len(self._rest))
            if not self._more("text", self.line):
                return False
        self._go(found)
        return True

    def skip_declaration(self) -> bool:
        """Skip a comment or a document type; False where there is none."""
        line = self.line
        while len(self._rest) - self._at < len("<!--") and self._more("tag", line):
            pass
        if self._rest.startswith("<!--", self._at):
            while (end := self._rest.find("-->", self._at)) < 0:
                self._need("comment", line)
            self._go(end + len("-->"))
            return True
        if not self._rest.startswith("<!", self._at):
            return False
        while (found := _DECLARATION.match(self._rest, self._at)) and found.end() == len(self._rest):
            self._need("declaration", line)
        end = self._at if found is None else found.end()
        if self._rest[end] != ">" or self._rest[self._at : end].upper().startswith("<!ENTITY"):
            reason = "declares entities, which are refused: they can stand for other files, or for texts without end"
            raise InputError(reason, path=self.path, line=line)
        self._go(end + 1)
        return True

    def tag(self) -> Tag | None:
        """The tag that begins here, or None for a < that stands for itself."""
        line = self.line
        while (inside := _INSIDE_TAG.match(self._rest, self._at)) and inside.end() == len(self._rest):
            self._need("tag", line)
        found = _TAG.match(self._rest, self._at)
        if found is None:
            self._go(self._at + 1)
            return None
        values = {
            name: _decode(value[1:-1] if value[0] in "\"'" else value) for name, value in _ATTRIBUTE.findall(found[2])
        }
        self._go(found.end())
        return Tag(found[1].lower(), values, line)

    def segment(self, tag: Tag) -> str:
        """The text up to the end of a segment."""
        while (end := _SEGMENT_END.search(self._rest, self._at)) is None:
            self._need("segment", tag.line)
        if end[1] is None:
            raise InputError(f"the segment has no end before {end[0]}", path=self.path, line=tag.line)
        text = self._rest[self._at : end.start()]
        self._check_size(text, "segment", tag.line)
        self._go(end.end())
        return _decode(text).strip()

    def _go(self, position: int) -> None:
        self.line += self._rest.count("\n", self._at, position)
        self._at = position

    def _need(self, what: str, line: int) -> None:
        """Read on inside of something. Raises InputError where there is no more, or far too much."""
        if not self._more(what, line):
            raise InputError(f"the file is cut off inside a {what}", path=self.path, line=line)

    def _more(self, what: str, line: int) -> bool:
        self._rest = self._rest[self._at :]
        self._at = 0
        self._check_size(self._rest, what, line)
        piece = next(self._pieces, None)
        self._rest += piece or ""
        return piece is not None

    def _check_size(self, text: str, what: str, line: int) -> None:
        if len(text) > MAX_LINE or (len(text) * 4 > MAX_LINE and len(text.encode()) > MAX_LINE):
            raise InputError(f"the {what} is longer than {MAX_LINE:,} bytes", path=self.path, line=line)


def _decode(text: str) -> str:
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    """The character that a reference stands for; the reference itself where that is none."""
    if reference[1]:
        return _NAMED[reference[1]]
    code = int(reference[2]) if reference[2] else int(reference[3], 16)
    return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else reference[0]


# mteval SGM: the test sets of NIST, and of the Conference on Machine Translation until 2020, read and written: srcset,
# refset or tstset / doc / hl and p / seg. The sides of one test set stand in several files; ids of documents and
# segments join units.

Which: TypeAlias = Literal["src", "ref", "tst"]

# Element, role, and the attribute of the set with the language of its texts.
_SETS: Final[dict[str, tuple[Role, str]]] = {
    "srcset": ("source", "srclang"),
    "refset": ("reference", "trglang"),
    "tstset": ("system", "trglang"),
}
_SOURCES: Final = "references-src.sgm"
_SGM_REFERENCES: Final = "references-ref.sgm"
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
            reason = f"document {document.name!r} appears twice in the same set"
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
            lack = "the output of systems, which is only read on request" if roles else "nothing else"
            raise InputError(f"holds a source set and {lack}; give a reference set (refset) too", path=paths[0])
        for name, sides in self.translations.items():
            if name not in self.sources:
                reason = f"document {name!r} is not in the source set"
                known = next(iter(self.sources.values())).path
                raise InputError(f"{reason} in {known}", path=sides[0].path, line=sides[0].line)


@dataclass(frozen=True, slots=True)
class SgmSource(FilesRead):
    """The files of one test set in any order: source sets, reference sets, and outputs of systems where asked for.

    Languages that ``options`` do not name are left out, all are taken where there are none; two hold for the source and
    its translations where the files say "any". The test set is held in memory. A record's line is the number of its
    segment in the source, from 1; errors name lines of the files. Ids that stand twice, translations of what is not in
    the source set, and a missing source or reference set are errors.
    """

    names_languages: ClassVar[bool] = True

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
            document = _sgm_document(tag, current, path, options)
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


def _sgm_document(tag: Tag, current: Tag | None, path: Path, options: Options) -> tuple[Document, Side]:
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
        raise UsageError("the language of the references is unknown")
    chosen = target if target is not None or which == "src" else languages[1]
    element = f"{which}set"
    written, ids, language = 0, set[str](), None
    for bundle in bundles_of(records, languages):
        name = make_distinct(bundle.name, ids)
        ids.add(name)
        lines = list(_sgm_document_lines(bundle, name, _SETS[element][0], chosen))
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


def _sgm_document_lines(bundle: Bundle, name: str, role: Role, target: str | None) -> Iterator[str]:
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


def _sgm_files(units: SelectedUnits, languages: tuple[str, ...], name: str) -> FileContents:
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


def _sgm_reference_files(sets: Sequence[ReferenceSet]) -> dict[str, Content]:
    records = reference_units(sets)
    return {
        _SOURCES: lambda file: write_sgm(records, (ANY, ANY), file, "src"),
        _SGM_REFERENCES: lambda file: write_sgm(records, (ANY, ANY), file, "ref"),
    }


SGM: Final = Format(
    name="sgm",
    extensions=(".sgm", ".sgml"),
    reader=Reader(SgmSource, options=("systems",), read_together="the sides of a test set (sgm)"),
    writer=Writer(_sgm_files, NO_TEST_SEGMENT, "prefix"),
    reference_writer=ReferenceWriter((_SOURCES, _SGM_REFERENCES, PROVENANCE), _sgm_reference_files, fills_up=True),
    scoring_reader=scoring_reader(
        lambda path: ((document, [side]) for document, side in read_documents(path, ANY_LANGUAGES))
    ),
)

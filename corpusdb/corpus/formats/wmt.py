"""WMT XML: the test sets of the Conference on Machine Translation since 2021, read and written.

dataset / collection, where there is one / doc / src, ref, hyp / p / seg. A unit is a segment of the source with its
references, and with the outputs of systems where they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import ClassVar, Final, TextIO

from corpusdb.base.errors import InputError
from corpusdb.base.outputs import NEW_ONLY, Content, Guard
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
    write_test_set_references,
)
from corpusdb.corpus.formats.format import FileContents, Format, Reader, ReferenceWriter, Writer
from corpusdb.corpus.formats.records import (
    PROVENANCE,
    Document,
    FilesRead,
    Item,
    Record,
    ReferenceSet,
    Role,
    SelectedUnits,
    Version,
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
        from corpusdb.corpus.formats.xml import read_units  # loads an XML parser, which most of the time nobody needs

        met: set[tuple[str | None, str]] = set()
        for around, element in read_units(path, _LAYOUT):
            document = _document(around, element, path)
            key = (dict(document.attributes).get(_COLLECTION), document.name)
            sides = [self._side(part, path) for part in element.parts if isinstance(part, XmlElement)]
            if key in met:
                raise InputError(f"document id {key[1]!r} stands twice", path=path, line=element.line)
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


def _files(units: SelectedUnits, languages: tuple[str, ...], name: str) -> FileContents:
    return {name: lambda file: write_wmt(units(), languages, file)}


def write_wmt_references(sets: Iterable[ReferenceSet], directory: Path, guard: Guard = NEW_ONLY) -> list[Path]:
    """Write references.xml, a WMT test set of one document; returns its path.

    The languages are "any", the translators 1, 2 ... by rank; smaller sets are filled up as for sacrebleu, because each
    reference of a test set is complete. Ids stay where they are unlike, and are numbers otherwise. Raises InputError
    for a segment without references and for blank texts.
    """

    def files(records: Sequence[Record]) -> dict[str, Content]:
        return {_REFERENCES: lambda file: write_wmt(records, (), file)}

    return write_test_set_references(sets, directory, files, guard)


def _documents(path: Path) -> Iterator[tuple[Document, list[Side]]]:
    return WmtSource((path,), ANY_LANGUAGES).documents(path)


WMT: Final = Format(
    name="wmt",
    extensions=(".xml",),
    reader=Reader(WmtSource, options=("systems",)),
    writer=Writer(_files, NO_TEST_SEGMENT),
    reference_writer=ReferenceWriter(write_wmt_references, (_REFERENCES, PROVENANCE), fills_up=True),
    scoring_reader=scoring_reader(_documents),
)

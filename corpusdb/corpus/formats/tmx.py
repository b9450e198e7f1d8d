"""TMX, the exchange format of translation memories: versions 1.1 to 1.4b are read, 1.4 is written.

Of a unit the variants are taken with their languages, and its tuid as its name. What TMX has no element for is kept
in properties, <prop type="x-...">: in the header the licence (x-licence), the document and its attributes
(x-document, x-document-NAME), and of a variant which version it is (x-version, as ROLE:NAME). Properties of a unit
that say something of it, as domain, and those of a variant that hold a value for each token are read where they are
asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import ClassVar, Final, TextIO, cast, get_args

from corpusdb import __version__
from corpusdb.base.errors import InputError
from corpusdb.base.text import known_language
from corpusdb.corpus.formats.format import Format, Reader, Writer
from corpusdb.corpus.formats.records import (
    Annotation,
    Document,
    FilesRead,
    Item,
    Record,
    Rejected,
    Role,
    Variant,
    Version,
    annotation_in_properties,
    check_names,
    is_name,
    skip_or_raise,
    variants_of,
)
from corpusdb.corpus.formats.xml import XmlElement, XmlLayout, attributes, code_of_tag, escape, tag_of_code

_LAYOUT: Final = XmlLayout("tmx", "tu", frozenset({"seg", "prop"}))
# Their content is native codes of the file that was translated, and texts inside such codes (sub), as the title of a
# link. The one other inline element, hi, holds text of the sentence.
_CODES: Final = frozenset({"bpt", "ept", "ph", "it", "ut", "sub"})
_DOCUMENT, _ATTRIBUTE, _VERSION = "x-document", "x-document-", "x-version"
_LICENCE: Final = "x-licence"
_LOOKED_AT: Final = 1000
"""Units whose properties are looked at for those that are not read."""


@dataclass(frozen=True, slots=True)
class TmxSource(FilesRead):
    """TMX files, one after the other.

    Only the languages of ``options`` are taken, in that order, all where there are none; several variants of one
    language stay. Inline codes are dropped with their content, as are notes and properties that the options do not
    name. A record's line is the number of its unit in the source, from 1, since a file may have no line ends; what is
    left out names lines of the file.
    """

    counts_units: ClassVar[bool] = True
    names_languages: ClassVar[bool] = True

    def licences(self) -> Iterable[str]:
        """That of each file; empty for none."""
        return map(_licence_of, self.paths)

    def __post_init__(self) -> None:
        check_names(self.options.attributes)

    def items(self) -> Iterator[Item]:
        from corpusdb.corpus.formats.xml_reader import read_units  # loads an XML parser, which few need

        numbers = count(1)
        for path in self.paths:
            for _, unit in read_units(path, _LAYOUT):
                number = next(numbers)
                try:
                    item = self._item(number, unit, path)
                except InputError as error:
                    item = skip_or_raise(error, number, skip_bad=self.options.skip_bad)
                yield item

    def format_columns(self) -> str:
        """Which properties the first units have that nothing is read from; empty for none."""
        from corpusdb.corpus.formats.xml_reader import read_units

        taken, unused = {*self.options.attributes, _DOCUMENT.removeprefix("x-")}, dict[str, None]()
        for path in self.paths:
            for _, unit in islice(read_units(path, _LAYOUT), _LOOKED_AT):
                kinds = (prop.attributes.get("type", "") for prop in unit.children("prop"))
                named = (kind.removeprefix("x-") for kind in kinds if not kind.startswith(_ATTRIBUTE))
                unused.update(dict.fromkeys(name for name in named if is_name(name) and name not in taken))
        told = f"not used of units: {', '.join(unused)} (--attributes keeps what says something of a line)"
        return told if unused else ""

    def _item(self, number: int, unit: XmlElement, path: Path) -> Item:
        variants, unnamed, wanted = [], 0, self.options.languages
        for element in unit.children("tuv"):
            tag = element.attributes.get("xml:lang", element.attributes.get("lang", ""))
            text = "".join(seg.text(_CODES) for seg in element.children("seg"))
            is_other = bool(wanted) and known_language(tag) is None  # which nobody asked for
            code = code_of_tag(tag, path, element.line) if tag and not is_other else ""
            if code and text and not text.isspace():
                variants.append(Variant(_version(element), code, text, self._annotation(element, text, path)))
            unnamed += not tag
        present = dict.fromkeys(each.language for each in variants)
        if wanted:
            chosen = (each for each in variants if each.language in wanted)
            variants = sorted(chosen, key=lambda each: wanted.index(each.language))
        if len(variants) < 2:
            reason = _shortage(unit, variants, wanted, unnamed) + _left_out(present, wanted)
            return Rejected(number, reason, path, unit.line)
        versions = tuple(each.version for each in variants)
        return Record(
            number,
            tuple(each.text for each in variants),
            tuple(each.language for each in variants),
            unit.attributes.get("tuid", ""),
            _document(unit, self.options.attributes),
            versions if any(each != Version() for each in versions) else (),
            tuple(each.annotation for each in variants) if any(each.annotation for each in variants) else (),
        )

    def _annotation(self, variant: XmlElement, text: str, path: Path) -> Annotation | None:
        """What the properties of a variant say of its tokens, where the options name some."""
        if not self.options.attributes:
            return None
        properties = {prop.attributes.get("type", ""): prop.text() for prop in variant.children("prop")}
        return annotation_in_properties(text, properties, self.options.attributes, path, variant.line)


def _shortage(unit: XmlElement, variants: list[Variant], wanted: tuple[str, ...], unnamed: int) -> str:
    name = f"unit {unit.attributes['tuid']!r}" if "tuid" in unit.attributes else "the unit"
    found = f"a text in {variants[0].language} alone" if variants else "no text"
    among = f" of {', '.join(wanted)}" if wanted else ""
    nameless = f"; {unnamed} without a language left out" if unnamed else ""
    return f"{name} has {found}{among}{nameless}"


def _left_out(present: Iterable[str], wanted: tuple[str, ...]) -> str:
    """The languages that a unit has and nobody asked for."""
    others = [each for each in present if wanted and each not in wanted]
    return f"; it also has {', '.join(others)}" if others else ""


def _document(unit: XmlElement, wanted: tuple[str, ...]) -> Document | None:
    """The document of a unit, with its attributes, and of the other properties those that are wanted."""
    name, found, said = None, dict[str, str](), dict[str, list[str]]()
    for prop in unit.children("prop"):
        kind = prop.attributes.get("type", "")
        if kind == _DOCUMENT:
            name = prop.text()
        elif kind.startswith(_ATTRIBUTE):
            found[kind.removeprefix(_ATTRIBUTE)] = prop.text()
        elif (attribute := kind.removeprefix("x-")) in wanted:
            said.setdefault(attribute, []).append(prop.text())
    if name is None and not said:
        return None
    told = {attribute: "; ".join(values) for attribute, values in said.items()}
    return Document(name or "", tuple(sorted(((found if name is not None else {}) | told).items())))


def _version(variant: XmlElement) -> Version:
    for prop in variant.children("prop"):
        role, colon, name = prop.text().partition(":")
        if prop.attributes.get("type") == _VERSION and colon and role in get_args(Role):
            return Version(cast(Role, role), name)
    return Version()


def _licence_of(path: Path) -> str:
    """What the header of a file tells, as it is written here."""
    from corpusdb.corpus.formats.xml_reader import read_units

    for _, header in read_units(path, XmlLayout("tmx", "header", frozenset({"prop"}))):
        return next((each.text() for each in header.children("prop") if each.attributes.get("type") == _LICENCE), "")
    return ""


def write_tmx(records: Iterable[Record], languages: tuple[str, ...], file: TextIO, licence: str = "") -> int:
    """Write units as TMX 1.4; returns how many. ``languages`` are those of records that name none.

    Units with fewer than two texts are left out. Characters that XML cannot hold become U+FFFD. One unit is in memory.
    """
    source = tag_of_code(languages[0]) if languages else "*all*"
    header = attributes(
        ("creationtool", "corpusdb"),
        ("creationtoolversion", __version__),
        ("segtype", "sentence"),
        ("o-tmf", "corpusdb"),
        ("adminlang", "en"),
        ("srclang", source),
        ("datatype", "plaintext"),
    )
    end = f">\n{_prop(_LICENCE, licence)}\n</header>" if licence else "/>"
    file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n<header{header}{end}\n<body>\n')
    written = 0
    for record in records:
        variants = variants_of(record, languages)
        if len(variants) > 1:
            file.writelines(_unit(record, variants))
            written += 1
    file.write("</body>\n</tmx>\n")
    return written


def _unit(record: Record, variants: Iterable[Variant]) -> Iterator[str]:
    yield f"<tu{attributes(('tuid', record.name))}>\n" if record.name else "<tu>\n"
    if record.document is not None:
        yield f"{_prop(_DOCUMENT, record.document.name)}\n"
        for name, value in record.document.attributes:
            yield f"{_prop(_ATTRIBUTE + name, value)}\n"
    for variant in variants:
        yield f"<tuv{attributes(('xml:lang', tag_of_code(variant.language)))}>"
        if variant.version != Version():
            yield _prop(_VERSION, f"{variant.version.role}:{variant.version.name}")
        yield f"<seg>{escape(variant.text)}</seg></tuv>\n"
    yield "</tu>\n"


def _prop(kind: str, text: str) -> str:
    return f"<prop{attributes(('type', kind))}>{escape(text)}</prop>"


TMX: Final = Format(
    name="tmx",
    extensions=(".tmx",),
    reader=Reader(TmxSource, options=("attributes", "skip_bad")),
    writer=Writer(
        lambda units, languages, name: {name: lambda file: write_tmx(units(), languages, file, units.licence)}
    ),
)

"""XML files: elements, texts escaped to stand in mark-up, and TMX, the exchange format of translation memories.

TMX 1.1 to 1.4b is read, 1.4 is written. Of a unit the variants are taken with their languages, and its tuid as its
name. What TMX has no element for is kept in properties, <prop type="x-...">: the document and its attributes
(x-document, x-document-NAME), and of a variant which version it is (x-version, as ROLE:NAME). Properties of a variant
that hold a value for each token are read where they are asked for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count, product
from pathlib import Path
from string import ascii_lowercase
from typing import ClassVar, Final, TextIO, cast, get_args
from xml.parsers import expat
from xml.sax import SAXParseException as NotWellFormed
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from defusedxml.common import DefusedXmlException as Forbidden  # type: ignore[import-untyped]
from defusedxml.expatreader import DefusedExpatParser  # type: ignore[import-untyped]

from corpusdb import __version__
from corpusdb.base.errors import InputError
from corpusdb.base.text import language_code, language_of_name
from corpusdb.corpus.formats.format import Format, Reader, Writer
from corpusdb.corpus.formats.reading import MAX_LINE, read_piece, refuse_packed, unpacked
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
    skip_or_raise,
    variants_of,
)

# Elements of XML files and the layouts in which they are looked for.


@dataclass(slots=True)
class XmlElement:
    """An element with what is kept of its content."""

    name: str
    attributes: Mapping[str, str]
    line: int
    """Where its start tag begins, from 1."""
    parts: list[str | XmlElement] = field(default_factory=list)

    def children(self, name: str) -> Iterator[XmlElement]:
        """The elements of this name directly inside."""
        return (part for part in self.parts if isinstance(part, XmlElement) and part.name == name)

    def descendants(self, name: str) -> Iterator[XmlElement]:
        """The elements of this name at any depth, in their order."""
        for part in self.parts:
            if isinstance(part, XmlElement):
                if part.name == name:
                    yield part
                yield from part.descendants(name)

    def text(self, without: Collection[str] = ()) -> str:
        """The text inside, also inside of inner elements but for those named in ``without``."""
        return "".join(
            part if isinstance(part, str) else part.text(without)
            for part in self.parts
            if isinstance(part, str) or part.name not in without
        )


@dataclass(frozen=True, slots=True)
class XmlLayout:
    """The elements that matter in one kind of file."""

    root: str
    unit: str
    """What is read as one tree."""
    texts: frozenset[str]
    """Inside a unit, the elements whose text counts; white space and text elsewhere is dropped."""


# Text, names and languages in the mark-up that is written, and names and languages in the mark-up that is read.


# The characters that XML 1.0 has no way to write, section 2.2.
_IMPOSSIBLE: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_MORE_ESCAPES: Final = _ESCAPES | str.maketrans({'"': "&quot;", "\t": "&#9;", "\n": "&#10;"})

# What must not stand in a name, at its beginning, or alone; names that begin with xml are reserved.
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]|^[^A-Za-z_]|^(?=[xX][mM][lL]).|_(?=x(?:[0-9A-F]{4,6})?_)")
_ESCAPED: Final = re.compile("_x([0-9A-F]{4,6})_")


def escape(text: str, *, one_line: bool = False) -> str:
    """``text`` as it is written between tags, or with ``one_line`` also in an attribute or where a line is a text.

    What XML cannot hold, most control characters, becomes U+FFFD.
    """
    return holdable(text).translate(_MORE_ESCAPES if one_line else _ESCAPES)


def holdable(text: str) -> str:
    """What is read again of a text that mark-up holds: other characters stand for those that it cannot hold."""
    return _IMPOSSIBLE.sub("\N{REPLACEMENT CHARACTER}", text)


def attributes(*pairs: tuple[str, str]) -> str:
    """Names and values as they stand in a start tag, each after a space; empty names and values too."""
    return "".join(f' {name}="{escape(value, one_line=True)}"' for name, value in pairs)


def attribute_name(name: str, reserved: frozenset[str] = frozenset()) -> str:
    """``name`` as the name of an attribute other than those in ``reserved``.

    Characters that are not allowed are written _xHHHH_, their code point in hexadecimal, as SQL/XML does (ISO 9075-14).
    An empty name is ``_x_``, which stands for no character.
    """
    if not name:
        return "_x_"
    if name.lower() in reserved:
        return f"_x{ord(name[0]):04X}_{name[1:]}"
    return _NO_NAME.sub(lambda match: f"_x{ord(match[0]):04X}_", name)


def name_of_attribute(written: str) -> str:
    """The name that ``attribute_name`` wrote."""
    if written == "_x_":
        return ""
    return _ESCAPED.sub(_character, written)


def _character(escape: re.Match[str]) -> str:
    code = int(escape[1], 16)
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else escape[0]


def code_of_tag(tag: str, path: Path, line: int) -> str:
    """The ISO 639-3 code for a language tag such as ``en-US``. Raises InputError for an unknown one."""
    try:
        return language_code(tag)
    except InputError as error:
        raise InputError(error.reason, path=path, line=line) from error


def tag_of_code(code: str) -> str:
    """The tag for an ISO 639-3 code by the rule of BCP 47: the code of two letters where there is one, else its own."""
    return _short_codes().get(code, code)


@lru_cache(maxsize=1)
def _short_codes() -> dict[str, str]:
    pairs = ["".join(letters) for letters in product(ascii_lowercase, repeat=2)]
    # Backwards, so that of two codes for one language the first holds: he and not iw.
    return {code: pair for pair in reversed(pairs) if (code := language_of_name(pair)) is not None}


# Units out of XML files: each a small tree, one at a time, in bounded memory, with nothing fetched or expanded.

_MOST_LEVELS: Final = 100
_MOST_OF_A_UNIT: Final = 64 << 20
_BYTES_OF_AN_ELEMENT: Final = 200
"""About what one costs in memory, besides its texts."""
_CUT_OFF: Final = ("no element found", "unclosed token", "unclosed CDATA section", "partial character")


def read_units(path: Path, layout: XmlLayout) -> Iterator[tuple[tuple[XmlElement, ...], XmlElement]]:
    """The units of a file in their order, each after the elements around it, which are without content.

    Any encoding is read that the file declares and that has one byte a character, UTF-8 and UTF-16 with a byte order
    mark; plain or gzip; ``-`` is standard input. A document type is skipped. Only one unit is in memory. Raises
    InputError with the line for what is no well-formed XML or another kind of file, declares or uses entities of its
    own, is nested too deeply, or has a text or tag of more than MAX_LINE bytes or a unit of more than 64 MiB.
    """
    parser = _Parser()
    builder = _Builder(path, layout, parser)
    parser.setContentHandler(builder)
    with unpacked(path) as stream:
        piece = read_piece(stream, path, 1)
        if not piece:
            raise InputError("the file is empty", path=path)
        refuse_packed(piece, path)
        while piece:
            _feed(parser, builder, piece)
            yield from builder.take()
            piece = read_piece(stream, path, parser.line)
    _feed(parser, builder, b"")
    yield from builder.take()


class _Parser(DefusedExpatParser):  # type: ignore[misc]
    """The expat reader of the standard library with entities forbidden."""

    fed = 0
    """How many bytes have been given to it."""

    def reset(self) -> None:
        super().reset()
        # Without this the DTD that nearly every TMX names counts as an external entity, and is refused.
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def take(self, piece: bytes) -> None:
        """Parse the next bytes, or end with none."""
        self.fed += len(piece)
        self.feed(piece, isFinal=not piece)

    @property
    def line(self) -> int:
        """The line that is being parsed, from 1."""
        return int(self._parser.CurrentLineNumber) if self.fed else 1

    @property
    def waiting(self) -> int:
        """How many bytes are kept back because the tag that they belong to has no end yet."""
        return self.fed - int(self._parser.CurrentByteIndex)

    def culprit(self, piece: bytes) -> int | None:
        """The byte that stopped the parser, where it is in the last piece."""
        at = int(self._parser.ErrorByteIndex) - (self.fed - len(piece))
        return piece[at] if 0 <= at < len(piece) else None


class _Builder(ContentHandler):
    """Builds the units that begin and end in what is parsed."""

    def __init__(self, path: Path, layout: XmlLayout, parser: _Parser) -> None:
        super().__init__()
        self.path, self.layout = path, layout
        self.open: list[XmlElement] = []
        self._finished: list[tuple[tuple[XmlElement, ...], XmlElement]] = []
        self._unit: XmlElement | None = None
        self._text: XmlElement | None = None
        self._size = 0
        self._unit_size = 0
        self._parser = parser

    def take(self) -> list[tuple[tuple[XmlElement, ...], XmlElement]]:
        """The units that were completed since the last call."""
        finished, self._finished = self._finished, []
        return finished

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        element = XmlElement(name, dict(attrs.items()), self._parser.line)
        if not self.open and name != self.layout.root:
            raise self._error(f"is a file of <{name}>, not of <{self.layout.root}>")
        if len(self.open) >= _MOST_LEVELS:
            raise self._error(f"elements are nested more than {_MOST_LEVELS} deep")
        if self._unit is not None:
            self.open[-1].parts.append(element)
            self._grow_unit(_BYTES_OF_AN_ELEMENT + sum(map(len, element.attributes.values())))
        elif name == self.layout.unit:
            self._unit, self._unit_size = element, 0
        if self._text is not None:
            self._grow(len(name))
        elif self._unit is not None and name in self.layout.texts:
            self._text, self._size = element, 0
        self.open.append(element)

    def endElement(self, name: str) -> None:
        element = self.open.pop()
        if element is self._text:
            self._text = None
        if element is self._unit:
            self._finished.append((tuple(self.open), element))
            self._unit = None

    def characters(self, content: str) -> None:
        if self._text is not None:
            self._grow(len(content) if content.isascii() else len(content.encode()))
            self.open[-1].parts.append(content)
            self._grow_unit(len(content))

    def skippedEntity(self, name: str) -> None:
        raise self._error(f"entity &{name}; is not defined here; write the character itself")

    def _grow(self, size: int) -> None:
        self._size += size
        if self._text is not None and self._size > MAX_LINE:
            raise InputError(
                f"the text of <{self._text.name}> is longer than {MAX_LINE:,} bytes",
                path=self.path,
                line=self._text.line,
            )

    def _grow_unit(self, size: int) -> None:
        self._unit_size += size
        if self._unit is not None and self._unit_size > _MOST_OF_A_UNIT:
            reason = f"<{self._unit.name}> holds more than {_MOST_OF_A_UNIT >> 20} MiB"
            raise InputError(reason, path=self.path, line=self._unit.line)

    def _error(self, reason: str) -> InputError:
        return InputError(reason, path=self.path, line=self._parser.line)


def _feed(parser: _Parser, builder: _Builder, piece: bytes) -> None:
    """Parse the next bytes, or end with none. Raises InputError."""
    line = parser.line
    try:
        parser.take(piece)
    except NotWellFormed as error:
        line = error.getLineNumber() or line
        raise InputError(_reason(error, parser, builder, piece), path=builder.path, line=line) from error
    except Forbidden as error:
        reason = "declares entities, which are refused: they can stand for other files, or for texts without end"
        raise InputError(reason, path=builder.path, line=parser.line) from error
    except (LookupError, ValueError) as error:
        # What pyexpat lets through from Python's codecs.
        raise InputError(f"the declared encoding cannot be read: {error}", path=builder.path, line=line) from error
    if parser.waiting > MAX_LINE:
        raise InputError(f"a tag or comment is longer than {MAX_LINE:,} bytes", path=builder.path, line=parser.line)


def _reason(error: NotWellFormed, parser: _Parser, builder: _Builder, piece: bytes) -> str:
    message = error.getMessage()
    if message in _CUT_OFF:
        if not builder.open:
            return "holds no XML element"
        inner = builder.open[-1]
        return f"the file is cut off inside <{inner.name}>, which begins in line {inner.line}"
    if message.startswith("encoding specified"):
        return "is stored in another encoding than it declares"
    if message == "not well-formed (invalid token)":
        byte = parser.culprit(piece)
        if byte == 0:
            return "NUL byte"
        if byte is not None and byte > 0x7F:
            return f"byte 0x{byte:02X} is no text in the encoding that the file declares, UTF-8 if it declares none"
        message = "a character that may not stand there; & and < in text are written &amp; and &lt;"
    return f"is no well-formed XML: {message} (column {(error.getColumnNumber() or 0) + 1})"


# TMX.

_LAYOUT: Final = XmlLayout("tmx", "tu", frozenset({"seg", "prop"}))
# Their content is native codes of the file that was translated, and texts inside such codes (sub), as the title of a
# link. The one other inline element, hi, holds text of the sentence.
_CODES: Final = frozenset({"bpt", "ept", "ph", "it", "ut", "sub"})
_DOCUMENT, _ATTRIBUTE, _VERSION = "x-document", "x-document-", "x-version"


@dataclass(frozen=True, slots=True)
class TmxSource(FilesRead):
    """TMX files, one after the other.

    Only the languages of ``options`` are taken, in that order, all where there are none; several variants of one
    language stay. Inline codes are dropped with their content, as are notes and other properties. A record's line is
    the number of its unit in the source, from 1, since a file may have no line ends; errors name lines of the file.
    """

    names_languages: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_names(self.options.attributes)

    def items(self) -> Iterator[Item]:
        numbers = count(1)
        for path in self.paths:
            for _, unit in read_units(path, _LAYOUT):
                number = next(numbers)
                try:
                    item = self._item(number, unit, path)
                except InputError as error:
                    item = skip_or_raise(error, number, skip_bad=self.options.skip_bad)
                yield item

    def _item(self, number: int, unit: XmlElement, path: Path) -> Item:
        variants, unnamed = [], 0
        for element in unit.children("tuv"):
            tag = element.attributes.get("xml:lang", element.attributes.get("lang", ""))
            text = "".join(seg.text(_CODES) for seg in element.children("seg"))
            code = code_of_tag(tag, path, element.line) if tag else ""
            if code and text and not text.isspace():
                variants.append(Variant(_version(element), code, text, self._annotation(element, text, path)))
            unnamed += not code
        wanted = self.options.languages
        if wanted:
            chosen = (each for each in variants if each.language in wanted)
            variants = sorted(chosen, key=lambda each: wanted.index(each.language))
        if len(variants) < 2:
            return Rejected(number, _shortage(unit, variants, wanted, unnamed))
        versions = tuple(each.version for each in variants)
        return Record(
            number,
            tuple(each.text for each in variants),
            tuple(each.language for each in variants),
            unit.attributes.get("tuid", ""),
            _document(unit),
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


def _document(unit: XmlElement) -> Document | None:
    name, found = None, {}
    for prop in unit.children("prop"):
        kind = prop.attributes.get("type", "")
        if kind == _DOCUMENT:
            name = prop.text()
        elif kind.startswith(_ATTRIBUTE):
            found[kind.removeprefix(_ATTRIBUTE)] = prop.text()
    return None if name is None else Document(name, tuple(sorted(found.items())))


def _version(variant: XmlElement) -> Version:
    for prop in variant.children("prop"):
        role, colon, name = prop.text().partition(":")
        if prop.attributes.get("type") == _VERSION and colon and role in get_args(Role):
            return Version(cast(Role, role), name)
    return Version()


def write_tmx(records: Iterable[Record], languages: tuple[str, ...], file: TextIO) -> int:
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
    file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n<header{header}/>\n<body>\n')
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
    writer=Writer(lambda units, languages, name: {name: lambda file: write_tmx(units(), languages, file)}),
)

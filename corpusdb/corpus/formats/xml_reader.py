"""Units out of XML files: each a small tree, one at a time, in bounded memory, with nothing fetched or expanded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from xml.parsers import expat
from xml.sax import SAXParseException as NotWellFormed
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from defusedxml.common import DefusedXmlException as Forbidden  # type: ignore[import-untyped]
from defusedxml.expatreader import DefusedExpatParser  # type: ignore[import-untyped]

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.reading import MAX_LINE, read_piece, refuse_packed, unpacked
from corpusdb.corpus.formats.xml import XmlElement, XmlLayout

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
            return f"byte 0x{byte:02X} is not text in the encoding that the file declares, UTF-8 if it declares none"
        message = "a character that is not allowed there; & and < in text are written &amp; and &lt;"
    return f"is not well-formed XML: {message} (column {(error.getColumnNumber() or 0) + 1})"

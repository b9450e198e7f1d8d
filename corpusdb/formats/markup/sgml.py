"""Tags of mteval SGM, which is SGML in name only: read as mteval reads it, with patterns and not with a grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.errors import InputError
from corpusdb.formats.files.reading import MAX_LINE, read_text

__all__ = ["Tag", "read_tags"]

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
        values = {name: _decode(_unquote(value)) for name, value in _ATTRIBUTE.findall(found[2])}
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


def _unquote(value: str) -> str:
    return value[1:-1] if value[0] in "\"'" else value


def _decode(text: str) -> str:
    return _REFERENCE.sub(_character, text) if "&" in text else text


def _character(reference: re.Match[str]) -> str:
    """The character that a reference stands for; the reference itself where that is none."""
    if reference[1]:
        return _NAMED[reference[1]]
    code = int(reference[2]) if reference[2] else int(reference[3], 16)
    return chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else reference[0]

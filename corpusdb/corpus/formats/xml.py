"""Elements of XML files, and texts escaped to stand in mark-up; light, since the parser is loaded apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from pathlib import Path
from string import ascii_lowercase
from typing import Final

from corpusdb.base.errors import InputError
from corpusdb.base.text import language_code, language_of_name

# Elements of XML files and the layouts in which they are looked for; light, since the parser is loaded apart.


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

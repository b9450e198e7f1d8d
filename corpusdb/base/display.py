"""Text as it is shown: nothing of a file or a database can move, colour or deceive a terminal."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import TextIO, cast

from corpusdb.base.cells import MOST_MARKS
from corpusdb.base.errors import UsageError

__all__ = [
    "behind_wall",
    "cell_safe",
    "check_name",
    "counted",
    "json_safe",
    "lines_safe",
    "singular",
    "wall_terminals",
    "walled",
]


# The one door for text that is shown: nothing of a file or a database can move, colour or deceive a terminal.
#
# Every character that could is replaced by one U+FFFD, so that nothing disappears in silence and every offset stays
# right; whatever people write in some language stays as it is.


_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# Never shown. Private use is left: what a font has there, it has as a letter.
_NEVER = (
    "\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\xad\u034f\u061c\u115f-\u1160\u17b4-\u17b5\u3164\uffa0"  # soft hyphen, grapheme joiner, blank letters
    "\u200e\u200f\u2028-\u202e\u2060-\u206f"  # directions, separators of lines and paragraphs, invisible operators
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff0-\ufffb\ufffe\uffff"  # half characters, none, annotations
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # controls of shorthand and of musical notes
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"  # tags, and what Unicode keeps to be invisible
    + "".join(f"{chr(plane | 0xFFFE)}-{chr(plane | 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
)
# Invisible and needed: joiners in scripts whose letters join or stack, and between the parts of an emoji.
_JOINING = (
    "\u0600-\u08ff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc"  # Arabic, Syriac, Thaana, N'Ko, Mandaic
    "\u0900-\u0dff\u0f00-\u109f\u1700-\u18af\u1a00-\u1cff"  # Indic, Tibetan, Myanmar, Khmer, Mongolian
    "\ua800-\uabff\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
_PICTURES = "#*0-9\xa9\xae\u203c-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
# The spaces without a width, where words are not delimited.
_UNSPACED = "\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u19e0-\u19ff\u1a20-\u1aaf\uaa60-\uaa7f"
_VARIED = (
    f"{_PICTURES}\u1000-\u109f\u2010-\u2027\u2030-\u203b\u3000-\u303f\u3200-\u9fff\ua840-\ua87f\uf900-\ufaff"
    "\uff01-\uff5e\U00010ac0-\U00010aff\U00020000-\U0003fffd"
)
_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_MONGOLIAN = "\u1800-\u180a\u1810-\u18af"


# Where Unicode has marks, so that not all of it need be looked through.
_BLOCKS = (
    range(0x300, 0x3100),
    range(0xA600, 0xAC00),
    range(0xFB00, 0xFE80),
    range(0x10100, 0x12000),
    range(0x13400, 0x13460),
    range(0x16100, 0x17000),
    range(0x1BC00, 0x1F000),
)
_BEYOND = "\U00010000-\U0010ffff"
_LINE = re.compile(r"[^\n]+")
_PIECE = re.compile(r"[^\n\t\r]+|\r(?!\n)")


@lru_cache(maxsize=1)
def _marks() -> str:
    """The inside of a character class for what stands on the letter before it and takes no room."""
    marks = [code for block in _BLOCKS for code in block if unicodedata.category(chr(code)) in ("Mn", "Me")]
    jamo = "\u1161-\u11ff\ud7b0-\ud7ff"  # vowels and finals of Hangul, which are drawn on its initials
    breaks = [place for place in range(1, len(marks)) if marks[place] > marks[place - 1] + 1]
    firsts, lasts = [0, *breaks], [*(place - 1 for place in breaks), len(marks) - 1]
    return jamo + "".join(f"{chr(marks[a])}-{chr(marks[b])}" for a, b in zip(firsts, lasts, strict=True))


@lru_cache(maxsize=1)
def _doubtful() -> re.Pattern[str]:
    """What must be looked at closely; most texts have none of it.

    Everything beyond the first plane is in it as one range: each more would be tried for every character.
    """
    first_plane = re.sub(f"[{_BEYOND}](-.)?", "", f"{_NEVER}{_marks()}")
    return re.compile(f"[{first_plane}\u180e\u200b-\u200d{_BEYOND}]")


@lru_cache(maxsize=1)
def _harmful() -> re.Pattern[str]:
    """One character that is not shown, whatever stands before it or because of that."""
    return re.compile(
        rf"[{_NEVER}]"
        rf"|(?<=[{_marks()}]{{{MOST_MARKS}}})[{_marks()}]"
        rf"|(?<![{_VARIED}])[\ufe00-\ufe0f]"
        rf"|(?<![{_HAN}])[\U000e0100-\U000e01ef]"
        rf"|(?<![{_MONGOLIAN}])[\u180b-\u180f]"
        rf"|(?<![{_UNSPACED}])\u200b|\u200b(?![{_UNSPACED}])"
        rf"|(?<![{_JOINING}])\u200c"
        rf"|(?<![{_JOINING}{_PICTURES}\ufe0f])\u200d|(?<=[{_PICTURES}\ufe0f])\u200d(?![{_PICTURES}])"
    )


def cell_safe(text: str) -> str:
    """``text`` as one line of a terminal may show it: U+FFFD stands for each character that may not be shown.

    Those are controls, line breaks and tabs too, what changes directions, tags, invisible characters but for those
    that scripts and emoji need, noncharacters, halves of characters, and marks beyond MOST_MARKS on one letter. The
    text keeps its length.
    """
    if (text.isascii() and text.isprintable()) or _doubtful().search(text) is None:
        return text
    return _harmful().sub(_REPLACEMENT, text)


def lines_safe(text: str) -> str:
    """The same for several lines: line breaks and tabs stay, and the carriage return of a line that ends as in CSV."""
    if (text.isascii() and text.isprintable()) or _doubtful().search(text) is None:
        return text
    return _PIECE.sub(lambda piece: cell_safe(piece[0]), text)


def json_safe(document: str) -> str:
    r"""A document of json.dumps that says exactly the same, with \uXXXX for each character that may not be shown."""
    if _doubtful().search(document) is None:
        return document
    return _LINE.sub(lambda line: _harmful().sub(_escape, line[0]), document)


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def check_name(name: str, what: str) -> None:
    """Raise UsageError for a name that nobody could tell from others on a screen; ``what`` is what would bear it.

    That is a blank one, and one that cell_safe would change.
    """
    if not name.strip() or cell_safe(name) != name:
        raise UsageError(f"{cell_safe(repr(name))} is no name for {what}: it is blank or holds what cannot be shown")


# The wall behind the door: whatever is written to a terminal is made harmless, also what nobody thought of.
#
# What the program itself sends to move the cursor or to make a text bold goes to the terminal that is behind the wall.


_WAYS_AROUND = ("buffer", "detach")


class _Wall:
    """A terminal to which only text can be written that every terminal shows as it is."""

    def __init__(self, terminal: TextIO) -> None:
        self.terminal = terminal

    def write(self, text: str) -> int:
        self.terminal.write(lines_safe(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> object:
        """Everything else is that of the terminal, but for the ways to write bytes."""
        if name in _WAYS_AROUND:
            raise AttributeError(name)
        return getattr(self.terminal, name)


def walled(stream: TextIO) -> TextIO:
    """``stream``, with a wall before it if it is a terminal that has none."""
    if isinstance(stream, _Wall) or not stream.isatty():
        return stream
    return cast("TextIO", _Wall(stream))


def behind_wall(stream: TextIO) -> TextIO:
    """Where to write what the program itself wants the terminal to do."""
    return stream.terminal if isinstance(stream, _Wall) else stream


def wall_terminals() -> None:
    """Put the wall before stdout and stderr, where these are terminals."""
    sys.stdout, sys.stderr = walled(sys.stdout), walled(sys.stderr)


# Numbers of things, in words.


def counted(count: int, things: str) -> str:
    """A number of things, which are given in the plural: "1 line", "2,000 lines", "1 neighbour to the left"."""
    return f"{count:,} {singular(things) if count == 1 else things}"


def singular(things: str) -> str:
    """One of the things, of an English noun with a regular plural: lines, queries, neighbours to the left."""
    more = "more " if things.startswith("more ") else ""
    noun, space, rest = things.removeprefix(more).partition(" ")
    one = f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")
    return f"{more}{one}{space}{rest}"

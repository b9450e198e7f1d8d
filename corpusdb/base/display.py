"""Text and rows as people and programs read them: nothing of a file or a database can move or colour anything."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TextIO, TypeAlias, cast

from corpusdb.base.cells import MOST_MARKS, aligned_lines, cell_width
from corpusdb.base.errors import UsageError
from corpusdb.base.text import inside_of_class, nfc

# The one door for text that is shown: each character by which it could move, colour or deceive a terminal is one
# U+FFFD, so that nothing disappears in silence and offsets stay right; what people write in some language stays as it
# is.

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
    marks = (code for block in _BLOCKS for code in block if unicodedata.category(chr(code)) in ("Mn", "Me"))
    jamo = "\u1161-\u11ff\ud7b0-\ud7ff"  # vowels and finals of Hangul, which are drawn on its initials
    return jamo + inside_of_class(marks)


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
        raise UsageError(f"{cell_safe(repr(name))} is not a name for {what}: it is blank or holds what cannot be shown")


def kept_name(name: str, what: str) -> str:
    """A new name as it is kept: in NFC, as texts are, with nothing at either end. Raises as ``check_name`` does."""
    check_name(name.strip(), what)
    return nfc(name.strip())


# The wall behind the door: whatever is written to a terminal is made harmless, also what nobody thought of. What the
# program itself sends to move the cursor or to make a text bold goes to the terminal that is behind the wall.

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
    """Put the wall before stdout and stderr, where these are terminals; what was closed leads nowhere."""
    sys.stdout, sys.stderr = (walled(each or _nowhere()) for each in (sys.stdout, sys.stderr))


def _nowhere() -> TextIO:
    return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


# Numbers of things, in words.


def counted(count: int, things: str) -> str:
    """A number of things, which are given in the plural: "1 line", "2,000 lines", "1 neighbour to the left"."""
    return f"{count:,} {singular(things) if count == 1 else things}"


def moment(time: str) -> str:
    """A time of the database as it is told to people: the day and the minute, in UTC."""
    return time[:16].replace("T", " ")


def singular(things: str) -> str:
    """One of the things, of an English noun with a regular plural: lines, queries, neighbours to the left."""
    more = "more " if things.startswith("more ") else ""
    noun, space, rest = things.removeprefix(more).partition(" ")
    one = f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("es" if noun.endswith("ches") else "s")
    return f"{more}{one}{space}{rest}"


# Cells of CSV that begin as formulas do: they are written as they are, so that what is read back is what was written,
# and a spreadsheet may run them, or fetch from where the author of the text likes (CWE-1236); so they are counted, and
# told.

_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")
_NUMBER: Final = re.compile(r"[+-]\s?([0-9][0-9.,]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s?%?")


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would take a cell for a formula: it begins as one, says more, and is no number."""
    return cell.startswith(_SIGNS) and len(cell) > 1 and not _NUMBER.fullmatch(cell)


@dataclass(slots=True)
class Formulas:
    """Counts such cells in the rows that pass."""

    cells: int = 0

    def watch(self, row: Sequence[str]) -> Sequence[str]:
        self.cells += sum(map(is_formula, row))
        return row

    def __str__(self) -> str:
        """One line for whoever opens the file; empty where there is no such cell."""
        if not self.cells:
            return ""
        begin = "cell begins as a formula does" if self.cells == 1 else "cells begin as formulas do"
        return f"{self.cells:,} {begin} (=, +, -, @) and may be run by a spreadsheet; load the columns as text"


# Rows as the lines of files that programs read: tab-separated values, CSV and JSON lines.

Cell: TypeAlias = str | int | float | bytes | None

# A tab or a line break inside a cell would make two of it.
_BREAK: Final = re.compile("[\t\n\r]")
_ESCAPES: Final = str.maketrans({"\t": r"\t", "\n": r"\n", "\r": r"\r"})


@lru_cache(1 << 14, typed=True)  # most of many rows have one of a few counts
def short(cell: Cell) -> Cell:
    """A number with at least four significant digits; JSON has all of them."""
    if not isinstance(cell, float):
        return cell
    return round(cell) if abs(cell) >= 1000 else float(f"{cell:.4g}")


def cell_text(cell: Cell) -> str:
    """What stands in a cell: bytes as hexadecimal digits, and nothing for None."""
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    return cell.hex() if isinstance(cell, bytes) else str(cell)


def escape_breaks(text: str) -> str:
    r"""``text`` with each tab and line break written ``\t``, ``\n`` or ``\r``."""
    return text.translate(_ESCAPES) if _BREAK.search(text) else text


_AS_THEY_STAND: Final = frozenset({str, int, float})
"""What ``str`` makes the text of."""


def tsv_line(cells: Iterable[Cell]) -> str:
    """A row of tab-separated values with its line end; tabs and line breaks inside the cells are escaped."""
    row = tuple(cells)
    if _AS_THEY_STAND.issuperset(map(type, row)):
        line = "\t".join(map(str, row))
        if line.count("\t") == len(row) - 1 and "\n" not in line and "\r" not in line:  # as nearly all are
            return line + "\n"
    return "\t".join([escape_breaks(cell_text(cell)) for cell in row]) + "\n"


class CsvWriter:
    """Writes rows of comma-separated values, quoted where needed.

    Lines end in CR LF as RFC 4180 has it, for spreadsheets, unless LF is asked for. Cells that a spreadsheet would run
    stand as they are, and ``formulas`` counts them.
    """

    def __init__(
        self, file: TextIO, formulas: Formulas | None = None, line_end: Literal["\r\n", "\n"] = "\r\n"
    ) -> None:
        self.formulas = Formulas() if formulas is None else formulas
        self._line_end = line_end
        self._plain = csv.writer(file, lineterminator=line_end)
        self._quoting = csv.writer(file, lineterminator=line_end, quoting=csv.QUOTE_ALL)

    def write(self, cells: Iterable[Cell], *, quote_all: bool = False) -> None:
        """Write one row; with ``quote_all`` every cell stands in quotes."""
        row = self.formulas.watch([cell_text(cell) for cell in cells])
        # csv quotes a carriage return by itself only where its lines end in one, up to Python 3.12.
        quoted = quote_all or (self._line_end == "\n" and any("\r" in cell for cell in row))
        (self._quoting if quoted else self._plain).writerow(row)


def json_line(document: object, *, compact: bool = False) -> str:
    """A JSON document on one line, without a line end; ``compact`` leaves out the spaces behind commas and colons."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":") if compact else None)


# Rows in the formats that people and programs read.

Row: TypeAlias = Sequence[Cell]
Format: TypeAlias = Literal["table", "tsv", "csv", "json", "jsonl", "markdown", "latex"]
EXPORT_FORMATS: tuple[Format, ...] = ("tsv", "csv", "markdown", "latex", "json", "jsonl")
"""Those of files; a table is for the eye."""

# What CommonMark would read as markup; a bar would end the cell.
_MARKUP = re.compile(r"([\\`*_\[\]<>&~|])")
# What LaTeX would read as commands, outside of mathematics.
_LATEX = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)
_SHOWN_NUMBER = re.compile(r"(?:< )?[-+]?[\d.,]+(?:e[-+]\d+)?(?: \[[^\[\]]+\]| ± [\d.]+)* ?%?(\**|\?)|-?")
"""A number as it is shown, with an interval or deviations and its marks of significance, or none; ? not tested."""

_DECIMAL = re.compile(r"[-+]?\d+\.\d+")


class Best(str):
    """A cell that stands out where a format has bold type: the best of its column."""

    __slots__ = ()


def write_rows(format: Format, columns: Sequence[str], rows: Iterable[Row], stream: TextIO) -> Formulas:
    """Write rows under the names of their columns; ``table`` and ``tsv`` may have rows without names.

    Returns what CSV holds that a spreadsheet would run: it stands there as it is. Bytes are hexadecimal digits, and
    None is an empty cell or null; in a table, ``-``. Raises UsageError where a JSON object would have two members of
    one name.
    """
    if stream.isatty() and format not in ("table", "json", "jsonl"):
        columns = [cell_safe(name) for name in columns]
        rows = (
            tuple(cell_safe(escape_breaks(cell)) if isinstance(cell, str) else cell for cell in row) for row in rows
        )
    formulas = Formulas()
    if format == "csv":  # for spreadsheets; for cut and grep there is tsv
        table = CsvWriter(stream, formulas)
        for line in _lines(columns, rows):
            table.write(line)
    elif format == "json" or format == "jsonl":
        objects = _objects(columns, rows, stream)
        stream.writelines(f"{each}\n" for each in objects) if format == "jsonl" else stream.writelines(_array(objects))
    else:
        stream.writelines(_WRITERS[format](columns, rows))
    return formulas


def _lines(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[Row]:
    if columns:
        yield tuple(columns)
    yield from rows


def _array(objects: Iterable[str]) -> Iterator[str]:
    separator = "["
    for document in objects:
        yield f"{separator}\n  {document}"
        separator = ","
    yield "[]\n" if separator == "[" else "\n]\n"


def _objects(columns: Sequence[str], rows: Iterable[Row], stream: TextIO) -> Iterator[str]:
    """Each row as a JSON object on one line, as it may be shown where ``stream`` is a terminal."""
    shown = json_safe if stream.isatty() else str
    for name in columns:
        if columns.count(name) > 1:
            raise UsageError(f"two columns are called {name!r}, which a JSON object cannot have")
    for row in rows:
        cells = (cell.hex() if isinstance(cell, bytes) else cell for cell in row)
        yield shown(json_line(dict(zip(columns, cells, strict=True))))


def _markdown(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    yield _markdown_line(columns)
    yield "|" + " --- |" * len(columns) + "\n"
    yield from map(_markdown_line, rows)


def _markdown_line(cells: Row) -> str:
    texts = (re.sub(r"\r\n|\r|\n", "<br>", _MARKUP.sub(r"\\\1", cell_text(cell))) for cell in cells)
    return "| " + " | ".join(texts) + " |\n"


def _latex(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """A tabular with three rules of the package booktabs, and no other; columns of numbers stand right, and longer
    texts in paragraphs, so that none goes over the edge of the page.

    Their marks of significance take no room, so that the numbers stand by their decimals, and are as in a table.
    """
    are_names = [name in _NUMBERING for name in columns]
    columns = [name.replace("_", " ") for name in columns]
    table = [
        [
            str(cell) if is_name else _shown(cell) if isinstance(cell, int | float) else cell
            for cell, is_name in zip(row, are_names, strict=True)
        ]
        for row in rows
    ]
    texts = [[cell_text(row[at]) for row in table] for at in range(len(columns))]
    long = [max(map(cell_width, each), default=0) > _LONGEST_IN_LINE for each in texts]
    paragraph = rf"p{{{0.8 / max(sum(long), 1):.2g}\linewidth}}"
    kinds = (
        "r" if all(map(_SHOWN_NUMBER.fullmatch, each)) else paragraph if is_long else "l"
        for each, is_long in zip(texts, long, strict=True)
    )
    yield r"\begin{tabular}{" + "".join(kinds) + "}\n\\toprule\n"
    yield _latex_line(columns) + "\\midrule\n"
    yield from map(_latex_line, table)
    yield "\\bottomrule\n\\end{tabular}\n% needs \\usepackage{booktabs}\n"


def latex_note(text: str) -> str:
    """A line in small type, to be read below a table."""
    return rf"\par{{\footnotesize {_latex_cell(text)}\par}}"


_NUMBERING: Final = frozenset({"id", "line"})
"""Columns whose numbers are names, which have no thousands."""
_LONGEST_IN_LINE: Final = 40
"""In a column of longer texts, in cells, lines are broken."""


def _latex_line(cells: Row) -> str:
    line = " & ".join(map(_latex_cell, cells))
    line = re.sub(r"(?<![\w{}-])-(?=\d)", "$-$", line)
    return re.sub(r"^(?=[\[*])", "{}", line) + " \\\\\n"  # or that would belong to the end of the row before


def _latex_cell(cell: Cell) -> str:
    text = " ".join(cell_text(cell).translate(_LATEX).split())
    text = re.sub(r"([-`'])(?=\1)", r"\1{}", text)  # or two of them would be drawn as one sign
    found = _SHOWN_NUMBER.fullmatch(cell_text(cell))
    marks = (found[1] or "") if found else ""
    text = text.removesuffix(marks)
    text = re.sub(r"^(-?[\d.]+)e([-+])0*(\d+)$", _power, text)
    if isinstance(cell, Best):
        text = rf"\textbf{{{text}}}"
    return (text + (rf"\rlap{{$^{{{marks}}}$}}" if marks else "")).replace("±", r"$\pm$")


def _power(found: re.Match[str]) -> str:
    return rf"${found[1]} \cdot 10^{{{found[2].strip('+')}{found[3]}}}$"


def _table(columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """Numbers stand right and have separators between thousands."""
    table = list(rows)
    shown = [[_shown(cell) for cell in row] for row in table]
    if columns:
        shown.insert(0, [cell_safe(name) for name in columns])
    numeric = [all(map(_is_number, column)) for column in zip(*table, strict=True)]
    return (f"{line}\n" for line in aligned_lines(shown, numeric or [False] * len(columns)))


def _is_number(cell: Cell) -> bool:
    """Whether a cell is one, or is written as one, with so many decimals."""
    return not isinstance(cell, bytes) and (not isinstance(cell, str) or _DECIMAL.fullmatch(cell) is not None)


def _shown(cell: Cell) -> str:
    match cell:
        case None:
            return "-"
        case bytes():
            return f"({len(cell):,} bytes)"
        case int():
            return f"{cell:,}"
        case float():
            return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.4g}"
        case str():
            return cell_safe(escape_breaks(cell))


_WRITERS: Final[Mapping[str, Callable[[Sequence[str], Iterable[Row]], Iterable[str]]]] = {
    "table": _table,
    "tsv": lambda columns, rows: map(tsv_line, _lines(columns, rows)),
    "markdown": _markdown,
    "latex": _latex,
}

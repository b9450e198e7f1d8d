"""The columns of a table of texts: which of them hold what, also where outputs and references are scored."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.text import language_of_name
from corpusdb.corpus.formats.format import ScoringReader
from corpusdb.corpus.formats.records import UNKNOWN, Header, Options, Provenance, Role, Version
from corpusdb.corpus.formats.segments import (
    Output,
    Reference,
    ReferenceTexts,
    Segmentation,
    base_name,
    check_counts,
    make_reference,
)

# A column of texts is headed by its language. Where a unit may have several texts of one language, the heading goes on
# with whose text it is, ``LANG[:ROLE[:NAME]]``, and ends with ``#2``, ``#3`` ... where one version stands there again:
# ``eng``, ``eng:reference:B``, ``eng::B`` (no role), ``eng:reference:B#2``. The columns ``id``, ``document`` and
# ``document:ATTRIBUTE`` say what the unit is called and where it stood.

ID: Final = "id"
DOCUMENT: Final = "document"
_NUMBERED: Final = "no"
"""Beside columns of two other languages it may head numbers, though it is the code of Norwegian."""

_HEADER_WORD = re.compile(
    r"(source|src|target|tgt|translation|reference|ref|sentence|segment|text|original)[ _-]?\d*", re.IGNORECASE
)
_UNSURE_WORD = re.compile("segment|sentence|text", re.IGNORECASE)
"""These are also what a column of numbers or names is called."""
_OTHER_WORD = re.compile(
    r"(id|no|nr|#|index|line|row|rank|score|probability|doc|domain|genre|topic|date|year|url|split|licen[cs]e|attribution"
    r"|comment|note|quality|similarity|user|author|system|speaker)[ _-]?\d*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\s*\d+([.,]\d+)?\s*")
_COLUMN_NAME = re.compile(r"[A-Za-z][\w:#.-]*")
_LEAST_ROWS = 2
_SUBTAG = re.compile(r"(?!(?:id|no|nr)$)[A-Za-z]{2}|[0-9]{3}|[A-Z][a-z]{3}|hans|hant|latn|cyrl")
"""Behind the code of a language: a region or a script (BCP 47)."""
_VERSION = re.compile(
    r"(?P<language>[^:#]+)(?:(?::(?P<role>source|reference|system)|:(?=:))(?::(?P<name>.+?))?)?(?:#[1-9]\d*)?"
)


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column that holds the texts of one language, or of one version in it."""

    position: int
    """From 0."""
    language: str
    version: Version = field(default_factory=Version)


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """What the columns of one table hold; positions are counted from 0."""

    has_header: bool
    texts: tuple[TextColumn, ...]
    """In the order in which the texts of a unit are wanted."""
    id: int | None = None
    document: int | None = None
    attributes: tuple[tuple[str, int], ...] = ()
    """The attributes of the document and their columns, by name, ascending."""

    @property
    def tells_versions(self) -> bool:
        """Whether the texts of a unit are more than one plain text for each language."""
        languages = {column.language for column in self.texts}
        return len(languages) < len(self.texts) or any(column.version != Version() for column in self.texts)

    @property
    def places_units(self) -> bool:
        """Whether units have ids or documents."""
        return self.id is not None or self.document is not None or bool(self.attributes)

    @property
    def width(self) -> int:
        """How many cells a row must have."""
        return 1 + max(self.positions)

    @property
    def positions(self) -> frozenset[int]:
        """The columns that are read."""
        others = [position for position in (self.id, self.document) if position is not None]
        return frozenset(
            chain((column.position for column in self.texts), others, (position for _, position in self.attributes))
        )


def heading(language: str, version: Version, number: int = 1) -> str:
    """The heading of the ``number``-th column, from 1, for one version in a language."""
    name = f":{version.role}:{version.name}" if version.name else f":{version.role}" if version.role else ""
    # A name may itself look as if it ended with a number.
    numbered = number > 1 or re.search(r"#[1-9]\d*$", name) is not None
    return f"{language}{name}#{number}" if numbered else language + name


@lru_cache(1024)  # keys of JSON lines are headings of each line
def language_of_heading(cell: str) -> str | None:
    """The language that a heading names: "french", "fra", "fr" or, with a region or script, "fr-CA"; also "fr_text".

    What else stands behind a code, as in "fr_speaker", is about the text.
    """
    head, *rest = re.split(r"[-_]", cell.strip())
    if language := language_of_name(cell):
        return language
    is_code = len(head) in (2, 3) and all(_SUBTAG.fullmatch(part) or _HEADER_WORD.fullmatch(part) for part in rest)
    return language_of_name(head) if is_code else None


def check_columns(options: Options) -> None:
    """Raise UsageError where the options for a table contradict each other."""
    columns = options.columns
    if not options.languages and columns is not None:
        raise UsageError("--columns needs the languages of the columns in their order: --lang eng,fra")
    if not options.languages:
        raise UsageError("a table needs its languages, such as eng,fra, unless its header names them")
    if columns is None:
        return
    if len(columns) != len(options.languages):
        raise UsageError(f"{len(columns)} columns for {len(options.languages)} languages")
    if len(set(columns)) < len(columns):
        raise UsageError("a column is given twice")
    if any(isinstance(column, int) and column < 1 for column in columns):
        raise UsageError("columns are counted from 1")
    if options.header == "no" and any(isinstance(column, str) for column in columns):
        raise UsageError("columns are chosen by name, but --header no says that there are none")


def languages_in_header(first: Sequence[str], header: Header) -> tuple[str, ...]:
    """The languages in the order of their columns, where each cell of the first line heads texts, an id or a document.

    None where any does not, or where there are fewer than two columns of texts. Unless the file is said to have a
    header, languages must be named in full or by their ISO 639-3 code: many shorter codes are also sentences.
    """
    headings = [text_heading(cell) for cell in first if not _is_place(cell)]
    languages = [named[0] for named in headings if named is not None]
    if header == "no" or len(languages) < max(2, len(headings)):
        return ()
    if header == "auto" and not all(_is_plain_name(cell) for cell in first if not _is_place(cell)):
        return ()
    return tuple(dict.fromkeys(languages))


def format_unnamed_languages(first: Sequence[str], header: Header) -> str | None:
    """Why the first line names no languages, though some of its cells do; None where none does or all are texts."""
    others = [(position, cell) for position, cell in enumerate(first, 1) if not _is_place(cell)]
    named = {cell: told[0] for _, cell in others if (told := text_heading(cell)) is not None}
    if header == "no" or not (len(named) > 1 or (named and header == "yes") or any(map(_is_plain_name, named))):
        return None
    unsure = [cell for cell in named if cell.strip().lower() == _NUMBERED and len({*named.values()}) > 2]
    named = {cell: code for cell, code in named.items() if cell not in unsure}
    codes = ",".join(dict.fromkeys(named.values()))
    strange = [f"{position} ({cell})" for position, cell in others if cell not in named]
    if not strange:
        return f"whether its first line ({', '.join(named)}) is a header is not told: --header yes, or --lang {codes}"
    column = "column " + strange[0] if len(strange) == 1 else "columns " + ", ".join(strange)
    way = f"--lang {codes} reads the other columns; " if len(set(named.values())) > 1 else ""
    why = "since no language is named so" + "".join(f", unless {cell} is Norwegian" for cell in unsure)
    return f"{column} cannot be taken, {why}: {way}--columns with --lang says which to read"


def table_layout(first: Sequence[str], options: Options, path: Path) -> ColumnLayout:
    """What the columns hold, by the cells of the first line and by what was asked for.

    A header that names all the languages chooses the columns, several for a language whose versions it names, or one
    that says in usual words which columns hold texts; then columns chosen by position or name; then the first columns
    in the order of the languages. Ids and documents are taken where a header names them exactly so; a column ``id``
    that is chosen as Indonesian is none. Raises InputError where the columns chosen are not there or are headed by
    another language, and where a header in usual words does not tell which they are.
    """
    columns, header = options.columns, options.header
    if columns is None:
        named = _columns_by_language(first, options.languages) if header != "no" else None
        if named is not None:
            return _layout_with_header(first, named, options.attributes, path)
        told = _columns_by_words(first, options, path) if header != "no" else None
        if told is not None:
            header = "yes"
        positions = told or tuple(range(len(options.languages)))
    elif isinstance(columns[0], str):
        positions = tuple(_find_column(str(name), first, path) for name in columns)
        header = "yes"
    else:
        positions = tuple(int(column) - 1 for column in columns)
    texts = tuple(TextColumn(*column) for column in zip(positions, options.languages, strict=True))
    if header == "auto":
        has_header = max(positions) < len(first) and all(
            _is_heading(first[column.position], column.language) for column in texts
        )
    else:
        has_header = header == "yes"
    if has_header and columns is None:
        _refuse_contradiction(first, texts, path)
    if has_header:
        return _layout_with_header(first, texts, options.attributes, path)
    if options.attributes:
        raise InputError("--attributes names columns, but the first line is not a header", path=path, line=1)
    return ColumnLayout(False, texts)


def _columns_by_language(first: Sequence[str], languages: Sequence[str]) -> tuple[TextColumn, ...] | None:
    """The columns that the headings name for the languages asked for, or None unless all of them are named."""
    headings = {position: told for position, cell in enumerate(first) if (told := text_heading(cell)) is not None}
    columns: list[TextColumn] = []
    for code in languages:
        named = [position for position, (language, _) in headings.items() if language == code]
        # "id" is Indonesian, and the usual head of a key.
        named = [position for position in named if first[position].strip() != ID] or named
        plain = [position for position in named if not re.search("[:#]", first[position])]
        # The longest name, because short codes are also words.
        longest = max(plain, key=lambda position: len(first[position].strip()), default=None)
        chosen = [position for position in named if position == longest or position not in plain]
        if not chosen:
            return None
        columns.extend(TextColumn(position, *headings[position]) for position in chosen)
    return tuple(columns)


def _layout_with_header(
    first: Sequence[str], texts: tuple[TextColumn, ...], named: Sequence[str], path: Path
) -> ColumnLayout:
    taken = {column.position for column in texts}
    free = {position: cell for position, cell in enumerate(first) if position not in taken}
    places: dict[str, list[int]] = {ID: [], DOCUMENT: []}
    attributes: dict[str, int] = {}
    for name, _, column in (each.partition("=") for each in named):
        position = _find_column(column or name, first, path)
        if name == DOCUMENT:
            free.pop(position, None)
            places[DOCUMENT] = [position]
        else:
            attributes[name] = position
    for position, cell in free.items():
        if cell.strip() in places:
            places[cell.strip()].append(position)
        elif cell.startswith(f"{DOCUMENT}:"):
            attributes.setdefault(cell.removeprefix(f"{DOCUMENT}:"), position)
    # Two columns of one name say nothing for sure.
    single = {name: positions[0] if len(positions) == 1 else None for name, positions in places.items()}
    return ColumnLayout(True, texts, single[ID], single[DOCUMENT], tuple(sorted(attributes.items())))


def _find_column(name: str, first: Sequence[str], path: Path) -> int:
    names = [cell.strip().casefold() for cell in first]
    count = names.count(name.strip().casefold())
    if count != 1:
        reason = f"no column is named {name!r}" if not count else f"{count} columns are named {name!r}"
        raise InputError(f"{reason}; the header has: {', '.join(first)[:200]}", path=path, line=1)
    return names.index(name.strip().casefold())


def _refuse_contradiction(first: Sequence[str], texts: Sequence[TextColumn], path: Path) -> None:
    """Raise InputError where a heading names another language than the one that its column is taken for."""
    for column in texts:
        position = column.position
        named = language_of_heading(first[position]) if position < len(first) else None
        if named is not None and named != column.language:
            reason = f"column {position + 1} is headed {first[position]!r}, not {column.language}; choose the columns"
            raise InputError(reason, path=path, line=1)


def _columns_by_words(first: Sequence[str], options: Options, path: Path) -> tuple[int, ...] | None:
    """The columns of texts where the first line is a header in usual words, such as id, source and target.

    That it is where one heads texts and it is said to be a header, all its cells are such words, or one is an id beside
    names alone; where two head texts; or where it names one of the languages among other names of columns. Texts are in
    the order of the languages. None where it is no such header. Raises InputError where it has another number of
    columns of texts.
    """
    languages = options.languages
    heads = [position for position, cell in enumerate(first) if _heads_text(cell)]
    is_header = len(heads) > 1 or (bool(heads) and _is_header(first, options))
    if not is_header and not _names_some(first, languages):
        return None
    sure = [position for position in heads if not _UNSURE_WORD.fullmatch(first[position].strip())]
    for found in (heads, sure):
        if len(found) == len(languages):
            return tuple(found)
    reason = (
        f"which columns hold {' and '.join(languages)}? The header has {', '.join(first)[:200]}:"
        " choose them by --columns, as NAME,NAME"
    )
    raise InputError(reason, path=path, line=1)


def _is_header(first: Sequence[str], options: Options) -> bool:
    """Whether a first line of which one cell heads texts is a header: it is said to be one, or the others say so."""
    is_told = options.header == "yes" or bool(options.attributes)
    is_of_names = any(map(_is_place, first)) and all(_COLUMN_NAME.fullmatch(cell.strip()) for cell in first)
    return is_told or is_of_names or all(_heads_text(cell) or _heads_other(cell) for cell in first)


def _names_some(first: Sequence[str], languages: Sequence[str]) -> bool:
    """Whether the first line of a table with other columns, too, is names only, and one of them that of a language."""
    return (
        len(first) > len(languages)
        and all(_COLUMN_NAME.fullmatch(cell.strip()) for cell in first)
        and any(language_of_heading(cell) in languages for cell in first)
    )


def _heads_text(cell: str) -> bool:
    """Whether a heading is that of texts in usual words, or names a language in full."""
    cell = cell.strip()
    return _HEADER_WORD.fullmatch(cell) is not None or (len(cell) > 3 and language_of_heading(cell) is not None)


def _heads_other(cell: str) -> bool:
    """Whether a heading is that of what is no text, or the code of a language."""
    return _is_place(cell) or _OTHER_WORD.fullmatch(cell.strip()) is not None or _is_plain_name(cell)


def check_texts(
    rows: Sequence[Sequence[str]], layout: ColumnLayout, path: Path, line: int, headings: Sequence[str] = ()
) -> None:
    """Raise InputError where a column that is to hold texts holds numbers, and others do not: they are ids or scores.

    Told from the first rows of a table, the first of them from ``line``; not where there is no other column to take,
    nor of a column that one of the ``headings`` of the table says to be of a language.
    """
    if len(rows) < _LEAST_ROWS or not all(len(row) > len(layout.texts) for row in rows):
        return
    told = {position for position, cell in enumerate(headings) if text_heading(cell) is not None}
    numbers = [
        column.position not in told and all(_NUMBER.fullmatch(row[column.position]) for row in rows)
        for column in layout.texts
    ]
    if any(numbers) and not all(numbers):
        column = layout.texts[numbers.index(True)]
        reason = f"column {column.position + 1} holds numbers, not {column.language}: choose the columns by --columns"
        raise InputError(reason, path=path, line=line)


def text_heading(cell: str) -> tuple[str, Version] | None:
    """The language and the version that a heading names, a plain one that of no version in particular."""
    parts = _VERSION.fullmatch(cell)
    language = language_of_heading(parts["language"]) if parts else None
    if parts is None or language is None:
        language = language_of_heading(cell)
        return None if language is None else (language, Version())
    return language, Version(cast(Role, parts["role"] or ""), parts["name"] or "")


def _is_heading(cell: str, code: str) -> bool:
    """Whether a cell of the first line is no text of the language ``code`` but the head of its column."""
    cell = cell.strip()
    if _HEADER_WORD.fullmatch(cell) or language_of_heading(cell) == code:
        return True
    # Short codes of other languages are left out: "no", "he", "is" and "so" are sentences.
    return len(cell) > 3 and language_of_heading(cell) is not None


def _is_place(cell: str) -> bool:
    return cell.strip() in (ID, DOCUMENT) or cell.startswith(f"{DOCUMENT}:")


def _is_plain_name(cell: str) -> bool:
    """Whether a heading names its language by a whole name or by the code that the database has for it."""
    name = re.split("[:#]", cell, maxsplit=1)[0].strip()
    return language_of_name(name) is not None and (len(name) > 3 or language_of_name(name) == name)


# Tables of what is scored: the first line names the columns; a table of one column needs no names. Columns are taken by
# what they are called, and where that does not tell, the table is refused. A column ``segment`` counts the segments
# from 1; rows of one number are references of one segment. ``LANG:ROLE:NAME``, as tables are written here, tells the
# role, too.

ScoredRole: TypeAlias = Literal["system", "reference", "source"]
ReadRows: TypeAlias = Callable[[Path], Iterator[tuple[int, list[str]]]]
"""All rows of a file: the line on which each begins, from 1, and its cells."""

SEGMENT: Final = "segment"
COLUMNS: Final[dict[ScoredRole, tuple[tuple[str, ...], ...]]] = {
    "system": (("hypothesis", "hyp", "output", "system", "mt"), ("translation", "target", "tgt")),
    "reference": (("reference", "ref"), ("translation", "target", "tgt")),
    "source": (("source", "src"),),
}
"""What the columns of each role are called, with or without a number; by the second names where none has a first."""
_WHAT: Final[dict[ScoredRole, str]] = {"system": "an output", "reference": "references", "source": "sources"}
_OTHER_NAMES: Final = ("text", "sentence")
"""What the column of a table that has only this one may be called, besides."""
_LEAST_SCORED_ROWS: Final = 2
"""From so many lines on, the same number of tabs in all of them is no chance."""


@dataclass(slots=True)
class _Rows:
    path: Path
    names: tuple[str, ...]
    """Of the columns; none where the table has no header."""
    lines: list[int] = field(default_factory=list)
    """Where each segment begins."""
    segments: list[list[tuple[int, list[str]]]] = field(default_factory=list)
    """The rows of each segment, with their lines."""

    def columns(self, role: ScoredRole) -> list[int]:
        """The columns of a role, from 0; none where the header names none."""
        if len(self.names) < 2:
            return [0]
        told = [(number, text_heading(name)) for number, name in enumerate(self.names)]
        by_role = [number for number, heading in told if heading is not None and heading[1].role == role]
        named = ([number for number, name in enumerate(self.names) if _base(name) in group] for group in COLUMNS[role])
        return by_role or next((found for found in named if found), [])

    def needed(self, role: ScoredRole) -> list[int]:
        """The columns of a role. Raises InputError where there are none."""
        if found := self.columns(role):
            return found
        raise _unclear(self.path, self.names, role)


def table_scoring_reader(rows: ReadRows) -> ScoringReader:
    """The reader of references, outputs and sources for tables whose rows are read so."""

    def references(path: Path) -> ReferenceTexts:
        return _references(_read(rows, path, "reference"))

    def outputs(path: Path, segmentation: Segmentation) -> list[Output]:
        return _outputs(_read(rows, path, "system"), segmentation)

    def sources(path: Path) -> list[str]:
        table = _read(rows, path, "source")
        column = table.needed("source")[0]
        return [cells[column] for _, cells in _single(table)]

    return ScoringReader(references, outputs, sources)


def check_no_table(lines: Sequence[str], path: Path) -> None:
    """Raise InputError for lines that are a table by their header, or by the same number of tabs in all of them."""
    first = lines[0].split("\t") if lines else []
    tabs = len(first) - 1
    is_table = tabs > 0 and (
        all(map(_is_known, first))
        or (len(lines) >= _LEAST_SCORED_ROWS and all(line.count("\t") == tabs for line in lines))
    )
    if is_table:
        reason = f"is a table of {tabs + 1} columns and no text: one column of it is wanted (`corpusdb guide files`)"
        raise InputError(reason, path=path, line=1)


def _read(rows: ReadRows, path: Path, role: ScoredRole) -> _Rows:
    """The rows by segment. Raises InputError where the first line does not say what the columns hold."""
    found = rows(path)
    begin, first = next(found)
    has_header = any(map(_is_known, first)) or (len(first) == 1 and _base(first[0]) in _OTHER_NAMES)
    if not has_header and len(first) > 1:
        raise _unclear(path, first, role)
    table = _Rows(path, tuple(first) if has_header else ())
    numbered = next((at for at, name in enumerate(first) if name.strip().lower() == SEGMENT and len(first) > 1), None)
    for line, cells in found if has_header else chain([(begin, first)], found):
        if len(cells) != len(first):
            raise InputError(f"{len(cells)} columns, and the first line has {len(first)}", path=path, line=line)
        number = str(len(table.segments) + 1) if numbered is None else cells[numbered]
        if number == str(len(table.segments) + 1):
            table.segments.append([])
            table.lines.append(line)
        elif number != str(len(table.segments)) or not table.segments:
            reason = f"segment {number!r} is where {len(table.segments) + 1} is next"
            raise InputError(reason, path=path, line=line)
        table.segments[-1].append((line, cells))
    return table


def _references(table: _Rows) -> ReferenceTexts:
    columns, sources = table.needed("reference"), table.columns("source") if len(table.names) > 1 else []
    if not table.segments:
        raise InputError("holds no reference", path=table.path, line=1)
    names = _names_of(table, columns)
    told = _provenance_columns(table)
    segments = tuple(
        tuple(each for line, cells in rows for each in _of_row(table.path, line, cells, names, told))
        for rows in table.segments
    )
    known = tuple(rows[0][1][sources[0]] for rows in table.segments) if sources else ()
    return ReferenceTexts(Segmentation(table.path, tuple(table.lines)), segments, known if any(known) else ())


def _provenance_columns(table: _Rows) -> tuple[int, int] | None:
    """The columns of the origin and the validity of each reference, as they are written here; None without the two."""
    try:
        return table.names.index("origin"), table.names.index("validity")
    except ValueError:
        return None


def _of_row(
    path: Path, line: int, cells: Sequence[str], names: dict[int, str], told: tuple[int, int] | None
) -> list[Reference]:
    """The references in a row: of several columns those that are not blank. Raises InputError where all are."""
    there = [column for column in names if cells[column].strip()] or list(names)[:1]
    known = UNKNOWN if told is None else Provenance.of_cells(cells[told[0]], cells[told[1]])
    return [make_reference(cells[column], path, line, names[column], known) for column in there]


def _outputs(table: _Rows, segmentation: Segmentation) -> list[Output]:
    columns = table.needed("system")
    rows = _single(table)
    check_counts(segmentation, Segmentation(table.path, tuple(table.lines)))
    names = _names_of(table, columns)
    return [
        Output(name or base_name(table.path), table.path, tuple(cells[column] for _, cells in rows))
        for column, name in names.items()
    ]


def _names_of(table: _Rows, columns: Sequence[int]) -> dict[int, str]:
    """What is in each column: the name in its heading, the heading where there are several, or nothing."""
    found = {}
    for column in columns:
        heading = text_heading(table.names[column]) if table.names else None
        name = heading[1].name if heading is not None else ""
        found[column] = name or (table.names[column].strip() if len(columns) > 1 else "")
    return found


def _single(table: _Rows) -> list[tuple[int, list[str]]]:
    """The row of each segment. Raises InputError for a segment that has two."""
    for number, rows in enumerate(table.segments, 1):
        if len(rows) > 1:
            raise InputError(f"segment {number} appears again", path=table.path, line=rows[1][0])
    return [rows[0] for rows in table.segments]


def _unclear(path: Path, first: Sequence[str], role: ScoredRole) -> InputError:
    names = [name for group in COLUMNS[role] for name in group]
    shown = ", ".join(first)
    shown = shown if len(shown) <= 80 else f"{shown[:80]}..."
    called = f"{', '.join(names[:-1])} or {names[-1]}"
    reason = f"which column has {_WHAT[role]}? The first line has {shown}; name one of them {called}"
    return InputError(reason, path=path, line=1)


def _base(name: str) -> str:
    """The name of a column without the number behind it."""
    return re.sub(r"[ _-]?\d*$", "", name.strip().lower())


def _is_known(name: str) -> bool:
    heading = text_heading(name)
    return (
        name.strip().lower() in (SEGMENT, "rank", "id")
        or any(_base(name) in group for groups in COLUMNS.values() for group in groups)
        or (heading is not None and heading[1].role != "")
    )

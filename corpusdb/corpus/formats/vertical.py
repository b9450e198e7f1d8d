"""Vertical files, read and written: a token a line with its attributes, and structures as tags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import unescape
from pathlib import Path
from typing import Final, TextIO

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.conllu import annotated_texts, is_followed_at_once
from corpusdb.corpus.formats.format import FileContents, Format, Reader, Writer
from corpusdb.corpus.formats.reading import read_lines, read_lines_and_faults
from corpusdb.corpus.formats.records import (
    WORD_ATTRIBUTE,
    Annotation,
    Document,
    FilesRead,
    Item,
    Record,
    Rejected,
    SelectedUnits,
    Surface,
    check_names,
    place_tokens,
    skip_or_raise,
)
from corpusdb.corpus.formats.xml import attributes, escape

# Vertical files, as Sketch Engine and the IMS Corpus Workbench have them: a token a line, structures as tags.
#
# The first column is the word; what the others are, says ``--attributes word,pos,lemma``, or a comment of the file as
# Korp writes it, ``<!-- #vrt positional-attributes: word pos lemma -->``. Sentences stand between <s> and </s>. A <doc>
# or <text> is a document; its attribute id, name or title is its name. <g/> says that no space is between two tokens;
# where there is none, one is. &lt; &gt; &amp; &quot; &apos; are characters. What is known of a sentence and not of its
# document stands in structures around it, as <u who="Ann"> for u_who, or in its <s>: mood there is s_mood, but for what
# a comment such as ``<!-- #vrt line-attributes: speaker scene -->`` names, as only files of this program have it.

_TAG: Final = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z_][\w.-]*)(?P<attributes>(?:\s[^<>]*)?/?)>\s*")
_ATTRIBUTE: Final = re.compile(r"([\w.:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_NAMED: Final = re.compile(r"<!--\s*#vrt positional-attributes:\s*(?P<names>.*?)\s*-->")
_OF_LINES: Final = re.compile(r"<!--\s*#vrt line-attributes:\s*(?P<names>.*?)\s*-->")
_PASSED: Final = re.compile(r"<(?:\?|!).*>\s*")
_ENTITY: Final = re.compile("&(?:lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});")
_DOCUMENTS: Final = ("doc", "text")
_TITLES: Final = ("id", "name", "title")


@dataclass(slots=True)
class _Open:
    line: int
    name: str
    document: Document | None
    rows: list[tuple[str, ...]] = field(default_factory=list)
    surfaces: list[Surface] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class VerticalSource(FilesRead):
    """Files of one language, one after the other. Raises UsageError where another number of languages is given."""

    def __post_init__(self) -> None:
        if len(self.options.languages) != 1:
            raise UsageError("a vertical file has one language; give it with --lang")
        names = check_names(self.options.attributes)
        if names and names[0] != WORD_ATTRIBUTE:
            raise UsageError(f"the first column of a vertical file is the word: --attributes word,{','.join(names)}")

    def items(self) -> Iterator[Item]:
        for path in self.paths:
            yield from _File(path, self.options.attributes, skip_bad=self.options.skip_bad).items()


class _File:
    def __init__(self, path: Path, names: tuple[str, ...], *, skip_bad: bool = False) -> None:
        self._path = path
        self._skip_bad = skip_bad
        self._is_skipping = False
        """Whether what comes belongs to a sentence that is skipped, which the next <s> or the next </s> ends."""
        self._names = names
        self._of_lines: frozenset[str] = frozenset()
        """Attributes of <s> that are called as they stand there."""
        self._sentence: _Open | None = None
        self._document: Document | None = None
        self._documents = 0
        self._structures: dict[str, dict[str, str]] = {}
        """The attributes of those that are open, by name, but for documents and sentences."""

    def items(self) -> Iterator[Item]:
        for number, line in read_lines_and_faults(self._path) if self._skip_bad else read_lines(self._path):
            try:
                yield from self._line(line, number)
            except InputError as error:
                yield skip_or_raise(error, number, skip_bad=self._skip_bad)
                self._sentence, self._is_skipping = None, True
        if self._sentence is not None:
            unended = self._bad("the sentence that begins here has no </s>", self._sentence.line)
            yield skip_or_raise(unended, self._sentence.line, skip_bad=self._skip_bad)

    def _line(self, line: str | InputError, number: int) -> Iterator[Item]:
        if isinstance(line, InputError):
            raise line
        tag = _TAG.fullmatch(line) if line.startswith("<") else None
        if self._is_skipping and (tag is None or tag["name"] not in ("s", *_DOCUMENTS)):
            return
        if self._is_skipping and tag is not None and tag["name"] == "s":
            self._is_skipping = False
            if tag["end"]:
                return
        if tag is not None:
            yield from self._structure(tag, number)
        elif line.startswith("<") and _PASSED.fullmatch(line):
            self._take_names(line, number)
        elif line.strip():
            self._take_token(line, number)

    def _bad(self, reason: str, line: int) -> InputError:
        return InputError(reason, path=self._path, line=line)

    def _take_names(self, line: str, number: int) -> None:
        if (of_lines := _OF_LINES.fullmatch(line.strip())) is not None:
            self._of_lines = frozenset(of_lines["names"].split())
        found = _NAMED.fullmatch(line.strip())
        if found is None or self._names:
            return
        try:
            self._names = check_names(found["names"].split())
        except UsageError as error:
            raise self._bad(str(error), number) from error

    def _structure(self, tag: re.Match[str], number: int) -> Iterator[Item]:
        name, is_end = tag["name"], bool(tag["end"])
        if name == "s":
            yield from self._end(number) if is_end else self._begin(tag, number)
        elif name == "g" and self._sentence is not None and self._sentence.surfaces:
            self._sentence.surfaces[-1] = replace(self._sentence.surfaces[-1], space_after=False)
        elif name in _DOCUMENTS:
            if self._sentence is not None:
                raise self._bad(f"{tag[0].strip()} is inside a sentence", number)
            self._document = None if is_end else self._document_of(tag)
        elif self._sentence is None and name != "p" and not tag["attributes"].endswith("/"):
            self._structures.pop(name, None) if is_end else self._structures.update({name: _attributes(tag)})

    def _document_of(self, tag: re.Match[str]) -> Document:
        self._documents += 1
        attributes = _attributes(tag)
        key = next((name for name in _TITLES if attributes.get(name)), "")
        name = attributes.pop(key, "") or str(self._documents)
        return Document(name, tuple(sorted(attributes.items())))

    def _begin(self, tag: re.Match[str], number: int) -> Iterator[Item]:
        if self._sentence is not None:
            raise self._bad(f"<s> inside the sentence that begins in line {self._sentence.line}", number)
        own = _attributes(tag)
        self._sentence = _Open(number, own.pop("id", ""), self._with_structures(own))
        return iter(())

    def _end(self, number: int) -> Iterator[Item]:
        sentence, self._sentence = self._sentence, None
        if sentence is None:
            raise self._bad("</s> without <s>", number)
        if not sentence.rows:
            yield Rejected(sentence.line, "a sentence without tokens")
            return
        placed = place_tokens(sentence.surfaces)
        if isinstance(placed, str):
            raise self._bad(f"the token {placed!r} cannot be part of a text", sentence.line)
        text, spans = placed
        annotation = Annotation(self._names, tuple(spans), tuple(zip(*sentence.rows, strict=True)))
        yield Record(sentence.line, (text,), name=sentence.name, document=sentence.document, annotations=(annotation,))

    def _with_structures(self, own: Mapping[str, str]) -> Document | None:
        """The document of a sentence with what the structures around it say, and the sentence itself, as "u_who"."""
        found = {f"{name}_{key}": value for name, told in self._structures.items() for key, value in told.items()}
        found |= {key if key in self._of_lines else f"s_{key}": value for key, value in own.items()}
        if not found:
            return self._document
        document = self._document or Document("")
        return replace(document, attributes=tuple(sorted({**dict(document.attributes), **found}.items())))

    def _take_token(self, line: str, number: int) -> None:
        cells = [_ENTITY.sub(lambda entity: unescape(entity[0]), cell.strip()) for cell in line.split("\t")]
        if self._sentence is None:
            raise self._bad(f"{cells[0][:40]!r} is outside of a sentence, which goes from <s> to </s>", number)
        if not self._names:
            if len(cells) > 1:
                raise self._bad(f"{len(cells)} columns; say what they are: --attributes word,pos,lemma", number)
            self._names = (WORD_ATTRIBUTE,)
        if len(cells) != len(self._names):
            told = f"{len(cells)} column{'s' * (len(cells) != 1)}"
            raise self._bad(f"{told}, and the attributes are {', '.join(self._names)}", number)
        if not cells[0]:
            raise self._bad("the token has no word", number)
        self._sentence.rows.append(tuple(cells))
        self._sentence.surfaces.append(Surface(cells[0]))


def _attributes(tag: re.Match[str]) -> dict[str, str]:
    return {name: unescape(double or single) for name, double, single in _ATTRIBUTE.findall(tag["attributes"])}


_NOT_IN_NAMES: Final = re.compile(r"[^\w.:-]")
_NO_STRUCTURES: Final = ("s", "p", "g", *_DOCUMENTS)
"""What begins with one of these and _ is not told of a structure around sentences, which would be another thing."""


@dataclass(slots=True)
class _Run:
    """Sentences of one document that follow each other."""

    name: str
    shared: dict[str, str]
    """What is known of all of them alike: of the document."""
    known: set[str]
    """The names of all that is known of one of them."""


@dataclass(slots=True)
class _Written:
    """What is written, and which structures are open in it."""

    file: TextIO
    open: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """From the outermost one: the name and the attributes."""

    def enter(self, wanted: list[tuple[str, dict[str, str]]]) -> None:
        """Close what is open and not wanted, with what is inside, and open what is missing."""
        same = 0
        while same < len(self.open) and self.open[same : same + 1] == wanted[same : same + 1]:
            same += 1
        for name, _ in reversed(self.open[same:]):
            self.file.write(f"</{name}>\n")
        self.open = wanted
        for name, told in wanted[same:]:
            self.file.write(_tag(name, "", told))


def _runs(units: SelectedUnits, language: str) -> tuple[list[_Run], tuple[str, ...]]:
    """The documents in their order, and the attributes of tokens."""
    runs: list[_Run] = []
    tokens: dict[str, None] = {}
    for record, _, annotation in annotated_texts(units(), language):
        tokens.update(dict.fromkeys(annotation.names))
        name, told = _told(record)
        if not runs or runs[-1].name != name:
            runs.append(_Run(name, told if name else {}, set()))
        runs[-1].shared = {key: value for key, value in runs[-1].shared.items() if told.get(key) == value}
        runs[-1].known.update(told)
    return runs, tuple(tokens)


def _told(record: Record) -> tuple[str, dict[str, str]]:
    """The name of the document of a unit, and what is known of it and of the line."""
    return ("", {}) if record.document is None else (record.document.name, dict(record.document.attributes))


def _structure_of(name: str) -> str:
    """The structure whose attribute this is, as u of u_who; empty where it is one of the sentence."""
    structure, _, rest = name.partition("_")
    is_name = structure and rest and _TAG.fullmatch(f"<{structure}>") and structure not in _NO_STRUCTURES
    return structure if is_name else ""


def write_vertical(units: SelectedUnits, language: str, file: TextIO) -> int:
    """Write the annotated sentences of one language, with all attributes that one of them has; returns how many.

    What all sentences of a document have alike is told of its <doc>; else u_who of a <u> around those that have it
    alike, and s_mood of an <s>.
    """
    runs, named = _runs(units, language)
    of_lines = {name for run in runs for name in run.known - run.shared.keys() if not _structure_of(name)}
    plain = sorted(_NOT_IN_NAMES.sub("_", name) for name in of_lines if not name.startswith("s_"))
    file.write(f"<!-- #vrt positional-attributes: {' '.join(named)} -->\n")
    file.write(f"<!-- #vrt line-attributes: {' '.join(plain)} -->\n" * bool(plain))
    written, number, begun = _Written(file), 0, -1
    for record, text, annotation in annotated_texts(units(), language):
        name, told = _told(record)
        if begun < 0 or runs[begun].name != name:
            written.enter([])
            begun += 1
        shared = runs[begun].shared
        around: dict[str, dict[str, str]] = {"doc": {"id": name, **shared}} if name else {}
        own: dict[str, str] = {}
        for key, value in told.items():
            if key not in shared:
                structure = _structure_of(key)
                of = around.setdefault(structure, {}) if structure else own
                of[key.removeprefix(f"{structure or 's'}_")] = value
        written.enter([*around.items()])
        file.write(_tag("s", record.name, own))
        _write_tokens(file, annotation, text, named)
        file.write("</s>\n")
        number += 1
    written.enter([])
    return number


def _write_tokens(file: TextIO, annotation: Annotation, text: str, named: tuple[str, ...]) -> None:
    columns = dict(zip(annotation.names, annotation.columns, strict=True))
    for place in range(len(annotation.spans)):
        cells = (escape(columns[name][place], one_line=True) if name in columns else "" for name in named)
        file.write("\t".join(cells) + "\n")
        if is_followed_at_once(annotation, place, text):
            file.write("<g/>\n")


def _tag(name: str, title: str, known: Mapping[str, str]) -> str:
    told = [("id", title)] if title else []
    told += [(_NOT_IN_NAMES.sub("_", key), " ".join(value.split())) for key, value in known.items()]
    return f"<{name}{attributes(*told)}>\n"


def _vertical_files(units: SelectedUnits, languages: tuple[str, ...], name: str) -> FileContents:
    if len(languages) != 1:
        raise UsageError(f"a vertical file has one language, not {', '.join(languages) or 'all'}; give it with --lang")
    return {name: lambda file: write_vertical(units, languages[0], file)}


VERTICAL: Final = Format(
    name="vert",
    extensions=(".vert", ".vrt", ".vertical"),
    reader=Reader(VerticalSource, options=("attributes", "skip_bad")),
    writer=Writer(_vertical_files, "no annotation", least=1, annotated=True),
)

"""Vertical files, as Sketch Engine and the IMS Corpus Workbench have them: a token a line, structures as tags.

The first column is the word; what the others are, says ``--attributes word,pos,lemma``, or a comment of the file as
Korp writes it, ``<!-- #vrt positional-attributes: word pos lemma -->``. Sentences stand between <s> and </s>. A <doc>
or <text> is a document; its attribute id, name or title is its name. <g/> says that no space is between two tokens;
where there is none, one is. Other structures are passed over. &lt; &gt; &amp; &quot; &apos; are characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from html import unescape
from pathlib import Path
from typing import Final

from corpusdb.base.errors import InputError, UsageError
from corpusdb.corpus.formats.annotation import WORD_ATTRIBUTE, Annotation, Surface, check_names, place_tokens
from corpusdb.corpus.formats.format import Format, Reader
from corpusdb.corpus.formats.reading import read_lines, read_lines_and_faults
from corpusdb.corpus.formats.records import Document, FilesRead, Item, Record, Rejected, skip_or_raise

_TAG: Final = re.compile(r"<(?P<end>/?)(?P<name>[A-Za-z_][\w.-]*)(?P<attributes>(?:\s[^<>]*)?/?)>\s*")
_ATTRIBUTE: Final = re.compile(r"([\w.:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_NAMED: Final = re.compile(r"<!--\s*#vrt positional-attributes:\s*(?P<names>.*?)\s*-->")
_PASSED: Final = re.compile(r"<(?:\?|!).*>\s*")
_ENTITY: Final = re.compile("&(?:lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});")
_DOCUMENTS: Final = ("doc", "text")
_TITLES: Final = ("id", "name", "title")


@dataclass(slots=True)
class _Open:
    """A sentence that has begun."""

    line: int
    name: str
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
    """A file as it is read from its beginning."""

    def __init__(self, path: Path, names: tuple[str, ...], *, skip_bad: bool = False) -> None:
        self._path = path
        self._skip_bad = skip_bad
        self._is_skipping = False
        """Whether what comes belongs to a sentence that is skipped, which the next <s> or the next </s> ends."""
        self._names = names
        self._sentence: _Open | None = None
        self._document: Document | None = None
        self._documents = 0

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
                raise self._bad(f"{tag[0].strip()} stands inside a sentence", number)
            self._document = None if is_end else self._document_of(tag)

    def _document_of(self, tag: re.Match[str]) -> Document:
        self._documents += 1
        attributes = _attributes(tag)
        key = next((name for name in _TITLES if attributes.get(name)), "")
        name = attributes.pop(key, "") or str(self._documents)
        return Document(name, tuple(sorted(attributes.items())))

    def _begin(self, tag: re.Match[str], number: int) -> Iterator[Item]:
        if self._sentence is not None:
            raise self._bad(f"<s> inside the sentence that begins in line {self._sentence.line}", number)
        self._sentence = _Open(number, _attributes(tag).get("id", ""))
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
        yield Record(sentence.line, (text,), name=sentence.name, document=self._document, annotations=(annotation,))

    def _take_token(self, line: str, number: int) -> None:
        cells = [_ENTITY.sub(lambda entity: unescape(entity[0]), cell.strip()) for cell in line.split("\t")]
        if self._sentence is None:
            raise self._bad(f"{cells[0][:40]!r} stands outside of a sentence, which is between <s> and </s>", number)
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


VERTICAL: Final = Format(
    name="vert",
    extensions=(".vert", ".vrt", ".vertical"),
    reader=Reader(VerticalSource, options=("attributes", "skip_bad")),
)

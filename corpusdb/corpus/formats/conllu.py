"""CoNLL-U files, read and written: texts with what is known of each token."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Final, NamedTuple, TextIO

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.text import language_of_name
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
    place_tokens,
    skip_or_raise,
    word_spans,
)

# CoNLL-U, the format of Universal Dependencies (universaldependencies.org/format.html).
#
# Tokens are the words, of which *du* has two. What stands in the text for several of them is their attribute
# ``multiword``. The other attributes are the columns: lemma, upos, xpos, feats, head, deprel, deps, misc; "_" is
# nothing known, but for the form and the lemma of the token "_". Comments, lines of multi-word tokens and empty nodes
# are kept as they stand, and written again.
#
# Sentences in several languages are parallel treebanks, a file for each, whose sentences have the same ``sent_id``;
# where no sentence has one, the same place. In one file for several languages the further ones stand in comments, as
# ``# text_en = ...``.

_COLUMNS: Final = ("lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_MULTIWORD: Final = "multiword"
_NAMES: Final = (WORD_ATTRIBUTE, *_COLUMNS, _MULTIWORD)
_NOTHING: Final = "_"
_ID: Final = re.compile(r"(?P<word>[1-9]\d{0,6})|(?P<first>[1-9]\d{0,6})-(?P<last>[1-9]\d{0,6})|\d{1,7}\.[1-9]\d{0,6}")
_COMMENT: Final = re.compile(r"#\s*(?P<key>[^\s=]+(?: id)?)\s*(?:=\s*(?P<value>.*))?")
_OF_TEXT: Final = ("newdoc", "newpar")
"""Comments that stand before the id of a sentence."""


_OF_DOCUMENT: Final = "meta::"
"""Before the name of what is known of a document, such as meta::genre, in treebanks of Universal Dependencies."""


class _Block(NamedTuple):
    path: Path
    lines: Sequence[tuple[int, str | InputError]]

    @property
    def first(self) -> int:
        return self.lines[0][0]


@dataclass(slots=True)
class _Words:
    """The words of a sentence as they are read, line by line."""

    rows: list[tuple[str, ...]] = field(default_factory=list)
    """Form and the eight other columns."""
    multiwords: list[str] = field(default_factory=list)
    surfaces: list[Surface] = field(default_factory=list)
    covered: int = 0
    """Up to which word the last multi-word token reaches."""


class _Sentence(NamedTuple):
    line: int
    text: str
    annotation: Annotation
    comments: dict[str, str]


@dataclass(frozen=True, slots=True)
class ConlluSource(FilesRead):
    """Files of one language, one after the other; or a file for each of several languages. See the module.

    Bad sentences may be skipped, but not in parallel treebanks, whose sentences may be paired by their places.
    Raises UsageError where no language is given, and for several files that are not one for each language.
    """

    def __post_init__(self) -> None:
        languages = self.options.languages
        if not languages:
            raise UsageError("the files do not name their language; give it with --lang")
        if len(self.paths) > 1 < len(languages) != len(self.paths):
            raise UsageError(f"{len(self.paths)} parallel files for {len(languages)} languages")
        if self.options.skip_bad and len(self.paths) > 1 < len(languages):
            raise UsageError("no sentences of parallel treebanks can be skipped: they are read whole or not at all")

    def items(self) -> Iterator[Item]:
        if len(self.paths) > 1 and len(self.languages) > 1:
            yield from _parallel(self.paths)
            return
        documents = _Documents()
        skip_bad = self.options.skip_bad
        for block in (block for path in self.paths for block in _blocks(path, skip_bad=skip_bad)):
            try:
                sentence = _sentence(block)
            except InputError as error:
                sentence = skip_or_raise(error, block.first, skip_bad=skip_bad)
            if isinstance(sentence, Rejected):
                yield sentence
                continue
            others = _translations(sentence.comments)
            texts = (sentence.text, *(others.get(language, "") for language in self.languages[1:]))
            nothing = (None,) * (len(texts) - 1)
            yield _record(sentence, texts, (sentence.annotation, *nothing), documents.of(sentence))


class _Documents:
    """The document that a sentence stands in, by the comments before it."""

    def __init__(self) -> None:
        self._current: Document | None = None
        self._unnamed = 0

    def of(self, sentence: _Sentence) -> Document | None:
        for key in ("newdoc id", "newdoc"):
            if key in sentence.comments:
                self._unnamed += not sentence.comments[key]
                told = {
                    name.removeprefix(_OF_DOCUMENT): value
                    for name, value in sentence.comments.items()
                    if name.startswith(_OF_DOCUMENT) and value
                }
                self._current = Document(sentence.comments[key] or str(self._unnamed), tuple(sorted(told.items())))
                break
        return self._current


def _record(
    sentence: _Sentence,
    texts: tuple[str, ...],
    annotations: tuple[Annotation | None, ...],
    document: Document | None,
) -> Record:
    name = sentence.comments.get("sent_id", "")
    return Record(sentence.line, texts, name=name, document=document, annotations=annotations)


def _translations(comments: dict[str, str]) -> dict[str, str]:
    """The texts in other languages that comments hold, by ISO 639-3 code: ``text_en``."""
    found = {}
    for key, value in comments.items():
        language = language_of_name(key.removeprefix("text_")) if key.startswith("text_") else None
        if language is not None:
            found[language] = value
    return found


def _blocks(path: Path, *, skip_bad: bool = False) -> Iterator[_Block]:
    """The sentences of a file, which end with an empty line."""
    lines: list[tuple[int, str | InputError]] = []
    for number, line in read_lines_and_faults(path) if skip_bad else read_lines(path):
        if isinstance(line, InputError) or line.strip():
            lines.append((number, line))
        elif lines:
            yield _Block(path, lines)
            lines = []
    if lines:
        yield _Block(path, lines)


def _sentence(block: _Block) -> _Sentence | Rejected:
    """Raises InputError, with the line, for what is no CoNLL-U, and a text that its tokens do not make up."""
    words, comments = _Words(), dict[str, str]()
    remarks: list[tuple[int, str]] = []
    for number, line in block.lines:
        if isinstance(line, InputError):
            raise line
        if line.startswith("#"):
            if words.rows:
                raise InputError("a comment is among the words of a sentence", path=block.path, line=number)
            found = _COMMENT.match(line)
            key = found["key"] if found else ""
            comments.setdefault(key, ((found["value"] if found else "") or "").strip())
            if key not in ("sent_id", "text", "newdoc id"):
                remarks.append((-1, line))
        elif (remark := _read_word(words, line.split("\t"), block.path, number)) is not None:
            remarks.append((remark, line))
    if not words.rows:
        return Rejected(block.first, "a sentence without words")
    if words.covered > len(words.rows):
        reason = f"a token of several words reaches to {words.covered}, and the last word is {len(words.rows)}"
        raise InputError(reason, path=block.path, line=block.lines[-1][0])
    placed = place_tokens(words.surfaces, comments.get("text") or None)
    if isinstance(placed, str):
        reason = f"the text of the sentence is not that of its tokens, at {placed!r}"
        raise InputError(reason, path=block.path, line=block.first)
    text, places = placed
    spans: list[tuple[int, int]] = []
    for surface, place in zip(words.surfaces, places, strict=True):
        forms = [row[0] for row in words.rows[len(spans) : len(spans) + surface.words]]
        spans += word_spans(place, text[slice(*place)], forms)
    columns = (*zip(*words.rows, strict=True), tuple(words.multiwords))
    annotation = Annotation(_NAMES, tuple(spans), columns, tuple(remarks))
    return _Sentence(block.first, comments.get("text") or text, annotation, comments)


def _read_word(words: _Words, fields: list[str], path: Path, line: int) -> int | None:
    """Take a line that is no comment; the number of words before it where it is no word itself."""
    if len(fields) != 10:
        raise InputError(f"{len(fields)} fields, and CoNLL-U has 10, with tabs between them", path=path, line=line)
    done, number = len(words.rows), _ID.fullmatch(fields[0])
    if number is None:
        raise InputError(f"{fields[0]!r} is not a word number, such as 1, 1-2 or 1.1", path=path, line=line)
    blank = next((place for place, cell in enumerate(fields, 1) if not cell.strip()), None)
    if blank is not None:
        raise InputError(f"field {blank} is empty; nothing is written _", path=path, line=line)
    space_after = "SpaceAfter=No" not in fields[9].split("|")
    if number["first"]:
        first, last = int(number["first"]), int(number["last"])
        if first != done + 1 or last < first or words.covered > done:
            raise InputError(f"{fields[0]} is where word {done + 1} is next", path=path, line=line)
        words.surfaces.append(Surface(fields[1], last - first + 1, space_after))
        words.covered = last
        return done
    if not number["word"]:
        return done
    if int(fields[0]) != done + 1:
        raise InputError(f"word {fields[0]} is where {done + 1} is next", path=path, line=line)
    if done + 1 > words.covered:
        words.surfaces.append(Surface(fields[1], 1, space_after))
    words.multiwords.append(words.surfaces[-1].text if done + 1 <= words.covered else "")
    form, *others = fields[1:]
    words.rows.append((form, *("" if cell == _NOTHING else cell for cell in others)))
    if form == _NOTHING == others[0]:
        words.rows[-1] = (form, _NOTHING, *words.rows[-1][2:])
    return None


def _parallel(paths: tuple[Path, ...]) -> Iterator[Item]:
    """The sentences of parallel treebanks, in the order of the first, then those that it does not have."""
    files = [[_sentence(block) for block in _blocks(path)] for path in paths]
    named = [
        [each for each in file if not isinstance(each, Rejected) and each.comments.get("sent_id")] for file in files
    ]
    if all(len(one) == len(file) for one, file in zip(named, files, strict=True)):
        rows: Iterable[tuple[_Sentence | Rejected | None, ...]] = _by_name(paths, named)
    elif any(named):
        at = next(place for place, (one, file) in enumerate(zip(named, files, strict=True)) if len(one) < len(file))
        lacking = next(each for each in files[at] if isinstance(each, Rejected) or not each.comments.get("sent_id"))
        raise InputError("no sent_id, though others have one", path=paths[at], line=lacking.line)
    else:
        rows = _by_place(paths, files)
    documents = _Documents()
    for number, row in enumerate(rows, 1):
        there = [each for each in row if each is not None and not isinstance(each, Rejected)]
        if not there:
            yield Rejected(number, "a sentence without words")
            continue
        found = [each if isinstance(each, _Sentence) else None for each in row]
        texts = tuple(each.text if each else "" for each in found)
        annotations = tuple(each.annotation if each else None for each in found)
        yield replace(_record(there[0], texts, annotations, documents.of(there[0])), line=number)


def _by_name(paths: tuple[Path, ...], files: list[list[_Sentence]]) -> Iterator[tuple[_Sentence | None, ...]]:
    tables: list[dict[str, _Sentence]] = []
    for path, file in zip(paths, files, strict=True):
        tables.append({})
        for each in file:
            name = each.comments["sent_id"]
            if name in tables[-1]:
                raise InputError(f"there is a second sentence {name!r}", path=path, line=each.line)
            tables[-1][name] = each
    for name in dict.fromkeys(name for table in tables for name in table):
        yield tuple(table.get(name) for table in tables)


def _by_place(
    paths: tuple[Path, ...], files: list[list[_Sentence | Rejected]]
) -> Iterator[tuple[_Sentence | Rejected | None, ...]]:
    counts = [len(file) for file in files]
    if len(set(counts)) > 1:
        told = ", ".join(f"{path} has {count:,} sentences" for path, count in zip(paths, counts, strict=True))
        raise InputError(f"without sent_id, sentences are paired by their place: {told}", path=paths[0])
    yield from zip_longest(*files)


def annotated_texts(records: Iterable[Record], language: str) -> Iterator[tuple[Record, str, Annotation]]:
    """The annotated sentences of one language, with the units that they are of. The others are left out."""
    for record in records:
        annotations = record.annotations or (None,) * len(record.texts)
        for code, text, annotation in zip(record.languages, record.texts, annotations, strict=True):
            if code == language and annotation is not None and text is not None:
                yield record, text, annotation


def write_conllu(records: Iterable[Record], language: str, file: TextIO) -> int:
    """Write the annotated sentences of one language; returns how many."""
    written, document = 0, None
    for record, text, annotation in annotated_texts(records, language):
        is_new = record.document is not None and record.document != document
        document = record.document
        file.writelines(f"{line}\n" for line in _lines(record, text, annotation, is_new))
        file.write("\n")
        written += 1
    return written


def _lines(record: Record, text: str, annotation: Annotation, is_new: bool) -> Iterator[str]:
    comments = [line for place, line in annotation.remarks if place < 0]
    before = [line for line in comments if line.lstrip("# ").startswith(_OF_TEXT)]
    if is_new and record.document is not None and not any("newdoc" in line for line in before):
        yield f"# newdoc id = {record.document.name}"
        told = {found["key"] for line in comments if (found := _COMMENT.match(line))}
        for name, value in record.document.attributes:
            if f"{_OF_DOCUMENT}{name}" not in told:
                yield f"# {_OF_DOCUMENT}{name} = {' '.join(value.split())}"
    yield from before
    if record.name:
        yield f"# sent_id = {record.name}"
    yield f"# text = {text}"
    yield from (line for line in comments if line not in before)
    rest = [(place, line) for place, line in annotation.remarks if place >= 0]
    columns = dict(zip(annotation.names, annotation.columns, strict=True))
    for place in range(len(annotation.spans)):
        yield from (line for at, line in rest if at == place)
        yield "\t".join([str(place + 1), columns[WORD_ATTRIBUTE][place], *_cells(columns, annotation, place, text)])
    yield from (line for at, line in rest if at >= len(annotation.spans))


def _cells(columns: dict[str, tuple[str, ...]], annotation: Annotation, place: int, text: str) -> Iterator[str]:
    """The eight columns behind the form; what other attributes there are stands in MISC, with what stands there."""
    for name in _COLUMNS[:-1]:
        source = "pos" if name == "xpos" and "xpos" not in columns else name
        yield (columns[source][place] if source in columns else "") or _NOTHING
    if "misc" in columns:
        yield columns["misc"][place] or _NOTHING
        return
    known = (WORD_ATTRIBUTE, "pos", _MULTIWORD, *_COLUMNS)
    others = [f"{name.capitalize()}={column[place]}" for name, column in columns.items() if name not in known]
    cells = [cell.replace("|", "%7C") for cell in others if not cell.endswith("=")]
    if is_followed_at_once(annotation, place, text):
        cells.append("SpaceAfter=No")
    yield "|".join(cells) or _NOTHING


def is_followed_at_once(annotation: Annotation, place: int, text: str) -> bool:
    """Whether there is a token behind one, and no space between."""
    end, following = annotation.spans[place][1], annotation.spans[place + 1 : place + 2]
    return bool(following) and following[0][0] <= end and not text[end : following[0][0]].isspace()


def _files(units: SelectedUnits, languages: tuple[str, ...], name: str) -> FileContents:
    if len(languages) != 1:
        raise UsageError(f"a CoNLL-U file has one language, not {', '.join(languages) or 'all'}; give it with --lang")
    return {name: lambda file: write_conllu(units(), languages[0], file)}


CONLLU: Final = Format(
    name="conllu",
    extensions=(".conllu",),
    reader=Reader(
        ConlluSource,
        options=("skip_bad",),
        read_together="parallel treebanks (conllu)",
        only_in_several_languages=True,
    ),
    writer=Writer(_files, "no annotation", least=1, annotated=True),
)

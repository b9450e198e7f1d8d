"""What is known of the tokens of sentences, as it is stored: in segments, each with vocabularies of its own.

A segment has the sentences of one language that were annotated together, in any order; a new one takes in those before
it that are not much larger. A sentence has one annotation of a source: the first that was stored. What an import gave
goes before what an analyser made.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import I64
from corpusdb.base.errors import DatabaseDamaged
from corpusdb.base.text import nfc
from corpusdb.corpus.store.runs import blobs_checksum

if TYPE_CHECKING:
    from corpusdb.corpus.formats.records import Annotation

I32 = npt.NDArray[np.int32]

IMPORTED: Final = "import"
"""The source of what files gave."""
_SENTENCES_PER_SEGMENT = 1 << 19


@dataclass(frozen=True, slots=True)
class _Segment:
    """Annotated sentences with the blobs that are stored of them."""

    blobs: tuple[bytes, bytes, bytes, bytes, bytes]
    """Sentences, lengths, begins, ends, remarks."""
    columns: dict[str, tuple[list[str], I32]]
    """For each attribute its vocabulary, of which the first is "", and the value of each token."""

    @property
    def tokens(self) -> int:
        return len(self.blobs[2]) // 4


def store_annotations(
    connection: sqlite3.Connection, language: str, source: str, rows: Sequence[tuple[int, Annotation]], run: int
) -> None:
    """Store the annotations of sentences that have none of this source; inside a transaction of the caller."""
    if not rows:
        return
    parts = [*_taken_in(connection, language, source, len(rows)), _segment(rows)]
    _insert(connection, language, source, _merged(parts), run)


_LAST = """
select id, length(sentences) / 8, checksum, sentences, lengths, begins, ends, remarks from annotation
where language = ? and source = ? order by id desc limit 1
"""
_DROP_ATTRIBUTES = "delete from annotation_attribute where annotation = ?"
_DROP = "delete from annotation where id = ?"


def _taken_in(connection: sqlite3.Connection, language: str, source: str, size: int) -> Iterable[_Segment]:
    """The last segments that are not much larger than a new one of ``size``, in their order; they are deleted."""
    parts: list[_Segment] = []
    while row := connection.execute(_LAST, (language, source)).fetchone():
        number, before, checksum, *blobs = row
        if before > 2 * size or before + size > _SENTENCES_PER_SEGMENT:
            break
        _checked(language, checksum, *blobs)
        sentences, lengths, begins, ends, remarks = blobs
        held = {name: _required(connection, number, name, language) for name in _names_of(connection, number)}
        parts.append(_Segment((sentences, lengths, begins, ends, remarks), held))
        connection.execute(_DROP_ATTRIBUTES, (number,))
        connection.execute(_DROP, (number,))
        size += before
    return reversed(parts)


_INSERT = """
insert into annotation (language, source, sentences, lengths, begins, ends, remarks, checksum, run)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_ATTRIBUTE = """
insert into annotation_attribute (annotation, name, vocabulary, tokens, checksum) values (?, ?, ?, ?, ?)
"""


def _insert(connection: sqlite3.Connection, language: str, source: str, segment: _Segment, run: int) -> None:
    checksum = blobs_checksum(*segment.blobs)
    number = connection.execute(_INSERT, (language, source, *segment.blobs, checksum, run)).lastrowid
    for name, (vocabulary, tokens) in segment.columns.items():
        blobs = "".join(f"{value}\n" for value in vocabulary).encode(), tokens.astype("<i4").tobytes()
        connection.execute(_INSERT_ATTRIBUTE, (number, name, *blobs, blobs_checksum(*blobs)))


def _segment(rows: Sequence[tuple[int, Annotation]]) -> _Segment:
    from corpusdb.corpus.formats.records import WORD_ATTRIBUTE

    sentences = np.array([sentence for sentence, _ in rows], dtype="<i8")
    lengths = np.array([len(each.spans) for _, each in rows], dtype="<i4")
    spans = np.array([span for _, each in rows for span in each.spans], dtype="<i4").reshape(-1, 2)
    remarks = "".join(f"{json.dumps(each.remarks, ensure_ascii=False) if each.remarks else ''}\n" for _, each in rows)
    names = dict.fromkeys(name for _, each in rows for name in each.names)
    columns = {name: _column([each for _, each in rows], name) for name in names}
    kept = {name: column for name, column in columns.items() if name == WORD_ATTRIBUTE or len(column[0]) > 1}
    blobs = (sentences.tobytes(), lengths.tobytes(), spans[:, 0].tobytes(), spans[:, 1].tobytes(), remarks.encode())
    return _Segment(blobs, kept)


def _column(annotations: Iterable[Annotation], name: str) -> tuple[list[str], I32]:
    """The vocabulary of an attribute, and the value of each token."""
    numbers = {"": 0}
    tokens: list[int] = []
    for each in annotations:
        if name in each.names:
            values = each.columns[each.names.index(name)]
            tokens.extend([numbers.setdefault(value, len(numbers)) for value in values])
        else:
            tokens.extend([0] * len(each.spans))
    return _unified([([nfc(value).replace("\n", " ") for value in numbers], np.array(tokens, dtype=np.int32))])


def _unified(parts: Sequence[tuple[Sequence[str], I32]]) -> tuple[list[str], I32]:
    """Several vocabularies as one, and the tokens of all by it; "" stays the first."""
    numbers = {"": 0}
    tokens = []
    for vocabulary, old in parts:
        new = np.array([numbers.setdefault(value, len(numbers)) for value in vocabulary], dtype=np.int32)
        tokens.append(new[old])
    return list(numbers), np.concatenate(tokens) if tokens else np.zeros(0, dtype=np.int32)


def _merged(parts: Sequence[_Segment]) -> _Segment:
    if len(parts) == 1:
        return parts[0]
    names = dict.fromkeys(name for part in parts for name in part.columns)
    columns = {
        name: _unified([part.columns.get(name, ([""], np.zeros(part.tokens, dtype=np.int32))) for part in parts])
        for name in names
    }
    sentences, lengths, begins, ends, remarks = map(b"".join, zip(*(part.blobs for part in parts), strict=True))
    return _Segment((sentences, lengths, begins, ends, remarks), columns)


def _checked(language: str, checksum: int, *blobs: bytes) -> None:
    if checksum != blobs_checksum(*blobs):
        raise DatabaseDamaged(f"annotations of {language} are damaged; `corpusdb check` tells what can be done")


_NAMES_OF = "select name from annotation_attribute where annotation = ? order by id"


def _names_of(connection: sqlite3.Connection, segment: int) -> list[str]:
    return [name for (name,) in connection.execute(_NAMES_OF, (segment,))]


_COLUMN = "select checksum, vocabulary, tokens from annotation_attribute where annotation = ? and name = ?"


def read_column(connection: sqlite3.Connection, segment: int, name: str, language: str) -> tuple[list[str], I32] | None:
    """The vocabulary of an attribute in a segment, and the value of each of its tokens; None where it has none.

    Raises DatabaseDamaged.
    """
    row = connection.execute(_COLUMN, (segment, name)).fetchone()
    if row is None:
        return None
    checksum, vocabulary, tokens = row
    _checked(language, checksum, vocabulary, tokens)
    values, numbers = vocabulary.decode().split("\n")[:-1], np.frombuffer(tokens, "<i4")
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(values):
        raise DatabaseDamaged(f"annotations of {language} are damaged: there are values of no vocabulary")
    return values, numbers


def _required(connection: sqlite3.Connection, segment: int, name: str, language: str) -> tuple[list[str], I32]:
    found = read_column(connection, segment, name, language)
    if found is None:
        raise DatabaseDamaged(f"annotations of {language} are damaged; `corpusdb check` tells what can be done")
    return found


_OF_SOURCE = """
select id, language, source, run, checksum, sentences, lengths, begins, ends, remarks from annotation
where source = ? or ? is null
"""


def forget_annotations(connection: sqlite3.Connection, sentences: Sequence[int], source: str | None = IMPORTED) -> None:
    """Forget what files, or one ``source`` or any, said of some sentences; inside a transaction of the caller.

    Raises DatabaseDamaged.
    """
    rows = connection.execute(_OF_SOURCE, (source, source)).fetchall()
    for number, language, made_by, run, checksum, *blobs in rows:
        numbers, lengths, begins, ends = map(np.frombuffer, blobs[:4], ("<i8", "<i4", "<i4", "<i4"))
        kept = ~np.isin(numbers, np.array(sentences, dtype=np.int64))
        if kept.all():
            continue
        _checked(language, checksum, *blobs)
        of_tokens = np.repeat(kept, lengths)
        columns = {name: _required(connection, number, name, language) for name in _names_of(connection, number)}
        connection.execute(_DROP_ATTRIBUTES, (number,))
        connection.execute(_DROP, (number,))
        if kept.any():
            remarks = zip(blobs[4].split(b"\n")[:-1], kept, strict=True)
            left = (
                *(numbers[kept].tobytes(), lengths[kept].tobytes()),
                *(begins[of_tokens].tobytes(), ends[of_tokens].tobytes()),
                b"".join(line + b"\n" for line, is_kept in remarks if is_kept),
            )
            cut = {name: (values, tokens[of_tokens]) for name, (values, tokens) in columns.items()}
            _insert(connection, language, made_by, _Segment(left, cut), run)


_DROP_MADE_ATTRIBUTES = """
delete from annotation_attribute
where annotation in (select id from annotation where language = ? and source <> 'import')
"""
_DROP_MADE = "delete from annotation where language = ? and source <> 'import'"


def drop_annotations(connection: sqlite3.Connection, language: str) -> None:
    """Delete what analysers made in a language; inside a transaction of the caller."""
    connection.execute(_DROP_MADE_ATTRIBUTES, (language,))
    connection.execute(_DROP_MADE, (language,))


@dataclass(frozen=True, slots=True)
class AnnotatedSentences:
    segment: int
    source: str
    sentences: I64
    lengths: I32
    begins: I32
    ends: I32
    remarks: Sequence[str]


_SEGMENTS = """
select id, source, checksum, sentences, lengths, begins, ends, remarks from annotation
where language = ? order by source = 'import', id
"""


def read_annotations(connection: sqlite3.Connection, language: str) -> Iterator[AnnotatedSentences]:
    """The segments of a language; those that an import gave come last. Raises DatabaseDamaged."""
    for number, source, checksum, *blobs in connection.execute(_SEGMENTS, (language,)).fetchall():
        _checked(language, checksum, *blobs)
        sentences, lengths, begins, ends, remarks = blobs
        yield AnnotatedSentences(
            number,
            source,
            np.frombuffer(sentences, "<i8"),
            np.frombuffer(lengths, "<i4"),
            np.frombuffer(begins, "<i4"),
            np.frombuffer(ends, "<i4"),
            remarks.decode().split("\n")[:-1],
        )


_STATE = "select id, run, length(sentences) from annotation order by id"


def annotation_state(connection: sqlite3.Connection) -> tuple[tuple[int, int, int], ...]:
    """What changes whenever annotations do, of whatever language."""
    return tuple(connection.execute(_STATE))


_SENTENCES = "select sentences from annotation where language = ? and (source = ? or ? is null)"


def annotated_sentences(connection: sqlite3.Connection, language: str, source: str | None = None) -> I64:
    """The sentences of a language that are annotated, by this source or by any."""
    rows = connection.execute(_SENTENCES, (language, source, source))
    return np.frombuffer(b"".join(row[0] for row in rows), "<i8")


_NAMES = """
select distinct annotation_attribute.name from annotation_attribute
join annotation on annotation.id = annotation_attribute.annotation
where annotation_attribute.name <> 'word' and (annotation.language = ? or ? is null)
order by annotation.id, annotation_attribute.id
"""


def attribute_names(connection: sqlite3.Connection, language: str | None = None) -> tuple[str, ...]:
    """The attributes that tokens of a language, or of any, have besides the word, in the order of the files."""
    return tuple(dict.fromkeys(name for (name,) in connection.execute(_NAMES, (language, language))))


def annotations_of(connection: sqlite3.Connection, language: str) -> Iterator[tuple[int, Annotation]]:
    """Every annotated sentence with its annotation, those of an import last."""
    from corpusdb.corpus.formats.records import Annotation

    for each in read_annotations(connection, language):
        names = _names_of(connection, each.segment)
        columns = [_required(connection, each.segment, name, language) for name in names]
        values = [[vocabulary[number] for number in tokens.tolist()] for vocabulary, tokens in columns]
        spans = list(zip(each.begins.tolist(), each.ends.tolist(), strict=True))
        ends = list(accumulate(each.lengths.tolist(), initial=0))
        for place, sentence in enumerate(each.sentences.tolist()):
            first, last = ends[place], ends[place + 1]
            remarks = tuple((at, line) for at, line in json.loads(each.remarks[place] or "[]"))
            cut = tuple(tuple(column[first:last]) for column in values)
            yield sentence, Annotation(tuple(names), tuple(spans[first:last]), cut, remarks)

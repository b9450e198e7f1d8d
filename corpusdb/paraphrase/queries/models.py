"""The n-grams, the lexical models and the word model that the database keeps of a language, and its witnesses."""

from __future__ import annotations

import json
import sqlite3
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import (
    F64,
    I32,
    I64,
    Packed,
    compressed,
    decompressed,
    in_file,
    packed,
    packed_steps,
    unpacked,
    unpacked_steps,
)
from corpusdb.base.errors import DatabaseDamaged
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.ngrams import MAX_CHARACTERS, SortedCorpus, Suffixes, SuffixIndex, segment_starts, sort_suffixes
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Layer, Run, Store, layer_state, save_layer
from corpusdb.corpus.store.runs import SegmentTable, blobs_checksum, checked_blobs, checked_numbers, layers_made
from corpusdb.paraphrase.lexical_model import LexicalModel, Vocabulary, words_of
from corpusdb.paraphrase.witnesses import (
    ChangedSides,
    TranslatedText,
    Witness,
    known_testimony,
    witnesses_of,
)
from corpusdb.paraphrase.word_model import WordModel


@dataclass(frozen=True)
class Segment:
    """Some sentences of a language, of which it is known where every sequence of characters stands in them."""

    text: str
    """Each sentence between two line breaks."""
    sentences: npt.NDArray[np.int64]
    """Their ids, ascending, in the order of the text."""

    @cached_property
    def starts(self) -> array[int]:
        # A byte for each character, which is "?" for most that are not of European languages.
        breaks = np.flatnonzero(np.frombuffer(self.text.encode("latin-1", "replace"), dtype=np.uint8) == ord("\n"))
        return array("q", (breaks[:-1] + 1).astype(np.int64).tobytes())

    def sentence_at(self, offset: int) -> tuple[int, int]:
        """Which sentence a character belongs to, and where that begins; a line break belongs to the one after it."""
        place = min(bisect_right(self.starts, offset + (self.text[offset] == "\n")) - 1, len(self.starts) - 1)
        return int(self.sentences[place]), self.starts[place]

    def sentence_text(self, start: int) -> str:
        return self.text[start : self.text.index("\n", start)]


_FEW_LOOKUPS = 2_000
"""In so many unpacked suffixes save less than it takes to unpack them: several seeds."""


class NgramIndex(SuffixIndex):
    def __init__(self, segments: Sequence[tuple[Segment, Packed]]) -> None:
        """Of segments with their suffixes."""
        self.segments = [segment for segment, _ in segments]
        self._packed = [suffixes for _, suffixes in segments]
        self._lookups = 0
        super().__init__([(segment.text, suffixes) for segment, suffixes in segments])

    def _parts(self) -> Sequence[tuple[str, Suffixes]]:
        self._lookups += 1
        if self._lookups == _FEW_LOOKUPS:
            self.prepare_for_seeds()
        return super()._parts()

    def prepare_for_seeds(self) -> None:
        """Do now what is done when several seeds have been looked at."""
        _ = self._suffixes

    @cached_property
    def _suffixes(self) -> list[npt.NDArray[np.int32]]:
        """Unpacked; what is packed is let go."""
        found = [in_file(unpacked(each.blob).view(np.int32)) for each in self._packed]
        self._given = [(segment.text, each.data) for segment, each in zip(self.segments, found, strict=True)]
        self._packed = []
        return found

    def sentences_with(self, sequence: str) -> Iterator[tuple[int, str, int]]:
        """Each occurrence: the sentence's id, its text, and the offset in it (-1: at the mark before it)."""
        for part, offset in self.occurrences(sequence):
            segment = self.segments[part]
            sentence, start = segment.sentence_at(offset)
            yield sentence, segment.sentence_text(start), offset - start

    @cached_property
    def _sorted(self) -> list[SortedCorpus]:
        return [SortedCorpus(each.text, suffixes) for each, suffixes in zip(self.segments, self._suffixes, strict=True)]

    def prepare_for_many(self) -> None:
        """Do now what ``longest_of_many`` does when it is first asked."""
        _ = self._sorted

    def longest_of_many(self, text: str) -> npt.NDArray[np.int32]:
        """For each offset of a long text how many characters from there on occur, fast once it has been asked."""
        lengths = np.zeros(len(text), dtype=np.int32)
        for corpus in self._sorted:
            np.maximum(lengths, corpus.longest(text), out=lengths)
        return lengths

    def longest_of_few(self, text: str) -> npt.NDArray[np.int32]:
        """The same without any preparation, for a few sentences."""
        lengths = np.zeros(len(text), dtype=np.int32)
        ends = [offset for offset, char in enumerate(text) if char == "\n"]
        for begin, end in pairwise(ends):
            sentence = text[begin : end + 1]
            for offset in range(len(sentence) - 1):
                lengths[begin + offset] = self.longest(sentence, offset)
        return lengths


_SEGMENTS = """
select first_sentence, checksum, text, sentences, suffixes from ngram_segment where language = ? order by first_sentence
"""


def load_ngrams(store: Store, language: str) -> NgramIndex:
    """Read the index of a language; it stays in memory, at about six bytes a character. Raises DatabaseDamaged."""
    return NgramIndex([_segment(language, *row) for row in store.large_rows(_SEGMENTS, (language,))])


def shared_ngrams(store: Store, language: str) -> NgramIndex:
    """The same, once for all who hold it at a time: what generates keeps it as long as the layer stays as it is."""
    held = _held_ngrams.setdefault(store, WeakValueDictionary())
    key = language, layers_made(store, language, "ngram")
    found = held.get(key)
    if found is None:
        found = held[key] = load_ngrams(store, language)
    return found


_held_ngrams: WeakKeyDictionary[Store, WeakValueDictionary[tuple[str, object], NgramIndex]] = WeakKeyDictionary()


def _segment(
    language: str, first: int, checksum: int | None, text: bytes, sentences: bytes, suffixes: bytes
) -> tuple[Segment, Packed]:
    """And its suffixes."""
    with checked_numbers(f"n-grams of {language}", checksum, text, sentences, suffixes):
        return Segment(decompressed(text).decode(), unpacked_steps(first, sentences)), Packed(suffixes)


def update_ngrams(store: Store, language: str, run: Run) -> Job[None]:
    """Take the sentences that are not yet in the index of a language into it."""
    state = layer_state(store, language, "ngram")
    fresh = sentences_after(store, language, state.last_sentence if state else 0)
    done = 0
    for batch in _batches(fresh):
        yield Progress("indexing n-grams of sentences", done, len(fresh))
        with store.write() as connection:
            merged = _merged_with_smaller(connection, language, batch)
            _insert(connection, language, merged, run)
            save_layer(store, language, "ngram", Layer({}, batch[-1][0], run.id, complete=True), run)
        done += len(batch)


def _batches(sentences: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    starts = segment_starts(len(text) for _, text in sentences)
    for start, stop in pairwise([*starts, len(sentences)]):
        yield sentences[start:stop]


_TABLE = SegmentTable(
    # Of packed suffixes, one for each character, the first byte says how many bytes each takes.
    last="""
    select id, coalesce((length(suffixes) - 1) / instr(x'01020304', substr(suffixes, 1, 1)), 0), first_sentence,
           checksum, text, sentences, suffixes
    from ngram_segment where language = ? order by first_sentence desc limit 1
    """,
    drop="delete from ngram_segment where id = ?",
)


def _merged_with_smaller(
    connection: sqlite3.Connection, language: str, sentences: list[tuple[int, str]]
) -> list[tuple[int, str]]:
    size = sum(len(text) + 1 for _, text in sentences)
    for row in _TABLE.taken_in(connection, language, size, MAX_CHARACTERS):
        sentences = [*_sentences_of(language, row), *sentences]
    return sentences


def _sentences_of(language: str, row: Sequence[Any]) -> list[tuple[int, str]]:
    segment, _ = _segment(language, *row)
    return list(zip(segment.sentences.tolist(), segment.text.strip("\n").split("\n"), strict=True))


_OVER = "select id from ngram_segment where language = ? and last_sentence >= ? and first_sentence <= ?"
_SEGMENT = "select first_sentence, checksum, text, sentences, suffixes from ngram_segment where id = ?"
_LAST = "select coalesce(max(last_sentence), 0) from ngram_segment where language = ?"


def forget_ngrams(store: Store, language: str, sentences: Collection[int], run: Run) -> None:
    """Take sentences out of the segments that hold them; inside a transaction of the caller."""
    connection = store.connection
    for (segment,) in connection.execute(_OVER, (language, min(sentences), max(sentences))).fetchall():
        held = _sentences_of(language, connection.execute(_SEGMENT, (segment,)).fetchone())
        left = [each for each in held if each[0] not in sentences]
        if len(left) < len(held):
            connection.execute(_TABLE.drop, (segment,))
        if 0 < len(left) < len(held):
            _insert(connection, language, left, run)
    (last,) = connection.execute(_LAST, (language,)).fetchone()
    save_layer(store, language, "ngram", Layer({}, last, run.id, complete=True), run)


INSERT_SEGMENT = """
insert into ngram_segment (language, first_sentence, last_sentence, text, sentences, suffixes, checksum, run)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""


def segment_row(text: bytes, sentences: I64, suffixes: I32) -> tuple[int, int, bytes, bytes, bytes, int]:
    """The row of a segment, but for its language and run."""
    blobs = compressed(text), packed_steps(sentences), packed(suffixes)
    return int(sentences[0]), int(sentences[-1]), *blobs, blobs_checksum(*blobs)


def _insert(connection: sqlite3.Connection, language: str, sentences: list[tuple[int, str]], run: Run) -> None:
    text = "\n" + "\n".join(text for _, text in sentences) + "\n"
    ids = np.array([sentence for sentence, _ in sentences], dtype=np.int64)
    connection.execute(INSERT_SEGMENT, (language, *segment_row(text.encode(), ids, sort_suffixes(text)), run.id))


_SAMPLE = 300
_COMPARED_AT_ONCE = 4096

_LAYERS = "select language, last_sentence from layer where name = 'ngram' and complete"
_COUNT = "select count(*) from sentence where language = ? and id <= ?"
_CHECKED_SEGMENTS = """
select id, first_sentence, last_sentence, checksum, text, sentences, suffixes from ngram_segment
where language = ? order by first_sentence
"""
_SENTENCES = "select id, text from sentence not indexed where language = ? and id between ? and ? order by id"


class _Segment(NamedTuple):
    id: int
    first: int
    last: int
    checksum: int | None
    text: bytes
    sentences: bytes
    suffixes: bytes


def wrong_ngrams(connection: sqlite3.Connection, random: Random, *, full: bool = False) -> list[str]:
    """Segments that do not hold exactly the sentences of their layer, or other texts, or suffixes out of order.

    The order is looked at in a sample; with ``full`` the suffixes are sorted again.
    """
    problems = []
    for language, last in connection.execute(_LAYERS).fetchall():
        held, before = 0, 0
        for each in map(_Segment._make, connection.execute(_CHECKED_SEGMENTS, (language,))):
            place = each.first, each.last
            rows = connection.execute(_SENTENCES, (language, *place)).fetchall()
            ids = np.array([row[0] for row in rows], dtype=np.int64)
            ends = (ids[0], ids[-1]) if len(ids) else ()
            if each.first <= before or place != ends or packed_steps(ids) != each.sentences:
                problems.append(
                    f"n-gram segment {each.id} of {language} does not hold the sentences {each.first} to {each.last}"
                )
            elif wrong := _wrong_segment([text for _, text in rows], each, random, full=full):
                problems.append(f"n-gram segment {each.id} {wrong}")
            elif each.checksum not in (None, blobs_checksum(each.text, each.sentences, each.suffixes)):
                problems.append(f"n-gram segment {each.id} has another checksum")
            held, before = held + len(ids), each.last
        expected = connection.execute(_COUNT, (language, last)).fetchone()[0]
        if held != expected:
            problems.append(f"the n-grams of {language} hold {held} sentences and not {expected}")
    return problems


def _wrong_segment(texts: list[str], segment: _Segment, random: Random, *, full: bool) -> str | None:
    """What is wrong with a segment, as the end of a sentence; None where nothing is."""
    try:
        text = decompressed(segment.text).decode()
    except ValueError:
        return "has a text that is not compressed UTF-8"
    if text != "\n" + "".join(f"{each}\n" for each in texts):
        return "has other texts than its sentences"
    try:
        suffixes = unpacked(segment.suffixes)
    except ValueError:
        return "has no suffixes"
    if len(suffixes) != len(text):
        return f"has {len(suffixes)} suffixes for {len(text)} characters"
    if full:
        in_order = np.array_equal(sort_suffixes(text), suffixes)
    else:
        places = random.choices(range(len(text) - 1), k=_SAMPLE)
        in_order = all(_in_order(text, *suffixes[place : place + 2].tolist()) for place in places)
    return None if in_order else "has its suffixes out of order"


def _in_order(text: str, a: int, b: int) -> bool:
    """Whether the suffix at ``a`` comes before that at ``b``; each ends with the line break behind its first."""
    if not (0 <= a < len(text) and 0 <= b < len(text)):
        return False
    if a == b:
        return False
    stop_a, stop_b = text.find("\n", a + 1) % (len(text) + 1), text.find("\n", b + 1) % (len(text) + 1)
    for offset in range(0, min(stop_a - a, stop_b - b) + 1, _COMPARED_AT_ONCE):
        one = text[a + offset : min(a + offset + _COMPARED_AT_ONCE, stop_a + 1)]
        other = text[b + offset : min(b + offset + _COMPARED_AT_ONCE, stop_b + 1)]
        if one != other:
            return one < other
    return a < b


# The lexical models and the word model that the database keeps of a language, and its translations as witnesses.


_DELETE = "delete from lexical_model where language = ?"
_INSERT_MODEL = """
insert into lexical_model (language, other, words, other_words, pairs, other_given, word_given, usual, run, checksum)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def store_lexical_models(
    connection: sqlite3.Connection, language: str, models: Iterable[tuple[str, Sequence[bytes]]], run: Run
) -> None:
    """Store the models of a language in place of those there are; in a transaction of the caller.

    ``models``: the language of the translations, and the blobs.
    """
    connection.execute(_DELETE, (language,))
    for other, blobs in models:
        connection.execute(_INSERT_MODEL, (language, other, *blobs, run.id, blobs_checksum(*blobs)))


_MODELS = """
select other, checksum, words, other_words, pairs, other_given, word_given, usual from lexical_model
where language = ? order by other
"""


def load_lexical_models(store: Store, language: str) -> Mapping[str, LexicalModel]:
    """The models of a language, by that of the translations; read once, until they are made anew.

    Raises DatabaseDamaged.
    """
    held = _held_models.setdefault(store, {})
    state = layers_made(store, language, "validity")
    if language not in held or held[language][0] != state:
        held[language] = state, dict(_read(store, language))
    return held[language][1]


_held_models: WeakKeyDictionary[Store, dict[str, tuple[object, dict[str, LexicalModel]]]] = WeakKeyDictionary()


def _read(store: Store, language: str) -> Iterator[tuple[str, LexicalModel]]:
    known: dict[bytes, Vocabulary] = {}
    for other, checksum, *blobs in store.connection.execute(_MODELS, (language,)):
        checked_blobs(f"the lexical model of {language} and {other}", checksum, *blobs)
        yield other, LexicalModel.read(blobs, known)


_OF_TEXTS = """
select wanted.value, other.language, other.text from json_each(:texts) wanted
cross join sentence on sentence.language = :language and sentence.text = wanted.value
cross join translation on translation.sentence = sentence.id
cross join sentence other on other.id = translation.translation and other.language <> :language
"""

_LEAST_KNOWN: Final = 0.5
"""So many of the words of a text are those of the model of its language."""


class KnownTranslations:
    """The translations of some sentences, which the corpus has or somebody gave, by the models that are stored."""

    def __init__(self, store: Store, language: str) -> None:
        self._store = store
        self._language = language
        self._given: dict[str, tuple[str, ...]] = {}

    def give(self, text: str, translations: Iterable[str]) -> None:
        """Note the translations that somebody gave of a text, in whatever languages, besides those of the corpus."""
        self._given[text] = tuple(translations)

    def share(self, text: str, clause: str) -> None:
        """Note that what was given of a text is witness of a clause of it, too."""
        self._given[clause] = self._given.get(text, ())

    @property
    def models(self) -> Mapping[str, LexicalModel]:
        return load_lexical_models(self._store, self._language)

    def testimony(self, pairs: Sequence[tuple[str, str]], changed: ChangedSides) -> F64:
        """Pairs of a seed and another text by TESTIMONY."""
        return known_testimony(pairs, changed, *self.known(sorted({text for pair in pairs for text in pair})))

    def witnesses(self, seed: str, other: str, changed: ChangedSides) -> list[Witness]:
        """What the translations of a seed say of one pair, but for those that the two share."""
        rows, models = self.known([seed, other])
        own, shared = ({row[1:] for row in rows if row[0] == text} for text in (seed, other))
        return witnesses_of(changed, own - shared, models)

    def known(self, texts: Sequence[str]) -> tuple[list[TranslatedText], Mapping[str, LexicalModel]]:
        """The translations of texts, and the models that can be asked of them."""
        bound = {"language": self._language, "texts": json.dumps(texts)}
        rows = self._store.connection.execute(_OF_TEXTS, bound).fetchall()
        rows += [(text, *each) for text in texts for each in self._told(self._given.get(text, ()))]
        return rows, self.models

    def _told(self, translations: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Language and text of each translation whose language has a model: that which knows most of its words."""
        for text in translations:
            words = list(set(words_of(text)))
            known = {
                language: np.count_nonzero(model.others.numbers(words) >= 0) / max(len(words), 1)
                for language, model in sorted(self.models.items())
            }
            best = max(known, key=known.__getitem__, default=None)
            if best is not None and known[best] >= _LEAST_KNOWN:
                yield best, text


_ALL_MODELS = """
select language, other, checksum, words, other_words, pairs, other_given, word_given, usual from lexical_model
"""


def wrong_lexical_models(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the stored models, in words."""
    return [
        f"the lexical model of {language} and {other} is not the one that was written"
        for language, other, checksum, *blobs in connection.execute(_ALL_MODELS)
        if blobs_checksum(*blobs) != checksum
    ]


# The word model of a language: kept with the validity that it is made with, and what it says of paraphrases.


_COMPRESSION: Final = 4

_DELETE_WORDS = "delete from word_model where language = ?"
_INSERT_WORDS = "insert into word_model (language, sentences, model, checksum, run) values (?, ?, ?, ?, ?)"


def store_word_model(connection: sqlite3.Connection, language: str, packed: bytes | None, run: Run) -> None:
    """Store a packed model in place of the one there is, or none; in a transaction of the caller."""
    connection.execute(_DELETE_WORDS, (language,))
    if packed is not None:
        blob, sentences = zlib.compress(packed, _COMPRESSION), WordModel.unpacked(packed).sizes[0]
        connection.execute(_INSERT_WORDS, (language, sentences, blob, blobs_checksum(packed), run.id))


_WORD_MODEL = "select model, checksum from word_model where language = ?"


def load_word_model(store: Store, language: str) -> WordModel | None:
    """The model of a language; None where there is none. Raises DatabaseDamaged.

    Read once for all who hold it at a time, in some tenths of a second; in memory it takes about 40 bytes an n-gram.
    """
    held = _held_words.setdefault(store, WeakValueDictionary())
    key = language, layers_made(store, language, "validity")
    found = held.get(key)
    if found is None and (row := store.connection.execute(_WORD_MODEL, (language,)).fetchone()) is not None:
        found = held[key] = WordModel.unpacked(_unpacked(language, *row))
    return found


_held_words: WeakKeyDictionary[Store, WeakValueDictionary[tuple[str, object], WordModel]] = WeakKeyDictionary()


def _unpacked(language: str, blob: bytes, checksum: int) -> bytes:
    what = f"word model of {language}"
    try:
        packed = zlib.decompress(blob)
    except zlib.error as error:
        raise DatabaseDamaged(f"the {what} is damaged; `corpusdb check --repair` rebuilds it") from error
    checked_blobs(f"numbers of the {what}", checksum, packed)
    return packed


_WORD_MODELS = "select language, model, checksum from word_model order by language"


def wrong_word_models(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the stored models, in words."""
    problems = []
    for row in connection.execute(_WORD_MODELS):
        try:
            _unpacked(*row)
        except DatabaseDamaged:
            problems.append(f"the word model of {row[0]} is not the one that was written")
    return problems

"""The pairs of the corpus that translate one language into another, and kept parts of translators."""

from __future__ import annotations

import hashlib
import io
import json
import mmap
import os
import pickle
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias, TypeVar

import numpy as np

from corpusdb import __version__
from corpusdb.alignment.bitext import WordedTexts
from corpusdb.alignment.links import tokens_digests
from corpusdb.alignment.queries.pairs import (
    SentencePair,
    SentenceTokens,
    StoredModel,
    ordered_languages,
    ready_model,
    spans_of,
)
from corpusdb.base.arrays import I32, I64
from corpusdb.base.errors import CorpusError, DatabaseDamaged, InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.outputs import Guard, Outputs
from corpusdb.base.text import language_code
from corpusdb.corpus.queries.sentences import languages_of, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.runs import corpus_fingerprint
from corpusdb.corpus.store.user_history import folder_of_user
from corpusdb.translation.decoder import NumberedBitext
from corpusdb.translation.examples import Examples
from corpusdb.translation.phrase_choices import Spacing, is_after_end


@dataclass(frozen=True, slots=True)
class TranslationDirection:
    """Which pairs translate what into what."""

    source: str
    """ISO 639-3."""
    target: str
    within: I64 | None = None
    """Numbers of sentences, ascending: only pairs of these. Where none is of one of the two languages, that side is
    free. None: all pairs."""


_PAIRED = """
select exists (
    select 1 from translation
    cross join sentence own on own.id = translation.sentence and own.language = :source
    cross join sentence other on other.id = translation.translation and other.language = :target
)
"""


def are_paired(store: Store, source: str, target: str) -> bool:
    """Whether a sentence of one language is translated into another."""
    return bool(store.connection.execute(_PAIRED, {"source": source, "target": target}).fetchone()[0])


def direction_of(store: Store, source: str, target: str, within: Sequence[str] = ()) -> TranslationDirection:
    """From one language to another, in collections or selections; none named is the whole corpus.

    Raises InputError for a code that is none, for a language that the corpus does not hold, for a collection that there
    is not, and where no pair is of these languages; UsageError for one language given twice.
    """
    codes = language_code(source), language_code(target)
    if codes[0] == codes[1]:
        raise UsageError(f"from {codes[0]} to {codes[1]}: these are one language")
    present = languages_of(store)
    for code in codes:
        if code not in present:
            raise InputError(f"the corpus has no sentences in {code!r}; it has {', '.join(present) or 'none'}")
    if not are_paired(store, *codes):
        raise InputError(f"no sentence of the corpus is translated from {codes[0]} to {codes[1]}")
    chosen = [sentences_of(store, name) for name in within]
    return TranslationDirection(*codes, np.unique(np.concatenate(chosen)) if chosen else None)


# The pairs by their numbers: both directions of each are stored, and their sentences are read one language at a time.
_TEXTS = "select id, text from sentence not indexed where language = ? order by id"
_PAIRS = "select distinct sentence, translation from translation order by sentence, translation"


def read_examples(store: Store, direction: TranslationDirection) -> Job[Examples]:
    """All examples of a direction. Raises InputError where there is none."""
    yield Progress("reading sentences", 0, 0)
    sources: dict[int, str] = dict(_texts(store, direction, direction.source))
    targets: dict[int, str] = dict(_texts(store, direction, direction.target))
    yield Progress("reading pairs", 0, 0)
    found: dict[int, list[str]] = {}
    for sentence, translation in store.connection.execute(_PAIRS):
        if sentence in sources and (text := targets.get(translation)) is not None:
            found.setdefault(sentence, []).append(text)
    if not found:
        raise InputError(f"nothing that was chosen is translated from {direction.source} to {direction.target}")
    return Examples(list(found), [sources[number] for number in found], list(found.values()))


def _texts(store: Store, direction: TranslationDirection, language: str) -> list[tuple[int, str]]:
    rows: list[tuple[int, str]] = store.connection.execute(_TEXTS, (language,)).fetchall()
    if direction.within is None:
        return rows
    allowed = set(direction.within.tolist())
    return [row for row in rows if row[0] in allowed] or rows


_EXACT = """
select distinct own.id, other.id, other.text from sentence own
join translation on translation.sentence = own.id
join sentence other on other.id = translation.translation and other.language = :target
where own.language = :source and own.text = :text
order by other.id
"""
_SIDE = "select exists (select 1 from sentence where language = ? and id in (select value from json_each(?)))"


def exact_translations(store: Store, direction: TranslationDirection, text: str) -> list[tuple[int, str]]:
    """The number of a text and each of its translations, the oldest first."""
    bound = {"source": direction.source, "target": direction.target, "text": text}
    rows = store.connection.execute(_EXACT, bound).fetchall()
    if direction.within is None or not rows:
        return [(sentence, translation) for sentence, _, translation in rows]
    within = set(direction.within.tolist())
    members = json.dumps(direction.within.tolist())
    free = [
        not store.connection.execute(_SIDE, (code, members)).fetchone()[0]
        for code in (direction.source, direction.target)
    ]
    return [
        (sentence, translation)
        for sentence, other, translation in rows
        if (free[0] or sentence in within) and (free[1] or other in within)
    ]


# The aligned pairs of two languages as numbers, from a source to a target language, whichever the model calls so.


_SENTENCES_FOR_SPACING: Final = 20_000
_WIDTHS: Final = (1, 2)
"""Bytes of one number of a stored link."""
_REPAIR: Final = "`corpusdb check --repair` rebuilds them"


@dataclass(frozen=True, slots=True)
class LinkedCorpus:
    """What phrases are extracted from."""

    bitext: NumberedBitext
    pairs: Sequence[SentencePair]
    """The sentences of each pair, source language first."""
    source_words: Mapping[str, int]
    """The number of each word, in lower case."""
    target_words: Sequence[str]
    """The word of each number, in lower case."""


@dataclass(frozen=True, slots=True)
class TargetTexts:
    """Sentences of the target language, all of them or some."""

    words: I32
    """By the numbers of a LinkedCorpus, and more behind these."""
    lengths: I64
    forms: Mapping[str, str]
    """How words are written inside of a sentence that are not written in lower case there."""
    spacing: Spacing


def aligned_model(store: Store, source: str, target: str) -> StoredModel:
    """The model that aligned two languages. Raises InputError, which says what to run, where there is none."""
    model = ready_model(store, *ordered_languages(source, target))
    if model is None:
        raise InputError(f"{source} and {target} are not aligned; run `corpusdb align --lang {source},{target}` first")
    return model


_Row: TypeAlias = tuple[int, int, bytes, bytes]
_LINKS = """
select sentence, translation, links, tokens_digest from alignment where model = ? order by sentence, translation
"""


def linked_corpus(
    store: Store, model: StoredModel, source: str, tokens: SentenceTokens, within: I64 | None = None
) -> LinkedCorpus:
    """The pairs that a model aligned, with their links, from a source language.

    ``within``: numbers of sentences, ascending; only pairs of these. Where none is of one of the two languages, that
    side is free. Raises DatabaseDamaged where links are not those of their sentences, and InputError where no pair is
    left.
    """
    rows = _within(store.connection.execute(_LINKS, (model.id,)).fetchall(), within)
    if not rows:
        raise InputError(f"nothing that was chosen is aligned between {model.languages}")
    sides = [tokens.numbered([row[0] for row in rows]), tokens.numbered([row[1] for row in rows])]
    for row, digest in zip(rows, tokens_digests(*sides), strict=True):
        if digest != row[3]:
            raise DatabaseDamaged(
                f"alignment of sentences {row[0]} and {row[1]} ({model.languages}): the stored links are those of "
                f"other tokens; {_REPAIR}"
            )
    links, counts = _links(model, [row[2] for row in rows], sides)
    pairs = [SentencePair(row[0], row[1]) for row in rows]
    if source != model.source:
        sides, links, pairs = sides[::-1], links[:, ::-1], [SentencePair(pair[1], pair[0]) for pair in pairs]
    own, theirs = (side.lowered() for side in sides)
    bitext = NumberedBitext(
        own.texts.words,
        own.texts.lengths,
        theirs.texts.words,
        theirs.texts.lengths,
        np.ascontiguousarray(links),
        counts,
    )
    return LinkedCorpus(bitext, pairs, {word: number for number, word in enumerate(own.words)}, theirs.words)


def _within(rows: list[_Row], within: I64 | None) -> list[_Row]:
    if within is None:
        return rows
    ids = np.array([row[:2] for row in rows], dtype=np.int64).reshape(-1, 2)
    is_member = np.isin(ids, within)
    if not is_member.any():
        return []
    counts_for = is_member | ~is_member.any(axis=0, keepdims=True)
    return [rows[number] for number in np.flatnonzero(counts_for[:, 0] & counts_for[:, 1]).tolist()]


def _links(model: StoredModel, stored: Sequence[bytes], sides: Sequence[WordedTexts]) -> tuple[I32, I64]:
    """The links of all pairs, and how many each has; see corpusdb.alignment.links."""
    widths = np.array([each[0] if each else 0 for each in stored], dtype=np.int64)
    counts, left = np.divmod([len(each) - 1 for each in stored], 2 * np.maximum(widths, 1))
    if left.any() or not np.isin(widths, _WIDTHS).all():
        raise DatabaseDamaged(f"alignment of {model.languages}: stored links are damaged; {_REPAIR}")
    links = np.zeros((int(counts.sum()), 2), dtype=np.int32)
    for width in _WIDTHS:
        here = widths == width
        packed = b"".join(stored[number][1:] for number in np.flatnonzero(here).tolist())
        links[np.repeat(here, counts)] = np.frombuffer(packed, dtype=f"<u{width}").reshape(-1, 2)
    for side, places in zip(sides, (links[:, 0], links[:, 1]), strict=True):
        if (places >= np.repeat(side.texts.lengths, counts)).any():
            raise DatabaseDamaged(
                f"alignment of {model.languages}: a stored link leads outside of its texts; {_REPAIR}"
            )
    return links, counts


_TARGETS = "select id from sentence where language = ? order by id"
_LINKED_TEXTS = """
select sentence.text from json_each(?) wanted cross join sentence on sentence.id = wanted.value order by wanted.key
"""


def target_texts(
    store: Store, model: StoredModel, target: str, tokens: SentenceTokens, corpus: LinkedCorpus, *, all_texts: bool
) -> TargetTexts:
    """The sentences of the target language: all that the corpus has, or those of the pairs alone."""
    ids = [row[0] for row in store.connection.execute(_TARGETS, (target,))]
    if not all_texts:
        ids = sorted({pair.translation for pair in corpus.pairs})
    written = tokens.numbered(ids)
    lowered = written.lowered()
    numbers = {word: number for number, word in enumerate(corpus.target_words)}
    table = np.fromiter(
        (numbers.setdefault(word, len(numbers)) for word in lowered.words), dtype=np.int32, count=len(lowered.words)
    )
    spans = spans_of(model.way_of(target))
    some = store.connection.execute(_LINKED_TEXTS, (json.dumps(ids[:: 1 + len(ids) // _SENTENCES_FOR_SPACING]),))
    spacing = Spacing((text, spans(text)) for (text,) in some)
    return TargetTexts(table[lowered.texts.words], lowered.texts.lengths, _forms(written), spacing)


def _forms(written: WordedTexts) -> dict[str, str]:
    """For each word in lower case how it is most often written where its place asks for no capital."""
    words = written.texts.words
    is_free = np.ones(len(words), dtype=np.bool_)
    is_free[written.texts.starts[:-1][written.texts.lengths > 0]] = False
    ends = np.fromiter(map(is_after_end, written.words), dtype=np.bool_, count=len(written.words))
    is_free[1:] &= ~ends[words[:-1]]
    counts = np.bincount(words[is_free], minlength=len(written.words)).tolist()
    best: dict[str, tuple[int, str]] = {}
    for word, often in zip(written.words, counts, strict=True):
        lower = word.lower()
        if often > best.get(lower, (0, ""))[0]:
            best[lower] = often, word
    return {lower: word for lower, (_, word) in best.items() if word != lower}


# Parts of a translator that take long to make, kept in files of their user between calls.
# They stand in $XDG_CACHE_HOME/corpusdb, a file for each, named after the database and the languages, and begin with
# the state of the database that they were made from: where it is another one they are made anew, and replace the file,
# which is complete or not there. $CORPUSDB_CACHE ``off`` keeps none. Arrays are not read but mapped.


CACHE_VARIABLE: Final = "CORPUSDB_CACHE"
_LEAST_SENTENCES: Final = 20_000
"""Of the source language: below that, a translator is made as fast as it is read."""
_MOST_FILES: Final = 20
"""Of all databases and languages; those that were made longest ago are removed."""
_FORMAT: Final = 3
"""Of what stands in the files; another one where the classes of the parts change."""
_ENDING: Final = ".part"
_LEAST_BUFFER: Final = 4096
_ALIGNMENT: Final = 64
_NUMBER: Final = struct.Struct("<Q")
_NUMPY: Final = frozenset(
    (f"numpy.{module}", name)
    for module, name in (
        *(("core.multiarray", "_reconstruct"), ("_core.multiarray", "_reconstruct")),
        *(("core.multiarray", "scalar"), ("_core.multiarray", "scalar")),
        *(("core.numeric", "_frombuffer"), ("_core.numeric", "_frombuffer")),
    )
) | {("numpy", "ndarray"), ("numpy", "dtype")}
"""What arrays are made by; anything else that a file asks for must be a class of this program."""

_T = TypeVar("_T")


def cache_folder() -> Path | None:
    """Where parts are kept; None for a user without a home, and for one who wants none kept."""
    if os.environ.get(CACHE_VARIABLE) == "off":
        return None
    folder = folder_of_user("XDG_CACHE_HOME", ".cache")
    return None if folder is None else folder / "corpusdb"


@dataclass
class KeptParts:
    folder: Path
    name: str
    """With which those of this database and these languages begin."""
    state: bytes
    """Of the database, before anything was read for the parts."""
    _made: dict[str, tuple[object, Mapping[str, object]]] = field(default_factory=dict)

    def load(self, part: str, kind: type[_T], known: Mapping[str, object]) -> _T | None:
        """A part that was kept of this state; None where there is none, or none that could be read.

        ``known`` are the objects that it refers to, by the names under which it was made.
        """
        try:
            with open(self._file(part), "rb") as file:
                status = os.fstat(file.fileno())
                if status.st_uid != os.geteuid() or status.st_mode & 0o022 or file.read(len(self.state)) != self.state:
                    return None
                content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            found = _read(content, len(self.state), known)
        except (OSError, ValueError, TypeError, LookupError, AttributeError, ImportError, EOFError, struct.error):
            return None
        except pickle.UnpicklingError:
            return None
        return found if isinstance(found, kind) else None

    def made(self, part: str, value: object, known: Mapping[str, object]) -> None:
        """Note a part that was made, to be written by ``save``."""
        self._made[part] = value, known

    def save(self) -> None:
        """Write the parts that were made; where that is not possible they are made again another time."""
        if not self._made:
            return
        with suppress(OSError, CorpusError, pickle.PicklingError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for part, (value, known) in self._made.items():
                with Outputs(Guard(overwrite=True)) as outputs, outputs.file(self._file(part), mode=0o600) as file:
                    file.write(self.state)
                    _write(file, len(self.state), value, known)
            files = [(each.stat().st_mtime, each) for each in self.folder.glob(f"*{_ENDING}")]
            for _, file_of_before in sorted(files)[:-_MOST_FILES]:
                file_of_before.unlink(missing_ok=True)
        self._made.clear()

    def _file(self, part: str) -> Path:
        return self.folder / f"{self.name}-{part}{_ENDING}"


_SENTENCES = "select count(*) from sentence where language = ?"
_UNFINISHED = "select exists (select 1 from run where finished is null and operation <> 'import')"
_STATE = """
select (select max(id) from run), (select count(*) from run), (select max(finished) from run),
    (select count(*) from sentence), (select max(id) from sentence), (select count(*) from translation)
"""


def kept_parts(store: Store, source: str, target: str) -> KeptParts | None:
    """What is kept for a translator on the whole corpus; None where nothing is worth being kept, or can be.

    Not while a job is unfinished, since what is derived may then change and its run stay the same; of an import, the
    fingerprint of the corpus tells how far it is.
    """
    folder = cache_folder()
    if folder is None or store.connection.execute(_SENTENCES, (source,)).fetchone()[0] < _LEAST_SENTENCES:
        return None
    if store.connection.execute(_UNFINISHED).fetchone()[0]:
        return None
    state = (corpus_fingerprint(store), *store.connection.execute(_STATE).fetchone(), __version__, _FORMAT)
    database = hashlib.sha256(os.fsencode(store.path.resolve())).hexdigest()[:16]
    return KeptParts(folder, f"{database}-{source}-{target}", hashlib.sha256(repr(state).encode()).digest())


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, known: Mapping[str, object], buffers: list[pickle.PickleBuffer]) -> None:
        super().__init__(file, protocol=5, buffer_callback=lambda buffer: self._stays(buffer, buffers))
        self._names = {id(value): name for name, value in known.items()}

    @staticmethod
    def _stays(buffer: pickle.PickleBuffer, buffers: list[pickle.PickleBuffer]) -> bool:
        """Whether an array is written among the rest; otherwise it is one of the buffers."""
        if buffer.raw().nbytes < _LEAST_BUFFER:
            return True
        buffers.append(buffer)
        return False

    def persistent_id(self, value: Any) -> str | None:
        return self._names.get(id(value))


class _Unpickler(pickle.Unpickler):
    """Makes arrays and objects of this program, and nothing else, whatever a file says."""

    def __init__(self, content: memoryview, known: Mapping[str, object], buffers: list[memoryview]) -> None:
        super().__init__(io.BytesIO(content), buffers=buffers)
        self._known = known

    def persistent_load(self, name: Any) -> object:
        return self._known[name]

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name) if module.startswith("corpusdb.") or (module, name) in _NUMPY else None
        if found is None or (module.startswith("corpusdb.") and not isinstance(found, type)):
            raise pickle.UnpicklingError(f"{module}.{name} is not a part of a translator")
        return found


def _write(file: BinaryIO, at: int, value: object, known: Mapping[str, object]) -> None:
    """Behind ``at`` bytes: how many buffers there are, the size of the rest, the sizes of these, then all of them."""
    buffers: list[pickle.PickleBuffer] = []
    rest = io.BytesIO()
    _Pickler(rest, known, buffers).dump(value)
    sizes = [rest.getbuffer().nbytes, *(each.raw().nbytes for each in buffers)]
    head = b"".join(_NUMBER.pack(number) for number in (len(buffers), *sizes))
    file.write(head)
    at += len(head)
    for content in (rest.getbuffer(), *(each.raw() for each in buffers)):
        padding = -at % _ALIGNMENT
        file.write(bytes(padding))
        file.write(content)
        at += padding + content.nbytes


def _read(content: memoryview, at: int, known: Mapping[str, object]) -> object:
    (count,) = _NUMBER.unpack_from(content, at)
    sizes = struct.unpack_from(f"<{count + 1}Q", content, at + _NUMBER.size)
    at += _NUMBER.size * (count + 2)
    pieces = []
    for size in sizes:
        at += -at % _ALIGNMENT
        if at + size > len(content):
            raise ValueError("the file is cut off")
        pieces.append(content[at : at + size])
        at += size
    return _Unpickler(pieces[0], known, pieces[1:]).load()

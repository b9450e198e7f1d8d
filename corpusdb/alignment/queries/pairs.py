"""The models of alignment in the file; the pairs of sentences that they align, their tokens and their links.

Into which tokens the sentences of a language are cut to be aligned: a way of cutting, which a model names.
``units`` are those of the whole program (corpusdb.base.text): words, clitics and marks, and characters where the
script does not delimit words. Japanese is cut into morphemes where they can be had; the way is then the identity of
the analyser, so that links are never read between the tokens of another dictionary. There is none for Chinese or Thai.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from corpusdb.alignment.bitext import NumberedTexts, WordedTexts
from corpusdb.alignment.links import Link, links_from_bytes, tokens_digest
from corpusdb.alignment.model import AlignmentModel
from corpusdb.base.arrays import I64
from corpusdb.base.errors import CorpusError, DatabaseDamaged, InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.tokenisation import required_analyser, sudachi_analyser
from corpusdb.corpus.queries.sentences import translations_of_sentence
from corpusdb.corpus.store import Run, Store
from corpusdb.search.queries.token_index import is_undelimited
from corpusdb.search.token_corpus import Cut, Tokeniser, token_spans

Span: TypeAlias = tuple[int, int]
"""Where something begins and ends in a text, in code points."""

UNITS: Final = "units"
_JAPANESE: Final = "jpn"


def way_of_language(language: str) -> str:
    """How the sentences of a language, an ISO 639-3 code, are cut by a model that is made now."""
    if language != _JAPANESE:
        return UNITS
    try:
        return sudachi_analyser().identity
    except UsageError:
        return UNITS


def can_cut(way: str) -> bool:
    """Whether what cuts in this way is installed."""
    try:
        cut_of(way)
    except CorpusError:
        return False
    return True


def spans_of(way: str) -> Callable[[str], list[Span]]:
    """What tells where the tokens of a text begin and end; no token has white space inside.

    Raises UsageError where the analyser is not installed, and InputError where another version is.
    """
    if way == UNITS:
        return token_spans
    try:
        analyse = required_analyser(way).analyse
    except InputError as error:
        raise InputError(f"{error.reason}; or align again with `corpusdb align --retrain`") from error

    def spans(text: str) -> list[Span]:
        found: list[Span] = []
        for morpheme in analyse(text):
            at = morpheme.begin
            for part in morpheme.surface.split():  # few entries of a dictionary are several words: New York
                at = text.index(part, at)
                found.append((at, at + len(part)))
                at += len(part)
        return found

    return spans


def cut_of(way: str) -> Cut:
    """What cuts a text into tokens. Raises as spans_of does."""
    spans = spans_of(way)
    return lambda text: [text[begin:end] for begin, end in spans(text)]


def advice_on(way: str, language: str) -> str | None:
    """How a language could be cut better than a model cuts it, in words; None where it could not."""
    if language != _JAPANESE or way != UNITS:
        return None
    if way_of_language(language) == UNITS:
        return "Japanese is aligned by characters; by morphemes with pip install 'corpusdb[japanese]' and --retrain"
    return "Japanese is aligned by characters, as when the model was trained; --retrain aligns morphemes"


# The models of alignment in the file: one for two languages, of which the one with the lesser code is the source.


ModelState: TypeAlias = Literal["training", "decoding", "ready"]
IMPORTED: Final = "imported"
"""The kind of a model that is but the name of links which another aligner made: it can align nothing itself."""


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A row of the table, without what was learned."""

    id: int
    source: str
    target: str
    state: ModelState
    run: int
    ways: tuple[str, str] = (UNITS, UNITS)
    """How source and target are cut into the tokens that are linked: see ``spans_of``."""
    kind: str = "trained"

    @property
    def is_imported(self) -> bool:
        """Whether its links were made by another aligner; then new pairs of sentences stay without links."""
        return self.kind == IMPORTED

    def way_of(self, language: str) -> str:
        return self.ways[language == self.target]

    @property
    def way_by_language(self) -> dict[str, str]:
        return {self.source: self.ways[0], self.target: self.ways[1]}

    @property
    def can_cut(self) -> bool:
        return all(map(can_cut, self.ways))

    @property
    def languages(self) -> str:
        """Both, for a person."""
        return f"{self.source} and {self.target}"

    def other(self, language: str) -> str:
        return self.target if language == self.source else self.source


def ordered_languages(one: str, other: str) -> tuple[str, str]:
    """Source and target of the model of two languages. Raises UsageError for one language twice."""
    if one == other:
        raise UsageError(f"an alignment is of two languages, not of {one} with itself")
    return min(one, other), max(one, other)


_COLUMNS = """id, source_language, target_language, state, run, json_extract(parameters, '$.tokens'),
    coalesce(json_extract(parameters, '$.kind'), 'trained')"""
_READY = f"""
select {_COLUMNS} from alignment_model
where source_language = ? and target_language = ? and state = 'ready' order by id desc limit 1
"""
_UNFINISHED = f"""
select {_COLUMNS} from alignment_model
where source_language = ? and target_language = ? and state <> 'ready' order by id desc limit 1
"""
_EVERY = f"select {_COLUMNS} from alignment_model order by id"
_READY_OF = f"""
select {_COLUMNS} from alignment_model model
where ? in (source_language, target_language) and state = 'ready' and id = (
    select max(id) from alignment_model newest
    where newest.source_language = model.source_language and newest.target_language = model.target_language
      and newest.state = 'ready')
order by source_language, target_language
"""


def ready_model(store: Store, source: str, target: str) -> StoredModel | None:
    """The model that has aligned the pairs of two languages, or None."""
    row = store.connection.execute(_READY, (source, target)).fetchone()
    return None if row is None else _stored(row)


def _stored(row: Sequence[Any]) -> StoredModel:
    number, source, target, state, run, ways, kind = row
    source_way, target_way = json.loads(ways or "null") or (UNITS, UNITS)
    return StoredModel(number, source, target, state, run, (source_way, target_way), kind)


def unfinished_model(store: Store, source: str, target: str) -> StoredModel | None:
    """The one that is being trained or has begun to align, or None."""
    row = store.connection.execute(_UNFINISHED, (source, target)).fetchone()
    return None if row is None else _stored(row)


def ready_models(store: Store, language: str) -> list[StoredModel]:
    """The models that have aligned a language with another, in the order of their languages."""
    return [_stored(row) for row in store.connection.execute(_READY_OF, (language,))]


def aligned_in_characters(store: Store, language: str) -> tuple[str, ...]:
    """Of the languages with which one is aligned those whose characters are: without spaces, and cut by no analyser."""
    ways = {each.other(language): each.way_of(each.other(language)) for each in ready_models(store, language)}
    return tuple(other for other, way in ways.items() if way == UNITS and is_undelimited(store, other))


def all_models(connection: sqlite3.Connection) -> list[StoredModel]:
    """Every model of a file, finished or not, in the order in which they were begun."""
    return list(map(_stored, connection.execute(_EVERY)))


_NEW = """
insert into alignment_model (source_language, target_language, parameters, state, run) values (?, ?, ?, 'training', ?)
"""


def new_model(store: Store, source: str, target: str, parameters: Mapping[str, object], run: Run) -> StoredModel:
    """A model of which nothing is known yet; inside a transaction of the caller.

    ``parameters`` may have ``tokens``, the two ways of cutting of the model, as long as it is there; units without;
    and a ``kind``, without which it is one that is trained.
    """
    written = json.dumps(parameters, sort_keys=True)
    number = store.connection.execute(_NEW, (source, target, written, run.id)).lastrowid
    kind = parameters.get("kind", "trained")
    return _stored((number, source, target, "training", run.id, json.dumps(parameters.get("tokens")), kind))


def ways_now(source: str, target: str) -> tuple[str, str]:
    return way_of_language(source), way_of_language(target)


_SAVE = "update alignment_model set state = ?, tables = ?, digest = ? where id = ?"
_SAVE_STATE = "update alignment_model set state = ? where id = ?"


def save_state(store: Store, model: StoredModel, state: ModelState, tables: bytes | None = None) -> StoredModel:
    """Note how far a model is, and with ``tables`` what it has learned; inside a transaction of the caller."""
    if tables is None:
        store.connection.execute(_SAVE_STATE, (state, model.id))
    else:
        digest = model_digest(model.source, model.target, tables)
        store.connection.execute(_SAVE, (state, tables, digest, model.id))
    return replace(model, state=state)


def model_digest(source: str, target: str, tables: bytes) -> bytes:
    """SHA-256 of the languages and of what was learned: a model of other languages has another."""
    return hashlib.sha256(f"{source}\n{target}\n".encode() + tables).digest()


_TABLES = "select tables, digest from alignment_model where id = ?"


def model_bytes(store: Store, model: StoredModel) -> bytes | None:
    """What a model has learned, or the state of its training; None before the first step.

    Raises DatabaseDamaged where it is not what was stored for these languages.
    """
    tables, digest = store.connection.execute(_TABLES, (model.id,)).fetchone()
    if tables is not None and digest != model_digest(model.source, model.target, tables):
        raise DatabaseDamaged(
            f"the alignment model of {model.languages} is damaged, or one of other languages; "
            f"`corpusdb align --lang {model.source},{model.target} --retrain` makes a new one"
        )
    return None if tables is None else bytes(tables)


def is_sound(store: Store, model: StoredModel) -> bool:
    """Whether what a model has learned so far is what was stored."""
    try:
        model_bytes(store, model)
    except DatabaseDamaged:
        return False
    return True


def read_model(store: Store, model: StoredModel) -> AlignmentModel:
    """What a model has learned. Raises DatabaseDamaged as ``model_bytes`` does."""
    tables = model_bytes(store, model)
    try:
        return AlignmentModel.from_bytes(tables or b"")
    except InputError as error:
        raise DatabaseDamaged(f"{model.languages}: {error}") from error


_OLDER = "select id from alignment_model where source_language = ? and target_language = ? and id < ? order by id"


def has_older_models(store: Store, kept: StoredModel) -> bool:
    """Whether earlier models of the same languages are there, which ``drop_older_models`` did not come to remove."""
    return store.connection.execute(_OLDER, (kept.source, kept.target, kept.id)).fetchone() is not None


_ROWS_AT_ONCE: Final = 20_000
_DROP_ROWS = """
delete from {table} where model = :model and ({key}) in (
    select {key} from {table} where model = :model limit :most)
"""
_TABLES_OF_MODEL: Final = {
    "alignment": "sentence, translation",
    "phrase_pair": "source, target",
    "phrase_count": "phrase",
}
_DROP_MODEL = "delete from alignment_model where id = ?"
FORGET_PHRASES = "delete from phrase where id not in (select phrase from phrase_count)"
"""Those that no model counts any more."""


def drop_older_models(store: Store, kept: StoredModel) -> Job[None]:
    """Remove the earlier models of the same languages with all that they aligned, in short transactions."""
    gone = 0
    older = store.connection.execute(_OLDER, (kept.source, kept.target, kept.id)).fetchall()
    for (model,) in older:
        for table, key in _TABLES_OF_MODEL.items():
            statement, removed = _DROP_ROWS.format(table=table, key=key), _ROWS_AT_ONCE
            while removed == _ROWS_AT_ONCE:
                with store.unchecked_references(), store.write() as connection:
                    removed = connection.execute(statement, {"model": model, "most": _ROWS_AT_ONCE}).rowcount
                gone += removed
                yield Progress("removing what an earlier model aligned, rows", gone, 0)
        with store.unchecked_references(), store.write() as connection:
            connection.execute(FORGET_PHRASES)
            connection.execute(_DROP_MODEL, (model,))


_LINKED = """
select coalesce(nullif(lower(hex(digest)), ''), json_extract(parameters, '$.digest')),
       (select count(*) from alignment where model = alignment_model.id),
       (select sum(count) from phrase_pair where model = alignment_model.id)
from alignment_model where id = ?
"""


def linked_digest(store: Store, models: Iterable[StoredModel]) -> str:
    """SHA-256 of what models learned, or of the files of links, with the numbers of the pairs and phrases linked."""
    sha = hashlib.sha256()
    for model in models:
        digest, pairs, phrases = store.connection.execute(_LINKED, (model.id,)).fetchone()
        sha.update(f"{model.source} {model.target} {digest} {pairs} {phrases}\n".encode())
    return sha.hexdigest()


class SentencePair(NamedTuple):
    sentence: int
    """In the source language."""
    translation: int


_PAIRS = """
select distinct there.sentence, there.translation
from sentence own not indexed
cross join translation there on there.sentence = own.id
cross join sentence other on other.id = there.translation and other.language = :target
where own.language = :source order by 1, 2
"""
_TO_ALIGN = f"""
select pair.sentence, pair.translation from ({_PAIRS}) pair
where not exists (
    select 1 from alignment
    where alignment.model = :model and alignment.sentence = pair.sentence and alignment.translation = pair.translation)
"""


def pairs_of(store: Store, source: str, target: str) -> list[SentencePair]:
    """All pairs of two languages, each once, ascending."""
    rows = store.connection.execute(_PAIRS, {"source": source, "target": target})
    return list(map(SentencePair._make, rows))


def pairs_to_align(store: Store, source: str, target: str, model: int) -> list[SentencePair]:
    """Those of these that a model has not aligned yet."""
    rows = store.connection.execute(_TO_ALIGN, {"source": source, "target": target, "model": model})
    return list(map(SentencePair._make, rows))


_TEXTS = """
select sentence.text, sentence.language from json_each(?) wanted
cross join sentence on sentence.id = wanted.value
"""


class SentenceTokens:
    """The tokens of sentences, each cut once; what stands between two spaces is cut once for all sentences."""

    def __init__(self, connection: sqlite3.Connection, ways: Mapping[str, str] | None = None) -> None:
        """``ways`` of cutting by language (see ``spans_of``); units for others.

        Raises UsageError where an analyser is not installed, and InputError where another version of it is.
        """
        self._connection = connection
        self._cuts = {language: cut_of(way) for language, way in (ways or {}).items() if way != UNITS}
        self._numbers: dict[str, int] = {}
        self._tokeniser = Tokeniser(self._numbers)
        self._types: list[str] = []
        self._kept = np.zeros(0, dtype=np.int64)
        """The numbers of the sentences whose tokens are kept, ascending."""
        self._kept_texts = NumberedTexts(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64))

    def of(self, sentences: Sequence[int]) -> list[list[str]]:
        """The tokens of these sentences, in their order; a sentence may stand there more than once."""
        found = self.numbered(sentences)
        words, ends = list(map(found.words.__getitem__, found.texts.words.tolist())), found.texts.starts.tolist()
        return [words[begin:end] for begin, end in pairwise(ends)]

    def keep(self, sentences: Iterable[int]) -> None:
        """Read these sentences now, unless they are kept, and keep their tokens for later calls: four bytes each."""
        wanted = np.unique(np.fromiter(sentences, dtype=np.int64))
        if self._places(wanted) is None:
            self._kept, self._kept_texts = wanted, self._read(wanted)

    def numbered(self, sentences: Sequence[int]) -> WordedTexts:
        """The same as ``of`` gives; the words are those of all sentences that were read so far."""
        wanted, order = np.unique(np.array(sentences, dtype=np.int64), return_inverse=True)
        places = self._places(wanted)
        texts = self._read(wanted).reordered(order) if places is None else self._kept_texts.reordered(places[order])
        return WordedTexts(texts, self._types)

    def _places(self, sentences: I64) -> I64 | None:
        """Where these stand among those that are kept; None where not all do."""
        places = np.searchsorted(self._kept, sentences)
        is_kept = places < len(self._kept)
        is_kept[is_kept] = self._kept[places[is_kept]] == sentences[is_kept]
        return places if is_kept.all() else None

    def _read(self, sentences: I64) -> NumberedTexts:
        rows = self._connection.execute(_TEXTS, (json.dumps(sentences.tolist()),)).fetchall()
        cuts = (self._cuts.get(language) for _, language in rows)
        lengths, tokens = self._tokeniser.types_of((text for text, _ in rows), cuts)
        self._types += islice(self._numbers, len(self._types), None)
        return NumberedTexts(tokens, lengths.astype(np.int64))


@dataclass(frozen=True, slots=True)
class LinkedPair:
    text: str
    translation: str
    spans: tuple[Span, ...]
    """Where each token stands in the text."""
    translation_spans: tuple[Span, ...]
    links: tuple[Link, ...]
    """Token of the text, token of the translation, from 0, ascending."""
    marks: tuple[Span, ...] = ()
    """What is to be shown in the text: the phrase that was asked for."""
    translation_marks: tuple[Span, ...] = ()

    def turned(self) -> LinkedPair:
        links = tuple(sorted((theirs, own) for own, theirs in self.links))
        spans, marks = (self.translation_spans, self.spans), (self.translation_marks, self.marks)
        return LinkedPair(self.translation, self.text, *spans, links, *marks)

    def aligned_with(self, token: int) -> tuple[int, ...]:
        """The tokens of the translation that a token of the text is linked with; empty: with nothing."""
        return tuple(theirs for own, theirs in self.links if own == token)

    def marked(self, phrase: str, translation: str) -> LinkedPair:
        """With the first place marked at which these two phrases, as they are stored, are linked with each other."""
        for own in _places(self.text, self.spans, phrase):
            for theirs in _places(self.translation, self.translation_spans, translation):
                if any(one in own and other in theirs for one, other in self.links):
                    marks = (self.spans[own[0]][0], self.spans[own[-1]][1])
                    other = (self.translation_spans[theirs[0]][0], self.translation_spans[theirs[-1]][1])
                    return replace(self, marks=(marks,), translation_marks=(other,))
        return self


@dataclass(frozen=True, slots=True)
class LinkedTranslation:
    """A translation of a sentence, and what in it is aligned with what."""

    language: str
    text: str
    pair: LinkedPair | None
    """The sentence and this translation; None where no links are stored, or none that can be used."""
    reason: str = ""
    """Why there are none, and what makes them."""

    def aligned_with(self, span: Span) -> tuple[Span, ...] | None:
        """What is linked with the tokens in a stretch of the sentence, in order; empty: nothing; None: no links."""
        if self.pair is None:
            return None
        spans = enumerate(self.pair.spans)
        tokens = [token for token, (begin, end) in spans if begin < span[1] and end > span[0]]
        found = sorted({theirs for token in tokens for theirs in self.pair.aligned_with(token)})
        return tuple(self.pair.translation_spans[theirs] for theirs in found)


@dataclass(frozen=True, slots=True)
class LinkedSentence:
    """A sentence with all its direct translations."""

    sentence: int
    language: str
    text: str
    words: tuple[Span, ...]
    """Where its tokens with a letter or a digit stand; all of its tokens where none has one."""
    translations: tuple[LinkedTranslation, ...]
    """By language, then by age."""


def _places(text: str, spans: Sequence[Span], phrase: str) -> Iterator[range]:
    tokens, wanted = [text[begin:end].lower() for begin, end in spans], phrase.split(" ")
    for first in range(len(tokens) - len(wanted) + 1):
        if tokens[first : first + len(wanted)] == wanted:
            yield range(first, first + len(wanted))


_PAIR = """
select own.text, other.text, alignment.links, alignment.tokens_digest from sentence own, sentence other
left join alignment on alignment.model = :model and alignment.sentence = own.id and alignment.translation = other.id
where own.id = :sentence and other.id = :translation
"""


def linked_pair(store: Store, model: StoredModel, pair: SentencePair) -> LinkedPair:
    """A pair that a model aligned, the source language first.

    Raises DatabaseDamaged where its links cannot be used; UsageError where the analyser that found its tokens is not
    installed, and InputError where another version of it is.
    """
    found = _found(store, model, pair)
    if found is None:
        raise DatabaseDamaged(f"{_named(model, pair)}: the pair has no links; `corpusdb check --repair` makes them")
    return found


def links_between(store: Store, one: int, other: int) -> LinkedPair | None:
    """Two sentences that translate each other with their links, in the order given; None where they have none.

    Raises as linked_pair does.
    """
    languages = dict(store.connection.execute(_LANGUAGES, (one, other)).fetchall())
    if len({*languages.values()}) < 2:
        return None
    source, target = sorted((one, other), key=languages.__getitem__)
    model = ready_model(store, languages[source], languages[target])
    found = model and _found(store, model, SentencePair(source, target))
    return found.turned() if found and source == other else found or None


def _without_links(store: Store, language: str, other: str) -> str:
    source, target = sorted((language, other))
    command = f"corpusdb align --lang {source},{target}"
    model = ready_model(store, source, target)
    if model is not None and model.is_imported:
        return f"not among the links that were imported; `{command} --retrain` links all"
    return f"no links are stored; `{command}` makes them"


_LANGUAGES = "select id, language from sentence where id in (?, ?)"
_SENTENCE = "select language, text from sentence where id = ?"


def linked_sentence(store: Store, sentence: int) -> LinkedSentence:
    """A sentence and its translations with their links, or why they have none. Raises InputError for no sentence."""
    with store.snapshot() as connection:
        row = connection.execute(_SENTENCE, (sentence,)).fetchone()
        if row is None:
            raise InputError(f"there is no sentence {sentence}")
        language, text = row
        translations = []
        for each in translations_of_sentence(store, [sentence])[sentence]:
            pair, reason = None, ""
            try:
                pair = links_between(store, sentence, each.sentence)
            except CorpusError as error:  # also of an analyser that is not installed: the other languages need none
                reason = str(error)
            if pair is None and not reason:
                reason = _without_links(store, language, each.language)
            translations.append(LinkedTranslation(each.language, each.text, pair, reason))
    tokens = next((each.pair.spans for each in translations if each.pair), tuple(token_spans(text)))
    words = tuple(span for span in tokens if any(map(str.isalnum, text[slice(*span)])))
    return LinkedSentence(sentence, language, text, words or tokens, tuple(translations))


def _found(store: Store, model: StoredModel, pair: SentencePair) -> LinkedPair | None:
    bound = {"model": model.id, "sentence": pair.sentence, "translation": pair.translation}
    row = store.connection.execute(_PAIR, bound).fetchone()
    if row is None or row[2] is None:
        return None
    return decoded_pair(model, pair, *row)


def decoded_pair(
    model: StoredModel, pair: SentencePair, text: str, translation: str, links: bytes, digest: bytes
) -> LinkedPair:
    """A pair with what is stored of its links. Raises DatabaseDamaged where that cannot be used."""
    spans, translation_spans = (spans_of(way)(each) for way, each in zip(model.ways, (text, translation), strict=True))
    tokens = [text[begin:end] for begin, end in spans]
    try:
        read = read_links(tokens, [translation[begin:end] for begin, end in translation_spans], links, digest)
    except InputError as error:
        raise DatabaseDamaged(f"{_named(model, pair)}: {error}") from error
    return LinkedPair(text, translation, tuple(spans), tuple(translation_spans), tuple(read))


def _named(model: StoredModel, pair: SentencePair) -> str:
    return f"alignment of sentences {pair.sentence} and {pair.translation} ({model.languages})"


def read_links(source: Sequence[str], target: Sequence[str], links: bytes, digest: bytes) -> list[Link]:
    """The stored links between these tokens. Raises InputError for damaged ones, and for those of other tokens."""
    if tokens_digest(source, target) != digest:
        raise InputError("the stored links are those of other tokens")
    return links_from_bytes(links, len(source), len(target))

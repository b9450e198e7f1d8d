"""The models of alignment in the file, and into which tokens their sentences are cut."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from corpusdb.alignment.model import AlignmentModel
from corpusdb.base.errors import CorpusError, DatabaseDamaged, InputError, UsageError
from corpusdb.base.tokenisation import required_analyser, sudachi_analyser
from corpusdb.corpus.store import Run, Store
from corpusdb.search.token_corpus import Cut, token_spans

# Into which tokens the sentences of a language are cut to be aligned: a way of cutting, which a model names.
#
# ``units`` are those of the whole program (corpusdb.base.text): words, clitics and marks, and characters where the
# script does not delimit words. Japanese is cut into morphemes where they can be had; the way is then the identity of
# the analyser, so that links are never read between the tokens of another dictionary. There is none for Chinese, Thai
# and others.


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
        raise InputError(f"{error.reason}; or align anew with `corpusdb align --retrain`") from error

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
    """How source and target are cut into the tokens that are linked: see token_cutting."""
    kind: str = "trained"

    @property
    def is_imported(self) -> bool:
        """Whether its links were made by another aligner; then new pairs of sentences stay without links."""
        return self.kind == IMPORTED

    def way_of(self, language: str) -> str:
        """How the one or the other language is cut."""
        return self.ways[language == self.target]

    @property
    def can_cut(self) -> bool:
        """Whether what cuts both languages in these ways is installed."""
        return all(map(can_cut, self.ways))

    @property
    def languages(self) -> str:
        """Both, for a person."""
        return f"{self.source} and {self.target}"

    def other(self, language: str) -> str:
        """The language that is not this one."""
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
    """How two languages are cut by a model that is made now."""
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
_DROP_PHRASES = "delete from phrase where id not in (select phrase from phrase_count)"


def drop_older_models(store: Store, kept: StoredModel) -> Iterator[int]:
    """Remove the earlier models of the same languages with all that they aligned, in short transactions.

    Yields how many rows are gone after each.
    """
    gone = 0
    older = store.connection.execute(_OLDER, (kept.source, kept.target, kept.id)).fetchall()
    for (model,) in older:
        for table, key in _TABLES_OF_MODEL.items():
            statement, removed = _DROP_ROWS.format(table=table, key=key), _ROWS_AT_ONCE
            while removed == _ROWS_AT_ONCE:
                with store.unchecked_references(), store.write() as connection:
                    removed = connection.execute(statement, {"model": model, "most": _ROWS_AT_ONCE}).rowcount
                gone += removed
                yield gone
        with store.unchecked_references(), store.write() as connection:
            connection.execute(_DROP_PHRASES)
            connection.execute(_DROP_MODEL, (model,))


_LINKED = """
select digest, (select count(*) from alignment where model = alignment_model.id),
       (select sum(count) from phrase_pair where model = alignment_model.id)
from alignment_model where id = ?
"""


def linked_digest(store: Store, models: Iterable[StoredModel]) -> str:
    """SHA-256 of what models learned, with the numbers of the pairs and phrases that they linked."""
    sha = hashlib.sha256()
    for model in models:
        digest, pairs, phrases = store.connection.execute(_LINKED, (model.id,)).fetchone()
        sha.update(f"{model.source} {model.target} {bytes(digest).hex()} {pairs} {phrases}\n".encode())
    return sha.hexdigest()

"""Named models of characters: trained on files or collections, listed, and how well one foresees texts."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

from corpusdb.base.char_model_counts import (
    DEFAULT_NORMALISATION,
    Alphabet,
    Counts,
    counts_from_bytes,
    counts_to_bytes,
    normalised,
    train,
)
from corpusdb.base.char_model_probabilities import Model, arpa_lines, measured, model_of, read_arpa
from corpusdb.base.display import kept_name
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.options import record_from_json
from corpusdb.corpus.formats.reading import digest_of, read_lines
from corpusdb.corpus.formats.scoring_input import read_plain
from corpusdb.corpus.queries.sentences import collection_names
from corpusdb.corpus.store import Run, Store, finish_run, start_run
from corpusdb.corpus.store.runs import exclusive

_SIZE: Final = 8


def text_key(text: str) -> bytes:
    """8 bytes of the BLAKE2b of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_SIZE).digest()


def text_keys(texts: Iterable[str]) -> bytes:
    """The keys of texts one after another, ascending and distinct."""
    return b"".join(sorted({text_key(text) for text in texts}))


def key_set(keys: bytes) -> frozenset[bytes]:
    return frozenset(keys[at : at + _SIZE] for at in range(0, len(keys), _SIZE))


# Texts by the name of a collection or of a file: what models are trained on, and what tells that it has changed since.
# A collection gives each sentence as often as it stands there; a file gives its lines, blank ones too, so that those of
# two files stand beside each other.


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """Where texts came from, as the database keeps it."""

    kind: Literal["collection", "file"]
    name: str
    digest: str
    """Of the bytes of the file, or of what the collection was made of."""


@dataclass(frozen=True, slots=True)
class TextSource:
    record: SourceRecord
    texts: tuple[str, ...]


def text_sources(store: Store, language: str, names: Sequence[str]) -> list[TextSource]:
    """The texts of collections and files; what is both is the collection.

    Raises InputError for what is neither, for what was named twice, and for a collection without such sentences.
    """
    if twice := [name for place, name in enumerate(names) if name in names[:place]]:
        raise InputError(f"{twice[0]!r} is named twice")
    return [_text_source(store, language, name) for name in names]


_TEXTS = """
select sentence.text from collection
join document on document.collection = collection.id
join occurrence on occurrence.document = document.id
join sentence on sentence.id = occurrence.sentence
where collection.name = ? and sentence.language = ?
order by occurrence.document, occurrence.line, occurrence.sentence
"""


def _text_source(store: Store, language: str, name: str) -> TextSource:
    known = collection_names(store)
    if name in known:
        texts = tuple(row[0] for row in store.connection.execute(_TEXTS, (name, language)))
        if not texts:
            raise InputError(f"the collection {name!r} has no sentences in {language}")
        return TextSource(SourceRecord("collection", name, _collection_digest(store, name)), texts)
    path = Path(name)
    if not path.exists():
        listed = f"collections are {', '.join(known)}" if known else "there are no collections"
        raise InputError(f"{name!r} is neither a collection nor a file; {listed}")
    return TextSource(SourceRecord("file", name, digest_of([path])), tuple(read_plain(path)))


_DOCUMENTS = """
select document.digest, lines_done from document join collection on collection.id = document.collection
where collection.name = ? order by document.id
"""


def _collection_digest(store: Store, name: str) -> str:
    digest = hashlib.sha256()
    for own, lines in store.connection.execute(_DOCUMENTS, (name,)):
        digest.update(f"{own} {lines}\n".encode())
    return digest.hexdigest()


def source_records(document: Sequence[object], tell: Callable[[str], object]) -> tuple[SourceRecord, ...]:
    """Where texts came from, out of the JSON that the database keeps. Raises InputError for what says no such thing."""
    return tuple(record_from_json(SourceRecord, each, tell, of="where texts came from") for each in document)


def changed_sources(store: Store, records: Iterable[SourceRecord]) -> list[str]:
    """Which of these collections and files are not what they were, or cannot be read, and which collections are gone.

    In words; a file that is not there may be so from this folder alone, and is not told.
    """
    known, changed = {*collection_names(store)}, []
    for record in records:
        if record.kind == "collection":
            if record.name not in known:
                changed.append(f"the collection {record.name} is gone")
            elif _collection_digest(store, record.name) != record.digest:
                changed.append(f"the collection {record.name} has other texts now")
            continue
        path = Path(record.name)
        try:
            if path.exists() and digest_of([path]) != record.digest:
                changed.append(f"the file {record.name} is another one now")
        except InputError as error:  # what was made of it is as it was
            changed.append(str(error))
    return changed


def texts_of(sources: Iterable[TextSource], normalisation: str) -> list[str]:
    """All texts of some sources, normalised, without those that come out empty."""
    return [text for source in sources for text in normalised(source.texts, normalisation) if text]


@dataclass(frozen=True, slots=True)
class ModelRecipe:
    order: int = 6
    smoothing: str = "mkn"
    normalisation: str = DEFAULT_NORMALISATION


@dataclass(frozen=True, slots=True)
class ModelSummary:
    name: str
    language: str
    recipe: ModelRecipe
    sources: tuple[SourceRecord, ...]
    texts: int
    characters: int
    changed: tuple[str, ...]
    """What of its sources is not as it was, in words; the model is as it was made."""


@exclusive("model train")
def train_named_model(
    store: Store, language: str, name: str, names: Sequence[str], recipe: ModelRecipe, *, replace: bool = False
) -> Job[ModelSummary]:
    """Count the characters of collections and files, and keep the counts under a name.

    Raises UsageError for what is no name, and InputError where a model has it, unless it is to be replaced, or where
    there are no texts.
    """
    name = kept_name(name, "a model")
    if store.connection.execute(_THERE, (name,)).fetchone()[0] and not replace:
        raise InputError(f"there is a model {name!r} already; --replace replaces it")
    yield Progress("reading texts", 0, 0)
    sources = text_sources(store, language, names)
    texts = texts_of(sources, recipe.normalisation)
    if not texts:
        raise InputError(f"{', '.join(names)}: there are no characters to train on")
    yield Progress("counting characters", 0, sum(map(len, texts)))
    counts = train(texts, Alphabet.of(texts), recipe.order)
    records = tuple(source.record for source in sources)
    with store.write() as connection:
        run = start_run(store, "model", {"language": language, "name": name, **asdict(recipe)})
        connection.execute(_FORGET, (name,))
        insert_model(store, TrainedModel(language, name, recipe, records, counts), run)
        finish_run(store, run, {"texts": counts.texts, "characters": counts.characters})
    return ModelSummary(name, language, recipe, records, counts.texts, counts.characters, ())


_THERE = "select exists (select 1 from char_model where name = ?)"
_FORGET = "delete from char_model where name = ?"


_INSERT = """
insert into char_model (language, name, parameters, sources, texts, characters, counts, run)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""


@dataclass(frozen=True, slots=True)
class TrainedModel:
    language: str
    name: str | None
    """None for the reference of a profile."""
    recipe: ModelRecipe
    sources: Sequence[SourceRecord]
    counts: Counts


def insert_model(store: Store, made: TrainedModel, run: Run) -> int:
    """Store counts; the number of the model. Inside a transaction of the caller."""
    written = [
        json.dumps(value, ensure_ascii=False, sort_keys=True)
        for value in (asdict(made.recipe), [asdict(each) for each in made.sources])
    ]
    counts = made.counts
    values = (made.language, made.name, *written, counts.texts, counts.characters, counts_to_bytes(counts), run.id)
    return int(store.connection.execute(_INSERT, values).lastrowid or 0)


_LIST = """
select name, language, parameters, sources, texts, characters from char_model where name is not null order by name
"""


def stored_models(store: Store) -> list[ModelSummary]:
    found = []
    for name, language, parameters, sources, texts, characters in store.connection.execute(_LIST).fetchall():
        records = source_records(json.loads(sources), store.remarks.append)
        recipe, changed = _recipe(store, name, parameters), tuple(changed_sources(store, records))
        found.append(ModelSummary(name, language, recipe, records, texts, characters, changed))
    return found


def _recipe(store: Store, name: str, parameters: str) -> ModelRecipe:
    return record_from_json(ModelRecipe, json.loads(parameters), store.remarks.append, of=f"the model {name!r}")


_COUNTS = "select counts from char_model where id = ?"


def read_counts(connection: sqlite3.Connection, number: int) -> Counts:
    """The counts of a model by its number. Raises InputError where they are corrupt."""
    return counts_from_bytes(connection.execute(_COUNTS, (number,)).fetchone()[0])


_NAMED = "select id, parameters from char_model where name = ?"


def model_named(store: Store, name: str) -> tuple[Model, ModelRecipe]:
    """A smoothed model. Raises InputError, which says which there are, where there is none of the name."""
    row = store.connection.execute(_NAMED, (name,)).fetchone()
    if row is None:
        known = ", ".join(each.name for each in stored_models(store))
        raise InputError(f"there is no model {name!r}; " + (f"there are {known}" if known else "train one first"))
    recipe = _recipe(store, name, row[1])
    return model_of(read_counts(store.connection, int(row[0])), recipe.smoothing), recipe


def arpa_of(store: Store, name: str) -> tuple[Iterator[str], ModelRecipe]:
    """The lines of a model in the ARPA format, and how it was made. Raises InputError as ``model_named`` does."""
    model, recipe = model_named(store, name)
    return arpa_lines(model), recipe


_LINES_AT_A_TIME = 5_000


@dataclass(frozen=True, slots=True)
class LinePerplexity:
    line: int
    """From 1."""
    text: str
    characters: int
    """After normalisation; 0 where nothing is left."""
    unknown: int
    """Characters that the model has never seen."""
    bits: float
    """Of its characters, and of its end where that was asked for."""
    events: int
    """What the bits are divided by: characters, and the end."""

    @property
    def bits_per_character(self) -> float | None:
        """None for a line without characters."""
        return self.bits / self.events if self.characters else None


@dataclass(frozen=True, slots=True)
class Perplexity:
    """What texts cost together; empty lines cost nothing."""

    model: str
    normalisation: str
    order: int
    smoothing: str | None
    """None for the model of a file, which does not tell it."""
    with_end: bool
    empty: int
    """Lines without characters after normalisation."""
    characters: int
    unknown: int
    bits: float
    bits_per_character: float
    perplexity: float
    lines: tuple[LinePerplexity, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuringModel:
    name: str
    model: Model
    normalisation: str
    smoothing: str | None = None


def stored_model(store: Store, name: str) -> MeasuringModel:
    """A model of the database. Raises InputError where there is none of the name, or where it is corrupt."""
    model, recipe = model_named(store, name)
    return MeasuringModel(name, model, recipe.normalisation, recipe.smoothing)


def arpa_model(path: Path, normalisation: str = DEFAULT_NORMALISATION) -> MeasuringModel:
    """The model of an ARPA file whose words are characters, such as kenlm's lmplz makes of split text.

    The file does not tell how its texts were normalised. Raises InputError, with the line, for what is no such file.
    """
    return MeasuringModel(str(path), read_arpa((line for _, line in read_lines(path)), path), normalisation)


def perplexity_by(measuring: MeasuringModel, texts: Sequence[str], *, with_end: bool = False) -> Job[Perplexity]:
    """Bits per character and perplexity of texts under a model.

    With ``with_end`` the end of a line counts as one more character, as kenlm counts it. Raises InputError where no
    text has a character.
    """
    lines: list[LinePerplexity] = []
    for first in range(0, len(texts), _LINES_AT_A_TIME):
        yield Progress("measuring lines", first, len(texts))
        given = texts[first : first + _LINES_AT_A_TIME]
        for start, part in measured([measuring.model], normalised(given, measuring.normalisation)):
            bits = part.bits[0] + part.end_bits[0] if with_end else part.bits[0]
            for place, (size, cost, unknown) in enumerate(
                zip(part.characters.tolist(), bits.tolist(), part.unknown.tolist(), strict=True), start
            ):
                bits_of_line = cost if size else 0.0
                events = size + with_end if size else 0
                lines.append(LinePerplexity(first + place + 1, given[place], size, unknown, bits_of_line, events))
    events = sum(line.events for line in lines)
    if not events:
        raise InputError("there are no characters to measure")
    total = sum(line.bits for line in lines)
    return Perplexity(
        measuring.name,
        measuring.normalisation,
        measuring.model.order,
        measuring.smoothing,
        with_end,
        empty=sum(not line.characters for line in lines),
        characters=sum(line.characters for line in lines),
        unknown=sum(line.unknown for line in lines),
        bits=total,
        bits_per_character=total / events,
        perplexity=2 ** (total / events),
        lines=tuple(lines),
    )

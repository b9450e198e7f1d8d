"""Named models of characters: trained on files or collections, listed, and read again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from corpusdb.charlm.alphabet import Alphabet
from corpusdb.charlm.arpa import arpa_lines
from corpusdb.charlm.counts import Counts, train
from corpusdb.charlm.normalisation import DEFAULT_NORMALISATION
from corpusdb.charlm.smoothing import Model, model_of
from corpusdb.charlm.stored_counts import counts_from_bytes, counts_to_bytes
from corpusdb.errors import InputError
from corpusdb.jobs import Job, Progress
from corpusdb.options import record_from_json
from corpusdb.queries.homogeneity.text_sources import (
    SourceRecord,
    changed_sources,
    source_records,
    text_sources,
    texts_of,
)
from corpusdb.store import Run, Store, finish_run, start_run
from corpusdb.store.exclusive_jobs import exclusive

__all__ = [
    "ModelRecipe",
    "ModelSummary",
    "TrainedModel",
    "arpa_of",
    "insert_model",
    "model_named",
    "read_counts",
    "stored_models",
    "train_named_model",
]


@dataclass(frozen=True, slots=True)
class ModelRecipe:
    """How a model is made of its texts."""

    order: int = 6
    smoothing: str = "mkn"
    normalisation: str = DEFAULT_NORMALISATION


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """What the database says of a model."""

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

    Raises InputError where a model has the name, unless it is to be replaced, or where there are no texts.
    """
    if _is_there(store, name) and not replace:
        raise InputError(f"there is a model {name!r}; --replace puts the new one in its place")
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


def _is_there(store: Store, name: str) -> bool:
    return bool(store.connection.execute(_THERE, (name,)).fetchone()[0])


_INSERT = """
insert into char_model (language, name, parameters, sources, texts, characters, counts, run)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """Counts, and what they were made of."""

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
    """All named models by their names."""
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

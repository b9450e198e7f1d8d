"""Profiles as the database keeps them."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from corpusdb.charlm.smoothing import Model, model_of
from corpusdb.homogeneity.scale import Anchors, LinearScale
from corpusdb.queries.homogeneity.char_models import read_counts
from corpusdb.queries.homogeneity.text_keys import key_set
from corpusdb.queries.homogeneity.text_sources import SourceRecord, changed_sources, source_records
from corpusdb.store import Store

__all__ = ["StoredProfile", "drop_profile", "find_profile", "profile_languages", "profiles_of"]


@dataclass(frozen=True)
class StoredProfile:
    """Two models and the scale between them."""

    id: int
    language: str
    parameters: dict[str, Any]
    """The references by name, and what the models were made by."""
    sources: tuple[tuple[SourceRecord, ...], ...]
    """Of the spoken and of the written reference."""
    models: tuple[int, int]
    anchors: Anchors
    scale: LinearScale | None
    """None where no text of the references could be held out."""
    unseen: tuple[float | None, float | None]
    """The coefficients of held-out text of both references."""
    reference_texts: bytes

    @cached_property
    def reference_keys(self) -> frozenset[bytes]:
        """Of the lines of the references, which are not measured."""
        return key_set(self.reference_texts)

    def smoothed(self, connection: sqlite3.Connection) -> list[Model]:
        """Both models. Raises InputError where one is corrupt."""
        return [model_of(read_counts(connection, number), self.parameters["smoothing"]) for number in self.models]

    def changed(self, store: Store) -> list[str]:
        """What of its references is not as it was, in words; empty for a profile that is not stale."""
        return changed_sources(store, (record for side in self.sources for record in side))


_PROFILES = """
select id, language, parameters, sources, model1, model2, h11, h12, h21, h22, d1, d2, unseen1, unseen2, reference_texts
from profile where language = ? and (? is null or parameters = ?) order by id
"""


def profiles_of(connection: sqlite3.Connection, language: str) -> list[StoredProfile]:
    """All profiles of a language, the oldest first."""
    return _profiles(connection, language, None)


def find_profile(connection: sqlite3.Connection, language: str, parameters: str) -> StoredProfile | None:
    """The profile that was made by these parameters, JSON with sorted keys."""
    return next(iter(_profiles(connection, language, parameters)), None)


def _profiles(connection: sqlite3.Connection, language: str, parameters: str | None) -> list[StoredProfile]:
    found = []
    for row in connection.execute(_PROFILES, (language, parameters, parameters)).fetchall():
        scale = None if row[10] is None else LinearScale(row[10], row[11])
        sources = tuple(source_records(side, lambda line: None) for side in json.loads(row[3]))
        given = json.loads(row[2])
        found.append(
            StoredProfile(
                *(row[0], row[1], given, sources, (row[4], row[5])),
                *(Anchors(*row[6:10]), scale, (row[12], row[13]), row[14]),
            )
        )
    return found


_LANGUAGES = "select distinct language from profile order by language"


def profile_languages(connection: sqlite3.Connection) -> list[str]:
    """The languages that have a profile."""
    return [row[0] for row in connection.execute(_LANGUAGES)]


_DROP_SENTENCES = "delete from profile_sentence where profile = ?"
_MODELS = "select model1, model2 from profile where id = ?"
_DROP = "delete from profile where id = ?"
_DROP_MODEL = "delete from char_model where id = ?"


def drop_profile(store: Store, number: int) -> None:
    """Forget a profile with its models and rows; inside a transaction of the caller."""
    with store.write() as connection:
        models = connection.execute(_MODELS, (number,)).fetchone()
        connection.execute(_DROP_SENTENCES, (number,))
        connection.execute(_DROP, (number,))
        connection.executemany(_DROP_MODEL, [(model,) for model in models])

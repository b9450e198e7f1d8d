"""What an import or a generation is about to take, and the disk has left, before either begins."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corpusdb.formats import Source
from corpusdb.formats.files.unpacked_size import unpacked_size
from corpusdb.queries.analogy.candidate_update import pending_update
from corpusdb.queries.analogy.slot_index import PARAMETERS
from corpusdb.queries.chain.expected_work import Expected, candidates_work, generation_work, import_work, index_work
from corpusdb.store import Layer, Store, layer_state

__all__ = ["Foreseen", "foreseen_generation", "foreseen_import"]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What is expected of a piece of work on one database."""

    expected: Expected
    size: int
    """Of the database file now, in bytes; 0 where there is none yet."""
    free: int | None
    """Bytes that its disk has left for this user; None where the system does not tell."""


def foreseen_import(database: Path, sources: Sequence[Source], *, follow: bool) -> Foreseen | None:
    """What the import of some sources will take; None where their size is not known, as that of standard input.

    What was generated before and is to follow the new sentences is not in it.
    """
    size = unpacked_size(path for source in sources for path in source.paths)
    return None if size is None else _foreseen(database, import_work(size, follow=follow))


_SENTENCES = "select count(*), coalesce(sum(length(text)), 0) from sentence where language = ?"


def foreseen_generation(store: Store, language: str, *, seeded: bool) -> Foreseen | None:
    """What generation from all sentences of a language will take, or ``seeded`` the index that it needs.

    None where there is nothing to do, or so little that it is updated in place.
    """
    sentences, characters = store.connection.execute(_SENTENCES, (language,)).fetchone()
    if not sentences:
        return None
    index = layer_state(store, language, "commutation")
    if index is not None and _is_made(store, language, index):
        left = 0.0 if seeded else _share_left(store, language)
        return _foreseen(store.path, candidates_work(sentences, characters, left)) if left else None
    work = index_work if seeded else generation_work
    return _foreseen(store.path, work(sentences, characters))


def _is_made(store: Store, language: str, index: Layer) -> bool:
    return index.complete and index.parameters == PARAMETERS and pending_update(store, language, index) != "much"


_LEFT = "select count(*) filter (where id > ?) * 1.0 / count(*) from sentence where language = ?"


def _share_left(store: Store, language: str) -> float:
    """Of the sentences, those that nothing was generated from yet; what new ones change is updated in place."""
    candidates = layer_state(store, language, "candidate")
    if candidates is None or candidates.parameters != {"seeds": "all"}:
        return 1.0
    if candidates.complete:
        return 0.0
    (left,) = store.connection.execute(_LEFT, (candidates.last_sentence, language)).fetchone()
    return float(left)


def _foreseen(database: Path, expected: Expected) -> Foreseen:
    try:
        size = database.stat().st_size
    except OSError:
        size = 0
    try:
        free = shutil.disk_usage(database.absolute().parent).free
    except OSError:
        free = None
    return Foreseen(expected, size, free)

"""Sentences by their text and by their number."""

from __future__ import annotations

from corpusdb.store import Store

__all__ = ["new_sentences", "sentence_id"]

_ID = "select id from sentence where language = ? and text = ?"


def sentence_id(store: Store, language: str, text: str) -> int | None:
    """The number of a normalised sentence, or None where the corpus does not hold it."""
    row = store.connection.execute(_ID, (language, text)).fetchone()
    return None if row is None else int(row[0])


_NEW = "select id, text from sentence where language = ? and id > ? order by id"


def new_sentences(store: Store, language: str, after: int) -> list[tuple[int, str]]:
    """Id and text of the sentences stored since ``after``; 0 for all."""
    return store.connection.execute(_NEW, (language, after)).fetchall()

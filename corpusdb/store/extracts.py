"""Files that hold a part of a larger corpus, or into which one is being loaded: what would rebuild from it refuses."""

from __future__ import annotations

import json
from typing import Final

from corpusdb.errors import DatabaseIsExtract
from corpusdb.store.connection import Store

__all__ = ["EXTRACT", "extract_languages", "require_whole"]

EXTRACT: Final = "extract"
"""The name of the layer by which such a file is known; it is complete when the load is."""

_MARKED = "select language, complete, parameters from layer where name = ? order by language"


def extract_languages(store: Store) -> dict[str, bool]:
    """The languages of which the file holds an extract, and whether it is loaded to the end."""
    return {language: bool(complete) for language, complete, _ in store.connection.execute(_MARKED, (EXTRACT,))}


def require_whole(store: Store, operation: str) -> None:
    """Raise DatabaseIsExtract, which says why, where an operation would need what the file does not hold."""
    for language, complete, parameters in store.connection.execute(_MARKED, (EXTRACT,)):
        if not complete:
            raise DatabaseIsExtract(f"{store.path}: a load was not ended: `corpusdb distributed load` goes on with it")
        seeds = json.loads(parameters).get("seeds", 0)
        raise DatabaseIsExtract(
            f"{store.path}: {operation} needs the whole corpus, and this file is an extract, for {seeds:,} "
            f"{'seed' if seeds == 1 else 'seeds'} in {language}: load all of the run into a new file"
        )

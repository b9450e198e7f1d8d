"""What a run rewrote, rewritten once more and compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from corpusdb.japanese import Expansion
from corpusdb.jobs import Job, Progress
from corpusdb.queries.rules.method import method_of
from corpusdb.queries.rules.rewritings import REWRITING, lineage_document
from corpusdb.store import Store

__all__ = ["REWRITING", "changed_rewritings"]

_TEXTS = "select id, text, dropped from rewritten_text where run = ? order by id"
_REWRITINGS = "select text, lineage from rewriting where origin = ? order by position"


def changed_rewritings(store: Store, run: int, parameters: Mapping[str, Any]) -> Job[list[str]]:
    """The texts of a run, by its number and its parameters, of which something else comes now. Raises as method_of."""
    method = method_of(store, parameters)
    rows = store.connection.execute(_TEXTS, (run,)).fetchall()
    changed = []
    for number, (origin, text, dropped) in enumerate(rows):
        yield Progress("rewriting texts", number, len(rows))
        kept = [(made, json.loads(lineage)) for made, lineage in store.connection.execute(_REWRITINGS, (origin,))]
        found = method.expander.expand(text)
        if _rows(found) != kept or dict(found.dropped) != json.loads(dropped):
            changed.append(text)
    return changed


def _rows(found: Expansion) -> list[tuple[str, list[list[object]]]]:
    return [(each.text, lineage_document(each.lineage)) for each in found.rewritings]

"""Selections that are kept under a name."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from corpusdb.errors import InputError
from corpusdb.queries.corpus.files import collection_names
from corpusdb.queries.homogeneity.selections.selecting import SelectionFound
from corpusdb.store import Store, finish_run, start_run

__all__ = ["SelectionSummary", "check_selection_name", "selection_members", "store_selection", "stored_selections"]


@dataclass(frozen=True, slots=True)
class SelectionSummary:
    """What the database says of a selection."""

    name: str
    language: str
    parameters: dict[str, Any]
    sentences: int


_THERE = "select exists (select 1 from selection where name = ?)"


def check_selection_name(store: Store, name: str) -> None:
    """Raise InputError where a selection or a collection has the name, before the work is done."""
    if name in collection_names(store):
        raise InputError(f"there is a collection {name!r}; give the selection another name")
    if store.connection.execute(_THERE, (name,)).fetchone()[0]:
        raise InputError(f"there is a selection {name!r}; give it another name")


_INSERT = "insert into selection (language, name, parameters, curve, run) values (?, ?, ?, ?, ?)"
_INSERT_MEMBER = "insert into selection_member (selection, rank, sentence, score) values (?, ?, ?, ?)"


def store_selection(store: Store, name: str, found: SelectionFound) -> None:
    """Keep a selection with its curve, in one transaction. Raises InputError where one has the name."""
    parameters = {**asdict(found.recipe), "answer": found.answer}
    with store.unchecked_references(), store.write() as connection:
        check_selection_name(store, name)
        run = start_run(store, "select", {"language": found.language, "name": name, "method": found.recipe.method})
        written = [
            json.dumps(value, ensure_ascii=False, sort_keys=True)
            for value in (parameters, [asdict(each) for each in found.curve])
        ]
        number = connection.execute(_INSERT, (found.language, name, *written, run.id)).lastrowid
        rows = zip(found.sentences, found.scores, strict=True)
        connection.executemany(_INSERT_MEMBER, [(number, rank, *row) for rank, row in enumerate(rows, 1)])
        finish_run(store, run, {"sentences": len(found.sentences), "characters": found.characters})


_LIST = """
select name, language, parameters,
    (select count(*) from selection_member where selection_member.selection = selection.id)
from selection order by name
"""


def stored_selections(store: Store) -> list[SelectionSummary]:
    """All selections by their names."""
    rows = store.connection.execute(_LIST).fetchall()
    return [SelectionSummary(name, language, json.loads(given), count) for name, language, given, count in rows]


_MEMBERS = """
select sentence.id, sentence.text, score from selection
join selection_member on selection_member.selection = selection.id
join sentence on sentence.id = selection_member.sentence
where selection.name = ? order by rank
"""


def selection_members(store: Store, name: str) -> list[tuple[int, str, float]]:
    """Number, text and score of the sentences of a selection, the best first. Raises InputError for an unknown name."""
    if not store.connection.execute(_THERE, (name,)).fetchone()[0]:
        known = ", ".join(each.name for each in stored_selections(store))
        raise InputError(f"there is no selection {name!r}; " + (f"there are {known}" if known else "none is kept"))
    return store.connection.execute(_MEMBERS, (name,)).fetchall()

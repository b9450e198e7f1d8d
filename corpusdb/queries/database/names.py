"""What things in a database are called: for whoever completes a name that is being typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.store import Store

__all__ = ["KINDS", "names_beginning"]

_COLLECTIONS = "select name from collection where substr(name, 1, length(:begins)) = :begins order by name limit :most"
_DOCUMENTS = """
select name from document where substr(name, 1, length(:begins)) = :begins
union select name from section where substr(name, 1, length(:begins)) = :begins
order by name limit :most
"""
_QUERIES = "select name from saved_query where substr(name, 1, length(:begins)) = :begins order by name limit :most"
_SESSIONS = """
select name from session where was_called is null and substr(name, 1, length(:begins)) = :begins
order by name limit :most
"""
_SAMPLES = "select name from sample where substr(name, 1, length(:begins)) = :begins order by name limit :most"
_SYSTEMS = """
select distinct system from system_output where substr(system, 1, length(:begins)) = :begins
order by system limit :most
"""
_FROZEN_SETS = "select name from frozen_set where substr(name, 1, length(:begins)) = :begins order by name limit :most"
_RULE_SETS = """
select name from named_rule_set where substr(name, 1, length(:begins)) = :begins order by name limit :most
"""
_MODELS = """
select name from char_model where name is not null and substr(name, 1, length(:begins)) = :begins
order by name limit :most
"""
_SELECTIONS = "select name from selection where substr(name, 1, length(:begins)) = :begins order by name limit :most"
_CATEGORY_SETS = """
select distinct name from current_line_category where substr(name, 1, length(:begins)) = :begins
order by name limit :most
"""
_ATTRIBUTES = """
select distinct name from annotation_attribute where substr(name, 1, length(:begins)) = :begins
order by name limit :most
"""

_STATEMENTS: Final[Mapping[str, str]] = {
    "collection": _COLLECTIONS,
    "document": _DOCUMENTS,
    "query": _QUERIES,
    "session": _SESSIONS,
    "sample": _SAMPLES,
    "system": _SYSTEMS,
    "frozen set": _FROZEN_SETS,
    "rule set": _RULE_SETS,
    "model": _MODELS,
    "selection": _SELECTIONS,
    "attribute": _ATTRIBUTES,
    "category set": _CATEGORY_SETS,
}
KINDS: Final = ("language", *_STATEMENTS)
"""What has names."""


def names_beginning(store: Store, kind: str, begins: str, most: int) -> list[str]:
    """The names of one of KINDS that begin with a string, ascending, ``most`` at most."""
    if kind == "language":
        return [code for code in languages_of(store) if code.startswith(begins)][:most]
    return [row[0] for row in store.connection.execute(_STATEMENTS[kind], {"begins": begins, "most": most})]

"""What things are called, licences, queries kept under a name, sentences of each language counted, and look-alikes."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from corpusdb.base.display import check_name
from corpusdb.base.errors import InputError, UsageError, did_you_mean
from corpusdb.base.text import LOOK_ALIKES, as_typed, nfc, normalise
from corpusdb.corpus.model import ACCEPTED
from corpusdb.corpus.queries.sentences import check_collections, languages_of
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.connection import now

# What things in a database are called: for whoever completes a name that is being typed.

_BEGINNING = """
select distinct {column} from {table} where substr({column}, 1, length(:begins)) = :begins order by 1 limit :most
"""
_COLUMNS: Final[Mapping[str, tuple[str, str]]] = {
    "collection": ("collection", "name"),
    "document": ("(select name from document union select name from section)", "name"),
    "query": ("saved_query", "name"),
    "session": ("(select name from session where was_called is null)", "name"),
    "sample": ("sample", "name"),
    "system": ("system_output", "system"),
    "frozen set": ("frozen_set", "name"),
    "rule set": ("named_rule_set", "name"),
    "model": ("char_model", "name"),
    "selection": ("selection", "name"),
    "attribute": ("annotation_attribute", "name"),
    "category set": ("current_line_category", "name"),
}
"""Where the names of each kind stand."""
KINDS: Final = ("language", *_COLUMNS)


def names_beginning(store: Store, kind: str, begins: str, most: int) -> list[str]:
    """The names of one of KINDS that begin with a string, ascending, ``most`` at most."""
    if kind == "language":
        return [code for code in languages_of(store) if code.startswith(begins)][:most]
    table, column = _COLUMNS[kind]
    statement = _BEGINNING.format(table=table, column=column)
    return [row[0] for row in store.connection.execute(statement, {"begins": begins, "most": most})]


_SET_LICENCE = "update collection set licence = nullif(?, '') where name = ?"
_LICENCE = "select licence from collection where name = ?"


def set_licence(store: Store, collection: str, licence: str) -> str | None:
    """Give a collection another licence, or none; the one it had. Raises InputError for a name that there is not."""
    check_collections(store, (collection,))
    with store.write() as connection:
        former: str | None = connection.execute(_LICENCE, (collection,)).fetchone()[0]
        connection.execute(_SET_LICENCE, (licence, collection))
    return former


_LICENCES = """
select name, licence from collection
where licence is not null and (:names = '[]' or name in (select value from json_each(:names))) order by id
"""


def licences(store: Store, collections: Collection[str] = ()) -> str:
    """The licences of some collections, or of all: the only one as it is, else each with the names that have it."""
    known: dict[str, list[str]] = {}
    for name, licence in store.connection.execute(_LICENCES, {"names": json.dumps([*collections])}):
        known.setdefault(licence, []).append(name)
    if len(known) < 2:
        return next(iter(known), "")
    return "; ".join(f"{licence} ({', '.join(names)})" for licence, names in known.items())


# How often sentences of each language occur and are translated: from what imports counted, where that is enough, since
# going over every occurrence takes a second for half a million. A document in two languages, of which no unit has two
# texts in one, has a text of each in every unit; that what was counted still holds is seen by the totals.


@dataclass(frozen=True, slots=True)
class LanguageCounts:
    """Of each language that has any."""

    occurrences: Counter[str] = field(default_factory=Counter)
    """Places where its sentences stand in documents."""
    translations: Counter[str] = field(default_factory=Counter)
    """Ordered pairs of a sentence in it and one that translates it, in each collection."""


def language_counts(connection: sqlite3.Connection) -> LanguageCounts:
    """The counts of all languages; inside a snapshot of the caller if the corpus may grow meanwhile."""
    if (found := _from_documents(connection)) is not None:
        return found
    return LanguageCounts(
        *(Counter(dict(connection.execute(each).fetchall())) for each in (_OCCURRENCES, _TRANSLATIONS))
    )


_DOCUMENT_COUNT = """
select document.id, document.collection, document.languages, coalesce(json_extract(document.counts, '$.read'), -1),
       coalesce(json_extract(document.counts, '$.translations'), -1), collection.name = ?,
       exists (select 1 from version where version.document = document.id)
from document join collection on collection.id = document.collection
"""
_TOTALS = "select (select count(*) from occurrence), (select count(*) from translation)"


def _from_documents(connection: sqlite3.Connection) -> LanguageCounts | None:
    """The counts as the documents tell them; None where they do not."""
    found = LanguageCounts()
    for document, collection, named, read, pairs, is_accepted, has_versions in connection.execute(
        _DOCUMENT_COUNT, (ACCEPTED,)
    ).fetchall():
        languages = set(named.split(","))
        if is_accepted and read < 0:
            _add_accepted(connection, document, collection, found)
        elif len(languages) == 2 and not has_versions and min(read, pairs) >= 0:
            found.occurrences.update(dict.fromkeys(languages, read))
            found.translations.update(dict.fromkeys(languages, pairs))
        else:
            return None
    totals = found.occurrences.total(), found.translations.total()
    return found if totals == connection.execute(_TOTALS).fetchone() else None


_ACCEPTED_OCCURRENCES = """
select sentence.language, count(*) from occurrence join sentence on sentence.id = occurrence.sentence
where occurrence.document = ? group by sentence.language
"""
_ACCEPTED_PAIRS = """
select translation.sentence, own.language, translation.translation, other.language
from (select distinct sentence from occurrence where document = ?) accepted
join translation on translation.sentence = accepted.sentence and translation.collection = ?
join sentence own on own.id = translation.sentence
join sentence other on other.id = translation.translation
"""


def _add_accepted(connection: sqlite3.Connection, document: int, collection: int, found: LanguageCounts) -> None:
    """Add what people accepted, which is little."""
    found.occurrences.update(dict(connection.execute(_ACCEPTED_OCCURRENCES, (document,)).fetchall()))
    pairs: dict[tuple[int, int], str] = {}
    for one, language, other, others in connection.execute(_ACCEPTED_PAIRS, (document, collection)):
        pairs[one, other], pairs[other, one] = language, others
    found.translations.update(pairs.values())


# The sentences come by id, as the index on the occurrences and the key of the translations have them.
_OCCURRENCES = """
select language, count(*) from sentence cross join occurrence on occurrence.sentence = sentence.id group by language
"""
_TRANSLATIONS = """
select language, count(*) from sentence cross join translation on translation.sentence = sentence.id group by language
"""


# Queries kept under a name, for all who use the database.


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A command with the values of its options."""

    name: str
    command: str
    options: Mapping[str, object]
    """By the names of the command's fields."""
    note: str
    saved: str
    """UTC, ISO 8601."""


_ALL = "select name, command, options, note, saved from saved_query order by name"
_ONE = "select name, command, options, note, saved from saved_query where name = ?"
_SAVE = "insert into saved_query (name, command, options, note, saved) values (?, ?, ?, ?, ?)"
_DELETE = "delete from saved_query where name = ?"


def check_saving(store: Store, name: str, command: str, options: Mapping[str, object]) -> bool:
    """Whether a query is still to be kept under a name: False where the same is kept under it already.

    Raises UsageError for a name that could be taken for something else, and for one that another query has.
    """
    name = nfc(name)
    _check_name(name)
    row = store.connection.execute(_ONE, (name,)).fetchone()
    if row is None:
        return True
    if (row[1], row[2]) != (command, _written(options)):
        raise UsageError(f"another query is saved as {name!r}; `corpusdb queries --delete {name}` makes room")
    return False


def save_query(store: Store, name: str, command: str, options: Mapping[str, object], *, note: str = "") -> None:
    """Keep a query; to keep the same one again changes nothing. ``options`` must be what JSON can hold.

    Raises UsageError as ``check_saving`` does.
    """
    name = nfc(name)
    with store.write() as connection:
        if check_saving(store, name, command, options):
            connection.execute(_SAVE, (name, command, _written(options), note, now()))


def _check_name(name: str) -> None:
    check_name(name, "a query")
    if name != name.strip() or re.fullmatch(r"-.*|\d*", name):
        raise UsageError(f"{name!r} cannot be the name of a query: no number, no - in front, no space at the ends")


def _written(options: Mapping[str, object]) -> str:
    return json.dumps(options, ensure_ascii=False, sort_keys=True)


def saved_queries(store: Store) -> list[SavedQuery]:
    """All of them, by name."""
    return [_query(row) for row in store.connection.execute(_ALL)]


def saved_query(store: Store, name: str) -> SavedQuery:
    """The query of that name. Raises InputError, with the names that are like it, where there is none."""
    row = store.connection.execute(_ONE, (name,)).fetchone()
    if row is None:
        raise InputError(_missing(store, name))
    return _query(row)


def delete_query(store: Store, name: str) -> None:
    """Forget the query of that name. Raises InputError, as saved_query does, where there is none."""
    with store.write() as connection:
        if not connection.execute(_DELETE, (name,)).rowcount:
            raise InputError(_missing(store, name))


def _missing(store: Store, name: str) -> str:
    near = did_you_mean(name, [query.name for query in saved_queries(store)])
    return f"no query is saved as {name!r}; {near or '`corpusdb queries` lists those there are'}"


def _query(row: tuple[str, str, str, str, str]) -> SavedQuery:
    name, command, options, note, saved = row
    return SavedQuery(name, command, json.loads(options), note, saved)


# Sentences that look the same as a text.


_LACKING = """
select value from json_each(:texts) where not exists (
    select 1 from json_each(:languages) code
    cross join sentence on sentence.language = code.value and sentence.text = json_each.value)
"""
_TEXTS = "select text from sentence where language = ? order by id"
_BETWEEN = "select id, text from sentence where language = ? and text >= ? and text < ?"
_ALIKE: Final = "".join(LOOK_ALIKES)
_MOST_LOOKED_UP: Final = 1_000
"""Characters of the texts, at each of which sentences are looked up; for more all sentences are gone through."""


def alike_sentences(store: Store, texts: Collection[str], language: str | None = None) -> dict[str, tuple[str, ...]]:
    """For each of the texts that the corpus does not have the sentences that look the same: their spaces, apostrophes
    and hyphens are written otherwise, or they hold what is not seen, as a search folds them.

    ``language`` None: in whatever language. Texts that no sentence is like are left out.
    """
    languages = languages_of(store) if language is None else [language]
    bound = {"texts": json.dumps([normalise(each) for each in texts]), "languages": json.dumps(languages)}
    wanted: dict[str, dict[str, None]] = {}
    lacking = [text for (text,) in store.connection.execute(_LACKING, bound)]
    for text in lacking:
        wanted[as_typed(text, _ALIKE)] = {}
    for code in languages if wanted else ():
        if sum(map(len, wanted)) > _MOST_LOOKED_UP:
            rows: Iterable[tuple[str]] = store.connection.execute(_TEXTS, (code,))
        else:
            rows = (row[1:] for row in sorted(_begun_alike(store, code, wanted)))
        for (text,) in rows:
            found = wanted.get(as_typed(text, _ALIKE))
            if found is not None:
                found[text] = None
    return {text: tuple(found) for text in lacking if (found := wanted[as_typed(text, _ALIKE)])}


def _begun_alike(store: Store, language: str, wanted: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Numbers and texts of a language among which are all that are ``wanted`` as typed: what is the same up to some
    place, and has there what looks like the next character or is not seen."""
    for typed in wanted:
        yield from store.connection.execute(_BETWEEN, (language, typed, typed + "\0"))
        for place in range(len(typed) + 1):
            begun = typed[:place]
            for alike in LOOK_ALIKES.keys() & {"", typed[place : place + 1]}:
                for char in LOOK_ALIKES[alike]:
                    yield from store.connection.execute(_BETWEEN, (language, begun + char, begun + chr(ord(char) + 1)))

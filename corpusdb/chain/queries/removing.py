"""Removing a collection: what only it had goes in one transaction, and what was derived is made again without it."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.chain.queries.recomputed import reseal_sentences
from corpusdb.chain.queries.repair import Affected, clear_layers, make_layers
from corpusdb.corpus.model import ACCEPTED
from corpusdb.corpus.queries.annotations import forget_annotations
from corpusdb.corpus.queries.sentences import check_collections
from corpusdb.corpus.queries.storing import take_out_translations
from corpusdb.corpus.store import Store, finish_run, start_run
from corpusdb.corpus.store.runs import exclusive
from corpusdb.search.queries.categories import forget_lines


@dataclass(frozen=True, slots=True)
class RemovalReport:
    collection: str
    documents: int
    sentences: int
    """Those that stood nowhere else."""
    translations: int
    """Pairs in it, whether others have them too or not."""
    results: tuple[str, ...]
    """The results and selections that have fewer sentences now, or are gone."""
    languages: tuple[str, ...]
    """Those in which something that was derived on request was made again, or is gone."""
    followed: bool = True


def affected_by_removal(store: Store, name: str) -> dict[str, list[str]]:
    """What was derived on request, by language, and is to be made again where a collection is removed.

    Raises InputError for a name that there is not.
    """
    check_collections(store, (name,))
    own = [row[0] for row in store.connection.execute(_OWN, {"name": name})]
    languages, pairs = _affected(store.connection, name, json.dumps(own))
    bound = {"languages": json.dumps([*languages]), "pairs": json.dumps([",".join(pair) for pair in pairs])}
    found: dict[str, list[str]] = {}
    for language, layer in store.connection.execute(_LAYERS, bound):
        found.setdefault(language, []).append(layer)
    return found


@exclusive("remove")
def remove_collection(store: Store, name: str, *, follow: bool = True) -> Job[RemovalReport]:
    """Take a collection out of the corpus, as if it had not been imported, but for what people said in the meantime.

    What it alone had goes in one transaction, with all that was derived in its languages and of their alignments,
    which is then made again if it is to ``follow``, as `check --repair` does where this is interrupted. What people
    accepted stays, but for the translations that only the collection had. Raises InputError for a name that there
    is not, for the paraphrases that people accepted, and where lines of its own sentences have categories.
    """
    check_collections(store, (name,))
    if name == ACCEPTED:
        raise InputError(f"{name!r} holds what people accepted, which is never deleted")
    yield Progress("removing what only it has", 0, 0)
    with store.unchecked_references(), store.write() as connection:
        own = [row[0] for row in connection.execute(_OWN, {"name": name})]
        given = json.dumps(own)
        sets = [row[0] for row in connection.execute(_CATEGORISED, (given,))]
        if sets:
            raise InputError(
                f"lines of its sentences have categories in {', '.join(sets)}: `corpusdb categories clear SET QUERY`"
                " takes them from lines that a search finds, `corpusdb categories remove SET` deletes a set"
            )
        forget_lines(connection, given)
        affected = _affected(connection, name, given)
        run = start_run(store, "remove", {"collection": name})
        documents = [row[0] for row in connection.execute(_DOCUMENTS, {"name": name})]
        annotated = [row[0] for row in connection.execute(_NO_LONGER_ANNOTATED, {"name": name})]
        forget_annotations(connection, [*own, *annotated])
        results = _forget_in_results(connection, name, given)
        pairs = connection.execute(_TRANSLATIONS, {"name": name}).rowcount // 2
        for table, column in _OF_DOCUMENTS.items():
            connection.execute(_WITH_DOCUMENTS.format(table=table, column=column), (json.dumps(documents),))
        for statement in _OF_COLLECTION:
            connection.execute(statement, {"name": name})
        _forget_accepted_translations(connection, given)
        for statement in _OF_SENTENCES:
            connection.execute(statement, {"sentences": given})
        reseal_sentences(connection, own)
        finish_run(store, run, {"documents": len(documents), "sentences": len(own), "translations": pairs})
        derived = clear_layers(store, affected)
        if not follow:
            finish_run(store, derived.run, {"languages": 0})
    if follow:
        yield from make_layers(store, derived)
    return RemovalReport(
        name, len(documents), len(own), pairs, tuple(results), tuple(derived.languages), followed=follow
    )


_AFFECTED = """
select distinct own.language, coalesce(other.language, own.language) from sentence own
left join translation on translation.sentence = own.id
left join sentence other on other.id = translation.translation
where own.id in (select value from json_each(:sentences))
union
select distinct own.language, other.language from translation
join sentence own on own.id = translation.sentence join sentence other on other.id = translation.translation
where translation.collection = (select id from collection where name = :name)
"""
_LAYERS = """
select language, name from layer where name <> 'token' and language in (select value from json_each(:languages))
and (name <> 'alignment' or exists (
    select 1 from alignment_model where language in (source_language, target_language)
    and source_language || ',' || target_language in (select value from json_each(:pairs))))
order by 1, 2
"""


def _affected(connection: sqlite3.Connection, name: str, own: str) -> Affected:
    """The languages that lose sentences or translations, and the pairs of them; ``own``: the sentences that go."""
    pairs = connection.execute(_AFFECTED, {"name": name, "sentences": own}).fetchall()
    ordered = {(min(pair), max(pair)) for pair in pairs}
    return Affected(sorted({language for pair in ordered for language in pair}), sorted(ordered))


_DOCUMENTS = "select id from document where collection = (select id from collection where name = :name)"
_OWN = f"""
select distinct sentence from occurrence where document in ({_DOCUMENTS}) and not exists (
    select 1 from occurrence other where other.sentence = occurrence.sentence and other.document not in ({_DOCUMENTS})
) order by sentence
"""
_CATEGORISED = """
select distinct name from current_line_category where sentence in (select value from json_each(?)) order by name
"""
# A sentence has one annotation, and it is not kept which file gave it: it stays with a file that annotates.
_ANNOTATES = "coalesce(document.counts ->> 'annotated', 0) + coalesce(document.counts ->> 'annotated_before', 0) > 0"
_NO_LONGER_ANNOTATED = f"""
select distinct sentence from occurrence where document in (
    select id from document where id in ({_DOCUMENTS}) and {_ANNOTATES}
) and not exists (
    select 1 from occurrence other join document on document.id = other.document
    where other.sentence = occurrence.sentence and other.document not in ({_DOCUMENTS}) and {_ANNOTATES}
)
"""
_TRANSLATIONS = "delete from translation where collection = (select id from collection where name = :name)"
_WITH_DOCUMENTS = "delete from {table} where {column} in (select value from json_each(?))"
_OF_DOCUMENTS = {
    **dict.fromkeys(("version", "unit", "section", "occurrence", "document_checksum"), "document"),
    "document": "id",
}
_OF_COLLECTION = (
    "delete from translation_checksum where collection = (select id from collection where name = :name)",
    "delete from collection where name = :name",
)
# Links of files are not made again: they go with their pair, also where both of its sentences stay.
_LINKS_OF_NO_PAIR = """
delete from alignment where not exists (
    select 1 from translation
    where translation.sentence = alignment.sentence and translation.translation = alignment.translation
)
"""
_MODELS_OF_NO_PAIR = """
delete from alignment_model where id not in (select model from alignment) and not exists (
    select 1 from sentence own
    join translation on translation.sentence = own.id
    join sentence other on other.id = translation.translation and other.language = target_language
    where own.language = source_language
)
"""
_OF_SENTENCES = (
    _LINKS_OF_NO_PAIR,
    _MODELS_OF_NO_PAIR,
    "delete from sentence where id in (select value from json_each(:sentences))",
)

# Accepted sentences have the translations of their seeds, which stand in other collections.
_INTO = """
delete from translation where sentence in (select value from json_each(:sentences))
returning sentence, translation, collection, run
"""
_BACK = "delete from translation where translation in (select value from json_each(:sentences))"


def _forget_accepted_translations(connection: sqlite3.Connection, sentences: str) -> None:
    """Take away that sentences which are to be deleted translate what was accepted."""
    bound = {"sentences": sentences}
    rows = connection.execute(_INTO, bound).fetchall()
    connection.execute(_BACK, bound)
    take_out_translations(connection, {(min(one, other), max(one, other), *place) for one, other, *place in rows})


# Results of searches in the collection hold what stood there, and are gone with it.
_RESULTS = """
select id, name, exists (
    select 1 from json_each(selection.parameters, '$.within') place where place.value ->> 0 = :name
) from selection
where exists (select 1 from json_each(selection.parameters, '$.within') place where place.value ->> 0 = :name)
   or id in (select selection from selection_member where sentence in (select value from json_each(:sentences)))
order by name
"""
_MEMBERS = "delete from selection_member where selection = ? and (? or sentence in (select value from json_each(?)))"
_EMPTY = "delete from selection where id = ? and not exists (select 1 from selection_member where selection = id)"


def _forget_in_results(connection: sqlite3.Connection, name: str, sentences: str) -> list[str]:
    """Take sentences out of results and selections, and those that are then empty away; their names."""
    found = connection.execute(_RESULTS, {"name": name, "sentences": sentences}).fetchall()
    for number, _, is_of_collection in found:
        connection.execute(_MEMBERS, (number, is_of_collection, sentences))
        connection.execute(_EMPTY, (number,))
    return [result for _, result, _ in found]

"""Removing a collection or files of it, also those that a corrected file replaces: what only they had goes in one
transaction, and what was derived is made again without it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import nfc, normalise
from corpusdb.chain.queries.importing import STDIN, CheckedSource, document_name, import_checked, update_layers
from corpusdb.chain.queries.recomputed import reseal_sentences
from corpusdb.chain.queries.repair import Affected, Cleared, clear_layers, make_layers
from corpusdb.corpus.model import ACCEPTED, ImportReport
from corpusdb.corpus.queries.annotations import forget_annotations
from corpusdb.corpus.queries.sentences import check_collections
from corpusdb.corpus.queries.storing import take_out_occurrences, take_out_translations
from corpusdb.corpus.store import Store, finish_run, start_run
from corpusdb.corpus.store.connection import now
from corpusdb.corpus.store.runs import exclusive
from corpusdb.search.queries.categories import forget_lines


@dataclass(frozen=True, slots=True)
class RemovalReport:
    collection: str
    documents: int
    sentences: int
    """Those that stood nowhere else."""
    translations: int
    """Pairs in it, whether other collections have them too or not."""
    results: tuple[str, ...]
    """The results and selections that have fewer sentences now, or are gone."""
    languages: tuple[str, ...]
    """Those in which something that was derived on request was made again, or is gone."""
    followed: bool = True


def affected_by_removal(store: Store, name: str, document: str | None = None) -> dict[str, list[str]]:
    """What was derived on request, by language, and is to be made again where a collection, or a document, is removed.

    Raises InputError for a name that there is not.
    """
    bound = {"documents": json.dumps(_documents(store, name, document))}
    own = [row[0] for row in store.connection.execute(_OWN, bound)]
    languages, pairs = _affected(store.connection, {**bound, "sentences": json.dumps(own)})
    bound = {"languages": json.dumps([*languages]), "pairs": json.dumps([",".join(pair) for pair in pairs])}
    found: dict[str, list[str]] = {}
    for language, layer in store.connection.execute(_LAYERS, bound):
        found.setdefault(language, []).append(layer)
    return found


@exclusive("remove")
def remove_collection(
    store: Store, name: str, document: str | None = None, *, follow: bool = True
) -> Job[RemovalReport]:
    """Take a collection out of the corpus, or the files of one name in it, as if they had not been imported, but for
    what people said in the meantime.

    What they alone had goes in one transaction, with all that was derived in its languages and of their alignments,
    which is then made again if it is to ``follow``, as `check --repair` does where this is interrupted. What people
    accepted stays, but for the translations that only they had. Raises InputError for a name that there
    is not, for the paraphrases that people accepted, and where lines of its own sentences have categories.
    """
    if name == ACCEPTED:
        raise InputError(
            f"{name!r} holds accepted paraphrases, which are never deleted all at once; `corpusdb remove {ACCEPTED}"
            " --sentence TEXT` takes one sentence back"
        )
    return (yield from _removed(store, name, _documents(store, name, document), follow=follow))


def _removed(store: Store, name: str, documents: Sequence[int], *, follow: bool) -> Job[RemovalReport]:
    yield Progress("removing what only it has", 0, 0)
    with store.unchecked_references(), store.write() as connection:
        bound = {"name": name, "documents": json.dumps(documents)}
        whole = not connection.execute(_OTHERS, bound).fetchone()[0]
        own = [row[0] for row in connection.execute(_OWN, bound)]
        given = json.dumps(own)
        bound["sentences"] = given
        _check_categories(connection, given)
        affected = _affected(connection, bound)
        run = start_run(
            store, "remove", {"collection": name} if whole else {"collection": name, "documents": documents}
        )
        forget_lines(connection, given)
        _forget_annotations(connection, bound, own)
        results = _forget_in_results(connection, name if whole else None, given)
        pairs = _forget_pairs(connection, bound, whole=whole)
        for table, column in _OF_DOCUMENTS.items():
            connection.execute(_WITH_DOCUMENTS.format(table=table, column=column), bound)
        for statement in _OF_COLLECTION if whole else ():
            connection.execute(statement, bound)
        _forget_sentences(connection, own)
        finish_run(store, run, {"documents": len(documents), "sentences": len(own), "translations": pairs})
        derived = _cleared(store, affected, follow=follow)
    if follow:
        yield from make_layers(store, derived)
    return RemovalReport(
        name, len(documents), len(own), pairs, tuple(results), tuple(derived.languages), followed=follow
    )


def _cleared(store: Store, affected: Affected, *, follow: bool) -> Cleared:
    """Take away what was derived, inside a transaction of the caller, who makes it again if it is to ``follow``."""
    derived = clear_layers(store, affected)
    if not follow:
        finish_run(store, derived.run, {"languages": 0})
    return derived


@exclusive("remove")
def remove_accepted(store: Store, text: str, *, follow: bool = True) -> Job[RemovalReport]:
    """Take back that a paraphrase was accepted, with the translations that it got: its decisions no longer stand.

    Otherwise as ``remove_collection``; a sentence that the corpus has from elsewhere stays. Raises InputError for a
    text that was not accepted, and where the sentence goes and lines of it have categories.
    """
    yield Progress("removing what was accepted", 0, 0)
    with store.unchecked_references(), store.write() as connection:
        rows = connection.execute(_ACCEPTED, (ACCEPTED, normalise(text))).fetchall()
        if not rows:
            listed = f"`corpusdb search '' --collection {ACCEPTED}` lists what was"
            raise InputError(f"{text!r} is no sentence that was accepted; {listed}")
        run = start_run(store, "remove", {"collection": ACCEPTED, "sentence": text})
        sentences = json.dumps(sorted({row[2] for row in rows}))
        affected = _affected(connection, {"sentences": sentences, "documents": "[]"})
        pairs = connection.execute(_ACCEPTED_PAIRS, {"name": ACCEPTED, "sentences": sentences}).fetchall()
        take_out_translations(connection, [row for row in pairs if row[0] < row[1]])
        take_out_occurrences(connection, rows)
        own = [row[0] for row in connection.execute(_NOWHERE, (sentences,))]
        given = json.dumps(own)
        _check_categories(connection, given)
        forget_lines(connection, given)
        forget_annotations(connection, own)
        results = _forget_in_results(connection, None, given)
        connection.execute(_DECIDE_ANEW, {"now": now(), "sentences": sentences})
        _forget_sentences(connection, own)
        finish_run(store, run, {"documents": 0, "sentences": len(own), "translations": len(pairs) // 2})
        derived = _cleared(store, affected, follow=follow)
    if follow:
        yield from make_layers(store, derived)
    return RemovalReport(
        ACCEPTED, 0, len(own), len(pairs) // 2, tuple(results), tuple(derived.languages), followed=follow
    )


_ACCEPTED = """
select document, line, sentence, original from occurrence
join document on document.id = occurrence.document join collection on collection.id = document.collection
join sentence on sentence.id = occurrence.sentence
where collection.name = ? and sentence.text = ? order by 1, 2
"""
_ACCEPTED_PAIRS = """
delete from translation where collection = (select id from collection where name = :name) and (
    sentence in (select value from json_each(:sentences)) or translation in (select value from json_each(:sentences))
)
returning sentence, translation, collection, run
"""
_NOWHERE = """
select value from json_each(?) where not exists (select 1 from occurrence where sentence = value) order by value
"""
_DECIDE_ANEW = """
update session_decision set applied = null, undone = :now
where applied is not null and exists (
    select 1 from sentence join session_seed on session_seed.id = session_decision.seed
    join session on session.id = session_seed.session and session.language = sentence.language
    where sentence.id in (select value from json_each(:sentences)) and sentence.text = session_decision.text
)
"""


def older_versions(store: Store, collection: str, sources: Sequence[CheckedSource]) -> dict[str, list[int]]:
    """What a collection has of files of the same names with other contents, which are none of the ``sources``: the
    numbers of these documents by name."""
    digests = json.dumps([digest for each in sources for digest in (each.digest, each.former_digest)])
    found: dict[str, list[int]] = {}
    for name in dict.fromkeys(document_name(each.source) for each in sources):
        rows = store.connection.execute(_OLDER, (nfc(collection), name, digests))
        if name != STDIN and (numbers := [row[0] for row in rows]):
            found[name] = numbers
    return found


_OLDER = """
select id from document where collection = (select id from collection where name = ?) and name = ?
and digest not in (select value from json_each(?)) order by id
"""


@exclusive("import")
def import_replacing(
    store: Store,
    checked: Sequence[CheckedSource],
    collection: str,
    licence: str | None = None,
    *,
    replace: bool = True,
    follow: bool = True,
) -> Job[tuple[ImportReport, RemovalReport | None]]:
    """Store checked sources, as ``import_checked`` does, and if told to ``replace``, then remove what only earlier
    contents of these files had.

    Their annotations go first, since a sentence keeps the first it gets. After an interruption the same call goes on.
    """
    collection = nfc(collection)
    found = older_versions(store, collection, checked) if replace else {}
    older = [number for numbers in found.values() for number in numbers]
    if older:
        with store.write() as connection:
            bound = {"documents": json.dumps(older)}
            _forget_annotations(connection, bound, [row[0] for row in connection.execute(_OWN, bound)])
    report = yield from import_checked(store, checked, collection, licence, follow=follow and not older)
    if not older:
        return report, None
    removal = yield from _removed(store, collection, older, follow=follow)
    if follow:
        yield from update_layers(store)
    return report, removal


_AFFECTED = """
select distinct own.language, coalesce(other.language, own.language) from sentence own
left join translation on translation.sentence = own.id
left join sentence other on other.id = translation.translation
where own.id in (select value from json_each(:sentences))
union
select distinct own.language, other.language from translation
join sentence own on own.id = translation.sentence join sentence other on other.id = translation.translation
where translation.sentence in (select sentence from occurrence where document in (
    select value from json_each(:documents)
)) and translation.collection in (select collection from document where id in (select value from json_each(:documents)))
"""
_LAYERS = """
select language, name from layer where name <> 'token' and language in (select value from json_each(:languages))
and (name <> 'alignment' or exists (
    select 1 from alignment_model where language in (source_language, target_language)
    and source_language || ',' || target_language in (select value from json_each(:pairs))))
order by 1, 2
"""


def _affected(connection: sqlite3.Connection, bound: Mapping[str, str]) -> Affected:
    """The languages that lose sentences or translations, and the pairs of them; ``bound``: documents and sentences
    that go."""
    pairs = connection.execute(_AFFECTED, bound).fetchall()
    ordered = {(min(pair), max(pair)) for pair in pairs}
    return Affected(sorted({language for pair in ordered for language in pair}), sorted(ordered))


_DOCUMENTS_OF = """
select id, name from document where collection = (select id from collection where name = :name) order by id
"""


def _documents(store: Store, collection: str, name: str | None) -> list[int]:
    """The files of a collection, all or those of a name. Raises InputError where there is none."""
    check_collections(store, (collection,))
    known = store.connection.execute(_DOCUMENTS_OF, {"name": collection}).fetchall()
    found = [number for number, each in known if name in (None, each)]
    if name is not None and not found:
        names = list(dict.fromkeys(each for _, each in known))
        listed = ", ".join([*names[:_SHOWN_NAMES], *(["..."] if len(names) > _SHOWN_NAMES else [])])
        raise InputError(f"no file {name!r} was imported into {collection!r}; there are {listed}")
    return found


_SHOWN_NAMES = 10
_DOCUMENTS = "select value from json_each(:documents)"
_OTHERS = f"""
select exists (
    select 1 from document
    where collection = (select id from collection where name = :name) and id not in ({_DOCUMENTS})
)
"""
_OWN = f"""
select distinct sentence from occurrence where document in ({_DOCUMENTS}) and not exists (
    select 1 from occurrence other where other.sentence = occurrence.sentence and other.document not in ({_DOCUMENTS})
) order by sentence
"""
_CATEGORISED = """
select distinct name from current_line_category where sentence in (select value from json_each(?)) order by name
"""


def _check_categories(connection: sqlite3.Connection, sentences: str) -> None:
    """Raise InputError where lines of sentences that are to go have categories, with what takes them away."""
    sets = [row[0] for row in connection.execute(_CATEGORISED, (sentences,))]
    if sets:
        raise InputError(
            f"lines of its sentences have categories in {', '.join(sets)}: `corpusdb categories clear SET QUERY`"
            " takes them from lines that a search finds, `corpusdb categories remove SET` deletes a set"
        )


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


def _forget_annotations(connection: sqlite3.Connection, bound: Mapping[str, str], own: Sequence[int]) -> None:
    annotated = [row[0] for row in connection.execute(_NO_LONGER_ANNOTATED, bound)]
    forget_annotations(connection, [*own, *annotated])


_TRANSLATIONS = "delete from translation where collection = (select id from collection where name = :name)"
# The pairs of the units of some documents that no other unit of the collection has.
_PAIRS = f"""
delete from translation where collection = (select id from collection where name = :name)
and (sentence, translation) in (
    select one.sentence, other.sentence from occurrence one
    join occurrence other on other.document = one.document and other.line = one.line
    where one.document in ({_DOCUMENTS})
) and not exists (
    select 1 from occurrence one
    join occurrence other on other.document = one.document and other.line = one.line
    join document on document.id = one.document
    where one.sentence = translation.sentence and other.sentence = translation.translation
    and document.collection = translation.collection and document.id not in ({_DOCUMENTS})
)
returning sentence, translation, collection, run
"""


def _forget_pairs(connection: sqlite3.Connection, bound: Mapping[str, str], *, whole: bool) -> int:
    """Take away the translations of some documents, or of the ``whole`` collection; how many pairs were theirs."""
    if whole:
        return connection.execute(_TRANSLATIONS, bound).rowcount // 2
    rows = connection.execute(_PAIRS, bound).fetchall()
    take_out_translations(connection, [row for row in rows if row[0] < row[1]])
    return len(rows) // 2


_WITH_DOCUMENTS = f"delete from {{table}} where {{column}} in ({_DOCUMENTS})"
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


def _forget_sentences(connection: sqlite3.Connection, own: Sequence[int]) -> None:
    bound = {"sentences": json.dumps(own)}
    _forget_accepted_translations(connection, bound["sentences"])
    for statement in _OF_SENTENCES:
        connection.execute(statement, bound)
    reseal_sentences(connection, own)


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


def _forget_in_results(connection: sqlite3.Connection, name: str | None, sentences: str) -> list[str]:
    """Take sentences out of results and selections, and those that are then empty away; their names.

    ``name``: of the collection, where it goes as a whole.
    """
    found = connection.execute(_RESULTS, {"name": name, "sentences": sentences}).fetchall()
    for number, _, is_of_collection in found:
        connection.execute(_MEMBERS, (number, is_of_collection, sentences))
        connection.execute(_EMPTY, (number,))
    return [result for _, result, _ in found]

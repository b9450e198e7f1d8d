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
from corpusdb.chain.queries.layers import begun_languages, derived_layers
from corpusdb.chain.queries.recomputed import reseal_sentences
from corpusdb.corpus.model import ACCEPTED, ImportReport
from corpusdb.corpus.queries.annotations import drop_annotations, forget_annotations
from corpusdb.corpus.queries.sentences import check_collections
from corpusdb.corpus.queries.storing import take_out_occurrences, take_out_translations
from corpusdb.corpus.store import Run, Store, finish_run, start_run
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
    """Those in which something was derived on request, and was brought up to date if it was to follow."""
    dropped: tuple[str, ...]
    """What they could not be taken out of, and is gone as a whole: in words, with what makes it anew."""


@exclusive("remove")
def remove_collection(
    store: Store, name: str, document: str | None = None, *, follow: bool = True
) -> Job[RemovalReport]:
    """Take a collection out of the corpus, or the files of one name in it, as if they had not been imported, but for
    what people said in the meantime.

    What they alone had goes in one transaction, with what was derived of it alone. What is otherwise now without it is
    brought up to date if it is to ``follow``, and else is behind, as after an import. What people accepted stays, but
    for the translations that only they had. Raises InputError for a name that there is not, for the paraphrases that
    people accepted, and where lines of its own sentences have categories.
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
        given = _prepared(connection, own)
        run = start_run(
            store, "remove", {"collection": name} if whole else {"collection": name, "documents": documents}
        )
        _forget_annotations(store, bound)
        results = _forget_in_results(connection, name if whole else None, given)
        pairs = _take_out(connection, _TRANSLATIONS if whole else _PAIRS, bound)
        _forget_documents(connection, bound, whole=whole)
        changed = _forget_sentences(store, own, run)
        finish_run(store, run, {"documents": len(documents), "sentences": len(own), "translations": pairs})
    if follow:
        yield from update_layers(store)
    return RemovalReport(name, len(documents), len(own), pairs, tuple(results), *changed)


@exclusive("remove")
def remove_accepted(store: Store, text: str, *, follow: bool = True) -> Job[RemovalReport]:
    """Take back that a paraphrase was accepted, with the translations that it got: in its sessions it is accepted and
    not written.

    Otherwise as ``remove_collection``; a sentence that the corpus has from elsewhere stays. Raises InputError for a
    text that was not accepted, and where the sentence goes and lines of it have categories.
    """
    yield Progress("removing what was accepted", 0, 0)
    text = normalise(text)
    with store.unchecked_references(), store.write() as connection:
        rows = connection.execute(_ACCEPTED, (ACCEPTED, text)).fetchall()
        if not rows:
            listed = f"`corpusdb search '' --collection {ACCEPTED}` lists what was"
            raise InputError(f"{text!r} is no sentence that was accepted; {listed}")
        run = start_run(store, "remove", {"collection": ACCEPTED, "sentence": text})
        sentences = json.dumps(sorted({row[2] for row in rows}))
        take_out_occurrences(connection, rows)
        own = [row[0] for row in connection.execute(_NOWHERE, (sentences,))]
        given = _prepared(connection, own)
        bound = {"name": ACCEPTED, "documents": "[]", "sentences": sentences}
        pairs = _take_out(connection, _ACCEPTED_PAIRS, bound)
        if not connection.execute(_IS_ANYTHING_ACCEPTED, (ACCEPTED,)).fetchone()[0]:
            _forget_documents(connection, bound | {"documents": json.dumps([rows[0][0]])}, whole=True)
        results = _forget_in_results(connection, None, given)
        for statement in _NOT_WRITTEN:
            connection.execute(statement, {"sentences": sentences, "text": text, "run": run.id})
        changed = _forget_sentences(store, own, run)
        finish_run(store, run, {"documents": 0, "sentences": len(own), "translations": pairs})
    if follow:
        yield from update_layers(store)
    return RemovalReport(ACCEPTED, 0, len(own), pairs, tuple(results), *changed)


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
_IS_ANYTHING_ACCEPTED = """
select exists (
    select 1 from occurrence where document in (
        select id from document where collection = (select id from collection where name = ?)
    )
)
"""
_LANGUAGES_OF = "select language from sentence where id in (select value from json_each(:sentences))"
# What is accepted is known to hold, as long as it is in the corpus; what is not known is judged when layers follow.
_NOT_WRITTEN = (
    f"""
    update session_decision set applied = null
    where applied is not null and text = :text and seed in (
        select session_seed.id from session
        join session_seed on session_seed.session = session.id where session.language in ({_LANGUAGES_OF})
    )
    """,
    f"""
    update seed set run = :run where language in ({_LANGUAGES_OF}) and exists (
        select 1 from candidate where seed = seed.id and text = :text and validity = 1.0
    )
    """,
    "update candidate set validity_parts = null where text = :text and seed in (select id from seed where run = :run)",
    """
    update paraphrase set validity_parts = null where validity = 1.0 and (
        sentence in (select value from json_each(:sentences))
        or (paraphrase, sentence) in (
            select sentence, paraphrase from paraphrase where sentence in (select value from json_each(:sentences))
        )
    )
    """,
)


def older_versions(store: Store, collection: str, sources: Sequence[CheckedSource]) -> dict[str, list[int]]:
    """What a collection has of files of the same names with other contents, which are none of the ``sources``: the
    numbers of these documents by name."""
    digests = json.dumps([each.digest for each in sources])
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
            _forget_annotations(store, bound)
            forget_annotations(connection, [row[0] for row in connection.execute(_OWN, bound)])
    report = yield from import_checked(store, checked, collection, licence, follow=follow and not older)
    if not older:
        return report, None
    return report, (yield from _removed(store, collection, older, follow=follow))


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


def _forget_annotations(store: Store, bound: Mapping[str, str]) -> None:
    """Forget what only these files said of sentences; what an analyser annotates, it then does anew."""
    connection = store.connection
    sentences = json.dumps([row[0] for row in connection.execute(_NO_LONGER_ANNOTATED, bound)])
    forget_annotations(connection, json.loads(sentences))
    for (language,) in connection.execute(_ANALYSED, (sentences,)).fetchall():
        drop_annotations(connection, language)
        connection.execute(_ANALYSE_ANEW, (language,))


_ANALYSED = """
select distinct language from layer where name = 'annotation' and language in (
    select language from sentence where id in (select value from json_each(?))
)
"""
_ANALYSE_ANEW = "update layer set last_sentence = 0, complete = 0 where language = ? and name = 'annotation'"


_TRANSLATIONS = """
delete from translation where collection = (select id from collection where name = :name)
returning sentence, translation, collection, run
"""
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
_UNLINK = "insert or ignore into temp.unlinked values (?, ?, ?)"


def _take_out(connection: sqlite3.Connection, statement: str, bound: Mapping[str, str]) -> int:
    """Delete translations, both directions of each pair, by a statement that gives them; how many pairs."""
    rows = connection.execute(statement, bound).fetchall()
    take_out_translations(connection, [row for row in rows if row[0] < row[1]])
    connection.executemany(_UNLINK, ((sentence, other, run) for sentence, other, _, run in rows))
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


def _forget_documents(connection: sqlite3.Connection, bound: Mapping[str, str], *, whole: bool) -> None:
    for table, column in _OF_DOCUMENTS.items():
        connection.execute(_WITH_DOCUMENTS.format(table=table, column=column), bound)
    for statement in _OF_COLLECTION if whole else ():
        connection.execute(statement, bound)


# What is derived is told by these what goes: the sentences, and the pairs that no collection has any more, in both
# directions, with the run that stored each.
_PREPARE = (
    "create temp table if not exists removed (id integer primary key, language text, text text)",
    "create temp table if not exists unlinked (sentence integer, translation integer, run integer,"
    " primary key (sentence, translation, run)) without rowid",
    "delete from temp.removed",
    "delete from temp.unlinked",
)
_REMOVE = """
insert into temp.removed select id, language, text from sentence where id in (select value from json_each(?))
"""
_IS_LINKED = """
delete from temp.unlinked where exists (
    select 1 from translation where sentence = unlinked.sentence and translation = unlinked.translation
)
"""
_LANGUAGES = """
select distinct language from sentence
where id in (select id from temp.removed union select sentence from temp.unlinked) order by language
"""
_REMOVED = "select id, text from temp.removed where language = ? order by id"
_CATEGORISED = """
select distinct name from current_line_category where sentence in (select id from temp.removed) order by name
"""


def _prepared(connection: sqlite3.Connection, own: Sequence[int]) -> str:
    """Note the sentences that are to go; them as JSON. Raises InputError where lines of them have categories, with what
    takes these away."""
    for statement in _PREPARE:
        connection.execute(statement)
    given = json.dumps(own)
    connection.execute(_REMOVE, (given,))
    if sets := [row[0] for row in connection.execute(_CATEGORISED)]:
        raise InputError(
            f"lines of its sentences have categories in {', '.join(sets)}: `corpusdb categories clear SET QUERY`"
            " takes them from lines that a search finds, `corpusdb categories remove SET` deletes a set"
        )
    return given


# Accepted sentences have the translations of their seeds, which stand in other collections.
_LEFT = """
delete from translation where sentence in (select id from temp.removed) or translation in (select id from temp.removed)
returning sentence, translation, collection, run
"""
# A model that nothing is linked by is that of no pair, and one that was being trained is trained by other pairs now.
_MODELS_OF_NO_PAIR = """
delete from alignment_model where id not in (select model from alignment) and not exists (
    select 1 from sentence own
    join translation on translation.sentence = own.id
    join sentence other on other.id = translation.translation and other.language = target_language
    where own.language = source_language
)
"""
_LAST = "(select coalesce(max(id), 0) from sentence where sentence.language = layer.language)"
_HAS_NO_SENTENCE = "language not in (select language from sentence)"
_OF_SENTENCES = (
    "delete from profile_sentence where sentence in (select id from temp.removed)",
    _MODELS_OF_NO_PAIR,
    "delete from sentence where id in (select id from temp.removed)",
    # A new sentence may have the number of one that is gone.
    f"update layer set last_sentence = {_LAST} where last_sentence > {_LAST}",
    f"delete from exchange_part where exchange in (select id from exchange where {_HAS_NO_SENTENCE})",
    *(f"delete from {table} where {_HAS_NO_SENTENCE}" for table in "exchange word_model lexical_model layer".split()),
    """
    delete from layer where name = 'alignment' and language not in (
        select source_language from alignment_model union select target_language from alignment_model
    )
    """,
)


def _forget_sentences(store: Store, own: Sequence[int], run: Run) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take sentences away that stand nowhere any more, and what they and the pairs of temp.unlinked brought.

    Gives the languages in which something was derived on request, and what was dropped: see ``RemovalReport``.
    """
    connection = store.connection
    forget_lines(connection, json.dumps(own))
    forget_annotations(connection, own, None)
    _take_out(connection, _LEFT, {})
    connection.execute(_IS_LINKED)
    languages, dropped = [row[0] for row in connection.execute(_LANGUAGES)], list[str]()
    for language in languages:
        removed = connection.execute(_REMOVED, (language,)).fetchall()
        for layer in derived_layers():
            if layer.shrink is not None:
                dropped += layer.shrink(store, language, run, removed) or ()
    for statement in _OF_SENTENCES:
        connection.execute(statement)
    reseal_sentences(connection, own)
    return tuple(language for language in begun_languages(store) if language in languages), tuple(dropped)


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

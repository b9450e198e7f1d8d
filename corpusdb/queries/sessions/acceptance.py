"""Acceptance: a candidate that a person found good becomes a sentence of the corpus, and what is derived is updated."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass

from corpusdb.errors import InputError
from corpusdb.jobs import Job
from corpusdb.model import ACCEPTED
from corpusdb.queries.chain.update import update_layers
from corpusdb.queries.corpus.import_checksums import add_document, add_sentences, add_to_document
from corpusdb.queries.corpus.sentences import sentence_id
from corpusdb.queries.corpus.storing import store_pairs, store_sentence
from corpusdb.store import Run, Store, finish_run, start_run
from corpusdb.store.exclusive_jobs import exclusive
from corpusdb.text import normalise

__all__ = ["AcceptReport", "Accepted", "accept", "store_accepted"]


@dataclass(frozen=True, slots=True)
class AcceptReport:
    """What accepting a candidate added."""

    sentence: int
    """Number of the sentence in the corpus."""
    translations: int
    """How many translations of the seed it now shares that it did not share before."""
    seconds: float


@exclusive("accept")
def accept(store: Store, seed: str, candidate: str, language: str) -> Job[AcceptReport]:
    """Take ``candidate`` into the corpus with all translations of ``seed``; accepting it again changes nothing.

    Raises InputError for a seed that has no translations to give.
    """
    begun = time.monotonic()
    seed, candidate = normalise(seed), normalise(candidate)
    if not candidate:
        raise InputError("an empty sentence cannot be accepted")
    with store.write():
        accepted = accepted_before(store, language, seed, candidate)
        if accepted is None:
            run = start_run(store, "accept", {"language": language, "seed": seed, "candidate": candidate})
            accepted = store_accepted(store, language, seed, candidate, run)
            if accepted is None:
                raise InputError(f"{seed!r} has no translations in the corpus that {candidate!r} could share")
            finish_run(store, run, {"sentence": accepted.sentence, "translations": accepted.translations})
    yield from update_layers(store)
    return AcceptReport(accepted.sentence, accepted.translations, time.monotonic() - begun)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A sentence that was stored."""

    sentence: int
    """Its number."""
    translations: int
    """How many translations are new to it."""


_TRANSLATIONS_OF = """
select translation.translation from sentence join translation on translation.sentence = sentence.id
where sentence.language = ? and sentence.text = ?
"""


def accepted_before(store: Store, language: str, seed: str, candidate: str) -> Accepted | None:
    """What ``candidate`` is in the corpus, if it has all translations of ``seed``: it was accepted, and after a call
    that was interrupted only what is derived has to be updated. None where something is to be stored."""
    wanted = {row[0] for row in store.connection.execute(_TRANSLATIONS, (language, seed))}
    has = {row[0] for row in store.connection.execute(_TRANSLATIONS_OF, (language, candidate))}
    sentence = sentence_id(store, language, candidate)
    return Accepted(sentence, 0) if sentence is not None and wanted and wanted <= has else None


def store_accepted(store: Store, language: str, seed: str, candidate: str, run: Run) -> Accepted | None:
    """Store a normalised ``candidate`` with all translations of ``seed``; None where that has none to give.

    What is derived is not updated. Inside a transaction of the caller.
    """
    translations = [row[0] for row in store.connection.execute(_TRANSLATIONS, (language, seed))]
    return Accepted(*_store(store.connection, language, candidate, translations, run)) if translations else None


_TRANSLATIONS = """
select distinct other.id from sentence
join translation on translation.sentence = sentence.id
join sentence other on other.id = translation.translation and other.language <> sentence.language
where sentence.language = ? and sentence.text = ? order by 1
"""
_COLLECTION = "insert or ignore into collection (name, licence) values (?, 'as the collections it was derived from')"
_DOCUMENT = """
insert into document (collection, name, digest, languages, complete, run)
select id, name, name, '', 1, ? from collection where name = ? on conflict (collection, digest) do nothing
"""
_PLACE = """
update document set lines_done = lines_done + 1
where collection = (select id from collection where name = :name) and digest = :name
returning id, collection, lines_done
"""
_OCCURRENCE = "insert into occurrence (document, line, sentence) values (?, ?, ?)"
_HAS = "select translation from translation where sentence = ?"


def _store(
    connection: sqlite3.Connection, language: str, text: str, translations: list[int], run: Run
) -> tuple[int, int]:
    """Store the sentence and what it translates; its number and how many translations are new to it."""
    sentence, is_new = store_sentence(connection, language, text)
    add_sentences(connection, sentence, [(language, text)] if is_new else ())
    had = {row[0] for row in connection.execute(_HAS, (sentence,))}
    new = [translation for translation in translations if translation not in had]
    if new:
        connection.execute(_COLLECTION, (ACCEPTED,))
        is_first = connection.execute(_DOCUMENT, (run.id, ACCEPTED)).rowcount
        document, collection, line = connection.execute(_PLACE, {"name": ACCEPTED}).fetchone()
        connection.execute(_OCCURRENCE, (document, line, sentence))
        if is_first:
            add_document(connection, document)
        add_to_document(connection, document, [(document, line, sentence, None)])
        store_pairs(connection, collection, run.id, ((sentence, each) for each in new))
    return sentence, len(new)

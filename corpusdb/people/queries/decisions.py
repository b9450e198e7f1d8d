"""What is decided of the paraphrases of a seed, and what was accepted written into the corpus."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import normalise
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.model import ACCEPTED
from corpusdb.corpus.queries.sentences import sentence_id
from corpusdb.corpus.queries.storing import add_document, add_sentences, add_to_document, store_pairs, store_sentences
from corpusdb.corpus.store import Run, Store, finish_run, start_run
from corpusdb.corpus.store.connection import now
from corpusdb.corpus.store.runs import exclusive
from corpusdb.people.queries.sessions import session_standing, touch

# Acceptance: a candidate that a person found good becomes a sentence of the corpus, and what is derived is updated.


@dataclass(frozen=True, slots=True)
class AcceptReport:
    sentence: int
    translations: int
    """How many translations of the seed it now shares that it did not share before."""
    seconds: float


@exclusive("accept")
def accept(store: Store, seed: str, candidate: str, language: str, *, follow: bool = True) -> Job[AcceptReport]:
    """Take ``candidate`` into the corpus with all translations of ``seed``; accepting it again changes nothing.

    With ``follow`` what was derived is brought up to date; ``generate`` does so, too.
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
    if follow:
        yield from update_layers(store)
    return AcceptReport(accepted.sentence, accepted.translations, time.monotonic() - begun)


@dataclass(frozen=True, slots=True)
class Accepted:
    sentence: int
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
returning id, collection, (select coalesce(max(line), 0) + 1 from occurrence where document = document.id)
"""
_OCCURRENCE = "insert into occurrence (document, line, sentence) values (?, ?, ?)"
_HAS = "select translation from translation where sentence = ?"


def _store(
    connection: sqlite3.Connection, language: str, text: str, translations: list[int], run: Run
) -> tuple[int, int]:
    """Store the sentence and what it translates; its number and how many translations are new to it."""
    numbers, last = store_sentences(connection, [(language, text)])
    sentence = numbers[language, text]
    add_sentences(connection, sentence, [(language, text)] if sentence > last else ())
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


# What a person decides of the paraphrases in a session, each a row in one short transaction, so that nothing is lost
# when the connection is cut. Taking a sentence into the corpus is too slow for one key; so the accepted paraphrases are
# written by one job, and until then each decision can be taken back.

Verdict: TypeAlias = Literal["accept", "reject"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What stands of a paraphrase of a seed."""

    seed: str
    text: str
    verdict: Verdict
    applied: bool
    """Whether it was written into the corpus, so that it cannot be taken back."""


@dataclass(frozen=True, slots=True)
class LastDecision:
    """The decision that would be taken back now."""

    number: int
    decision: Decision
    is_own: bool
    """Whether it is one of those that are to be taken back first."""


@dataclass(frozen=True, slots=True)
class Undone:
    decision: Decision
    stands: Verdict | None
    """What had been decided of the paraphrase before, and stands again."""
    in_corpus: int
    """How many later decisions were passed over, because what they accepted is in the corpus."""
    is_own: bool = False
    """Whether it is one of those that were to be taken back first."""


@dataclass(frozen=True, slots=True)
class ApplyReport:
    """What writing the accepted paraphrases into the corpus gave."""

    accepted: int
    """Paraphrases that are in the corpus with the translations of their seed."""
    translations: int
    """Translations that they did not have before."""
    without_translations: tuple[tuple[str, str], ...]
    """Seeds and paraphrases that wait still, because the seed has no translations to share."""
    seconds: float


_CURRENT = """
select said.id, session_seed.text, said.text, said.verdict, said.applied is not null
from session join session_seed on session_seed.session = session.id
join current_decision said on said.seed = session_seed.id
where session.name = :name and (:seed is null or session_seed.text = :seed)
order by said.id
"""


def _standing(store: Store, name: str, seed: str | None) -> dict[int, Decision]:
    """What stands in a session, or of one of its seeds, by numbers, which ascend."""
    rows = store.connection.execute(_CURRENT, {"name": name, "seed": seed})
    return {number: Decision(each, text, verdict, bool(applied)) for number, each, text, verdict, applied in rows}


def decisions(store: Store, name: str, seed: str | None = None) -> list[Decision]:
    """What stands in a session, or of one of its seeds, in the order in which it was decided."""
    session_standing(store, name)
    return list(_standing(store, name, seed).values())


_DECIDE = """
insert into session_decision (seed, text, verdict, decided)
select session_seed.id, :text, :verdict, :now
from session_seed join session on session.id = session_seed.session
where session.name = :name and session_seed.text = :seed
returning id
"""


def decide(store: Store, name: str, seed: str, candidate: str, verdict: Verdict) -> int:
    """Accept or reject a paraphrase of a seed, in place of what was decided before; the number of that decision.

    It is 0 where that was decided already. The paraphrase may be a wording of one's own, which no origin yields. When
    this returns, the file has it. Raises InputError for a sentence that is none of the session's seeds, an empty
    candidate, the seed itself, and for rejecting one that was written into the corpus.
    """
    seed, candidate = normalise(seed), normalise(candidate)
    if verdict not in get_args(Verdict):
        raise UsageError(f"a paraphrase is accepted or rejected; {verdict!r} is neither")
    if not candidate:
        raise InputError("an empty sentence is not a paraphrase")
    if candidate == seed and verdict == "accept":
        raise InputError("the seed is not a paraphrase of itself; it is a reference in any case")
    with store.write() as connection:
        before = {each.text: each for each in decisions(store, name, seed)}.get(candidate)
        if before is not None and before.verdict == verdict:
            return 0
        if before is not None and before.applied:
            undone = f"`corpusdb remove {ACCEPTED} --sentence TEXT` takes it out"
            raise InputError(f"cannot be rejected while it is in the corpus; {undone}: {candidate!r}")
        bound = {"name": name, "seed": seed, "text": candidate, "verdict": verdict, "now": now()}
        row = connection.execute(_DECIDE, bound).fetchone()
        if row is None:
            raise InputError(f"{seed!r} is not a seed of session {name!r}")
        touch(connection, name)
        return int(row[0])


def decided_elsewhere(
    store: Store, name: str, seed: str, seen: Mapping[str, Verdict | None], own: Collection[int]
) -> list[Decision]:
    """What stands of some paraphrases of a seed and is not what somebody saw of them, nor one of their own decisions.

    ``seen``: what they saw, by the texts; ``own``: the numbers of what they decided.
    """
    found = [each for number, each in _standing(store, name, normalise(seed)).items() if number not in own]
    return [each for each in found if each.text in seen and seen[each.text] != each.verdict]


# One's own come first where they stand: a later decision of somebody else on the same paraphrase hides an earlier one.
_LAST = """
select said.id, session_seed.text, said.text, said.verdict,
       said.id in (select value from json_each(:own)) and said.id = (
           select id from current_decision where seed = said.seed and text = said.text
       ) as is_own
from session join session_seed on session_seed.session = session.id
join session_decision said on said.seed = session_seed.id
where session.name = :name and said.undone is null and said.applied is null
order by is_own desc, said.id desc limit 1
"""
_UNDO = "update session_decision set undone = ? where id = ?"
_STANDS = """
select current_decision.verdict from current_decision
join session_decision said on said.seed = current_decision.seed and said.text = current_decision.text
where said.id = ?
"""
_PASSED_OVER = """
select count(*) from current_decision
join session_seed on session_seed.id = current_decision.seed join session on session.id = session_seed.session
where session.name = ? and applied is not null and current_decision.id > ?
"""


def last_decision(store: Store, name: str, own: Collection[int] = ()) -> LastDecision | None:
    """What ``undo_decision`` would take back now; None where there is nothing."""
    session_standing(store, name)
    row = store.connection.execute(_LAST, {"name": name, "own": json.dumps(sorted(own))}).fetchone()
    if row is None:
        return None
    number, seed, text, verdict, is_own = row
    return LastDecision(number, Decision(seed, text, verdict, False), bool(is_own))


def undo_decision(store: Store, name: str, own: Collection[int] = ()) -> Undone | None:
    """Take back the last decision of a session that can be taken back; again: the one before. None where there is none.

    Decisions with the numbers ``own`` are taken back before all others. What was written into the corpus stays
    decided. The row stays, with the time at which it was taken back.
    """
    with store.write() as connection:
        last = last_decision(store, name, own)
        if last is None:
            return None
        (passed_over,) = connection.execute(_PASSED_OVER, (name, last.number)).fetchone()
        connection.execute(_UNDO, (now(), last.number))
        stands = connection.execute(_STANDS, (last.number,)).fetchone()
        touch(connection, name)
        return Undone(last.decision, stands[0] if stands else None, passed_over, last.is_own)


def nothing_to_undo(store: Store, name: str) -> str:
    """Why no decision of a session can be taken back, in words."""
    written = len(decisions(store, name))
    return f"nothing to take back: all {written:,} decided are in the corpus" if written else "nothing was decided yet"


# Earlier decisions on the same paraphrase are settled with it: taking them back would change nothing.
_APPLY = """
update session_decision set applied = :run
where undone is null and text = :text and seed = (
    select session_seed.id from session_seed join session on session.id = session_seed.session
    where session.name = :name and session_seed.text = :seed
)
"""


@exclusive("session apply")
def apply_session(store: Store, name: str, *, follow: bool = True) -> Job[ApplyReport]:
    """Take the accepted paraphrases of a session into the corpus, with the translations of their seeds.

    They are stored in one transaction with the note that they are; then, with ``follow``, everything derived is updated
    once, which an interrupted call leaves to the next.
    """
    begun = time.monotonic()
    language = session_standing(store, name).language
    yield Progress("writing accepted paraphrases", 0, 0)
    with store.write() as connection:
        waiting = [
            (each.seed, each.text) for each in decisions(store, name) if each.verdict == "accept" and not each.applied
        ]
        accepted, left, translations = 0, [], 0
        if waiting:
            run = start_run(store, "accept", {"session": name, "candidates": len(waiting)})
            for pair in waiting:
                added = store_accepted(store, language, *pair, run)
                if added is None:
                    left.append(pair)
                    continue
                accepted, translations = accepted + 1, translations + added.translations
                connection.execute(_APPLY, {"run": run.id, "name": name, "seed": pair[0], "text": pair[1]})
            finish_run(store, run, {"accepted": accepted, "translations": translations})
            touch(connection, name)
    if follow:
        yield from update_layers(store)
    return ApplyReport(accepted, translations, tuple(left), time.monotonic() - begun)

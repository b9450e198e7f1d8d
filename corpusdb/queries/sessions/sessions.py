"""Paraphrase sessions: a queue of seeds that a person works through, and where they left it.

What is decided of their paraphrases is in session_decisions, what one sees of a seed in session_views.
"""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from corpusdb.display import check_name
from corpusdb.errors import InputError, UsageError
from corpusdb.queries.paraphrase.filters import DEFAULT_FILTER, NSequenceFilter, filter_at
from corpusdb.queries.sessions.distinct_seeds import distinct_seeds
from corpusdb.store import Store, finish_run, start_run
from corpusdb.store.clock import now
from corpusdb.text import normalise

__all__ = [
    "SeedState",
    "SessionSeed",
    "Standing",
    "add_seed",
    "create_session",
    "go_to_seed",
    "mark_seed",
    "seed_position",
    "seed_state",
    "seeds_of_session",
    "session_name",
    "session_standing",
    "sessions",
    "set_filter",
    "touch",
    "unused_name",
]

SeedState: TypeAlias = Literal["waiting", "seen", "done"]


@dataclass(frozen=True, slots=True)
class Standing:
    """A session and how far it is."""

    name: str
    language: str
    order: int
    """N of the filter, as it was left; 0 lets all paraphrases pass."""
    position: int
    """Of the seed that is open, from 1."""
    seed: str
    """Its text."""
    seeds: int
    seen: int
    """Seeds that were opened, those that are done among them."""
    done: int
    accepted: int
    rejected: int
    to_apply: int
    """Of the accepted ones, those that can be written into the corpus and were not yet."""
    made: str
    """UTC, ISO 8601, like the next."""
    last_used: str
    min_validity: float | None = None
    """The least validity of the filter, as it was left; None is the usual one."""
    without_translations: int = 0
    """Of the accepted ones, those that cannot be written: their seed has no translations to share."""
    id: int = 0
    """Its number, which stays when it gets another name; 0 for one that the file does not have."""

    @property
    def is_stored(self) -> bool:
        """Whether the file has it."""
        return bool(self.id)

    @property
    def kept(self) -> NSequenceFilter:
        """The filter, as it was left."""
        return filter_at(self.order, min_validity=self.min_validity)


@dataclass(frozen=True, slots=True)
class SessionSeed:
    """A sentence in the queue of a session."""

    position: int
    text: str
    state: SeedState
    accepted: int
    rejected: int


_CREATE = """
insert into session (name, language, least_order, least_validity, position, made, last_used, run)
values (:name, :language, :order, :min_validity, 1, :now, :now, :run) returning id
"""
_SEED = "insert into session_seed (session, position, text, state) values (?, ?, ?, ?)"


def create_session(
    store: Store,
    name: str,
    language: str,
    seeds: Sequence[str],
    kept: NSequenceFilter = DEFAULT_FILTER,
    source: Mapping[str, object] | None = None,
) -> Standing:
    """Begin a session with these seeds, each once, in their order; the first is open.

    ``source`` tells where they come from, for the record of the run. Raises UsageError for a name that is taken or
    blank, and InputError where no seed is given.
    """
    name = name.strip()
    given = distinct_seeds(seeds)
    check_name(name, "a session")
    if not given.texts:
        raise InputError("a session needs seeds, and there is none")
    with store.write() as connection:
        if name in _names(store):
            raise UsageError(f"there is a session {name!r} already")
        described = {"name": name, "language": language, "order": kept.order}
        min_validity = _least_validity(kept)
        least = {} if min_validity is None else {"min_validity": min_validity}
        run = start_run(store, "session", {**described, **least, **(source or {})})
        values = {**described, "min_validity": min_validity, "now": now(), "run": run.id}
        session = connection.execute(_CREATE, values).fetchone()[0]
        rows = (
            (session, place, text, "seen" if place == 1 else "waiting") for place, text in enumerate(given.texts, 1)
        )
        connection.executemany(_SEED, rows)
        finish_run(store, run, {"seeds": len(given.texts), **(given.counts if given.left_out else {})})
        return session_standing(store, name)


_NAMES = "select name from session where was_called is null order by id"


def _names(store: Store) -> list[str]:
    return [row[0] for row in store.connection.execute(_NAMES)]


def unused_name(store: Store, base: str) -> str:
    """A name that no session has: ``base`` and a number."""
    taken, number = set(_names(store)), 1
    while (name := f"{base}-{number}") in taken:
        number += 1
    return name


_STANDINGS = """
select name, language, least_order, session.position, seed.text,
       (select count(*) from session_seed where session = session.id),
       (select count(*) from session_seed where session = session.id and state <> 'waiting'),
       (select count(*) from session_seed where session = session.id and state = 'done'),
       count(*) filter (where said.verdict = 'accept'),
       count(*) filter (where said.verdict = 'reject'),
       count(*) filter (where said.can_be_written),
       made, last_used, least_validity,
       count(*) filter (where not said.can_be_written),
       session.id
from session
join session_seed seed on seed.session = session.id and seed.position = session.position
left join (
    select session_seed.session, current_decision.verdict,
           case when current_decision.verdict = 'accept' and current_decision.applied is null then exists (
               select 1 from sentence join translation on translation.sentence = sentence.id
               join sentence other on other.id = translation.translation and other.language <> sentence.language
               where sentence.language = owner.language and sentence.text = session_seed.text
           ) end as can_be_written
    from current_decision join session_seed on session_seed.id = current_decision.seed
    join session owner on owner.id = session_seed.session and (:name is null or owner.name = :name)
) said on said.session = session.id
where session.was_called is null and (:name is null or session.name = :name)
group by session.id order by session.last_used desc, session.id desc
"""


def sessions(store: Store) -> list[Standing]:
    """Every session, the one used last first."""
    return [Standing(*row) for row in store.connection.execute(_STANDINGS, {"name": None})]


def session_standing(store: Store, name: str) -> Standing:
    """The session of this name. Raises InputError, with the names there are, for another."""
    row = store.connection.execute(_STANDINGS, {"name": name}).fetchone()
    if row is None:
        raise InputError(f"there is no session {name!r}; there are: {', '.join(_names(store)) or 'none yet'}")
    return Standing(*row)


_NAME = "select name, was_called from session where id = ?"


def session_name(store: Store, id: int) -> str:
    """What the session with a number is called now. Raises InputError for one that was deleted."""
    row = store.connection.execute(_NAME, (id,)).fetchone()
    if row is None or row[1] is not None:
        called = "" if row is None else f"; `corpusdb session restore {shlex.quote(row[1])}` brings it back"
        raise InputError(f"this session was deleted elsewhere{called}")
    return str(row[0])


_SEEDS = """
select seed.position, seed.text, seed.state, count(*) filter (where said.verdict = 'accept'),
       count(*) filter (where said.verdict = 'reject')
from session join session_seed seed on seed.session = session.id
left join current_decision said on said.seed = seed.id
where session.name = ? group by seed.id order by seed.position
"""


def seeds_of_session(store: Store, name: str) -> list[SessionSeed]:
    """The seeds of a session in their order. Raises InputError where there is no such session."""
    session_standing(store, name)
    return [SessionSeed(*row) for row in store.connection.execute(_SEEDS, (name,))]


_STATE = """
select state from session_seed join session on session.id = session_seed.session
where session.name = ? and session_seed.text = ?
"""


def seed_state(store: Store, name: str, seed: str) -> SeedState:
    """How far a seed is. Raises InputError for a sentence that is none of the session's seeds."""
    row = store.connection.execute(_STATE, (name, seed)).fetchone()
    if row is None:
        raise InputError(f"{seed!r} is no seed of session {name!r}")
    state: SeedState = row[0]
    return state


_GO = "update session set position = :position, last_used = :now where name = :name"
_SEEN = """
update session_seed set state = 'seen'
where session = (select id from session where name = ?) and position = ? and state = 'waiting'
"""


def go_to_seed(store: Store, name: str, position: int) -> Standing:
    """Open another seed of a session. Raises InputError for a position that it does not have."""
    with store.write() as connection:
        standing = session_standing(store, name)
        if not 1 <= position <= standing.seeds:
            raise InputError(f"session {name!r} has no seed {position}; its seeds are 1 to {standing.seeds}")
        connection.execute(_GO, {"name": name, "position": position, "now": now()})
        connection.execute(_SEEN, (name, position))
        return session_standing(store, name)


_POSITION = """
select session_seed.position from session_seed join session on session.id = session_seed.session
where session.name = ? and session_seed.text = ?
"""


def seed_position(store: Store, name: str, text: str) -> int | None:
    """Where a sentence stands in a session; None for one that is no seed of it."""
    row = store.connection.execute(_POSITION, (name, text)).fetchone()
    return None if row is None else int(row[0])


# In two steps, since no two seeds may have one position at any moment.
_SHIFT = (
    "update session_seed set position = -position - 1 where session = :session and position > :here",
    "update session_seed set position = -position where session = :session and position < 0",
)


def add_seed(store: Store, name: str, text: str) -> Standing:
    """Put a sentence into the queue, behind the seed that is open, and open it; one that is there already is opened.

    The corpus need not hold it. Raises InputError for an empty one.
    """
    text = normalise(text)
    if not text:
        raise InputError("an empty sentence is no seed")
    with store.write() as connection:
        here = session_standing(store, name).position
        position = seed_position(store, name, text)
        if position is not None:
            return go_to_seed(store, name, position)
        session = _session_id(connection, name)
        for statement in _SHIFT:
            connection.execute(statement, {"session": session, "here": here})
        connection.execute(_SEED, (session, here + 1, text, "waiting"))
        return go_to_seed(store, name, here + 1)


_ID = "select id from session where name = ?"


def _session_id(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(_ID, (name,)).fetchone()[0])


_MARK = """
update session_seed set state = :state
where session = (select id from session where name = :name) and text = :seed
"""


def mark_seed(store: Store, name: str, seed: str, state: SeedState) -> Standing:
    """Note how far a seed is. Raises InputError for a sentence that is none of the session's seeds."""
    if state not in get_args(SeedState):
        raise UsageError(f"a seed is {', '.join(get_args(SeedState))}; not {state!r}")
    with store.write() as connection:
        session_standing(store, name)
        if not connection.execute(_MARK, {"name": name, "seed": normalise(seed), "state": state}).rowcount:
            raise InputError(f"{seed!r} is no seed of session {name!r}")
        touch(connection, name)
        return session_standing(store, name)


def _least_validity(kept: NSequenceFilter) -> float | None:
    """That of a filter; None where it is the usual one for its N."""
    return None if kept == filter_at(kept.order) else kept.min_validity


_FILTER = "update session set least_order = ?, least_validity = ? where name = ?"


def set_filter(store: Store, name: str, kept: NSequenceFilter) -> Standing:
    """Keep N and the least validity of the filter; where either asks for something, final marks alone are refused."""
    with store.write() as connection:
        session_standing(store, name)
        connection.execute(_FILTER, (kept.order, _least_validity(kept), name))
        touch(connection, name)
        return session_standing(store, name)


_TOUCH = "update session set last_used = ? where name = ?"


def touch(connection: sqlite3.Connection, name: str) -> None:
    """Note that a session is being used; inside a transaction of the caller."""
    connection.execute(_TOUCH, (now(), name))

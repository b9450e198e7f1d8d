"""Paraphrase sessions: queues of seeds, their names, and how far each is."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from corpusdb.base.display import counted, kept_name
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import lowest_tickets
from corpusdb.base.text import normalise
from corpusdb.corpus.formats.scoring_input import read_plain
from corpusdb.corpus.store import Store, finish_run, start_run
from corpusdb.corpus.store.connection import now
from corpusdb.paraphrase.queries.filters import (
    DEFAULT_FILTER,
    Address,
    Filter,
    NSequenceFilter,
    filter_at,
    relaxations,
)
from corpusdb.paraphrase.queries.origins.registry import select_origins
from corpusdb.search.patterns import Pattern
from corpusdb.search.queries.conditions import Search
from corpusdb.search.queries.search import Searcher

# The seeds of a session: of the sentences that somebody gives, each once, with a count of what that leaves out.


@dataclass(frozen=True, slots=True)
class DistinctSeeds:
    """Sentences without those that are blank or stand there before."""

    texts: tuple[str, ...]
    """In their order, normalised."""
    lines: int
    blank: int

    @property
    def double(self) -> int:
        """How many had been given before."""
        return self.lines - self.blank - len(self.texts)

    @property
    def counts(self) -> dict[str, int]:
        """The figures by their names."""
        return {"lines": self.lines, "blank": self.blank, "double": self.double}

    @property
    def left_out(self) -> str:
        """How many were given and what was left out of them, in words; nothing where nothing was."""
        if len(self.texts) == self.lines:
            return ""
        parts = [counted(len(self.texts), "seeds")]
        parts += [f"{self.blank:,} blank"] if self.blank else []
        parts += [f"{self.double:,} double"] if self.double else []
        return f"{self.lines:,} lines: {', '.join(parts)}"


def distinct_seeds(texts: Iterable[str]) -> DistinctSeeds:
    """What is left of sentences when each stands once."""
    given = [normalise(text) for text in texts]
    distinct = tuple(dict.fromkeys(text for text in given if text))
    return DistinctSeeds(distinct, len(given), sum(not text for text in given))


# Where the seeds of a session come from: typed ones, a file, a search, or a random sample.


@dataclass(frozen=True, slots=True)
class SeedSource:
    """Where to take seeds from: one source, or a sample of a file or of what a search finds. Raises UsageError for
    others."""

    texts: tuple[str, ...] = ()
    file: Path | None = None
    """One seed a line; ``-`` is stdin."""
    search: str | None = None
    sample: int | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        is_drawn_from = self.file is not None or self.search is not None
        is_alone = self.sample is not None and not is_drawn_from
        named = sum((bool(self.texts), self.file is not None, self.search is not None, is_alone))
        if named != 1:
            told = f"{named} sources of the seeds are named; name one" if named else "name one source of the seeds"
            raise UsageError(f"{told}: sentences, a file, a search or a sample")
        if self.sample is not None and (self.sample < 1 or self.seed < 0):
            raise UsageError("a sample has one sentence or more, and its seed is not below 0")

    def shortage(self, found: int) -> str:
        """That a sample came out smaller than asked for, and why; nothing where it did not."""
        if self.sample is None or found >= self.sample:
            return ""
        hold = "hold this with its capitals and " if self.search else ""
        return f"{found:,} of {self.sample:,} seeds: no others {hold}have a paraphrase"

    @property
    def described(self) -> dict[str, object]:
        """For the record of the run; typed seeds are in the session itself."""
        told: dict[str, object] = {}
        if self.file is not None:
            told = {"file": self.file.name}
        elif self.search is not None:
            told = {"search": self.search}
        return told if self.sample is None else {**told, "sample": self.sample, "seed": self.seed}


def seeds_from(store: Store, source: SeedSource, language: str, kept: Filter = DEFAULT_FILTER) -> list[str]:
    """The seeds; of a file every line, also those that are blank or double, which a session does without.

    Raises InputError for a file that cannot be read, and where nothing is found.
    """
    found = list(source.texts) or None
    if source.file is not None:
        found = read_plain(source.file)
    elif source.search is not None:
        hits = Searcher(store).find(Search(language, Pattern(source.search)))
        if not len(hits):
            raise InputError(f"no sentence in {language} holds {source.search!r}")
        found = [hits.text(place) for place in range(len(hits))]
    if source.sample is None:
        return found or []
    if found is None:
        return sample_seeds(store, language, source.sample, source.seed, kept)
    wanted = {*found}
    none = f"none of {counted(len(wanted), 'sentences')} in {language}"
    return _draw(lambda accepted: _having(store, language, accepted) & wanted, source.sample, source.seed, kept, none)


def sample_seeds(
    store: Store,
    language: str,
    size: int,
    seed: int,
    kept: Filter = DEFAULT_FILTER,
    origins: Iterable[str] | None = None,
) -> list[str]:
    """Sentences drawn at random from those that have a paraphrase, of these origins or any, that the filter keeps.

    The same ``seed`` draws the same sentences in the same order from the same paraphrases, and a larger sample begins
    with the smaller one; where there are fewer than ``size``, all are taken. Raises InputError where there is none.
    """
    return _draw(
        lambda accepted: _having(store, language, accepted, origins), size, seed, kept, f"no sentence in {language}"
    )


def _having(store: Store, language: str, accepted: Filter, origins: Iterable[str] | None = None) -> set[str]:
    """The sentences with a paraphrase that the filter accepts."""
    return {text for origin in select_origins(origins) for text in origin.seeds(store, language, accepted)}


def _draw(having: Callable[[Filter], set[str]], size: int, seed: int, kept: Filter, none: str) -> list[str]:
    population = having(kept)
    if not population:
        found = relaxations(kept, lambda less: len(having(less)))
        others = (f"; at {each.kept} {each.found:,} would have one" for each in found)
        raise InputError(f"{none} has a paraphrase at {kept}{''.join(others)}")
    return [text for text, _ in lowest_tickets(seed, size, ((text, None) for text in population))]


# Paraphrase sessions: a queue of seeds that a person works through, and where they left it.

SeedState: TypeAlias = Literal["waiting", "seen", "done"]


@dataclass(frozen=True, slots=True)
class SessionProgress:
    name: str
    language: str
    order: int
    """N of the filter, as it was left; 0 lets all paraphrases pass."""
    position: int
    """Of the seed that is open, from 1."""
    seed: str
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
    address: Address = "same"
    """``any``: the filter takes what changes the address, number or gender of persons, too."""
    real: bool = False
    """Whether it leaves out what differs in capitals, marks and contractions alone."""

    @property
    def is_stored(self) -> bool:
        return bool(self.id)

    @property
    def kept(self) -> NSequenceFilter:
        return filter_at(self.order, min_validity=self.min_validity, real=self.real, address=self.address)


@dataclass(frozen=True, slots=True)
class SessionSeed:
    """A sentence in the queue of a session."""

    position: int
    text: str
    state: SeedState
    accepted: int
    rejected: int


_CREATE = """
insert into session (name, language, least_order, least_validity, is_real, address, position, made, last_used, run)
values (:name, :language, :order, :min_validity, :real, :address, 1, :now, :now, :run) returning id
"""
_SEED = "insert into session_seed (session, position, text, state) values (?, ?, ?, ?)"


def create_session(
    store: Store,
    name: str,
    language: str,
    seeds: Sequence[str],
    kept: NSequenceFilter = DEFAULT_FILTER,
    source: Mapping[str, object] | None = None,
) -> SessionProgress:
    """Begin a session with these seeds, each once, in their order; the first is open.

    ``source`` tells where they come from, for the record of the run. Raises UsageError for a name that is taken or
    blank, and InputError where no seed is given.
    """
    name = kept_name(name, "a session")
    given = distinct_seeds(seeds)
    if not given.texts:
        raise InputError("a session needs seeds, and there is none")
    with store.write() as connection:
        _require_free(connection, name)
        described = {"name": name, "language": language}
        asked = _stored_filter(kept)
        told = {key: value for key, value in asked.items() if key == "order" or value not in (None, False, "same")}
        run = start_run(store, "session", {**described, **told, **(source or {})})
        values = {**described, **asked, "now": now(), "run": run.id}
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
       session.id, address, is_real
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


def _progress(row: Sequence[Any]) -> SessionProgress:
    return replace(SessionProgress(*row[:-1]), real=bool(row[-1]))


def sessions(store: Store) -> list[SessionProgress]:
    """Every session, the one used last first."""
    return [_progress(row) for row in store.connection.execute(_STANDINGS, {"name": None})]


def session_standing(store: Store, name: str) -> SessionProgress:
    """The session of this name. Raises InputError, with the names there are, for another."""
    row = store.connection.execute(_STANDINGS, {"name": name}).fetchone()
    if row is None:
        raise InputError(f"there is no session {name!r}; there are: {', '.join(_names(store)) or 'none yet'}")
    return _progress(row)


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
        raise InputError(f"{seed!r} is not a seed of session {name!r}")
    state: SeedState = row[0]
    return state


_GO = "update session set position = :position, last_used = :now where name = :name"
_SEEN = """
update session_seed set state = 'seen'
where session = (select id from session where name = ?) and position = ? and state = 'waiting'
"""


def go_to_seed(store: Store, name: str, position: int) -> SessionProgress:
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


def add_seed(store: Store, name: str, text: str) -> SessionProgress:
    """Put a sentence into the queue, behind the seed that is open, and open it; one that is there already is opened.

    The corpus need not hold it. Raises InputError for an empty one.
    """
    text = normalise(text)
    if not text:
        raise InputError("an empty sentence is not a seed")
    with store.write() as connection:
        here = session_standing(store, name).position
        position = seed_position(store, name, text)
        if position is not None:
            return go_to_seed(store, name, position)
        (session,) = connection.execute(_ID, (name,)).fetchone()
        for statement in _SHIFT:
            connection.execute(statement, {"session": session, "here": here})
        connection.execute(_SEED, (session, here + 1, text, "waiting"))
        return go_to_seed(store, name, here + 1)


_ID = "select id from session where name = ?"

_MARK = """
update session_seed set state = :state
where session = (select id from session where name = :name) and text = :seed
"""


def mark_seed(store: Store, name: str, seed: str, state: SeedState) -> SessionProgress:
    """Note how far a seed is. Raises InputError for a sentence that is none of the session's seeds."""
    if state not in get_args(SeedState):
        raise UsageError(f"a seed is {', '.join(get_args(SeedState))}; not {state!r}")
    with store.write() as connection:
        session_standing(store, name)
        if not connection.execute(_MARK, {"name": name, "seed": normalise(seed), "state": state}).rowcount:
            raise InputError(f"{seed!r} is not a seed of session {name!r}")
        touch(connection, name)
        return session_standing(store, name)


def _stored_filter(kept: NSequenceFilter) -> dict[str, object]:
    """What a session keeps of its filter; the least validity is None where it is the usual one for its N."""
    usual = kept.min_validity == filter_at(kept.order).min_validity
    return {
        "order": kept.order,
        "min_validity": None if usual else kept.min_validity,
        "real": kept.real,
        "address": kept.address,
    }


_FILTER = """
update session set least_order = :order, least_validity = :min_validity, is_real = :real, address = :address
where name = :name
"""


def set_filter(store: Store, name: str, kept: NSequenceFilter) -> SessionProgress:
    """Keep the filter; where N or the least validity asks for something, final marks alone are refused."""
    with store.write() as connection:
        session_standing(store, name)
        connection.execute(_FILTER, {"name": name, **_stored_filter(kept)})
        touch(connection, name)
        return session_standing(store, name)


_TOUCH = "update session set last_used = ? where name = ?"


def touch(connection: sqlite3.Connection, name: str) -> None:
    """Note that a session is being used; inside a transaction of the caller."""
    connection.execute(_TOUCH, (now(), name))


# Sessions renamed, deleted and brought back. A deleted one is in no list, and its name is free; its rows stay.

_RENAME = "update session set name = :name where name = :before"
_IS_TAKEN = "select exists (select 1 from session where name = ?)"


def rename_session(store: Store, name: str, new: str) -> SessionProgress:
    """Call a session something else. Raises InputError where there is none, UsageError for a name taken or blank."""
    new = kept_name(new, "a session")
    with store.write() as connection:
        session_standing(store, name)
        if new != name:
            _require_free(connection, new)
            connection.execute(_RENAME, {"name": new, "before": name})
        return session_standing(store, new)


def _require_free(connection: sqlite3.Connection, name: str) -> None:
    if connection.execute(_IS_TAKEN, (name,)).fetchone()[0]:
        raise UsageError(f"there is a session {name!r} already")


# Deleted sessions are numbered in the order in which they were deleted: their names have to differ, also from those of
# sessions that people call so.
_DELETE = """
update session set was_called = name, name = 'deleted ' || (
    select coalesce(max(cast(substr(name, 9) as integer)), 0) + 1 from session where name like 'deleted %'
) || ': ' || name
where name = ?
"""


def delete_session(store: Store, name: str) -> SessionProgress:
    """Take a session out of all lists; how it stood. Raises InputError where there is none.

    What was written into the corpus stays there.
    """
    with store.write() as connection:
        standing = session_standing(store, name)
        connection.execute(_DELETE, (name,))
        return standing


@dataclass(frozen=True, slots=True)
class DeletedSession:
    """A session that can be brought back."""

    name: str
    language: str
    seeds: int
    decisions: int
    last_used: str
    """UTC, ISO 8601."""
    id: int


_DELETED = """
select was_called, language, (select count(*) from session_seed where session = session.id),
       (select count(*) from session_seed join current_decision said on said.seed = session_seed.id
        where session_seed.session = session.id),
       last_used, id
from session where was_called is not null order by cast(substr(name, 9) as integer) desc, id desc
"""


def deleted_sessions(store: Store) -> list[DeletedSession]:
    """The sessions that were deleted, the last one first."""
    return [DeletedSession(*row) for row in store.connection.execute(_DELETED)]


_RESTORE = "update session set name = was_called, was_called = null where id = ?"


def restore_session(store: Store, name: str | None = None) -> SessionProgress:
    """Bring a deleted session back: of this name, or of any, the one that was deleted last.

    Raises InputError where there is none, and UsageError where another one has its name now.
    """
    with store.write() as connection:
        found = next((each for each in deleted_sessions(store) if name in (None, each.name)), None)
        if found is None:
            raise InputError("no session was deleted" if name is None else f"no session {name!r} was deleted")
        _require_free(connection, found.name)
        connection.execute(_RESTORE, (found.id,))
        return session_standing(store, found.name)

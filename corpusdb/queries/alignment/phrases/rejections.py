"""What a person said to be no equivalent: rejected, taken back, listed.

A rejection is about two phrases of a language, in no direction and of no model: an equivalence set (Owczarzak et al.
2006, section 3.2) has no direction either, and what does not mean the same does not do so after another training.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass

from corpusdb.alignment.equivalence import is_rejected
from corpusdb.errors import UsageError
from corpusdb.queries.alignment.phrases.phrase_lookup import phrase_key, shown
from corpusdb.store import Store
from corpusdb.store.clock import now

__all__ = ["RejectedPair", "rejected_among", "rejected_pairs", "rejections", "rejections_so_far", "set_rejected"]


@dataclass(frozen=True, slots=True)
class RejectedPair:
    """Two phrases that are not equivalent."""

    language: str
    phrase: str
    """The lesser one, as it is written."""
    equivalent: str
    rejected: str
    """When: UTC, ISO 8601."""


def _ordered(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


_STANDS = "select id from current_rejection where language = ? and phrase = ? and equivalent = ?"
_REJECT = "insert into rejected_equivalent (language, phrase, equivalent, rejected) values (?, ?, ?, ?)"
_TAKE_BACK = "update rejected_equivalent set undone = ? where id = ?"


_SO_FAR = "select count(*), count(undone) from rejected_equivalent"


def rejections_so_far(store: Store) -> tuple[int, int]:
    """How many were ever made, and how many of these taken back: as long as it is the same, so are the rejections."""
    made, undone = store.connection.execute(_SO_FAR).fetchone()
    return int(made), int(undone)


def set_rejected(store: Store, language: str, one: str, other: str, *, is_rejected: bool) -> bool:
    """Reject two phrases as equivalents of each other, or take that back; whether that changed anything.

    When this returns, the file has it. Raises UsageError for no phrase, and for a phrase and itself.
    """
    keys = _ordered(phrase_key(one), phrase_key(other))
    if keys[0] == keys[1]:
        raise UsageError(f"{shown(keys[0])!r} is one phrase: two are no equivalents of each other")
    with store.write() as connection:
        found = connection.execute(_STANDS, (language, *keys)).fetchone()
        if (found is not None) == is_rejected:
            return False
        if found is None:
            connection.execute(_REJECT, (language, *keys, now()))
        else:
            connection.execute(_TAKE_BACK, (now(), *found))
        return True


_OF = """
select phrase, equivalent from json_each(:parts) part
cross join current_rejection said on said.language = :language and said.phrase = part.value
union
select phrase, equivalent from json_each(:parts) part
cross join current_rejection said on said.language = :language and said.equivalent = part.value
"""


def rejected_among(store: Store, language: str, key: str, texts: Collection[str]) -> frozenset[str]:
    """Those of some phrases that are not equivalent to this one, by ``is_rejected``; all as they are stored."""
    if not texts:  # as of a whole sentence, which has very many parts
        return frozenset()
    words = _units(key)
    spans = ((begin, end) for begin in range(len(words)) for end in range(begin + 1, len(words) + 1))
    parts = json.dumps([" ".join(words[begin:end]) for begin, end in spans], ensure_ascii=False)
    pairs = frozenset(store.connection.execute(_OF, {"parts": parts, "language": language}).fetchall())
    return frozenset(text for text in texts if pairs and is_rejected(words, _units(text), pairs))


def _units(key: str) -> tuple[str, ...]:
    """The units of a stored phrase, as rejections have them, whatever the model cuts its language into."""
    return tuple(phrase_key(shown(key)).split(" "))


_ALL = """
select language, phrase, equivalent, rejected from current_rejection
where :language is null or language = :language order by language, phrase, equivalent
"""


def rejected_pairs(store: Store, language: str | None = None) -> list[RejectedPair]:
    """What stands, of one language or of all, by language and phrases."""
    rows = store.connection.execute(_ALL, {"language": language})
    return [RejectedPair(each, shown(one), shown(other), when) for each, one, other, when in rows]


_PAIRS = "select phrase, equivalent from current_rejection where language = ? order by 1, 2"


def rejections(store: Store, language: str) -> tuple[tuple[str, str], ...]:
    """What stands of one language, as it is stored, ascending: for who substitutes equivalents."""
    return tuple(store.connection.execute(_PAIRS, (language,)).fetchall())

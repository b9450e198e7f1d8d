"""The validity of paraphrases in the database; what a person took into the corpus holds, whatever is behind it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

__all__ = ["store_validity"]

_ACCEPTED = """
with accepted as materialized (
    select json_extract(parameters, '$.seed') as seed, json_extract(parameters, '$.candidate') as text
    from run where operation = 'accept' and json_extract(parameters, '$.language') = :language
        and json_type(parameters, '$.candidate') = 'text'
    union
    select session_seed.text, said.text
    from session
    cross join session_seed on session_seed.session = session.id
    cross join current_decision said on said.seed = session_seed.id and said.verdict = 'accept'
    where session.language = :language and said.applied is not null)
"""
_CANDIDATES = f"""
{_ACCEPTED}
update candidate set validity = 1.0, replacement = coalesce(replacement, 0) where id in (
    select candidate.id from accepted
    cross join seed on seed.language = :language and seed.text = accepted.seed
    cross join candidate on candidate.seed = seed.id and candidate.text = accepted.text)
"""
_DETECTED = f"""
{_ACCEPTED},
pair as materialized (
    select one.id as sentence, other.id as paraphrase from accepted
    cross join sentence one on one.language = :language and one.text = accepted.seed
    cross join sentence other on other.language = :language and other.text = accepted.text)
update paraphrase set validity = 1.0
where (sentence, paraphrase) in (select sentence, paraphrase from pair union all select paraphrase, sentence from pair)
"""


_JUDGE_CANDIDATE = "update candidate set validity = ?, replacement = ? where id = ?"
_JUDGE_DETECTED = "update paraphrase set validity = ? where sentence = ? and paraphrase = ?"


def store_validity(
    connection: sqlite3.Connection,
    language: str,
    candidates: Iterable[tuple[float, int, int]] = (),
    detected: Iterable[tuple[float, int, int]] = (),
) -> None:
    """Store the validity of paraphrases; what people accepted has 1, in both directions.

    In a transaction of the caller.
    ``candidates``: validity, whether it is a replacement, number. ``detected``: validity, sentence, paraphrase.
    """
    connection.executemany(_JUDGE_CANDIDATE, candidates)
    connection.executemany(_JUDGE_DETECTED, detected)
    for statement in (_CANDIDATES, _DETECTED):
        connection.execute(statement, {"language": language})

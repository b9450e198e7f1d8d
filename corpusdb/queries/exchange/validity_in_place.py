"""Judging what is new by the exchanges and the model that the database holds."""

from __future__ import annotations

from corpusdb.exchange.pair_differences import Pair
from corpusdb.queries.exchange.seed_validity import SeedValidity
from corpusdb.queries.exchange.validity_rows import store_validity
from corpusdb.store import Store

__all__ = ["has_unjudged", "judge_in_place"]

_AT_ONCE = 5_000

# Through the whole table: what is not judged stands at its end.
_CANDIDATES = """
select candidate.id, seed.text, candidate.text, candidate.frequency, candidate.languages, candidate.probability,
       length(paraphrase.languages) - length(replace(paraphrase.languages, ',', '')) + 1
from candidate not indexed
cross join seed on seed.id = candidate.seed and seed.language = :language
left join sentence other on other.language = :language and other.text = candidate.text
left join paraphrase on paraphrase.sentence = seed.sentence and paraphrase.paraphrase = other.id
where candidate.validity is null limit :limit
"""
_DETECTED = """
select paraphrase.sentence, paraphrase.paraphrase, sentence.text, other.text,
       length(paraphrase.languages) - length(replace(paraphrase.languages, ',', '')) + 1, candidate.validity
from paraphrase
cross join sentence on sentence.id = paraphrase.sentence and sentence.language = :language
cross join sentence other on other.id = paraphrase.paraphrase
left join seed on seed.sentence = sentence.id
left join candidate on candidate.seed = seed.id and candidate.text = other.text
where paraphrase.validity is null limit :limit
"""


def has_unjudged(store: Store, language: str) -> bool:
    """Whether a stored paraphrase of a language has no validity."""
    values = {"language": language, "limit": 1}
    return any(store.connection.execute(query, values).fetchone() for query in (_CANDIDATES, _DETECTED))


def judge_in_place(store: Store, language: str) -> None:
    """Judge the stored paraphrases of a language that have no validity; inside a job."""
    judge = SeedValidity(store, language)
    values = {"language": language, "limit": _AT_ONCE}
    while rows := store.connection.execute(_CANDIDATES, values).fetchall():
        judged = judge.judge([Pair(*row[:6]) for row in rows], [row[6] or 0 for row in rows])
        with store.write() as connection:
            store_validity(connection, language, [(*each, row[0]) for each, row in zip(judged, rows, strict=True)])
    while rows := store.connection.execute(_DETECTED, values).fetchall():
        pairs = [Pair(0, seed, text, 0, 0, 0.0) for _, _, seed, text, *_ in rows]
        judged = judge.judge(pairs, [row[4] for row in rows], derived=False)
        found = [
            (each.validity if row[5] is None else row[5], row[0], row[1])
            for each, row in zip(judged, rows, strict=True)
        ]
        with store.write() as connection:
            store_validity(connection, language, detected=found)
    with store.write() as connection:  # somebody may have accepted what was judged before
        store_validity(connection, language)

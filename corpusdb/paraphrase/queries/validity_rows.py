"""The validity of paraphrases in the database; what a person took into the corpus holds, whatever is behind it.

And the languages that it was learned through: with one alone it may be blind to what a paraphrase changes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from corpusdb.corpus.model import ONE_PIVOT
from corpusdb.corpus.store import Store

HELD_THROUGH_ONE: Final = "17 to 18%"
"""Of the pairs of the highest validities through the one language that does not mark what they may differ in: of French
and German ones through English that were read."""
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


class Pivots(NamedTuple):
    """What the validities of a language were learned through."""

    language: str
    languages: tuple[str, ...]
    """Those of the translations, ascending."""
    unseen: tuple[str, ...]
    """What the only one of them does not mark, in words: see ``ValidityModels``."""

    def document(self) -> dict[str, object] | None:
        """As JSON tells it of one pivot language; None where there are several."""
        if len(self.languages) != 1:
            return None
        return {"language": self.languages[0], "unseen": list(self.unseen)}

    def told(self) -> str | None:
        """In one line that one language alone stands behind the validities; None where several do."""
        if len(self.languages) != 1:
            return None
        told = f"{self.languages[0]} is the one pivot language of {self.language}"
        if not self.unseen:
            return f"{told}: no other can confirm what validity says"
        return (
            f"{told} and does not mark {_listed(self.unseen)}: no validity is above {ONE_PIVOT:g} before another"
            f" language is imported; of such pairs that were read {HELD_THROUGH_ONE} held"
        )


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_MODEL = """
select json_extract(run.parameters, '$.model.pivots'), json_extract(run.parameters, '$.model.unseen')
from layer join run on run.id = layer.run
where layer.language = ? and layer.name = 'validity' and layer.complete
"""


def validity_pivots(store: Store, language: str) -> Pivots | None:
    """What the stored validities of a language were learned through; None where nothing was, or by an older version."""
    row = store.connection.execute(_MODEL, (language,)).fetchone()
    if row is None or row[0] is None:
        return None
    return Pivots(language, *(tuple(json.loads(each)) for each in row))

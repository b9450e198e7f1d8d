"""The rows from which candidates are derived, as a database holds them, and the candidates that are stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from corpusdb.analogy.derivation import MOST_FILLER, Derivation, Evidence
from corpusdb.charlm import Fluency
from corpusdb.store import Run, Store

__all__ = ["IndexRows", "Seed", "store_candidates"]

_WANTED = "create temp table if not exists wanted_seed (sentence integer primary key)"
_UNWANT = "delete from temp.wanted_seed"
_WANT = "insert or ignore into temp.wanted_seed values (?)"
_DERIVATIONS = f"""
select slot.sentence, x.text, substitution.sentence, substitution.rewording, substitution.start, substitution.stop,
       commutation.contexts - 1, slot.context, slot.filler, substitution.filler
from temp.wanted_seed
cross join sentence on sentence.id = wanted_seed.sentence
cross join slot on slot.sentence = sentence.id
cross join filler x on x.id = slot.filler and length(x.text) <= {MOST_FILLER} * length(sentence.text)
cross join substitution on substitution.context = slot.context and substitution.filler <> slot.filler
cross join commutation on commutation.x = min(slot.filler, substitution.filler)
                      and commutation.y = max(slot.filler, substitution.filler)
order by wanted_seed.sentence
"""
_LONE_OF_SEED = f"""
select slot.sentence, x.text, substitution.sentence, substitution.rewording, substitution.start, substitution.stop,
       0, slot.context, slot.filler, substitution.filler
from (select context, filler, sentence from slot where sentence = ?) slot
cross join substitution on substitution.context = slot.context and substitution.filler <> slot.filler
cross join sentence on sentence.id = slot.sentence
cross join filler x on x.id = slot.filler and length(x.text) <= {MOST_FILLER} * length(sentence.text)
where substitution.start is not null and not exists (
    select 1 from commutation where commutation.x = min(slot.filler, substitution.filler)
    and commutation.y = max(slot.filler, substitution.filler))
"""
_TEXT = "select text from sentence where id = ?"
_SHARED = "select languages, probability from paraphrase where sentence = ? and paraphrase = ?"


class IndexRows:
    """The rows of a database from which candidates are derived; keeps the sentences and paraphrases that it met."""

    _CAPACITY = 200_000

    def __init__(self, store: Store) -> None:
        self._connection = store.connection
        self._texts: dict[int, str] = {}
        self._paraphrases: dict[tuple[int, int], tuple[frozenset[str], float]] = {}

    def derivations(self, sentences: Iterable[int]) -> Iterator[tuple[int, list[Derivation]]]:
        """For each of these sentences, ascending, everything that can be derived from it as the seed."""
        connection = self._connection
        connection.execute(_WANTED)
        connection.execute(_UNWANT)
        connection.executemany(_WANT, ((sentence,) for sentence in sentences))
        for seed, rows in groupby(connection.execute(_DERIVATIONS), key=itemgetter(0)):
            yield seed, list(map(Derivation._make, rows))

    def lone_derivations_of(self, seed: int) -> list[Derivation]:
        """What can be derived from one seed, through any pair of B and B', where the fillers x and y stand together in
        no context but that of the seed: the number of further contexts is 0."""
        return list(map(Derivation._make, self._connection.execute(_LONE_OF_SEED, (seed,))))

    def text(self, sentence: int) -> str:
        """The text of a sentence."""
        text = self._texts.get(sentence)
        if text is None:
            if len(self._texts) >= self._CAPACITY:
                self._texts.clear()
            text = self._texts[sentence] = self._connection.execute(_TEXT, (sentence,)).fetchone()[0]
        return text

    def shared(self, sentence: int, rewording: int) -> tuple[frozenset[str], float]:
        """In which languages a sentence and its paraphrase share translations, and the pivot probability."""
        pair = sentence, rewording
        found = self._paraphrases.get(pair)
        if found is None:
            if len(self._paraphrases) >= self._CAPACITY:
                self._paraphrases.clear()
            languages, probability = self._connection.execute(_SHARED, pair).fetchone()
            found = self._paraphrases[pair] = frozenset(languages.split(",")), probability
        return found


@dataclass(frozen=True, slots=True)
class Seed:
    """What candidates are stored of."""

    language: str
    text: str
    sentence: int | None
    """None where it is not in the corpus."""


_SEED = """
insert into seed (language, text, sentence, run) values (?, ?, ?, ?)
on conflict (language, text) do update set sentence = excluded.sentence, run = excluded.run returning id
"""
_FORGET = "delete from candidate where seed = ?"
_CANDIDATE = """
insert into candidate
    (seed, text, frequency, pivots, languages, probability, fluency, inner_fluency, unseen, inner_unseen, run)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def store_candidates(
    connection: sqlite3.Connection,
    seed: Seed,
    candidates: Iterable[Evidence],
    fluency: Mapping[str, Fluency],
    run: Run,
) -> None:
    """Store the candidates of one seed in place of those it had; inside a transaction of the caller."""
    values = seed.language, seed.text, seed.sentence, run.id
    number = int(connection.execute(_SEED, values).fetchone()[0])
    connection.execute(_FORGET, (number,))
    rows = (
        (number, c.text, c.frequency, c.pivots, c.languages, c.probability, *fluency[c.text], run.id)
        for c in candidates
    )
    connection.executemany(_CANDIDATE, rows)

"""Generation: new sentences from paraphrases by proportional analogy (Lepage & Denoual 2005, section 4.3).

The seed D = c[x] stands in a context c with another filler y: B = c[y]. Where x and y commute in another context c'
too, A = c'[y] and C = c'[x] complete an analogy A : B :: C : D for each such c'. B is replaced by its paraphrase B',
and A : B' :: C : x is solved: the solution is B' with y replaced by x. Where y is empty, or stands in B' in several
places, the general solver finds the place from the sentences most alike, B : B' :: D : x, the analogy in the seed's
own context.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from corpusdb.analogy import solve
from corpusdb.queries.analogy.fluency import Fluency
from corpusdb.store import Run, Store

__all__ = ["Derivation", "Evidence", "Generator", "store_candidates"]

_LEAST_CONTEXT = 0.3
"""The least part of the seed, in characters, that its context must be; below, B has too little in common with it."""
_SOLVER_WORK = 2_000
"""Bound on the general solver for one equation; ten times as much found one solution more in 2,923."""

_WANTED = "create temp table if not exists wanted_seed (sentence integer primary key)"
_UNWANT = "delete from temp.wanted_seed"
_WANT = "insert or ignore into temp.wanted_seed values (?)"
_DERIVATIONS = f"""
select slot.sentence, x.text, substitution.sentence, substitution.rewording, substitution.start, substitution.stop,
       commutation.contexts - 1, slot.context, slot.filler, substitution.filler
from temp.wanted_seed
cross join sentence on sentence.id = wanted_seed.sentence
cross join slot on slot.sentence = sentence.id
cross join filler x on x.id = slot.filler and length(x.text) <= {1 - _LEAST_CONTEXT} * length(sentence.text)
cross join substitution on substitution.context = slot.context and substitution.filler <> slot.filler
cross join commutation on commutation.x = min(slot.filler, substitution.filler)
                      and commutation.y = max(slot.filler, substitution.filler)
order by wanted_seed.sentence
"""


class Derivation(NamedTuple):
    """One way to a candidate: all analogies with the same B, B' and exchange of fillers.

    A named tuple, since there are millions of them: a dataclass takes twice as long to make.
    """

    seed: int
    """D."""
    filler: str
    """x, of the seed."""
    sentence: int
    """B."""
    rewording: int
    """B'."""
    start: int | None
    """Where y stands in B', in code points; None where the general solver has to find the place."""
    stop: int | None
    contexts: int
    """How many contexts c' besides that of the seed have both x and y: the number of analogies."""
    context: int
    """Numbers of c, x and y in the index."""
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """What stands behind one candidate."""

    text: str
    frequency: int
    pivots: int
    languages: int
    probability: float


class Generator:
    """Generates candidates; keeps the sentences and paraphrases that it met."""

    _CAPACITY = 200_000
    _TEXT = "select text from sentence where id = ?"
    _PARAPHRASE = "select languages, probability from paraphrase where sentence = ? and paraphrase = ?"

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

    def candidates(self, seed: str, derivations: Iterable[Derivation]) -> list[Evidence]:
        """What is derived from one seed, by text, in the order of code points; not the seed itself.

        One exchange of sentences can be seen as an exchange of several fillers, the shorter in those contexts where the
        longer is and in more; so the analogies of a pair B, B' are counted by the most frequent of them.
        """
        found: dict[str, dict[tuple[int, int], int]] = {}
        for derivation in derivations:
            text = self.solution(seed, derivation)
            if text is None:
                continue
            pairs = found.setdefault(text, {})
            pair = (derivation.sentence, derivation.rewording)
            if pairs.get(pair, 0) < derivation.contexts:
                pairs[pair] = derivation.contexts
        found.pop(seed, None)
        return [self._evidence(text, found[text]) for text in sorted(found)]

    def solution(self, seed: str, derivation: Derivation) -> str | None:
        """The candidate that a derivation gives, if it gives one."""
        rewording = self.text(derivation.rewording)
        if derivation.start is None:
            text = solve(self.text(derivation.sentence), rewording, seed, work=_SOLVER_WORK)
        else:
            text = rewording[: derivation.start] + derivation.filler + rewording[derivation.stop :]
        # Texts are stored without spaces at their ends: what has some, or nothing else, is no sentence.
        return text if text and text == text.strip() else None

    def _evidence(self, text: str, pairs: dict[tuple[int, int], int]) -> Evidence:
        paraphrases = [self._paraphrase(pair) for pair in pairs]
        return Evidence(
            text,
            frequency=sum(pairs.values()),
            pivots=len({rewording for _, rewording in pairs}),
            languages=len(frozenset().union(*(languages for languages, _ in paraphrases))),
            probability=max(probability for _, probability in paraphrases),
        )

    def text(self, sentence: int) -> str:
        """The text of a sentence."""
        text = self._texts.get(sentence)
        if text is None:
            if len(self._texts) >= self._CAPACITY:
                self._texts.clear()
            text = self._texts[sentence] = self._connection.execute(self._TEXT, (sentence,)).fetchone()[0]
        return text

    def _paraphrase(self, pair: tuple[int, int]) -> tuple[frozenset[str], float]:
        found = self._paraphrases.get(pair)
        if found is None:
            if len(self._paraphrases) >= self._CAPACITY:
                self._paraphrases.clear()
            languages, probability = self._connection.execute(self._PARAPHRASE, pair).fetchone()
            found = self._paraphrases[pair] = frozenset(languages.split(",")), probability
        return found


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
    seed: tuple[str, str, int | None],
    candidates: Iterable[Evidence],
    fluency: Mapping[str, Fluency],
    run: Run,
) -> None:
    """Store the candidates of one seed (language, text, sentence) in place of those it had.

    Inside a transaction of the caller.
    """
    number = int(connection.execute(_SEED, (*seed, run.id)).fetchone()[0])
    connection.execute(_FORGET, (number,))
    rows = (
        (number, c.text, c.frequency, c.pivots, c.languages, c.probability, *fluency[c.text], run.id)
        for c in candidates
    )
    connection.executemany(_CANDIDATE, rows)

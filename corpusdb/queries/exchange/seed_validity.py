"""The validity of what is generated from single seeds, by the exchanges and the model that the database holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corpusdb.arrays import F64, Bools
from corpusdb.exchange.differences import Exchange, difference, differences_apart
from corpusdb.exchange.evidence import ExchangeEvidence, most_probable
from corpusdb.exchange.exchange_index import ExchangeIndex
from corpusdb.exchange.judging import judge_applied
from corpusdb.exchange.pair_differences import Pair, PairComparer, PairDifferences
from corpusdb.exchange.stored_sums import StoredExchange, StoredPart, index_of_sums
from corpusdb.exchange.validity_models import ValidityModels, is_vouched
from corpusdb.store import Store
from corpusdb.text import units_of

__all__ = ["Bounds", "Judged", "Objection", "SeedValidity"]

_MODEL = """
select json_extract(run.parameters, '$.model') from layer join run on run.id = layer.run
where layer.language = ? and layer.name = 'validity' and layer.complete
"""
_EXCHANGES = """
select exchange.id, exchange.x, exchange.y, exchange.pairs, exchange.shared, exchange.expected
from json_each(:wanted) wanted
cross join exchange on exchange.language = :language
    and exchange.x = json_extract(wanted.value, '$[0]') and exchange.y = json_extract(wanted.value, '$[1]')
order by exchange.id
"""
_PARTS = """
select exchange, kind, name, pairs, shared, expected
from json_each(?) wanted cross join exchange_part on exchange_part.exchange = wanted.value
"""


class Judged(NamedTuple):
    """What is known of a paraphrase."""

    validity: float
    replacement: int


class Objection(NamedTuple):
    """A language of the translations that says that an exchange changes the meaning."""

    language: str
    shared: int
    """How many pairs of sentences share a translation into it."""
    expected: float
    """How many would if they meant the same."""
    most: float
    """The probability that it leaves."""


class Bounds(NamedTuple):
    """What the probability that a paraphrase holds is not above, whatever else speaks for it."""

    objection: Objection | None
    region: tuple[Exchange, float] | None
    """Of several exchanges the one that holds least probably, where all together are not known."""


class SeedValidity:
    """Judges paraphrases of one language, as its exchanges stand when they are first asked for."""

    def __init__(self, store: Store, language: str) -> None:
        self._store = store
        self._language = language

    @cached_property
    def _models(self) -> ValidityModels | None:
        row = self._store.connection.execute(_MODEL, (self._language,)).fetchone()
        return ValidityModels.read(json.loads(row[0])) if row and row[0] else None

    @property
    def is_known(self) -> bool:
        """Whether anything was learned yet."""
        return self._models is not None

    def judge(
        self, pairs: Sequence[Pair], languages: Sequence[int] | None = None, *, derived: bool = True
    ) -> list[Judged]:
        """The validity of pairs; ``derived``: by their analogies too.

        ``languages``: in how many each pair shares a translation; None: in none, as far as anybody knows.

        Raises LookupError where nothing was learned yet.
        """
        models = self.models
        evidence, differences, _ = self._compared(pairs)
        validity = _probability(models, evidence, differences, derived=derived)
        shown = models.shown(validity, np.array(languages or [0] * len(pairs), dtype=np.int64))
        return _judged(shown, is_vouched(evidence, differences))

    def judge_applied(self, pairs: Sequence[Pair]) -> list[Judged]:
        """The same of pairs that only an exchange makes: a replacement must be known beside one of its neighbours."""
        models = self.models
        evidence, differences, _ = self._compared(pairs)
        return _judged(*judge_applied(models, evidence, differences))

    def bounds(self, pair: Pair, *, derived: bool) -> Bounds:
        """What bounds the probability of a pair, by the stored sums; ``derived``: it is judged by its analogies too."""
        models = self.models
        evidence, differences, languages = self._compared([pair])
        objection = None
        if most_probable(evidence.by_language)[0] < 1:
            left = [float(most_probable(evidence.by_language[[at]])[0]) for at in range(len(languages))]
            worst = int(np.argmin(left))
            sums = (float(each[worst, 0]) for each in (evidence.by_language.shared, evidence.by_language.expected))
            shared, expected = sums
            objection = Objection(languages[worst], round(shared), expected, left[worst])
        if evidence.alone is None:
            return Bounds(objection, None)
        whole, bounded = (
            float(_probability(models, each, differences, derived=derived)[0])
            for each in (replace(evidence, alone=None), evidence)
        )
        if bounded >= whole:
            return Bounds(objection, None)
        alone = _probability(models, evidence.alone.evidence, differences.regions_alone(), derived=derived)
        units = units_of(pair.seed), units_of(pair.text)
        region = differences_apart(*units, difference(*units))[int(np.argmin(alone))]
        return Bounds(objection, (region.exchange, float(alone.min())))

    @property
    def models(self) -> ValidityModels:
        """What was learned of the language. Raises LookupError where nothing was yet."""
        if self._models is None:
            raise LookupError(f"nothing was learned of exchanges in {self._language}")
        return self._models

    def _compared(self, pairs: Sequence[Pair]) -> tuple[ExchangeEvidence, PairDifferences, tuple[str, ...]]:
        """What speaks for pairs, how they differ, and the languages of the translations."""
        wanted: set[Exchange] = set()
        for pair in pairs:
            units = units_of(pair.seed), units_of(pair.text)
            found = difference(*units)
            wanted |= {_ordered(each.exchange) for each in (found, *differences_apart(*units, found))}
        exchanges = self._exchanges(wanted)
        fillers = sorted({text for each in exchanges for text in (each.x, each.y)})
        neighbours: dict[str, int] = {}
        comparer = PairComparer({}, {text: number for number, text in enumerate(fillers)}, neighbours)
        comparer.add(pairs)
        differences = comparer.differences()
        index = self._index(exchanges, fillers, neighbours)
        return index.evidence(differences), differences, index.sharing.languages

    def _exchanges(self, wanted: Iterable[Exchange]) -> list[StoredExchange]:
        bound = {"language": self._language, "wanted": json.dumps(sorted(wanted))}
        return list(map(StoredExchange._make, self._store.connection.execute(_EXCHANGES, bound)))

    def _index(
        self, exchanges: Sequence[StoredExchange], fillers: Sequence[str], neighbours: Mapping[str, int]
    ) -> ExchangeIndex:
        """The stored sums of these exchanges."""
        wanted = json.dumps([each.id for each in exchanges])
        parts = map(StoredPart._make, self._store.connection.execute(_PARTS, (wanted,)))
        return index_of_sums(exchanges, parts, fillers, neighbours)


def _probability(
    models: ValidityModels, evidence: ExchangeEvidence, differences: PairDifferences, *, derived: bool
) -> F64:
    if derived:
        return models.of_candidates(evidence, differences, np.zeros(len(differences.row), dtype=np.bool_))
    return models.of_pairs(evidence)


def _judged(validity: F64, vouched: Bools) -> list[Judged]:
    return list(map(Judged, validity.tolist(), vouched.astype(int).tolist()))


def _ordered(exchange: Exchange) -> Exchange:
    return min(exchange), max(exchange)

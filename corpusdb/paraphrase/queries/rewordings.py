"""What exchanges make of all sentences of a language, and what several paraphrases of a sentence give together."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Final, NamedTuple, TypeVar

from corpusdb.corpus.model import DEFAULT_MIN_VALIDITY, NO_LIMIT, stored_in
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.derivation import Evidence
from corpusdb.paraphrase.exchange_index import StoredExchange, StoredPart
from corpusdb.paraphrase.fluency import Fluency
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.rewording import (
    LEAST_APPLIED,
    LEAST_ORDER_APPLIED,
    Composed,
    FamiliarExchanges,
    Part,
    composed,
    composition,
    familiar_exchanges,
    is_part,
)

REWORDING_COLUMNS: Final = (*stored_in("rewording"), "replacement", "parts")
"""Of the table of rewordings, behind the seed and the text."""


class Rewording(NamedTuple):
    """A row of the table, but for its run."""

    sentence: int
    text: str
    validity: float
    fluency: int
    inner_fluency: int
    pivots: int = 0
    languages: int = 0
    probability: float = 0.0
    replacement: int = 1
    parts: int = 1

    def row(self, run: int) -> dict[str, object]:
        return self._asdict() | {"run": run}


def lone_row(sentence: int, evidence: Evidence, validity: float, fluency: Fluency) -> Rewording:
    """Of what one context gives."""
    return Rewording(
        sentence, evidence.text, validity, *fluency[:2], evidence.pivots, evidence.languages, evidence.probability
    )


_EXCHANGES = "select id, x, y, pairs, shared, expected from exchange where language = ? order by id"
_BESIDE = """
select exchange, kind, name, part.pairs, part.shared, part.expected
from exchange cross join exchange_part part on part.exchange = exchange.id and part.kind in ('left', 'right')
where exchange.language = ? and part.shared > 1
"""


def load_familiar(store: Store, language: str) -> FamiliarExchanges:
    """The exchanges that are made between neighbours that they are known by."""
    exchanges = [StoredExchange(*row) for row in store.connection.execute(_EXCHANGES, (language,))]
    parts = map(StoredPart._make, store.connection.execute(_BESIDE, (language,)))
    return familiar_exchanges(exchanges, parts, language)


Judge = Callable[[Sequence[Pair]], Sequence[tuple[float, int]]]
"""What tells the validity of pairs that an exchange makes, and whether it vouches for them."""


class AppliedExchange(NamedTuple):
    """A sentence with one exchange made between neighbours that it is known by."""

    sentence: int
    text: str
    validity: float


_Place = tuple[tuple[str, str], str, str]
"""An exchange, and the unit to the left and to the right."""


def applied_exchanges(
    sentences: Iterable[tuple[int, str]], familiar: FamiliarExchanges, judge: Judge
) -> Iterator[list[AppliedExchange]]:
    """What exchanges make of these sentences, given with their numbers, if it is more probable than not to hold.

    For some thousands of sentences at a time. How probable it is depends on the exchange and its neighbours alone, so
    that it is asked once of each.
    """
    known: dict[_Place, float] = {}
    for batch in _batches(iter(sentences), _SENTENCES_AT_ONCE):
        made: dict[tuple[int, str], list[_Place]] = defaultdict(list)
        asked: dict[_Place, Pair] = {}
        for number, sentence in batch:
            for each, left, right in familiar.applied(sentence):
                place = each.exchange, left, right
                made[number, each.text].append(place)
                if place not in known:
                    asked.setdefault(place, Pair(0, sentence, each.text, 0, 0, 0.0))
        judged = judge(list(asked.values())) if asked else ()
        known.update(
            (place, validity if vouched else 0.0) for place, (validity, vouched) in zip(asked, judged, strict=True)
        )
        best = ((*key, max(known[place] for place in places)) for key, places in made.items())
        yield [AppliedExchange(*each) for each in best if each[2] >= LEAST_APPLIED]


_KNOWN = """
select seed.sentence, candidate.text
from json_each(:seeds) wanted cross join seed on seed.sentence = wanted.value
cross join candidate on candidate.seed = seed.id
union all
select paraphrase.sentence, other.text
from json_each(:seeds) wanted cross join paraphrase on paraphrase.sentence = wanted.value
cross join sentence other on other.id = paraphrase.paraphrase
"""


def known_pairs(store: Store, seeds: Collection[int]) -> set[tuple[int, str]]:
    """The generated and detected paraphrases of some sentences."""
    return set(store.connection.execute(_KNOWN, {"seeds": json.dumps(list(seeds))}))


Measure = Callable[[Collection[str]], Mapping[str, Fluency]]
"""What tells the fluency of texts."""


def applied_rewordings(
    store: Store, language: str, judge: Judge, measure: Measure, made: Iterable[Rewording]
) -> Iterator[list[Rewording]]:
    """What exchanges make of all sentences of a language that no other origin has, nor those ``made``, in batches."""
    others = {(each.sentence, each.text) for each in made}
    sentences = sentences_after(store, language, 0)
    for batch in applied_exchanges(sentences, load_familiar(store, language), judge):
        known = known_pairs(store, {each.sentence for each in batch})
        fresh = [each for each in batch if each[:2] not in known and each[:2] not in others]
        fluency = measure([each.text for each in fresh])
        rows = (Rewording(*each, *fluency[each.text][:2]) for each in fresh)
        yield [each for each in rows if each.fluency >= LEAST_ORDER_APPLIED]


_PARTS = """
select seed.sentence, candidate.text, candidate.validity, coalesce(candidate.replacement, 0), candidate.fluency
from seed cross join candidate on candidate.seed = seed.id
where seed.language = :language and {seed} and candidate.validity >= :least
union all
select sentence.id, other.text, paraphrase.validity, 0, :whole
from sentence cross join paraphrase on paraphrase.sentence = sentence.id
cross join sentence other on other.id = paraphrase.paraphrase
where sentence.language = :language and {sentence} and paraphrase.validity >= :least
"""
_ALL_PARTS = _PARTS.format(seed="seed.sentence is not null", sentence="true")
_PARTS_OF_SEED = f"""
{_PARTS.format(seed="seed.sentence = :sentence", sentence="sentence.id = :sentence")}
union all
select sentence, text, validity, replacement, fluency from rewording where sentence = :sentence and parts = 1
"""

PartRow = tuple[int, str, float, int, int]
"""The number of a sentence, and the text, validity, replacement and order of a paraphrase of it."""


def composed_of(
    sentences: Iterable[tuple[int, str]], paraphrases: Iterable[PartRow], language: str, made: Iterable[tuple[int, str]]
) -> Iterator[list[tuple[int, Composed]]]:
    """What several ``paraphrases`` of a sentence give together, for some thousands of sentences at a time.

    What is ``made`` already is left out; what other origins have may get another vote.
    """
    parts: dict[int, list[Part]] = defaultdict(list)
    for sentence, text, validity, replacement, order in paraphrases:
        if is_part(validity, replacement, order):
            parts[sentence].append(Part(text, validity, replacement))
    known: dict[int, set[str]] = defaultdict(set)
    for sentence, text in made:
        known[sentence].add(text)
    several = ((number, text) for number, text in sentences if len(parts.get(number, ())) > 1)
    for batch in _batches(several, _SENTENCES_AT_ONCE):
        yield [
            (number, each) for number, text in batch for each in composed(text, parts[number], language, known[number])
        ]


def composed_rewordings(
    store: Store, language: str, measure: Measure, made: Sequence[Rewording]
) -> Iterator[list[Rewording]]:
    """What several paraphrases of a sentence give together, those ``made`` among them, in batches."""
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT}
    own = ((each.sentence, each.text, each.validity, each.replacement, each.fluency) for each in made)
    paraphrases = chain(store.connection.execute(_ALL_PARTS, bound), own)
    known = ((each.sentence, each.text) for each in made)
    for batch in composed_of(sentences_after(store, language, 0), paraphrases, language, known):
        fluency = measure([each.text for _, each in batch])
        rows = (composed_row(number, each, fluency[each.text]) for number, each in batch)
        yield [each for each in rows if each.fluency >= LEAST_ORDER_APPLIED]


def composed_row(sentence: int, made: Composed, fluency: Fluency) -> Rewording:
    return Rewording(
        sentence, made.text, made.validity, *fluency[:2], replacement=made.replacement, parts=len(made.parts)
    )


_OF_TEXT = "select parts from rewording where sentence = ? and text = ?"


def parts_of_rewording(store: Store, sentence: int, text: str) -> int:
    """How many paraphrases of a sentence were put together in this one; 0 where the table does not have it."""
    row = store.connection.execute(_OF_TEXT, (sentence, text)).fetchone()
    return int(row[0]) if row else 0


def composition_of(store: Store, language: str, sentence: int, seed: str, text: str) -> Composed | None:
    """How ``text`` is made of the stored paraphrases of a sentence; None where it is not."""
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT, "sentence": sentence}
    rows = store.connection.execute(_PARTS_OF_SEED, bound)
    return composition(seed, text, [Part(*row[1:4]) for row in rows if is_part(*row[2:5])], language)


_SENTENCES_AT_ONCE: Final = 20_000
_Item = TypeVar("_Item")


def _batches(items: Iterator[_Item], size: int) -> Iterator[list[_Item]]:
    while batch := list(islice(items, size)):
        yield batch

"""Samples for judging: sentences or pairs drawn at random from what was generated, in a random order.

What is drawn depends on the seed and on the texts only, not on their row numbers: each text gets a ticket, a keyed
hash, and the lowest tickets win. A rebuilt database gives the same sample, and a larger sample holds the smaller one.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Literal, TypeAlias

from corpusdb.display import check_name
from corpusdb.errors import InputError, UsageError
from corpusdb.model import NO_LIMIT
from corpusdb.queries.paraphrase.ranking import score
from corpusdb.store import Store, finish_run, start_run

__all__ = [
    "SIZES",
    "Kind",
    "Sample",
    "SampleOptions",
    "Source",
    "draw_sample",
    "find_sample",
    "lowest_tickets",
    "samples",
]

Kind: TypeAlias = Literal["grammaticality", "meaning"]
Source: TypeAlias = Literal["candidate", "detected", "corpus"]
Text: TypeAlias = tuple[str, str | None]
"""A text and the seed to compare it with, or None where grammaticality is judged."""

SIZES: Final[dict[Kind, int]] = {"grammaticality": 400, "meaning": 470}
"""How many items of each kind were judged in the paper (Lepage & Denoual 2005, section 6)."""

_LARGEST_SEED: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """What to draw. Raises UsageError for numbers that make no sense."""

    kind: Kind
    """"grammaticality": different sentences; "meaning": pairs of a seed and a candidate."""
    language: str
    size: int
    seed: int
    order: int = 20
    """The least fluency order of a candidate; 0 lets all pass."""
    marks: bool = True
    """Whether the order counts the marks at the ends of a sentence."""
    controls: int = 0
    """How many controls to mix in: sentences of the corpus, or pairs that share a translation."""

    def __post_init__(self) -> None:
        if self.kind not in SIZES:
            raise UsageError(f"{self.kind!r} cannot be judged; there are {' and '.join(SIZES)}")
        if self.size < 1 or self.order < 0 or self.controls < 0:
            raise UsageError("a sample has one item or more, and neither its order nor its controls are below 0")
        if not 0 <= self.seed <= _LARGEST_SEED:
            raise UsageError(f"a seed is a number from 0 to {_LARGEST_SEED}")


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample that was drawn."""

    id: int
    name: str
    kind: Kind
    language: str
    seed: int
    order: int
    marks: bool
    items: int
    controls: int
    """How many of the items are controls."""
    population: int
    """How many sentences or pairs the others were drawn from."""


@dataclass(frozen=True, slots=True)
class _Item:
    """An item with its figures as they are now."""

    text: Text
    source: Source
    fluency: int = NO_LIMIT
    inner_fluency: int = NO_LIMIT
    score: float | None = None
    frequency: int = 0


_SAMPLE = "insert into sample (name, kind, language, seed, parameters, run) values (?, ?, ?, ?, ?, ?)"
_ITEM = """
insert into sample_item (sample, position, text, seed_text, source, fluency, inner_fluency, score, frequency)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def draw_sample(store: Store, name: str, options: SampleOptions) -> Sample:
    """Draw a sample and store it under a new name, in one transaction.

    The candidates of the language are drawn with equal chances; where there are fewer than ``size``, all are taken.
    Raises UsageError for a name that is taken or blank, and InputError where there is no candidate of this order.
    """
    name = name.strip()
    check_name(name, "a sample")
    with store.write() as connection:
        if name in {sample.name for sample in samples(store)}:
            raise UsageError(f"there is a sample {name!r} already")
        items, population = _drawn(store, options)
        items.sort(key=lambda item: _ticket(options.seed, "position", item.text))
        parameters = {key: getattr(options, key) for key in ("size", "order", "marks", "controls")}
        described = {"kind": options.kind, "language": options.language, "seed": options.seed}
        run = start_run(store, "sample", {"name": name, **described, **parameters})
        cursor = connection.execute(_SAMPLE, (name, *described.values(), json.dumps(parameters), run.id))
        connection.executemany(
            _ITEM, (_row(int(cursor.lastrowid or 0), position, item) for position, item in enumerate(items, 1))
        )
        finish_run(store, run, {"population": population, "items": len(items)})
    return find_sample(store, name)


def _row(sample: int, position: int, item: _Item) -> tuple[object, ...]:
    figures = (item.fluency, item.inner_fluency, item.score, item.frequency)
    return sample, position, *item.text, item.source, *figures


_POPULATIONS: Final[dict[Kind, str]] = {
    "grammaticality": """
        select distinct candidate.text, null from candidate join seed on seed.id = candidate.seed
        where seed.language = :language and iif(:marks, candidate.fluency, candidate.inner_fluency) >= :order
    """,
    "meaning": """
        select candidate.text, seed.text from candidate join seed on seed.id = candidate.seed
        where seed.language = :language and iif(:marks, candidate.fluency, candidate.inner_fluency) >= :order
    """,
}
_CORPUS = "select text, null from sentence where language = :language"
_DETECTED = """
select other.text, sentence.text from paraphrase
join sentence on sentence.id = paraphrase.sentence join sentence other on other.id = paraphrase.paraphrase
where sentence.language = :language
"""


def _drawn(store: Store, options: SampleOptions) -> tuple[list[_Item], int]:
    """The items that were drawn, in any order, and how many texts the candidates among them were drawn from."""
    bound = {"language": options.language, "marks": options.marks, "order": options.order}
    population = store.connection.execute(_POPULATIONS[options.kind], bound).fetchall()
    if not population:
        raise InputError(f"nothing of order {options.order} or more was generated for {options.language}")
    chosen = lowest_tickets(options.seed, options.size, population)
    items = _with_figures(store, options, chosen)
    if options.controls:
        controls: Iterable[Text] = store.connection.execute(
            _CORPUS if options.kind == "grammaticality" else _DETECTED, {"language": options.language}
        )
        taken = set(chosen)
        known = lowest_tickets(options.seed, options.controls, (text for text in controls if text not in taken))
        if options.kind == "grammaticality":
            items += [_Item(text, "corpus") for text in known]
        else:
            items += [
                _Item(text, "detected", score=_score_of_detected(store, options.language, text)) for text in known
            ]
    return items, len(population)


def lowest_tickets(seed: int, size: int, texts: Iterable[Text]) -> list[Text]:
    """The ``size`` texts that the seed gives the lowest tickets to, in the order of these."""
    return heapq.nsmallest(size, texts, key=lambda text: _ticket(seed, "draw", text))


def _ticket(seed: int, purpose: str, text: Text) -> bytes:
    """The number that a text draws: the same on every machine and in every version, and different for each purpose."""
    key = f"{seed} {purpose}".encode()
    return blake2b("\0".join(part or "" for part in text).encode(), key=key, digest_size=16).digest()


# Whether the seed and the candidate share translations too counts in the ranking score, as it does where it ranks.
_FIGURES = """
select candidate.text, iif(:kind = 'meaning', seed.text, null), fluency, inner_fluency, frequency, pivots,
       candidate.languages, candidate.probability, coalesce(paraphrase.translations, 0)
from candidate join seed on seed.id = candidate.seed
left join sentence on sentence.language = seed.language and sentence.text = candidate.text
left join paraphrase on paraphrase.sentence = seed.sentence and paraphrase.paraphrase = sentence.id
where seed.language = :language and candidate.text in (select value from json_each(:texts))
"""


def _with_figures(store: Store, options: SampleOptions, chosen: Sequence[Text]) -> list[_Item]:
    """The candidates with their figures; a sentence that several seeds gave has those of its best rank."""
    bound = {"kind": options.kind, "language": options.language, "texts": json.dumps([text for text, _ in chosen])}
    found: dict[Text, _Item] = {}
    for text, seed, fluency, inner, frequency, pivots, languages, probability, shared in store.connection.execute(
        _FIGURES, bound
    ):
        value = score(shared=shared, frequency=frequency, pivots=pivots, languages=languages, probability=probability)
        best = found.get((text, seed))
        if best is None or (value, frequency) > (best.score or 0.0, best.frequency):
            found[text, seed] = _Item((text, seed), "candidate", fluency, inner, value, frequency)
    return [found[text] for text in chosen]


_SHARED = """
select paraphrase.translations from paraphrase
join sentence on sentence.id = paraphrase.sentence join sentence other on other.id = paraphrase.paraphrase
where sentence.language = :language and sentence.text = :seed and other.language = :language and other.text = :text
"""


def _score_of_detected(store: Store, language: str, pair: Text) -> float:
    bound = {"language": language, "text": pair[0], "seed": pair[1]}
    (shared,) = store.connection.execute(_SHARED, bound).fetchone()
    return score(shared=shared, frequency=0, pivots=0, languages=0, probability=0.0)


_SAMPLES = """
select sample.id, sample.name, sample.kind, sample.language, sample.seed, sample.parameters, count(*),
       sum(sample_item.source <> 'candidate'), run.counts
from sample join sample_item on sample_item.sample = sample.id join run on run.id = sample.run
group by sample.id order by sample.id
"""


def samples(store: Store) -> list[Sample]:
    """Every sample, in the order in which they were drawn."""
    found = []
    for number, name, kind, language, seed, parameters, items, controls, counts in store.connection.execute(_SAMPLES):
        said = json.loads(parameters)
        population = json.loads(counts)["population"]
        found.append(
            Sample(number, name, kind, language, seed, said["order"], said["marks"], items, controls, population)
        )
    return found


def find_sample(store: Store, name: str) -> Sample:
    """The sample of this name. Raises InputError, with the names there are, for another."""
    found = {sample.name: sample for sample in samples(store)}
    if name not in found:
        raise InputError(f"there is no sample {name!r}; there are: {', '.join(found) or 'none yet'}")
    return found[name]

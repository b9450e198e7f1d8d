"""Sentences reworded by exchanges that the corpus shows beside the same neighbours, and paraphrases put together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations, islice, pairwise
from math import prod
from typing import Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from corpusdb.base.forks import computed_in_order, usable_cores
from corpusdb.base.text import lower_words, units_of
from corpusdb.corpus.model import DEFAULT_MIN_VALIDITY, DEFAULT_ORDER
from corpusdb.paraphrase.derivation import Evidence
from corpusdb.paraphrase.differences import BEGIN, END, Application, change_of, difference
from corpusdb.paraphrase.exchange_index import LEAST_RATE, StoredExchange, StoredPart, Sums
from corpusdb.paraphrase.fluency import Fluency
from corpusdb.paraphrase.pair_differences import Pair
from corpusdb.paraphrase.sharing import WHOLE
from corpusdb.paraphrase.word_model import WordModel, word_gains

# Whom a sentence speaks of: a paraphrase speaks of nobody else. Who else it speaks of may be right in a sentence that
# an exchange is known from ("alone", "by himself"), and the neighbours do not tell.

_PERSONS: Final[Mapping[str, Mapping[str, str]]] = {
    "eng": {
        word: person
        for person, words in (
            ("I", "i me my mine myself"),
            ("we", "we us our ours ourselves"),
            ("you", "you your yours yourself yourselves"),
            ("he", "he him his himself"),
            ("she", "she her hers herself"),
            ("they", "they them their theirs themselves"),
        )
        for word in words.split()
    },
}
"""By language: words, and whom each speaks of."""
_NOBODY: Final[Mapping[str, str]] = {}


def persons(text: str, language: str) -> frozenset[str]:
    """Whom the pronouns of a text speak of; nobody in a language of which they are not listed."""
    known = _PERSONS.get(language, _NOBODY)
    return frozenset(known[word] for word in lower_words(text) if word in known) if known else frozenset()


# Exchanges applied to sentences of the corpus: where both neighbours are those of pairs that share a translation, the
# words mean there what they mean in these pairs, and stand there as well. One that only drops or adds is not applied,
# nor one that hardly changes anything: a contraction, or a word that points.

LEAST_EXPECTED: Final = 3.0
LEAST_SHARED: Final = 5
"""So many pairs of an exchange are expected to share a translation, and so many do: those seen less often change the
person or the number now and then (tests/readings)."""
_LEAST_PART: Final = 0.03
"""Of all pairs that differ by an exchange of a text, so many differ by this one: less often it stands for something in
another sense, as "come" does for "'m"."""
_LEAST_BESIDE: Final = 3
"""So many pairs with the same neighbour share a translation, on either side: where it is two, one in ten does not hold
("around the clock", "around the watch")."""
LEAST_ORDER_APPLIED: Final = 5
"""What has sequences of so few characters that were not seen is not stored: no filter lets it pass."""
LEAST_APPLIED: Final = 0.5
"""Nor what is no more probable than this, as what one pivot language alone speaks for, which does not see it all."""


class FamiliarExchange(NamedTuple):
    """What may stand in the place of a text, beside some neighbours."""

    after: str
    left: frozenset[str]
    """Units, or BEGIN."""
    right: frozenset[str]
    """Units, or END."""
    shared: int
    """How many pairs of sentences that differ by it share a translation."""
    expected: float
    """How many would if it kept the meaning."""
    persons: frozenset[str]
    """Whom it speaks of that the other text does not."""


@dataclass(frozen=True, slots=True)
class FamiliarExchanges:
    partners: Mapping[str, Sequence[FamiliarExchange]]
    """By what stands in the sentence; by text."""
    longest: Mapping[str, int]
    """How many units those have at most that begin with a unit."""
    language: str

    def applied(self, sentence: str) -> Iterator[tuple[Application, str, str]]:
        """Each sentence with one exchange made, in the order of the places, and the neighbours of that."""
        units = units_of(sentence)
        offset = 0
        for start, unit in enumerate(units):
            longest = self.longest.get(unit, 0)
            for stop in range(start + 1, min(start + longest, len(units)) + 1):
                before = "".join(units[start:stop])
                left = units[start - 1] if start else BEGIN
                right = units[stop] if stop < len(units) else END
                for each in self.partners.get(before, ()):
                    if left not in each.left or right not in each.right:
                        continue
                    if each.persons and not each.persons <= persons(sentence, self.language):
                        continue
                    text = sentence[:offset] + each.after + sentence[offset + len(before) :]
                    if difference(units, units_of(text)).exchange == (before, each.after):
                        made = Application(text, (before, each.after), offset, offset + len(each.after))
                        yield made, left, right
            offset += len(unit)


def familiar_exchanges(
    exchanges: Sequence[StoredExchange], parts: Iterable[StoredPart], language: str
) -> FamiliarExchanges:
    """Those replacements of a high rate that change a word of a language, with the neighbours that they are known by.

    ``exchanges`` are all of the language, ``parts`` those of them, at least by neighbours.
    """
    pairs_of: Counter[str] = Counter()
    for each in exchanges:
        pairs_of[each.x] += each.pairs
        pairs_of[each.y] += each.pairs
    sums = _sums(exchanges)
    chosen = (sums.rate() >= LEAST_RATE) & (sums.expected >= LEAST_EXPECTED) & (sums.shared >= LEAST_SHARED)
    places = [place for place in np.flatnonzero(chosen).tolist() if _changes_words(exchanges[place], language)]
    known = {exchanges[place].id: float(sums.rate()[place]) for place in places}
    beside: dict[tuple[int, str], set[str]] = defaultdict(set)
    for exchange, kind, name, _, shared, expected in parts:
        rate = known.get(exchange)
        if rate is None or kind not in ("left", "right") or shared < _LEAST_BESIDE:
            continue
        if (shared + rate) / (expected / WHOLE + 1) >= LEAST_RATE:
            beside[exchange, kind].add(name)
    partners: dict[str, list[FamiliarExchange]] = defaultdict(list)
    for place in places:
        number, x, y, pairs, *figures = exchanges[place]
        left, right = (frozenset(beside[number, kind]) for kind in ("left", "right"))
        for before, after in ((x, y), (y, x)):
            if left and right and pairs >= _LEAST_PART * pairs_of[before]:
                others = persons(after, language) - persons(before, language)
                known_by = FamiliarExchange(after, left, right, figures[0], figures[1] / WHOLE, others)
                partners[before].append(known_by)
    longest: Counter[str] = Counter()
    for before in partners:
        units = units_of(before)
        longest[units[0]] = max(longest[units[0]], len(units))
    ordered = {text: sorted(each, key=lambda one: one.after) for text, each in partners.items()}
    return FamiliarExchanges(ordered, dict(longest), language)


def _sums(exchanges: Sequence[StoredExchange]) -> Sums:
    figures = np.array([each[4:] for each in exchanges], dtype=np.float64).reshape(-1, 2).T
    return Sums(figures[0], figures[1] / WHOLE)


def _changes_words(exchange: StoredExchange, language: str) -> bool:
    return bool(exchange.x and exchange.y) and change_of(exchange.x, exchange.y, language).kind == "real"


# Several paraphrases of a sentence in one: each changes other places, and holds by itself. Deep paraphrases come from
# this. What only contracts, points or has other marks is no part, since it adds nothing that varies.

MOST_COMPOSED: Final = 20
"""Of one sentence."""
_MOST_PARTS: Final = 24
"""So many paraphrases of a sentence are put together with one another, those of the highest validity."""
_MOST_AT_ONCE: Final = 3
_DIGITS: Final = 4

_Change: TypeAlias = tuple[int, int, tuple[str, ...]]
"""Where units of the seed begin and end, and what stands in their place."""


class Part(NamedTuple):
    """A paraphrase of a sentence that may be put together with others."""

    text: str
    validity: float
    replacement: int
    """1 where it replaces only, by words that the corpus has evidence for."""


class Composed(NamedTuple):
    """Several paraphrases of a sentence in one."""

    text: str
    parts: tuple[str, ...]
    """The paraphrases, in the order of their places."""
    validity: float
    """The product of those of its parts, so never above the least of them."""
    replacement: int
    begin: int
    stop: int
    """It is the sentence before the one and from the other on, which are offsets in ``text``."""


def is_part(validity: float | None, replacement: int | None, order: int) -> bool:
    """Whether the usual filter keeps a paraphrase by itself: nothing else may be put together with others."""
    if validity is None or validity < DEFAULT_MIN_VALIDITY:
        return False
    return order >= DEFAULT_ORDER or (bool(replacement) and order >= DEFAULT_ORDER // 2)


def composed(sentence: str, parts: Iterable[Part], language: str, known: Container[str] = ()) -> list[Composed]:
    """What two or three paraphrases of ``sentence`` give together, by text; at most MOST_COMPOSED.

    Their changes neither overlap nor touch, and add neither a word twice nor a person. None is in ``known``, or a part.
    """
    found = _all_composed(sentence, parts, language)
    return sorted(_varied([each for text, each in found.items() if text not in known]))


def composition(sentence: str, text: str, parts: Iterable[Part], language: str) -> Composed | None:
    """How ``text`` is made of paraphrases of ``sentence``; None where it is not."""
    return _all_composed(sentence, parts, language).get(text)


def _all_composed(sentence: str, parts: Iterable[Part], language: str) -> dict[str, Composed]:
    """By text; of several compositions of one text that of the highest validity."""
    best = _best_of_each_text(parts)
    spoken_of = persons(sentence, language)
    usable = [
        each
        for each in best
        if change_of(sentence, each.text, language).kind == "real" and persons(each.text, language) <= spoken_of
    ][:_MOST_PARTS]
    if len(usable) < 2:
        return {}
    units = units_of(sentence)
    changed = [(each, _changes(units, each.text)) for each in usable]
    texts = {sentence, *(each.text for each in best)}
    found: dict[str, Composed] = {}
    for count in range(2, _MOST_AT_ONCE + 1):
        for chosen in combinations(changed, count):
            made = _together(units, chosen)
            if made is None or made.text in texts:
                continue
            if made.text not in found or found[made.text].validity < made.validity:
                found[made.text] = made
    return found


def _best_of_each_text(parts: Iterable[Part]) -> list[Part]:
    """The highest validity first; each text once, and as a replacement where any of its origins says so."""
    best: dict[str, Part] = {}
    for each in parts:
        other = best.get(each.text, each)
        best[each.text] = Part(each.text, max(each.validity, other.validity), max(each.replacement, other.replacement))
    return sorted(best.values(), key=lambda each: (-each.validity, each.text))


def _changes(units: Sequence[str], text: str) -> list[_Change]:
    others = units_of(text)
    return [(start, stop, tuple(others[i:j])) for start, stop, i, j in difference(units, others).places]


def _together(units: Sequence[str], chosen: Sequence[tuple[Part, list[_Change]]]) -> Composed | None:
    """The parts in one text; None where they meet, add the same word, or do not stay the units that they are."""
    changes = sorted((change, place) for place, (_, of_part) in enumerate(chosen) for change in of_part)
    if any(one[0][1] >= other[0][0] for one, other in pairwise(changes) if one[1] != other[1]):
        return None
    added = [{unit for _, _, new in of_part for unit in new} for _, of_part in chosen]
    if sum(map(len, added)) > len(set().union(*added)):
        return None
    made: list[str] = []
    done = 0
    for (start, stop, new), _ in changes:
        made += [*units[done:start], *new]
        done = stop
    made += units[done:]
    text = "".join(made)
    if text != text.strip() or units_of(text) != made:
        return None
    order = dict.fromkeys(place for _, place in changes)
    parts = [part for part, _ in chosen]
    end = len(text) - len("".join(units[done:]))
    begin = len("".join(units[: changes[0][0][0]]))
    return Composed(
        text,
        tuple(parts[place].text for place in order),
        round(prod(sorted(part.validity for part in parts)), _DIGITS),
        min(part.replacement for part in parts),
        begin,
        end,
    )


def _varied(found: list[Composed]) -> list[Composed]:
    """The best MOST_COMPOSED, each time one whose parts were chosen least often, then that of the highest validity."""
    uses: Counter[str] = Counter()
    chosen: list[Composed] = []
    waiting = sorted(found, key=lambda each: (-each.validity, each.text))
    while waiting and len(chosen) < MOST_COMPOSED:
        best = min(waiting, key=lambda each: sorted((uses[part] for part in each.parts), reverse=True))
        waiting.remove(best)
        chosen.append(best)
        uses.update(best.parts)
    return chosen


# The rows of the table, and what makes them for all sentences of a language, whatever engine holds these.


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
    word_gain: float | None = None

    def row(self, run: int) -> dict[str, object]:
        return self._asdict() | {"run": run}


def lone_row(sentence: int, evidence: Evidence, validity: float, fluency: Fluency) -> Rewording:
    """Of what one context gives."""
    return Rewording(
        sentence, evidence.text, validity, *fluency[:2], evidence.pivots, evidence.languages, evidence.probability
    )


def with_word_gains(
    rows: Iterable[Rewording], sentences: Mapping[int, str], model: WordModel | None
) -> list[Rewording]:
    """The rows in their order, with what a word model says of each beside its sentence."""
    found = sorted(rows)
    gains = word_gains(model, [sentences[each.sentence] for each in found], [each.text for each in found])
    return [each._replace(word_gain=gain) for each, gain in zip(found, gains, strict=True)]


Judge = Callable[[Sequence[Pair]], Sequence[tuple[float, int]]]
"""What tells the validity of pairs that an exchange makes, and whether it vouches for them."""


class AppliedExchange(NamedTuple):
    """A sentence with one exchange made between neighbours that it is known by."""

    sentence: int
    text: str
    validity: float


def applied_exchanges(
    sentences: Iterable[tuple[int, str]], familiar: FamiliarExchanges, judge: Judge
) -> Iterator[list[AppliedExchange]]:
    """What exchanges make of these sentences, given with their numbers, if it is more probable than not to hold.

    For some thousands of sentences at a time, each text once; made in a copy of this process for each core.
    """
    batches = list(_batches(iter(sentences), _SENTENCES_AT_ONCE))

    def made_of(number: int) -> list[tuple[int, str, str]]:
        made = ((key, seed, each.text) for key, seed in batches[number] for each, *_ in familiar.applied(seed))
        return list(dict.fromkeys(made))

    with closing(computed_in_order(made_of, len(batches), usable_cores())) as results:
        for made in results:
            judged = judge([Pair(0, seed, text, 0, 0, 0.0) for _, seed, text in made]) if made else ()
            yield [
                AppliedExchange(sentence, text, validity)
                for (sentence, _, text), (validity, vouched) in zip(made, judged, strict=True)
                if vouched and validity > LEAST_APPLIED
            ]


PartRow = tuple[int, str, float, int, int]
"""The number of a sentence, and the text, validity, replacement and order of a paraphrase of it."""


def composed_of(
    sentences: Iterable[tuple[int, str]], paraphrases: Iterable[PartRow], language: str, made: Iterable[tuple[int, str]]
) -> Iterator[list[tuple[int, Composed]]]:
    """What several ``paraphrases`` of a sentence give together, for some thousands of sentences at a time.

    What is ``made`` already is left out; what other origins have may get another vote. Made in a copy of this process
    for each core.
    """
    parts: dict[int, list[Part]] = defaultdict(list)
    for sentence, text, validity, replacement, order in paraphrases:
        if is_part(validity, replacement, order):
            parts[sentence].append(Part(text, validity, replacement))
    known: dict[int, set[str]] = defaultdict(set)
    for sentence, text in made:
        known[sentence].add(text)
    several = ((number, text) for number, text in sentences if len(parts.get(number, ())) > 1)
    batches = list(_batches(several, _COMPOSED_AT_ONCE))

    def made_of(number: int) -> list[tuple[int, Composed]]:
        return [
            (sentence, each)
            for sentence, text in batches[number]
            for each in composed(text, parts[sentence], language, known.get(sentence, ()))
        ]

    with closing(computed_in_order(made_of, len(batches), usable_cores())) as results:
        yield from results


def applied_row(made: AppliedExchange, fluency: Fluency) -> Rewording:
    return Rewording(*made, fluency.fluency, fluency.inner_fluency)


def composed_row(sentence: int, made: Composed, fluency: Fluency) -> Rewording:
    return Rewording(
        sentence, made.text, made.validity, *fluency[:2], replacement=made.replacement, parts=len(made.parts)
    )


_SENTENCES_AT_ONCE: Final = 20_000
_COMPOSED_AT_ONCE: Final = 2_000
_Item = TypeVar("_Item")


def _batches(items: Iterator[_Item], size: int) -> Iterator[list[_Item]]:
    while batch := list(islice(items, size)):
        yield batch

"""Exchanges that the corpus shows to keep the meaning, made in sentences: beside words that they are known by, or where
the words that they replace hardly ever stand for anything else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Final, NamedTuple

import numpy as np

from corpusdb.base.text import units_of
from corpusdb.paraphrase.differences import BEGIN, END, Application, Exchange, change_of, difference, persons
from corpusdb.paraphrase.exchange_index import LEAST_RATE, StoredExchange, StoredPart, Sums
from corpusdb.paraphrase.sharing import WHOLE
from corpusdb.paraphrase.word_model import WordModel

# Exchanges applied to sentences of the corpus: where both neighbours are those of pairs that share a translation, the
# words mean there what they mean in these pairs, and stand there as well; one neighbour will do for what many pairs
# show to keep the meaning nearly always, and none for a text that stands in few places, much of which the pairs show.
# One that only drops or adds is not applied, nor one that hardly changes anything: a contraction, or what points.

LEAST_EXPECTED: Final = 3.0
LEAST_SHARED: Final = 5
"""So many pairs of an exchange are expected to share a translation, and so many do: those seen less often change the
person or the number now and then (tests/readings)."""
_LEAST_BESIDE: Final = 3
"""So many pairs with the same neighbour share a translation, on either side: where it is two, one in ten does not hold
("around the clock", "around the watch")."""
_SURE_RATE: Final = 0.9
_SURE_SHARED: Final = 20
"""An exchange of this rate, and of so many pairs that share a translation, is made beside one known neighbour too."""
_USUAL_PART: Final = 0.1
"""Of all pairs that differ by an exchange of a text, so many differ by one that keeps the meaning wherever that stands:
what it is exchanged for less often is what it stands for in another sense: "'s" is "is", and seldom "has" or "does"."""


class Gates(NamedTuple):
    """Which exchanges are made at all, before what each of them makes is judged."""

    rate: float
    part: float
    """Of all pairs that differ by an exchange of a text, so many differ by this one: less often it stands for something
    in another sense, as "come" does for "'m"."""
    shared: int
    """So many pairs share a translation of an exchange that is made beside whatever words."""
    standing: int
    """What a text stands behind at most, or begins a sentence, for each of these pairs: of what stands nearly
    everywhere a few pairs say nothing elsewhere, as " to" for " and"."""
    gain: float
    """Beside words that it is not known by, the sentence becomes no less probable than this: log10."""
    only_known: bool
    """Whether each must change a word, and be known by its neighbours or by the words that become of the sentence: one
    that keeps the meaning wherever the text stands needs neither elsewhere."""


OF_CORPUS: Final = Gates(rate=LEAST_RATE, part=0.02, shared=2, standing=80, gain=-2.5, only_known=True)
"""In sentences of the corpus, of which there are many, and which analogies serve too."""
ANYWHERE: Final = Gates(rate=0.3, part=0.005, shared=1, standing=2_000, gain=-3.5, only_known=False)
"""In any other sentence, about which nothing else is known: the model that judges it has read what this lets in
(tests/readings, exchanged-5 and -6)."""


_MARKS: Final = frozenset(".,?!")


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
    beside: int
    """How many of the two neighbours must be known, not to be asked whether the words make a sentence there: 0 for one
    that keeps the meaning wherever the text stands."""
    anywhere: bool
    """Whether it is made where fewer are."""
    units: tuple[str, ...]
    """Of ``after``."""
    is_whole: bool
    """Whether the two texts begin and end with other units, so that no difference of two sentences has less of them."""


@dataclass(frozen=True, slots=True)
class FamiliarExchanges:
    partners: Mapping[str, Sequence[FamiliarExchange]]
    """By what stands in the sentence; by text."""
    beginnings: Set[str]
    """Runs of units with which these begin, and they themselves, at least."""
    language: str
    gates: Gates

    def of(self, exchange: Exchange) -> FamiliarExchange:
        (found,) = (each for each in self.partners[exchange[0]] if each.after == exchange[1])
        return found

    def applied(self, sentence: str) -> Iterator[tuple[Application, bool]]:
        """Each sentence with one exchange made, in the order of the places; and whether it is known by what stands
        beside that."""
        units = units_of(sentence)
        offset = 0
        for start, unit in enumerate(units):
            before, stop = unit, start + 1
            while before in self.beginnings:
                left = units[start - 1] if start else BEGIN
                right = units[stop] if stop < len(units) else END
                for each in self.partners.get(before, ()):
                    known = (left in each.left) + (right in each.right) >= each.beside
                    if not known and not each.anywhere:
                        continue
                    if each.persons and not each.persons <= persons(sentence, self.language):
                        continue
                    text = sentence[:offset] + each.after + sentence[offset + len(before) :]
                    put_in = [*units[:start], *each.units, *units[stop:]]
                    made = put_in if stays_apart(before, each.after, start, right) else units_of(text)
                    # Nearly always the one, which is told faster.
                    if (each.is_whole and made == put_in) or (difference(units, made).exchange == (before, each.after)):
                        yield Application(text, (before, each.after), offset, offset + len(each.after)), known
                if stop == len(units):
                    break
                before, stop = before + units[stop], stop + 1
            offset += len(unit)


def stays_apart(before: str, after: str, start: int, right: str) -> bool:
    """Whether ``after`` is sure to be cut in the place of ``before`` as it is by itself, and all else as it was.

    No unit goes on behind a space, nor a word that ends with a letter with one of these marks.
    """
    left_apart = not start or (before[0] == " " and after[0] == " ")
    return left_apart and (right[0] == " " or right == END or (right in _MARKS and after[-1].isalpha()))


def familiar_exchanges(
    exchanges: Sequence[StoredExchange],
    parts: Iterable[StoredPart],
    language: str,
    model: WordModel | None = None,
    gates: Gates = OF_CORPUS,
) -> FamiliarExchanges:
    """Those replacements that pass the gates, with the neighbours that they are known by.

    ``exchanges`` are all of the language, or all of some texts, of which alone the partners are whole then; ``parts``
    those of them, at least by neighbours. ``model`` tells in how many
    places a text stands; without it none is made beside other words, but for those that keep the meaning wherever it
    stands. OF_CORPUS lets in only what changes a word.
    """
    pairs_of: Counter[str] = Counter()
    for each in exchanges:
        pairs_of[each.x] += each.pairs
        pairs_of[each.y] += each.pairs
    known = Sums.of(each[4:] for each in exchanges)
    rates = known.rate()
    often = (rates >= LEAST_RATE) & (known.expected >= LEAST_EXPECTED)
    usual = often & (known.shared >= LEAST_SHARED)
    rated = np.full(len(rates), model is not None) & (known.shared >= gates.shared) & (rates >= gates.rate)
    everywhere = np.full(len(rates), not gates.only_known) & often
    places = [
        place
        for place in np.flatnonzero(usual | rated | everywhere).tolist()
        if all(texts := exchanges[place][1:3]) and (everywhere[place] or change_of(*texts, language).kind == "real")
    ]
    beside = _beside(parts, {exchanges[place].id: float(rates[place]) for place in places if usual[place]})
    sides = sorted({side for place in places for side in exchanges[place][1:3]})
    standing = {} if model is None else dict(zip(sides, model.standing(sides).tolist(), strict=True))
    partners: dict[str, list[FamiliarExchange]] = defaultdict(list)
    for place in places:
        each = exchanges[place]
        left, right = (frozenset(beside[each.id, kind]) for kind in ("left", "right"))
        is_sure = rates[place] >= _SURE_RATE and each.shared >= _SURE_SHARED
        for before, after in ((each.x, each.y), (each.y, each.x)):
            part = each.pairs / pairs_of[before]
            asked = 0 if everywhere[place] and part >= _USUAL_PART else 1 if is_sure else 2
            anywhere = before in standing and standing[before] <= gates.standing * each.shared
            if part >= gates.part and (anywhere or bool(left) + bool(right) >= asked):
                others = persons(after, language) - persons(before, language)
                stood, stands = units_of(before), tuple(units_of(after))
                whole = stood[0] != stands[0] and stood[-1] != stands[-1]
                said = each.shared, each.expected / WHOLE, others
                partners[before].append(FamiliarExchange(after, left, right, *said, asked, anywhere, stands, whole))
    beginnings = frozenset(chain.from_iterable(accumulate(units_of(before)) for before in partners))
    ordered = {text: sorted(each, key=lambda one: one.after) for text, each in partners.items()}
    return FamiliarExchanges(ordered, beginnings, language, gates)


def _beside(parts: Iterable[StoredPart], rates: Mapping[int, float]) -> Mapping[tuple[int, str], set[str]]:
    """The neighbours on either side that exchanges are known by; ``rates`` are theirs, by number."""
    found: dict[tuple[int, str], set[str]] = defaultdict(set)
    for exchange, kind, name, _, shared, expected in parts:
        rate = rates.get(exchange)
        if rate is None or kind not in ("left", "right") or shared < _LEAST_BESIDE:
            continue
        if (shared + rate) / (expected / WHOLE + 1) >= LEAST_RATE:
            found[exchange, kind].add(name)
    return found

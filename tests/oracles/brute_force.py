"""The definitions of the papers and of the design, with dictionaries and nothing else."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, combinations
from math import exp, log, log2, prod
from typing import Any, NamedTuple

from corpusdb.base.text import unit_ends, units_of
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.paraphrase.differences import BEGIN, END, Difference, Exchange, difference, differences_apart
from corpusdb.paraphrase.equations import solve
from corpusdb.paraphrase.lexical_model import words_of
from corpusdb.paraphrase.word_model import SAID_BY_WORDS, said_by_words

_MAX_UNITS = 8
_LEAST_CONTEXT = 0.3
_SOLVER_WORK = 2_000
Context = tuple[str, str]


@dataclass(frozen=True)
class Shared:
    """What two paraphrases share."""

    translations: int
    languages: tuple[str, ...]
    probability: float


def detected(pairs: Collection[tuple[str, str, str]], max_sharing: int = 100) -> dict[str, dict[str, Shared]]:
    """The paraphrases of each sentence, from (sentence, language of its translation, translation).

    What more than ``max_sharing`` sentences are translated as makes no pair, and is a translation all the same.
    """
    translations: dict[str, set[tuple[str, str]]] = defaultdict(set)
    sentences: dict[tuple[str, str], set[str]] = defaultdict(set)
    for sentence, language, translation in pairs:
        translations[sentence].add((language, translation))
        sentences[language, translation].add(sentence)
    found: dict[str, dict[str, Shared]] = {}
    for one, own in translations.items():
        for other, theirs in translations.items():
            both = {pivot for pivot in own & theirs if len(sentences[pivot]) <= max_sharing}
            if other != one and both:
                probability = sum(1 / len(own) * 1 / len(sentences[pivot]) for pivot in both)
                languages = tuple(sorted({language for language, _ in both}))
                found.setdefault(one, {})[other] = Shared(len(both), languages, probability)
    return found


def slots(text: str) -> Iterator[tuple[Context, str]]:
    """Every way to take up to eight units out of a sentence: what is left and what was taken out."""
    ends = [0, *unit_ends(text)]
    for first, start in enumerate(ends):
        for stop in ends[first : first + _MAX_UNITS + 1]:
            if stop - start < len(text):
                yield (text[:start], text[stop:]), text[start:stop]


@dataclass(frozen=True)
class Found:
    """A candidate and what stands behind it."""

    text: str
    frequency: int
    pivots: int
    languages: int
    probability: float


class Generation:
    """Section 3 of the design over all sentences of one language."""

    def __init__(
        self, sentences: Sequence[str], paraphrases: dict[str, dict[str, Shared]], max_fillers: int = 2000
    ) -> None:
        self.paraphrases = paraphrases
        having: dict[Context, dict[str, str]] = defaultdict(dict)
        for sentence in sentences:
            for context, filler in slots(sentence):
                having[context][filler] = sentence
        self.contexts = {context: members for context, members in having.items() if 2 <= len(members) <= max_fillers}
        """The sentence that each filler makes in each context."""
        self.too_common = sum(len(members) > max_fillers for members in having.values())
        self.places: dict[str, set[Context]] = defaultdict(set)
        for context, members in self.contexts.items():
            for filler in members:
                self.places[filler].add(context)

    def slots(self) -> set[tuple[str, str, str]]:
        """Context, filler and sentence of the slots whose filler stands in two contexts; a gap is written as ``␣``."""
        return {
            (before + "␣" + after, filler, members[filler])
            for (before, after), members in self.contexts.items()
            for filler in members
            if len(self.places[filler]) > 1
        }

    def commutations(self) -> dict[tuple[str, str], int]:
        """In how many contexts two fillers both stand, at least 2."""
        pairs = Counter(pair for members in self.contexts.values() for pair in combinations(sorted(members), 2))
        return {pair: count for pair, count in pairs.items() if count > 1}

    def asked_commutations(self) -> dict[tuple[str, str], int]:
        """Those of which one filler is usable in some seed, and the other stands in a paraphrase of its sentence in the
        same context."""
        return {pair: count for pair, count in self.commutations().items() if self._is_asked(*pair)}

    def _is_asked(self, one: str, other: str) -> bool:
        return any(
            len(x) <= (1 - _LEAST_CONTEXT) * len(self.contexts[context][x])
            and any(y in rewording for rewording in self.paraphrases.get(self.contexts[context][y], ()))
            for context in self.places[one] & self.places[other]
            for x, y in ((one, other), (other, one))
        )

    def rectangles(self) -> Iterator[tuple[str, str, str, str]]:
        """A : B :: C : D, each pair of contexts with each pair of fillers that both have, once."""
        order = {context: number for number, context in enumerate(self.contexts)}
        for context, members in self.contexts.items():
            beside: dict[Context, list[str]] = defaultdict(list)
            for filler in members:
                for other in self.places[filler]:
                    if order[other] > order[context]:
                        beside[other].append(filler)
            for other, fillers in beside.items():
                for index, y in enumerate(fillers):
                    for x in fillers[index + 1 :]:
                        yield self.contexts[other][y], members[y], self.contexts[other][x], members[x]

    def candidates(self, seed: str) -> list[Found]:
        """The candidates of one seed, by text."""
        found: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
        for context, x in slots(seed):
            if len(x) > (1 - _LEAST_CONTEXT) * len(seed):
                continue
            for y, sentence in self.contexts.get(context, {}).items():
                contexts = len(self.places[x] & self.places[y]) - 1
                if y == x or contexts < 1:
                    continue
                for rewording in self.paraphrases.get(sentence, {}):
                    text = _solution(sentence, rewording, seed, y, x)
                    if text and text == text.strip() and text != seed:
                        pair = sentence, rewording
                        found[text][pair] = max(contexts, found[text].get(pair, 0))
        return [self._evidence(text, found[text]) for text in sorted(found)]

    def _evidence(self, text: str, pairs: dict[tuple[str, str], int]) -> Found:
        shared = [self.paraphrases[sentence][rewording] for sentence, rewording in pairs]
        return Found(
            text,
            sum(pairs.values()),
            len({rewording for _, rewording in pairs}),
            len({language for one in shared for language in one.languages}),
            max(one.probability for one in shared),
        )


def _solution(sentence: str, rewording: str, seed: str, y: str, x: str) -> str | None:
    """B' with y replaced by x; where that is not clear, what the general solver makes of B : B' :: D : x."""
    places = [at for at in range(len(rewording) + 1) if rewording.startswith(y, at)]
    if not places:
        return None
    bounds = {0, *unit_ends(rewording)}
    if y and len(places) == 1 and {places[0], places[0] + len(y)} <= bounds:
        return rewording[: places[0]] + x + rewording[places[0] + len(y) :]
    solved = solve(sentence, rewording, seed, work=_SOLVER_WORK)
    known = {unit for text in (sentence, rewording, seed) for unit in _units(text)}
    spaces = "  " in f"{sentence}|{rewording}|{seed}"
    if solved is None or ("  " in solved and not spaces):
        return None
    for unit in _units(solved) - known:
        parts = [{unit[:cut], unit[cut:]} & known == {unit[:cut], unit[cut:]} for cut in range(1, len(unit))]
        if any(parts) or not any(unit.startswith(word) or unit.endswith(word) for word in known):
            return None
    return solved


def _units(text: str) -> set[str]:
    ends = unit_ends(text)
    return {text[start:stop].strip() for start, stop in zip([0, *ends], ends, strict=False)}


def fluency(text: str, corpus: Collection[str], *, marks: bool = True) -> int:
    """The largest N for which every run of N characters of ``text`` stands in a sentence of the corpus."""
    seen: Callable[[str], bool] = lambda run: any(run in f"\n{sentence}\n" for sentence in corpus)  # noqa: E731
    whole = f"\n{text}\n" if marks else text
    for size in range(1, len(whole) + 1):
        if not all(seen(whole[at : at + size]) for at in range(len(whole) - size + 1)):
            return size - 1
    return NO_LIMIT


# The exchanges of a corpus and what they say of pairs of sentences, by dictionaries and loops.
#
# Nothing of corpusdb is used but the units and the words of a text and what differs between two, which have tests of
# their own.


_USUAL = (0.65, 0.65, 0.7, 0.75, 0.8)
_MAX_SHARING = 100


class Instance(NamedTuple):
    """Two sentences in one context."""

    one: str
    other: str
    left: str
    right: str


class Total(NamedTuple):
    """Sums over instances."""

    pairs: int
    shared: int
    expected: float

    def rate(self, prior: float = 0.3) -> float:
        return (self.shared + prior) / (self.expected + 1)


class Logistic(NamedTuple):
    """A logistic model."""

    ranged: Mapping[str, tuple[float, float, float]]
    """By the name of a feature its weight, and the ends of the range that it is held in."""
    bias: float

    @classmethod
    def of(cls, names: Sequence[str], document: Mapping[str, Any]) -> Logistic:
        """A model as its document has it."""
        columns = document["weights"], document["least"], document["most"]
        return cls(dict(zip(names, zip(*columns, strict=True), strict=True)), document["bias"])

    def __call__(self, figures: Mapping[str, float]) -> float:
        held = {name: min(max(figures[name], least), most) for name, (_, least, most) in self.ranged.items()}
        return logistic(self.bias + sum(weight * held[name] for name, (weight, *_) in self.ranged.items()))


_LEVELS = {2 * levels + 2**levels: levels for levels in range(1, 9)}
_SILENT = dict(zip(SAID_BY_WORDS, said_by_words(None, [""], [""]).features[0].tolist(), strict=True))


class Boosted(NamedTuple):
    """Trees whose levels ask one feature each."""

    names: Sequence[str]
    document: Mapping[str, Any]

    def __call__(self, figures: Mapping[str, float]) -> float:
        odds = self.document["bias"]
        rounded = [round(figures[name], 3) for name in self.names]
        for row in self.document["trees"]:
            levels = _LEVELS[len(row)]
            odds += row[2 * levels + sum(2**each for each in range(levels) if rounded[row[each]] > row[levels + each])]
        return logistic(odds)


def logistic(value: float) -> float:
    return 1 / (1 + exp(-value))


@dataclass(frozen=True)
class Lexical:
    """Model 1 of IBM of the words of a language and of its translations into another, as it is kept in bytes."""

    other_given: Mapping[tuple[str, str], float]
    """By word and word of a translation; 0 for what is improbable in both directions, or rare."""
    word_given: Mapping[tuple[str, str], float]
    usual: Mapping[str, float]
    """By word the logarithm of its part of all."""

    @classmethod
    def of(cls, words: Collection[str], links: Sequence[tuple[str, str]]) -> Lexical:
        sets = [(set(words_of(one)), set(words_of(other))) for one, other in links]
        forward, _ = _model_1(sets)
        backward, counts = _model_1([(other, one) for one, other in sets])
        kept = [
            (one, other)
            for (other, one), count in counts.items()
            if count >= 0.3 and max(forward[one, other], backward[other, one]) >= 0.01
        ]
        occurring = Counter(word for one, _ in sets for word in one)
        usual = {word: log((occurring[word] + 0.5) / max(occurring.total(), 1)) for word in words}
        kept_forward = {(one, other): _in_a_byte(forward[one, other]) for one, other in kept}
        kept_backward = {(one, other): _in_a_byte(backward[other, one]) for one, other in kept}
        return cls(defaultdict(float, kept_forward), defaultdict(float, kept_backward), usual)

    def is_asked(self, words: Collection[str], translation: str) -> float:
        others = set(words_of(translation))
        given = {word: sum(self.word_given[word, other] for other in others) / len(others) for word in words}
        return sum(log(given[word] + 1e-5) - self.usual[word] for word in words) / len(words)

    def likeness(self, words: Collection[str], others: Collection[str]) -> float | None:
        """How alike two sets of words are translated; None where one has no translation."""
        one, other = map(self._given, (words, others))
        if not one or not other:
            return None
        shared = sum((one[word] * other[word]) ** 0.5 for word in one.keys() & other.keys())
        return float(shared / (sum(one.values()) * sum(other.values())) ** 0.5)

    def _given(self, words: Collection[str]) -> dict[str, float]:
        found: dict[str, float] = defaultdict(float)
        for (word, other), probability in self.other_given.items():
            if word in words and probability >= 0.05:
                found[other] += probability
        return found

    def news(self, words: Collection[str]) -> list[float]:
        """How rare words are, all together, the rarest and the most usual; and how much of a word is kept."""
        rare = [-self.usual[word] for word in words]
        kept = sum(self._given(words).values()) / max(len(words), 1)
        return [sum(rare), max(rare, default=0.0), min(rare, default=0.0), kept]

    def explained(self, seed: str, added: Collection[str], removed: Collection[str], translation: str) -> float:
        words, gain = set(words_of(seed)), 0.0
        for other in set(words_of(translation)):
            before, more, less = (sum(self.other_given[word, other] for word in of) for of in (words, added, removed))
            after = max(before + more - less, 0.0) / max(len(words) + len(added) - len(removed), 1)
            gain += log((after + 1e-4) / (before / len(words) + 1e-4))
        return gain


def _model_1(
    sets: Sequence[tuple[set[str], set[str]]],
) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]]:
    """How probably each word gives one of the other side, and how often, by four steps of EM from equal ones."""
    probable: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    counts: dict[tuple[str, str], float] = {}
    for _ in range(4):
        counts = defaultdict(float)
        for words, others in sets:
            for explained in others:
                total = sum(probable[word, explained] for word in words)
                for word in words:
                    counts[word, explained] += probable[word, explained] / total
        totals: dict[str, float] = defaultdict(float)
        for (word, _), count in counts.items():
            totals[word] += count
        probable = {key: count / totals[key[0]] for key, count in counts.items()}
    return probable, counts


def _in_a_byte(probability: float) -> float:
    """The nearest power of two to its 16th part that a byte holds."""
    return float(2 ** (-min(round(-16 * log2(probability)), 255) / 16)) if probability else 2 ** (-255 / 16)


@dataclass
class Corpus:
    """The sentences of a language and their translations: (sentence, language of the translation, translation)."""

    sentences: list[str]
    pairs: Collection[tuple[str, str, str]]
    said: Mapping[tuple[str, str], Mapping[str, float]] = field(default_factory=lambda: defaultdict(lambda: _SILENT))
    """By pairs what words say of them: not told again, but with formulas and counts of its own (test_word_model.py)."""

    def __post_init__(self) -> None:
        self.languages = sorted({language for _, language, _ in self.pairs})
        self.translations: dict[tuple[str, str], set[str]] = defaultdict(set)
        having: dict[tuple[str, str], set[str]] = defaultdict(set)
        for sentence, language, translation in self.pairs:
            self.translations[sentence, language].add(translation)
            having[language, translation].add(sentence)
        self._usable = {pivot for pivot, sentences in having.items() if len(sentences) <= _MAX_SHARING}
        self._recalls = {language: self._recall(language) for language in self.languages}
        self.instances = self._instances()

    def common(self, one: str, other: str, language: str) -> int:
        both = self.translations[one, language] & self.translations[other, language]
        return sum((language, each) in self._usable for each in both)

    def shares(self, one: str, other: str, languages: Iterable[str] | None = None) -> int:
        """In how many languages two sentences share a translation."""
        return sum(self.common(one, other, each) > 0 for each in (self.languages if languages is None else languages))

    def recall(self, one: str, other: str, language: str) -> float:
        """How probable it is that they share one of a language, if they mean the same."""
        product = len(self.translations[one, language]) * len(self.translations[other, language])
        return self._recalls[language][_bucket(product)] if product else 0.0

    def expected(self, one: str, other: str) -> float:
        return 1 - prod(1 - self.recall(one, other, each) for each in self.languages)

    def _recall(self, language: str) -> list[float]:
        counts = [[20 * usual, 20] for usual in _USUAL]
        for one, other in combinations(self.sentences, 2):
            product = len(self.translations[one, language]) * len(self.translations[other, language])
            elsewhere = sum(self.common(one, other, each) for each in self.languages if each != language)
            if product and elsewhere >= 2:
                counts[_bucket(product)][0] += self.common(one, other, language) > 0
                counts[_bucket(product)][1] += 1
        return [having / of for having, of in counts]

    def _instances(self) -> dict[Exchange, list[Instance]]:
        """Of each exchange, the smaller text first, those of slots that the index keeps."""
        members: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        for context, filler, sentence in Generation(self.sentences, {}).slots():
            before, after = context.split("␣")
            members[before, after][filler] = sentence
        found: dict[Exchange, dict[frozenset[str], tuple[int, Instance]]] = defaultdict(dict)
        for (before, _), fillers in members.items():
            for x, y in combinations(sorted(fillers), 2):
                units = units_of(fillers[x])
                ends = dict(zip(accumulate(map(len, units)), units, strict=True))
                begins = {end - len(unit): unit for end, unit in ends.items()}
                left, right = ends.get(len(before), BEGIN), begins.get(len(before) + len(x), END)
                instance = len(before), Instance(fillers[x], fillers[y], left, right)
                both = frozenset(instance[1][:2])
                # Two sentences show an exchange once: in the last of several contexts.
                found[x, y][both] = max(instance, found[x, y].get(both, instance))
        return {exchange: [each for _, each in those.values()] for exchange, those in found.items()}

    def of(self, exchange: Exchange, left_out: Collection[str] = ()) -> list[Instance]:
        """The instances of an exchange, but for those between the two sentences of ``left_out``."""
        one, other = sorted(exchange)
        return [each for each in self.instances.get((one, other), ()) if {each.one, each.other} != set(left_out)]

    def total(self, instances: Iterable[Instance], language: str | None = None) -> Total:
        """Sums over instances, or over those with translations into one language, of these."""
        chosen = [each for each in instances if language is None or self.recall(*each[:2], language)]
        named = None if language is None else [language]
        return Total(
            len(chosen),
            sum(self.shares(*each[:2], named) > 0 for each in chosen),
            sum(self.expected(*each[:2]) if language is None else self.recall(*each[:2], language) for each in chosen),
        )

    def features(self, seed: str, text: str) -> dict[str, float]:
        """What the exchange between two texts says, the two themselves left out."""
        units = units_of(seed), units_of(text)
        found = difference(*units)
        return self._features(found, differences_apart(*units, found), len(units[0]), (seed, text))

    def _features(
        self, found: Difference, apart: Sequence[Difference], units: int, left_out: Collection[str]
    ) -> dict[str, float]:
        instances = self.of(found.exchange, left_out)
        whole = self.total(instances)
        left = self.total(each for each in instances if each.left == found.left)
        right = self.total(each for each in instances if each.right == found.right)
        regions = [whole] if len(apart) == 1 else [self.total(self.of(each.exchange)) for each in apart]
        worst = min(regions, key=Total.rate)
        languages = [self.total(instances, each) for each in self.languages]
        lowest = min([whole.rate(), *(each.rate(whole.rate()) for each in languages)])
        return {
            "rate": whole.rate(),
            "log rate": log2(whole.rate()),
            "shared": log2(1 + whole.shared),
            "missed": log2(1 + max(whole.expected - whole.shared, 0)),
            "rate left": left.rate(whole.rate()),
            "rate right": right.rate(whole.rate()),
            "worst rate": worst.rate(),
            "worst shared": log2(1 + worst.shared),
            "worst missed": log2(1 + max(worst.expected - worst.shared, 0)),
            "lowest rate of a language": lowest,
            "log lowest rate": log2(lowest),
            "languages with evidence": log2(1 + sum(each.expected >= 1 for each in languages)),
            "regions": len(regions),
            "doubt": sum(log2(min(each.rate(), 1)) for each in regions),
            "pairs": log2(1 + whole.pairs),
            "units before": found.units[0],
            "units after": found.units[1],
            "units of seed": units,
        }

    def is_vouched(self, seed: str, text: str) -> bool:
        """Whether every region is a replacement for which two pairs or more share a translation."""
        units = units_of(seed), units_of(text)
        found = difference(*units)
        left_out = (seed, text) if len(found.regions) == 1 else ()
        regions = [self.total(self.of(each.exchange, left_out)) for each in differences_apart(*units, found)]
        return found.is_replacement and min(regions, key=Total.rate).shared >= 2

    def validity(self, learned: Logistic, read: Boosted, seed: str, text: str, **derived: float) -> float:
        """What was read of such pairs, given what the corpus teaches; of several regions the least probable one is the
        most. The two differ in no words that point, and no word model is there."""
        units = units_of(seed), units_of(text)
        found = difference(*units)
        apart = differences_apart(*units, found)
        ways: list[tuple[Difference, Sequence[Difference], Collection[str]]] = [(found, apart, (seed, text))]
        replaced = len(apart) > 1 and all(all(each.exchange) for each in apart)
        if replaced and self.total(self.of(found.exchange, (seed, text))).shared < 2:
            ways += [(each, [each], ()) for each in apart]
        languages = self.shares(seed, text)
        factor = 5 * 8 ** (languages - 1) if languages else 1
        probability = 1.0
        for whole, regions, left_out in ways:
            figures = self._features(whole, regions, len(units[0]), left_out) | derived
            figures = self._read_figures(figures, learned, (seed, text)) | self._parted(whole, left_out)
            most = self._most_probable(whole.exchange, left_out)
            probability = min(probability, read(figures), factor * most / (1 - most + factor * most))
        return probability

    def stands(self, learned: Logistic, read: Boosted, seed: str, text: str) -> float:
        """What was read of whether such a text is a sentence."""
        units = units_of(seed), units_of(text)
        whole, pair = difference(*units), (seed, text)
        figures = self._features(whole, differences_apart(*units, whole), len(units[0]), pair)
        return read(self._read_figures(figures, learned, pair) | self._parted(whole, pair))

    def _read_figures(self, figures: dict[str, float], learned: Logistic, pair: tuple[str, str]) -> dict[str, float]:
        """``figures`` with what the corpus teaches by them, and what translations say of a pair."""
        seed, text = pair
        languages = self.shares(seed, text)
        taught = min(max(learned(figures), 1e-4), 1 - 1e-4)
        return (
            figures
            | self.testimony(*pair)
            | {
                "shares a translation": float(languages > 0),
                "in several languages": float(languages > 1),
                **self.said[pair],
                "log odds": log(taught / (1 - taught)),
            }
        )

    def _parted(self, whole: Difference, left_out: Collection[str]) -> dict[str, float]:
        """What the instances of an exchange say that stand beside one neighbour, or are of one language."""
        instances = self.of(whole.exchange, left_out)
        total = self.total(instances)
        found, beside = {"expected": log2(1 + total.expected)}, list[float]()
        for side, neighbour in (("left", whole.left), ("right", whole.right)):
            around = self.total(each for each in instances if getattr(each, side) == neighbour)
            missed = max(around.expected - around.shared, 0.0)
            figures = {"shared": around.shared, "expected": around.expected, "missed": missed}
            found |= {f"{name} beside the {side} neighbour": log2(1 + value) for name, value in figures.items()}
            beside.append(around.rate(total.rate()))
        totals = [self.total(instances, each) for each in self.languages]
        rates = [each.rate(total.rate()) for each in totals if each.expected >= 1]
        return found | {
            "lower rate beside a neighbour": min(beside),
            "mean rate of a language": sum(rates) / len(rates) if rates else total.rate(),
            "highest rate of a language": max(rates, default=total.rate()),
            "languages that agree": float(sum(each > 0.6 for each in rates)),
        }

    def _worded(self, added: Collection[str], removed: Collection[str]) -> dict[str, float]:
        """What the words that differ say themselves, of those that have a translation at all."""
        models = [self._lexical[language] for language in self.languages]
        sides = [[word for word in words if word in models[0].usual] for words in (added, removed)]
        alike = [each for model in models if (each := model.likeness(*sides)) is not None]
        found = {
            "alike": sum(alike) / max(len(alike), 1),
            "least alike": min(alike, default=0.0),
            "most alike": max(alike, default=0.0),
            "not compared": float(not alike),
        }
        for words, name, kept in zip(sides, ("added", "left out"), ("the added", "what is left out"), strict=True):
            means = [sum(each) / len(models) for each in zip(*(model.news(words) for model in models), strict=True)]
            names = f"news {name}", f"most news {name}", f"least news {name}", f"kept of {kept}"
            found |= dict(zip(names, means, strict=True))
        return found

    def testimony(self, seed: str, text: str) -> dict[str, float]:
        """What the translations of a seed say that it does not share with a text: of the language that has several, the
        one that speaks most for the pair; means over the languages. Then what the words say themselves."""
        regions = difference(units_of(seed), units_of(text)).regions
        before, after = ({word for each in sides for word in words_of(each)} for sides in zip(*regions, strict=True))
        said: dict[str, list[float]] = {"added": [], "left out": [], "explained": []}
        for language in self.languages:
            model = self._lexical[language]
            asked = sorted(self.translations[seed, language] - self.translations[text, language])[:6]
            added, removed = ({word for word in words if word in model.usual} for words in (after, before))
            if asked and added - removed:
                said["added"].append(max(model.is_asked(added - removed, each) for each in asked))
            if asked and removed - added:
                said["left out"].append(max(model.is_asked(removed - added, each) for each in asked))
            if asked:
                gains = [model.explained(seed, added - removed, removed - added, each) for each in asked]
                said["explained"].append(max(gains))
        means = {name: sum(values) / len(values) if values else 0.0 for name, values in said.items()}
        silent = {"no witness": "explained", "nothing added": "added", "nothing left out": "left out"}
        means |= {name: float(not said[of]) for name, of in silent.items()}
        return means | self._worded(after - before, before - after)

    @cached_property
    def _lexical(self) -> dict[str, Lexical]:
        words = {word for sentence, *_ in self.pairs for word in words_of(sentence)}
        links = {
            language: {(one, other) for one, of, other in self.pairs if of == language} for language in self.languages
        }
        return {language: Lexical.of(words, sorted(links[language])) for language in self.languages}

    def _most_probable(self, exchange: Exchange, left_out: Collection[str]) -> float:
        """What a language leaves that keeps less than a quarter of what is expected, as 3 of n if none of n."""
        totals = [self.total(self.of(exchange, left_out), each) for each in self.languages]
        bound = min([1.0, *((each.shared + 3) / (each.expected + 3) for each in totals)])
        return bound if bound < 0.25 else 1.0


def _bucket(product: int) -> int:
    return 0 if product == 1 else 1 if product == 2 else 2 if product <= 4 else 3 if product <= 8 else 4

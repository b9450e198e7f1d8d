"""The definitions of the paper and of the design, with dictionaries and nothing clever, to compare the engine with.

Nothing of corpusdb is used but the units of a text and the general solver of equations, which have tests of their own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from corpusdb.base.fluency_orders import NO_LIMIT
from corpusdb.base.text import unit_ends
from corpusdb.paraphrase.equations import solve

__all__ = ["Found", "Generation", "Shared", "detected", "fluency", "slots"]

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

"""Derivation: new sentences from paraphrases by proportional analogy (Lepage & Denoual 2005, section 4.3).

The seed D = c[x] stands in a context c with another filler y: B = c[y]. Where x and y commute in another context c'
too, A = c'[y] and C = c'[x] complete an analogy A : B :: C : D for each such c'. B is replaced by its paraphrase B',
and A : B' :: C : x is solved: the solution is B' with y replaced by x. Where y is empty, or stands in B' in several
places, the general solver finds the place from the sentences most alike, B : B' :: D : x, the analogy in the seed's
own context.

Everything here is a function of rows, whatever engine holds them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

from corpusdb.analogy.solver import solve
from corpusdb.analogy.substitution import Substitution
from corpusdb.text import units_of

__all__ = [
    "MOST_FILLER",
    "Derivation",
    "Evidence",
    "Rows",
    "candidates",
    "derivations",
    "is_usable",
    "placed",
    "solution",
    "solved",
]

_LEAST_CONTEXT = 0.3
"""The least part of the seed, in characters, that its context must be; below, B has too little in common with it."""
MOST_FILLER = 1 - _LEAST_CONTEXT
"""The largest part of the seed that its filler may be."""
_SOLVER_WORK = 2_000
"""Bound on the general solver for one equation; ten times as much found one solution more in 2,923."""


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
    """How many analogies yield it."""
    pivots: int
    """From how many different paraphrases B' it was made."""
    languages: int
    """In how many languages B and B' share a translation."""
    probability: float
    """The highest p(B'|B) behind it."""


class Rows(Protocol):
    """The sentences and paraphrases that derivations name."""

    def text(self, sentence: int) -> str:
        """The text of a sentence."""

    def shared(self, sentence: int, rewording: int) -> tuple[frozenset[str], float]:
        """In which languages a sentence and its paraphrase share translations, and the pivot probability."""


def is_usable(filler: str, seed: str) -> bool:
    """Whether enough of the seed is left when this filler is taken out of it."""
    return len(filler) <= MOST_FILLER * len(seed)


def derivations(
    seed: int,
    slots: Iterable[tuple[int, int]],
    text_of_filler: Mapping[int, str],
    substitutions_in: Mapping[int, Sequence[Substitution]],
    commutations: Mapping[tuple[int, int], int],
) -> Iterator[Derivation]:
    """Everything that can be derived from a seed, by its usable ``slots``: pairs of context and filler.

    ``substitutions_in`` has those of each context, and ``commutations`` in how many contexts, at least 2, the fillers
    x < y both stand.
    """
    for context, x in slots:
        for other in substitutions_in.get(context, ()):
            y = other.filler
            contexts = commutations.get((min(x, y), max(x, y)), 0) if y != x else 0
            if contexts:
                place = other.rewording, other.start, other.stop
                yield Derivation(seed, text_of_filler[x], other.sentence, *place, contexts - 1, context, x, y)


def solution(seed: str, derivation: Derivation, rows: Rows) -> str | None:
    """The candidate that a derivation gives, if it gives one."""
    rewording = rows.text(derivation.rewording)
    if derivation.start is None or derivation.stop is None:
        return solved(rows.text(derivation.sentence), rewording, seed)
    return placed(rewording, derivation.start, derivation.stop, derivation.filler)


def placed(rewording: str, start: int, stop: int, filler: str) -> str | None:
    """B' with x in the clear place of y, if that is a sentence."""
    return _sentence(rewording[:start] + filler + rewording[stop:])


def solved(sentence: str, rewording: str, seed: str) -> str | None:
    """The solution of B : B' :: D : x, if there is one that cuts no words."""
    text = solve(sentence, rewording, seed, work=_SOLVER_WORK)
    if text and not _has_their_words(text, (sentence, rewording, seed)):
        return None
    return _sentence(text)


def _sentence(text: str | None) -> str | None:
    # Texts are stored without spaces at their ends: what has some, or nothing else, is no sentence.
    return text if text and text == text.strip() else None


def _has_their_words(text: str, terms: Sequence[str]) -> bool:
    """Whether no word of the terms is cut up or joined with another in a text, and no space doubled.

    The solver knows characters only: "Are you friends?" may become "Areyou  friends?". A word may get another beginning
    or end, as "stops" has it of "stop".
    """
    if "  " in text and not any("  " in term for term in terms):
        return False
    words = frozenset().union(*map(_words_of, terms))
    return all(unit in words or _is_inflected(unit, words) for unit in _words(text))


@lru_cache(maxsize=1 << 12)
def _words_of(term: str) -> frozenset[str]:
    """Those of a sentence that is a term of many equations, one after the other."""
    return frozenset(_words(term))


def _is_inflected(unit: str, words: Collection[str]) -> bool:
    """Whether a unit is one of some words with something before or behind it that is no other of them."""
    parts = [(unit[:cut] in words, unit[cut:] in words) for cut in range(1, len(unit))]
    return any(map(any, parts)) and not any(map(all, parts))


def _words(text: str) -> Iterator[str]:
    """The units of a text without the spaces before them."""
    return (unit.lstrip() for unit in units_of(text))


def candidates(seed: str, derived: Iterable[Derivation], rows: Rows) -> list[Evidence]:
    """What is derived from one seed, by text, in the order of code points; not the seed itself.

    One exchange of sentences can be seen as an exchange of several fillers, the shorter in those contexts where the
    longer is and in more; so the analogies of a pair B, B' are counted by the most frequent of them.
    """
    found: dict[str, dict[tuple[int, int], int]] = {}
    for derivation in derived:
        text = solution(seed, derivation, rows)
        if text is None:
            continue
        pairs = found.setdefault(text, {})
        pair = (derivation.sentence, derivation.rewording)
        if pairs.get(pair, -1) < derivation.contexts:
            pairs[pair] = derivation.contexts
    found.pop(seed, None)
    return [_evidence(text, found[text], rows) for text in sorted(found)]


def _evidence(text: str, pairs: Mapping[tuple[int, int], int], rows: Rows) -> Evidence:
    """``pairs``: the number of analogies of each pair of B and B'."""
    shared = [rows.shared(*pair) for pair in pairs]
    return Evidence(
        text,
        frequency=sum(pairs.values()),
        pivots=len({rewording for _, rewording in pairs}),
        languages=len(frozenset().union(*(languages for languages, _ in shared))),
        probability=max(probability for _, probability in shared),
    )

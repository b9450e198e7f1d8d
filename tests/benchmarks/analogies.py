"""Which formal analogies of samples the rectangles cover, and how fast equations are solved."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import random
import resource
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice, pairwise
from pathlib import Path
from statistics import mean, median
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from grown_corpus import Pair
from measuring import TATOEBA, read_language, run_named

from corpusdb.base.text import normalise, unit_ends, units_of
from corpusdb.paraphrase.differences import difference
from corpusdb.paraphrase.equations import is_analogy, lcs_distance, solve
from corpusdb.paraphrase.slots import MAX_UNITS, cut_slots, index_slots

# All analogies among the sentences of a sample, by the formal definition alone, and which of them are rectangles.
#
# Every character gets a random weight of 64 bits and every sentence the sum of its weights, so that ``|A|x + |D|x =
# |B|x + |C|x`` for all characters x makes equal sums of pairs: h(A) + h(D) = h(B) + h(C). Comparing the sums of all
# unordered pairs {A, D} and {B, C} therefore meets every quadruple with equal counts, each of its eight equivalent
# forms at once; what is found is then put to the definition, so that an accidental equality does no harm.


I64 = npt.NDArray[np.int64]
U64 = npt.NDArray[np.uint64]
Gap = Callable[[str, int, int], bool]
"""Whether text[start:stop] may be taken out of the text as a filler."""
Terms = tuple[str, str, str, str]

_PAIRS_AT_ONCE = 1 << 24
_NO_LIMIT = 1 << 40


def all_analogies(texts: Sequence[str]) -> I64:
    """The analogies between four different sentences of ``texts``, which are distinct and in NFC.

    Rows (A, B, C, D) of indices, the one of the eight forms in which A is the least and B less than C.
    Time: O(n^2 log n) for n sentences, 30 s for 30,000; memory: about 1 GB.
    """
    found = quadruples_of_equal_counts(texts)
    held = [is_analogy(*terms) for terms in terms_of(texts, found)]
    return found[np.array(held, dtype=np.bool_)]


def terms_of(texts: Sequence[str], quadruples: I64) -> Iterator[Terms]:
    """The sentences of each quadruple."""
    for a, b, c, d in quadruples.tolist():
        yield texts[a], texts[b], texts[c], texts[d]


def keys_of(quadruples: I64, sentences: int) -> I64:
    """A number for each quadruple, its own among up to 65,536 ``sentences`` (it may be negative)."""
    a, b, c, d = quadruples.T
    keys: I64 = ((a * sentences + b) * sentences + c) * sentences + d
    return keys


def quadruples_of_equal_counts(texts: Sequence[str]) -> I64:
    """The quadruples with |A|x + |D|x = |B|x + |C|x for all characters x, but for accidents of the hash."""
    hashes = _count_hashes(texts)
    order = np.argsort(hashes)
    found = [np.empty((0, 4), dtype=np.int64)]
    for first, second, sums in _pairs_by_sum(hashes[order]):
        ascending = np.sort(sums)
        repeated = np.unique(ascending[1:][ascending[1:] == ascending[:-1]])
        if not len(repeated):
            continue
        place = np.minimum(np.searchsorted(repeated, sums), len(repeated) - 1)
        chosen = np.flatnonzero(repeated[place] == sums)
        one, other = (chosen[side] for side in _pairs_within_groups(sums[chosen]))
        found.append(_canonical(*(order[index] for index in (first[one], first[other], second[other], second[one]))))
    return np.concatenate(found)


def _count_hashes(texts: Sequence[str]) -> U64:
    """For each text the sum of the weights of its characters, modulo 2^64."""
    weights = np.random.default_rng(0).integers(0, 1 << 64, size=0x110000, dtype=np.uint64)
    return np.array([weights[[ord(character) for character in text]].sum() for text in texts], dtype=np.uint64)


def _pairs_by_sum(hashes: U64) -> Iterator[tuple[I64, I64, U64]]:
    """All pairs i < j of ascending ``hashes`` and their sums, in parts by the leading bits of the sum."""
    size = len(hashes)
    parts = 1
    while size * (size - 1) // 2 // parts > _PAIRS_AT_ONCE:
        parts *= 2
    width = np.uint64((1 << 64) // parts % (1 << 64))
    index = np.arange(size)
    for part in range(parts):
        low = np.uint64(part) * width - hashes
        high = low + width
        begin, end = np.searchsorted(hashes, low), np.searchsorted(hashes, high)
        # Modulo 2^64 the second terms of i are those from low up to high, or all that are not from high up to low.
        wraps = high <= low
        starts = np.concatenate([np.maximum(begin, index + 1), index + 1])
        stops = np.concatenate([np.where(wraps, size, end), np.where(wraps, end, 0)])
        counts = np.maximum(stops - starts, 0)
        first = np.repeat(np.concatenate([index, index]), counts)
        second = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts - starts, counts)
        yield first, second, hashes[first] + hashes[second]


def _pairs_within_groups(values: npt.NDArray[np.int64] | U64) -> tuple[I64, I64]:
    """The places of every two equal values, each pair once."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    after = np.searchsorted(ordered, ordered, side="right") - np.arange(len(ordered)) - 1
    first = np.repeat(np.arange(len(ordered)), after)
    second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(after) - after, after)
    return order[first], order[second]


def _canonical(a: I64, b: I64, c: I64, d: I64) -> I64:
    """The quadruples of four different sentences, in the form with A the least and B < C; not yet free of repeats."""
    a, d = np.minimum(a, d), np.maximum(a, d)
    b, c = np.minimum(b, c), np.maximum(b, c)
    swapped = b < a
    rows = np.stack([np.where(swapped, *pair) for pair in ((b, a), (a, b), (d, c), (c, d))], axis=1)
    different = (a != b) & (a != c) & (d != b) & (d != c) & (a != d) & (b != c)
    quadruples: I64 = rows[different].astype(np.int64)
    return quadruples


def rectangles(texts: Sequence[str], max_units: int) -> I64:
    """Two contexts times two fillers with four different sentences, from the index of slots, as all_analogies has them.

    Contexts of any number of fillers; the index says nothing of the definition, and not all of these are analogies.
    """
    index = index_slots(cut_slots(texts, max_units), _NO_LIMIT)
    if not len(index.slot_context):
        return np.empty((0, 4), dtype=np.int64)
    # By context and filler, so that the first filler of a pair has the smaller number.
    x, y = _pairs_within_groups(index.slot_context)
    pairs = index.slot_filler[x] * (int(index.slot_filler.max()) + 1) + index.slot_filler[y]
    c, other = _pairs_within_groups(pairs)
    sentence = index.slot_sentence
    return np.unique(_canonical(sentence[x[c]], sentence[y[c]], sentence[x[other]], sentence[y[other]]), axis=0)


@lru_cache(maxsize=1 << 16)
def _boundaries(text: str) -> tuple[int, ...]:
    return (0, *unit_ends(text))


def unit_gap(max_units: int) -> Gap:
    """Gaps of at most ``max_units`` whole units."""

    def allowed(text: str, start: int, stop: int) -> bool:
        bounds = _boundaries(text)
        if start not in bounds or stop not in bounds:
            return False
        return bounds.index(stop) - bounds.index(start) <= max_units

    return allowed


def edge_gap(text: str, start: int, stop: int) -> bool:
    """Gaps at the beginning or at the end of one unit, the whole unit and nothing included."""
    bounds = _boundaries(text)
    inside = bisect_right(bounds, start) - 1
    following = bounds[min(inside + 1, len(bounds) - 1)]
    return stop <= following and (start in bounds or stop in bounds)


def any_gap(text: str, start: int, stop: int) -> bool:
    """All gaps, as if every character were a unit."""
    return True


def is_rectangle(terms: Terms, gap: Gap) -> bool:
    """Whether A : B :: C : D is two contexts times two fillers in one of its two readings, by the strings."""
    return bool(_common_exchanges(terms, gap))


def smallest_exchange(terms: Terms) -> tuple[str, str]:
    """The shortest two fillers, in characters, that make the terms a rectangle. Raises ValueError where none do."""
    return min(_common_exchanges(terms, any_gap), key=lambda pair: (len(pair[0]) + len(pair[1]), pair))


def _common_exchanges(terms: Terms, gap: Gap) -> frozenset[tuple[str, str]]:
    a, b, c, d = terms
    return _exchanges(a, c, gap) & _exchanges(b, d, gap) or _exchanges(a, b, gap) & _exchanges(c, d, gap)


@lru_cache(maxsize=1 << 16)
def _exchanges(a: str, b: str, gap: Gap) -> frozenset[tuple[str, str]]:
    """All (x, y) such that taking x out of A and y out of B leaves one context that is not empty."""
    shorter = min(len(a), len(b))
    before = next((place for place in range(shorter) if a[place] != b[place]), shorter)
    after = next((place for place in range(shorter) if a[-1 - place] != b[-1 - place]), shorter)
    found = set()
    for start in range(before + 1):
        for kept in range(0 if start else 1, min(after, shorter - start) + 1):
            stop, other = len(a) - kept, len(b) - kept
            if gap(a, start, stop) and gap(b, start, other):
                found.add((a[start:stop], b[start:other]))
    return frozenset(found)


# How far rectangles in the index of slots and analogies by the formal definition are the same thing, on Tatoeba.
#
#     python tests/benchmarks/analogies.py analogy-coverage [--english 30000] [--japanese 30000] [--seed 1]
#     [--longest 0]
#
# Draws distinct sentences at random, finds all analogies between any four of them by brute force, and prints which of
# them are rectangles, of what kind the others are, and how many rectangles are no analogies. Of the others it counts
# those whose sentences stand two by two in one context: what they give is generated where an exchange of words vouches
# for it. That all four sentences of an analogy are drawn has the fourth power of the probability of one: 4,000 of the
# 236,197 English sentences hold none to three analogies, as do 6,000 of the 63,966 Japanese ones, and 30,000 of either
# some thousands. ``--longest`` draws from the sentences of at most so many characters instead, which are closer to
# each other. 30,000 sentences take half a minute and 1.1 GB, 60,000 two minutes.


ENGLISH = tuple((f"eng-{language}.tsv.gz", 0) for language in ("fra", "deu", "jpn", "cmn"))
JAPANESE = (("eng-jpn.tsv.gz", 1),)
NO_LIMIT = 500
"""More units than any sentence has."""
EXAMPLES = 3

_UNITS, _MORE_UNITS = unit_gap(MAX_UNITS), unit_gap(NO_LIMIT)


def sentences(columns: Iterable[tuple[str, int]], longest: int = 0) -> list[str]:
    """The distinct sentences of these columns of these files, ascending, of at most ``longest`` characters (0: any)."""
    found = {normalise(cell) for name, column in columns for cell in _cells(TATOEBA / name, column)}
    return sorted(text for text in found if not longest or len(text) <= longest)


def _cells(path: Path, column: int) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in islice(lines, 1, None):
            yield line.rstrip("\n").split("\t")[column]


def draw(texts: Sequence[str], size: int, seed: int) -> list[str]:
    """``size`` of the sentences at random, or all where there are fewer."""
    return random.Random(seed).sample(texts, min(size, len(texts)))


def covered(found: I64, among: I64, sentences: int) -> list[bool]:
    """For each quadruple of ``found`` whether it is one of ``among``."""
    held: list[bool] = np.isin(keys_of(found, sentences), keys_of(among, sentences)).tolist()
    return held


def _with_spaces(terms: Terms) -> Terms:
    a, b, c, d = (" " + term for term in terms)
    return a, b, c, d


def _at_edges(text: str, start: int, stop: int) -> bool:
    return _UNITS(text, start, stop) or edge_gap(text, start, stop)


def _reordered(terms: Terms) -> bool:
    a, b, c = (sorted(term) for term in terms[:3])
    return a in (b, c)


def _changed_alike(terms: Terms) -> bool:
    """Whether the two pairs of a reading differ by the same changes in several places, by units or by characters."""
    a, b, c, d = terms
    return any(
        _changes(cut(one), cut(other)) == _changes(cut(third), cut(last))
        for cut in (_units_of, list)
        for one, other, third, last in ((a, c, b, d), (a, b, c, d))
    )


def _units_of(text: str) -> list[str]:
    return [text[start:stop].strip() for start, stop in pairwise((0, *unit_ends(text)))]


def _changes(one: list[str], other: list[str]) -> Counter[tuple[str, ...]]:
    """What has to be replaced by what, wherever it stands."""
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return Counter(("\0".join(one[i:j]), "\0".join(other[k:m])) for kind, i, j, k, m in blocks if kind != "equal")


CLASSES: tuple[tuple[str, Callable[[Terms], bool]], ...] = (
    (f"rectangles of up to {MAX_UNITS} units", lambda terms: is_rectangle(terms, _UNITS)),
    ("longer fillers", lambda terms: is_rectangle(terms, _MORE_UNITS)),
    ("first unit with a space before it", lambda terms: is_rectangle(_with_spaces(terms), _UNITS)),
    ("beginning or end of a unit", lambda terms: is_rectangle(_with_spaces(terms), _at_edges)),
    ("other change of characters", lambda terms: is_rectangle(terms, any_gap)),
    ("same characters in another order", _reordered),
    ("same changes in several places", _changed_alike),
    ("anything else", lambda terms: True),
)
"""The kinds of analogies, each with the test that those of no kind before it are put to."""


def classified(analogies: Iterable[Terms]) -> dict[str, list[Terms]]:
    """The analogies by kind, all kinds in the order of CLASSES."""
    found: dict[str, list[Terms]] = {name: [] for name, _ in CLASSES}
    for terms in analogies:
        found[next(name for name, holds in CLASSES if holds(terms))].append(terms)
    return found


def report(name: str, texts: list[str], seed: int) -> None:
    """Measure one sample and print its part of the table."""
    begun = time.perf_counter()
    analogies = all_analogies(texts)
    seconds = time.perf_counter() - begun
    print(f"{name}: {len(texts):,} sentences, {len(analogies):,} analogies, brute force {seconds:.0f} s")
    order = random.Random(seed)
    if len(analogies):
        _report_analogies(texts, analogies, order)
    _report_rectangles(texts, analogies, order)
    print(f"  peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB\n", flush=True)


def _in_one_context(terms: Terms) -> bool:
    """Whether, in one of the two readings, either pair of sentences differs in one run of units, short enough."""
    a, b, c, d = terms
    return any(
        _differ_in_a_filler(*one) and _differ_in_a_filler(*other) for one, other in (((a, b), (c, d)), ((a, c), (b, d)))
    )


def _differ_in_a_filler(one: str, other: str) -> bool:
    return max(difference(units_of(one), units_of(other)).units) <= MAX_UNITS


def _report_analogies(texts: list[str], analogies: I64, order: random.Random) -> None:
    for max_units, limit in ((MAX_UNITS, f"at most {MAX_UNITS} units"), (NO_LIMIT, "any number of units")):
        share = np.mean(covered(analogies, rectangles(texts, max_units), len(texts)))
        print(f"  in the index with fillers of {limit:<33}{share:8.1%}")
    total = 0
    for name, members in classified(terms_of(texts, analogies)).items():
        total += len(members)
        print(f"  {name:<40}{len(members):>8,}{len(members) / len(analogies):8.1%}{total / len(analogies):8.1%}")
        if name != CLASSES[0][0]:
            for terms in order.sample(members, min(EXAMPLES, len(members))):
                print("      " + " | ".join(terms))
    beside = [
        terms for terms in terms_of(texts, analogies) if not is_rectangle(terms, _UNITS) and _in_one_context(terms)
    ]
    print(f"  {'not rectangles, two by two in one context':<41}{len(beside):>7,}{len(beside) / len(analogies):8.1%}")
    same = sum(_reordered(terms) for terms in terms_of(texts, analogies))
    print(f"  {'(of all, with two pairs of anagrams)':<40}{same:>8,}")


def _report_rectangles(texts: list[str], analogies: I64, order: random.Random) -> None:
    found = rectangles(texts, MAX_UNITS)
    if not len(found):
        return
    held = np.array(covered(found, analogies, len(texts)))
    print(f"  {'rectangles that are analogies':<32}{held.sum():>8,} of {len(found):,}{held.mean():8.1%}")
    others = list(terms_of(texts, found[~held]))
    inserted = sum("" in smallest_exchange(terms) for terms in others)
    print(f"  {'not analogies':<32}{len(others):>8,}, one filler empty in {inserted:,}")
    for a, b, c, d in order.sample(others, min(EXAMPLES, len(others))):
        across, down = (lcs_distance(a, b), lcs_distance(c, d)), (lcs_distance(a, c), lcs_distance(b, d))
        print(f"      {across} {down} {smallest_exchange((a, b, c, d))}: {a} | {b} | {c} | {d}")


def analogy_coverage_main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--english", type=int, default=30_000, help="sentences to draw; 0 for none")
    parser.add_argument("--japanese", type=int, default=30_000, help="sentences to draw; 0 for none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=0, help="draw from the sentences of at most so many characters")
    arguments = parser.parse_args()
    if not TATOEBA.is_dir():
        print(f"no data at {TATOEBA}: nothing measured")
        return
    for name, columns, size in (("English", ENGLISH, arguments.english), ("Japanese", JAPANESE, arguments.japanese)):
        if size:
            report(name, draw(sentences(columns, arguments.longest), size, arguments.seed), arguments.seed)


# Microseconds that the general solver takes for an equation, by kind, on sentences of Tatoeba.
#
#     python tests/benchmarks/analogies.py solver [--times 3] [--seed 7]
#
#     exchanged   a word is exchanged for another between A and B, and stands in C: 2,500
#     general     A and B share a translation, and C begins with the same two words: 2,500
#     random      three sentences: 700
#
# The least of the times of each equation counts. The digest is of all solutions: two versions that print the same one
# solve the same.


SolverSpeedTerms: TypeAlias = tuple[str, str, str]


def exchanged(english: Sequence[str], chance: random.Random) -> Iterator[SolverSpeedTerms]:
    """A and B of one frame, and C of another in which the word of A stands."""
    fillers: dict[tuple[str, str], list[str]] = defaultdict(list)
    frames: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for words in map(str.split, english):
        for place, word in enumerate(words):
            fillers[" ".join(words[:place]), " ".join(words[place + 1 :])].append(word)
    several = [(frame, words) for frame, words in fillers.items() if len(words) > 1 and any(frame)]
    for frame, words in several:
        for word in words:
            frames[word].append(frame)
    while True:
        frame, words = chance.choice(several)
        old, new = chance.sample(words, 2)
        a, b, c = (_filled(*each) for each in ((frame, old), (frame, new), (chance.choice(frames[old]), old)))
        if a != c:
            yield a, b, c


def _filled(frame: tuple[str, str], word: str) -> str:
    return " ".join(part for part in (frame[0], word, frame[1]) if part)


def general(pairs: Sequence[Pair], chance: random.Random) -> Iterator[SolverSpeedTerms]:
    """A and B that share a translation, and C that begins as A does."""
    sharing: dict[str, set[str]] = defaultdict(set)
    beginning: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for english, translation in pairs:
        sharing[translation].add(english)
    for english in sorted({english for english, _ in pairs}):
        beginning[tuple(english.split()[:2])].append(english)
    several = [sorted(texts) for texts in sharing.values() if len(texts) > 1]
    while True:
        a, b = chance.sample(chance.choice(several), 2)
        c = chance.choice(beginning[tuple(a.split()[:2])])
        if a != c:
            yield a, b, c


def unrelated(english: Sequence[str], chance: random.Random) -> Iterator[SolverSpeedTerms]:
    """Any three."""
    while True:
        a, b, c = chance.sample(english, 3)
        yield a, b, c


def solved(equations: Sequence[SolverSpeedTerms], times: int) -> tuple[list[str | None], list[float]]:
    """The solutions, and the least microseconds of each."""
    least = [float("inf")] * len(equations)
    found: list[str | None] = []
    for _ in range(times):
        found.clear()
        for number, (a, b, c) in enumerate(equations):
            begun = time.perf_counter()
            found.append(solve(a, b, c))
            least[number] = min(least[number], 1e6 * (time.perf_counter() - begun))
    return found, least


def solver_speed_main() -> None:
    """Solve all kinds, and print what each takes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    pairs = [(normalise(one), normalise(other)) for one, other in read_language(TATOEBA, "fra")]
    english = sorted({text for text, _ in pairs})
    chance = random.Random(options.seed)
    kinds = {
        "exchanged": list(islice(exchanged(english, chance), 2500)),
        "general": list(islice(general(pairs, chance), 2500)),
        "random": list(islice(unrelated(english, chance), 700)),
    }
    digest, all_times = hashlib.sha256(), []
    print(f"{'':<10} {'equations':>9} {'solved':>7} {'mean':>7} {'median':>7} {'p99':>7} {'max':>7}  microseconds")
    for kind, equations in kinds.items():
        found, least = solved(equations, options.times)
        digest.update(repr(found).encode())
        all_times += least
        count = sum(each is not None for each in found)
        figures = mean(least), median(least), sorted(least)[int(0.99 * len(least))], max(least)
        print(f"{kind:<10} {len(least):>9,} {count:>7,}", *(f"{value:>7,.0f}" for value in figures))
    print(f"{'all':<10} {len(all_times):>9,} {'':>7} {mean(all_times):>7,.0f} {median(all_times):>7,.0f}")
    print(f"digest of the solutions: {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    run_named({"analogy-coverage": analogy_coverage_main, "solver": solver_speed_main})

"""All analogies among the sentences of a sample, by the formal definition alone, and which of them are rectangles.

Every character gets a random weight of 64 bits and every sentence the sum of its weights, so that ``|A|x + |D|x =
|B|x + |C|x`` for all characters x makes equal sums of pairs: h(A) + h(D) = h(B) + h(C). Comparing the sums of all
unordered pairs {A, D} and {B, C} therefore meets every quadruple with equal counts, each of its eight equivalent
forms at once; what is found is then put to the definition, so that an accidental equality does no harm.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
from measuring import TATOEBA

from corpusdb.base.text import normalise, unit_ends
from corpusdb.paraphrase.equations import is_analogy
from corpusdb.paraphrase.slots import cut_slots, index_slots

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


def is_rectangle(terms: Terms, gap: Gap) -> bool:
    """Whether A : B :: C : D is two contexts times two fillers in one of its two readings, by the strings."""
    a, b, c, d = terms
    return bool(_exchanges(a, c, gap) & _exchanges(b, d, gap) or _exchanges(a, b, gap) & _exchanges(c, d, gap))


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


ENGLISH = tuple((f"eng-{language}.tsv.gz", 0) for language in ("fra", "deu", "jpn", "cmn"))
JAPANESE = (("eng-jpn.tsv.gz", 1),)


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

"""How far rectangles in the index of slots and analogies by the formal definition are the same thing, on Tatoeba.

    python tests/benchmarks/analogy_coverage.py [--english 30000] [--japanese 30000] [--seed 1] [--longest 0]

Draws distinct sentences at random, finds all analogies between any four of them by brute force, and prints which of
them are rectangles, of what kind the others are, and how many rectangles are no analogies. Of the others it counts
those whose sentences stand two by two in one context: what they give is generated where an exchange of words vouches
for it. That all four sentences of an analogy are drawn has the fourth power of the probability of one: 4,000 of the
236,197 English sentences hold none to three analogies, as do 6,000 of the 63,966 Japanese ones, and 30,000 of either
some thousands. ``--longest`` draws from the sentences of at most so many characters instead, which are closer to each
other. 30,000 sentences take half a minute and 1.1 GB, 60,000 two minutes.
"""

from __future__ import annotations

import argparse
import gzip
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
from brute_force_analogies import (
    I64,
    Terms,
    all_analogies,
    any_gap,
    edge_gap,
    is_rectangle,
    keys_of,
    rectangles,
    smallest_exchange,
    terms_of,
    unit_gap,
)

from corpusdb.base.text import normalise, unit_ends, units_of
from corpusdb.paraphrase.differences import difference
from corpusdb.paraphrase.equations import lcs_distance
from corpusdb.paraphrase.slots import MAX_UNITS

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "tatoeba"
ENGLISH = tuple((f"eng-{language}.tsv.gz", 0) for language in ("fra", "deu", "jpn", "cmn"))
JAPANESE = (("eng-jpn.tsv.gz", 1),)
NO_LIMIT = 500
"""More units than any sentence has."""
EXAMPLES = 3

_UNITS, _MORE_UNITS = unit_gap(MAX_UNITS), unit_gap(NO_LIMIT)


def sentences(columns: Iterable[tuple[str, int]], longest: int = 0) -> list[str]:
    """The distinct sentences of these columns of these files, ascending, of at most ``longest`` characters (0: any)."""
    found = {normalise(cell) for name, column in columns for cell in _cells(DATA / name, column)}
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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--english", type=int, default=30_000, help="sentences to draw; 0 for none")
    parser.add_argument("--japanese", type=int, default=30_000, help="sentences to draw; 0 for none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=0, help="draw from the sentences of at most so many characters")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        print(f"no data at {DATA}: nothing measured")
        return
    for name, columns, size in (("English", ENGLISH, arguments.english), ("Japanese", JAPANESE, arguments.japanese)):
        if size:
            report(name, draw(sentences(columns, arguments.longest), size, arguments.seed), arguments.seed)


if __name__ == "__main__":
    main()

"""Microseconds that the general solver takes for an equation, by kind, on sentences of Tatoeba.

    python tests/benchmarks/solver_speed.py [--times 3] [--seed 7]

    exchanged   a word is exchanged for another between A and B, and stands in C: 2,500
    general     A and B share a translation, and C begins with the same two words: 2,500
    random      three sentences: 700

The least of the times of each equation counts. The digest is of all solutions: two versions that print the same one
solve the same.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parent))

from grown_corpus import Pair
from growth import DATA, read_language

from corpusdb.base.text import normalise
from corpusdb.paraphrase.equations import solve

Terms: TypeAlias = tuple[str, str, str]


def exchanged(english: Sequence[str], chance: random.Random) -> Iterator[Terms]:
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


def general(pairs: Sequence[Pair], chance: random.Random) -> Iterator[Terms]:
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


def unrelated(english: Sequence[str], chance: random.Random) -> Iterator[Terms]:
    """Any three."""
    while True:
        a, b, c = chance.sample(english, 3)
        yield a, b, c


def solved(equations: Sequence[Terms], times: int) -> tuple[list[str | None], list[float]]:
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


def main() -> None:
    """Solve all kinds, and print what each takes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    pairs = [(normalise(one), normalise(other)) for one, other in read_language(DATA, "fra")]
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
    main()

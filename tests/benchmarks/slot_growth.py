"""How the index of slots grows with a natural corpus, and with one that is grown from half the size.

    python tests/benchmarks/slot_growth.py PAIRS.tsv [--sizes 25000 50000 100000] [--seed 1] [--no-header]

For each size a random sample of so many sentences is indexed, and then the first half of it grown to that size by
grown_corpus.py. All figures are for a sentence: contexts that two sentences have, fillers and slots that are kept,
pairs of fillers in one context, which are what counting commutations costs, and pairs of sentences that share a
translation. Behind them stand the largest context that is kept, and how many are too common.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from grown_corpus import Pair, grow, read_pairs

from corpusdb.paraphrase.sharing import MAX_SHARING
from corpusdb.paraphrase.slots import MAX_FILLERS, cut_shared_slots, index_slots


@dataclass(frozen=True)
class Growth:
    """Figures of one corpus, all but the last two for a sentence."""

    contexts: float
    fillers: float
    slots: float
    pairs: float
    sharing: float
    largest: int
    too_common: int


def growth_of(pairs: Sequence[Pair]) -> Growth:
    """What the index of a corpus holds."""
    texts = list(dict.fromkeys(text for text, _ in pairs))
    index = index_slots(cut_shared_slots(texts))
    sizes = np.bincount(index.slot_context)
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for text, translation in pairs:
        holders[translation].append(text)
    sharing = Counter(
        (one, other)
        for some in holders.values()
        if len(some) <= MAX_SHARING
        for one in some
        for other in some
        if one < other
    )
    return Growth(
        len(index.contexts) / len(texts),
        len(index.fillers) / len(texts),
        len(index.slot_filler) / len(texts),
        int((sizes * (sizes - 1) // 2).sum()) / len(texts),
        len(sharing) / len(texts),
        int(sizes.max(initial=0)),
        int((index.context_fillers > MAX_FILLERS).sum()),
    )


def main() -> None:
    """Print three lines for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[25_000, 50_000, 100_000])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-header", action="store_true", help="the first line is a pair as well")
    options = parser.parse_args()
    pairs = list(dict.fromkeys(read_pairs(options.pairs, header=not options.no_header)[1]))
    texts = list(dict.fromkeys(text for text, _ in pairs))
    random.Random(options.seed).shuffle(texts)
    print(f"{'sentences':>9}  {'':<7}", *(f"{each.name:>10}" for each in fields(Growth)))
    for size in options.sizes:
        if size > len(texts):
            raise SystemExit(f"{options.pairs} has {len(texts):,} sentences")
        sample, half = set(texts[:size]), set(texts[: size // 2])
        natural = growth_of([pair for pair in pairs if pair[0] in sample])
        grown = growth_of(list(grow((pair for pair in pairs if pair[0] in half), size, options.seed)))
        for name, found in (("natural", natural), ("grown", grown)):
            print(
                f"{size:>9,}  {name:<7}", *(f"{value:>10,.{3 * isinstance(value, float)}f}" for value in astuple(found))
            )
        ratios = (
            made / real if real else float("nan") for made, real in zip(*map(astuple, (grown, natural)), strict=True)
        )
        print(f"{size:>9,}  {'ratio':<7}", *(f"{ratio:>10.2f}" for ratio in ratios), flush=True)


if __name__ == "__main__":
    main()

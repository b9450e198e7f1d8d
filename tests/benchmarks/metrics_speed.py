"""BLEU of all orders beside sacrebleu's runs, one for each order, and the bootstrap of eight systems.

    python tests/benchmarks/metrics_speed.py [--data FOLDER] [--segments 2040]

Words of order 1 to 4 and characters of order 1 to 30, with 13 references a segment: descriptions of images, the others
of the same image and those of its neighbours. Both are timed in one process, from texts to scores, and their scores are
compared. sacrebleu takes some minutes for 2,040 segments.
"""

from __future__ import annotations

import argparse
import gzip
import random
import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from sacrebleu.metrics.bleu import BLEU

from corpusdb.base.stats.resampling import bootstrap
from corpusdb.base.tokenisation import tokeniser
from corpusdb.scoring.metrics.bleu import bleu_scores, bleu_statistics
from corpusdb.scoring.metrics.encoding import References

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
REFERENCES = 13
ORDERS = {"13a": 4, "char": 30}


def captions(folder: Path, segments: int) -> tuple[list[str], list[list[str]]]:
    """Hypotheses and their references; after the last image they begin again with another description."""
    files = [
        [
            gzip.decompress((folder / f"{part}.{number}.en.gz").read_bytes()).decode().splitlines()
            for number in range(1, 6)
        ]
        for part in ("test_2016", "val")
    ]
    images = [list(image) for part in files for image in zip(*part, strict=True)]
    rng = random.Random(1)
    for image in images:
        rng.shuffle(image)  # they are sorted by length
    hypotheses, references = [], []
    for number in range(segments):
        turn, place = divmod(number, len(images))
        own = images[place]
        hypotheses.append(own[turn])
        others = chain(own[:turn] + own[turn + 1 :], *(images[place - step] for step in range(1, 4)))
        references.append(list(others)[:REFERENCES])
    return hypotheses, references


def ours(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[float, list[float]]:
    """Seconds, and the corpus scores of all orders; those of the sentences are computed too."""
    begun = time.perf_counter()
    scores: list[float] = []
    for tokenisation, order in ORDERS.items():
        encoded = References.of(references, tokeniser(tokenisation))
        statistics = bleu_statistics(encoded.encode(hypotheses), encoded, order)
        bleu_scores(statistics)
        scores += (100 * bleu_scores(statistics.sum(axis=0))).tolist()
    return time.perf_counter() - begun, scores


def theirs(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[float, float, list[float]]:
    """Seconds of all runs, seconds of the longest, and the corpus scores of all orders."""
    ranks = list(zip(*references, strict=True))
    seconds, scores = [], []
    for tokenisation, most in ORDERS.items():
        for order in range(1, most + 1):
            begun = time.perf_counter()
            metric = BLEU(tokenize=tokenisation, max_ngram_order=order, smooth_method="none", force=True)
            scores.append(metric.corpus_score(hypotheses, ranks).score)
            seconds.append(time.perf_counter() - begun)
    return sum(seconds), max(seconds), scores


def resampling(folder: Path) -> float:
    """Seconds for 1,000 samples of eight systems, 1,000 segments each, from their statistics."""
    names = sorted((folder / "systems").glob("*.en"))[:8]
    texts = [(folder / f"ref.{name}.en").read_text(encoding="utf-8").removesuffix("\n").split("\n") for name in "AB"]
    references = References.of(list(zip(*texts, strict=True)), tokeniser("13a"))
    systems = [path.read_text(encoding="utf-8").removesuffix("\n").split("\n") for path in names]
    statistics = np.stack([bleu_statistics(references.encode(system), references, 4) for system in systems])
    begun = time.perf_counter()
    bootstrap(statistics, lambda rows: bleu_scores(rows)[..., 3], samples=1000, seed=1)
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--segments", type=int, default=2040)
    options = parser.parse_args()
    sample = captions(options.data / "multi30k" / "task2", options.segments)
    own_seconds, own_scores = ours(*sample)
    seconds, longest, scores = theirs(*sample)
    difference = max(abs(one - other) for one, other in zip(own_scores, scores, strict=True))
    print(f"corpusdb, {len(scores)} orders of {options.segments} segments: {own_seconds:.2f} s")
    print(f"sacrebleu, as many runs: {seconds:.1f} s, the longest of them {longest:.1f} s")
    print(f"{seconds / own_seconds:.0f} times as fast (asked: 50); largest difference of scores {difference:.1e}")
    resampled = resampling(options.data / "wmt21-ruen")
    print(f"bootstrap, 1,000 samples of 8 systems of 1,000 segments: {resampled:.2f} s (asked: 2 s)")


if __name__ == "__main__":
    main()

"""Agreement of metrics with human scores, beside a loop over scipy's functions.

    python tests/benchmarks/agreement_speed.py [--systems 20] [--segments 1000] [--samples 1000] [--variants 10]

Ten variants of BLEU (words of order 1 to 5, characters of order 2 to 18) of systems that are the outputs of a real one
with words left out and exchanged, and human scores in whole numbers, a tenth of them missing. Times are from texts to
figures: scores, correlations and accuracies of systems and segments, with intervals over the segments; then PERM-BOTH
of two variants by every statistic of systems. The loop computes the correlations alone, those that scipy has.
"""

from __future__ import annotations

import argparse
import random
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy import stats  # type: ignore[import-untyped]

from corpusdb.base.arrays import F64
from corpusdb.base.jobs import finished
from corpusdb.base.stats.resampling import counts_in_samples
from corpusdb.base.stats.system_agreement import SYSTEM_STATISTICS, segments_exchanged, systems_exchanged
from corpusdb.corpus.formats.scoring_input import Output, read_plain, read_references
from corpusdb.scoring.queries.agreement import Judged, Question, VariantChoice, agreement, computed_scores
from corpusdb.scoring.queries.agreement_figures import ComputedScores
from corpusdb.scoring.queries.labelled_references import LabelledReferences
from corpusdb.scoring.queries.scoring import Sampling
from corpusdb.scoring.queries.scoring_references import references_from_files
from corpusdb.scoring.reference_count import HumanScores

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "wmt21-ruen"
ORDERS = {"word": (1, 2, 3, 4, 5), "char": (2, 4, 6, 10, 18)}
_LOOP_SAMPLES = 20


def disturbed(text: str, rate: float, rng: random.Random) -> str:
    """A text with this share of its words left out, or before the one they stood behind."""
    words = [word for word in text.split() if rng.random() >= rate / 2]
    for at, _ in pairwise(range(len(words))):
        if rng.random() < rate / 2:
            words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def material(systems: int, segments: int) -> tuple[list[Output], LabelledReferences, HumanScores]:
    rng, numbers = random.Random(1), np.random.default_rng(1)
    texts = read_references([DATA / "ref.A.en"])
    kept = min(segments, len(texts.references))
    references = LabelledReferences.of(references_from_files(texts, []))
    lines = read_plain(DATA / "systems" / "Facebook-AI.en")
    rates = np.linspace(0.02, 0.4, systems)
    outputs = [
        Output(f"s{number}", DATA, tuple(disturbed(line, rate, rng) for line in lines))
        for number, rate in enumerate(rates.tolist())
    ]
    ratings = np.round(80 - 60 * rates[:, np.newaxis] + 15 * numbers.normal(size=(systems, len(lines))))
    ratings[numbers.random(ratings.shape) < 0.1] = np.nan
    ratings[:, kept:] = np.nan
    return outputs, references, HumanScores(np.nanmean(ratings, axis=1), ratings)


def variants(outputs: list[Output], references: LabelledReferences, count: int) -> list[ComputedScores]:
    found = [
        scores
        for unit, orders in ORDERS.items()
        for scores in computed_scores(outputs, references, VariantChoice(units=[unit], orders=orders))
    ]
    return found[:count]


def scipy_seconds(scores: ComputedScores, human: HumanScores, samples: int) -> float:
    """Seconds of a plain loop over a few samples, for as many as are asked for."""
    assert human.segments is not None
    ratings: F64 = human.segments
    begun = time.perf_counter()
    counts = next(counts_in_samples(ratings.shape[1], _LOOP_SAMPLES, seed=1)).astype(int)
    for times in counts:
        drawn = np.repeat(np.arange(len(times)), times)
        people, sentences = ratings[:, drawn], scores.segments[0][:, drawn]
        systems = scores.in_samples(times[np.newaxis].astype(float))[0, :, 0]
        for function in (stats.pearsonr, stats.spearmanr, stats.kendalltau):
            function(systems, np.nanmean(people, axis=1))
        rated = ~np.isnan(people)
        stats.pearsonr(sentences[rated], people[rated])
        stats.kendalltau(sentences[rated], people[rated])
        for one, other, known in zip(sentences, people, rated, strict=True):
            stats.pearsonr(one[known], other[known])
            stats.kendalltau(one[known], other[known])
    return (time.perf_counter() - begun) * samples / _LOOP_SAMPLES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name, default in (("systems", 20), ("segments", 1000), ("samples", 1000), ("variants", 10)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    outputs, references, human = material(options.systems, options.segments)
    names = tuple(output.system for output in outputs)
    begun, busy = time.perf_counter(), time.process_time()
    scores = variants(outputs, references, options.variants)
    scored = time.perf_counter() - begun
    judged = Judged(names, human, tuple(scores), len(references.sets))
    report = finished(agreement(judged, Question(sampling=Sampling(options.samples))))
    seconds, busy = time.perf_counter() - begun, time.process_time() - busy
    what = f"{len(scores)} variants, {options.systems} systems, {options.samples:,} samples"
    print(
        f"agreement, {what}: {seconds:.2f} s, {scored:.2f} s of it scores, "
        f"{busy:.2f} s of processor time ({len(report.figures)} figures; asked: 10 s)"
    )
    begun = time.perf_counter()
    both = np.stack([each.contributions for each in scores[:2]])
    for statistic in SYSTEM_STATISTICS.values():
        systems_exchanged(both, human.systems, statistic, trials=options.samples, seed=1)
    assert human.segments is not None
    segments = np.stack([each.segments[0] for each in scores[:2]])
    segments_exchanged(segments, human.segments, trials=options.samples, seed=1)
    print(f"PERM-BOTH, {options.samples:,} trials, 4 statistics of systems and 1 of segments: "
          f"{time.perf_counter() - begun:.2f} s (asked: 10 s)")  # fmt: skip
    loop = scipy_seconds(scores[0], human, options.samples) * len(scores)
    print(f"a loop over scipy, correlations alone, extrapolated from {_LOOP_SAMPLES} samples: {loop:.0f} s")


if __name__ == "__main__":
    main()

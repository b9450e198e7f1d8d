"""How fast metrics and the agreement with people are computed."""

from __future__ import annotations

import argparse
import gzip
import random
import sys
import time
from collections.abc import Sequence
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from measuring import DATA, PROGRAM, cost_of, run_named
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from corpusdb.base.arrays import F64
from corpusdb.base.estimates import bootstrap
from corpusdb.base.jobs import finished
from corpusdb.base.system_agreement import SYSTEM_STATISTICS, segments_exchanged, systems_exchanged
from corpusdb.base.tokenisation import tokeniser
from corpusdb.corpus.formats.scoring_input import read_plain, read_references
from corpusdb.corpus.formats.segments import Output
from corpusdb.scoring.measures import measures
from corpusdb.scoring.metric import References
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.agreement import JudgedSystems, Question, agreement
from corpusdb.scoring.queries.scoring import Sampling
from corpusdb.scoring.queries.scoring_references import LabelledReferences, references_from_files
from corpusdb.scoring.queries.variant_scores import ComputedScores, VariantChoice, computing_scores
from corpusdb.scoring.reference_count import HumanScores
from corpusdb.scoring.unit_metrics import bleu_scores, bleu_statistics

# BLEU of all orders beside sacrebleu's runs, one for each order, and the bootstrap of eight systems.
#
#     python tests/benchmarks/scoring.py metrics [--data FOLDER] [--segments 2040]
#
# Words of order 1 to 4 and characters of order 1 to 30, with 13 references a segment: descriptions of images, the
# others of the same image and those of its neighbours. Both are timed in one process, from texts to scores, and their
# scores are compared. sacrebleu takes some minutes for 2,040 segments.


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


def metrics_speed_main() -> None:
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


# chrF, chrF++ and TER beside sacrebleu, by processor time, with the largest difference of any score of a system or of
# one of its segments; then whole processes.
#
#     python tests/benchmarks/scoring.py beside [--systems 10] [--segments 200]
#
# All sets of data/wmt*: --systems of each, and for TER, of which sacrebleu makes some dozens in a second, --segments.


PEERS: dict[str, Any] = {
    "chrf": partial(CHRF),
    "chrf++": partial(CHRF, word_order=2),
    "ter": partial(TER, case_sensitive=True),
}


def theirs_of(peer: Any, systems: Sequence[Sequence[str]]) -> tuple[float, F64]:
    """Seconds for the scores of all systems, and these: of each first the whole, then the segments."""
    begun = process_time()
    rows = [peer._extract_corpus_statistics(texts, None) for texts in systems]
    taken = process_time() - begun
    scores = [
        [peer._aggregate_and_compute(own).score, *(peer._aggregate_and_compute([row]).score for row in own)]
        for own in rows
    ]
    return taken, np.array(scores)


def beside_sacrebleu(name: str, systems: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> str:
    begun = process_time()
    peer = PEERS[name](references=list(zip(*references, strict=True)))
    counted = process_time() - begun
    taken, expected = theirs_of(peer, systems)
    begun = process_time()
    (measure,) = measures([settings_for(name)], references)
    statistics = [measure.statistics(texts) for texts in systems]
    own = process_time() - begun
    found = np.array([[measure.scores(each.sum(axis=0)), *measure.scores(each)] for each in statistics])
    difference = np.abs(found - expected).max()
    return (
        f"{name:8} sacrebleu {counted + taken:6.2f} s, ours {own:6.2f} s: {(counted + taken) / own:5.1f} x; "
        f"largest difference of {found.size:,} scores {difference:.1e}"
    )


def beside_main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--systems", type=int, default=10)
    parser.add_argument("--segments", type=int, default=200)
    options = parser.parse_args()
    for folder in sorted(DATA.glob("wmt*")):
        paths = sorted((folder / "systems").iterdir())[: options.systems]
        systems = [list(read_plain(path)) for path in paths]
        files = sorted(folder.glob("ref.*"))
        references = list(zip(*map(read_plain, files), strict=True))
        print(f"{folder.name}: {len(systems)} systems, {len(references):,} segments of {len(files)} references")
        for name in ("chrf", "chrf++"):
            print(f"  {beside_sacrebleu(name, systems, references)}", flush=True)
        few = [texts[: options.segments] for texts in systems[:2]]
        print(f"  {beside_sacrebleu('ter', few, references[: options.segments])} (2 systems, fewer segments)")
        if len(files) > 1:
            for name in ("bleu", "chrf"):
                theirs = cost_of(
                    [sys.executable, "-m", "sacrebleu", *map(str, files), "-i", *map(str, paths), "-m", name]
                )
                ours = cost_of([*PROGRAM, "score", *map(str, paths), "--ref", *map(str, files), "-m", name, "--quiet"])
                print(f"  {name:8} processes: sacrebleu {theirs.processor:6.2f} s, ours {ours.processor:6.2f} s: "
                      f"{theirs.processor / ours.processor:.1f} x")  # fmt: skip


# Agreement of metrics with human scores.
#
#     python tests/benchmarks/scoring.py agreement [--systems 20] [--segments 1000] [--samples 1000] [--variants 10]
#
# Ten variants of BLEU (words of order 1 to 5, characters of order 2 to 18) of systems that are the outputs of a real
# one with words left out and exchanged, and human scores in whole numbers, a tenth of them missing. Times are from
# texts to figures: scores, correlations and accuracies of systems and segments, with intervals over the segments; then
# PERM-BOTH of two variants by every statistic of systems. Then the whole command, of BLEU, chrF and TER.


SYSTEMS = DATA / "wmt21-ruen"
JUDGED = DATA / "wmt21-jaen"
AGREEMENT_SPEED_ORDERS = {"word": (1, 2, 3, 4, 5), "char": (2, 4, 6, 10, 18)}


def disturbed(text: str, rate: float, rng: random.Random) -> str:
    """A text with this share of its words left out, or before the one they stood behind."""
    words = [word for word in text.split() if rng.random() >= rate / 2]
    for at, _ in pairwise(range(len(words))):
        if rng.random() < rate / 2:
            words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def material(systems: int, segments: int) -> tuple[list[Output], LabelledReferences, HumanScores]:
    rng, numbers = random.Random(1), np.random.default_rng(1)
    texts = read_references([SYSTEMS / "ref.A.en"])
    kept = min(segments, len(texts.references))
    references = LabelledReferences.of(references_from_files(texts, []))
    lines = read_plain(SYSTEMS / "systems" / "Facebook-AI.en")
    rates = np.linspace(0.02, 0.4, systems)
    outputs = [
        Output(f"s{number}", SYSTEMS, tuple(disturbed(line, rate, rng) for line in lines))
        for number, rate in enumerate(rates.tolist())
    ]
    ratings = np.round(80 - 60 * rates[:, np.newaxis] + 15 * numbers.normal(size=(systems, len(lines))))
    ratings[numbers.random(ratings.shape) < 0.1] = np.nan
    ratings[:, kept:] = np.nan
    return outputs, references, HumanScores(np.nanmean(ratings, axis=1), ratings)


def variants(outputs: list[Output], references: LabelledReferences, count: int) -> list[ComputedScores]:
    found = [
        scores
        for unit, orders in AGREEMENT_SPEED_ORDERS.items()
        for scores in finished(computing_scores(outputs, references, VariantChoice(units=[unit], orders=orders)))
    ]
    return found[:count]


def agreement_speed_main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    for name, default in (("systems", 20), ("segments", 1000), ("samples", 1000), ("variants", 10)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    outputs, references, human = material(options.systems, options.segments)
    names = tuple(output.system for output in outputs)
    begun, busy = time.perf_counter(), time.process_time()
    scores = variants(outputs, references, options.variants)
    scored = time.perf_counter() - begun
    judged = JudgedSystems(names, human, tuple(scores), len(references.sets))
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
    paths = sorted(map(str, (JUDGED / "systems").iterdir()))
    judged_by = [str(JUDGED / name) for name in ("ref.A.en", "seg-DA.tsv")]
    call = ["--ref", judged_by[0], "--human", judged_by[1], "--metric", "bleu,chrf,ter", "--compare", "all", "--quiet"]
    cost = cost_of([*PROGRAM, "agreement", *paths, *call])
    print(
        f"agreement --metric bleu,chrf,ter --compare all, {len(paths)} systems of {JUDGED.name}: "
        f"{cost.seconds:.1f} s, {cost.processor:.1f} s of processor time (asked: 25 s)"
    )


if __name__ == "__main__":
    run_named(
        {
            "metrics": metrics_speed_main,
            "beside": beside_main,
            "agreement": agreement_speed_main,
        }
    )

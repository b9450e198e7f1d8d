"""What the chain costs for corpora that grow, in time, memory and slots."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from itertools import groupby, pairwise
from math import log
from operator import attrgetter
from pathlib import Path
from statistics import median

import numpy as np
from grown_corpus import Pair, grow, read_pairs
from measuring import LANGUAGES, PROGRAM, TATOEBA, Cost, cost_of, read_language, run_named

from corpusdb.paraphrase.sharing import MAX_SHARING
from corpusdb.paraphrase.slots import MAX_FILLERS, cut_shared_slots, index_slots

# How the cost of the chain grows with the corpus: the database's own, and the same on Spark.
#
#     python tests/benchmarks/growth.py growth [--sizes 25000 60000 120000 236197] [--grown N...] [--distributed]
#         [--conf NAME=VALUE...] [--json FILE]
#
# A natural corpus of N sentences is a random sample of the English sentences of the four Tatoeba files with all their
# pairs; a size that is not below theirs is all of them. A grown one is made by grown_corpus.py of half as many
# sentences of one file, or of all that it has where those are fewer; its step is a series of its own. For each are
# measured, as processes with all that they start: `import` and `generate` in a new database, and `distributed run`, if
# it is asked for. Printed are seconds, seconds of all processors, peak memory and the size of the file or folder, then
# the exponents between neighbours: 1 is linear growth. `--json -` prints the same as JSON instead.
#
# With --distributed the longest task of each step stands beside the median of its stage; of any run that was made with
# --conf spark.eventLog.enabled=true spark.eventLog.compress=false spark.eventLog.dir=file://FOLDER:
#
#     python tests/benchmarks/growth.py tasks FOLDER
#
# Memory of Spark follows the heap that its settings allow. Compare runs that were made side by side.


MEASURES = ("seconds", "processor", "megabytes", "stored")


@dataclass(frozen=True)
class Corpus:
    """Files of pairs, whose headers name the languages."""

    kind: str
    sentences: int
    pairs: int
    files: Sequence[Path]


@dataclass(frozen=True)
class Step:
    """What one command cost on one corpus."""

    kind: str
    step: str
    sentences: int
    pairs: int
    seconds: float
    processor: float
    megabytes: float
    stored: float
    """Megabytes of the database, or of the folder of the run, after it."""


def sampled(pairs: Sequence[Pair], chosen: set[str]) -> list[Pair]:
    return [pair for pair in pairs if pair[0] in chosen]


def drawn(pairs: Sequence[Pair], sentences: int, seed: int) -> set[str]:
    """So many of the English sentences, at random; all where there are no more. Larger samples hold the smaller."""
    english = sorted({text for text, _ in pairs})
    random.Random(seed).shuffle(english)
    return set(english[:sentences])


def write_corpus(folder: Path, kind: str, of: dict[str, list[Pair]]) -> Corpus:
    """Write a file for each language."""
    files = []
    for language, pairs in of.items():
        path = folder / f"{language}.tsv"
        path.write_text(f"eng\t{language}\n" + "".join(f"{one}\t{other}\n" for one, other in pairs), encoding="utf-8")
        files.append(path)
    sentences = len({text for pairs in of.values() for text, _ in pairs})
    return Corpus(kind, sentences, sum(map(len, of.values())), files)


def natural(folder: Path, data: Path, sentences: int, seed: int) -> Corpus:
    """A sample of all four files."""
    of = {language: read_language(data, language) for language in LANGUAGES}
    chosen = drawn([pair for pairs in of.values() for pair in pairs], sentences, seed)
    return write_corpus(folder, "natural", {language: sampled(pairs, chosen) for language, pairs in of.items()})


def grown(folder: Path, data: Path, sentences: int, seed: int) -> Corpus:
    """A sample of one file, grown."""
    pairs = read_language(data, LANGUAGES[0])
    base = sampled(pairs, drawn(pairs, sentences // 2, seed))
    return write_corpus(folder, "grown", {LANGUAGES[0]: list(grow(base, sentences, seed))})


def measured(corpus: Corpus, folder: Path, spark: Sequence[str] | None) -> list[Step]:
    """Run the chain, or both: on Spark with these settings."""
    database, run = folder / "corpus.db", folder / "run"
    files = [str(path) for path in corpus.files]
    on_database = (*PROGRAM, "--db", str(database))
    steps = [
        _step(corpus, "import", cost_of((*on_database, "import", *files, "--name", "corpus", "--no-follow")), database),
        _step(corpus, "generate", cost_of((*on_database, "generate", "--lang", "eng")), database),
    ]
    if spark is not None:
        log = folder / "events"
        log.mkdir()
        logged = "spark.eventLog.enabled=true", "spark.eventLog.compress=false", f"spark.eventLog.dir=file://{log}"
        settings = (word for setting in (*logged, *spark) for word in ("--conf", setting))
        words = ("distributed", "run", *files, "--lang", "eng", "--out", str(run), "--name", "corpus", *settings)
        steps.append(_step(corpus, "distributed", cost_of((*PROGRAM, *words)), run))
        tell_tasks(log)
        loaded = folder / "loaded.db"
        load = cost_of((*PROGRAM, "--db", str(loaded), "distributed", "load", str(run)))
        steps.append(_step(corpus, "load", load, loaded))
    return steps


def tell_tasks(log: Path) -> None:
    """Print of each step on Spark the stage with the longest task, and what went from task to task."""
    tasks: defaultdict[int, list[float]] = defaultdict(list)
    moved, step_of = Counter[str](), dict[int, str]()
    for path in sorted(log.rglob("events*")):
        for event in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if event["Event"] == "SparkListenerJobStart":
                name = event.get("Properties", {}).get("spark.job.description", "")
                step_of |= {stage: name for stage in event["Stage IDs"] if stage not in step_of}
            if event["Event"] == "SparkListenerTaskEnd":
                stage, info = event["Stage ID"], event["Task Info"]
                tasks[stage].append((info["Finish Time"] - info["Launch Time"]) / 1000)
                written = event.get("Task Metrics", {}).get("Shuffle Write Metrics", {})
                moved[step_of[stage]] += written.get("Shuffle Bytes Written", 0)
    longest: dict[str, list[float]] = {}
    for stage, seconds in tasks.items():
        longest[step_of[stage]] = max(longest.get(step_of[stage], []), seconds, key=lambda some: max(some, default=0.0))
    print(f"\n{'step':<26} {'tasks':>6} {'longest s':>10} {'of median':>10} {'moved MB':>9}")
    for name, seconds in longest.items():
        least = max(median(seconds), 0.1)  # what takes less is the start of a task
        told = f"{max(seconds):>10.1f} {max(seconds) / least:>10.2f} {moved[name] / 1e6:>9.1f}"
        print(f"{name:<26} {len(seconds):>6} {told}")


def _step(corpus: Corpus, name: str, cost: Cost, stored: Path) -> Step:
    files = [stored] if stored.is_file() else [path for path in stored.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    costs = (cost.seconds, cost.processor, cost.megabytes, size)
    return Step(corpus.kind, name, corpus.sentences, corpus.pairs, *(round(value, 2) for value in costs))


def exponents(steps: Sequence[Step]) -> list[dict[str, str | int | float]]:
    """Of each kind and step, between neighbours in size: by which power of the sentences each measure grows."""
    series = attrgetter("kind", "step")
    found: list[dict[str, str | int | float]] = []
    for (kind, name), some in groupby(sorted(steps, key=attrgetter("kind", "step", "sentences")), key=series):
        for small, large in pairwise(some):
            times = log(large.sentences / small.sentences)
            powers = {
                measure: round(log(getattr(large, measure) / getattr(small, measure)) / times, 2)
                for measure in MEASURES
                if times and getattr(large, measure) and getattr(small, measure)
            }
            found.append({"kind": kind, "step": name, "from": small.sentences, "to": large.sentences, **powers})
    return found


def tell(steps: Sequence[Step]) -> None:
    """Print both tables."""
    print(f"{'':<8} {'step':<12} {'sentences':>18} {'CPU s':>9} {'wall s':>9} {'peak MB':>9} {'stored MB':>9}")
    for step in steps:
        costs = (step.processor, step.seconds, step.megabytes, step.stored)
        print(f"{step.kind:<8} {step.step:<12} {step.sentences:>18,}", *(f"{value:>9,.1f}" for value in costs))
    print("\nexponents")
    for power in exponents(steps):
        sizes = f"{power['from']:,} {power['to']:,}"
        values = (power.get(name, "") for name in ("processor", "seconds", "megabytes", "stored"))
        print(f"{power['kind']:<8} {power['step']:<12} {sizes:>18}", *(f"{value:>9}" for value in values))


def tasks_main() -> None:
    """Print the same of a run that was made with spark.eventLog.enabled=true, by the folder of its log."""
    parser = argparse.ArgumentParser(description=tasks_main.__doc__)
    parser.add_argument("log", type=Path, metavar="FOLDER")
    tell_tasks(parser.parse_args().log)


def growth_main() -> None:
    """Measure each corpus in a folder that is removed behind it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=TATOEBA)
    parser.add_argument("--sizes", type=int, nargs="*", default=[25_000, 60_000, 120_000, 236_197])
    parser.add_argument("--grown", type=int, nargs="*", default=[], metavar="N")
    parser.add_argument("--distributed", action="store_true", help="on Spark too, which the extra installs")
    parser.add_argument("--conf", nargs="*", default=[], metavar="NAME=VALUE", help="such as spark.driver.memory=6g")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="- for stdout, instead of the tables")
    options = parser.parse_args()
    if not options.data.is_dir():
        raise SystemExit(f"there is no Tatoeba data at {options.data}")
    makers: list[tuple[Callable[[Path, Path, int, int], Corpus], list[int]]]
    makers = [(natural, options.sizes), (grown, options.grown)]
    steps: list[Step] = []
    for make, sizes in makers:
        for size in sorted(sizes):
            with tempfile.TemporaryDirectory(prefix="corpusdb-benchmark-") as name:
                corpus = make(Path(name), options.data, size, options.seed)
                steps += measured(corpus, Path(name), options.conf if options.distributed else None)
            print(f"{corpus.kind} {corpus.sentences:,}: measured", file=sys.stderr, flush=True)
    if options.json != "-":
        tell(steps)
    if options.json:
        document = {"steps": [asdict(step) for step in steps], "exponents": exponents(steps)}
        text = json.dumps(document, indent=1) + "\n"
        sys.stdout.write(text) if options.json == "-" else Path(options.json).write_text(text, encoding="utf-8")


# How the index of slots grows with a natural corpus, and with one that is grown from half the size.
#
#     python tests/benchmarks/growth.py slot-growth PAIRS.tsv [--sizes 25000 50000 100000] [--seed 1] [--no-header]
#
# For each size a random sample of so many sentences is indexed, and then the first half of it grown to that size by
# grown_corpus.py. All figures are for a sentence: contexts that two sentences have, fillers and slots that are kept,
# pairs of fillers in one context, which are what counting commutations costs, and pairs of sentences that share a
# translation. Behind them stand the largest context that is kept, and how many are too common.


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


def slot_growth_main() -> None:
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
    run_named({"growth": growth_main, "slot-growth": slot_growth_main, "tasks": tasks_main})

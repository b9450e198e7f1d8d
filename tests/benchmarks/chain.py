"""The whole chain on the four Tatoeba files, measured: time, memory, size, growth with the corpus, single seeds.

    python tests/benchmarks/chain.py [--data FOLDER] [--quick]

Prints what was measured beside what the project asks for. Every step is a process of its own, as a user runs it, so
that its peak memory is its own too. Times depend on the machine: compare runs that were made side by side.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "tatoeba"
LANGUAGES = ("fra", "deu", "jpn", "cmn")
PROGRAM = (sys.executable, "-m", "corpusdb")


@dataclass(frozen=True)
class Measure:
    """One process, or several one after the other."""

    seconds: float
    processor: float
    """Seconds of all processors, which other programs disturb less."""
    megabytes: float
    """The peak of any."""
    output: str
    """Of the last."""


def run(*arguments: str) -> Measure:
    """Run the program and measure it; whatever fails ends the benchmark."""
    begun = time.perf_counter()
    process = subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"corpusdb {' '.join(arguments)} ended with status {status}")
    processor = usage.ru_utime + usage.ru_stime
    return Measure(time.perf_counter() - begun, processor, usage.ru_maxrss / 1024, output)


def row(what: str, seen: str, asked: str) -> None:
    print(f"{what:<58} {seen:>16}   {asked}", flush=True)


def chain(database: Path, files: Sequence[tuple[str, Path]]) -> Measure:
    """Import, detect and generate, which prints its report."""
    steps = [
        run("--db", str(database), "import", str(path), "--lang", f"eng,{language}", "--name", "tatoeba", "--no-follow")
        for language, path in files
    ]
    imported = sum(step.seconds for step in steps)
    steps.append(run("--db", str(database), "detect", "--lang", "eng", "--json"))
    steps.append(run("--db", str(database), "generate", "--lang", "eng", "--json"))
    row("  of this import, detect, generate", f"{imported:.1f} {steps[-2].seconds:.1f} {steps[-1].seconds:.1f} s", "")
    return Measure(
        sum(step.seconds for step in steps),
        sum(step.processor for step in steps),
        max(step.megabytes for step in steps),
        steps[-1].output,
    )


def whole_chain(database: Path) -> Measure:
    files = [(language, DATA / f"eng-{language}.tsv.gz") for language in LANGUAGES]
    whole = chain(database, files)
    report: dict[str, float] = json.loads(whole.output)
    row("import, detect, index, generate, judge, all stored", f"{whole.seconds:.1f} s", "at most 75 s")
    row("  seconds of all processors", f"{whole.processor:.1f} s", "")
    row("peak memory of any step", f"{whole.megabytes:.0f} MB", "at most 850 MB")
    row("size of the file", f"{database.stat().st_size / 1e6:.0f} MB", "at most 330 MB")
    row("candidates that pass the default filter", f"{report['kept']:,}", "at least 50,000")
    row("their seeds", f"{report['kept_seeds']:,}", "at least 33,000")
    row("sentences among them that the corpus does not hold", f"{report['novel']:,}", "at least 20,000")
    row("kept besides, by exchanges of words alone", f"{report['exchanged']:,}", "")
    return whole


def sample_of_pairs(folder: Path, sentences: int) -> Iterator[tuple[str, Path]]:
    """The four files cut down to the pairs of so many English sentences, drawn at random."""
    import gzip

    pairs: dict[str, list[tuple[str, str]]] = {}
    for language in LANGUAGES:
        with gzip.open(DATA / f"eng-{language}.tsv.gz", "rt", encoding="utf-8", newline="\n") as lines:
            next(lines)
            pairs[language] = [tuple(line.rstrip("\n").split("\t")[:2]) for line in lines]  # type: ignore[misc]
    english = sorted({pair[0] for some in pairs.values() for pair in some})
    chosen = set(random.Random(1).sample(english, sentences))
    for language, some in pairs.items():
        path = folder / f"{sentences}-{language}.tsv"
        rows = (f"{english}\t{other}\n" for english, other in some if english in chosen)
        path.write_text("english\ttranslation\n" + "".join(rows), encoding="utf-8")
        yield language, path


def growth(folder: Path, whole: Measure) -> None:
    """How the time grows from 25,000 to 236,197 sentences, as the exponent of a power."""
    files = list(sample_of_pairs(folder, 25_000))
    small = [chain(folder / f"small-{attempt}.db", files) for attempt in range(3)]
    seconds, processor = min(each.seconds for each in small), min(each.processor for each in small)
    larger = log(236_197 / 25_000)
    row(
        "growth of the time, 25,000 to 236,197 sentences: exponent",
        f"{log(whole.seconds / seconds) / larger:.2f}",
        "at most 1.15",
    )
    row("  of the seconds of all processors", f"{log(whole.processor / processor) / larger:.2f}", "")
    start = min(run("--db", str(folder / "small-0.db"), "info").processor for _ in range(3)) * (len(files) + 2)
    rest = log((whole.processor - start) / (processor - start)) / larger
    row("  the same without the start of the six processes", f"{rest:.2f}", "")


def single_seeds(database: Path) -> None:
    """One seed after the other in one session of the library."""
    from corpusdb.corpus.store import open_store
    from corpusdb.paraphrase.queries.seeds import SeedGenerator

    with open_store(database) as store:
        session = SeedGenerator(store, "eng")
        session.candidates("Hello.")
        texts = [text for (text,) in store.connection.execute("select text from sentence where language = 'eng'")]
        times = []
        for seed in random.Random(2).sample(texts, 1000):
            begun = time.perf_counter()
            session.candidates(seed)
            times.append(1000 * (time.perf_counter() - begun))
        row("one seed in a warm session: median of 1,000", f"{statistics.median(times):.1f} ms", "at most 10 ms")
        row("  99th percentile", f"{statistics.quantiles(times, n=100)[98]:.1f} ms", "at most 150 ms")
        begun = time.perf_counter()
        session.candidates("I don't know.")
        row('  "I don\'t know."', f"{1000 * (time.perf_counter() - begun):.1f} ms", "at most 300 ms")
        times = []
        for seed in random.Random(3).sample(texts, 100):
            begun = time.perf_counter()
            session.candidates(seed.replace("Tom", "Maria").rstrip(".?!") + " today.")
            times.append(1000 * (time.perf_counter() - begun))
        row("  a seed that is not in the corpus: median of 100", f"{statistics.median(times):.1f} ms", "")


def whole_processes(database: Path) -> None:
    calls = {
        "corpusdb paraphrases TEXT": (("--db", str(database), "paraphrases", "I don't know."), "at most 0.5 s"),
        "corpusdb --help": (("--help",), "at most 0.25 s"),
    }
    for what, (arguments, asked) in calls.items():
        seconds = statistics.median(run(*arguments).seconds for _ in range(7))
        row(f"{what}, whole process, median of 7", f"{seconds:.2f} s", asked)


def hundred_more(folder: Path, database: Path) -> None:
    """A hundred sentences that the corpus does not hold, made from some that it holds, with translations of others."""
    from corpusdb.corpus.store import open_store

    with open_store(database, read_only=True) as store:
        english = [text for (text,) in store.connection.execute("select text from sentence where language = 'eng'")]
        french = [text for (text,) in store.connection.execute("select text from sentence where language = 'fra'")]
    known, chance = set(english), random.Random(4)
    rows: list[str] = []
    while len(rows) < 100:
        text = chance.choice(english).replace("Tom", "Maria").replace("the ", "that ").replace("He ", "Somebody ")
        if text not in known:
            known.add(text)
            rows.append(f"{text}\t{chance.choice(french)}\n")
    path = folder / "hundred.tsv"
    path.write_text("english\tfrench\n" + "".join(rows), encoding="utf-8")
    step = run("--db", str(database), "import", str(path), "--lang", "eng,fra", "--name", "more")
    row("100 sentences more, all derived rows following", f"{step.seconds:.1f} s", "at most 5 s")


def main() -> None:
    global DATA
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--quick", action="store_true", help="without the growth of the time")
    options = parser.parse_args()
    DATA = options.data
    if not DATA.is_dir():
        raise SystemExit(f"there is no Tatoeba data at {DATA}")
    with tempfile.TemporaryDirectory(prefix="corpusdb-benchmark-") as name:
        folder = Path(name)
        database = folder / "tatoeba.db"
        whole = whole_chain(database)
        single_seeds(database)
        whole_processes(database)
        hundred_more(folder, database)
        if not options.quick:
            growth(folder, whole)


if __name__ == "__main__":
    main()

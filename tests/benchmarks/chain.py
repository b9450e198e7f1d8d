"""The whole chain on the four Tatoeba files, measured: time, memory, size, growth with the corpus, single seeds.

    python tests/benchmarks/chain.py [--data FOLDER] [--quick]

Prints what was measured beside what the project asks for. Every step is a process of its own, as a user runs it, so
that its peak memory is its own too. Times depend on the machine: compare runs that were made side by side.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from math import log
from pathlib import Path

from growth import natural
from measuring import LANGUAGES, PROGRAM, TATOEBA, Cost, cost_of


def run(*arguments: str) -> Cost:
    """Run the program and measure it; whatever fails ends the benchmark."""
    return cost_of((*PROGRAM, *arguments))


def row(what: str, seen: str, asked: str) -> None:
    print(f"{what:<58} {seen:>16}   {asked}", flush=True)


def chain(database: Path, files: Sequence[tuple[str, Path]]) -> Cost:
    """Import, detect and generate, which prints its report; the peak is that of any."""
    steps = [
        run("--db", str(database), "import", str(path), "--lang", f"eng,{language}", "--name", "tatoeba", "--no-follow")
        for language, path in files
    ]
    imported = sum(step.seconds for step in steps)
    steps.append(run("--db", str(database), "detect", "--lang", "eng", "--json"))
    steps.append(run("--db", str(database), "generate", "--lang", "eng", "--json"))
    row("  of this import, detect, generate", f"{imported:.1f} {steps[-2].seconds:.1f} {steps[-1].seconds:.1f} s", "")
    return Cost(
        sum(step.seconds for step in steps),
        sum(step.processor for step in steps),
        max(step.megabytes for step in steps),
        steps[-1].output,
    )


def whole_chain(database: Path, data: Path) -> Cost:
    files = [(language, data / f"eng-{language}.tsv.gz") for language in LANGUAGES]
    whole = chain(database, files)
    report: dict[str, float] = json.loads(whole.output)
    row("import, detect, index, generate, judge, all stored", f"{whole.seconds:.1f} s", "at most 75 s")
    row("  seconds of all processors", f"{whole.processor:.1f} s", "")
    row("peak memory of any step", f"{whole.megabytes:.0f} MB", "at most 700 MB")
    row("size of the file", f"{database.stat().st_size / 1e6:.0f} MB", "at most 330 MB")
    row("candidates that pass the default filter", f"{report['kept']:,}", "at least 50,000")
    row("their seeds", f"{report['kept_seeds']:,}", "at least 33,000")
    row("sentences among them that the corpus does not hold", f"{report['novel']:,}", "at least 20,000")
    row("kept besides, by exchanges of words alone", f"{report['exchanged']:,}", "")
    return whole


def growth(folder: Path, data: Path, whole: Cost) -> None:
    """How the time grows from 25,000 to 236,197 sentences, as the exponent of a power."""
    files = list(zip(LANGUAGES, natural(folder, data, 25_000, seed=1).files, strict=True))
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
        "  of a sentence that the corpus does not have": (
            ("--db", str(database), "paraphrases", "I want another glass of water today."),
            "at most 0.5 s",
        ),
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=TATOEBA)
    parser.add_argument("--quick", action="store_true", help="without the growth of the time")
    options = parser.parse_args()
    if not options.data.is_dir():
        raise SystemExit(f"there is no Tatoeba data at {options.data}")
    with tempfile.TemporaryDirectory(prefix="corpusdb-benchmark-") as name:
        folder = Path(name)
        database = folder / "tatoeba.db"
        whole = whole_chain(database, options.data)
        single_seeds(database)
        whole_processes(database)
        hundred_more(folder, database)
        if not options.quick:
            growth(folder, options.data, whole)


if __name__ == "__main__":
    main()

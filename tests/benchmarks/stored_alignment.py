"""The alignment of a whole corpus in the database: time, memory, size, and how soon questions to it are answered.

    python tests/benchmarks/stored_alignment.py [--data FOLDER] [--tatoeba fra deu jpn cmn] [--pairs N] [--words 300]
    python tests/benchmarks/stored_alignment.py --database FILE [--words 300]

The pairs of Tatoeba are imported, all or the first N of each language, and aligned by `corpusdb align`, a process for
each language, which is what the times are of: of the processor, and of the wall, where nothing else should run. Asked
are 120 s of two idle cores for four languages, 1 GB, and 60 MB of file without phrases. A loop of ten million additions
before and after tells how fast the machine was. Then `equivalents` and `translations` of words are timed, drawn evenly
from all words by how often they stand, and of the most frequent ones: asked are 10 ms for the median and 100 ms for the
99th percentile. With --database only these, in a file that is aligned already.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path

from corpusdb.alignment.queries.equivalents import equivalents_of
from corpusdb.alignment.queries.models import ready_models
from corpusdb.alignment.queries.phrase_places import translations_of
from corpusdb.alignment.queries.phrases import aligned_languages
from corpusdb.corpus.store import Store, open_store

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PROGRAM = (sys.executable, "-m", "corpusdb")
WITHOUT_PHRASES = ("alignment", "alignment_model")
SHOWN = 20
_WORDS = """
select phrase.text, sum(paired + unlinked + unpaired) as occurrences from phrase
join phrase_count on phrase_count.phrase = phrase.id
where language = ? and phrase.text not like '% %' group by phrase.id order by 2 desc, 1
"""


def additions() -> float:
    """Seconds of the processor that ten million additions take."""
    begun, total = time.process_time(), 0
    for number in range(10_000_000):
        total += number
    return time.process_time() - begun


def measured(command: Sequence[str]) -> tuple[float, float, float]:
    """Seconds of the wall and of the processor, and the most megabytes of memory, of one process."""
    begun = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def imported(data: Path, database: Path, language: str, pairs: int | None) -> None:
    packed = data / "tatoeba" / f"eng-{language}.tsv.gz"
    if pairs is not None:
        cut = database.with_name(f"{language}.tsv")
        with gzip.open(packed, "rt", encoding="utf-8") as lines:
            cut.write_text("".join(islice(lines, pairs + 1)), encoding="utf-8")
        packed = cut
    how = ("--lang", f"eng,{language}", "--name", "tatoeba", "--no-follow")
    measured((*PROGRAM, "--db", str(database), "import", str(packed), *how))


def aligned(database: Path, languages: Sequence[str]) -> None:
    """Align English with each of the languages, and tell what it took."""
    print(f"ten million additions {additions():.2f} s")
    totals = [0.0, 0.0]
    for language in languages:
        *seconds, memory = measured((*PROGRAM, "--db", str(database), "align", "--lang", f"eng,{language}"))
        totals = [total + own for total, own in zip(totals, seconds, strict=True)]
        print(f"eng-{language}: {seconds[0]:.1f} s, {seconds[1]:.1f} s of the processor, {memory:.0f} MB", flush=True)
    print(f"all: {totals[0]:.1f} s, {totals[1]:.1f} s of the processor; ten million additions {additions():.2f} s")


def sizes(database: Path) -> None:
    """Megabytes of file that the alignment takes."""
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        rows = dict(connection.execute("select name, pgsize / 1e6 from dbstat where aggregate = 1"))
    phrases = {name: size for name, size in rows.items() if "phrase" in name and "paraphrase" not in name}
    links = sum(rows.get(name, 0.0) for name in WITHOUT_PHRASES)
    print(f"{links:.1f} MB of models and links, and {sum(phrases.values()):.1f} MB of phrases:")
    print("  " + ", ".join(f"{name} {size:.1f}" for name, size in phrases.items()))


def questions(store: Store, language: str, words: int) -> None:
    known = [row[0] for row in store.connection.execute(_WORDS, (language,))]
    drawn = known[:: max(1, len(known) // words)]
    partners = [model.other(language) for model in ready_models(store, language)]
    for name, asked in ((f"{len(drawn)} words of {language}", drawn), (f"the {words} most frequent", known[:words])):
        timed(f"equivalents of {name}", asked, partial(equivalents_of, store, language, limit=SHOWN))
        for other in partners:
            question = partial(translations_of, store, language, other=other, limit=SHOWN)
            timed(f"translations of {name} with {other}", asked, question)


def timed(what: str, words: Sequence[str], question: Callable[..., object]) -> None:
    question(text=words[0])
    milliseconds = []
    for word in words:
        begun = time.perf_counter()
        question(text=word)
        milliseconds.append(1000 * (time.perf_counter() - begun))
    ranked = sorted(milliseconds)
    slowest = words[milliseconds.index(ranked[-1])]
    told = f"{statistics.median(ranked):10.1f} {ranked[(len(ranked) * 99) // 100]:10.1f} {ranked[-1]:10.1f}"
    print(f"{what:<52} {told} {slowest}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--tatoeba", nargs="+", default=["fra", "deu", "jpn", "cmn"])
    parser.add_argument("--pairs", type=int, default=None)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--database", type=Path, default=None)
    options = parser.parse_args()
    os.environ["CORPUSDB_HISTORY"] = "off"
    with tempfile.TemporaryDirectory() as folder:
        database = options.database
        if database is None:
            database = Path(folder) / "corpus.db"
            for language in options.tatoeba:
                imported(options.data, database, language, options.pairs)
            aligned(database, options.tatoeba)
        sizes(database)
        print(f"{'milliseconds':<52} {'median':>10} {'99th':>10} {'most':>10} the slowest")
        with open_store(database, read_only=True) as store:
            for language in aligned_languages(store):
                questions(store, language, options.words)


if __name__ == "__main__":
    main()

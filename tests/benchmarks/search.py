"""Search, concordances and frequency lists on a whole corpus, beside grep over its plain text in the same run.

    python tests/benchmarks/search.py DATABASE [--lang eng] [--times 30]

DATABASE is one that `corpusdb import` made. Prints the median and the 99th percentile of each question to an open
database, as the browser asks it, and of grep, a process each time, in two locales; then whole processes of both. Times
depend on the machine: what counts is how the two compare.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from corpusdb.base.jobs import finished
from corpusdb.corpus.queries.translations import translations_of_sentence
from corpusdb.corpus.store import Store, open_store
from corpusdb.search.patterns import Folding, Mode, Pattern
from corpusdb.search.queries.arrangement import Arrangement
from corpusdb.search.queries.collocations import Neighbourhood, collocates
from corpusdb.search.queries.concordance import arrange_lines
from corpusdb.search.queries.conditions import Aligned
from corpusdb.search.queries.frequencies import Count, frequency_list
from corpusdb.search.queries.search import Search, Searcher
from corpusdb.search.queries.token_index import TokenSelection

QUESTIONS: tuple[tuple[str, str, Mode, str], ...] = (
    ("substring, rare", "please", "substring", "-F"),
    ("substring, frequent", "the", "substring", "-F"),
    ("substring, one character", "e", "substring", "-F"),
    ("whole word", "cat", "word", "-w"),
    ("regex with a literal", r"\b\w+ing\b", "regex", "-P"),
    ("regex with anchors", r"^I .*\?$", "regex", "-P"),
    ("regex without a literal", r"\b(\w+) \1\b", "regex", "-P"),
    ("CQP, rare", '"zebra"', "cqp", ""),
    ("CQP, gap", '"I" []{0,3} "to"', "cqp", ""),
    ("CQP, aligned", '"cat" :fra "chat"', "cqp", ""),
)


def timed(what: str, question: Callable[[], object], times: int) -> None:
    """Ask again and again, and print the median and the 99th percentile."""
    question()
    seconds = []
    for _ in range(times):
        begun = time.perf_counter()
        question()
        seconds.append(time.perf_counter() - begun)
    seconds.sort()
    print(f"{what:<52} {seconds[times // 2] * 1000:10.1f} {seconds[(times * 99) // 100] * 1000:10.1f}", flush=True)


def grep(pattern: str, option: str, text: Path, locale: str) -> int:
    """How many lines grep finds."""
    command = ["grep", "-c", option, "-e", pattern, str(text)]
    return int(subprocess.run(command, env={**os.environ, "LC_ALL": locale}, capture_output=True, check=False).stdout)


def questions(store: Store, language: str, text: Path, times: int) -> None:
    searcher = Searcher(store)
    for what, pattern, mode, option in QUESTIONS:
        search = Search(language, Pattern(pattern, mode))
        found = len(searcher.find(search))
        timed(f"{what}: {pattern} ({found:,})", partial(searcher.find, search), times)
        for locale in ("C.UTF-8", "C") if option and shutil.which("grep") else ():
            count = grep(pattern, option, text, locale)
            timed(
                f"    LC_ALL={locale} grep -c {option} ({count:,})",
                partial(grep, pattern, option, text, locale),
                times,
            )
    folded = Search(language, Pattern("tom", "substring", Folding(case=True)))
    timed("substring whatever the case: tom", lambda: searcher.find(folded), times)
    aligned = Search(language, Pattern("cat", "word"), (Aligned("fra", Pattern("chat", "word")),))
    timed("with a condition on the French side: cat, chat", lambda: searcher.find(aligned), times)


def lists(store: Store, language: str, times: int) -> None:
    searcher = Searcher(store)

    def page(pattern: str, arrangement: Arrangement) -> list[object]:
        concordance = finished(arrange_lines(searcher.find(Search(language, Pattern(pattern))), arrangement))
        lines = concordance.lines(0, 25)
        return [lines, translations_of_sentence(store, [line.sentence for line in lines])]

    timed("KWIC page: please, by the right, aligned", lambda: page("please", Arrangement("right")), times)
    timed("KWIC page: the, as in the corpus, aligned", lambda: page("the", Arrangement()), times)
    timed("KWIC page: the, by the left, aligned", lambda: page("the", Arrangement("left")), max(3, times // 5))
    tokens = TokenSelection(language, words_only=True)
    timed("frequency list of words, read and counted", lambda: frequency_list(store, Count(tokens)), times)
    for n in (2, 3):
        timed(f"  of {n} words", partial(frequency_list, store, Count(tokens, n=n)), max(3, times // 5))
    timed("collocates of time", lambda: collocates(store, Neighbourhood(tokens, "time")), max(3, times // 5))


def processes(database: Path, language: str, times: int) -> None:
    """Whole commands: Python starts, opens the file, reads what it needs and prints 20 hits."""
    program = (sys.executable, "-m", "corpusdb", "--db", str(database), "search", "--lang", language, "--quiet")
    calls: Sequence[tuple[str, ...]] = (("please",), (r"\b\w+ing\b", "-e"), ('"I" [] "to"', "--cqp"), ("cat", "--kwic"))
    for call in calls:
        command = [*program, *call]
        timed(
            f"process: corpusdb search {' '.join(call)}",
            partial(subprocess.run, command, check=True, capture_output=True),
            times,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path)
    parser.add_argument("--lang", default="eng")
    parser.add_argument("--times", type=int, default=30)
    options = parser.parse_args()
    os.environ["CORPUSDB_HISTORY"] = "off"
    print(f"{'milliseconds':<52} {'median':>10} {'99th':>10}")
    with tempfile.TemporaryDirectory() as folder, open_store(options.database, read_only=True) as store:
        text = Path(folder) / "text"
        text.write_text(Searcher(store).text(options.lang).joined, encoding="utf-8")
        questions(store, options.lang, text, options.times)
        lists(store, options.lang, options.times)
    processes(options.database, options.lang, max(3, options.times // 5))


if __name__ == "__main__":
    main()

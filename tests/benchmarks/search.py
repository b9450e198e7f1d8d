"""How fast searches answer, and how patterns that never end are stopped."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from measuring import PROGRAM, cost_of, print_times, run_named

from corpusdb.base.jobs import finished
from corpusdb.corpus.queries.sentences import translations_of_sentence
from corpusdb.corpus.store import Store, open_store
from corpusdb.search.patterns import Folding, Mode, Pattern
from corpusdb.search.queries.collocations import Neighbourhood, collocates
from corpusdb.search.queries.concordance import arrange_lines
from corpusdb.search.queries.conditions import Search, TranslationCondition
from corpusdb.search.queries.frequencies import Count, frequency_list
from corpusdb.search.queries.request import Arrangement
from corpusdb.search.queries.search import Searcher
from corpusdb.search.queries.token_selection import TokenSelection

# Search, concordances and frequency lists on a whole corpus, beside grep over its plain text in the same run.
#
#     python tests/benchmarks/search.py search DATABASE [--lang eng] [--times 30]
#
# DATABASE is one that `corpusdb import` made. Prints the median and the 99th percentile of each question to an open
# database, as the browser asks it, and of grep, a process each time, in two locales; then whole processes of both.
# Times depend on the machine: what counts is how the two compare.


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
    """Ask again and again."""
    print_times(what, [question] * times)


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
    aligned = Search(language, Pattern("cat", "word"), (TranslationCondition("fra", Pattern("chat", "word")),))
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
    program = (*PROGRAM, "--db", str(database), "search", "--lang", language, "--quiet")
    calls: Sequence[tuple[str, ...]] = (("please",), (r"\b\w+ing\b", "-e"), ('"I" [] "to"', "--cqp"), ("cat", "--kwic"))
    for call in calls:
        command = [*program, *call]
        timed(
            f"process: corpusdb search {' '.join(call)}",
            partial(subprocess.run, command, check=True, capture_output=True),
            times,
        )
    print(f"{'processor time of processes with all hits, milliseconds':<60} {'hits':>8} {'median':>8}")
    for call in (("cat",), ("cat", "--word"), (r"\b\w+ing\b", "-e")):
        costs = [cost_of([*program, *call, "-n", "0"]) for _ in range(times)]
        taken = 1000 * statistics.median(each.processor for each in costs)
        print(f"{' '.join(call):<60} {costs[0].output.count(chr(10)) - 1:>8,} {taken:>8.0f}")


def search_main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path)
    parser.add_argument("--lang", default="eng")
    parser.add_argument("--times", type=int, default=30)
    options = parser.parse_args()
    os.environ["CORPUSDB_HISTORY"] = "off"
    print(f"{'milliseconds':<52} {'median':>10} {'99th':>10}")
    with tempfile.TemporaryDirectory() as folder, open_store(options.database, read_only=True) as store:
        text = Path(folder) / "text"
        text.write_bytes(Searcher(store).text(options.lang).encoded)
        questions(store, options.lang, text, options.times)
        lists(store, options.lang, options.times)
    processes(options.database, options.lang, max(3, options.times // 5))


# Patterns that never end on a whole corpus: how soon each is stopped by itself, and by a key in the browser.
#
#     python tests/benchmarks/search.py endless-patterns DATABASE [--lang eng]
#
# DATABASE is one that `corpusdb import` made; it is only read. The command line is run as a process of its own, and
# ended once by itself and once by ctrl+c; the browser runs in a tmux of 80x24. Prints the seconds of each and the aim:
# ten by itself, one from the key to the next answer. Times depend on the machine, and on what else it does.


PATTERNS: tuple[tuple[str, str], ...] = (
    ("--regex", r"^(\w+\s*)+$"),
    ("--regex", "(a|a)*$"),
    ("--regex", "(.*)*x"),
    ("--regex", r"^(\w+)+\1$"),
    ("--regex", "(x+x+)+y"),
    ("--cqp", "a:[] []* b:[] []* c:[] :: a.word = b.word & b.word = c.word"),
    ("--cqp", '"(a+)+b"'),
)
BY_ITSELF, BY_KEY = 10.0, 1.0
PATIENCE = 60.0


def report(what: str, seconds: float, aim: float, told: str) -> None:
    print(f"{what:<62} {seconds:7.2f} {aim:5.1f}  {'ok' if seconds <= aim else 'missed'}  {told}", flush=True)


def search(database: Path, language: str, option: str, pattern: str, wait: float | None) -> tuple[float, str]:
    """Seconds until the command has ended, by itself or from ctrl+c on; and what it said last."""
    command = [*PROGRAM, "--db", str(database), "search", option, pattern, "--lang", language]
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8") as process:
        if wait is not None:
            time.sleep(wait)
            process.send_signal(signal.SIGINT)
            begun = time.perf_counter()
        _, said = process.communicate()
    return time.perf_counter() - begun, f"{process.returncode}: {said.strip()[-90:]}"


class Browser:
    """The browser in a tmux server of its own."""

    def __init__(self, folder: Path, database: Path) -> None:
        self._socket = str(folder / "tmux")
        program = shlex.join([*PROGRAM, "--db", str(database), "browse"])
        self._tmux("new-session", "-d", "-x", "80", "-y", "24", f"exec env -u COLORTERM TERM=screen {program}")
        self.seconds_until(lambda screen: "sentences" in screen)

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-u", "-f", os.devnull, "-S", self._socket, *arguments]
        return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", "--", *keys)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", "--", text)

    def seconds_until(self, holds: Callable[[str], bool]) -> float:
        begun = time.perf_counter()
        while not holds(self._tmux("capture-pane", "-p")):
            if time.perf_counter() - begun > PATIENCE:
                return PATIENCE
            time.sleep(0.01)
        return time.perf_counter() - begun

    def mode(self, name: str) -> None:
        """Go to a kind of pattern."""
        for _ in range(4):
            if f" {name}" in self._tmux("capture-pane", "-p").split("\n")[1]:
                return
            self.press("m")
            time.sleep(0.3)

    def close(self) -> None:
        self._tmux("kill-server")


def keys(browser: Browser, option: str, pattern: str) -> None:
    """Type a pattern, stop it by Escape; again, and type on; again, and wait."""
    browser.mode("regex" if option == "--regex" else "cqp")
    for what in ("key", "typing", "itself"):
        browser.press("/", "C-u")
        browser.type(pattern)
        told = browser.seconds_until(lambda screen: "escape stops it" in screen)
        if told >= PATIENCE:
            print(f"browser: {pattern[:44]} did not run long enough to be stopped")
            return
        if what == "key":
            browser.press("Escape")
            report(f"browser, Escape: {pattern[:44]}", browser.seconds_until(lambda s: "was stopped" in s), BY_KEY, "")
            begun = time.perf_counter()
            browser.press("/", "C-u")
            browser.type('"zebra"' if option == "--cqp" else "zebra")
            browser.seconds_until(lambda screen: "zebra" in "".join(screen.split("\n")[3:8]))
            report("  and the next answer", time.perf_counter() - begun, BY_KEY, "")
        elif what == "typing":
            browser.press("C-u")
            browser.type('"giraffe"' if option == "--cqp" else "giraffe")
            seconds = browser.seconds_until(lambda screen: "giraffe" in "".join(screen.split("\n")[3:8]))
            report("  typed over", seconds, BY_KEY, "")
        else:
            seconds = browser.seconds_until(lambda screen: screen.rstrip().split("\n")[-1].startswith("! "))
            report("  by itself", seconds + told, BY_ITSELF, "")
        browser.press("Enter")


def endless_patterns_main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path)
    parser.add_argument("--lang", default="eng")
    options = parser.parse_args()
    os.environ["CORPUSDB_HISTORY"] = "off"
    for option, pattern in PATTERNS:
        report(f"by itself: {pattern[:48]}", *_with_aim(search(options.database, options.lang, option, pattern, None)))
    for option, pattern in PATTERNS:
        seconds, told = search(options.database, options.lang, option, pattern, 3.0)
        report(f"ctrl+c: {pattern[:48]}", seconds, BY_KEY, told)
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(Path(folder), options.database)
        try:
            for option, pattern in PATTERNS:
                keys(browser, option, pattern)
        finally:
            browser.close()


def _with_aim(found: tuple[float, str]) -> tuple[float, float, str]:
    return found[0], BY_ITSELF, found[1]


if __name__ == "__main__":
    run_named({"search": search_main, "endless-patterns": endless_patterns_main})

"""Huge and odd inputs through the program: each command in a process of its own, one row each.

    python tests/benchmarks/edges.py [SCENARIO]... [--seconds N]

A row has the time, the peak memory, the exit code and the last thing that was said. A process that takes longer than
--seconds is ended, which counts as a failure, as a traceback and any "unexpected" do; the rest is for reading. The
scenario ``normal`` is what the others are measured beside: as many bytes of usual sentences.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring import PROGRAM

MIB = 1 << 20
_PROGRESS = re.compile(r"  [\d,]+( of [\d,]+)?$")
_MAKE_EMPTY = (
    "from pathlib import Path; from corpusdb.corpus.store import open_store; open_store(Path('corpus.db'), create=True)"
)
# Codes of ISO 639-3 that mean a language, by the table of the program itself.
_CODES = "from corpusdb.base.text import language_of_name; import itertools, string; print(*[c for c in map(''.join, itertools.product(string.ascii_lowercase, repeat=3)) if language_of_name(c) == c])"  # noqa: E501
_DETECT_ALL = """
from pathlib import Path
from corpusdb.base.jobs import finished
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import open_store
with open_store(Path("corpus.db")) as store:
    for language in languages_of(store):
        finished(detect(store, language))
"""


@dataclass(frozen=True)
class Row:
    """One process."""

    scenario: str
    what: str
    seconds: float
    megabytes: float
    ending: str
    """The exit code, or that it was ended."""
    said: str

    @property
    def failed(self) -> bool:
        return self.ending == "too long" or "Traceback" in self.said or "unexpected" in self.said


class Runner:
    """Runs commands on the database of one scenario and notes a row of each."""

    def __init__(self, scenario: str, folder: Path, seconds: float, tell: Callable[[Row], None]) -> None:
        self.scenario = scenario
        self.folder = folder
        self.rows: list[Row] = []
        self._seconds = seconds
        self._tell = tell

    def __call__(self, *arguments: str | Path, what: str = "", stdin: Path | None = None) -> None:
        """Run one command; what is said is the last line on stderr."""
        database = ("--db", str(self.folder / "corpus.db"))
        words = [str(argument) for argument in arguments]
        errors = self.folder / "stderr"
        begun = time.perf_counter()
        with errors.open("wb") as stderr, open(stdin or os.devnull, "rb") as given:
            process = subprocess.Popen(
                [*PROGRAM, *database, *words],
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                cwd=self.folder,
            )
            ended = threading.Timer(self._seconds, process.send_signal, (signal.SIGKILL,))
            ended.start()
            _, status, usage = os.wait4(process.pid, 0)
            ended.cancel()
        process.returncode = code = os.waitstatus_to_exitcode(status)
        lines = errors.read_text("utf-8", "replace").split("\n")
        talk = [line for part in lines for line in part.split("\r") if line.strip() and not _PROGRESS.search(line)]
        said = next((line for line in talk if "Traceback" in line), talk[-1] if talk else "")
        row = Row(
            self.scenario,
            what or " ".join(word if len(word) < 40 else f"{word[:12]}..." for word in words),
            time.perf_counter() - begun,
            usage.ru_maxrss / 1024,
            "too long" if code == -signal.SIGKILL else str(code),
            said[:110],
        )
        self.rows.append(row)
        self._tell(row)

    def file(self, name: str, lines: Iterable[str]) -> Path:
        """A file of these lines."""
        path = self.folder / name
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
        return path

    def imported(self, lines: Iterable[str], languages: str = "eng,fra") -> None:
        """Import aligned lines, separated by tabs."""
        self("import", self.file("pairs.tsv", lines), "--lang", languages, "--header", "no", "--name", "edge")

    def derived(self, language: str = "eng") -> None:
        self("detect", "--lang", language)
        self("generate", "--lang", language)

    def looked_at(self, text: str, language: str = "eng", other: str = "fra") -> None:
        """Everything that reads, about one sentence."""
        part = text[:20]
        self("info")
        self("search", part)
        self("search", part, "--with", other, "--lang", language)
        self("search", part, "--kwic", "--lang", language)
        self("search", "-e", f"^{part[:1]}", "--lang", language)
        self("search", "--cqp", "[]", "--lang", language)
        self("frequencies", "--lang", language)
        self("frequencies", "--lang", language, "--ngram", "3")
        self("frequencies", "--lang", language, "--unit", "char", "--ngram", "3")
        self("collocates", part.split(" ")[0], "--lang", language)
        self("keywords", "edge", "--lang", language)
        self("paradigm", part.split(" ")[0], "--lang", language)
        argument = fitted(text, 120_000)  # Linux takes no longer one
        self("paraphrases", argument, "--lang", language)
        self("explain", argument, argument, "--lang", language)
        source = self.file("source.txt", [text])
        self("references", f"@{source}", "--lang", language, "-o", self.folder / f"references-{language}")
        self("statistics", "--lang", language)
        self("judge", "sample", f"sample-{language}", "--lang", language, "--kind", "meaning", "--size", "5")
        for format_ in ("tmx", "jsonl", "tsv", "moses", "tatoeba", "wmt", "sgm"):
            self("export", "-o", self.folder / f"out-{language}.{format_}", "--format", format_)
        self("check")
        self("check", "--full")
        self("backup", self.folder / f"copy-{language}.db")

    def scored(self, segment: str, reference: str) -> None:
        """One segment in every metric."""
        output, references = self.file("out.txt", [segment]), self.file("ref.txt", [reference])
        for metric in ("bleu", "nist", "mwer", "chrf", "ter"):
            self("score", output, "--ref", references, "--metric", metric)
        self("score", output, "--ref", references, "--metric", "bleu,mwer", "--unit", "char")
        self("trace", output, "--ref", references, "--segment", "1")


def words(chance: random.Random, count: int) -> str:
    return " ".join(
        f"{chance.choice('bdgklmnprst')}{chance.choice('aeiou')}{chance.randrange(99)}" for _ in range(count)
    )


def normal(run: Runner) -> None:
    """100,000 pairs of eight words."""
    chance = random.Random(1)
    rows = [f"{words(chance, 8)}\t{words(chance, 8)}" for _ in range(100_000)]
    run.imported(rows)
    run.derived()
    run.looked_at(rows[0].split("\t")[0])


def equal_lines(run: Runner) -> None:
    """A million equal lines."""
    run.imported("Yes, of course.\tOui, bien entendu." for _ in range(1_000_000))
    run.derived()
    run.looked_at("Yes, of course.")


def hub(run: Runner) -> None:
    """100,000 sentences that share one translation, which so has 100,000 itself."""
    chance = random.Random(2)
    rows = [f"{words(chance, 8)}\tOui." for _ in range(100_000)]
    run.imported(rows)
    run.derived()
    run("detect", "--lang", "fra")
    run.looked_at(rows[0].split("\t")[0])
    run("search", "Oui.", "--with", "eng", "--lang", "fra")
    run("explain", "Oui.", "Oui.", "--lang", "fra")
    run("import", run.file("more.tsv", ["one more\tOui.", "one more\tSi."]), "--lang", "eng,fra", "--header", "no")


def pairs_of_hubs(run: Runner) -> None:
    """Two sentences that share the same 100,000 translations, and are explained by them."""
    run.imported(line for number in range(100_000) for line in (f"Yes.\toui {number}", f"Yeah.\toui {number}"))
    run.derived()
    run("paraphrases", "Yes.", "--lang", "eng")
    run("explain", "Yes.", "Yeah.", "--lang", "eng")
    run("search", "Yes.", "--with", "fra")


def versions(run: Runner) -> None:
    """A unit with 10,000 versions in each of two languages, and one with 1,000."""
    for count in (1_000, 10_000):
        texts = {language: [f"{language} {number}" for number in range(count)] for language in ("eng", "fra")}
        run("import", run.file(f"versions-{count}.jsonl", [json.dumps(texts)]), "--name", f"edge{count}")
    for format_ in ("tmx", "jsonl", "tsv", "moses"):
        run("export", "-o", run.folder / f"out.{format_}", "--format", format_)
    run.derived()


def sections(run: Runner) -> None:
    """A file of a million documents of one line."""
    rows = ('{"document":"d%d","eng":"line %d","fra":"ligne %d"}' % (n, n, n) for n in range(1_000_000))  # noqa: UP031
    run("import", run.file("sections.jsonl", rows), "--name", "edge")
    run("info")
    run("search", "line 77777", "--lang", "eng")
    run("search", "line 777", "--lang", "eng", "--document", "d777")
    run("frequencies", "--lang", "eng", "--dispersion")
    run("export", "-o", run.folder / "out.jsonl", "--document", "d5")
    run("check")


def languages(run: Runner) -> None:
    """500 languages, 40 sentences in each, all derived."""
    listed = subprocess.run([sys.executable, "-c", _CODES], capture_output=True, text=True, check=True, cwd=run.folder)
    codes = listed.stdout.split()[:500]
    rows = ["\t".join(f"{code} {n % 20} says {n}" for code in codes) for n in range(40)]
    run.imported(rows, ",".join(codes))
    for code in codes[:3]:
        run("generate", "--lang", code)
    subprocess.run([sys.executable, "-c", _DETECT_ALL], check=True, cwd=run.folder)
    run("import", run.file("more.tsv", ["\t".join(f"{code} more" for code in codes)]), "--lang", ",".join(codes))
    run("info")
    run("search", "says 7")
    run("search", "says 7", "--with", ",".join(codes[:50]))
    run("paraphrases", f"{codes[0]} 1 says 1")
    run("check")


def one_long(run: Runner, text: str, language: str) -> None:
    run.imported([f"{text}\tcourt", f"short {text[:9].strip()}\tcourt", "one two\tdeux"], f"{language},fra")
    run.derived(language)
    run.looked_at(text, language)
    run.scored(text, text[: len(text) // 2] + "x" + text[len(text) // 2 + 1 :])
    run(
        "solve",
        "-",
        stdin=run.file("equation.tsv", [f"{text[: MIB // 3]}\t{text[: MIB // 3 - 9]}x\t{text[5 : MIB // 3]}"]),
    )
    run("import", run.file("more.tsv", ["one three\tdeux"]), "--lang", f"{language},fra", "--header", "no")


def fitted(text: str, size: int = MIB - 100) -> str:
    """As much of a text as so many bytes hold: a line of 1 MiB beside a tab and a short translation."""
    return text.encode()[:size].decode("utf-8", "ignore").strip()


def long_words(run: Runner) -> None:
    """One sentence of 1 MiB, in words."""
    one_long(run, fitted(words(random.Random(3), 250_000)), "eng")


def long_equal(run: Runner) -> None:
    """One sentence of 1 MiB, the same word again and again."""
    one_long(run, fitted("ha " * 400_000), "eng")


def long_unit(run: Runner) -> None:
    """One sentence of 1 MiB without a space."""
    one_long(run, fitted("a" * MIB), "eng")


def long_japanese(run: Runner) -> None:
    """One sentence of 1 MiB, in characters."""
    chance = random.Random(4)
    one_long(run, fitted("".join(chr(chance.randrange(0x4E00, 0x5E00)) for _ in range(400_000))), "jpn")


def marks(run: Runner) -> None:
    """100,000 combining marks on one letter, of two kinds, so that their order has to be normalised."""
    one_long(run, "one a" + "\u0301\u0323" * 50_000 + " two", "eng")


def marks_mixed(run: Runner) -> None:
    """As many on half a million of letters, one each."""
    one_long(run, fitted("e\u0323 " * 200_000), "eng")


def empty(run: Runner) -> None:
    """A file with a header only; an empty language; then one sentence."""
    run.imported(["\t"])
    run("import", run.file("header.tsv", ["eng\tfra"]), "--header", "yes", "--name", "edge")
    subprocess.run([sys.executable, "-c", _MAKE_EMPTY], check=True, cwd=run.folder)
    run.derived()
    run.looked_at("nothing")
    run.imported(["One.\tUn."])
    run.derived()
    run.derived("jpn")
    run.looked_at("One.")
    run.looked_at("One.", "jpn")


SCENARIOS: dict[str, Callable[[Runner], None]] = {
    "normal": normal,
    "equal-lines": equal_lines,
    "hub": hub,
    "pairs-of-hubs": pairs_of_hubs,
    "versions": versions,
    "sections": sections,
    "languages": languages,
    "long-words": long_words,
    "long-equal": long_equal,
    "long-unit": long_unit,
    "long-japanese": long_japanese,
    "marks": marks,
    "marks-mixed": marks_mixed,
    "empty": empty,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the scenarios; 1 where a process had to be ended, or said what no user should read."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    parser.add_argument("--seconds", type=float, default=120, help="a process that takes longer is ended")
    options = parser.parse_args(arguments)
    failures = 0

    def tell(row: Row) -> None:
        mark = "!" if row.failed else " "
        print(
            f"{mark} {row.scenario:<14} {row.what:<44.44} {row.seconds:7.1f} s {row.megabytes:6.0f} MB "
            f" {row.ending:>8}  {row.said}",
            flush=True,
        )

    for name in options.scenarios or SCENARIOS:
        with tempfile.TemporaryDirectory(prefix="corpusdb-edges-") as folder:
            run = Runner(name, Path(folder), options.seconds, tell)
            SCENARIOS[name](run)
            failures += sum(row.failed for row in run.rows)
    print(f"{failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())

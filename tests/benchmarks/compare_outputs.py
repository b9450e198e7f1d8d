"""Every command of two versions of the program, side by side: what they print, write and return must be the same.

    python tests/benchmarks/compare_outputs.py BEFORE AFTER [--pairs N] [--data FOLDER] [--only TEXT] [--expected REGEX]

BEFORE and AFTER are checkouts, run by this Python, or Python executables that have the program installed. Each runs the
calls of compared_calls.txt in a folder and on databases of its own, made from the same files: the phrasebook, and N
pairs of Tatoeba (5,000; 0 leaves them out). Compared are exit codes, stdout, stderr and the files written, with times
masked; the help pages of all commands; and the rows of the databases, table by table: of those that both made, and of
BEFORE's one as AFTER brings it up to date. Prints a line for each difference, and ends with 1 if there is one that
--expected, searched in that line, does not name.
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import json
import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from measuring import TATOEBA

# The corpora of compare_outputs.py: their files, and what is asked of them.


PHRASEBOOK = Path(__file__).resolve().parents[2] / "corpusdb" / "phrasebook"
FIRST_LINE = 20_000
"""Of the pairs of Tatoeba that are taken: sentences of five words, many of which share a translation."""


@dataclass
class Sample:
    """One corpus, and what is asked of it."""

    name: str
    files: Sequence[Path]
    words: dict[str, str] = field(default_factory=dict)
    """What stands for the words in capitals of the calls."""

    def put_into(self, folder: Path) -> None:
        """Write everything that calls read."""
        inputs = folder / "inputs"
        inputs.mkdir()
        (folder / "out").mkdir()
        for file in self.files:
            shutil.copy(file, inputs)
        pairs = list(self.pairs())[:60]
        sources, references = [other for _, other in pairs], [english for english, _ in pairs]
        texts = {
            "equations.tsv": "walk\twalked\ttalk\na\tb\tc\nab\taabb\taaab\n",
            "keys.toml": "[keys]\nnonsense = 'x'\n",
            "bad.tsv": "one\n\ntwo\tthree\tfour\n",
            "bad.xml": "<dataset><doc>",
            "one.tsv": "english\tfrench\nI saw ABBA.\tJ'ai vu ABBA.\nThe end.\tLa fin.\n＝1+1\t=1+1\n",
            "one.csv": 'english,note,french\n"Well, well.",x,"Tiens, tiens."\nThe end.,,La fin.\n',
            "two.tsv": "".join(f"{a} {b}\t{c} {d}\n" for (a, c), (b, d) in pairwise(pairs)),
            "seeds.txt": "".join(f"{self.words[name]}\n" for name in ("SEED", "SEED2", "UNSEEN")),
            "source.txt": "".join(f"{each}\n" for each in sources),
            "ref1.txt": "".join(f"{each}\n" for each in references),
            "ref2.txt": "".join(f"{each.lower()}\n" for each in [*references[1:], references[0]]),
            "hyp1.txt": "".join(f"{' '.join(without_every(each, 4))}\n" for each in references),
            "hyp2.txt": "".join(f"{' '.join(without_every(each, 3))}!\n" for each in references),
            "seedhyp.txt": "".join(f"{self.words[name]}\n" for name in ("REWORDING", "REWORDING2")),
            "japanese.txt": "静かだ。\n彼が本を読んだ。\n「行くよ」と彼は言いました。\n",
            "polite.txt": "静かです。\n彼が本を読みました。\n「行くよ」と彼は言った。\n",
            "ja-human.tsv": "system\traw\tz\njapanese\t80\t0.5\npolite\t70\t0.25\n",
            "bad.rules": "da polite = だ(da final <-> です(desu final) / _ END\n",
            "short.txt": "Only one.\n",
            "holes.txt": "\n" * len(references),
            "human.tsv": "system\tsegment\tz\n"
            + "".join(f"hyp{1 + n % 2}\t{n // 2}\t{n * 7 % 11 / 10}\n" for n in range(2 * len(references))),
            "said.tsv": "item\ttext\tverdict\n1\t\ty\n2\t\tn\n",
            "words.conllu": "# sent_id = 1\n# text_fr = Je l'ai vu.\n"
            "1\tI\tI\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tsaw\tsee\tVERB\t_\t_\t0\troot\t_\t_\n\n"
            "# sent_id = 2\n1-2\tIt's\t_\t_\t_\t_\t_\t_\t_\t_\n1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
            "2\t's\tbe\tVERB\t_\t_\t0\troot\t_\t_\n",
            "query.sql": "select language, count(*) from sentence group by language\n",
        }
        for name, text in texts.items():
            (inputs / name).write_text(text, encoding="utf-8")

    def pairs(self) -> Iterator[tuple[str, str]]:
        """English sentences with a French translation, each once."""
        seen = set()
        for file in self.files:
            for line in file.read_text(encoding="utf-8").splitlines()[1:]:
                english, _, french = line.split("\t")
                if french and english not in seen:
                    seen.add(english)
                    yield english, french

    def choose_words(self, database: Path) -> None:
        """Choose what is asked for: frequent words, and the seeds with most paraphrases in a database of the files."""
        words = Counter(word for english, _ in self.pairs() for word in re.findall(r"[a-z]{3,}", english))
        (frequent, _), (other, _) = words.most_common(2)
        with closing(sqlite3.connect(database)) as connection:
            found = connection.execute(
                "select s.text, (select c.text from candidate c where c.seed = s.id order by frequency desc, text)"
                " from seed s join candidate c on c.seed = s.id where s.language = 'eng' and c.fluency >= 20"
                " group by s.id order by count(*) desc, s.text limit 3"
            ).fetchall()
        (seed, rewording), (seed2, rewording2), (seed3, _) = found
        unseen = f"{seed.rstrip('?!. ')} now."
        self.words = {"WORD": frequent, "OTHER": other, "SEED": seed, "REWORDING": rewording, "SEED2": seed2}
        self.words |= {"REWORDING2": rewording2, "SEED3": seed3, "UNSEEN": unseen, "LANGUAGES": "eng,jpn,fra"}
        self.words |= {"UNSEEN2": f"{rewording.rstrip('?!. ')} now.", "GAP": f"{seed.rpartition(' ')[0]} _"}

    def call(self, line: str) -> tuple[list[str], str | None]:
        """The arguments of a line of calls, and the file that is stdin."""
        arguments: list[str] = []
        for word in shlex.split(line):
            if word == "FILES":
                arguments += [f"inputs/{file.name}" for file in self.files]
            else:
                arguments.append(self.words.get(word, word))
        if arguments[-2:-1] == ["<"]:
            return arguments[:-2], arguments[-1]
        return arguments, None


def without_every(text: str, step: int) -> list[str]:
    words = text.split()
    return [word for number, word in enumerate(words, 1) if number % step] or words


def phrasebook() -> Sample:
    return Sample("phrasebook", sorted(PHRASEBOOK.glob("*.tsv")))


def tatoeba(data: Path, pairs: int, folder: Path) -> Sample:
    """A sample of Tatoeba as one file of three columns: a block of the French pairs, and their Japanese ones."""

    def read(language: str) -> list[tuple[str, str]]:
        with gzip.open(data / f"eng-{language}.tsv.gz", "rt", encoding="utf-8") as file:
            cells = [line.rstrip("\n").split("\t") for line in file]
        return [(line[0], line[1]) for line in cells[1:]]

    french = read("fra")[FIRST_LINE : FIRST_LINE + pairs]
    wanted = {english for english, _ in french}
    lines = [f"{english}\t\t{other}\n" for english, other in french]
    lines += [f"{english}\t{other}\t\n" for english, other in read("jpn") if english in wanted]
    file = folder / "tatoeba.tsv"
    file.write_text("english\tjapanese\tfrench\n" + "".join(lines), encoding="utf-8")
    return Sample("tatoeba", [file])


CALLS = Path(__file__).with_name("compared_calls.txt")
FORKED = Path(__file__).with_name("forked_calls.py")
MOST_SHOWN = 160

DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z)?)?")
MASKS = [
    (DATE, "DATE"),
    (re.compile(r'("\w*seconds\w*": |seconds(\t| +))[\d.e-]+'), r"\1SECONDS"),
    (re.compile(r"\b\d+(\.\d+)? (s|min|h)\b( \d\d (s|min)\b)?"), "SECONDS"),
    (re.compile(r"(?m)^(corpusdb: \S.*?)(  \d[\d,]*( of [\d,]+)?)(  .*)?$"), r"\1"),  # progress depends on the time
    (re.compile(r"corpusdb-\w{8}/"), "corpusdb-TEMPORARY/"),
    (re.compile(r'[\d.]+ MB\b|("bytes": |bytes\t)\d+'), r"\1SIZE"),  # of files that SQLite lays out
]
NOT_COMPARED = {("row_checksum", "checksum")}
"""Columns that depend on times; `check --full` compares the checksums with the rows."""


class Program:
    """One of the two versions, running in a folder of its own."""

    def __init__(self, name: str, given: Path, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.name = name
        self.folder = folder
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("CORPUSDB_", "PYTHON"))}
        kept |= {"XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config"), "USER": "anna"}
        kept |= {"TERM": "dumb", "COLUMNS": "100", "PYTHONHASHSEED": "0"}
        if given.is_dir():
            kept["PYTHONPATH"] = str(given.resolve())
        command = [sys.executable if given.is_dir() else str(given.absolute()), str(FORKED)]
        self._server = subprocess.Popen(
            command, cwd=folder, env=kept, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(self, arguments: Sequence[str], stdin: str | None = None) -> Outcome:
        """Run a call in the folder."""
        assert self._server.stdin is not None and self._server.stdout is not None
        files = {"stdin": stdin or os.devnull, "stdout": "stdout.txt", "stderr": "stderr.txt"}
        self._server.stdin.write(json.dumps({"arguments": list(arguments), **files}) + "\n")
        self._server.stdin.flush()
        code = int(self._server.stdout.readline())
        out, err = (self.masked((self.folder / files[each]).read_bytes()) for each in ("stdout", "stderr"))
        return Outcome(code, out, err, {})

    def close(self) -> None:
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait()

    def masked(self, text: bytes) -> str:
        """The text without what two runs of one version would have different."""
        told = text.decode("utf-8", "backslashreplace")
        told = told.replace(str(self.folder), "FOLDER")
        for pattern, instead in MASKS:
            told = pattern.sub(instead, told)
        lines = told.split("\n")
        twice = {n for n in range(1, len(lines)) if lines[n] == lines[n - 1] and lines[n].startswith("corpusdb: ")}
        return "\n".join(line for number, line in enumerate(lines) if number not in twice)

    def files(self) -> dict[str, str]:
        """Every file that calls have written, but for databases, by its name."""
        return {
            str(path.relative_to(self.folder)): self.masked(path.read_bytes())
            for kept in ("out", "state")
            for path in sorted((self.folder / kept).rglob("*"))
            if path.is_file() and not path.name.endswith((".db", ".db-wal", ".db-shm"))
        }


@dataclass(frozen=True)
class Outcome:
    """What a call did."""

    code: int
    stdout: str
    stderr: str
    written: Mapping[str, str]

    def differences(self, other: Outcome) -> Iterator[str]:
        if self.code != other.code:
            yield f"exit code {self.code} != {other.code}"
        for what in ("stdout", "stderr"):
            yield from first_difference(what, getattr(self, what), getattr(other, what))
        for name in sorted({*self.written, *other.written}):
            yield from first_difference(name, self.written.get(name), other.written.get(name))


def first_difference(what: str, before: str | None, after: str | None) -> Iterator[str]:
    """One line on two texts, unless they are the same."""
    if before is None or after is None:
        if before is not after:
            yield f"{what}: only {'after' if before is None else 'before'}"
    elif before != after:
        changed = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0)
        lines = [line for line in changed if not line.startswith(("---", "+++", "@@"))]
        yield f"{what}: {len(lines)} lines: {' | '.join(lines[:4])[:MOST_SHOWN]}"


def compared_calls() -> list[str]:
    lines = CALLS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def commands(program: Program) -> dict[str, str]:
    """The help page of every command, by its words, as the help pages list them."""
    pages = {"": program.run(["--help"]).stdout}
    for words in pages_below(pages[""]):
        pages[words] = program.run([*words.split(), "--help"]).stdout
        if "COMMAND [ARGS]" in pages[words].split("\n")[0]:
            for word in pages_below(pages[words]):
                pages[f"{words} {word}"] = program.run([*words.split(), word, "--help"]).stdout
    return pages


def pages_below(page: str) -> Iterator[str]:
    """The commands that a help page lists."""
    heading = ""
    for line in page.split("\n"):
        if re.match(r"\w.*:$", line):
            heading = line
        elif heading not in ("", "Options:", "Arguments:") and (found := re.match(r"  ([a-z][\w-]*)  ", line)):
            yield found[1]


def uncovered(pages: Mapping[str, str]) -> list[str]:
    """The commands that no call names."""
    begun = [" ".join(word for word in shlex.split(line) if not word.endswith(".db")) for line in compared_calls()]
    begun = [line.removeprefix("--db ") for line in begun]
    groups = {words.rpartition(" ")[0] for words in pages}
    return [
        words
        for words in pages
        if words not in groups and not any(f"{each} ".startswith(f"{words} ") for each in begun)
    ]


def outcomes(program: Program, sample: Sample, lines: Sequence[str]) -> list[Outcome]:
    """What the calls do, one after the other."""
    done = []
    files = program.files()
    for line in lines:
        arguments, stdin = sample.call(line)
        outcome = program.run(arguments, stdin)
        now = program.files()
        written = {name: text for name, text in now.items() if files.get(name) != text}
        done.append(Outcome(outcome.code, outcome.stdout, outcome.stderr, written))
        with (program.folder / "calls.log").open("a", encoding="utf-8") as log:
            log.write(f"{outcome.code}\t{line}\t{len(outcome.stdout)}\t{outcome.stderr[-100:]!r}\n")
        files = now
    return done


def rows(database: Path, *, masked: bool) -> dict[str, Counter[str]]:
    """Every table of a database with its rows, as text, but for what tells its schema."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        names = [
            name for (name,) in map(tuple, connection.execute("select name from sqlite_master where type = 'table'"))
        ]
        tables = {}
        folder = str(database.parent)
        for name in names:
            if not name.startswith(("sqlite_", "_")):
                told = (
                    repr({key: row[key] for key in row.keys() if not (masked and (name, key) in NOT_COMPARED)})  # noqa: SIM118
                    for row in connection.execute(f'select * from "{name}"')
                )
                tables[name] = Counter(
                    DATE.sub("DATE", text).replace(folder, "FOLDER") if masked else text for text in told
                )
    return tables


def different_rows(before: Path, after: Path, *, masked: bool) -> Iterator[str]:
    """One line for each table that is not the same."""
    first, second = rows(before, masked=masked), rows(after, masked=masked)
    for name in first:
        if name not in second:
            yield f"table {name}: only before"
            continue
        gone, new = first[name] - second[name], second[name] - first[name]
        if gone or (new and name != "layer"):  # a later schema may know more layers
            example = next(iter(gone or new))
            yield f"table {name}: {gone.total()} rows only before, {new.total()} only after: {example[:MOST_SHOWN]}"


def compare(sample: Sample, programs: Sequence[Program], only: str | None) -> Iterator[str]:
    """Run the calls on one corpus, and tell every difference."""
    choose(sample, programs[0])
    for program in programs:
        sample.put_into(program.folder)
    lines = [line for line in compared_calls() if only is None or only in line]
    with ThreadPoolExecutor(2) as pool:
        before, after = pool.map(lambda program: outcomes(program, sample, lines), programs)
    for line, first, second in zip(lines, before, after, strict=True):
        yield from (f"{line}: {each}" for each in first.differences(second))
    if only is None:
        for name in ("corpus.db", "second.db", "demo.db"):
            files = [program.folder / name for program in programs]
            yield from (f"{name}: {each}" for each in different_rows(*files, masked=True))
        yield from (f"migrated: {each}" for each in differences_of_migrated(*programs))


def choose(sample: Sample, program: Program) -> None:
    """Choose what is asked of a sample, by a database that one version makes of it."""
    names = [str(file) for file in sample.files]
    for call in (["import", *names, "--lang", "eng,jpn,fra"], ["generate", "--lang", "eng"]):
        outcome = program.run(["--db", "chosen.db", *call])
        if outcome.code:
            raise SystemExit(f"{program.name} does not {call[0]} the {sample.name}: {outcome.stderr}")
    sample.choose_words(program.folder / "chosen.db")


def differences_of_migrated(before: Program, after: Program) -> Iterator[str]:
    """A database of the one, opened by the other: what that tells of it, and its rows."""
    made, moved = before.folder / "corpus.db", after.folder / "corpus.db"
    for path in after.folder.glob("corpus.db*"):
        path.unlink()
    with closing(sqlite3.connect(made)) as connection, closing(sqlite3.connect(moved)) as copy:
        connection.backup(copy)
    for line in ("check --full", "info --json", "sql 'select * from candidate order by id' -n 0"):
        first, second = (program.run(shlex.split(line)) for program in (before, after))
        yield from (f"{line}: {each}" for each in first.differences(second))
    yield from different_rows(made, moved, masked=False)


def different_pages(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for words in {**before, **after}:
        yield from first_difference(f"{words} --help", before.get(words), after.get(words))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--data", type=Path, default=TATOEBA)
    parser.add_argument("--only", help="Only the calls that hold this.")
    parser.add_argument("--expected", action="append", default=[], help="Differences that are wanted; again for more.")
    parser.add_argument("--keep", action="store_true", help="Leave the folders, with calls.log, to be looked at.")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="compared-"))
    samples = [phrasebook()] + ([tatoeba(options.data, options.pairs, folder)] if options.pairs else [])
    found: list[str] = []
    calls = 0
    for sample in samples:
        given = {"before": options.before, "after": options.after}
        programs = [Program(name, path, folder / sample.name / name) for name, path in given.items()]
        if sample is samples[0]:
            pages = [commands(program) for program in programs]
            if missing := uncovered(pages[0]):
                raise SystemExit(f"no call of {', '.join(missing)} in {CALLS.name}")
            calls += len(pages[0])
            found += different_pages(*pages)
        found += (f"{sample.name}: {each}" for each in compare(sample, programs, options.only))
        calls += len(compared_calls())
        for program in programs:
            program.close()
    unexpected = [each for each in found if not any(re.search(pattern, each) for pattern in options.expected)]
    for each in found:
        print(each if each in unexpected else f"expected: {each}")
    print(f"{calls} calls, {len(unexpected)} differences, {len(found) - len(unexpected)} expected")
    if options.keep:
        print(folder)
    else:
        shutil.rmtree(folder)
    return 1 if unexpected else 0


if __name__ == "__main__":
    raise SystemExit(main())

"""Import, search, lists and other commands beside what else one would do the work with, in turn, by processor time.

    python tests/benchmarks/search.py [--data FOLDER] [--times 3] [--before CHECKOUT] [--generated DATABASE SEED]

A file of English and French of Tatoeba is imported into a new database; then each question is asked, after it its
peers, and all again as often as --times says: first as processes, then in an open database, as the browser asks. The
least seconds (user and system, with those of children) count; a ratio above 1 says that the peer takes longer.
--before names another checkout of this program whose commands run beside these, as the first of the peers. With
--generated, the paraphrases of a seed are shown too, from a database that `corpusdb generate` made.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from measuring import DATA, additions, in_turn

from corpusdb.base.jobs import finished
from corpusdb.corpus.queries.sentences import translations_of_sentence
from corpusdb.corpus.store import Store, open_for_reading
from corpusdb.search.patterns import Mode, Pattern
from corpusdb.search.queries.collocations import Neighbourhood, collocates
from corpusdb.search.queries.concordance import arrange_lines
from corpusdb.search.queries.conditions import Search, TranslationCondition
from corpusdb.search.queries.frequencies import Count, frequency_list
from corpusdb.search.queries.request import Arrangement
from corpusdb.search.queries.search import Searcher
from corpusdb.search.queries.token_selection import TokenSelection

CHECKOUT = Path(__file__).resolve().parents[2]
LANGUAGES = "eng,fra"
COUNTER = """
import re, sys
from collections import Counter
counts = Counter()
for line in open(sys.argv[1], encoding="utf-8"):
    units = re.findall(r"\\w+|[^\\w\\s]", line)
    counts.update(zip(units, units[1:]))
for (one, other), count in counts.most_common():
    sys.stdout.write(f"{one} {other}\\t{count}\\n")
"""
TABLES = """
import csv, gzip, sqlite3, sys, unicodedata
db = sqlite3.connect(sys.argv[2])
db.execute("create table sentence (id integer primary key, language text, text text, unique (language, text))")
db.execute("create table translation (a integer, b integer, primary key (a, b)) without rowid")
db.execute("create table occurrence (line integer, sentence integer, primary key (line, sentence)) without rowid")
ids, sentences, pairs, places = {}, [], [], []
for line, row in enumerate(gzip.open(sys.argv[1], "rt", encoding="utf-8")):
    members = []
    for language, text in zip(("eng", "fra"), row.rstrip("\\n").split("\\t")):
        key = language, unicodedata.normalize("NFC", text).strip()
        if key not in ids:
            ids[key] = len(ids) + 1
            sentences.append((ids[key], *key))
        members.append(ids[key])
        places.append((line, ids[key]))
    pairs += [tuple(members), tuple(members[::-1])]
db.executemany("insert into sentence values (?, ?, ?)", sentences)
db.executemany("insert or ignore into translation values (?, ?)", pairs)
db.executemany("insert or ignore into occurrence values (?, ?)", places)
db.commit()
"""


def process(command: Sequence[str], checkout: Path | None = None) -> Callable[[], object]:
    """A command as a process of its own, by the program of a checkout if one is given."""
    variables = {**os.environ, "CORPUSDB_HISTORY": "off", "LC_ALL": "C.UTF-8"}
    if checkout is not None:
        variables["PYTHONPATH"] = str(checkout)
    return partial(subprocess.run, command, env=variables, capture_output=True, check=False)


def program(arguments: Sequence[str], before: Path | None) -> dict[str, Callable[[], object]]:
    """One command of this program, and of the other checkout."""
    command = [sys.executable, "-P", "-m", "corpusdb", *arguments]
    calls = {"corpusdb": process(command, CHECKOUT)}
    return calls | ({} if before is None else {"corpusdb before": process(command, before.resolve())})


def commands(database: Path, text: Path, before: Path | None, times: int) -> None:
    """Commands that answer from a database, each a process."""
    own = partial(program, before=before)
    at = ("--db", str(database))
    python = process([sys.executable, "-c", "pass"])
    loop: dict[str, Callable[[], object]] = {"ten million additions": additions}
    for start in ("--version", "--help", "paraphrases"):
        in_turn(f"start: {start}", own([start]) | {"python -c pass": python}, times)
    in_turn("info", own(["info", *at]) | {"python -c pass": python}, times)
    for word in ("please", "the"):
        peers = {"grep -F": process(["grep", "-F", word, str(text)])}
        in_turn(f"search {word}, first 20", own(["search", word, "--lang", "eng", *at]) | peers, times)
    for call in (("cat",), ("cat", "--word"), (r"\b\w+ing\b", "-e"), (r"(\w+ly )+", "-e")):
        found = ["search", *call, "-n", "0", "--lang", "eng", *at]
        in_turn(f"search {' '.join(call)}, all", own(found) | loop, times)
    counter = process([sys.executable, "-c", COUNTER, str(text)])
    bigrams = ["frequencies", "--ngram", "2", "-n", "0", "--lang", "eng", *at]
    in_turn("bigrams, all printed", own(bigrams) | {"Counter": counter}, times)


def generated(database: Path, seed: str, before: Path | None, times: int) -> None:
    """The paraphrases of one seed, which the corpus may not have."""
    peers = {"import numpy": process([sys.executable, "-c", "import numpy"]), "ten million additions": additions}
    asked = program(["paraphrases", seed, "--db", str(database)], before)
    in_turn(f"paraphrases of {seed}", asked | peers, times)


def imports(file: Path, folder: Path, before: Path | None, times: int) -> None:
    """A whole file into a new database."""
    target = folder / "new.db"

    def anew(call: Callable[[], object]) -> None:
        for ending in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                target.with_name(target.name + ending).unlink()
        call()

    own = ["import", str(file), "--lang", LANGUAGES, "--name", "tatoeba", "--no-follow", "--db", str(target)]
    peers = {"Python, all ids in memory": process([sys.executable, "-c", TABLES, str(file), str(target)])}
    calls = program(own, before) | peers
    in_turn(f"import of {file.name}", {name: partial(anew, call) for name, call in calls.items()}, times)


QUESTIONS: tuple[tuple[str, Mode, str], ...] = (
    ("please", "substring", "-F"),
    ("the", "substring", "-F"),
    ("e", "substring", "-F"),
    ("cat", "word", "-w"),
    (r"\b\w+ing\b", "regex", "-P"),
    (r"^I .*\?$", "regex", "-P"),
    (r"(cat|dog)s?\b", "regex", "-P"),
    (r"\b(\w+) \1\b", "regex", "-P"),
    ('"zebra"', "cqp", ""),
    ('"I" []{0,3} "to"', "cqp", ""),
    ('"cat" :fra "chat"', "cqp", ""),
)
"""Patterns, each with the option by which grep finds the same, where it does."""


def opened(store: Store, text: Path, times: int) -> None:
    """Questions to a database that is open already; grep starts anew."""
    searcher = Searcher(store)
    for pattern, mode, option in QUESTIONS:
        calls: dict[str, Callable[[], object]]
        calls = {"corpusdb": partial(searcher.find, Search("eng", Pattern(pattern, mode)))}
        if option:
            calls[f"grep {option}"] = process(["grep", "-c", option, "-e", pattern, str(text)])
        in_turn(f"open: {pattern}", calls, times + 1)
    aligned = Search("eng", Pattern("cat", "word"), (TranslationCondition("fra", Pattern("chat", "word")),))
    hits = searcher.find(Search("eng", Pattern("the")))
    tokens = TokenSelection("eng", words_only=True)

    def page(arrangement: Arrangement) -> object:
        lines = finished(arrange_lines(hits, arrangement)).lines(0, 25)
        return translations_of_sentence(store, [line.sentence for line in lines])

    questions: dict[str, Callable[[], object]] = {
        "cat, chat on the French side": partial(searcher.find, aligned),
        "page of the, as in the corpus": partial(page, Arrangement()),
        "page of the, by the left": partial(page, Arrangement("left")),
        "frequency list of words": partial(frequency_list, store, Count(tokens)),
        "frequency list of 3 words": partial(frequency_list, store, Count(tokens, n=3)),
        "collocates of time": partial(collocates, store, Neighbourhood(tokens, "time")),
    }
    for what, call in questions.items():
        in_turn(f"open: {what}", {"corpusdb": call}, times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--generated", nargs=2, metavar=("DATABASE", "SEED"))
    options = parser.parse_args()
    file = options.data / "tatoeba" / "eng-fra.tsv.gz"
    print(f"{'':<44} {'':<24} {'seconds':>8} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database, text = folder / "corpus.db", folder / "english.txt"
        with gzip.open(file, "rt", encoding="utf-8") as rows:
            english = dict.fromkeys(row.partition("\t")[0] for row in rows)
        text.write_text("".join(f"{each}\n" for each in english), encoding="utf-8")
        imports(file, folder, options.before, options.times)
        made = ["import", str(file), "--lang", LANGUAGES, "--name", "tatoeba", "--db", str(database)]
        program(made, None)["corpusdb"]()
        commands(database, text, options.before, options.times)
        if options.generated:
            generated(Path(options.generated[0]), options.generated[1], options.before, options.times)
        with open_for_reading(database) as store:
            opened(store, text, options.times)


if __name__ == "__main__":
    main()

"""A small corpus from which everything was derived, and one call of every command that writes.

A call runs the program in a process that is forked from one which has loaded it already, so that thousands of them are
cheap and two begin at the same moment. Transactions are made small there, so that there are many of them.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from multiprocessing import forkserver, get_context
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import TypeAlias

from corpusdb.phrasebook import phrasebook_files

DATABASE = "corpus.db"
Prepared = Path
"""A folder with the database and with all the files that the calls read."""
Around: TypeAlias = AbstractContextManager[object]


@dataclass(frozen=True)
class Call:
    """A command with what it is given; the files are in the folder in which it runs."""

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    """Files beside the database."""
    repeats: int = 0
    """The exit code where the same call is made once more."""


CALLS: Mapping[str, Call] = {
    "import A": Call(("import", "a.tsv")),
    "import B": Call(("import", "b.tsv")),
    "import units": Call(("import", "units.jsonl")),
    "detect": Call(("detect", "--lang", "eng")),
    "detect French": Call(("detect", "--lang", "fra")),
    "generate": Call(("generate", "--lang", "eng")),
    "generate French": Call(("generate", "--lang", "fra")),
    "generate seed": Call(("generate", "--lang", "jpn", "--seed", "@japanese")),
    "accept": Call(("accept", "@seed", "@candidate")),
    "session apply": Call(("session", "apply", "s")),
    "session accept": Call(("session", "accept", "s", "@paraphrase")),
    "judge sample": Call(("judge", "sample", "new", "--lang", "eng", "--kind", "meaning", "--size", "20"), repeats=2),
    "judge record": Call(("judge", "record", "old", "1", "y", "--judge", "J")),
    "score": Call(("score", "system.txt", "--ref", "reference.txt", "--store")),
    "save query": Call(("search", "the", "--save", "the")),
    "backup": Call(("backup", "copy.db"), ("copy.db",), repeats=2),
    "check --repair": Call(("check", "--repair")),
    "export": Call(("export", "-o", "out.tmx"), ("out.tmx",), repeats=2),
}
"""Every command that writes, once or more; words that begin with @ were chosen when the corpus was prepared."""

_WORDS = "words.json"


@dataclass(frozen=True)
class Ended:
    """How a call ended, and what it printed."""

    code: int
    """The exit code; below 0 the signal that ended it."""
    output: str
    errors: str


def prepare(folder: Path) -> Prepared:
    """Make the corpus, with a session, a sample and all files, in a folder that is not there yet."""
    folder.mkdir()
    _write_files(folder)
    for words in (("import", "first.tsv"), ("generate", "--lang", "eng")):
        _must(folder, words)
    chosen = _choose(folder)
    (folder / _WORDS).write_text(json.dumps(chosen), encoding="utf-8")
    seeds = [chosen["@session seed"], chosen["@other seed"]]
    _must(folder, ("session", "new", "s", "--lang", "eng", "-N", "0", "--text", seeds[1], "--text", seeds[0]))
    _must(folder, ("session", "accept", "s", chosen["@other paraphrase"]))
    _must(folder, ("session", "next", "s"))
    _must(folder, ("judge", "sample", "old", "--lang", "eng", "--kind", "grammaticality", "--size", "10"))
    return folder


def fallen_behind(prepared: Prepared, folder: Path) -> Prepared:
    """A copy into which a last file was imported that nothing followed, so that every job has much to do."""
    shutil.copytree(prepared, folder)
    _must(folder, ("import", "last.tsv", "--no-follow"))
    return folder


def _must(folder: Path, words: tuple[str, ...]) -> None:
    ended = _run(folder, Call(words))
    if ended.code:
        raise RuntimeError(f"corpusdb {' '.join(words)}: {ended.errors}")


_FILES = {"first": slice(0, 240), "a": slice(200, 330), "b": slice(270, 400), "last": slice(400, 460)}


def _write_files(folder: Path) -> None:
    """Files that share sentences; the last has documents and names, too."""
    head, *rows = "".join(path.read_text(encoding="utf-8") for path in phrasebook_files()[:3]).splitlines()
    rows = [row for row in rows if row != head]
    for name, chosen in _FILES.items():
        (folder / f"{name}.tsv").write_text("\n".join([head, *rows[chosen], ""]), encoding="utf-8")
    with open(folder / "units.jsonl", "w", encoding="utf-8") as file:
        for number, row in enumerate(rows[220:300]):
            texts = dict(zip(("eng", "jpn", "fra"), row.split("\t"), strict=True))
            file.write(json.dumps(texts | {"id": f"u{number}", "document": f"d{number // 20}"}) + "\n")
    english = [row.split("\t")[0] for row in rows[:40]]
    (folder / "reference.txt").write_text("\n".join([*english, ""]), encoding="utf-8")
    (folder / "system.txt").write_text("\n".join([*english[1:], english[0], ""]), encoding="utf-8")


_NEW = """
select seed.text, candidate.text from candidate join seed on seed.id = candidate.seed
where candidate.text not in (select text from sentence) order by frequency desc, seed.text, candidate.text
"""
_JAPANESE = "select text from sentence where language = 'jpn' order by id limit 1"


def _choose(folder: Path) -> dict[str, str]:
    """Candidates of three seeds that the corpus does not hold, and a sentence of another language."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        new: dict[str, str] = {}
        for seed, candidate in connection.execute(_NEW):
            if candidate not in new.values():
                new.setdefault(seed, candidate)
        (japanese,) = connection.execute(_JAPANESE).fetchone()
    names = ("@seed", "@candidate", "@session seed", "@paraphrase", "@other seed", "@other paraphrase")
    texts = [text for pair in list(new.items())[:3] for text in pair]
    return dict(zip(names, texts, strict=True)) | {"@japanese": japanese}


@contextmanager
def copied(prepared: Prepared, folder: Path) -> Iterator[Path]:
    """A copy of the corpus and its files, which is gone at the end of the block."""
    shutil.copytree(prepared, folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


class Started:
    """A call that is running in a process of its own."""

    def __init__(self, folder: Path, call: Call, name: str, around: Around | None) -> None:
        self._printed = [folder / f".{name}.{what}" for what in ("out", "err")]
        self._process: ForkServerProcess = _context().Process(
            target=_child, args=(folder, call.words, self._printed, around), daemon=True
        )
        self._process.start()

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it has ended by itself, or after so many seconds."""
        self._process.join(seconds)
        return self._process.exitcode is not None

    def ended(self) -> Ended:
        """Wait for its end."""
        self._process.join(_PATIENCE_SECONDS)
        code = self._process.exitcode
        assert code is not None, "a call does not end"
        texts = [path.read_text(encoding="utf-8") if path.exists() else "" for path in self._printed]
        for path in self._printed:
            path.unlink(missing_ok=True)
        return Ended(code, *texts)


def started(folder: Path, call: Call, name: str = "one", around: Around | None = None) -> Started:
    """Begin a call in a folder, inside of ``around`` in its process. Calls side by side need names."""
    return Started(folder, call, name, around)


def _run(folder: Path, call: Call) -> Ended:
    return started(folder, call).ended()


_PATIENCE_SECONDS = 200.0
"""No call takes so long, on however busy a machine."""
_LOADED = ("workbench", "loaded", "interposed")


@cache
def _context() -> ForkServerContext:
    """Where processes are forked from, with all loaded."""
    context = get_context("forkserver")
    context.set_forkserver_preload(list(_LOADED))
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)  # before 3.13 it looks for what it is to load nowhere else
    try:
        forkserver.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    return context


def _child(folder: Path, words: tuple[str, ...], printed: list[Path], around: Around | None) -> None:
    """Become the program, with its output in files; the exit code is its own."""
    os.chdir(folder)
    for stream, path in zip((sys.stdout, sys.stderr), printed, strict=True):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, stream.fileno())
        os.close(file)
    for name in [name for name in os.environ if name.startswith("CORPUSDB_")]:
        del os.environ[name]
    os.environ |= {"XDG_STATE_HOME": str(folder), "CORPUSDB_HISTORY": "off"}
    chosen = json.loads(Path(_WORDS).read_text(encoding="utf-8")) if Path(_WORDS).exists() else {}
    sys.argv = ["corpusdb", *(chosen.get(word, word) for word in words)]
    _make_transactions_small()
    _wait_long_for_others()
    from corpusdb.program.catalogue import main

    with around or nullcontext():
        main()


def _wait_long_for_others() -> None:
    """Else, on a busy machine, one of two calls gives up on the other's transaction, which here is an error."""
    from corpusdb.corpus.store import connection

    connection.BUSY_SECONDS = _PATIENCE_SECONDS


def _make_transactions_small() -> None:
    from corpusdb.chain.queries import generation
    from corpusdb.chain.queries import importing as file_import
    from corpusdb.paraphrase.queries import detection, slot_index

    file_import._BATCH = 40
    file_import._SECONDS_PER_TRANSACTION = 0.0
    detection._SENTENCES_PER_TRANSACTION = 150
    slot_index._ROWS_PER_TRANSACTION = 500
    generation._SEEDS_PER_TRANSACTION = 60

"""An operation in a process of its own, which may kill itself with SIGKILL in the middle of an SQL statement.

Run as a program it forks for each line of stdin, which tells the operation, the database, and after how many thousand
steps of SQLite's machine to die (0: never), as JSON; to start a program for each takes longer than the operations. The
transactions are small, so that there are many. Each line is answered by one with the exit code, and how many thousand
steps it took, or what went wrong.
"""

from __future__ import annotations

import atexit
import json
import os
import random
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NoReturn

from corpora import drawn_units, import_file, import_units

from corpusdb.alignment.queries import corpus_alignment, link_files
from corpusdb.base.jobs import finished
from corpusdb.chain.queries import generation
from corpusdb.chain.queries import importing as file_import
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.queries import detection, slot_index

_STEPS = 1000


def run(operation: str, database: Path, dies_after: int = 0) -> int | None:
    """Run it to its end, or to its death: the thousands of steps that it took, or None where it was killed."""
    server = _server()
    assert server.stdin and server.stdout
    print(json.dumps([operation, str(database), dies_after]), file=server.stdin, flush=True)
    code, told = json.loads(server.stdout.readline())
    if code == -signal.SIGKILL:
        return None
    assert code == 0, told
    return int(told)


@cache
def _server() -> subprocess.Popen[str]:
    """This module as a program, for all tests of this process."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    pipe = subprocess.PIPE
    server = subprocess.Popen([sys.executable, __file__], stdin=pipe, stdout=pipe, text=True, env=environment)
    atexit.register(server.communicate)
    return server


def run_with_kills(operation: str, database: Path, kills: int, steps: int, chance: random.Random) -> int:
    """Kill it so often at random moments, or until it ends before, and then let it end; how often it was killed.

    It takes about ``steps`` thousand steps undisturbed; a try is killed in the first quarter of that, so that some come
    through several kinds of work and others end in the midst of the first.
    """
    for kill in range(kills):
        if run(operation, database, chance.randint(1, max(1, steps // 4))) is not None:
            return kill
    assert run(operation, database) is not None
    return kills


def _import(store: Store) -> None:
    import_file(store, store.path.with_suffix(".tsv"), ("eng", "fra"))


def _import_units(store: Store) -> None:
    import_units(store, drawn_units(random.Random(5), 2_000))


def _generate(store: Store) -> None:
    finished(generation.generate(store, "eng"))


def _align(store: Store) -> None:
    finished(corpus_alignment.align_languages(store, "eng", "fra"))


def _import_links(store: Store) -> None:
    links, source, ref = (store.path.with_suffix(f".links{ending}") for ending in ("", ".eng", ".fra"))
    finished(link_files.import_links(store, "eng", "fra", link_files.read_link_file(links, source, ref, "none")))


_OPERATIONS: dict[str, Callable[[Store], None]] = {
    "import": _import,
    "import units": _import_units,
    "generate": _generate,
    "align": _align,
    "import links": _import_links,
}


def _make_transactions_small() -> None:
    file_import._BATCH = 200
    file_import._SECONDS_PER_TRANSACTION = 0.0
    detection._SENTENCES_PER_TRANSACTION = 300
    slot_index._ROWS_PER_TRANSACTION = 1_000
    generation._SEEDS_PER_TRANSACTION = 100
    corpus_alignment._PAIRS_PER_TRANSACTION = 50
    link_files._PAIRS_AT_ONCE = 50


def _steps_of(operation: str, database: str, dies_after: int) -> int:
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        if steps == dies_after:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    with open_store(database, create=True) as store:
        store.connection.set_progress_handler(step, _STEPS)
        _OPERATIONS[operation](store)
    return steps


def _run_in_child(line: str, answer: int) -> NoReturn:
    """Never returns, whatever happens: the caller is in a copy of the server."""
    code = 1
    try:
        told = str(_steps_of(*json.loads(line)))
        code = 0
    except BaseException:
        told = traceback.format_exc()
    finally:
        with open(answer, "w", encoding="utf-8") as file:
            file.write(told)
        os._exit(code)


def _serve() -> None:
    _make_transactions_small()
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            _run_in_child(line, writing)
        os.close(writing)
        with open(reading, encoding="utf-8") as file:
            told = file.read()
        _, status = os.waitpid(child, 0)
        print(json.dumps([os.waitstatus_to_exitcode(status), told]), flush=True)


if __name__ == "__main__":
    _serve()

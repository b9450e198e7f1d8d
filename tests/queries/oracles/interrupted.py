"""An operation in a process of its own, which may kill itself with SIGKILL in the middle of an SQL statement.

Run as a program it takes the operation, the database, and after how many thousand steps of SQLite's machine to die (0:
never). It makes its transactions small, so that there are many, and prints at its end how many steps it took.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from corpora import import_file
from listed import drawn_units, import_units

from corpusdb.jobs import finished
from corpusdb.queries.analogy import slot_index
from corpusdb.queries.chain import file_import, generation
from corpusdb.queries.paraphrase import detection
from corpusdb.store import Store, open_store

__all__ = ["run", "run_with_kills"]

_STEPS = 1000


def run(operation: str, database: Path, dies_after: int = 0) -> int | None:
    """Run it to its end, or to its death: the thousands of steps that it took, or None where it was killed."""
    command = [sys.executable, __file__, operation, str(database), str(dies_after)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode == -signal.SIGKILL:
        return None
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


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


_OPERATIONS: dict[str, Callable[[Store], None]] = {
    "import": _import,
    "import units": _import_units,
    "generate": _generate,
}


def _make_transactions_small() -> None:
    file_import._BATCH = 200
    file_import._SECONDS_PER_TRANSACTION = 0.0
    detection._SENTENCES_PER_TRANSACTION = 300
    slot_index._ROWS_PER_TRANSACTION = 1_000
    generation._SEEDS_PER_TRANSACTION = 100


def _main(operation: str, database: str, dies_after: str) -> None:
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        if steps == int(dies_after):
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    _make_transactions_small()
    with open_store(database, create=True) as store:
        store.connection.set_progress_handler(step, _STEPS)
        _OPERATIONS[operation](store)
    print(steps)


if __name__ == "__main__":
    _main(*sys.argv[1:])

"""Many at once, for long: people who decide, imports, a generation, searches and backups on one database.

    python tests/benchmarks/soak.py [MINUTES] [--backup-seconds 60]

Four people decide and take back, each in a session of their own and as fast as the database lets them, and note each
decision once it was acknowledged. Every one has to be there at the end, every backup has to pass `check --full`, and no
process may have said anything but that it is done. The exit code is 1 otherwise.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count, repeat
from multiprocessing import get_context
from multiprocessing.queues import Queue
from pathlib import Path
from typing import TypeAlias

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attacks" / "disturbing"))

from aftermath import check
from workbench import DATABASE, Call, Prepared, prepare, started

from corpusdb.base.errors import CorpusError
from corpusdb.corpus.store import open_store
from corpusdb.people.queries.decisions import decide, undo_decision
from corpusdb.people.queries.sessions import create_session
from corpusdb.phrasebook import phrasebook_files

_PEOPLE = 4
_SEEDS = [f"seed {number}" for number in range(20)]
_ROWS_A_FILE = 12
_Decided: TypeAlias = tuple[int, list[str], list[str]]
"""The number of a person, the decisions that stand, and what went wrong."""


def _person(folder: Path, number: int, until: float, told: Queue[_Decided]) -> None:
    """Decide and take back until it is time; tell all that was acknowledged and stands, and what went wrong."""
    stands: list[str] = []
    troubles: list[str] = []
    chance, tries = random.Random(number), 0
    while time.monotonic() < until:
        tries += 1
        try:
            with open_store(folder / DATABASE) as store:
                for _ in range(20):
                    tries += 1
                    if stands and chance.random() < 0.2:
                        undone = undo_decision(store, f"p{number}")
                        if undone is None or undone.decision.text != stands.pop():
                            troubles.append(f"another decision was undone: {undone}")
                    else:
                        text = f"paraphrase {tries}"
                        decide(store, f"p{number}", chance.choice(_SEEDS), text, "accept")
                        stands.append(text)
                    time.sleep(0.02)
        except CorpusError as error:
            troubles.append(str(error))
    told.put((number, stands, troubles))


def _files(folder: Path) -> Iterator[str]:
    """Small files of which none has been imported, for as long as there are any."""
    rows = [row for path in phrasebook_files() for row in path.read_text(encoding="utf-8").splitlines()[1:]]
    for number in range(0, len(rows), _ROWS_A_FILE):
        path = folder / f"soak{number}.tsv"
        path.write_text("\n".join(rows[number : number + _ROWS_A_FILE]) + "\n", encoding="utf-8")
        yield path.name


@dataclass(frozen=True)
class _Loop:
    """One call of the program after the other, in a process of its own, until it is time."""

    name: str
    calls: Callable[[Path], Iterator[tuple[str, ...]]]
    pause: float

    def run(self, folder: Path, until: float, told: Queue[tuple[str, Counter[str]]]) -> None:
        """Make the calls; tell how often they came to what."""
        ends: Counter[str] = Counter()
        for number, words in enumerate(self.calls(folder)):
            if time.monotonic() > until:
                break
            ended = started(folder, Call(words), f"{self.name}{number}").ended()
            ends["done" if ended.code == 0 else f"exit {ended.code}: {ended.errors.strip()[-200:]}"] += 1
            time.sleep(self.pause)
        told.put((self.name, ends))


def _imports(turn: int, folder: Path) -> Iterator[tuple[str, ...]]:
    """Small files of which none has been imported; every second one is this turn's."""
    rows = [row for path in phrasebook_files() for row in path.read_text(encoding="utf-8").splitlines()[1:]]
    for number in range(turn * _ROWS_A_FILE, len(rows), 2 * _ROWS_A_FILE):
        path = folder / f"soak{number}.tsv"
        path.write_text("\n".join(rows[number : number + _ROWS_A_FILE]) + "\n", encoding="utf-8")
        yield "import", path.name, "--lang", "eng,jpn,fra", "--header", "no", "--name", "soak"


def _always(words: tuple[str, ...], folder: Path) -> Iterator[tuple[str, ...]]:
    return repeat(words)


def _backups(folder: Path) -> Iterator[tuple[str, ...]]:
    return (("backup", f"backup{number}.db") for number in count(1))


def _loops(backup_seconds: float) -> tuple[_Loop, ...]:
    return (
        _Loop("import 1", partial(_imports, 0), 0.5),
        _Loop("import 2", partial(_imports, 1), 0.5),
        _Loop("generate", partial(_always, ("generate", "--lang", "eng")), 0.5),
        _Loop("search", partial(_always, ("search", "the", "--kwic")), 0.1),
        _Loop("backup", _backups, backup_seconds),
    )


def soak(folder: Prepared, seconds: float, backup_seconds: float) -> list[str]:
    """Let them all work on the database for so long; what was wrong afterwards."""
    with open_store(folder / DATABASE) as store:
        for number in range(_PEOPLE):
            create_session(store, f"p{number}", "eng", _SEEDS)
    context, until, loops = get_context("spawn"), time.monotonic() + seconds, _loops(backup_seconds)
    decided: Queue[_Decided] = context.Queue()
    ends: Queue[tuple[str, Counter[str]]] = context.Queue()
    workers = [context.Process(target=_person, args=(folder, number, until, decided)) for number in range(_PEOPLE)]
    workers += [context.Process(target=loop.run, args=(folder, until, ends)) for loop in loops]
    for worker in workers:
        worker.start()
    people, ended = [decided.get() for _ in range(_PEOPLE)], [ends.get() for _ in loops]
    for worker in workers:
        worker.join()
    print(*(f"{name}: {each['done']:,} done" for name, each in sorted(ended)), sep="\n")
    print(f"decisions that stand: {sum(len(stands) for _, stands, _ in people):,}")
    wrong = [f"{name}: {times} x {end}" for name, each in ended for end, times in each.items() if end != "done"]
    wrong += [f"person {number}: {trouble}" for number, _, troubles in people for trouble in troubles]
    return wrong + _missing(folder, [(number, stands) for number, stands, _ in people])


def _missing(folder: Path, decided: list[tuple[int, list[str]]]) -> list[str]:
    """Decisions that were acknowledged and are not there, or the other way round; and databases that are not sound."""
    from corpusdb.people.queries.decisions import decisions

    wrong = []
    with open_store(folder / DATABASE) as store:
        for number, stands in decided:
            found = [each.text for each in decisions(store, f"p{number}")]
            if found != stands:
                lost, more = len(set(stands) - set(found)), len(set(found) - set(stands))
                wrong.append(f"person {number}: {lost} decisions are lost, {more} too many")
    for path in sorted(folder.glob("*.db")):
        wrong += check(folder, path.name)
    print(f"backups: {len(list(folder.glob('backup*.db'))):,}")
    return wrong


def main() -> int:
    """Soak it; how the program is to end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("minutes", type=float, nargs="?", default=60.0)
    parser.add_argument("--backup-seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = prepare(Path(name) / "soak")
        wrong = soak(folder, chosen.minutes * 60, chosen.backup_seconds)
        shutil.rmtree(folder)
    print(*wrong, f"{len(wrong):,} wrong", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())

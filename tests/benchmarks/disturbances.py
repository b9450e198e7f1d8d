"""What happens to a database when calls fail, are killed, lose power, or meet others."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attacks"))

import argparse
import json
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations_with_replacement, count, repeat
from multiprocessing import get_context
from multiprocessing.queues import Queue
from typing import TypeAlias

from disturbing import Failing, Killed, check, killed_after, killed_at, together
from interposed import COUNTS, KINDS, MEMORY, ON_FILES, Injection
from losing import PARTS, lost_at
from measuring import run_named
from workbench import CALLS, DATABASE, Call, Prepared, copied, fallen_behind, prepare, started

from corpusdb.base.errors import CorpusError
from corpusdb.corpus.store import open_store
from corpusdb.people.queries.decisions import decide, undo_decision
from corpusdb.people.queries.sessions import create_session
from corpusdb.phrasebook import phrasebook_files

# Every operation of SQLite on files and memory fails once, and from then on, in the commands that write.
#
#     python tests/benchmarks/disturbances.py faults [--step 1] [--seed 1] [--only NAME]... [--kind KIND]...
#
# With a step above 1, so many writes, reads and allocations are passed over between two that fail, from a random one
# on; there are thousands. Prints what was wrong, a line for each command and kind, and the counts at the end; the exit
# code is 1 if anything was.


_OFTEN = {"write": 1, "full": 1, "read": 1, MEMORY: 40}
"""The kinds of which there are thousands, so that some are passed over; of allocations by so many times more."""


def faults(failing: Failing, kind: str, step: int, chance: random.Random) -> tuple[int, list[str]]:
    """Let operations of a kind fail until there is none left; how many failed, and what was wrong."""
    tried, wrong = 0, []
    step = step * _OFTEN[kind] if kind in _OFTEN else 1
    for lasting in (False, True):
        nth = chance.randint(1, step)
        while (failed := failing.failed_at(Injection((kind,), nth, lasting=lasting))).reached:
            tried += 1
            if failed.wrong:
                told = "and all that follow" if lasting else "alone"
                wrong.append(f"{kind} {nth} {told}: " + "; ".join(failed.wrong))
            nth += step
    return tried, wrong


def faults_main() -> int:
    """Try the commands; how the program is to end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], choices=CALLS)
    parser.add_argument("--kind", action="append", default=[], choices=KINDS)
    chosen = parser.parse_args()
    counts, chance = Counter[str](), random.Random(chosen.seed)
    with tempfile.TemporaryDirectory() as folder:
        prepared = prepare(Path(folder) / "prepared")
        for name in chosen.only or CALLS:
            failing = Failing(prepared, Path(folder) / "fault", name)
            for kind in chosen.kind or KINDS:
                tried, wrong = faults(failing, kind, chosen.step, chance)
                counts += Counter(faults=tried, wrong=len(wrong))
                print(f"{name}, {kind}: {tried:,} failed, {len(wrong):,} wrong", flush=True)
                for line, times in Counter(told.partition(": ")[2] for told in wrong).most_common():
                    first = next(told for told in wrong if told.endswith(line))
                    print(f"    {times} x, first at {first}", flush=True)
    print(f"{counts['faults']:,} faults, {counts['wrong']:,} wrong")
    return bool(counts["wrong"])


# Every command that writes, killed at random moments and made again: the rows of an undisturbed one, runs as well.
#
#     python tests/benchmarks/disturbances.py kills [--kills 300] [--seed 1] [--only NAME]...
#
# Half of the kills are at a random moment, half at a random operation on the files, where each may leave another
# state. Prints what was wrong and the counts at the end; the exit code is 1 if anything was.


@cache
def operations(prepared: Prepared, folder: Path, name: str) -> int:
    """How many operations on files a call makes."""
    with copied(prepared, folder) as place:
        started(place, CALLS[name], around=Injection(ON_FILES, 0)).ended()
        counts: dict[str, int] = json.loads((place / COUNTS).read_text(encoding="utf-8"))
        return sum(counts.values())


def kills_main() -> int:
    """Kill them in turn; how the program is to end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], choices=CALLS)
    chosen = parser.parse_args()
    names, chance, counts = chosen.only or list(CALLS), random.Random(chosen.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "kill"
        level = prepare(Path(folder) / "level")
        corpora = [level, fallen_behind(level, Path(folder) / "behind")]
        for number in range(chosen.kills):
            name, prepared = names[number % len(names)], corpora[number // len(names) % 2]
            if number // len(names) // 2 % 2:
                moment = chance.randint(1, operations(prepared, where, name))
                killed, told = killed_at(prepared, where, name, moment), f"at operation {moment}"
            else:
                killed, told = killed_after(prepared, where, name, chance, kills := chance.randint(1, 3)), f"{kills} x"
            note(counts, killed, f"{name} ({prepared.name}), {told}")
    print(", ".join(f"{counts[what]:,} {what}" for what in ("calls", "killed", "wrong")))
    return bool(counts["wrong"])


def note(counts: Counter[str], killed: Killed, told: str) -> None:
    """Count what happened, and print what was wrong."""
    counts += Counter(calls=1, killed=killed.killed, wrong=bool(killed.wrong))
    if killed.wrong:
        print(f"killed {told}:", *(f"    {line}" for line in killed.wrong), sep="\n", flush=True)


# The power goes at random moments of the commands that write, and any part of what was not synced is there or not.
#
#     python tests/benchmarks/disturbances.py power [--losses 100] [--seed 1] [--only NAME]...
#
# Prints what was wrong and the counts at the end; the exit code is 1 if anything was.


_LONGEST = 4_000


def power_main() -> int:
    """Let the power go, in one command after the other; how the program is to end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--losses", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], choices=CALLS)
    chosen = parser.parse_args()
    names, chance, counts = chosen.only or list(CALLS), random.Random(chosen.seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        prepared = prepare(Path(folder) / "prepared")
        for number in range(chosen.losses):
            name = names[number % len(names)]
            # Few commands change files so often: as many moments among the first changes as among all.
            change = int(_LONGEST ** chance.random())
            lost = lost_at(prepared, Path(folder) / "loss", name, change, chance)
            counts += Counter(calls=1, early=lost.early, outcomes=len(PARTS), wrong=bool(lost.wrong))
            if lost.wrong:
                print(f"{name}, after change {change}:", *(f"    {line}" for line in lost.wrong), sep="\n", flush=True)
    told = {"calls": "calls", "early": "of them before their end", "outcomes": "outcomes", "wrong": "calls wrong"}
    print(", ".join(f"{counts[what]:,} {words}" for what, words in told.items()))
    return bool(counts["wrong"])


# Every pair of the commands that write, started at the same moment, and compared with one after the other.
#
#     python tests/benchmarks/disturbances.py pairs [--times 20] [--only NAME]...
#
# Prints a line for each pair that was ever wrong, and the counts at the end; the exit code is 1 if any was.


def pairs_main() -> int:
    """Try the pairs; how the program is to end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", action="append", default=[], choices=CALLS)
    chosen = parser.parse_args()
    pairs = [
        pair for pair in combinations_with_replacement(CALLS, 2) if not chosen.only or set(pair) <= set(chosen.only)
    ]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        prepared = fallen_behind(prepare(Path(name) / "level"), Path(name) / "behind")
        for one, other in pairs:
            verdicts = [together(prepared, Path(name) / "pair", one, other) for _ in range(chosen.times)]
            wrong = [verdict for verdict in verdicts if verdict.wrong]
            counts += Counter(times=len(verdicts), wrong=len(wrong), refused=sum(each.refused for each in verdicts))
            counts["pairs"] += 1
            counts["pairs wrong"] += bool(wrong)
            if wrong:
                print(f"{one} & {other}: {len(wrong)} of {len(verdicts)} wrong, such as", flush=True)
                print(*(f"    {line}" for line in wrong[0].wrong), sep="\n", flush=True)
    print(", ".join(f"{counts[what]:,} {what}" for what in ("pairs", "pairs wrong", "times", "wrong", "refused")))
    return bool(counts["wrong"])


# Many at once, for long: people who decide, imports, a generation, searches and backups on one database.
#
#     python tests/benchmarks/disturbances.py soak [MINUTES] [--backup-seconds 60]
#
# Four people decide and take back, each in a session of their own and as fast as the database lets them, and note each
# decision once it was acknowledged. Every one has to be there at the end, every backup has to pass `check --full`, and
# no process may have said anything but that it is done. The exit code is 1 otherwise.


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


def soak_main() -> int:
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
    run_named({"faults": faults_main, "kills": kills_main, "power": power_main, "pairs": pairs_main, "soak": soak_main})

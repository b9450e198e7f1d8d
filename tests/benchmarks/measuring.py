"""How benchmarks measure: what a command costs, calls beside others, and the pairs of Tatoeba.

    python tests/benchmarks/measuring.py [CALL...]

Prints what one call of the program costs, such as ``--db corpus.db align --lang eng,fra``, with all processes that it
starts: seconds, those of the processor, these in loops of ten million additions, and the peak of memory.
"""

from __future__ import annotations

import ctypes
import gzip
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from grown_corpus import Pair

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
TATOEBA = DATA / "tatoeba"
LANGUAGES = ("fra", "deu", "jpn", "cmn")
PROGRAM = (sys.executable, "-m", "corpusdb")


def run_named(mains: Mapping[str, Callable[[], int | None]]) -> NoReturn:
    """Do what the first argument names, of what there is to do."""
    if len(sys.argv) < 2 or sys.argv[1] not in mains:
        sys.exit(f"usage: {Path(sys.argv[0]).name} {{{','.join(mains)}}} ...")
    sys.exit(mains[sys.argv.pop(1)]())


def read_language(folder: Path, language: str) -> list[Pair]:
    """All pairs of one file of Tatoeba."""
    with gzip.open(folder / f"eng-{language}.tsv.gz", "rt", encoding="utf-8", newline="\n") as lines:
        next(lines)
        cells = (line.rstrip("\n").split("\t") for line in lines)
        return list(dict.fromkeys((one, other) for one, other, *_ in cells))


def additions() -> float:
    """Seconds of the processor that ten million additions take: how fast the machine is now."""
    begun, total = time.process_time(), 0
    for number in range(10_000_000):
        total += number
    return time.process_time() - begun


def processor_time() -> float:
    """Seconds of this process and of the children that ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def in_turn(what: str, calls: Mapping[str, Callable[[], object]], times: int) -> None:
    """Run all calls one after the other, some times, and print the least processor time of each and how it compares."""
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(times):
        for name, call in calls.items():
            begun = processor_time()
            call()
            least[name] = min(least[name], processor_time() - begun)
    ours = next(iter(least.values()))
    for name, seconds in least.items():
        print(f"{what:<44} {name:<24} {seconds:8.3f} {seconds / ours:7.2f}", flush=True)
        what = ""


# What a command costs with all the processes that it starts, also those that outlive it, as Java does for Spark.
#
# On Linux, which says in /proc what each process has.


_SET_CHILD_SUBREAPER = 36
"""Of prctl(2): whose parent ended becomes a child of this process."""
_SECONDS_BETWEEN_LOOKS = 0.5


@dataclass(frozen=True)
class Cost:
    """Of one command."""

    seconds: float
    processor: float
    """Seconds of all processors, in all processes, which other programs disturb less."""
    megabytes: float
    """The peak of all processes together, a page that several share counted once; and of any alone."""
    output: str


def cost_of(command: Sequence[str]) -> Cost:
    """Run a command until all that it started has ended. Raises SystemExit, with what it said, where it fails."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    begun = time.perf_counter()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+", errors="replace") as said:
        process = subprocess.Popen(command, stdout=output, stderr=said, start_new_session=True)
        try:
            with _Watched() as watched:
                seconds, processor = _waited(process, begun)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        output.seek(0)
        said.seek(0)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{said.read()[-2000:]}")
        # Nobody is told what a process took whose parent lets the system bury it, as Spark does with those of Python.
        return Cost(seconds, max(processor, watched.processor), watched.peak, output.read())


def _waited(process: subprocess.Popen[bytes], begun: float) -> tuple[float, float]:
    """Seconds until the command ended, and seconds of processors until all that it started had."""
    seconds = processor = 0.0
    while True:
        try:
            ended, status, usage = os.wait4(-1, 0)
        except ChildProcessError:  # none is left
            return seconds, processor
        if ended == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            seconds = time.perf_counter() - begun
        processor += usage.ru_utime + usage.ru_stime


class _Watched:
    """Looks every now and then at what memory all descendants of this process have, and what time each has taken.

    What the system says of a process that ended is no peak of it: it counts what this process had when it forked.
    """

    def __init__(self) -> None:
        self.peak = 0.0
        self._taken: dict[int, float] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> _Watched:
        self._thread.start()
        return self

    def __exit__(self, *told: object) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def processor(self) -> float:
        """What they have taken by themselves, as it was seen last; what is shorter than a look is not seen."""
        return sum(self._taken.values())

    def _watch(self) -> None:
        while not self._ended.wait(_SECONDS_BETWEEN_LOOKS):
            processes = list(_descendants(os.getpid()))
            self._taken |= {process: seconds for process in processes if (seconds := _processor_seconds(process))}
            together = sum(_megabytes(process, "smaps_rollup", "Pss:") for process in processes)
            alone = max((_megabytes(process, "status", "VmHWM:") for process in processes), default=0.0)
            self.peak = max(self.peak, together, alone)


def _descendants(process: int) -> Iterator[int]:
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (figures := _figures(int(folder.name))):
            children.setdefault(int(figures[1]), []).append(int(folder.name))
    waiting = [process]
    while waiting:
        found = children.get(waiting.pop(), [])
        yield from found
        waiting += found


def _figures(process: int) -> list[str]:
    """What the system says of a process behind its name, from its state on; nothing where it has ended."""
    try:
        # The name of the program, in brackets, may hold anything.
        return Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _processor_seconds(process: int) -> float:
    return sum(map(int, _figures(process)[11:13])) / os.sysconf("SC_CLK_TCK")


def _megabytes(process: int, file: str, name: str) -> float:
    try:
        lines = Path(f"/proc/{process}/{file}").read_text(errors="replace").splitlines()
    except OSError:  # it has ended
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def main() -> None:
    loop = additions()
    cost = cost_of((*PROGRAM, *sys.argv[1:]))
    loops = cost.processor / min(loop, additions())
    print(f"{cost.seconds:.1f} s, {cost.processor:.1f} s of the processor, {loops:.0f} loops, {cost.megabytes:.0f} MB")


if __name__ == "__main__":
    main()

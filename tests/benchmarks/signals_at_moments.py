"""Signals at many moments in the life of a command: what it says, how it ends, and what it leaves behind.

    python tests/benchmarks/signals_at_moments.py [--moments 40] [--seconds 1.5] [--data FILE]

For each command and each of ctrl+c, SIGTERM and SIGHUP, and for these five times within milliseconds, processes are
started and struck at moments spread over the seconds, counted from when they listen. It ends with how many lived
through which part of the time before that, in which Python itself is loading and the program has no say yet.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
COMMANDS: Mapping[str, Sequence[str]] = {
    "help": ("--help",),
    "import": ("import", "new.tsv", "--lang", "eng,fra"),
    "generate": ("generate", "--lang", "eng"),
    "search": ("search", "beer"),
    "backup": ("backup", "copy.db"),
    "export": ("export", "-o", "out.tmx"),
}
GAP_SECONDS = 0.0005
PAIRS = (
    "I'd like a beer, please.\tJe voudrais une bière.\nA beer, please.\tUne bière.\nCan I have a beer?\tUne bière.\n"
    "I'd like a twin, please.\tJe voudrais une chambre.\nA twin, please.\tUne chambre.\n"
)


@dataclass(frozen=True)
class End:
    """How a process ended."""

    code: int
    told: str
    left: tuple[str, ...]
    """Unfinished files beside the database, and files in the folder for temporary ones."""
    printed: bytes = b""

    def fault(self, number: signal.Signals, whole: bytes = b"") -> str:
        """What is wrong with it for one that was struck by this signal, or nothing.

        Where it is known what the command prints as a ``whole``, one that has printed it was done with its work.
        """
        by_signal = 130 if number == signal.SIGINT else -number
        # One that comes when all is done, and Python takes itself apart, may end that.
        if whole and self.printed == whole and self.code == -number and not self.told and not self.left:
            return ""
        if "Traceback" in self.told or self.told.count("\n") > 1:
            return f"told {self.told!r}"
        if self.left:
            return f"left {', '.join(self.left)}"
        if self.code == by_signal and not self.told.startswith("corpusdb: "):
            return f"ended by {number.name} and told {self.told!r}"
        return "" if self.code in (0, by_signal) or (self.code == -number and not self.told) else f"exit {self.code}"


def prepare(folder: Path) -> None:
    """A folder with a database, and a file to be imported."""
    (folder / "old.tsv").write_text(PAIRS, encoding="utf-8")
    (folder / "new.tsv").write_text(PAIRS.replace("beer", "tea").replace("bière", "tisane"), encoding="utf-8")
    command = [sys.executable, "-m", "corpusdb", "--quiet", "import", "old.tsv", "--lang", "eng,fra"]
    subprocess.run(command, cwd=folder, env=environment(folder), check=True, capture_output=True)


def environment(folder: Path) -> dict[str, str]:
    """With a folder for temporary files, and no history of anybody."""
    (folder / "temporary").mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CORPUSDB_")}
    root = str(Path(__file__).resolve().parents[2])
    return kept | {"PYTHONPATH": root, "XDG_STATE_HOME": str(folder / "state"), "TMPDIR": str(folder / "temporary")}


def heard() -> None:
    """In a new process: let it hear every signal, also below a shell that had some ignored, as nohup does."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def wait_until_it_listens(process: subprocess.Popen[bytes], signals: Collection[signal.Signals] = SIGNALS) -> None:
    """Return when the process has a handler for each of these signals, or is over.

    Raises:
        TimeoutError: It has none after a minute.
    """
    status, end = Path(f"/proc/{process.pid}/status"), time.monotonic() + 60
    wanted = sum(1 << (number - 1) for number in signals)
    while process.poll() is None:
        caught = next(line for line in status.read_text().splitlines() if line.startswith("SigCgt:"))
        if int(caught.split()[1], 16) & wanted == wanted:
            return
        if time.monotonic() > end:
            raise TimeoutError("it did not begin to listen")
        time.sleep(0.001)  # a process that only looks takes the core from the one that it waits for


def struck(words: Sequence[str], folder: Path, number: signal.Signals, *, after: float, times: int = 1) -> End:
    """How a command ends that gets a signal some seconds after it began to listen."""
    before = set(folder.iterdir())
    command = [sys.executable, "-m", "corpusdb", "--quiet", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, env=environment(folder), stdout=pipe, stderr=pipe, preexec_fn=heard
    ) as process:
        wait_until_it_listens(process)
        time.sleep(after)
        for _ in range(times):
            process.send_signal(number)
            time.sleep(GAP_SECONDS)
        printed, told = process.communicate(timeout=120)
    new = set(folder.iterdir()) - before
    wanted = {"copy.db", "out.tmx", "state", "corpus.db-wal", "corpus.db-shm"}
    left = [path.name for path in new if path.name not in wanted] + os.listdir(folder / "temporary")
    for path in new:
        if path.name in ("copy.db", "out.tmx"):
            path.unlink()
    return End(process.returncode, told.decode(), tuple(sorted(left)), printed)


def whole_output(words: Sequence[str], folder: Path) -> bytes:
    """What a command prints that no signal strikes."""
    command = [sys.executable, "-m", "corpusdb", "--quiet", *words]
    return subprocess.run(command, cwd=folder, env=environment(folder), check=True, capture_output=True).stdout


def attacks(moments: int, seconds: float) -> Iterator[tuple[str, signal.Signals, float, int]]:
    """Command, signal, moment and how often, for all of them."""
    for name in COMMANDS:
        for number in SIGNALS:
            for moment in range(moments):
                yield name, number, seconds * moment / moments, 1 if moment % 2 else 5


def window(count: int = 200, step: float = 0.0005) -> Counter[str]:
    """How processes end that get ctrl+c before they listen, by the moment in ms; those without a traceback left out."""
    ends: Counter[str] = Counter()
    for number in range(count):
        process = subprocess.Popen(
            [sys.executable, "-m", "corpusdb", "--version"], stdout=-3, stderr=subprocess.PIPE, preexec_fn=heard
        )
        time.sleep(number * step)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()
        if b"Traceback" in told:
            ends[f"{number * step * 1000:.1f}"] += 1
    return ends


def main() -> None:
    parser = argparse.ArgumentParser(description="signals at many moments")
    parser.add_argument("--moments", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1.5)
    options = parser.parse_args()
    faults, ends = 0, Counter[tuple[str, str, int]]()
    for name, number, after, times in attacks(options.moments, options.seconds):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            prepare(folder)
            whole = whole_output(COMMANDS[name], folder) if name == "help" else b""
            end = struck(COMMANDS[name], folder, number, after=after, times=times)
        ends[name, number.name, end.code] += 1
        if fault := end.fault(number, whole):
            faults += 1
            print(f"{name}, {number.name} {times} times after {after:.3f} s: {fault}")
    for (name, kind, code), count in sorted(ends.items()):
        print(f"{name:10}{kind:10}{code:5}{count:5}")
    print(f"{sum(ends.values())} processes, {faults} ended wrongly")
    print(f"tracebacks of Python before the program is there, by ms: {dict(window())}")


if __name__ == "__main__":
    main()

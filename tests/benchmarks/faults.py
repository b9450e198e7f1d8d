"""Every operation of SQLite on files and memory fails once, and from then on, in the commands that write.

    python tests/benchmarks/faults.py [--step 1] [--seed 1] [--only NAME]... [--kind KIND]...

With a step above 1, so many writes, reads and allocations are passed over between two that fail, from a random one on;
there are thousands. Prints what was wrong, a line for each command and kind, and the counts at the end; the exit code
is 1 if anything was.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attacks" / "disturbing"))

from failing import Failing
from injection import KINDS, Injection
from interposed import MEMORY
from workbench import CALLS, prepare

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


def main() -> int:
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


if __name__ == "__main__":
    sys.exit(main())

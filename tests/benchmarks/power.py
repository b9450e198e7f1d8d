"""The power goes at random moments of the commands that write, and any part of what was not synced is there or not.

    python tests/benchmarks/power.py [--losses 100] [--seed 1] [--only NAME]...

Prints what was wrong and the counts at the end; the exit code is 1 if anything was.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attacks" / "disturbing"))

from losing import PARTS, lost_at
from workbench import CALLS, prepare

_LONGEST = 4_000


def main() -> int:
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


if __name__ == "__main__":
    sys.exit(main())

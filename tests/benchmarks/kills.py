"""Every command that writes, killed at random moments and made again: the rows of an undisturbed one, runs as well.

    python tests/benchmarks/kills.py [--kills 300] [--seed 1] [--only NAME]...

Half of the kills are at a random moment, half at a random operation on the files, where each may leave another state.
Prints what was wrong and the counts at the end; the exit code is 1 if anything was.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attacks" / "disturbing"))

from injection import COUNTS, ON_FILES, Injection
from killing import Killed, killed_after, killed_at
from workbench import CALLS, Prepared, copied, fallen_behind, prepare, started


@cache
def operations(prepared: Prepared, folder: Path, name: str) -> int:
    """How many operations on files a call makes."""
    with copied(prepared, folder) as place:
        started(place, CALLS[name], around=Injection(ON_FILES, 0)).ended()
        counts: dict[str, int] = json.loads((place / COUNTS).read_text(encoding="utf-8"))
        return sum(counts.values())


def main() -> int:
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


if __name__ == "__main__":
    sys.exit(main())

"""Every pair of the commands that write, started at the same moment, and compared with one after the other.

    python tests/benchmarks/pairs.py [--times 20] [--only NAME]...

Prints a line for each pair that was ever wrong, and the counts at the end; the exit code is 1 if any was.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from itertools import combinations_with_replacement
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attacks" / "disturbing"))

from pairing import together
from workbench import CALLS, fallen_behind, prepare


def main() -> int:
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


if __name__ == "__main__":
    sys.exit(main())

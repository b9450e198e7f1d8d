"""How fast the place of scores answers: 20 systems, 5 metrics and 2,000 segments with 4 references each.

    python tests/benchmarks/scores_browser.py [--times 5] [--database FILE]

The database is made of words drawn at random, about 20 a segment, and scored, which takes a minute or two; with
--database it is kept in FILE, and used again where it is there. Times are from the key to the drawing of what it
brings, through Textual's pilot. Prints the median, the 95th percentile and the aim of each, in milliseconds, and
whether the 95th percentile is within the aim. Times depend on the machine, and on what else it does.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from browser import Measured, drive, report, settled, timed
from textual.pilot import Pilot

from corpusdb.corpus.formats.scoring_input import Output, read_references
from corpusdb.corpus.store import open_for_reading, open_store
from corpusdb.scoring.queries.metric_names import settings_for
from corpusdb.scoring.queries.score_table import find_table
from corpusdb.scoring.queries.scoring import score_systems
from corpusdb.scoring.queries.scoring_references import references_from_files
from corpusdb.scoring.queries.stored_scores import store_scores
from tui.scoring.segment_screen import SegmentScreen

SYSTEMS, SEGMENTS, REFERENCES, UNITS = 20, 2000, 4, 20
SETTINGS = (
    settings_for("bleu"),
    settings_for("bleu", order=2),
    settings_for("bleu", lowercase=True),
    settings_for("nist"),
    settings_for("mwer"),
)
_VOCABULARY = 5000


def make(database: Path) -> None:
    """Score systems that change more and more words of the first references."""
    rng = random.Random(1)
    words = [f"w{number}" for number in range(_VOCABULARY)]
    weights = [1 / (rank + 1) for rank in range(_VOCABULARY)]

    def changed(text: Sequence[str], share: float) -> list[str]:
        return [rng.choices(words, weights)[0] if rng.random() < share else word for word in text]

    first = [rng.choices(words, weights, k=rng.randint(UNITS // 2, UNITS * 3 // 2)) for _ in range(SEGMENTS)]
    paths = []
    for number in range(REFERENCES):
        path = database.with_name(f"ref{number}.txt")
        lines = (" ".join(changed(text, 0.3 if number else 0.0)) + "\n" for text in first)
        path.write_text("".join(lines), encoding="utf-8")
        paths.append(path)
    sources = [f"source {number}" for number in range(SEGMENTS)]
    references = references_from_files(read_references(paths), paths, sources)
    outputs = [
        Output(f"system-{number}", database, tuple(" ".join(changed(text, 0.2 + number / 50)) for text in first))
        for number in range(SYSTEMS)
    ]
    with open_store(database, create=True) as store:
        store_scores(store, outputs, references, score_systems(outputs, references, SETTINGS))


async def scores(browser: Measured, pilot: Pilot[None]) -> None:
    opened = await timed(browser, pilot, "5")
    report("the place opens", [opened.rows], 300)
    report("the next column", [(await timed(browser, pilot, key)).last for key in ("right", "left") * 5], 50)
    report("sorting", [(await timed(browser, pilot, "s")).rows for _ in range(10)], 50)
    report("the segments of a system", [(await timed(browser, pilot, "enter")).rows], 300)
    report("one segment, the first", [(await timed(browser, pilot, "enter")).rows], 300)
    assert isinstance(browser.screen, SegmentScreen), "no segment was opened"
    moves = [await timed(browser, pilot, "n") for _ in range(100)]
    report("the next segment", [times.rows for times in moves], 50)
    report("    and where its references come from", [times.last for times in moves], 150)
    report("the next match", [(await timed(browser, pilot, "l")).last for _ in range(50)], 50)
    await pilot.press("q", "q", "space", "space", "enter")
    await settled(pilot)
    await pilot.press("q")
    report("all marks of significance", [(await timed(browser, pilot, "b")).last], 60_000)


def table(database: Path, times: int) -> None:
    """The table alone, without a screen."""
    milliseconds = []
    for _ in range(times):
        begun = time.perf_counter()
        with open_for_reading(database) as store:
            assert find_table(store) is not None
        milliseconds.append((time.perf_counter() - begun) * 1000)
    report("the table, read from the file", milliseconds, 300)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", type=Path, help="where it is, or is to be kept")
    parser.add_argument("--times", type=int, default=5, help="how many browsers are started")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder  # the history of whoever runs this stays as it is
        kept = options.database or Path(folder) / "made.db"
        if not kept.exists():
            make(kept)
        database = Path(shutil.copy(kept, Path(folder) / "scores.db"))
        print(f"{'milliseconds':<44} {'median':>9} {'95 %':>9} {'aim':>9}")
        table(database, options.times)
        for _ in range(options.times):
            asyncio.run(drive(database, scores))


if __name__ == "__main__":
    main()

"""Lines that differ in one unit only: a word, or a character of a script without word spaces.

The index of commutations has such pairs too, but only where each of the two units stands in some other slot; and it has
to be built. So the slots of at most one unit are cut anew, of the lines as they are measured.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from corpusdb.analogy.slots import Slots, cut_slots
from corpusdb.arrays import I64
from corpusdb.jobs import Job, Progress
from corpusdb.queries.homogeneity.outlying import lines_to_measure
from corpusdb.store import Store

__all__ = ["LEAST_SHARED", "one_unit_apart"]

LEAST_SHARED: Final = 0.8
"""How much of each line the lines of a group share at least, of its characters: "I like tea." has too little."""
_ANY_LENGTH: Final = 1 << 30


def one_unit_apart(store: Store, language: str, collection: str | None = None) -> Job[list[tuple[str, ...]]]:
    """Groups of lines that are the same but for one unit in the same place, which some of them may lack.

    Those that share most come first. Lines that only differ in case or quotes are one line here. A line can be in
    several groups.
    """
    _, originals, texts = lines_to_measure(store, language, collection)
    first = dict(zip(reversed(texts), reversed(originals), strict=True))
    lines = list(dict.fromkeys(texts))
    yield Progress("cutting slots of one unit", 0, len(lines))
    slots = _shared(cut_slots(lines, 1, _ANY_LENGTH), np.fromiter(map(len, lines), dtype=np.int64, count=len(lines)))
    changes = np.flatnonzero(slots.context[1:] != slots.context[:-1]) + 1
    groups: dict[tuple[int, ...], int] = {}
    for start, stop in pairwise([0, *changes.tolist(), len(slots)]):
        members = tuple(sorted({*slots.sentence[start:stop].tolist()}))
        if len(members) > 1:
            shared = len(lines[slots.sentence[start]]) - int(slots.stop[start] - slots.start[start])
            groups[members] = max(groups.get(members, 0), shared)
    ordered = sorted(groups.items(), key=lambda group: (-group[1], group[0]))
    return [tuple(first[lines[place]] for place in members) for members, _ in ordered]


def _shared(slots: Slots, sizes: I64) -> Slots:
    """The slots whose context is enough of their line, and is that of another slot too, by their contexts."""
    left = sizes[slots.sentence] - (slots.stop - slots.start)
    slots = slots[left >= LEAST_SHARED * sizes[slots.sentence]]
    slots = slots[np.argsort(slots.context, kind="stable")]
    same = slots.context[1:] == slots.context[:-1]
    return slots[np.concatenate([same, [False]]) | np.concatenate([[False], same])] if len(slots) else slots

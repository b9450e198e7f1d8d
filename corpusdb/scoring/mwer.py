"""mWER: word error rate to the closest of several references (Niessen et al. 2000)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64
from corpusdb.base.errors import InputError
from corpusdb.scoring.metric import Details, References, Sequences, UnitMetric, parallel
from corpusdb.scoring.metric_settings import MetricSettings

_LONGEST = 20_000
"""The most units of a text: the time grows as the square, and is some seconds for two of these."""
_CELLS = 1 << 17
"""Cells of the distance table treated at once: pairs times the length of the longest reference."""


def mwer_statistics(hypotheses: Sequences, references: References) -> I64:
    """The edits to the closest reference of each segment, and the length of that reference: shape (segments, 2).

    Edits are insertions, deletions and substitutions of units. Closest is the reference with the fewest edits, and the
    longest of several, so that the rate is the lowest. Rows can be added. Raises InputError unless there is one
    hypothesis for every segment, and for a segment of over 20,000 units.
    """
    distances = edit_distances(hypotheses, references)
    lengths = references.sequences.lengths
    longest = int(lengths.max(initial=0)) + 1
    closest = np.minimum.reduceat(distances * longest + (longest - 1 - lengths), references.firsts[:-1])
    return np.stack([closest // longest, longest - 1 - closest % longest], axis=1)


def mwer_scores(statistics: I64 | F64) -> F64:
    """Edits per unit of the closest references: shape (..., 2) to (...), 0 for equal texts.

    It is 1 for an empty hypothesis and over 1 where there are more edits than units in the reference; a reference
    without units counts as having one.
    """
    scores: F64 = statistics[..., 0] / np.maximum(statistics[..., 1], 1)
    return scores


def edit_distances(hypotheses: Sequences, references: References) -> I64:
    """The Levenshtein distance in units between each reference and the hypothesis of its segment.

    Raises InputError with the number of the segment, from 1, for one that is too long.
    """
    parallel(hypotheses, references)
    segments, sequences = references.segments, references.sequences
    own, theirs = hypotheses.lengths[segments], sequences.lengths
    for pair in np.flatnonzero(np.maximum(own, theirs) > _LONGEST)[:1]:
        units = int(max(own[pair], theirs[pair]))
        reason = f"a text of {units:,} units is too long for edits to be counted; {_LONGEST:,} are the most"
        raise InputError(reason, line=int(segments[pair]) + 1)
    distances = np.maximum(own, theirs)  # right where one of them is empty
    rows = np.lexsort((own, theirs))  # pairs of about one length are treated together
    for batch in _batches(rows[(own[rows] > 0) & (theirs[rows] > 0)], theirs):
        first = _padded(hypotheses, segments[batch])
        second = _padded(sequences, batch)
        columns = np.arange(second.shape[1] + 1)
        row = np.tile(columns, (len(batch), 1))
        for step in range(1, first.shape[1] + 1):
            changed = row[:, :-1] + (second != first[:, step - 1 : step])
            row += 1
            np.minimum(row[:, 1:], changed, out=row[:, 1:])
            # An insertion adds 1 to the cell on the left: the running minimum of what is above the diagonal j.
            row = np.minimum.accumulate(row - columns, axis=1) + columns
            done = np.flatnonzero(own[batch] == step)
            distances[batch[done]] = row[done, theirs[batch[done]]]
    return distances


def _batches(rows: I64, lengths: I64) -> Iterator[I64]:
    """Runs of ``rows``, which are sorted by length, of at most _CELLS cells each."""
    first = 0
    while first < len(rows):
        width = int(lengths[rows[min(first + _CELLS, len(rows)) - 1]]) + 1
        size = max(1, _CELLS // width)
        yield rows[first : first + size]
        first += size


def _padded(sequences: Sequences, rows: I64) -> I64:
    """These texts as a rectangle, one a row; what stands behind the end of a text is arbitrary."""
    starts, lengths = sequences.starts[rows], sequences.lengths[rows]
    places = starts[:, np.newaxis] + np.arange(int(lengths.max()))
    rectangle: I64 = sequences.units[np.minimum(places, len(sequences.units) - 1)]
    return rectangle


class Mwer(UnitMetric):
    """mWER, or mCER where the units are characters."""

    name = "mwer"
    heading = "mWER"
    help = "edits for each word of the closest reference; mCER for each character"
    lower_is_better = True
    decimals = 4

    def statistics(self, hypotheses: Sequences, references: References, settings: MetricSettings) -> I64:
        return mwer_statistics(hypotheses, references)

    def scores(self, statistics: I64 | F64, settings: MetricSettings) -> F64:
        return mwer_scores(statistics)

    def details(self, settings: MetricSettings, statistics: I64 | F64) -> Details:
        edits, length = statistics.tolist()
        return {"edits": edits, "reference_length": length}

    def label(self, settings: MetricSettings) -> str:
        return f"m{settings.unit[0].upper()}ER"


MWER: Final = Mwer()

"""TER, translation edit rate: words inserted, left out, replaced, and runs of words moved, for each of a reference.

Snover et al. (2006), as Tercom and sacrebleu find them: edit distances in a beam around the diagonal, and of the moves
of a run of words to where the reference has it, again and again the one that saves most edits, as long as one does.
The matrices of many pairs of texts, and of all their moves, are filled together, row by row. What cuts texts into words
is sacrebleu, an extra that is imported when the metric is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.errors import InputError, UsageError
from corpusdb.scoring.metric import Details, Measure, Metric, SegmentReferences, check_references
from corpusdb.scoring.metric_settings import NO_SMOOTHING, MetricSettings, Signature

_LONGEST_MOVED: Final = 10
"""Words of a run that is moved."""
_FARTHEST: Final = 50
"""Words that the two places of a run may be apart."""
_BEAM: Final = 25
"""Columns of the matrix on each side of the diagonal."""
_MOST_TRIED: Final = 1000
"""Moves that are tried of one text; of a step that reaches so many none is taken."""
_FAR: Final = 1 << 14
"""What lies outside the beam: more than any number of edits of texts of LONGEST words, and room for as many more."""
LONGEST: Final = 4_000
"""The most words of a text."""
_TOGETHER: Final = 96
"""Pairs whose matrices are filled together."""

_Numbers: TypeAlias = npt.NDArray[np.int16]
_Words: TypeAlias = npt.NDArray[np.int32]
_ONE: Final = np.int16(1)
Pair: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""The words of a hypothesis and of a reference."""


def edits_of(pairs: Sequence[Pair]) -> I64:
    """The edits that make the reference of the hypothesis of each pair; each move of a run of words counts as one.

    Raises ValueError for a text of more than LONGEST words.
    """
    if any(len(words) > LONGEST for pair in pairs for words in pair):
        raise ValueError(f"a text has more than {LONGEST} words")
    found = np.array([len(hypothesis) for hypothesis, _ in pairs], dtype=np.int64)
    both = [number for number, (_, reference) in enumerate(pairs) if reference]
    # Pairs of like lengths together, so that little of the matrices is empty.
    both.sort(key=lambda number: (len(pairs[number][0]), len(pairs[number][1])))
    for first in range(0, len(both), _TOGETHER):
        chosen = both[first : first + _TOGETHER]
        found[chosen] = _Batch.of([pairs[number] for number in chosen]).edits()
    return found


class _Move(NamedTuple):
    """Of two moves that save as many edits the longer one is taken, then the earlier, then the one to the front."""

    length: int
    start: int
    """Of the run in the hypothesis."""
    target: int
    """Where it is put, as counted before it is taken away."""


class _Alignment(NamedTuple):
    """Where each word of the reference is in the hypothesis, and which words of both are no match."""

    places: list[int]
    """Of the last word of the hypothesis up to it; -1 before the first."""
    wrong_there: list[int]
    """How many words of the reference are none before each place, from the first to the end."""
    wrong_here: list[int]
    """The same of the hypothesis."""


@dataclass
class _Batch:
    """Pairs of texts, their words as numbers; what is behind the end of a text is below 0."""

    texts: _Words
    """The hypotheses as they are moved: shape (pairs, words)."""
    lengths: I64
    references: _Words
    reference_lengths: I64
    bounds: tuple[_Numbers, _Numbers]
    """The first column of each row of the matrices in the beam, and the one behind the last: (pairs, words + 1)."""

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> _Batch:
        numbers: dict[str, int] = {}
        texts, references = (
            _padded([[numbers.setdefault(word, len(numbers)) for word in words] for words in side], filler)
            for side, filler in zip(zip(*pairs, strict=True), (-1, -2), strict=True)
        )
        lengths, others = (np.array([len(pair[side]) for pair in pairs], dtype=np.int64) for side in (0, 1))
        ratio = others / np.maximum(lengths, 1)
        beam = np.where(ratio / 2 > _BEAM, np.ceil(ratio / 2 + _BEAM), _BEAM).astype(np.int64)[:, np.newaxis]
        middle = np.floor(np.arange(texts.shape[1] + 1) * ratio[:, np.newaxis]).astype(np.int64)
        low = np.maximum(middle - beam, 0)
        high = np.minimum(middle + beam, others[:, np.newaxis] + 1)
        rows = np.arange(texts.shape[1] + 1)
        high[rows == lengths[:, np.newaxis]] = others + 1
        return cls(texts, lengths, references, others, (low.astype(np.int16), high.astype(np.int16)))

    def edits(self) -> I64:
        moved, tried = np.zeros(len(self.texts), dtype=np.int64), [0] * len(self.texts)
        found = np.zeros(len(self.texts), dtype=np.int64)
        waiting = np.arange(len(self.texts))
        while len(waiting):
            matrices = self._matrices(waiting)
            now = matrices[self.lengths[waiting], self.reference_lengths[waiting], np.arange(len(waiting))]
            found[waiting] = now
            moves: list[list[_Move]] = []
            for place, number in enumerate(waiting.tolist()):
                own, tried[number] = self._moves(number, matrices[..., place], tried[number]) if now[place] else ([], 0)
                moves.append(own if tried[number] < _MOST_TRIED else [])
            waiting = self._move(waiting, matrices, now, moves)
            moved[waiting] += 1
        return found + moved

    def _matrices(self, chosen: I64) -> _Numbers:
        """Of the edit distances of some pairs: shape (words + 1, words of the reference + 1, chosen)."""
        texts, references = (np.ascontiguousarray(each[chosen].T) for each in (self.texts, self.references))
        low, high = (each[chosen].T for each in self.bounds)
        found = np.empty((len(texts) + 1, len(references) + 1, len(chosen)), dtype=np.int16)
        found[0] = np.arange(len(references) + 1)[:, np.newaxis]
        for row, words in enumerate(texts, 1):
            found[row] = _next_row(found[row - 1], words != references, low[row], high[row])
        return found

    def _move(self, chosen: I64, matrices: _Numbers, now: _Numbers, moves: Sequence[Sequence[_Move]]) -> I64:
        """Move what saves most in each of the chosen pairs; those in which something was moved."""
        owners = np.repeat(np.arange(len(chosen)), [len(own) for own in moves])
        if not len(owners):
            return chosen[:0]
        lengths, starts, targets = np.array([each for own in moves for each in own], dtype=np.int64).T
        # Behind what is moved, the words up to the target; from within it, as many as stand there, if there are any.
        places = np.where(targets > starts + lengths, targets - lengths, targets)
        places = np.minimum(places, self.lengths[chosen[owners]] - lengths)
        texts = _moved(self.texts[chosen[owners]], lengths, starts, places)
        saved = now[owners] - self._last_distances(chosen, owners, texts, matrices)
        # The last of each owner: by what is saved, then the longer, the earlier, the one to the front.
        order = np.lexsort((-targets, -starts, lengths, saved, owners))
        best = order[np.append(np.flatnonzero(np.diff(owners[order])), len(order) - 1)]
        best = best[saved[best] > 0]
        taken: I64 = chosen[owners[best]]
        self.texts[taken] = texts[best]
        return taken

    def _last_distances(self, chosen: I64, owners: I64, texts: _Words, matrices: _Numbers) -> _Numbers:
        """The edits of each moved text; the rows of its matrix that it begins with like its owner are those of that."""
        numbers = chosen[owners]
        first = (texts != self.texts[numbers]).argmax(axis=1)
        order = np.argsort(first, kind="stable")
        texts, owners, numbers, first = texts[order], owners[order], numbers[order], first[order]
        lengths, ends = self.lengths[numbers], self.reference_lengths[numbers]
        words, references = np.ascontiguousarray(texts.T), np.ascontiguousarray(self.references[numbers].T)
        low, high = (each[numbers].T for each in self.bounds)
        rows = np.empty((len(references) + 1, len(texts)), dtype=np.int16)
        found = np.empty(len(texts), dtype=np.int16)
        found[order] = matrices[lengths, ends, owners]  # of those that are moved to where they are
        begun = 0
        for row in range(1, len(words) + 1):
            joined = int(np.searchsorted(first, row))  # those that differ in the word of this row, or before it
            rows[:, begun:joined] = matrices[row - 1][:, owners[begun:joined]]
            begun = joined
            if not begun:
                continue
            costs = words[row - 1, :begun] != references[:, :begun]
            rows[:, :begun] = _next_row(rows[:, :begun], costs, low[row, :begun], high[row, :begun])
            done = np.flatnonzero(lengths[:begun] == row)
            found[order[done]] = rows[ends[done], done]
        return found

    def _moves(self, number: int, matrix: _Numbers, tried: int) -> tuple[list[_Move], int]:
        """The different moves to be tried of a pair, and how many were tried then, those that come to the same counted.

        A run is moved where some of its words are no match here, some there, and it does not stand there already.
        """
        ours = self.texts[number, : self.lengths[number]]
        theirs = self.references[number, : self.reference_lengths[number]]
        places, wrong_there, wrong_here = _alignment(matrix, ours, theirs)
        found: dict[_Move, None] = {}
        for start, other, length in _runs(ours, theirs):
            if wrong_here[start + length] == wrong_here[start] or wrong_there[other + length] == wrong_there[other]:
                continue
            if start <= places[other] < start + length:
                continue
            last = -1
            for place in range(other - 1, other + length):
                target = places[place] + 1 if place >= 0 else 0
                if target != last:
                    last = target
                    tried += 1
                    found[_Move(length, start, target)] = None
            if tried >= _MOST_TRIED:
                break
        return list(found), tried


def _padded(rows: Sequence[Sequence[int]], filler: int) -> _Words:
    found = np.full((len(rows), max(map(len, rows))), filler, dtype=np.int32)
    for number, row in enumerate(rows):
        found[number, : len(row)] = row
    return found


def _next_row(before: _Numbers, costs: Bools, low: _Numbers, high: _Numbers) -> _Numbers:
    """A row of some matrices from the one before it, of which the columns from ``low`` to ``high`` are in the beam.

    Rows stand upright, one beside the other: shape (columns, matrices).
    """
    columns = np.arange(len(before), dtype=np.int16)[:, np.newaxis]
    found: _Numbers = before + _ONE
    np.minimum(found[1:], before[:-1] + costs, out=found[1:])
    # Before the beam nothing begins, and what gets behind it leads to nothing. Only where the beam of some matrices
    # begins or ends, and that of others not, is each of them looked at.
    first, last = int(low.min()), int(low.max())
    found[:first] = _FAR
    np.copyto(found[first:last], _FAR, where=columns[first:last] < low)
    # Each column from the one before it, then from the two before these, the four ...: many times as fast as
    # minimum.accumulate, which goes through them one matrix at a time.
    step = 1
    while step < len(found):
        np.minimum(found[step:], found[:-step] + np.int16(step), out=found[step:])
        step *= 2
    first, last = int(high.min()), int(high.max())
    np.copyto(found[first:last], _FAR, where=columns[first:last] >= high)
    found[last:] = _FAR
    return found


def _moved(texts: _Words, lengths: I64, starts: I64, places: I64) -> _Words:
    """Each text with a run moved to a place among the other words."""
    lengths, starts, places = lengths[:, np.newaxis], starts[:, np.newaxis], places[:, np.newaxis]
    at = np.arange(texts.shape[1])
    rest = np.where(at < places, at, at - lengths)
    source = np.where(rest < starts, rest, rest + lengths)
    is_run = (at >= places) & (at < places + lengths)
    return np.take_along_axis(texts, np.where(is_run, starts + at - places, source), axis=1)


def _alignment(distances: _Numbers, ours: _Words, theirs: _Words) -> _Alignment:
    """By the way back through the matrix: a match or another word goes before a word less, that before a word more."""
    matrix = distances.tolist()
    words, others = ours.tolist(), theirs.tolist()
    row, column = len(words), len(others)
    places, wrong_there, wrong_here = [0] * column, [0] * (column + 1), [0] * (row + 1)
    while row or column:
        here = matrix[row][column]
        if row and column and here == matrix[row - 1][column - 1] + (words[row - 1] != others[column - 1]):
            wrong_here[row] = wrong_there[column] = int(words[row - 1] != others[column - 1])
            row, column = row - 1, column - 1
            places[column] = row
        elif row and here == matrix[row - 1][column] + 1:
            wrong_here[row] = 1
            row -= 1
        else:
            wrong_there[column] = 1
            column -= 1
            places[column] = row - 1
    return _Alignment(places, _sums(wrong_there), _sums(wrong_here))


def _sums(numbers: Sequence[int]) -> list[int]:
    total, found = 0, []
    for each in numbers:
        total += each
        found.append(total)
    return found


def _runs(ours: _Words, theirs: _Words) -> Iterator[tuple[int, int, int]]:
    """Where both have the same words in a row: the two places and the length, shorter ones first."""
    starts, others = np.nonzero(ours[:, np.newaxis] == theirs)
    places = list(zip(starts.tolist(), others.tolist(), strict=True))
    same = set(places)
    for start, other in places:
        if abs(start - other) <= _FARTHEST:
            for length in range(1, _LONGEST_MOVED + 1):
                if (start + length - 1, other + length - 1) not in same:
                    break
                yield start, other, length


# The metric, with words as Tercom and sacrebleu cut them.


_MOST_WORDS: Final = 500
"""Of a segment: every run of words is tried in every place."""
_SHOWN: Final = 40
"""Characters of one that has more."""
_SETTINGS: Final = {"norm": "normalised", "punct": "punctuation", "asian": "asian"}
"""What sacrebleu's signatures tell beside what ours have of every metric, and the fields of ours."""


def _of_sacrebleu(settings: MetricSettings, **more: object) -> Any:
    """Its metric. Raises UsageError where sacrebleu is missing, with the command that installs it."""
    # sacrebleu is typed, but not there for everyone who checks the types of this module: hence Any.
    how = (settings.normalised, settings.no_punctuation, settings.asian_support, not settings.lowercase)
    try:
        return import_module("sacrebleu.metrics").TER(*how, **more)
    except ImportError as error:
        raise UsageError("ter needs sacrebleu: pip install 'corpusdb[sacrebleu]'") from error


@dataclass(frozen=True, slots=True)
class TerMeasure(Measure):
    cutter: Any = field(repr=False)
    """sacrebleu's, which puts one space between words."""
    references: Sequence[Sequence[Sequence[str]]] = field(repr=False)
    """The words of those of each segment."""

    def statistics(self, hypotheses: Sequence[str]) -> F64:
        if len(hypotheses) != len(self.counts):
            raise InputError(f"{len(hypotheses)} hypotheses for the references of {len(self.counts)} segments")
        return self.statistics_from(0, hypotheses)

    def statistics_from(self, first: int, hypotheses: Sequence[str]) -> F64:
        """For each segment the edits to the nearest reference, and the mean length of its references in words."""
        words = [_words(self.cutter, text, number, "an output") for number, text in enumerate(hypotheses, first + 1)]
        references = self.references[first : first + len(hypotheses)]
        pairs = [(ours, each) for ours, own in zip(words, references, strict=True) for each in own]
        firsts = np.cumsum([0, *map(len, references[:-1])])
        lengths = [sum(map(len, own)) / len(own) for own in references]
        return np.stack([np.minimum.reduceat(edits_of(pairs), firsts), lengths], axis=1)

    def scores(self, statistics: I64 | F64) -> F64:
        edits, length = statistics[..., 0], statistics[..., 1]
        # Without punctuation a reference may have no word: 100 then, and 0 where the hypothesis has none either.
        scores: F64 = 100 * np.where(length > 0, edits / np.where(length > 0, length, 1), np.sign(edits))
        return scores


def _words(cutter: Any, text: str, segment: int, what: str) -> list[str]:
    """Raises InputError with the number of the segment for a text that would take unbounded time."""
    if len(text) <= _MOST_WORDS or (words := len(text.split())) <= _MOST_WORDS:
        cut: list[str] = cutter(text.rstrip()).split()
        if (words := len(cut)) <= _MOST_WORDS:  # a mark may be a word of its own, or each character
            return cut
    told = f"{what} of segment {segment:,} has {words:,} words, too many for TER; {_MOST_WORDS:,} are the most"
    raise InputError(f"{told}; it begins {text[:_SHOWN]!r}")


class Ter(Metric):
    """TER brings its own units, and takes nothing but ``lowercase`` and how Tercom cuts texts."""

    name = "ter"
    heading = "TER"
    help = "edits per 100 words of the references, with moves of phrases"
    lower_is_better = True
    counts_copies = True
    package = "sacrebleu"
    is_slow = True
    is_of_sacrebleu = True

    def complete(self, asked: MetricSettings) -> MetricSettings:
        return replace(asked, unit="word", order=None, tokenisation=None, smoothing=NO_SMOOTHING)

    def label(self, settings: MetricSettings) -> str:
        return self.heading

    def measure(self, settings: MetricSettings, references: SegmentReferences) -> TerMeasure:
        check_references(references.texts)
        cutter = _of_sacrebleu(settings).tokenizer
        numbered = enumerate(references.texts, 1)
        words = [[_words(cutter, text, number, "a reference") for text in own] for number, own in numbered]
        return TerMeasure(self, settings, references.counts, cutter, words)

    def tokenisation(self, settings: MetricSettings) -> str:
        return f"tercom+sacrebleu-{import_module('sacrebleu').__version__}"

    def details(self, settings: MetricSettings, statistics: I64 | F64) -> Details:
        edits, length = statistics.tolist()
        return {"edits": int(edits), "reference_length": length}

    def signature(self, settings: MetricSettings, counts: Sequence[int], digest: str) -> Signature:
        """With all settings that sacrebleu itself tells, as it has them."""
        # It tells them only where there are references.
        told = _of_sacrebleu(settings, references=[["any"]]).get_signature().info
        values: dict[str, Any] = {name: {True: "yes", False: "no"}[told[key]] for key, name in _SETTINGS.items()}
        return replace(super().signature(settings, counts, digest), **values)


TER: Final = Ter()

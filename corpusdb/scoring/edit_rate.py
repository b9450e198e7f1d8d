"""TER, translation edit rate: words inserted, left out, replaced, and runs of words moved, for each of a reference.

Snover et al. (2006), as Tercom and sacrebleu find them: edit distances in a beam around the diagonal, and of the moves
of a run of words to where the reference has it, again and again the one that saves most edits, as long as one does.
The matrices of many pairs of texts are filled together, row by row; what all their moves save is counted in bits, 64
columns at once. What cuts texts into words is sacrebleu, an extra that is imported when the metric is asked for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.base.arrays import F64, I64, Bools, is_new
from corpusdb.base.errors import InputError
from corpusdb.base.ngrams import joined_ranges
from corpusdb.scoring.metric import Details, Measure, Metric, SegmentReferences, check_references
from corpusdb.scoring.metric_settings import NO_SMOOTHING, SACREBLEU, MetricSettings, Signature

_LONGEST_MOVED: Final = 10
"""Words of a run that is moved."""
_FARTHEST: Final = 50
"""Words that the two places of a run may be apart."""
_BEAM: Final = 25
"""Columns of the matrix on each side of the diagonal."""
_MOST_TRIED: Final = 1000
"""Moves that are tried of one text; of a step that reaches so many none is taken."""
_NARROW: Final = 2 * _BEAM - 2
"""Edits and words that one text has more: no way of so many through a matrix leaves the beam."""
_FAR: Final = 1 << 14
"""What lies outside the beam: more than any number of edits of texts of LONGEST words, and room for as many more."""
LONGEST: Final = 4_000
"""The most words of a text."""
_TOGETHER: Final = 384
"""Pairs whose matrices are filled together, if these have no more numbers than _MOST_CELLS."""
_MOST_CELLS: Final = 1 << 19

_Numbers: TypeAlias = npt.NDArray[np.int16]
_Words: TypeAlias = npt.NDArray[np.int32]
_Bits: TypeAlias = npt.NDArray[np.uint64]
_ONE: Final = np.int16(1)
Pair: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""The words of a hypothesis and of a reference."""


def edits_of(pairs: Sequence[Pair]) -> I64:
    """The edits that make the reference of the hypothesis of each pair; each move of a run of words counts as one.

    Raises ValueError for a text of more than LONGEST words.
    """
    if any(len(words) > LONGEST for pair in pairs for words in pair):
        raise ValueError(f"a text has more than {LONGEST} words")
    found = np.array([max(map(len, pair)) for pair in pairs], dtype=np.int64)
    both = [number for number, pair in enumerate(pairs) if all(pair)]
    # Pairs of like lengths together, so that little of the matrices is empty.
    both.sort(key=lambda number: (len(pairs[number][0]), len(pairs[number][1])))
    if both:
        found[both] = _Pairs.of([pairs[number] for number in both]).edits()
    return found


class _Moves(NamedTuple):
    """Moves that are tried of some pairs, of each pair the shorter ones first, then the later, then those to the back:
    of several that save as many edits the last is taken."""

    owners: I64
    """The pair of each."""
    lengths: I64
    starts: I64
    """Of the run in the hypothesis."""
    targets: I64
    """Where it is put, as counted before it is taken away."""

    def of(self, chosen: I64 | Bools) -> _Moves:
        return _Moves(*(each[chosen] for each in self))

    def last_of_most(self, values: I64) -> I64:
        """Of each pair the last move of the highest value."""
        keys = values * len(values) + np.arange(len(values))
        found: I64 = np.maximum.reduceat(keys, np.flatnonzero(is_new(self.owners))) % len(values)
        return found

    def places(self, texts: I64) -> I64:
        """Where the runs are put among the other words of texts of such lengths."""
        # Behind what is moved, the words up to the target; from within it, as many as stand there, if there are any.
        places = np.where(self.targets > self.starts + self.lengths, self.targets - self.lengths, self.targets)
        found: I64 = np.minimum(places, texts[self.owners] - self.lengths)
        return found


@dataclass
class _Pairs:
    """Pairs of texts, by their lengths, their words as numbers; what is behind the end of a text is below 0."""

    texts: _Words
    """The hypotheses as they are moved: shape (pairs, words)."""
    lengths: I64
    references: _Words
    reference_lengths: I64

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> _Pairs:
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        texts, references = (
            _padded([list(map(numbers.__getitem__, words)) for words in side], filler)
            for side, filler in zip(zip(*pairs, strict=True), (-1, -2), strict=True)
        )
        lengths, others = (np.array([len(pair[side]) for pair in pairs], dtype=np.int64) for side in (0, 1))
        return cls(texts, lengths, references, others)

    def edits(self) -> I64:
        moved, tried, found = np.zeros((3, len(self.texts)), dtype=np.int64)
        waiting = np.arange(len(self.texts))
        while len(waiting):
            # Those of all in which something was moved, so that the last moves of a few are not made one by one.
            waiting = np.concatenate([self._step(part, found, tried) for part in self._parts(waiting)])
            moved[waiting] += 1
        return found + moved

    def _parts(self, waiting: I64) -> Iterator[I64]:
        """Those whose matrices are filled together."""
        begin = 0
        while begin < len(waiting):
            sizes = np.maximum.accumulate(self.lengths[waiting[begin : begin + _TOGETHER]] + 1)
            sizes *= np.maximum.accumulate(self.reference_lengths[waiting[begin : begin + _TOGETHER]] + 1)
            sizes *= np.arange(1, len(sizes) + 1)
            count = max(1, int(np.searchsorted(sizes, _MOST_CELLS, side="right")))
            yield waiting[begin : begin + count]
            begin += count

    def _step(self, chosen: I64, found: I64, tried: I64) -> I64:
        """Note the edits of pairs, and move what saves most; those in which something was moved."""
        # Shape (words + 1, words of the reference + 1, pairs).
        matrices = np.stack(list(self._rows(chosen, self._texts(chosen))))
        edits = matrices[self.lengths[chosen], self.reference_lengths[chosen], np.arange(len(chosen))].astype(np.int64)
        found[chosen] = edits
        unlike = np.flatnonzero(edits)
        return self._move(chosen[unlike], matrices[..., unlike], edits[unlike], tried)

    def _texts(self, chosen: I64) -> _Words:
        return self.texts[chosen, : self.lengths[chosen].max(initial=0)]

    def _references(self, chosen: I64) -> _Words:
        return self.references[chosen, : self.reference_lengths[chosen].max(initial=0)]

    def _rows(self, chosen: I64, texts: _Words) -> Iterator[_Numbers]:
        """Those of the matrices of edit distances in the beam, of texts of some pairs."""
        words, references = np.ascontiguousarray(texts.T), np.ascontiguousarray(self._references(chosen).T)
        low, high = _beam(self.lengths[chosen], self.reference_lengths[chosen], len(words) + 1)
        found = np.repeat(np.arange(len(references) + 1, dtype=np.int16)[:, np.newaxis], len(chosen), axis=1)
        yield found
        for row, own in enumerate(words, 1):
            found = _next_row(found, own != references, low[row], high[row])
            yield found

    def _edits(self, chosen: I64, texts: _Words) -> I64:
        """Those of texts of some pairs in the beam: what stands at the ends of both."""
        found, lengths, ends = np.empty(len(chosen), np.int64), self.lengths[chosen], self.reference_lengths[chosen]
        for row, each in enumerate(self._rows(chosen, texts)):
            done = np.flatnonzero(lengths == row)
            found[done] = each[ends[done], done]
        return found

    def _move(self, chosen: I64, matrices: _Numbers, before: I64, tried: I64) -> I64:
        """Move what saves most of the edits ``before`` in each of the chosen pairs; those in which it was moved."""
        moves = self._moves(chosen, matrices, tried)
        if not len(moves.owners):
            return chosen[:0]
        lengths = self.lengths[chosen]
        now = before[moves.owners]
        edits = self._by_bits(chosen, moves)
        best = moves.last_of_most(now - edits)
        # The beam can only make them more, and not where too few leave the diagonal. So of the best it is asked what
        # they are in the beam; then, where that is another number, of all that might be better.
        unsure = edits + np.abs(lengths - self.reference_lengths[chosen])[moves.owners] > _NARROW
        asked = best[unsure[best] & (edits[best] < now[best])]
        while len(asked):
            without_beam = edits[asked]
            texts = _moved(self._texts(chosen), moves.of(asked), lengths)
            edits[asked] = self._edits(chosen[moves.owners[asked]], texts)
            unsure[asked] = False
            is_other = np.isin(moves.owners, moves.owners[asked[edits[asked] > without_beam]])
            asked = np.flatnonzero(unsure & is_other & (edits < now))
            best = moves.last_of_most(now - edits)
        best = best[edits[best] < now[best]]
        taken: I64 = chosen[moves.owners[best]]
        texts = _moved(self._texts(chosen), moves.of(best), lengths)
        self.texts[taken, : texts.shape[1]] = texts
        return taken

    def _by_bits(self, chosen: I64, moves: _Moves) -> I64:
        """The edits of moved texts without a beam, by rows in which bits say where the next column is more or less by
        one (Myers 1999). The rows that a text begins with like its owner are those of that.
        """
        places, lengths = _places_as_bits(self._texts(chosen), self._references(chosen)), self.lengths[chosen]
        own = np.zeros((places.shape[1] + 1, 2, places.shape[2], len(chosen)), dtype=np.uint64)
        own[0, 0] = ~own[0, 0]
        for row in range(places.shape[1]):
            own[row + 1] = _next_bits(own[row], places[:, row].T)
        first = np.minimum(moves.starts, moves.places(lengths))
        order = np.argsort(first, kind="stable")
        first, moves = first[order], moves.of(order)
        moved = np.ascontiguousarray(_moved(places, moves, lengths).transpose(1, 2, 0))
        steps = np.empty((*own.shape[1:3], len(order)), dtype=np.uint64)
        found = np.empty(len(order), dtype=np.int64)
        begun = 0
        for row, those in enumerate(moved):
            joined = int(np.searchsorted(first, row, side="right"))
            steps[..., begun:joined] = own[row][..., moves.owners[begun:joined]]
            begun = joined
            steps[..., :begun] = _next_bits(steps[..., :begun], those[:, :begun])
            if (lengths == row + 1).any():
                done = np.flatnonzero(lengths[moves.owners[:begun]] == row + 1)
                ends = self.reference_lengths[chosen[moves.owners[done]]]
                found[order[done]] = row + 1 + _last_column(steps[..., done], ends)
        return found

    def _moves(self, chosen: I64, matrices: _Numbers, tried: I64) -> _Moves:
        """The different moves to be tried of each pair; in ``tried`` those that come to the same are counted, too.

        A run is moved where some of its words are no match here, some there, and it does not stand there already.
        """
        texts, references = self._texts(chosen), self._references(chosen)
        places, wrong_there, wrong_here = _alignments(
            matrices, texts, references, (self.lengths[chosen], self.reference_lengths[chosen])
        )
        owners, starts, others, lengths = _runs(texts, references)
        is_tried = wrong_here[owners, starts + lengths] != wrong_here[owners, starts]
        is_tried &= wrong_there[owners, others + lengths] != wrong_there[owners, others]
        there = places[owners, others + 1] - 1
        is_tried &= (there < starts) | (there >= starts + lengths)
        owners, starts, others, lengths = (each[is_tried] for each in (owners, starts, others, lengths))
        # Before the first word of the run in the reference, and behind each of its words.
        runs = np.repeat(np.arange(len(owners)), lengths + 1)
        targets = places[owners[runs], joined_ranges(others, lengths + 1)]
        is_other = is_new(runs)
        is_other[1:] |= targets[1:] != targets[:-1]
        runs, targets = runs[is_other], targets[is_other]
        tried[chosen] += np.bincount(owners[runs], minlength=len(chosen))
        is_tried = (tried[chosen] < _MOST_TRIED)[owners[runs]]
        runs, targets = runs[is_tried], targets[is_tried]
        size = texts.shape[1] + 1
        found = owners[runs], lengths[runs], size - 1 - starts[runs], size - 1 - targets
        sizes = len(chosen), _LONGEST_MOVED + 1, size, size
        owners, lengths, starts, targets = np.unravel_index(np.unique(np.ravel_multi_index(found, sizes)), sizes)
        return _Moves(owners, lengths, size - 1 - starts, size - 1 - targets)


def _padded(rows: Sequence[Sequence[int]], filler: int) -> _Words:
    found = np.full((len(rows), max(map(len, rows))), filler, dtype=np.int32)
    for number, row in enumerate(rows):
        found[number, : len(row)] = row
    return found


def _beam(lengths: I64, ends: I64, rows: int) -> tuple[_Numbers, _Numbers]:
    """The first column of each row of matrices in the beam, and the one behind the last: shape (rows, matrices)."""
    ratio = ends / np.maximum(lengths, 1)
    beam = np.where(ratio / 2 > _BEAM, np.ceil(ratio / 2 + _BEAM), _BEAM).astype(np.int64)
    row = np.arange(rows)[:, np.newaxis]
    middle = np.floor(row * ratio).astype(np.int64)
    high = np.where(row == lengths, ends + 1, np.minimum(middle + beam, ends + 1))
    return np.maximum(middle - beam, 0).astype(np.int16), high.astype(np.int16)


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


def _places_as_bits(texts: _Words, references: _Words) -> _Bits:
    """For each word of each text where its reference has it, by numbers of 64 bits."""
    same = texts[:, :, np.newaxis] == references[:, np.newaxis]
    found = np.zeros((*texts.shape, -(-references.shape[1] // 64) * 8), dtype=np.uint8)
    packed = np.packbits(same, axis=2, bitorder="little")
    found[..., : packed.shape[2]] = packed
    return found.view("<u8").astype(np.uint64)


def _next_bits(steps: _Bits, places: _Bits) -> tuple[_Bits, _Bits]:
    """Where rows go up and down from column to column, from where those before them do: shape (numbers, rows)."""
    ups, downs = steps
    level = (_sums(places & ups, ups) ^ ups) | places
    rises, falls = _shifted(downs | ~(level | ups)), _shifted(ups & level)
    rises[0] |= np.uint64(1)
    level = places | downs
    return falls | ~(level | rises), rises & level


def _sums(ones: _Bits, others: _Bits) -> _Bits:
    found = ones + others
    carried = found[0] < ones[0]
    for one, total in zip(ones[1:], found[1:], strict=True):
        total += carried
        carried = (total < one) | (carried & (total == one))
    return found


def _shifted(bits: _Bits) -> _Bits:
    found = bits << np.uint64(1)
    found[1:] |= bits[:-1] >> np.uint64(63)
    return found


def _last_column(steps: _Bits, ends: I64) -> I64:
    """What rows come to at their ends, as counted from their first column."""
    packed = np.ascontiguousarray(steps.transpose(0, 2, 1), dtype="<u8").view(np.uint8)
    ups, downs = np.unpackbits(packed, axis=2, bitorder="little").view(np.int8)
    inside = np.arange(ups.shape[1]) < ends[:, np.newaxis]
    found: I64 = np.sum(ups - downs, axis=1, where=inside, dtype=np.int64)
    return found


def _moved(texts: npt.NDArray[Any], moves: _Moves, sizes: I64) -> npt.NDArray[Any]:
    """The text of the owner of each move, of texts of such sizes, with the run in its other place."""
    lengths, starts, places = (each[:, np.newaxis] for each in (moves.lengths, moves.starts, moves.places(sizes)))
    at = np.arange(texts.shape[1])
    rest = np.where(at < places, at, at - lengths)
    source = np.where(rest < starts, rest, rest + lengths)
    is_run = (at >= places) & (at < places + lengths)
    return texts[moves.owners[:, np.newaxis], np.where(is_run, starts + at - places, source)]


def _alignments(matrices: _Numbers, texts: _Words, references: _Words, ends: tuple[I64, I64]) -> tuple[I64, I64, I64]:
    """What is where, and which words are no match, by the way back through each matrix: a match or another word goes
    before a word less, that before a word more.

    Behind each word of the reference where its place in the hypothesis ends, and before the first; how many words of
    the reference are no match before each place, and of the hypothesis.
    """
    places, wrong_there = np.zeros((2, len(texts), matrices.shape[1]), dtype=np.int64)
    wrong_here = np.zeros((len(texts), matrices.shape[0]), dtype=np.int64)
    pairs, (row, column) = np.arange(len(texts)), ends
    while len(pairs):
        here = matrices[row, column, pairs]
        across = matrices[row - 1, column - 1, pairs]
        up = matrices[row - 1, column, pairs]
        differ = texts[pairs, row - 1] != references[pairs, column - 1]
        is_both = (row > 0) & (column > 0) & (here == across + differ)
        is_less = ~is_both & (row > 0) & (here == up + 1)
        is_here, is_there, is_wrong = is_both | is_less, ~is_less, differ | ~is_both
        wrong_here[pairs[is_here], row[is_here]] = is_wrong[is_here]
        wrong_there[pairs[is_there], column[is_there]] = is_wrong[is_there]
        places[pairs[is_there], column[is_there]] = row[is_there]
        row, column = row - is_here, column - is_there
        going = (row > 0) | (column > 0)
        pairs, row, column = pairs[going], row[going], column[going]
    return places, np.cumsum(wrong_there, axis=1), np.cumsum(wrong_here, axis=1)


def _runs(texts: _Words, references: _Words) -> tuple[I64, I64, I64, I64]:
    """Where both have the same words in a row: the pair, the two places and the length, shorter ones first."""
    same = np.zeros((texts.shape[1] + 1, references.shape[1] + 1, len(texts)), dtype=np.int8)
    for row in reversed(range(texts.shape[1])):
        is_same = texts[:, row] == references.T
        same[row, :-1] = np.minimum(same[row + 1, 1:] + np.int8(1), _LONGEST_MOVED) * is_same
    starts, others, owners = np.nonzero(same)
    near = np.abs(starts - others) <= _FARTHEST
    starts, others, owners = starts[near], others[near], owners[near]
    lengths = same[starts, others, owners].astype(np.int64)
    one = np.repeat(np.arange(len(starts)), lengths)
    return owners[one], starts[one], others[one], joined_ranges(np.ones_like(lengths), lengths)


# The metric, with words as Tercom and sacrebleu cut them.


_MOST_WORDS: Final = 500
"""Of a segment: every run of words is tried in every place."""
_SHOWN: Final = 40
"""Characters of one that has more."""
_ENTITIES: Final = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_WESTERN: Final = (
    (re.compile(r"([ -&(-+/:-@[-`{-~])"), r" \1 "),
    (re.compile(r"('s )"), r" \1"),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_PUNCTUATION: Final = re.compile(r'[.,?:;!"()]')
_ASIAN_MARKS: Final = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09"
)
_ASIAN_PUNCTUATION: Final = re.compile(f"[{_ASIAN_MARKS}]")
_ASIAN: Final = re.compile(
    f"([\u2e80-\u2eff\u31c0-\u31ef\u3200-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f{_ASIAN_MARKS}])"
)
"""What is a word of its own. Tercom's rules for runs of kana ask for these where a text begins, before which a space
was put."""


def cut_as_tercom(text: str, settings: MetricSettings) -> list[str]:
    """The words of a text, as Tercom cuts it and sacrebleu after it."""
    text = text.rstrip()
    text = text.lower() if settings.lowercase else text
    if settings.normalised:
        text = text.replace("\n-", "").replace("\n", " ")
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
        text = f" {text} "
        for pattern, replacement in _WESTERN:
            text = pattern.sub(replacement, text)
        if settings.asian_support:
            text = _ASIAN.sub(r" \1 ", text)
    if settings.no_punctuation:
        text = _PUNCTUATION.sub("", text)
        if settings.asian_support:
            text = _ASIAN_PUNCTUATION.sub("", text)
    return text.split()


@dataclass(frozen=True, slots=True)
class TerMeasure(Measure):
    references: Sequence[Sequence[Sequence[str]]] = field(repr=False)
    """The words of those of each segment."""

    def statistics(self, hypotheses: Sequence[str]) -> F64:
        if len(hypotheses) != len(self.counts):
            raise InputError(f"{len(hypotheses)} hypotheses for the references of {len(self.counts)} segments")
        return self.statistics_from(0, hypotheses)

    def statistics_from(self, first: int, hypotheses: Sequence[str]) -> F64:
        """For each segment the edits to the nearest reference, and the mean length of its references in words."""
        words = [_words(self.settings, text, number, "an output") for number, text in enumerate(hypotheses, first + 1)]
        references = self.references[first : first + len(hypotheses)]
        pairs = [(ours, each) for ours, own in zip(words, references, strict=True) for each in own]
        firsts = np.cumsum([0, *map(len, references[:-1])])
        lengths = [sum(map(len, own)) / len(own) for own in references]
        return np.stack([np.minimum.reduceat(edits_of(pairs), firsts), lengths], axis=1)

    def statistics_of_scores(self, segments: F64) -> F64 | None:
        """Edits are whole numbers; None where a reference has no word, of which no score tells how many they are."""
        lengths = np.array([sum(map(len, own)) / len(own) for own in self.references])
        if not lengths.all():
            return None
        return np.stack(np.broadcast_arrays(np.rint(segments * lengths / 100), lengths), axis=-1)

    def scores(self, statistics: I64 | F64) -> F64:
        edits, length = statistics[..., 0], statistics[..., 1]
        # Without punctuation a reference may have no word: 100 then, and 0 where the hypothesis has none either.
        scores: F64 = 100 * np.where(length > 0, edits / np.where(length > 0, length, 1), np.sign(edits))
        return scores


def _words(settings: MetricSettings, text: str, segment: int, what: str) -> list[str]:
    """Raises InputError with the number of the segment for a text that would take unbounded time."""
    if len(text) <= _MOST_WORDS or (words := len(text.split())) <= _MOST_WORDS:
        cut = cut_as_tercom(text, settings)
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
    is_slow = True
    is_of_sacrebleu = True

    def complete(self, asked: MetricSettings) -> MetricSettings:
        return replace(asked, unit="word", order=None, tokenisation=None, smoothing=NO_SMOOTHING)

    def label(self, settings: MetricSettings) -> str:
        return self.heading

    def measure(self, settings: MetricSettings, references: SegmentReferences) -> TerMeasure:
        check_references(references.texts)
        numbered = enumerate(references.texts, 1)
        words = [[_words(settings, text, number, "a reference") for text in own] for number, own in numbered]
        return TerMeasure(self, settings, references.counts, words)

    def tokenisation(self, settings: MetricSettings) -> str:
        return f"tercom+sacrebleu-{SACREBLEU}"

    def details(self, settings: MetricSettings, statistics: I64 | F64) -> Details:
        edits, length = statistics.tolist()
        return {"edits": int(edits), "reference_length": length}

    def signature(self, settings: MetricSettings, counts: Sequence[int], digest: str) -> Signature:
        """With all settings that sacrebleu itself tells, as it has them."""
        chosen = settings.normalised, not settings.no_punctuation, settings.asian_support
        norm, punctuation, asian = ("yes" if each else "no" for each in chosen)
        own = super().signature(settings, counts, digest)
        return replace(own, normalised=norm, punctuation=punctuation, asian=asian)


TER: Final = Ter()

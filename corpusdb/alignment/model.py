"""A model of word alignment (Vogel et al. 1996) as arrays: probabilities of words and jumps; to bytes and back.

The threads of alignment: batches are computed in two, and each product of matrices in one.
numpy leaves the interpreter to others while it computes. What comes out, and in which order, does not depend on it,
and there is no other process that could be left behind. The products are small, and several threads for one would
only wait for each other, and add up in another order; numpy has no call for that, but OpenBLAS, which its wheels
bring with them, has.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from corpusdb.alignment.bitext import (
    BOTH_UNKNOWN,
    ONE_UNKNOWN,
    SPECIAL,
    UNSEEN,
    Batch,
    Cooccurrences,
    WordPairs,
    added_up,
)
from corpusdb.base.arrays import F32, F64, I64
from corpusdb.base.errors import InputError

_PREFIXES: Final = ("scipy_openblas", "openblas")
_ENDINGS: Final = ("64_", "")
_WORKERS: Final = 2
_AHEAD: Final = 2
"""Results that may wait to be taken, beside those that are computed: what memory hangs on."""
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Inside the block matrices are multiplied in one thread, wherever numpy's own OpenBLAS does it."""
    found = _library()
    if found is None:
        yield
        return
    get_threads, set_threads = found
    before = get_threads()
    set_threads(1)
    try:
        yield
    finally:
        set_threads(before)


@cache
def _library() -> tuple[ctypes._NamedFuncPointer, ctypes._NamedFuncPointer] | None:
    """The two functions of the library that numpy has loaded; None where there is none that is known."""
    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in sorted(folder.glob("*openblas*")):
            try:
                library = ctypes.CDLL(str(path))
            except OSError:
                continue
            for prefix in _PREFIXES:
                for ending in _ENDINGS:
                    names = [f"{prefix}_{verb}_num_threads{ending}" for verb in ("get", "set")]
                    if all(hasattr(library, name) for name in names):
                        return getattr(library, names[0]), getattr(library, names[1])
    return None


def computed_ahead(function: Callable[[_Item], _Result], items: Iterable[_Item]) -> Generator[_Result, None, None]:
    """The result for each item, in their order. What the function raises is raised where its result would come.

    Where it is closed before the end, what is being computed is waited for, and the rest is not begun.
    """
    waiting: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(_WORKERS) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= _WORKERS + _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


class WordClasses:
    """Classes of the words of two vocabularies, for the pairs of their words."""

    def __init__(self, words: tuple[I64, I64], source: Sequence[str], target: Sequence[str]) -> None:
        """``words``: the source and the target word of each pair; ``source`` and ``target``: the name of the class of
        each word, by their numbers.
        """
        self._words = words
        self._classes = _numbered(source), _numbered(target)
        count = int(self._classes[1].max(initial=0)) + 1
        keys = self._classes[0][self._words[0]] * count + self._classes[1][self._words[1]]
        class_pairs, numbers = np.unique(keys, return_inverse=True)
        self._pairs = numbers.astype(np.int32)
        self._given: tuple[I64, I64] = class_pairs // count, class_pairs % count

    def translations(self, counts: F64, way: int) -> F64:
        """For each pair of words, how probable it would be if the words of a class had the translations of the class.

        ``counts``: how often each pair was seen; ``way``: 0 for the target word given the source word, 1 for the
        other. A class gives its words by their counts: p(e|f) = p(class of e | class of f) p(e | class of e).
        """
        seen = added_up(self._pairs, counts, len(self._given[0]))
        translations = _shares(seen, self._given[way])
        words, classes = self._words[1 - way], self._classes[1 - way]
        of_words = added_up(words, counts, len(classes))
        smoothed: F64 = translations[self._pairs] * _shares(of_words, classes)[words]
        return smoothed

    def attraction(self, counts: F64, doubt: float) -> F64:
        """For each pair of words, how many times as often its classes were seen together as by chance.

        ``doubt``: how many pairs seen by chance are added to all, so that what is rare says little.
        """
        seen = added_up(self._pairs, counts, len(self._given[0]))
        by_chance = np.ones(len(seen)) / max(seen.sum(), np.finfo(np.float64).tiny)
        for given in self._given:
            by_chance *= added_up(given, seen, 1)[given]
        attraction: F64 = ((seen + doubt) / (by_chance + doubt))[self._pairs]
        return attraction


def _shares(counts: F64, groups: I64) -> F64:
    """Each count as a part of the sum of its group; 0 where that is 0."""
    totals = added_up(groups, counts, 1)[groups]
    shares: F64 = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    return shares


def _numbered(names: Sequence[str]) -> I64:
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.fromiter(map(numbers.__getitem__, names), dtype=np.int64, count=len(names))


# The hidden Markov model of word alignment (Vogel et al. 1996), with null words as in Och and Ney (2003).
# The words of one text are generated from left to right; each comes from a word of the other text, the state, or from
# none. A state j follows a state i with a probability that depends on the jump j - i alone; a word that comes from
# none keeps the place of the state before it. Before the first word the place is -1; where that word comes from none,
# its place is the one that the first jump from there has led to, so that -1 is no state of its own.


@dataclass(frozen=True, slots=True)
class Emissions:
    """How probable each word of B texts is, by what it comes from; L words to be generated, J states."""

    states: F32 | F64
    """Given the state: shape (L, B, J), 0 where there is no such state."""
    null: F32 | F64
    """Given that it comes from none: shape (L, B)."""
    lengths: I64
    """Of the texts that are generated: shape (B,)."""
    state_lengths: I64


@dataclass(frozen=True, slots=True)
class Posteriors:
    """How probable it is that a word comes from a state, given both texts; 0 outside of the texts."""

    states: F32 | F64
    """Shape (L, B, J)."""
    null: F32 | F64
    """Shape (L, B)."""


def posteriors(emissions: Emissions, jumps: F64, null: float) -> Posteriors:
    """Forward-backward over a whole batch; the probability of a word that comes from none is ``null``.

    ``jumps``: 2 W + 1 weights, of the jumps -W to W; farther ones have that of the farthest. They are normalised over
    the states that a text has.
    """
    precision: np.dtype[Any] = emissions.states.dtype
    inside = np.arange(len(emissions.null))[:, np.newaxis] < emissions.lengths  # (L, B)
    is_state = np.arange(emissions.states.shape[2]) < emissions.state_lengths[:, np.newaxis]  # (B, J)
    # Behind its end a text goes on with words that every state is certain to give, which changes nothing before it.
    states = np.where(inside[..., np.newaxis], emissions.states, is_state.astype(precision))
    by_null = np.where(inside, null * emissions.null, null).astype(precision)
    weights = _jump_weights(jumps, states.shape[2])
    last = emissions.state_lengths - 1
    leaving = (1 - null) / np.cumsum(weights[1:], axis=1)[:, last].T  # (B, J): normalises the jumps from a state
    begin = weights[0] * is_state / np.cumsum(weights[0])[last][:, np.newaxis]
    steps = weights[1:].astype(precision)
    leaving, begin = leaving.astype(precision), begin.astype(precision)

    arriving, forward, scales = np.empty_like(states), np.empty_like(states), np.empty_like(by_null)
    for at in range(len(states)):
        before = forward[at - 1] if at else begin
        arriving[at] = (before * leaving) @ steps if at else (1 - null) * begin
        here = arriving[at] * states[at] + before * by_null[at][:, np.newaxis]
        scales[at] = here.sum(axis=1)
        np.divide(here, scales[at][:, np.newaxis], out=forward[at])

    backward = np.ones_like(leaving)
    for at in range(len(states) - 1, -1, -1):
        onwards = states[at] * backward / scales[at][:, np.newaxis]
        arriving[at] *= onwards
        backward = (onwards @ steps.T) * leaving + backward * (by_null[at] / scales[at])[:, np.newaxis]
    arriving *= inside[..., np.newaxis]
    return Posteriors(arriving, np.maximum(inside - arriving.sum(axis=2), 0).astype(precision))


def _jump_weights(jumps: F64, states: int) -> F64:
    """The weight of each jump: row 0 from before the first state, row i + 1 from state i, to each state."""
    places = np.arange(states)
    return jumps[_buckets(places - np.arange(-1, states)[:, np.newaxis], len(jumps))]


def _buckets(jumps: I64, count: int) -> I64:
    most = count // 2
    return np.clip(jumps, -most, most) + most


def jump_counts(links: F32 | F64, count: int) -> F64:
    """How often each jump is expected, from how probable links are: shape (B, L, J) to (``count``,).

    Two links of words that follow each other are taken to be independent.
    """
    states = links.shape[2]
    before, after = links[:, :-1].reshape(-1, states), links[:, 1:].reshape(-1, states)
    places = np.arange(states)
    both = before.T @ after
    jumps = _buckets(places - places[:, np.newaxis], count)
    return added_up(jumps.ravel(), both.ravel(), count)


_FLOOR: Final = 1e-7
"""Of the probability of a word, given another that it was never seen with."""
_OF_UNKNOWN: Final = 1e-4
"""Of a word that the model has not: the same from every word that it has."""
_OF_UNKNOWN_FROM_UNKNOWN: Final = 1e-2
_MAGIC: Final = b"corpusdb-alignment-1\n"
_DIGEST: Final = 32


@dataclass(frozen=True, slots=True)
class Vocabularies:
    """The folded words of both languages, by their numbers."""

    source: Mapping[str, int]
    target: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AlignmentDirection:
    """One text as generated from the other: source to target, or target to source."""

    words: F32 | F64
    """How probable a word is given another, for each of the word pairs, and then for the special places."""
    null: F32 | F64
    """How probable each word is when it comes from none; behind the last, a word that is not known."""
    jumps: F64
    """2 W + 1 weights of jumps from -W to W, which add up to 1."""

    @classmethod
    def of(cls, words: F64, null: F64, jumps: F64) -> AlignmentDirection:
        """Without the special places; nothing is quite impossible."""
        special = np.zeros(SPECIAL)
        special[[UNSEEN, ONE_UNKNOWN, BOTH_UNKNOWN]] = _FLOOR, _OF_UNKNOWN, _OF_UNKNOWN_FROM_UNKNOWN
        return cls(
            np.concatenate([np.maximum(words, _FLOOR), special]).astype(np.float32),
            np.maximum(np.append(null, _OF_UNKNOWN), 1e-12).astype(np.float32),
            jumps,
        )


def link_posteriors(
    batch: Batch, cells: Cooccurrences, forward: AlignmentDirection, backward: AlignmentDirection, null: float
) -> tuple[Posteriors, Posteriors]:
    """How probable each link is in both directions: shapes (T, B, S) and (S, B, T).

    ``cells``: the places of the word pairs; ``null``: how probable it is that a word comes from none.
    """
    to_target = Emissions(
        forward.words[cells.places][cells.numbers.transpose(1, 0, 2)],
        forward.null[batch.target.T],
        batch.target_lengths,
        batch.source_lengths,
    )
    to_source = Emissions(
        backward.words[cells.places][cells.numbers.transpose(2, 0, 1)],
        backward.null[batch.source.T],
        batch.source_lengths,
        batch.target_lengths,
    )
    return posteriors(to_target, forward.jumps, null), posteriors(to_source, backward.jumps, null)


@dataclass(frozen=True, slots=True)
class AlignmentModel:
    """What training found: all that is needed to align texts, those that it was trained on or others."""

    vocabularies: Vocabularies
    pairs: WordPairs
    forward: AlignmentDirection
    """The target text as generated from the source text."""
    backward: AlignmentDirection
    null: float

    def posteriors(self, batch: Batch) -> tuple[Posteriors, Posteriors]:
        """As link_posteriors has them, in double precision, of a batch in the numbers of the vocabularies."""
        cells = self.pairs.cells(batch)
        forward, backward = (
            AlignmentDirection(each.words[cells.places].astype(np.float64), each.null.astype(np.float64), each.jumps)
            for each in (self.forward, self.backward)
        )
        own = Cooccurrences(np.arange(len(cells.places), dtype=np.int32), cells.numbers)
        return link_posteriors(batch, own, forward, backward, self.null)

    def to_bytes(self) -> bytes:
        """The model as one value that can be stored; the same model gives the same bytes."""
        arrays = self._arrays()
        head = {
            "null": self.null,
            "source": list(self.vocabularies.source),
            "target": list(self.vocabularies.target),
            "arrays": [[name, array.dtype.str, len(array)] for name, array in arrays.items()],
        }
        first = json.dumps(head, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        packed = zlib.compress(first + b"".join(array.tobytes() for array in arrays.values()), 6)
        return _MAGIC + hashlib.sha256(packed).digest() + packed

    def _arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        # Differences of ascending numbers are small, and pack well.
        arrays: dict[str, np.ndarray[Any, Any]] = {"keys": np.diff(self.pairs.keys, prepend=0).astype("<i8")}
        for name, direction in (("forward", self.forward), ("backward", self.backward)):
            arrays[f"{name}.words"] = direction.words.astype("<f4")
            arrays[f"{name}.null"] = direction.null.astype("<f4")
            arrays[f"{name}.jumps"] = direction.jumps.astype("<f8")
        return arrays

    @classmethod
    def from_bytes(cls, stored: bytes) -> AlignmentModel:
        """The model that to_bytes made. Raises InputError for anything else, and for bytes that were changed."""
        digest, packed = stored[len(_MAGIC) : len(_MAGIC) + _DIGEST], stored[len(_MAGIC) + _DIGEST :]
        if not stored.startswith(_MAGIC):
            raise InputError("the alignment model is of another kind or version")
        if hashlib.sha256(packed).digest() != digest:
            raise InputError("the alignment model is damaged: its digest is another")
        first, _, rest = zlib.decompress(packed).partition(b"\n")
        head = json.loads(first)
        arrays, at = {}, 0
        for name, kind, count in head["arrays"]:
            arrays[name] = np.frombuffer(rest, dtype=np.dtype(kind), count=count, offset=at)
            at += arrays[name].nbytes
        source, target = ({word: number for number, word in enumerate(head[side])} for side in ("source", "target"))
        forward, backward = (
            AlignmentDirection(*(arrays[f"{name}.{part}"] for part in ("words", "null", "jumps")))
            for name in ("forward", "backward")
        )
        pairs = WordPairs(np.cumsum(arrays["keys"]), len(target))
        return cls(Vocabularies(source, target), pairs, forward, backward, head["null"])

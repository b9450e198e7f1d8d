"""Training of both directions of a model of word alignment by agreement, and the links that a model gives.

Liang, Taskar and Klein (2006): in every step of EM what both directions count is the product of their posteriors, so
that each learns what the other finds probable too. First IBM-1 (Brown et al. 1993), then the HMM. Some things are
added, for bitexts of some hundred pairs, in which most words stand once:

- Words begin as more probable translations of each other where they sound alike, and the more so the greater the part
  of their occurrences is that stand together (Dice's coefficient).
- The translations of a word are smoothed by those of all words with the same beginning, in both languages.
- Words are less probable translations of each other where their endings seldom translate each other.
- Jumps begin as more probable the nearer they are to one step forward.

There is no chance in it, and batches are added up in one order: the same bitext gives the same model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np

from corpusdb.alignment.bitext import (
    SPECIAL,
    Batch,
    Bitext,
    Cooccurrences,
    Tokens,
    WordPairs,
    added_up,
    batches_of,
    ending,
    sound_similarities,
    stem,
    vocabulary_of,
)
from corpusdb.alignment.links import Links, PhrasePairs, Symmetrisation, counted_phrases, symmetrised
from corpusdb.alignment.model import (
    AlignmentDirection,
    AlignmentModel,
    Vocabularies,
    WordClasses,
    computed_ahead,
    jump_counts,
    link_posteriors,
    one_blas_thread,
)
from corpusdb.base.arrays import F32, F64, I64, Bools
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.text import MAX_SENTENCE_UNITS

_MOST_CELLS_KEPT: Final = 1 << 26
"""Places of word pairs that are kept between the steps, 4 bytes each; those of further batches are looked up again."""
_LEAST_KEPT: Final = 1e-4
"""A pair of words that is less probable than this in both directions is left out of the model."""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a model is trained.

    The defaults were chosen by the alignment error rate on ten languages of XL-WA (Martelli et al. 2023), development
    and test sets together, 300 to 350 pairs each. What was found on five of them held for the other five.
    """

    ibm1_steps: int = 4
    hmm_steps: int = 3
    null: float = 0.1
    """How probable it is that a word comes from none."""
    widest_jump: int = 15
    """Jumps that are wider count as this one."""
    jump_decay: float = 0.5
    """The first weight of a jump d is exp(-decay |d - 1|)."""
    alike: float = 4.0
    """How much more probable a pair of equal words is at the beginning than one of words that are not alike."""
    stems: tuple[tuple[int, float], ...] = ((4, 30.0), (3, 9.0))
    """Letters in which words of one stem agree, and how many occurrences of a word are added, distributed as the
    translations of its stem are."""
    ending: int = 2
    """Letters in which words of one ending agree; none for no endings."""
    doubt: float = 8.0
    """How many pairs of endings must have been seen to say much."""
    longest: int = MAX_SENTENCE_UNITS
    """Words in a text, beyond which a pair is left out."""


@dataclass
class _Counts:
    """What one step expects to have seen."""

    pairs: F64
    null: tuple[F64, F64]
    jumps: tuple[F64, F64]

    @classmethod
    def none(cls, pairs: int, vocabularies: Vocabularies, jumps: int) -> _Counts:
        null = np.zeros(len(vocabularies.target)), np.zeros(len(vocabularies.source))
        return cls(np.zeros(pairs), null, (np.zeros(jumps), np.zeros(jumps)))


@dataclass(frozen=True, slots=True)
class _Expected:
    """What a batch adds to them."""

    cells: Cooccurrences
    links: F32 | F64
    """How probable each link is in both directions: shape (B, T, S)."""
    null: tuple[F32 | F64, F32 | F64]
    """How probable it is that a word comes from none: shapes (B, T) and (B, S)."""
    jumps: tuple[F64, F64] | None

    def add_to(self, counts: _Counts, batch: Batch) -> None:
        self.cells.add_up(counts.pairs, self.links)
        sides = ((batch.target, batch.target_mask), (batch.source, batch.source_mask))
        for seen, (texts, mask), by_null in zip(counts.null, sides, self.null, strict=True):
            seen += added_up(texts[mask], by_null[mask], len(seen))
        for all_jumps, own in zip(counts.jumps, self.jumps or (), strict=False):
            all_jumps += own


@dataclass
class Training:
    """The training of one bitext, step by step; what it has come to can be saved and taken up again.

    Raises InputError where no pair of the bitext can be trained with.
    """

    bitext: Bitext
    vocabularies: Vocabularies
    settings: TrainingSettings = field(default_factory=TrainingSettings)
    steps: int = 0

    def __post_init__(self) -> None:
        self._batches = list(batches_of(self.bitext, self.settings.longest))
        if not self._batches:
            raise InputError("the bitext has no pair of texts that could be aligned")
        self._pairs = WordPairs.of(self._batches, len(self.vocabularies.target))
        source, target = list(self.vocabularies.source), list(self.vocabularies.target)
        self._given: tuple[I64, I64] = self._pairs.sources, self._pairs.targets
        self._sizes = len(source), len(target)
        self._stems = [
            (WordClasses(self._given, *([stem(word, length) for word in side] for side in (source, target))), weight)
            for length, weight in self.settings.stems
        ]
        sides = ([ending(word, self.settings.ending) for word in side] for side in (source, target))
        self._endings = WordClasses(self._given, *sides) if self.settings.ending else None
        self._cells: dict[int, Cooccurrences] = {}
        self._kept = 0
        alike = sound_similarities(self._pairs, source, target)
        self._directions = self._first((1 + self.settings.alike * alike) * np.sqrt(self._together()))

    @property
    def total(self) -> int:
        return self.settings.ibm1_steps + self.settings.hmm_steps

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """What ``restore`` needs to go on from here, with the same bitext and settings."""
        state: dict[str, np.ndarray[Any, Any]] = {"steps": np.array([self.steps])}
        for name, each in zip(("forward", "backward"), self._directions, strict=True):
            state |= {f"{name}.words": each.words, f"{name}.null": each.null, f"{name}.jumps": each.jumps}
        return state

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from a state. Raises InputError for one of another bitext."""
        directions = tuple(
            AlignmentDirection(*(state[f"{name}.{part}"] for part in ("words", "null", "jumps")))
            for name in ("forward", "backward")
        )
        for ours, theirs in zip(self._directions, directions, strict=True):
            if len(ours.words) != len(theirs.words) or len(ours.null) != len(theirs.null):
                raise InputError("the state is that of another training")
        self._directions, self.steps = (directions[0], directions[1]), int(state["steps"][0])

    def run(self) -> Job[AlignmentModel]:
        """The steps that are left. Stopped between two yields, ``steps`` are done, and another call goes on."""
        while self.steps < self.total:
            yield from self.step()
        return self.model()

    def step(self) -> Job[None]:
        is_hmm = self.steps >= self.settings.ibm1_steps
        counts = _Counts.none(len(self._pairs), self.vocabularies, 2 * self.settings.widest_jump + 1)
        pairs = sum(len(batch.pairs) for batch in self._batches)
        stage = f"training alignment in {self.total} steps, pairs of texts"
        done, total = self.steps * pairs, self.total * pairs
        expected = self._hmm_expected if is_hmm else self._ibm1_expected
        yield Progress(stage, done, total)
        # The sums of several threads in one product of matrices are others than those of one.
        with one_blas_thread(), closing(computed_ahead(expected, range(len(self._batches)))) as found:
            for number, (batch, each) in enumerate(zip(self._batches, found, strict=True)):
                self._keep_cells(number, each.cells)
                each.add_to(counts, batch)
                done += len(batch.pairs)
                yield Progress(stage, done, total)
        self._directions = self._estimated(counts, 0, is_hmm=is_hmm), self._estimated(counts, 1, is_hmm=is_hmm)
        self.steps += 1

    def model(self) -> AlignmentModel:
        """The model as it is now, without the pairs of words that nearly never translate each other."""
        forward, backward = self._directions
        count = len(self._pairs)
        kept = np.maximum(forward.words[:count], backward.words[:count]) >= _LEAST_KEPT
        everything = np.append(kept, np.ones(SPECIAL, dtype=np.bool_))
        return AlignmentModel(
            self.vocabularies,
            WordPairs(self._pairs.keys[kept], self._pairs.target_size),
            AlignmentDirection(forward.words[everything], forward.null, forward.jumps),
            AlignmentDirection(backward.words[everything], backward.null, backward.jumps),
            self.settings.null,
        )

    def _first(self, weights: F64) -> tuple[AlignmentDirection, AlignmentDirection]:
        distances = np.arange(-self.settings.widest_jump, self.settings.widest_jump + 1) - 1
        jumps = np.exp(-self.settings.jump_decay * np.abs(distances))
        made = []
        for given, size, other in zip(self._given, self._sizes, self._sizes[::-1], strict=True):
            words = weights / np.bincount(given, minlength=size)[given]
            made.append(AlignmentDirection.of(words, np.full(other, 1 / other), jumps / jumps.sum()))
        return made[0], made[1]

    def _together(self) -> F64:
        """Dice's coefficient of each pair of words: how often they stand together by how often both stand."""
        together, own, theirs = np.zeros(len(self._pairs)), *map(np.zeros, self._sizes)
        for number, batch in enumerate(self._batches):
            cells = self._cells_of(number)
            self._keep_cells(number, cells)
            cells.add_up(together, np.ones(cells.numbers.shape))
            for seen, texts, mask in (
                (own, batch.source, batch.source_mask),
                (theirs, batch.target, batch.target_mask),
            ):
                seen += np.bincount(texts[mask], minlength=len(seen))
        return np.minimum(1, 2 * together / (own[self._given[0]] + theirs[self._given[1]]))

    def _cells_of(self, number: int) -> Cooccurrences:
        kept = self._cells.get(number)
        return self._pairs.cells(self._batches[number]) if kept is None else kept

    def _keep_cells(self, number: int, cells: Cooccurrences) -> None:
        if number not in self._cells and self._kept + cells.numbers.size <= _MOST_CELLS_KEPT:
            self._kept += cells.numbers.size
            self._cells[number] = cells

    def _ibm1_expected(self, number: int) -> _Expected:
        batch, cells = self._batches[number], self._cells_of(number)
        forward, backward = self._directions
        words, null = cells.of(forward.words), forward.null[batch.target]
        evidence = words.sum(axis=2) + null
        links = words / evidence[:, :, np.newaxis]
        their_words, their_null = cells.of(backward.words), backward.null[batch.source]
        their_evidence = their_words.sum(axis=1) + their_null
        links *= their_words / their_evidence[:, np.newaxis, :]
        return _Expected(cells, links, (null / evidence, their_null / their_evidence), None)

    def _hmm_expected(self, number: int) -> _Expected:
        batch, cells = self._batches[number], self._cells_of(number)
        to_target, to_source = link_posteriors(batch, cells, *self._directions, self.settings.null)
        links = to_target.states.transpose(1, 0, 2) * to_source.states.transpose(1, 2, 0)
        width = 2 * self.settings.widest_jump + 1
        jumps = jump_counts(links, width), jump_counts(links.transpose(0, 2, 1), width)
        return _Expected(cells, links, (to_target.null.T, to_source.null.T), jumps)

    def _estimated(self, counts: _Counts, way: int, *, is_hmm: bool) -> AlignmentDirection:
        """The M-step of one direction: 0 for source to target, 1 for target to source."""
        given = self._given[way]
        smoothed = counts.pairs.copy()
        for stems, weight in self._stems:
            smoothed += weight * stems.translations(counts.pairs, way)
        if self._endings is not None:
            smoothed *= np.sqrt(self._endings.attraction(counts.pairs, self.settings.doubt))
        totals = added_up(given, smoothed, self._sizes[way])
        words = smoothed / np.maximum(totals, np.finfo(np.float64).tiny)[given]
        null, jumps, before = counts.null[way], counts.jumps[way], self._directions[way].jumps
        if is_hmm:
            # What was never seen stays possible, and texts of one word say nothing of jumps.
            jumps = jumps + 1e-6 * jumps.sum() + 1e-6 * before
            jumps = jumps / jumps.sum()
        else:
            jumps = before
        return AlignmentDirection.of(words, null / max(null.sum(), np.finfo(np.float64).tiny), jumps)


def train(
    source: Sequence[Tokens], target: Sequence[Tokens], settings: TrainingSettings | None = None
) -> Job[AlignmentModel]:
    """A model of the texts of two languages, each with its translation at the same place.

    Raises InputError for different numbers of texts, and where no pair of texts could be trained with.
    """
    vocabularies = Vocabularies(vocabulary_of(source), vocabulary_of(target))
    bitext = Bitext.of(source, target, vocabularies.source, vocabularies.target)
    return (yield from Training(bitext, vocabularies, settings or TrainingSettings()).run())


_DECIMALS: Final = 7
_LEAST_AGREED: Final = 0.25
"""How probable a link is at least: chosen as the settings of training are."""


def align(
    model: AlignmentModel,
    source: Sequence[Tokens],
    target: Sequence[Tokens],
    way: Symmetrisation = "grow-diag-final-and",
) -> Job[Links]:
    """The links of each pair of texts, which depend on the model and on that pair alone.

    How probable a link is, is the geometric mean of what it is in both directions, which were trained to agree. In each
    direction a word is linked with the word with which that is most probable, where it is over a quarter. Pairs with
    an empty side, and with one of over MAX_SENTENCE_UNITS words, have no links.
    Raises InputError for different numbers of texts.
    """
    bitext = Bitext.of(source, target, model.vocabularies.source, model.vocabularies.target)
    return (yield from align_bitext(model, bitext, way))


def align_bitext(model: AlignmentModel, bitext: Bitext, way: Symmetrisation = "grow-diag-final-and") -> Job[Links]:
    """What ``align`` gives, for texts in the numbers of the vocabularies of the model."""
    parts: list[tuple[I64, Bools]] = []
    done = 0
    yield Progress("linking, pairs of texts", done, len(bitext))
    linked = partial(_linked, model, way)
    with one_blas_thread(), closing(computed_ahead(linked, batches_of(bitext, MAX_SENTENCE_UNITS))) as found:
        for pairs, links in found:
            parts.append((pairs, links))
            done += len(pairs)
            yield Progress("linking, pairs of texts", done, len(bitext))
    return Links.in_order(parts, len(bitext))


def _linked(model: AlignmentModel, way: Symmetrisation, batch: Batch) -> tuple[I64, Bools]:
    """The numbers of the pairs of a batch, and which words are linked: shape (B, T, S)."""
    to_target, to_source = model.posteriors(batch)
    # Rounded, so that a tie is one whatever other pairs stand in the batch: the order of sums hangs on its width.
    agreed = np.sqrt(to_target.states.transpose(1, 0, 2) * to_source.states.transpose(1, 2, 0)).round(_DECIMALS)
    is_likely = agreed > _LEAST_AGREED
    targets, sources = np.arange(agreed.shape[1]), np.arange(agreed.shape[2])
    forward = is_likely & (sources == agreed.argmax(axis=2)[:, :, np.newaxis])
    backward = is_likely & (targets[:, np.newaxis] == agreed.argmax(axis=1)[:, np.newaxis, :])
    return batch.pairs, symmetrised(forward, backward, way)


def aligned_phrases(
    source: Sequence[Tokens], target: Sequence[Tokens], ways: Sequence[Symmetrisation], longest: int
) -> Job[dict[Symmetrisation, PhrasePairs]]:
    """The phrase pairs of up to ``longest`` words for each kind of links, by a model of these texts alone.

    Raises InputError as ``train`` does.
    """
    model = yield from train(source, target)
    found = {}
    for way in dict.fromkeys(ways):
        links = yield from align(model, source, target, way)
        found[way] = counted_phrases(links, source, target, longest)
    return found

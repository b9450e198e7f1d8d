"""What is studied, the scale of each language, and what a selection of each size is worth beside random ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.char_model_probabilities import Model, measured, model_of, text_bits
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.estimates import paired_randomisation
from corpusdb.base.jobs import Job, Progress
from corpusdb.corpus.queries.sentences import check_collections, collection_names
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, ProfileReferences, references_of
from corpusdb.homogeneity.queries.selecting import Method
from corpusdb.homogeneity.scale import SHARES, Anchors, Statistics, coefficients, crossing

PARTS: Final = ("table", "correlations", "perplexity", "translation")
"""Table 1 and Figure 1, section 3.2, Figure 3, Figure 2 with the confidence."""
METHODS: Final[tuple[Method, ...]] = ("coefficient", "moore-lewis", "cynical")
"""How data is selected, beside random draws."""


@dataclass(frozen=True, slots=True)
class Pool:
    """What is trained on, and for what."""

    collections: tuple[str, ...]
    task: tuple[str, ...] = ()
    """Collections and files; none is sentences held out from the pool."""
    held_out: int = 510
    """So many sentences, where they are held out from the pool."""
    methods: tuple[Method, ...] = ("coefficient", "moore-lewis")
    shares: tuple[float, ...] = SHARES
    draws: int = 5


@dataclass(frozen=True, slots=True)
class TranslationTask:
    """What is translated by systems that are trained on parts of the pool."""

    source: str
    target: str
    systems: tuple[str, ...]
    selected_by: str
    """The language whose coefficients select; the source, unless it has no references."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRequest:
    recipes: Mapping[str, ProfileRecipe]
    """The references of each language."""
    corpus: tuple[str, ...]
    """The collections whose lines and documents are measured."""
    pool: Pool
    bitext: TranslationTask | None = None
    parts: tuple[str, ...] = PARTS
    seed: int = 1


def check_request(request: StudyRequest) -> None:
    """Raise UsageError for what contradicts itself or is unknown, InputError for what is measured by itself.

    Lines that happen to stand in a reference are left out of what is measured; a collection that is one has none left.
    """
    if strange := [part for part in request.parts if part not in PARTS]:
        raise UsageError(f"there is no part {strange[0]!r}, but {', '.join(PARTS)}")
    if strange := [method for method in request.pool.methods if method not in METHODS]:
        raise UsageError(f"there is no method {strange[0]!r} here, but {', '.join(METHODS)}")
    for share in request.pool.shares:
        if not 0 < share <= 1:
            raise InputError(f"a share of {100 * share:.6g} % is not above 0 and at most 100 %")
    if 1.0 not in request.pool.shares:
        raise UsageError("100 % is missing from the shares: all data are what the others are compared with")
    references = {name for recipe in request.recipes.values() for name in (*recipe.spoken, *recipe.written)}
    for what, names in (
        ("measured", request.corpus),
        ("trained on", request.pool.collections),
        ("the task", request.pool.task),
    ):
        if both := [name for name in names if name in references]:
            raise InputError(f"{both[0]!r} is a reference and {what}; references must not overlap what is measured")
    if both := [name for name in request.pool.task if name in request.pool.collections]:
        raise InputError(f"{both[0]!r} is the task and trained on")
    if "translation" in request.parts and request.bitext is None:
        raise UsageError("the part translation needs two languages: --from LANG --to LANG")
    if request.bitext is not None and request.bitext.selected_by not in request.recipes:
        known = ", ".join(request.recipes)
        raise UsageError(f"no references are given in {request.bitext.selected_by}, but in {known}")


def corpus_of(
    store: Store, given: Sequence[str], recipes: Mapping[str, ProfileRecipe], task: Sequence[str]
) -> tuple[str, ...]:
    """The collections that are measured: those given, else all that are in no reference and not the task.

    Raises InputError for a collection that there is not, and where none is left.
    """
    check_collections(store, given)
    used = {name for recipe in recipes.values() for name in (*recipe.spoken, *recipe.written)} | {*task}
    found = tuple(given) or tuple(name for name in collection_names(store) if name not in used)
    if not found:
        raise InputError("every collection is a reference or the task, so that there is none to measure")
    return found


@dataclass(frozen=True)
class Scale:
    """The references of one language, and what texts cost under their models."""

    language: str
    references: ProfileReferences

    @cached_property
    def anchors(self) -> Anchors:
        """Raises InputError where the references span no scale."""
        return self.references.anchors()

    @cached_property
    def models(self) -> list[Model]:
        """Of the spoken and of the written reference."""
        return [model_of(counts, self.references.smoothing) for counts in self.references.counts]

    def statistics(self, texts: Sequence[str]) -> Statistics:
        bits = text_bits(self.models, texts)
        return Statistics(bits.characters, bits.bits[0], bits.bits[1])

    def coefficient(self, texts: Sequence[str]) -> float | None:
        """Of all texts together; None where it is not defined."""
        value = float(coefficients(self.statistics(texts).total(), self.anchors).values[0])
        return None if value != value else value

    def measuring(self, texts: Sequence[str]) -> Job[Statistics]:
        parts = []
        stage = f"measuring texts in {self.language}"
        for start, part in measured(self.models, texts):
            yield Progress(stage, start, len(texts))
            parts.append(Statistics(part.characters, part.bits[0], part.bits[1]))
        return Statistics(
            np.concatenate([part.characters for part in parts]),
            np.concatenate([part.bits1 for part in parts]),
            np.concatenate([part.bits2 for part in parts]),
        )


def scale_of(store: Store, language: str, recipe: ProfileRecipe) -> Job[Scale]:
    """The scale between the references of a recipe. Raises InputError where they are missing or span none."""
    yield Progress(f"reading the references in {language}", 0, 0)
    return Scale(language, references_of(store, language, recipe))


# What Denoual (2005) prints, to stand beside the figures of other data.
# His corpus is the Basic Travel Expression Corpus, 197 phrasebooks in Japanese and English of 824 lines on average;
# his task 510 Japanese sentences; his translator HPATR, based on examples and grammars, from Japanese to English.


@dataclass(frozen=True, slots=True)
class PublishedSpread:
    """A cell of Table 1."""

    mean: float
    sd: float


PAPER_TABLE_1: Final[Mapping[str, Mapping[str, PublishedSpread]]] = {
    "document": {"jpn": PublishedSpread(0.330, 0.020), "eng": PublishedSpread(0.288, 0.027)},
    "line": {"jpn": PublishedSpread(0.315, 0.118), "eng": PublishedSpread(0.313, 0.156)},
}
"""Coefficients by level and language; the documents are phrasebooks."""
PAPER_DOCUMENTS: Final = 197

PAPER_CORRELATIONS: Final[Mapping[str, float]] = {"lines": 0.178, "line length": 0.278, "other language": 0.781}
"""Section 3.2: of the coefficients of documents with each of these; the language of the first two is not said."""

PAPER_TASK: Final = 0.331
"""The coefficient of the task, in Japanese (section 4.1)."""

PAPER_BETTER_UP_TO: Final[Mapping[str, float]] = {"perplexity": 0.15, "bleu": 0.03, "nist": 0.18, "mwer": 0.02}
"""The share of the corpus up to which homogeneous data were better than random data (sections 4.1.1 and 4.1.2)."""

PAPER_SHARE_COMPARED: Final = 0.5
PAPER_CONFIDENCE: Final[Mapping[str, float]] = {"bleu": 0.8849, "nist": 0.999, "mwer": 0.7324}
"""With which random data were better at PAPER_SHARE_COMPARED, over 510 paired scores of sentences (section 4.1.2)."""


# How sure it is that the scores of sentences differ, which two systems gave for the same sentences.
# Denoual 2005, section 4.1.2, makes a "mean comparison of the 510 paired score values assigned to sentences". Here
# that is a randomisation of signs. The confidence is 1 - p, two-sided. It is about one draw of training data and the
# next test set; what another draw would change, the same of each draw tells.


TRIALS: Final = 10_000


@dataclass(frozen=True, slots=True)
class PairedConfidence:
    """Scores of the same sentences by two systems."""

    measure: str
    sentences: int
    ties: int
    """Sentences that have the same score by both."""
    random: float
    """The mean of the first system's."""
    selected: float
    difference: float
    """The first system's less the second's."""
    t: float | None
    """Of the paired t-test; None where all differences are equal."""
    confidence: float
    """1 - p of the randomisation, 0 to 1, two-sided."""


def paired_confidence(measure: str, random: F64, selected: F64, *, seed: int) -> PairedConfidence:
    """Compare the scores of each sentence: shape (sentences)."""
    differences = random - selected
    sd = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    rows = np.stack([selected, random])[:, :, np.newaxis]
    compared = paired_randomisation(
        rows, lambda sums: sums[..., 0] / len(differences), baseline=0, samples=TRIALS, seed=seed
    )[1]
    return PairedConfidence(
        measure=measure,
        sentences=len(differences),
        ties=int(np.count_nonzero(differences == 0)),
        random=float(random.mean()),
        selected=float(selected.mean()),
        difference=float(differences.mean()),
        t=float(differences.mean() / (sd / len(differences) ** 0.5)) if sd > 0 else None,
        confidence=1 - compared.p_value,
    )


# What a selection of each size is worth beside random ones, and where the two curves cross (Denoual 2005, section 4).
# "Better" means lower for perplexity and mWER, higher for BLEU and NIST.


_LEAST_DRAWS: Final = 2
"""Fewer have no spread."""


@dataclass(frozen=True, slots=True)
class SelectionCurve:
    """One measure of models or translators of several amounts of data, chosen by one method."""

    measure: str
    """perplexity, bleu, nist or mwer."""
    method: str
    """How the data was selected; ``random`` for draws at random, of which ``values`` are the means."""
    shares: tuple[float, ...]
    """Of the characters of the pool, ascending, above 0 and at most 1."""
    values: tuple[float, ...]
    """One for each share; of a method that was not asked for all of them, for the first ones."""
    draws: tuple[tuple[float, ...], ...] = ()
    """Of random draws: the values of each, one for each share."""

    @property
    def sd(self) -> tuple[float | None, ...]:
        """The standard deviation of the draws at each share, with n - 1; None where there are fewer than two."""
        if len(self.draws) < _LEAST_DRAWS:
            return (None,) * len(self.values)
        rows = zip(*self.draws, self.values, strict=True)
        return tuple((sum((each - mean) ** 2 for each in own) / (len(own) - 1)) ** 0.5 for *own, mean in rows)


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where a method ceases to be better than random data, before all data, which are the same for both."""

    measure: str
    method: str
    share: float | None
    """Against the mean of the draws: the last such share, interpolated; None where there is none."""
    beyond_draws: float | None
    """The same against the best draw at each share: up to there it is no matter of the draw."""
    of_draws: tuple[float | None, ...]
    """Against each draw by itself."""
    compared: tuple[float, ...]
    """The shares at which there is a value of the method, but for all data."""
    better_at: tuple[float, ...]
    """Those at which the method is better than the mean of the draws."""
    better_than_all_at: tuple[float, ...]
    """Those at which it is better than every draw."""

    @property
    def verdict(self) -> str:
        """In words."""
        if not self.better_at:
            return "none: random data are as good or better at every amount"
        if self.better_at == self.compared:
            return f"none: the method is better at every amount{self._beyond}"
        if self.better_at[-1] == self.compared[-1]:
            worse = max(place for place, share in enumerate(self.compared) if share not in self.better_at)
            found = "none:" if self.share is None else f"at {100 * self.share:.1f} %, but"
            return f"{found} the method is better from {100 * self.compared[worse + 1]:g} % on{self._beyond}"
        if self.share is None:
            raise RuntimeError("a curve that was lower and is not has no crossing")
        return f"at {100 * self.share:.1f} %{self._beyond}"

    @property
    def _beyond(self) -> str:
        if len(self.of_draws) < _LEAST_DRAWS:
            return ""
        if not self.better_than_all_at:
            return ", within the spread of the draws"
        if self.better_than_all_at == self.better_at:
            return ", beyond the spread of the draws"
        at = ", ".join(f"{100 * share:g}" for share in self.better_than_all_at)
        return f", beyond the spread of the draws at {at} %"


def crossing_of(selected: SelectionCurve, random: SelectionCurve, *, lower_is_better: bool) -> Crossing:
    """Where the curve of a method crosses that of random draws of the same shares."""
    shares = tuple(share for share in random.shares[: len(selected.values)] if share < 1)
    sign = 1.0 if lower_is_better else -1.0
    ours, mean, *draws = (
        [sign * value for value in values[: len(shares)]] for values in (selected.values, random.values, *random.draws)
    )
    best = [min(row) for row in zip(*draws, strict=True)] if draws else mean
    return Crossing(
        measure=selected.measure,
        method=selected.method,
        share=crossing(shares, ours, mean),
        beyond_draws=crossing(shares, ours, best),
        of_draws=tuple(crossing(shares, ours, draw) for draw in draws),
        compared=shares,
        better_at=_where_lower(shares, ours, mean),
        better_than_all_at=_where_lower(shares, ours, best),
    )


def _where_lower(shares: Sequence[float], first: Sequence[float], second: Sequence[float]) -> tuple[float, ...]:
    return tuple(share for share, one, other in zip(shares, first, second, strict=True) if one < other)

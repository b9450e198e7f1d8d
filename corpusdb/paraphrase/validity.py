"""The probability that a paraphrase holds, learned from the corpus's own sharing of translations.

A logistic model q = s(w . f), whose features f are held within the range in which it was learned. That two sentences
share a translation is seen with the probability a r q, where r is how probable it would be if they meant the same,
and a < 1 because r is read off sentences that are translated often. No judgement of a person is needed.

What the corpus teaches so is blind where the languages of its translations are, and shy where the wording is far from
the seed's: two good translations seldom share a literal one. How far its figures can be trusted, with what the
translations of the seed say (``witnesses``), was learned once from pairs that were read, and is shipped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.estimates import LogisticModel, log_odds
from corpusdb.base.text import unmarked_by
from corpusdb.corpus.orders import ONE_PIVOT, REPLACES, STANDS, SURELY_STANDS
from corpusdb.paraphrase.exchange_index import (
    DERIVATION_FEATURES,
    EXCHANGE_FEATURES,
    PARTED_FEATURES,
    Derived,
    ExchangeEvidence,
    ExchangeIndex,
    RegionsAlone,
    Sharing,
    features,
    most_probable,
    parted_features,
)
from corpusdb.paraphrase.known import Known
from corpusdb.paraphrase.logistic import (
    FOLDS,
    NOT_CALIBRATED,
    BoostedModel,
    Calibration,
    Labelled,
    calibrate,
    fit,
    fit_folds,
)
from corpusdb.paraphrase.marking import TOLD_BY_WORDS
from corpusdb.paraphrase.pair_differences import (
    FRAMED,
    POLITE,
    TURNED,
    PairDifferences,
    trifles_of_pairs,
)
from corpusdb.paraphrase.witnesses import TESTIMONY
from corpusdb.paraphrase.word_model import SAID_BY_WORDS, SaidByWords

LEAST_LABELLED: Final = 1_000
"""With fewer labelled pairs, a model says less than one that was fitted to another corpus."""
_ODDS_OF_SHARING: Final = 5.0
"""What sharing a translation in one language multiplies the odds by that a language which objects leaves."""
_ODDS_OF_MORE: Final = 8.0
"""Each further language multiplies them by this."""


def with_sharing(probability: F64, languages: I64) -> F64:
    """What an objection leaves of pairs, given in how many languages they share a translation; 0 changes nothing."""
    factor = np.where(languages > 0, _ODDS_OF_SHARING * _ODDS_OF_MORE ** (languages - 1.0), 1.0)
    return np.asarray(factor * probability / (1 - probability + factor * probability))


# How probable it is that a pair holds, by pairs that were read.


# What the models that are shipped are of, besides the features that the corpus teaches by.
READ_FEATURES: Final = (
    "log odds",
    *PARTED_FEATURES,
    "shares a translation",
    "in several languages",
    *TESTIMONY,
    *SAID_BY_WORDS,
)
_STANDS, _STANDS_THROUGH_ONE = (0.88, 0.92), (0.95, 0.97)
"""So probably are those sentences of which half and a quarter of N will do: of 140 that were kept last, by asking no
more than this, 99 % are, and 98 % hold (tests/readings, english-32). Through one language that does not see all more is
asked, since which words agree is not learned from English: of 40 French ones that were kept by the former alone 3 are
no sentences."""
_THROUGH_ONE: Final = 0.98
"""What one language leaves that does not see all of what was learned where others do: of French and German pairs that
share a translation and had 0.95 to 0.96 with 0.99 of it 9 of 35 were wrong, of those above 5 of 142 (tests/readings,
french-4 and german-4)."""
_BESIDE_BOTH: Final = frozenset({"fra"})
"""Where what exchanges make is believed beside two neighbours that they are known by alone: if 40 pairs show one
elsewhere, 4 of 10 French ones do not hold (il me faut, je dois), and none of 60 German ones (tests/readings)."""
_READ_AT_ONCE: Final = 20_000
_FEATURE_DIGITS: Final = 3


def read_features(parted: F64, figures: F64, learned: F64, known: Known) -> F64:
    """``figures`` with READ_FEATURES: pairs by features.

    ``parted``: pairs by PARTED_FEATURES. ``learned`` is the probability that the corpus teaches. All are rounded, since
    trees ask whether they are above a threshold, and the last bits of a sum must not answer.
    """
    shares = np.stack([known.languages > 0, known.languages > 1], axis=1)
    odds, words = log_odds(learned)[:, np.newaxis], known.words.features
    return np.round(np.concatenate([figures, odds, parted, shares, known.testimony, words], axis=1), _FEATURE_DIGITS)


_Learned: TypeAlias = Callable[[ExchangeEvidence, I64], tuple[F64, F64]]
"""What gives the features of pairs that the corpus teaches by, and the probability that it teaches, by their evidence
and their places."""


def _read(model: BoostedModel, evidence: ExchangeEvidence, pair: I64, known: Known, learned: _Learned) -> F64:
    """The probability that pairs hold, some at a time, since all features of all pairs take much memory.

    ``pair``: the place that each entry of ``evidence`` has in what is known.
    """
    found = np.empty(len(pair))
    for begin in range(0, len(pair), _READ_AT_ONCE):
        some = slice(begin, begin + _READ_AT_ONCE)
        part = evidence.of(some)
        features = read_features(parted_features(part), *learned(part, pair[some]), known.of(pair[some]))
        found[some] = model.probability(features)
    return found


# The two models of validity: of pairs with analogies behind them, and of pairs of which only the exchange is known.


_LEAST_SHARED: Final = 2
"""An exchange that fewer pairs share a translation for is no evidence for a sentence with unseen sequences."""
_MANY: Final = 40
"""Pairs that share a translation: so many show an exchange that holds whatever stands beside it."""
_SOME: Final = 10
"""The same of one that some of them show behind what stands before it, which agrees with it in gender."""
_SHOWN_DIGITS: Final = 4
"""Of a probability, so that the last bits of a sum do not show."""
_MIXERS: Final = (0x9E3779B1, 0x85EBCA77)
_NO_FOLD: Final = -1
"""That of a pair the models were not fitted to."""


@dataclass(frozen=True, slots=True)
class ValidityModels:
    """Fitted to a database, or shipped."""

    derived: LogisticModel
    """Of EXCHANGE_FEATURES and DERIVATION_FEATURES."""
    plain: LogisticModel
    """Of EXCHANGE_FEATURES alone."""
    folds: tuple[LogisticModel, ...] = ()
    """For the labelled pairs: ``derived`` without those of each fold."""
    labelled: int = 0
    """How many pairs they were fitted to; 0 for the shipped ones."""
    calibration: Calibration = NOT_CALIBRATED
    """By the judgements of people, if there are enough."""
    pivots: tuple[str, ...] = ()
    """The languages of the translations."""
    unseen: tuple[str, ...] = ()
    """What the one pivot language does not mark, in words; nothing where there are several."""
    language: str = ""
    """What they judge pairs of; of some languages pairs through one were read."""

    def of_candidates(
        self, evidence: ExchangeEvidence, pairs: PairDifferences, labelled: Bools, *told: Known
    ) -> list[F64]:
        """The probability that each generated pair holds, for each of what may be known of them.

        Of a pair that the models were fitted to, by the model that has not seen it.
        """
        derived = _derived(pairs)
        fold = np.where(labelled, fold_of(pairs.seed, pairs.other), _NO_FOLD)

        def learned(found: ExchangeEvidence, pair: I64) -> tuple[F64, F64]:
            figures = features(found, derived[pair])
            return figures, self._of_derived(figures, fold[pair])

        model = READ_THROUGH_ONE[self.language] if self._is_read else READ.derived

        def read(known: Known, found: ExchangeEvidence, pair: I64) -> F64:
            return _read(model, found, pair, known, learned)

        return [known.bounded(_bounded(evidence, known.languages, partial(read, known))) for known in told]

    @property
    def exchanges(self) -> bool:
        """Whether some of what only exchanges make is believed though one language does not see all."""
        return bool(self.unseen) and self.language in EXCHANGED_THROUGH_ONE

    @property
    def _is_read(self) -> bool:
        return bool(self.unseen) and self.language in READ_THROUGH_ONE

    def _of_derived(self, figures: F64, fold: I64) -> F64:
        found = self.derived.probability(figures)
        for number, model in enumerate(self.folds):
            found[fold == number] = model.probability(figures[fold == number])
        return found

    def _of_plain(self, evidence: ExchangeEvidence, _: I64) -> tuple[F64, F64]:
        figures = features(evidence)
        return figures, self.plain.probability(figures)

    def of_pairs(
        self, evidence: ExchangeEvidence, known: Known, *, detected: bool = False, framed: I64 | None = None
    ) -> F64:
        """The probability that pairs hold for which no analogy speaks; ``detected``: they share a translation.

        ``framed``: FRAMED or TURNED for those of the others that a frame makes; None: no one.
        """
        kinds = np.zeros(len(known.trifle), dtype=np.int64) if framed is None else framed
        models = (0, READ.detected if detected else READ.plain), (FRAMED, READ.framed), (TURNED, READ.turned)

        def read(found: ExchangeEvidence, pair: I64) -> F64:
            said = np.empty(len(pair))
            for kind, model in models:
                at = np.flatnonzero(kinds[pair] == kind)
                said[at] = _read(model, found.of(at), pair[at], known, self._of_plain)
            return said if detected else np.where(kinds[pair] == 0, known.as_exchanged(said, pair), said)

        moved = known._replace(trifle=np.where((kinds > 0) & (known.trifle == POLITE), 0, known.trifle))
        return moved.bounded(_bounded(evidence, known.languages, read))

    def support(self, evidence: ExchangeEvidence, known: Known, vouched: Bools, holds: F64 | float = 0.0) -> I64:
        """Why fewer than N will do, as a ``Finding`` has it; ``vouched``: of which pairs, since they only replace.

        ``holds``: how probably pairs hold, where what is no sentence does not. What makes a sentence is not known
        without a word model.
        """
        stands = _read(READ.sentence, evidence, np.arange(len(evidence.pairs)), known, self._of_plain)
        stands = np.where(np.isnan(known.words.gain), 0.0, np.maximum(stands, holds))
        probably, surely = _STANDS_THROUGH_ONE if self.unseen else _STANDS
        whole = np.where(stands >= surely, SURELY_STANDS, np.where(stands >= probably, STANDS, 0))
        return np.asarray(whole + REPLACES * vouched)

    def learned(self, evidence: ExchangeEvidence, pairs: PairDifferences, *, derived: bool) -> F64:
        """The probability that the corpus teaches by its own sharing of translations, before what readers said."""
        if derived:
            return self.derived.probability(features(evidence, _derived(pairs)))
        return self._of_plain(evidence, pairs.row)[1]

    def document(self) -> dict[str, Any]:
        return {
            "features": [*EXCHANGE_FEATURES, *DERIVATION_FEATURES],
            "derived": self.derived.document(),
            "plain": self.plain.document(),
            "folds": [model.document() for model in self.folds],
            "labelled": self.labelled,
            "calibration": self.calibration.document(),
            "pivots": list(self.pivots),
            "unseen": list(self.unseen),
            "language": self.language,
        }

    @classmethod
    def read(cls, document: dict[str, Any]) -> ValidityModels:
        """Those of a document; the shipped ones for one of an older version, which had other features.

        The layer of validity is then made again by the next `generate`.
        """
        if document["features"] != [*EXCHANGE_FEATURES, *DERIVATION_FEATURES] or "least" not in document["plain"]:
            return SHIPPED
        return cls(
            LogisticModel.read(document["derived"]),
            LogisticModel.read(document["plain"]),
            tuple(map(LogisticModel.read, document["folds"])),
            document["labelled"],
            Calibration(**document["calibration"]),
            tuple(document.get("pivots", ())),
            tuple(document.get("unseen", ())),
            document.get("language", ""),
        )

    def shown(self, probability: F64, unseen: Bools, *, derived: bool = False, applied: bool = False) -> F64:
        """The validity of pairs, by what the models say; ``derived``: analogies, ``applied``: only exchanges make them.

        Of those that are ``unseen``, through one language that does not see all that may differ, it is at most
        ONE_PIVOT, unless people say otherwise; of others there a little less, unless something was fitted to such.
        """
        left = _THROUGH_ONE if self.unseen and not (derived and self._is_read) else 1.0
        if applied and self.exchanges:
            left, probability = 1.0, EXCHANGED_THROUGH_ONE[self.language].probability(probability)
        most = np.where(hidden_by(self.unseen, unseen), ONE_PIVOT, left)
        return np.round(self.calibration.probability(probability * most), _SHOWN_DIGITS)

    def vouched(self, evidence: ExchangeEvidence, pairs: PairDifferences) -> Bools:
        """Whether each pair is a replacement that the corpus has evidence for.

        Through a language that does not see all, which words agree with which is not seen either: many pairs must show
        it, or some beside what stands to its left and some beside what stands to its right.
        """
        found = is_vouched(evidence, pairs)
        if not self.unseen:
            return found
        known = (evidence.left.shared > 0) & (evidence.right.shared > 0)
        return found & (known | (evidence.worst.shared >= _MANY))

    def through(self, language: str, pivots: Sequence[str]) -> ValidityModels:
        """The same for a language whose translations are into these: one alone may be blind to what it marks."""
        unseen = unseen_through(language, pivots)
        return replace(self, pivots=tuple(pivots), unseen=unseen, language=language)

    def calibrated(self, validity: F64, judged: Sequence[tuple[int, bool]]) -> ValidityModels:
        """The same with a calibration by judgements: the place of a pair in ``validity``, and whether it holds."""
        places = np.array([place for place, _ in judged], dtype=np.int64)
        holds = np.array([holds for _, holds in judged], dtype=np.bool_)
        return replace(self, calibration=calibrate(validity[places], holds))


def unseen_through(language: str, pivots: Sequence[str]) -> tuple[str, ...]:
    """What sentences of a language say and their translations into one language alone do not, in words."""
    return unmarked_by(pivots[0], language) if len(pivots) == 1 else ()


def hidden_by(unmarked: Sequence[str], unseen: Bools) -> Bools:
    """Which pairs differ, or for all that is known may, in what the one pivot language leaves ``unmarked``.

    ``unseen``: whether their words say so, which tell nothing of tense, or of who is spoken of.
    """
    if not unmarked:
        return np.zeros(len(unseen), dtype=np.bool_)
    return unseen if TOLD_BY_WORDS.issuperset(unmarked) else np.ones(len(unseen), dtype=np.bool_)


def fit_models(evidence: ExchangeEvidence, pairs: PairDifferences, shares: Bools, expected: F64) -> ValidityModels:
    """Fit them to generated pairs of sentences of the corpus; with too few of either label, the shipped ones.

    A pair has a label where both sentences have translations into one language: ``expected`` is then above 0.
    """
    return _fitted(features(evidence, _derived(pairs))[expected > 0], pairs, shares, expected)


def _fitted(figures: F64, pairs: PairDifferences, shares: Bools, expected: F64) -> ValidityModels:
    """``figures``: those with a label by features."""
    chosen = expected > 0
    labelled = int(chosen.sum())
    sharing = int(shares[chosen].sum())
    # Where nearly all share, a model would believe everything.
    if labelled < LEAST_LABELLED or min(sharing, labelled - sharing) < LEAST_LABELLED // 4:
        return SHIPPED
    all_pairs = Labelled(figures, shares[chosen], expected[chosen])
    plain = Labelled(figures[:, : len(EXCHANGE_FEATURES)], shares[chosen], expected[chosen])
    fold = fold_of(pairs.seed, pairs.other)[chosen]
    return ValidityModels(fit(all_pairs), fit(plain), tuple(fit_folds(all_pairs, fold)), labelled)


def fold_of(one: I64, other: I64) -> I64:
    """Which fold a pair of sentences is in, in either order."""
    low, high = np.minimum(one, other).astype(np.uint64), np.maximum(one, other).astype(np.uint64)
    mixed = low * np.uint64(_MIXERS[0]) + high * np.uint64(_MIXERS[1])
    return ((mixed >> np.uint64(16)) % np.uint64(FOLDS)).astype(np.int64)


def is_vouched(evidence: ExchangeEvidence, pairs: PairDifferences, shared: int = _LEAST_SHARED) -> Bools:
    """Whether every region in which a pair differs is a replacement that so many pairs share a translation for."""
    return pairs.replacement & (evidence.worst.shared >= shared)


def _bounded(evidence: ExchangeEvidence, languages: I64, probability: Callable[[ExchangeEvidence, I64], F64]) -> F64:
    """The probability of each pair, not above what its languages leave of it, nor that of one of its regions alone.

    Regions may hold together only, and one of them alone then says nothing: where several pairs that differ in all of
    them share a translation, and where words are inserted or left out, which may have moved ("is it not", "isn't it").
    ``languages``: in how many each pair shares a translation. ``probability`` takes evidence, and which pair each entry
    of that is of.
    """
    everything = np.arange(len(evidence.pairs))
    left = with_sharing(most_probable(evidence.by_language), languages)
    found = np.minimum(probability(evidence, everything), left)
    if evidence.alone is not None:
        pair = evidence.alone.pair
        alone = _bounded(evidence.alone.evidence, languages[pair], lambda each, at: probability(each, pair[at]))
        bounding = _is_each_for_itself(evidence, evidence.alone)[pair]
        np.minimum.at(found, pair[bounding], alone[bounding])
    return found


def _is_each_for_itself(evidence: ExchangeEvidence, alone: RegionsAlone) -> Bools:
    """Whether every region of a pair is a replacement, and nothing is known of all of them together."""
    regions = alone.evidence
    one_sided = np.minimum(regions.units_before, regions.units_after) == 0
    moved = np.bincount(alone.pair, one_sided, len(evidence.pairs)) > 0
    return np.asarray((evidence.all.shared < _LEAST_SHARED) & ~moved)


def _derived(pairs: PairDifferences) -> Derived:
    return Derived(pairs.frequency, pairs.languages, pairs.probability)


class ReadModels(NamedTuple):
    """What pairs that were read teach, with READ_FEATURES."""

    derived: BoostedModel
    """Of pairs for which analogies speak."""
    detected: BoostedModel
    """Of others that share a translation."""
    plain: BoostedModel
    """Of those that only an exchange makes."""
    framed: BoostedModel
    """Of those that a frame makes."""
    turned: BoostedModel
    """Of those that a frame makes which turns two parts of the sentence round."""
    sentence: BoostedModel
    """Of all of these: whether they are sentences."""


_MODELS: Final[dict[str, dict[str, Any]]] = json.loads(
    files("corpusdb").joinpath("paraphrase", "shipped_models.json").read_text(encoding="utf-8")
)
READ: Final = ReadModels(**{name: BoostedModel.read(each) for name, each in _MODELS["read"].items()})
"""Fitted to the pairs of tests/readings, most of them of Tatoeba, of which those hold that a reader says hold or nearly
hold (tests/readings/fit.py)."""
READ_THROUGH_ONE: Final = {
    language: READ.derived.corrected(each["slope"], BoostedModel.read(each))
    for language, each in _MODELS["through one"].items()
}
"""By language, what pairs that analogies make teach besides where all translations are into one language that does not
see all: that only one agrees is no sign there, and a word that it has for two is one."""
EXCHANGED_THROUGH_ONE: Final = {name: Calibration(**each) for name, each in _MODELS["exchanged through one"].items()}
"""By language, how often what only exchanges make holds there, beside neighbours that it is known by, by what is said
elsewhere: of 108 German ones of .85 to .97 2 do not hold. In other languages they are not believed."""
SHIPPED: Final = ValidityModels(
    derived=LogisticModel.read(_MODELS["learned"]["derived"]), plain=LogisticModel.read(_MODELS["learned"]["plain"])
)
"""What was learned of the English sentences of Tatoeba, for databases with too few labels of their own."""


@dataclass(frozen=True, slots=True)
class GeneratedValidity:
    """The validity of all candidates of a language, and what it was made of; parallel arrays."""

    candidate: I64
    """Number."""
    alone: F64
    """Without that seed and candidate may share a translation; empty where nobody asked for it."""
    validity: F64
    """With it, and calibrated by judgements where there are any; as it is stored."""
    labelled: int
    """How many pairs the model was fitted to; 0 for the one that is shipped."""


@dataclass(frozen=True, slots=True)
class JudgedPairs:
    """What is known of the generated and the detected paraphrases of a language."""

    models: ValidityModels
    generated: GeneratedValidity
    replacement: I64
    """By candidate: why fewer than N will do."""
    detected: F64
    """The validity of each detected pair."""


@dataclass(frozen=True, slots=True)
class PairsToJudge:
    """The candidates of a language, which come in the order of their seeds, and the detected pairs."""

    candidates: PairDifferences
    detected: PairDifferences
    candidate_words: SaidByWords
    """As ``Known`` has them."""
    detected_words: SaidByWords
    candidate_testimony: F64
    detected_testimony: F64


def judge(
    language: str, index: ExchangeIndex, pairs: PairsToJudge, judgements: Mapping[int, bool], *, apart: bool = False
) -> JudgedPairs:
    """Fit the models to the candidates of a language, and judge all pairs.

    ``judgements``: by the number of a candidate, whether people say that it holds. A detected pair that was generated
    too has the validity that is known from its analogies. ``apart``: without what they share, too.
    """
    candidates, detected = pairs.candidates, pairs.detected
    labels = index.labels(candidates)
    pivots = index.sharing.pivots
    # What differs in what is not seen shares its translations whether it holds or not: nothing is learned from that.
    hidden = hidden_by(unseen_through(language, pivots), candidates.unseen)
    expected = np.where(hidden & ~hidden.all(), 0.0, labels.expected)
    labelled = expected > 0
    figures = [
        features(each, _derived(part))[labelled[some]] for some, part, each in index.evidence_in_parts(candidates)
    ]
    models = _fitted(np.concatenate(figures), candidates, labels.languages > 0, expected).through(language, pivots)
    del figures
    trifle = trifles_of_pairs(candidates.changed, language)
    told = Known(labels.languages, pairs.candidate_testimony, pairs.candidate_words, trifle, np.zeros(len(trifle)))
    asked = (told, told._replace(languages=np.zeros_like(labels.languages))) if apart else (told,)
    parts = [
        (
            models.support(evidence, told.of(some), models.vouched(evidence, part)),
            *models.of_candidates(evidence, part, labelled[some], *(each.of(some) for each in asked)),
        )
        for some, part, evidence in index.evidence_in_parts(candidates)
    ]
    support, held, *alone = (np.concatenate(each) for each in zip(*parts, strict=True))
    numbers = candidates.row.tolist()
    judged = [(place, judgements[number]) for place, number in enumerate(numbers) if number in judgements]
    models = models.calibrated(models.shown(held, candidates.unseen, derived=True), judged)
    shown = models.shown(held, candidates.unseen, derived=True)
    shared, trifle = index.labels(detected).languages, trifles_of_pairs(detected.changed, language, detected=True)
    told = Known(shared, pairs.detected_testimony, pairs.detected_words, trifle, np.zeros(len(trifle)))
    holds = [models.of_pairs(each, told.of(some), detected=True) for some, _, each in index.evidence_in_parts(detected)]
    plain = models.shown(np.concatenate(holds), detected.unseen)
    ends = zip(candidates.seed.tolist(), candidates.other.tolist(), strict=True)
    known = dict(zip(ends, shown.tolist(), strict=True))
    wanted = zip(detected.seed.tolist(), detected.other.tolist(), plain.tolist(), strict=True)
    by_both = [known.get((seed, other), value) for seed, other, value in wanted]
    generated = GeneratedValidity(candidates.row, np.concatenate([np.empty(0), *alone]), shown, models.labelled)
    return JudgedPairs(models, generated, support, np.array(by_both, dtype=np.float64))


def judge_applied(
    models: ValidityModels,
    evidence: ExchangeEvidence,
    pairs: PairDifferences,
    known: Known,
    shared: int = _LEAST_SHARED,
) -> tuple[F64, I64]:
    """The validity of pairs that only an exchange makes, and why fewer than N will do; 0: it does not vouch for them.

    It must be a replacement that so many pairs share a translation for. Of such as one language alone confirms, which
    does not see all, those are believed that ``unseen_if_applied`` leaves, and none to be a sentence.
    """
    vouched = is_vouched(evidence, pairs, shared)
    unseen = unseen_if_applied(models, evidence, pairs)
    shown = models.shown(models.of_pairs(evidence, known, framed=pairs.framed), unseen, applied=True)
    if models.unseen:
        return shown, REPLACES * vouched
    holds = np.where(known.trifle == POLITE, 0.0, shown)  # whose least validity no reader gave to a sentence
    at, support = np.flatnonzero(vouched), np.zeros(len(vouched), dtype=np.int64)
    support[at] = models.support(evidence.of(at), known.of(at), vouched[at], holds[at])
    return shown, support


def unseen_if_applied(models: ValidityModels, evidence: ExchangeEvidence, pairs: PairDifferences) -> Bools:
    """Whether pairs that only an exchange makes may differ in what one language does not see.

    So may what a frame makes, or an exchange beside other words than the pairs that show it: of German ones of these 17
    of 81 do not hold, of the others 4 of 68 (tests/readings, german-3); behind the same word 1 of 54 (german-12).
    """
    if not models.exchanges:
        return np.ones(len(pairs.row), dtype=np.bool_)
    left, right = evidence.left.shared > 0, evidence.right.shared > 0
    if models.language in _BESIDE_BOTH:
        return pairs.unseen | (pairs.framed > 0) | ~(is_vouched(evidence, pairs) & left & right)
    shown = models.vouched(evidence, pairs) | (is_vouched(evidence, pairs, _SOME) & left)
    return pairs.unseen | (pairs.framed > 0) | ~shown


def recalls_by_language(sharing: Sharing) -> dict[str, list[float]]:
    """The recalls by the language of the translations, as JSON can hold them."""
    return dict(zip(sharing.languages, sharing.recalls.tolist(), strict=True))

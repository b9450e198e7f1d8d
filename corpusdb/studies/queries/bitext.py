"""The figures of Owczarzak et al. (2006), and what their tables ask of other data that nothing else here computes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.alignment.equivalence import Substitution
from corpusdb.base.arrays import F64
from corpusdb.base.errors import InputError
from corpusdb.base.estimates import Interval, pearson_of_sums, percentile_interval, ticket, wilson
from corpusdb.base.jobs import Job, Progress, finished
from corpusdb.base.system_agreement import paired_samples
from corpusdb.corpus.formats.segments import Output, SegmentDocument
from corpusdb.people.queries.samples import SheetLine, read_sheet
from corpusdb.people.queries.verdicts import ACCEPTING, SKIP, parse_verdict
from corpusdb.scoring.measures import measures
from corpusdb.scoring.metric_settings import MetricSettings, Smoothing
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.agreement_figures import AgreementStatistic, Level, Samples, figures
from corpusdb.scoring.queries.recipe import PUBLISHED, SubstitutionRecipe, UnitText
from corpusdb.scoring.queries.reference_equivalents import ReferenceEquivalents
from corpusdb.scoring.queries.scoring import MetricScores, Sampling, score_over_lattices, scores_by
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.queries.variant_scores import ComputedScores
from corpusdb.scoring.reference_count import HumanScores

PAPER_SETS: Final = (769, 1658)
"""Equivalence sets, and words and phrases in them, of 2,000 segments (section 3.2)."""
PAPER_SCORES: Final[Mapping[str, tuple[tuple[float, float], tuple[float, float]]]] = {
    "PH": ((0.2131, 0.2407), (6.1625, 7.0068)),
    "LM": ((0.1782, 0.2043), (5.5406, 6.3834)),
}
"""Table 1: BLEU and NIST with a single and with multiple references."""
PAPER_CORRELATIONS: Final[Mapping[str, Mapping[str, tuple[float, float]]]] = {
    "PH": {"BLEU": (0.297, 0.307), "BLEU smoothed": (0.396, 0.404), "NIST": (0.323, 0.355)},
    "LM": {"BLEU": (0.046, 0.067), "BLEU smoothed": (0.163, 0.151), "NIST": (0.078, 0.116)},
}
"""Tables 2 and 4: Pearson's correlation of 100 segments with a single and with multiple references."""
PAPER_PEOPLE: Final[Mapping[str, tuple[float, float]]] = {"PH": (3.815, 0.191), "LM": (4.005, 0.162)}
"""Table 3: the mean grade of 100 segments, and its variation."""
PAPER_SYNTAX: Final[Mapping[str, tuple[float, float]]] = {"2,000 segments": (0.59, 0.60), "700,000": (0.70, 0.48)}
"""Table 5: the shares of the same category, of the best paraphrases and of all."""
PAPER_MEANING: Final[Mapping[str, tuple[float, float]]] = {"2,000 segments": (0.83, 0.74), "700,000": (0.76, 0.68)}
"""Table 6: those of the same meaning."""


@dataclass(frozen=True, slots=True)
class HumanMean:
    """What people said of one system (Table 3)."""

    segments: int
    mean: float
    deviation: float | None
    """None for fewer than two segments."""
    variation: float | None
    """Deviation by mean; None where a score is not above 0, as standardised ones are: they have no zero of their
    own."""


def human_mean(scores: F64) -> HumanMean | None:
    """Of the scores of one system, shape (segments), NaN where there is none; None without any."""
    known = scores[np.isfinite(scores)]
    if not known.size:
        return None
    mean, deviation = float(known.mean()), float(known.std(ddof=1)) if known.size > 1 else None
    has_zero = deviation is not None and bool((known >= 0).all()) and mean > 0
    return HumanMean(known.size, mean, deviation, deviation / mean if has_zero and deviation is not None else None)


def pearson_in_samples(scores: F64, human: F64, counts: F64) -> F64:
    """Pearson's correlation of one system's segments with human scores, in samples of the segments.

    Shapes (segments), (segments) and (samples, segments) to (samples); NaN where it is not defined. What is NaN in one
    of the two is left out.
    """
    rated = np.isfinite(scores) & np.isfinite(human)
    if not rated.any():
        return np.full(len(counts), np.nan)
    ours = np.where(rated, scores - scores[rated].mean(), 0.0)
    theirs = np.where(rated, human - human[rated].mean(), 0.0)
    rows = np.stack([rated.astype(np.float64), ours, theirs, ours**2, theirs**2, ours * theirs], axis=-1)
    return pearson_of_sums(counts @ rows)


# Whether equivalents in the references make scores agree better with people: Owczarzak et al. (2006), tables 1 to 4.
# Every kind of references stands against the references as they were given, by the same metrics, on the same samples
# of segments and of documents. A higher correlation is worth what its interval is worth.


SINGLE: Final = "as given"
"""The references without anything added: what all else is compared with."""
SECOND: Final = "second reference"
_STATISTICS: Final = ("pearson", "kendall")
_LEVELS: Final = ("system", "segment", "segment within systems")
_ADD_ONE: Final = Smoothing("add-k")


def study_settings(*, tokenise: str | None = None, lowercase: bool = False) -> dict[str, MetricSettings]:
    """BLEU, BLEU with add-one smoothing and NIST, as the paper has them, by their names in the tables."""
    options = {"tokenisation": tokenise, "lowercase": lowercase}
    return {
        "BLEU": settings_for("bleu", **options),  # type: ignore[arg-type]
        "BLEU+1": settings_for("bleu", smoothing=_ADD_ONE, **options),  # type: ignore[arg-type]
        "NIST": settings_for("nist", **options),  # type: ignore[arg-type]
    }


@dataclass(frozen=True, kw_only=True)
class StudyInput:
    outputs: Sequence[Output]
    references: ScoringReferences
    second: ScoringReferences | None
    """The references and a real second one of every segment."""
    human: HumanScores | None
    documents: Sequence[SegmentDocument] = ()
    settings: dict[str, MetricSettings] = field(default_factory=study_settings)
    sampling: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True, slots=True)
class SetRow:
    """How many equivalents a recipe leaves (section 3.2)."""

    recipe: str
    sets: int
    members: int
    substitutions: float
    """Places where an equivalent can stand, by segment."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A value with its interval, and how far it lies from that of the references as given."""

    value: float | None
    interval: Interval | None
    over_documents: Interval | None
    difference: float | None = None
    """None for the references as given themselves, and where one of the two has no value."""
    difference_interval: Interval | None = None
    difference_over_documents: Interval | None = None
    reason: str | None = None
    """Why there is no value."""


@dataclass(frozen=True, slots=True)
class SystemScore:
    system: str
    metric: str
    references: str
    score: Compared


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """A correlation with people over all systems (Table 2)."""

    metric: str
    references: str
    level: str
    statistic: str
    n: int
    correlation: Compared


@dataclass(frozen=True, slots=True)
class OwnRow:
    """The correlation of the segments of one system (Tables 2 and 4)."""

    system: str
    metric: str
    references: str
    correlation: Compared


@dataclass(frozen=True)
class BitextStudy:
    """All tables but those that people have to fill in."""

    sets: tuple[SetRow, ...]
    scores: tuple[SystemScore, ...]
    agreement: tuple[AgreementRow, ...]
    people: dict[str, HumanMean]
    """By system."""
    own: tuple[OwnRow, ...]
    signatures: dict[str, tuple[str, ...]]
    """Of each kind of references, one for each metric."""
    sampling: Sampling
    segments: int
    documents: int


@dataclass(frozen=True)
class Provided:
    """Equivalents of one origin, and the recipe by which they are taken."""

    found: ReferenceEquivalents
    recipe: SubstitutionRecipe


def bitext_study(given: StudyInput, provided: Sequence[Provided]) -> Job[BitextStudy]:
    """All tables; a step of the job is a kind of references.

    Raises UsageError and InputError as scores over lattices do.
    """
    kinds = {name: (each.found, recipe) for each in provided for name, recipe in _recipes(each.recipe).items()}
    steps = 1 + len(kinds) + (given.second is not None)
    yield Progress("kinds of references", 0, steps)
    measured = [_Kind.of(SINGLE, given, given.references)]
    for done, (name, (found, recipe)) in enumerate(kinds.items(), 1):
        yield Progress("kinds of references", done, steps)
        lattices = found.lattices(recipe)
        scores = score_over_lattices(given.outputs, given.references, lattices, list(given.settings.values()))
        measured.append(_Kind(name, given, scores))
    if given.second is not None:
        yield Progress("kinds of references", steps - 1, steps)
        measured.append(_Kind.of(SECOND, given, given.second))
    samples = Samples(given.sampling, len(given.references.sets), given.documents)
    tables = _Tables(given, measured, samples)
    return BitextStudy(
        sets=tuple(row for each in provided for row in _set_rows(each.found, each.recipe)),
        scores=tuple(tables.scores()),
        agreement=tuple(tables.agreement()),
        people=_people(given),
        own=tuple(tables.own()),
        signatures={kind.name: tuple(each.signature for each in kind.scores) for kind in measured},
        sampling=given.sampling,
        segments=len(given.references.sets),
        documents=len(given.documents),
    )


def _recipes(recipe: SubstitutionRecipe) -> dict[str, SubstitutionRecipe]:
    """What is asked for, the best equivalents alone, and what was published; each once."""
    if recipe.origin == "corpus":
        found = {"corpus equivalents": replace(recipe, best_only=False)}
        return found | {"best corpus equivalents": replace(recipe, best_only=True)}
    wanted = {
        "equivalents": replace(recipe, best_only=False),
        "best equivalents": replace(recipe, best_only=True),
        "as published": PUBLISHED,
    }
    return {name: each for name, each in wanted.items() if name == "equivalents" or each != wanted["equivalents"]}


def _set_rows(found: ReferenceEquivalents, recipe: SubstitutionRecipe) -> Iterator[SetRow]:
    """With one filter after the other: none, that which was published, and those that are asked for."""
    wide = replace(PUBLISHED, most=None)
    if recipe.origin == "corpus":
        wide = replace(wide, origin="corpus", links="intersection", min_count=2)
    steps = [replace(wide, left_out="nothing"), wide, replace(wide, left_out="closed")]
    for name in ("min_count", "min_pivot", "min_cover", "min_languages", "with_parts", "with_forms"):
        steps.append(replace(steps[-1], **{name: getattr(recipe, name)}))
    steps += [recipe, replace(recipe, best_only=True)]
    for each in dict.fromkeys(steps):
        sets, members = found.counted(each)
        places = sum(len(fits) for *_, fits in found.substitutions(each))
        yield SetRow(each.label, sets, members, places / max(1, len(found.texts)))


def _people(given: StudyInput) -> dict[str, HumanMean]:
    if given.human is None or given.human.segments is None:
        return {}
    means = {each.system: human_mean(row) for each, row in zip(given.outputs, given.human.segments, strict=True)}
    return {system: mean for system, mean in means.items() if mean is not None}


@dataclass(frozen=True)
class _Kind:
    name: str
    given: StudyInput
    scores: list[MetricScores]

    @classmethod
    def of(cls, name: str, given: StudyInput, references: ScoringReferences) -> _Kind:
        """With references written out."""
        chosen = measures(list(given.settings.values()), references.texts)
        return cls(name, given, finished(scores_by(given.outputs, chosen, references)))

    @cached_property
    def figures(self) -> dict[tuple[str, str, str], AgreementStatistic]:
        """Agreement with people by metric, level and statistic."""
        found: dict[tuple[str, str, str], AgreementStatistic] = {}
        human = self.given.human
        if human is None:
            return found
        levels: list[Level] = ["system"] if human.segments is None else ["system", "segment"]
        samples = Samples(self.given.sampling, len(self.given.references.sets), self.given.documents)
        for metric, scores in zip(self.given.settings, self.scores, strict=True):
            rows = scores.statistics[np.newaxis].astype(np.float64)
            variant = ComputedScores(
                metric, metric, scores.signature, scores.signature, scores.measure, scores.measure, rows
            )
            for figure in figures(variant, human, levels, samples):
                if figure.level in _LEVELS and figure.statistic in _STATISTICS:
                    found[metric, figure.level, figure.statistic] = figure
        return found


@dataclass(frozen=True)
class _Tables:
    """The tables of several kinds of references, the first of which is what the others are compared with."""

    given: StudyInput
    kinds: Sequence[_Kind]
    samples: Samples

    def scores(self) -> Iterator[SystemScore]:
        """Table 1."""
        for number, output in enumerate(self.given.outputs):
            for at, metric in enumerate(self.given.settings):
                if metric == "BLEU+1":
                    continue  # the paper smooths segments alone; a corpus has all n-grams
                for kind, value in zip(self.kinds, self._compared(_system_score, at, number), strict=True):
                    yield SystemScore(output.system, metric, kind.name, value)

    def own(self) -> Iterator[OwnRow]:
        """Tables 2 and 4, of each system by itself."""
        human = self.given.human
        if human is None or human.segments is None:
            return
        for number, output in enumerate(self.given.outputs):
            if np.count_nonzero(np.isfinite(human.segments[number])) < 2:
                continue
            for at, metric in enumerate(self.given.settings):
                for kind, value in zip(self.kinds, self._compared(_own_correlation, at, number), strict=True):
                    yield OwnRow(output.system, metric, kind.name, value)

    def agreement(self) -> Iterator[AgreementRow]:
        """Table 2, over all systems."""
        first = self.kinds[0].figures
        for key in first:
            for kind in self.kinds:
                figure = kind.figures[key]
                compared = self._of_figure(figure, None if kind is self.kinds[0] else first[key])
                metric, level, statistic = key
                yield AgreementRow(metric, kind.name, level, statistic, figure.n, compared)

    def _of_figure(self, figure: AgreementStatistic, base: AgreementStatistic | None) -> Compared:
        value = Compared(figure.value, figure.interval, figure.document_interval, reason=figure.reason)
        if base is None or figure.value is None or base.value is None:
            return value
        return replace(
            value,
            difference=figure.value - base.value,
            difference_interval=self._difference(figure.sampled, base.sampled),
            difference_over_documents=self._difference(figure.sampled_documents, base.sampled_documents),
        )

    def _difference(self, first: F64, second: F64) -> Interval | None:
        paired = paired_samples(first.ravel(), second.ravel(), self.given.sampling.confidence)
        return None if paired is None else paired.interval

    def _compared(self, value: Callable[[_Kind, int, int, F64], F64], metric: int, system: int) -> Iterator[Compared]:
        """A value of each kind in all samples of segments and documents, against that of the first kind."""
        whole = np.ones((1, len(self.given.references.sets)))
        base: tuple[float, F64, F64] | None = None
        for kind in self.kinds:
            observed = float(value(kind, metric, system, whole)[0])
            by_segment, by_document = (
                np.concatenate([np.zeros(0), *(value(kind, metric, system, counts) for counts in portions)])
                for portions in (self.samples.of_segments(), self.samples.of_documents())
            )
            if np.isfinite(observed):
                found = Compared(observed, self._interval(by_segment), self._interval(by_document))
            else:
                found = Compared(None, None, None, reason="all segments have the same score")
            if base is not None and found.value is not None and np.isfinite(base[0]):
                found = replace(
                    found,
                    difference=observed - base[0],
                    difference_interval=self._difference(by_segment, base[1]),
                    difference_over_documents=self._difference(by_document, base[2]),
                )
            base = base or (observed, by_segment, by_document)
            yield found

    def _interval(self, values: F64) -> Interval | None:
        defined = values[np.isfinite(values)]
        return percentile_interval(defined, self.given.sampling.confidence) if defined.size else None


def _system_score(kind: _Kind, metric: int, system: int, counts: F64) -> F64:
    scores = kind.scores[metric]
    return scores.measure.scores(counts @ scores.statistics[system].astype(np.float64))


def _own_correlation(kind: _Kind, metric: int, system: int, counts: F64) -> F64:
    human = kind.given.human
    assert human is not None and human.segments is not None  # asked only where there are some
    return pearson_in_samples(kind.scores[metric].segments[system], human.segments[system], counts)


# Samples of equivalents for people to judge, blind: same category, same meaning (Owczarzak et al. 2006, section 5).
# The best equivalents of phrases, all of them, and controls, which are phrases that were never equivalent, are mixed
# on one sheet. The same equivalents and seed give the same sheet, so that it need not be kept which line is which.


Group: TypeAlias = Literal["best", "all", "control"]
GROUPS: Final[tuple[Group, ...]] = ("best", "all", "control")


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """A phrase in a reference and what is put in its place."""

    group: Group
    reference: str
    """With the phrase in brackets."""
    rewritten: str
    """With the equivalent in brackets."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many of a group were accepted, with Wilson's interval of 95 % (Tables 5 and 6)."""

    group: Group
    judged: int
    accepted: int
    interval: Interval


def drawn_pairs(found: ReferenceEquivalents, recipe: SubstitutionRecipe, size: int, seed: int) -> list[DrawnPair]:
    """``size`` of the best equivalents, as many of all, and half as many controls; in an order that tells nothing.

    Each phrase with an equivalent is drawn once in a group, at one of its places in the references.
    """
    places: dict[tuple[str, str], tuple[UnitText, Substitution]] = {}
    best: dict[str, tuple[float, tuple[str, str]]] = {}
    for _, _, text, chosen in found.substitutions(recipe):
        for each in chosen:
            phrase, other = " ".join(text.tokens[each.start : each.end]), " ".join(each.phrase)
            places.setdefault((phrase, other), (text, each))
            candidate = (-each.equivalent.pivot, (phrase, other))
            best[phrase] = min(best.get(phrase, candidate), candidate)
    drawn = [
        *_drawn("best", (pair for _, pair in best.values()), size, seed),
        *_drawn("all", places, size, seed),
    ]
    shown = [_shown(group, found, *places[pair]) for group, pair in drawn]
    shown += _controls(found, [places[pair] for _, pair in _drawn("control", places, size, seed)], size // 2)
    return sorted(shown, key=lambda each: ticket(seed, f"order {each.group}", (each.reference, each.rewritten)))


def _drawn(
    group: Group, pairs: Iterable[tuple[str, str]], size: int, seed: int
) -> Iterator[tuple[Group, tuple[str, str]]]:
    for pair in sorted(pairs, key=lambda each: ticket(seed, group, each))[:size]:
        yield group, pair


def _controls(
    found: ReferenceEquivalents, places: Sequence[tuple[UnitText, Substitution]], size: int
) -> Iterator[DrawnPair]:
    """Places with the equivalents of other places, which are not their own."""
    for at in range(min(size, len(places))):
        text, own = places[at]
        for _, other in (*places[at + 1 :], *places[:at]):
            if other.phrase not in (own.phrase, text.tokens[own.start : own.end]) and not found.share_a_source(
                text.tokens[own.start : own.end], other.phrase
            ):
                yield _shown("control", found, text, Substitution(own.start, own.end, other.equivalent))
                break


def _shown(group: Group, found: ReferenceEquivalents, text: UnitText, chosen: Substitution) -> DrawnPair:
    start, end = text.starts[chosen.start], text.ends[chosen.end - 1]
    before, after = text.text[:start], text.text[end:]
    instead = found.written.instead_of(text, chosen.start, chosen.end, chosen.phrase)
    return DrawnPair(group, f"{before}[{text.text[start:end]}]{after}", f"{before}[{instead}]{after}")


def sheet_of(pairs: Sequence[DrawnPair]) -> list[SheetLine]:
    """The lines of a sheet, which say nothing of the groups."""
    return [SheetLine(number, _cell(each.reference), _cell(each.rewritten)) for number, each in enumerate(pairs, 1)]


def _cell(text: str) -> str:
    return " ".join(text.split())


def accuracies(pairs: Sequence[DrawnPair], path: Path, kind: Literal["grammaticality", "meaning"]) -> list[Accuracy]:
    """What people accepted of each group, from a sheet that they filled in; lines without a verdict are left out.

    Raises InputError, with the line, for an item that is not the one drawn, for one that comes twice and for a verdict
    that is none.
    """
    own = {line.item: (line, pair) for line, pair in zip(sheet_of(pairs), pairs, strict=True)}
    judged, accepted = dict.fromkeys(GROUPS, 0), dict.fromkeys(GROUPS, 0)
    for number, line in read_sheet(path):
        known = own.pop(line.item, None)
        if known is None or not line.is_about(known[0]):
            reason = f"item {line.item} was not drawn from these texts with this seed and these filters, or comes twice"
            raise InputError(reason, path=path, line=number)
        if not line.verdict:
            continue
        try:
            verdict = parse_verdict(kind, line.verdict)
        except InputError as error:
            raise InputError(str(error), path=path, line=number) from error
        if verdict == SKIP:
            continue
        judged[known[1].group] += 1
        accepted[known[1].group] += verdict in ACCEPTING
    return [Accuracy(each, judged[each], accepted[each], wilson(accepted[each], judged[each])) for each in GROUPS]

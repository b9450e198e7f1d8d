"""The figures of Kanayama (2003), and what his tables ask of other data: correlations on samples of the segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Final

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools
from corpusdb.base.estimates import Interval, counts_in_samples, percentile_interval
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.system_agreement import SYSTEM_STATISTICS, outliers, paired_samples, why_undefined
from corpusdb.base.tokenisation import Analyser, tokeniser
from corpusdb.corpus.formats.segments import Output, SegmentDocument
from corpusdb.corpus.store import Store
from corpusdb.rules.matching import canonical_spelling, style
from corpusdb.rules.queries.rule_sets import RuleEffect, keep_effects
from corpusdb.rules.rewriting import DEFAULT_CAP, Expander, Expansion
from corpusdb.rules.rule import RuleSet
from corpusdb.scoring.metric import References, Sequences
from corpusdb.scoring.queries.scoring import Sampling
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.unit_metrics import bleu_scores, bleu_statistics

PAPER_SCORES: Final[Mapping[str, tuple[float, float, float, float]]] = {
    "S1": (0.115, 0.114, 0.132, 0.135),
    "S2": (0.130, 0.129, 0.149, 0.151),
    "S3": (0.134, 0.132, 0.148, 0.152),
    "S4": (0.137, 0.135, 0.148, 0.158),
    "S5": (0.183, 0.177, 0.179, 0.180),
    "H1": (0.170, 0.166, 0.179, 0.187),
}
"""Table 2: BLEU by B1 to B4."""
PAPER_HUMAN: Final[Mapping[str, float]] = {"S1": 2.38, "S2": 2.74, "S3": 2.77, "S4": 3.16, "S5": 3.38, "H1": 4.40}
"""Table 2: the mean grade of people, 1 to 5."""
PAPER_CORRELATIONS: Final = (0.797, 0.803, 0.865, 0.931)
"""Table 2: Pearson's correlation of B1 to B4 with these."""
PAPER_WORDS: Final = (17_478, 0.886)
"""Section 5.1: word-replacing rules, and the correlation with them added to B4."""
PAPER_RULES: Final[Mapping[str, float]] = {
    "da(aux) <-> de : a : ru": 0.025,
    "$1(verb-v) : ru <-> $1(verb-v) : masu": 0.022,
    "$1(noun) : (dot) : $2(noun) -> $1 : $2": 0.020,
}
"""Table 3: by how much the correlation falls without the rule."""
PAPER_COVERAGE: Final = (189, 200)
"""Section 4.1: sentences of another corpus that were paraphrased at least in part."""

STATISTICS: Final = ("pearson", "kendall")
"""How agreement with people is measured here."""


@dataclass(frozen=True, slots=True)
class MethodCorrelation:
    """How far the scores of systems agree with people, and how far that is from what it is compared with."""

    statistic: str
    systems: int
    value: float | None
    """-1 to 1; None where it is not defined."""
    interval: Interval | None
    """Over samples of the segments."""
    difference: float | None = None
    """None for what the others are compared with, and where one of the two has no value."""
    difference_interval: Interval | None = None
    """Over the same samples of both."""
    reason: str | None = None
    """Why there is no value."""


@dataclass(frozen=True, slots=True)
class SampledAgreement:
    """Agreement with people by each of STATISTICS, on all segments and on samples of them."""

    systems: int
    values: Mapping[str, F64]
    """Shape (1 + samples), the first of all segments; NaN where it is not defined."""
    reason: str | None
    """Why that of all segments is not."""

    @classmethod
    def of(cls, scores: F64, human: F64) -> SampledAgreement:
        """Of scores of shape (systems, 1 + samples), the first column being that of all segments, and (systems)."""
        values = {name: SYSTEM_STATISTICS[name](scores, human[:, np.newaxis]) for name in STATISTICS}
        return cls(len(human), values, why_undefined(scores[:, 0], human))


def correlations(
    ours: SampledAgreement, base: SampledAgreement | None, confidence: float = 0.95
) -> list[MethodCorrelation]:
    """By each of STATISTICS; ``base``, drawn on the same samples, is what they are compared with."""
    found = []
    for name, values in ours.values.items():
        value = None if np.isnan(values[0]) else float(values[0])
        difference = between = None
        if base is not None and value is not None:
            theirs = base.values[name]
            difference = None if np.isnan(theirs[0]) else value - float(theirs[0])
            paired = paired_samples(values[1:], theirs[1:], confidence)
            between = None if paired is None else paired.interval
        defined = values[1:][np.isfinite(values[1:])]
        interval = percentile_interval(defined, confidence) if defined.size else None
        found.append(MethodCorrelation(name, ours.systems, value, interval, difference, between, ours.reason))
    return found


def normalised(scores: F64, human: F64) -> F64:
    """Scores of shape (systems) on a line where the worst system by ``human`` is 0 and the best is 1 (Figure 1).

    NaN where these two have the same score.
    """
    low, high = scores[int(np.argmin(human))], scores[int(np.argmax(human))]
    if high == low:
        return np.full(scores.shape, np.nan)
    line: F64 = (scores - low) / (high - low)
    return line


# The methods that are compared: BLEU over morphemes, with word classes, and with rewritten references (B1 to B4).


ORDER: Final = 4
"""Of BLEU, as in the paper."""
WORDS: Final = "B4 + words"
_SURFACE, _WITH_CLASS = "ja-sudachi", "ja-sudachi-pos"


@dataclass(frozen=True, slots=True)
class Method:
    """A way to score a translation."""

    name: str
    tokenisation: str
    rules: str | None
    """Which rewritings are among the references: None, polite, all, or all and words in the dictionary's spelling."""
    explanation: str


METHODS: Final[Sequence[Method]] = (
    Method("B1", _SURFACE, None, "BLEU over morphemes"),
    Method("B2", _WITH_CLASS, None, "particles and auxiliaries carry their part of speech"),
    Method("B3", _WITH_CLASS, "polite", "B2, and references rewritten by the polite rules"),
    Method("B4", _WITH_CLASS, "all", "B2, and references rewritten by all rules"),
    Method(WORDS, _WITH_CLASS, "words", "B4, and these with words in the dictionary's spelling"),
)
"""Those of sections 3.1 to 3.3 and 5.1, each compared with the first."""


@dataclass(frozen=True)
class Rewritten:
    """What the rules made of references."""

    expansions: Mapping[str, Sequence[Sequence[Expansion]]]
    """For polite and for all rules: of each segment, of each of its references."""
    words: Sequence[Sequence[str]]
    """Of each segment what respelling makes of its references and their rewritings."""
    respellings: int
    """Different words that were respelt."""
    styles: Sequence[str]
    """The style of the first reference of each segment: polite, plain, mixed or none."""
    dropped: Mapping[str, Counter[str]] = field(default_factory=dict)
    """For polite and for all rules: rewritings that were dropped, by reason."""
    capped: Mapping[str, int] = field(default_factory=dict)
    """References of which there were more rewritings than the cap."""


def rewrite(references: Sequence[Sequence[str]], rules: RuleSet, analyser: Analyser, cap: int) -> Job[Rewritten]:
    """Apply the polite rules, and all rules, to every reference of every segment; a step is a segment."""
    expanders = {"polite": Expander(rules.only(["polite"]), analyser, cap), "all": Expander(rules, analyser, cap)}
    found: dict[str, list[list[Expansion]]] = {name: [] for name in expanders}
    words, styles, respelt = [], [], set()
    for done, texts in enumerate(references):
        yield Progress("references", done, len(references))
        for name, expander in expanders.items():
            found[name].append([expander.expand(text) for text in texts])
        analyse = expanders["all"].analyse
        known = {*texts, *(made.text for each in found["all"][-1] for made in each.rewritings)}
        added = []
        for text in sorted(known):
            respelling = canonical_spelling(analyse(text))
            respelt |= {*respelling.replaced}
            if respelling.text not in known:
                known.add(respelling.text)
                added.append(respelling.text)
        words.append(added)
        styles.append(style(analyse(texts[0])).value)
    dropped, capped = {}, {}
    for name, expansions in found.items():
        all_of = [each for segment in expansions for each in segment]
        dropped[name] = sum((Counter(each.dropped) for each in all_of), Counter[str]())
        capped[name] = sum("cap" in each.dropped for each in all_of)
    return Rewritten(found, words, len(respelt), styles, dropped, capped)


@dataclass(frozen=True)
class MethodScores:
    method: Method
    references: References
    hypotheses: Sequence[Sequences]
    """Of each system."""
    statistics: F64
    """Shape (systems, segments, columns), as bleu_statistics has them."""
    rules: Sequence[frozenset[str]]
    """Of each reference the rules that made it; none for one as it was given."""

    def without(self, rule: str) -> tuple[I64, F64]:
        """The segments in which references are lost without the rule, and their statistics then.

        Shapes (touched) and (systems, touched, columns). A reference is lost if the rule is in its lineage: what would
        come in its place where the cap left out others is not looked for.
        """
        lost: Bools = np.array([rule in each for each in self.rules], dtype=np.bool_)
        touched = np.unique(self.references.segments[lost])
        if not touched.size:
            return touched, np.zeros((len(self.hypotheses), 0, self.statistics.shape[-1]))
        kept = np.isin(self.references.segments, touched) & ~lost
        lengths = self.references.sequences.lengths
        part = References(
            Sequences(self.references.sequences.units[np.repeat(kept, lengths)], lengths[kept]),
            np.bincount(self.references.segments[kept], minlength=len(self.references.counts))[touched],
            self.references.vocabulary,
            self.references.tokenise,
        )
        rows = [bleu_statistics(_of_segments(each, touched), part, ORDER) for each in self.hypotheses]
        return touched, np.array(rows, dtype=np.float64)

    @staticmethod
    def scores(statistics: F64) -> F64:
        """BLEU of summed rows: shape (..., columns) to (...), 0 to 1."""
        found: F64 = bleu_scores(statistics)[..., ORDER - 1]
        return found


def _of_segments(texts: Sequences, segments: I64) -> Sequences:
    wanted = np.zeros(len(texts.lengths), dtype=np.bool_)
    wanted[segments] = True
    return Sequences(texts.units[np.repeat(wanted, texts.lengths)], texts.lengths[wanted])


def method_scores(
    method: Method, outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]], rewritten: Rewritten
) -> MethodScores:
    """Score all outputs by one method. Raises UsageError where the analyser is not installed."""
    texts, rules = _with_rewritings(method, references, rewritten)
    numbered = References.of(texts, tokeniser(method.tokenisation))
    hypotheses = [numbered.encode(output) for output in outputs]
    rows = [bleu_statistics(each, numbered, ORDER) for each in hypotheses]
    return MethodScores(method, numbered, hypotheses, np.array(rows, dtype=np.float64), rules)


def _with_rewritings(
    method: Method, references: Sequence[Sequence[str]], rewritten: Rewritten
) -> tuple[list[list[str]], list[frozenset[str]]]:
    """The references of each segment, each text once, and of every one in turn the rules that made it."""
    kind = "all" if method.rules == "words" else method.rules
    texts: list[list[str]] = []
    rules: list[frozenset[str]] = []
    for number, given in enumerate(references):
        made = dict.fromkeys(given, frozenset[str]())
        for expansion in rewritten.expansions[kind][number] if kind else ():
            for each in expansion.rewritings:
                made.setdefault(each.text, frozenset(step.rule for step in each.lineage))
        if method.rules == "words":
            made |= dict.fromkeys(rewritten.words[number], frozenset[str]())
        texts.append(list(made))
        rules += made.values()
    return texts, rules


# The study of Kanayama (2003) on any outputs, references and human scores.
# Scores by the methods (Table 2), the same on a line from the worst to the best system (Figure 1), their correlation
# with people on all segments and on parts of them, what each rule does to it (Table 3), how many references the rules
# change (section 4.1), and words in the dictionary's spelling as a contrast (section 5.1). Every correlation has its
# interval over samples of the segments; the human scores of systems are not resampled.


ALL: Final = "all"
_BASE, _RULES = "B1", "B4"
_SAMPLE: Final = 200
"""Of section 4.1."""


@dataclass(frozen=True, kw_only=True)
class RuleStudyInput:
    outputs: Sequence[Output]
    references: ScoringReferences
    human: Mapping[str, F64]
    """By the name of the column: shape (systems), all finite."""
    rules: RuleSet
    analyser: Analyser
    parts: Sequence[SegmentDocument] = ()
    """Segments that are also looked at by themselves: domains, documents."""
    without: Sequence[str] = ()
    """Systems that are also left out; those that lie far from all others by human score where none is named."""
    each_rule: bool = True
    """Whether every rule is left out once."""
    cap: int = DEFAULT_CAP
    sampling: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True, slots=True)
class RuleStudyRow:
    """A line of Table 2 and of Figure 1."""

    system: str
    scores: Mapping[str, float]
    """BLEU by method, 0 to 1."""
    human: Mapping[str, float]
    normalised: Mapping[str, float | None]
    """The same scores, the system that is worst by the first human column at 0 and the best at 1; and that column."""


@dataclass(frozen=True, slots=True)
class ScoreAgreement:
    """The correlation of a method's scores with people, on some segments and systems."""

    part: str
    segments: int
    systems: str
    """all, or which are left out."""
    human: str
    method: str
    correlation: MethodCorrelation
    """Its difference is that from B1."""


@dataclass(frozen=True, slots=True)
class StudiedEffect:
    """What a rule does to the correlation (Table 3)."""

    rule: str
    kind: str
    source: str
    segments: int
    """Of which some reference was made by the rule."""
    human: str
    correlation: MethodCorrelation
    """That of B4 without the rule. Its difference is from B4: below 0 where the rule helps."""


@dataclass(frozen=True, slots=True)
class RuleCoverage:
    """How many references rules rewrite (section 4.1)."""

    rules: str
    """polite or all."""
    references: int
    rewritten: int
    with_predicate: int
    """References of which some sentence ends with a predicate; without one there is nothing to make polite."""
    rewritten_with_predicate: int
    drawn: int
    """References drawn by the seed from those with a predicate, 200 if there are as many."""
    drawn_rewritten: int
    mean: float
    """References of a segment, its own included."""
    most: int
    capped: int
    """References that have more rewritings than are kept."""
    dropped: Mapping[str, int]
    """Rewritings left out, by reason."""


@dataclass(frozen=True)
class RuleStudy:
    """All tables."""

    systems: tuple[RuleStudyRow, ...]
    agreement: tuple[ScoreAgreement, ...]
    effects: tuple[StudiedEffect, ...]
    coverage: tuple[RuleCoverage, ...]
    styles: Mapping[str, int]
    """Segments by the style of their first reference."""
    respellings: int
    """Different words that were respelt, the number of rules of section 5.1."""
    rules: Mapping[str, int]
    """Rules that were applied, by kind."""
    off: Mapping[str, str]
    """Rules that were not, with the reason where they are off by default."""
    digest: str
    """Of the rules that were applied."""
    analyser: str
    cap: int
    segments: int
    references: str
    """Digest of the references as given."""
    sampling: Sampling


def rule_study(given: RuleStudyInput) -> Job[RuleStudy]:
    """All tables. Steps are segments to be rewritten, then methods, then rules to be left out.

    Raises UsageError where the analyser is not installed.
    """
    texts = given.references.texts
    rewritten = yield from rewrite(texts, given.rules, given.analyser, given.cap)
    outputs = [output.texts for output in given.outputs]
    scored = []
    for done, method in enumerate(METHODS):
        yield Progress("methods", done, len(METHODS))
        scored.append(method_scores(method, outputs, texts, rewritten))
    figures = _Figures(given, rewritten, scored)
    effects: list[StudiedEffect] = []
    rules = given.rules.enabled if given.each_rule else ()
    for done, rule in enumerate(rules):
        yield Progress("rules left out", done, len(rules))
        effects += figures.effects(rule.name)
    return RuleStudy(
        systems=tuple(figures.systems()),
        agreement=tuple(figures.agreement()),
        effects=tuple(effects),
        coverage=tuple(_coverage(name, given, rewritten) for name in ("polite", "all")),
        styles=dict(Counter(rewritten.styles)),
        respellings=rewritten.respellings,
        rules=dict(Counter(rule.kind for rule in given.rules.enabled)),
        off={rule.name: rule.off or "" for rule in given.rules.rules if rule.name in given.rules.disabled},
        digest=given.rules.digest,
        analyser=given.analyser.identity,
        cap=given.cap,
        segments=len(texts),
        references=given.references.digest,
        sampling=given.sampling,
    )


class _Figures:
    def __init__(self, given: RuleStudyInput, rewritten: Rewritten, scored: Sequence[MethodScores]) -> None:
        self._given = given
        self._styles = np.array(rewritten.styles)
        self._scored = scored
        self._names = [output.system for output in given.outputs]
        self._counts = self._sampled(len(given.references.sets))
        self._rewriting = next(each for each in scored if each.method.name == _RULES)
        self._whole = self._rewriting.statistics.transpose(0, 2, 1) @ self._counts.T

    @cached_property
    def _with_all_rules(self) -> Mapping[str, SampledAgreement]:
        """Of B4, by human column."""
        scores = self._rewriting.scores(self._whole.transpose(0, 2, 1))
        return {column: SampledAgreement.of(scores, human) for column, human in self._given.human.items()}

    def _sampled(self, segments: int) -> F64:
        """All segments, and how often each is in each sample: shape (1 + samples, segments)."""
        sampling = self._given.sampling
        drawn = counts_in_samples(segments, sampling.samples, seed=sampling.seed)
        return np.concatenate([np.ones((1, segments)), *drawn])

    def systems(self) -> Iterator[RuleStudyRow]:
        """In the order of the first human column, the best first."""
        first = next(iter(self._given.human.values()))
        scores = {each.method.name: each.scores(each.statistics.sum(axis=1)) for each in self._scored}
        name = next(iter(self._given.human))
        lines = {method: normalised(row, first) for method, row in {**scores, name: first}.items()}
        for number in np.argsort(-first, kind="stable").tolist():
            yield RuleStudyRow(
                self._names[number],
                {method: float(row[number]) for method, row in scores.items()},
                {column: float(row[number]) for column, row in self._given.human.items()},
                {method: None if np.isnan(row[number]) else float(row[number]) for method, row in lines.items()},
            )

    def agreement(self) -> Iterator[ScoreAgreement]:
        """Of all segments, then of each part; of all systems, then without those that are left out."""
        for name, chosen in self._parts():
            if not chosen.any():
                continue
            counts = self._counts if chosen.all() else self._sampled(int(chosen.sum()))
            scores = {
                each.method.name: np.array([each.scores(counts @ rows[chosen]) for rows in each.statistics])
                for each in self._scored
            }
            for left_out, systems in self._system_sets():
                for column, human in self._given.human.items():
                    base = SampledAgreement.of(scores[_BASE][systems], human[systems])
                    for method, row in scores.items():
                        is_base = method == _BASE
                        ours = base if is_base else SampledAgreement.of(row[systems], human[systems])
                        for each in correlations(ours, None if is_base else base, self._given.sampling.confidence):
                            yield ScoreAgreement(name, int(chosen.sum()), left_out, column, method, each)

    def _parts(self) -> Iterator[tuple[str, Bools]]:
        yield ALL, np.ones(len(self._styles), dtype=np.bool_)
        for part in self._given.parts:
            chosen = np.zeros(len(self._styles), dtype=np.bool_)
            chosen[part.first : part.first + part.segments] = True
            yield part.name, chosen
        for named in ("plain", "polite", "mixed", "none"):
            yield f"reference {'without predicate' if named == 'none' else named}", self._styles == named

    def _system_sets(self) -> Iterator[tuple[str, I64]]:
        yield ALL, np.arange(len(self._names))
        first = next(iter(self._given.human.values()))
        if self._given.without:
            left = np.array([name in self._given.without for name in self._names], dtype=np.bool_)
        else:
            left = outliers(first)
        if left.any():
            names = ", ".join(name for name, out in zip(self._names, left, strict=True) if out)
            yield f"without {names}", np.flatnonzero(~left)

    def effects(self, rule: str) -> Iterator[StudiedEffect]:
        """What leaving out a rule does, by each human column."""
        touched, rows = self._rewriting.without(rule)
        changes = rows - self._rewriting.statistics[:, touched]
        # Columns are summed by sample: only what differs is added to what is there.
        sums = self._whole + changes.transpose(0, 2, 1) @ self._counts[:, touched].T
        scores = self._rewriting.scores(sums.transpose(0, 2, 1))
        known = self._given.rules.by_name[rule]
        for column, human in self._given.human.items():
            ours = SampledAgreement.of(scores, human)
            for found in correlations(ours, self._with_all_rules[column], self._given.sampling.confidence):
                yield StudiedEffect(rule, known.kind, known.source, len(touched), column, found)


def _coverage(rules: str, given: RuleStudyInput, rewritten: Rewritten) -> RuleCoverage:
    """Of the first reference of each segment."""
    firsts = [segment[0] for segment in rewritten.expansions[rules]]
    changed = [bool(each.rewritings) for each in firsts]
    with_predicate = [number for number, style in enumerate(rewritten.styles) if style != "none"]
    drawn = Random(given.sampling.seed).sample(with_predicate, min(_SAMPLE, len(with_predicate)))
    counts = [sum(1 + len(each.rewritings) for each in segment) for segment in rewritten.expansions[rules]]
    return RuleCoverage(
        rules=rules,
        references=len(firsts),
        rewritten=sum(changed),
        with_predicate=len(with_predicate),
        rewritten_with_predicate=sum(changed[number] for number in with_predicate),
        drawn=len(drawn),
        drawn_rewritten=sum(changed[number] for number in drawn),
        mean=sum(counts) / len(counts),
        most=max(counts),
        capped=rewritten.capped[rules],
        dropped=dict(rewritten.dropped[rules]),
    )


def keep_study(store: Store, given: RuleStudyInput, found: RuleStudy) -> int:
    """Keep the effects of a study; returns the number of the run. Effects that are not defined are left out."""
    metric = f"BLEUw4 over ja-sudachi-pos {found.analyser}, references {found.references[:12]}"
    effects = []
    for each in found.effects:
        without, difference = each.correlation.value, each.correlation.difference
        if without is None or difference is None:
            continue
        interval = each.correlation.difference_interval
        bounds = (None, None) if interval is None else (interval.low, interval.high)
        numbers = (each.segments, without - difference, difference, *bounds)
        effects.append(RuleEffect(each.rule, metric, each.human, each.correlation.statistic, *numbers))
    parameters = {
        "systems": [each.system for each in given.outputs],
        "references": found.references,
        "analyser": found.analyser,
        "most": found.cap,
        "samples": found.sampling.samples,
        "seed": found.sampling.seed,
    }
    return keep_effects(store, given.rules, effects, parameters)

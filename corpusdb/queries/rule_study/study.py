"""The study of Kanayama (2003) on any outputs, references and human scores.

Scores by the methods (Table 2), the same on a line from the worst to the best system (Figure 1), their correlation with
people on all segments and on parts of them, what each rule does to it (Table 3), how many references the rules change
(section 4.1), and words in the dictionary's spelling as a contrast (section 5.1). Every correlation has its interval
over samples of the segments; the human scores of systems are not resampled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Final

import numpy as np

from corpusdb.arrays import F64, I64, Bools
from corpusdb.formats.documents import Document
from corpusdb.formats.scoring_input import Output
from corpusdb.japanese import DEFAULT_CAP, RuleSet
from corpusdb.jobs import Job, Progress
from corpusdb.morphemes import Analyser
from corpusdb.queries.evaluation.scoring import Sampling
from corpusdb.queries.references.scoring_references import ScoringReferences
from corpusdb.queries.rule_study.methods import METHODS, MethodScores, Rewritten, method_scores, rewrite
from corpusdb.stats.resampling import counts_in_samples
from corpusdb.stats.system_agreement import outliers
from corpusdb.studies.japanese_rules import Correlation, SampledAgreement, correlations, normalised

__all__ = [
    "ALL",
    "Agreement",
    "Coverage",
    "RuleEffect",
    "RuleStudy",
    "RuleStudyInput",
    "SystemRow",
    "rule_study",
]

ALL: Final = "all"
_BASE, _RULES = "B1", "B4"
_SAMPLE: Final = 200
"""Of section 4.1."""


@dataclass(frozen=True, kw_only=True)
class RuleStudyInput:
    """What is studied."""

    outputs: Sequence[Output]
    references: ScoringReferences
    human: Mapping[str, F64]
    """By the name of the column: shape (systems), all finite."""
    rules: RuleSet
    analyser: Analyser
    parts: Sequence[Document] = ()
    """Segments that are also looked at by themselves: domains, documents."""
    without: Sequence[str] = ()
    """Systems that are also left out; those that lie far from all others by human score where none is named."""
    each_rule: bool = True
    """Whether every rule is left out once."""
    cap: int = DEFAULT_CAP
    sampling: Sampling = field(default_factory=Sampling)


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A line of Table 2 and of Figure 1."""

    system: str
    scores: Mapping[str, float]
    """BLEU by method, 0 to 1."""
    human: Mapping[str, float]
    normalised: Mapping[str, float | None]
    """The same scores, the system that is worst by the first human column at 0 and the best at 1; and that column."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The correlation of a method's scores with people, on some segments and systems."""

    part: str
    segments: int
    systems: str
    """all, or which are left out."""
    human: str
    method: str
    correlation: Correlation
    """Its difference is that from B1."""


@dataclass(frozen=True, slots=True)
class RuleEffect:
    """What a rule does to the correlation (Table 3)."""

    rule: str
    kind: str
    source: str
    segments: int
    """Of which some reference was made by the rule."""
    human: str
    correlation: Correlation
    """That of B4 without the rule. Its difference is from B4: below 0 where the rule helps."""


@dataclass(frozen=True, slots=True)
class Coverage:
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

    systems: tuple[SystemRow, ...]
    agreement: tuple[Agreement, ...]
    effects: tuple[RuleEffect, ...]
    coverage: tuple[Coverage, ...]
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
    effects: list[RuleEffect] = []
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
    """Figures from the statistics of all methods, each on the same samples."""

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

    def systems(self) -> Iterator[SystemRow]:
        """In the order of the first human column, the best first."""
        first = next(iter(self._given.human.values()))
        scores = {each.method.name: each.scores(each.statistics.sum(axis=1)) for each in self._scored}
        name = next(iter(self._given.human))
        lines = {method: normalised(row, first) for method, row in {**scores, name: first}.items()}
        for number in np.argsort(-first, kind="stable").tolist():
            yield SystemRow(
                self._names[number],
                {method: float(row[number]) for method, row in scores.items()},
                {column: float(row[number]) for column, row in self._given.human.items()},
                {method: None if np.isnan(row[number]) else float(row[number]) for method, row in lines.items()},
            )

    def agreement(self) -> Iterator[Agreement]:
        """Of all segments, then of each part; of all systems, then without those that are left out."""
        for name, chosen in self._parts():
            if not chosen.any():
                continue
            counts = self._counts if name == ALL else self._sampled(int(chosen.sum()))
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
                            yield Agreement(name, int(chosen.sum()), left_out, column, method, each)

    def _parts(self) -> Iterator[tuple[str, Bools]]:
        yield ALL, np.ones(len(self._styles), dtype=np.bool_)
        for part in self._given.parts:
            chosen = np.zeros(len(self._styles), dtype=np.bool_)
            chosen[part.first : part.first + part.segments] = True
            yield part.name, chosen
        for style in ("plain", "polite", "mixed", "none"):
            yield f"reference {'without predicate' if style == 'none' else style}", self._styles == style

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

    def effects(self, rule: str) -> Iterator[RuleEffect]:
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
                yield RuleEffect(rule, known.kind, known.source, len(touched), column, found)


def _coverage(rules: str, given: RuleStudyInput, rewritten: Rewritten) -> Coverage:
    """Of the first reference of each segment."""
    firsts = [segment[0] for segment in rewritten.expansions[rules]]
    changed = [bool(each.rewritings) for each in firsts]
    with_predicate = [number for number, style in enumerate(rewritten.styles) if style != "none"]
    drawn = Random(given.sampling.seed).sample(with_predicate, min(_SAMPLE, len(with_predicate)))
    counts = [sum(1 + len(each.rewritings) for each in segment) for segment in rewritten.expansions[rules]]
    return Coverage(
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

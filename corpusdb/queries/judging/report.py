"""What the judges of a sample found: rates, the paper's Table 6, agreement, and precision by threshold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final, TypeAlias

from corpusdb.ngrams.fluency_orders import NO_LIMIT
from corpusdb.queries.judging.rewritings import Made, rules_behind
from corpusdb.queries.judging.samples import Sample, Source
from corpusdb.queries.judging.verdicts import ACCEPTING, SKIP, VERDICTS
from corpusdb.stats.agreement import Kappa, cohen_kappa, contingency_table
from corpusdb.stats.intervals import Interval, clopper_pearson, wilson
from corpusdb.store import Store

__all__ = [
    "Agreement",
    "Disagreement",
    "JudgeReport",
    "JudgedItem",
    "JudgingReport",
    "Precision",
    "Rate",
    "Refused",
    "RulePrecision",
    "judged_items",
    "judging_report",
]

_SCORES: Final = (*(step / 20 for step in range(20)), 0.99)
"""The ranking scores for which the precision is reported."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of judged items that were accepted, with its 95 % confidence intervals."""

    judged: int
    accepted: int
    rate: float | None
    """0 to 1; None where nothing was judged."""
    wilson: Interval
    clopper_pearson: Interval


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """What one judge said, or the majority; the rate is over candidates, that of the controls stands apart."""

    judge: str | None
    """None for the majority of all judges."""
    verdicts: dict[str, int]
    """How many candidates got each verdict."""
    skipped: int
    undecided: int
    """Candidates for which as many judges were as against; 0 for one judge."""
    candidates: Rate
    controls: Rate


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two judges agree on the items, controls among them, that both judged."""

    first: str
    second: str
    kappa: Kappa


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item of which not all judges said the same."""

    item: int
    seed: str | None
    text: str
    verdicts: dict[str, str]
    comments: dict[str, str]


@dataclass(frozen=True, slots=True)
class Precision:
    """The rate among the candidates at a threshold or above it."""

    threshold: float | None
    """A fluency order or a ranking score; None for the sentences that the corpus has whole."""
    judged: int
    rate: float
    interval: Interval
    """Wilson's, at 95 %."""


@dataclass(frozen=True, slots=True)
class RulePrecision:
    """The rate among the rewritings that a rule had a part in."""

    rule: str
    judged: int
    accepted: int
    rate: float
    interval: Interval
    """Wilson's, at 95 %."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A rewriting that more judges are against than for."""

    item: int
    seed: str | None
    text: str
    made: Made
    comments: dict[str, str]


@dataclass(frozen=True, slots=True)
class JudgingReport:
    """Everything that a sample tells."""

    sample: Sample
    judges: tuple[JudgeReport, ...]
    pooled: JudgeReport
    agreements: tuple[Agreement, ...]
    disagreements: tuple[Disagreement, ...]
    by_order: tuple[Precision, ...]
    by_score: tuple[Precision, ...]
    """By order and by score: of what was generated; empty for rewritings."""
    by_rule: tuple[RulePrecision, ...] = ()
    """Of rewritings: the lowest rate first; a rewriting counts for each rule that made it."""
    refused: tuple[Refused, ...] = ()
    """Of rewritings: those that were not accepted."""


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """An item with what all judges said of it, skips left out."""

    position: int
    seed: str | None
    text: str
    source: Source
    order: int
    score: float | None
    verdicts: dict[str, str] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)

    @property
    def accepted(self) -> bool | None:
        """Whether more judges are for it than against it; None where neither."""
        balance = sum(1 if verdict in ACCEPTING else -1 for verdict in self.verdicts.values())
        return None if not balance else balance > 0

    @property
    def verdict(self) -> str | None:
        """The verdict that more judges gave than any other; None where there is none."""
        ranked = Counter(self.verdicts.values()).most_common(2)
        tied = len(ranked) == 2 and ranked[0][1] == ranked[1][1]
        return ranked[0][0] if ranked and not tied else None


def judging_report(store: Store, sample: Sample) -> JudgingReport:
    """The rates of each judge and of the majority, their agreement, and the precision by order and by score.

    An item is accepted where more judges accept it than not; where as many do, it is undecided and in no pooled rate.
    The precisions are those of the majority; for rewritings they are by rule instead. Skipped items count nowhere.
    """
    items, skipped = judged_items(store, sample)
    judges = sorted({judge for item in items for judge in item.verdicts} | set(skipped))
    candidates = [item for item in items if item.source == "candidate"]
    decided = [(item, accepted) for item in candidates if (accepted := item.accepted) is not None]
    generated = decided if sample.drawn_from == "generated" else []
    made = rules_behind(store, sample.id)
    rewritten = [(item, made[item.position - 1], accepted) for item, accepted in decided] if made else []
    return JudgingReport(
        sample=sample,
        judges=tuple(_of_judge(sample, items, judge, skipped[judge]) for judge in judges),
        pooled=_of_majority(sample, items),
        agreements=tuple(_agreement(sample, items, *pair) for pair in combinations(judges, 2)),
        disagreements=tuple(
            Disagreement(item.position, item.seed, item.text, item.verdicts, item.comments)
            for item in items
            if len(set(item.verdicts.values())) > 1
        ),
        by_order=tuple(_precisions([(item.order, accepted) for item, accepted in generated])),
        by_score=tuple(_precisions([(item.score or 0.0, accepted) for item, accepted in generated], _SCORES)),
        by_rule=tuple(_by_rule((by, accepted) for _, by, accepted in rewritten)),
        refused=tuple(
            Refused(item.position, item.seed, item.text, by, item.comments)
            for item, by, accepted in rewritten
            if not accepted
        ),
    )


def _by_rule(decided: Iterable[tuple[Made, bool]]) -> list[RulePrecision]:
    """The rate of each rule, whatever its direction."""
    said: dict[str, list[bool]] = {}
    for made, accepted in decided:
        for rule in dict.fromkeys(step.rpartition(" ")[0] for step in made):
            said.setdefault(rule, []).append(accepted)
    found = [
        RulePrecision(rule, len(each), sum(each), sum(each) / len(each), wilson(sum(each), len(each)))
        for rule, each in said.items()
    ]
    return sorted(found, key=lambda each: (each.rate, -each.judged, each.rule))


_ITEMS = """
select id, position, seed_text, text, source, {reached}, score
from sample_item where sample = ? order by position
"""
_SAID = """
select said.item, said.judge, said.verdict, said.comment
from current_judgement said join sample_item item on item.id = said.item where item.sample = ? order by said.judge
"""


def judged_items(store: Store, sample: Sample) -> tuple[list[JudgedItem], Counter[str]]:
    """All items in the order of the sample, and how many candidates each judge skipped."""
    rows = store.connection.execute(_ITEMS.format(reached=sample.n_sequences.reached("sample_item")), (sample.id,))
    items = {number: JudgedItem(*figures) for number, *figures in rows}
    skipped: Counter[str] = Counter()
    for number, judge, verdict, comment in store.connection.execute(_SAID, (sample.id,)):
        item = items[number]
        if verdict == SKIP:
            skipped[judge] += item.source == "candidate"
        else:
            item.verdicts[judge] = verdict
        if comment:
            item.comments[judge] = comment
    return list(items.values()), skipped


def _of_judge(sample: Sample, items: Iterable[JudgedItem], judge: str, skipped: int) -> JudgeReport:
    said = [(item.source == "candidate", item.verdicts[judge]) for item in items if judge in item.verdicts]
    candidates = [verdict for is_candidate, verdict in said if is_candidate]
    controls = [verdict for is_candidate, verdict in said if not is_candidate]
    return JudgeReport(
        judge=judge,
        verdicts=_counted(sample, candidates),
        skipped=skipped,
        undecided=0,
        candidates=_rate([verdict in ACCEPTING for verdict in candidates]),
        controls=_rate([verdict in ACCEPTING for verdict in controls]),
    )


def _of_majority(sample: Sample, items: Iterable[JudgedItem]) -> JudgeReport:
    judged = [item for item in items if item.verdicts]
    candidates = [item for item in judged if item.source == "candidate"]
    controls = [item.accepted for item in judged if item.source != "candidate"]
    return JudgeReport(
        judge=None,
        verdicts=_counted(sample, [item.verdict for item in candidates]),
        skipped=0,
        undecided=sum(item.accepted is None for item in candidates),
        candidates=_rate([item.accepted for item in candidates if item.accepted is not None]),
        controls=_rate([accepted for accepted in controls if accepted is not None]),
    )


def _counted(sample: Sample, verdicts: Iterable[str | None]) -> dict[str, int]:
    counts = Counter(verdicts)
    return {verdict: counts[verdict] for verdict in VERDICTS[sample.kind]}


def _rate(accepted: Sequence[bool]) -> Rate:
    total, good = len(accepted), sum(accepted)
    return Rate(total, good, good / total if total else None, wilson(good, total), clopper_pearson(good, total))


def _agreement(sample: Sample, items: Iterable[JudgedItem], first: str, second: str) -> Agreement:
    both = [item.verdicts for item in items if first in item.verdicts and second in item.verdicts]
    labels = VERDICTS[sample.kind]
    table = contingency_table([each[first] for each in both], [each[second] for each in both], labels)
    return Agreement(first, second, cohen_kappa(table))


Figured: TypeAlias = Sequence[tuple[float, bool]]
"""A figure of each item, and whether the item was accepted."""


def _precisions(figured: Figured, thresholds: Sequence[float] = ()) -> Iterator[Precision]:
    """The rate at each threshold (none given: every figure there is), but for those that leave out no item more."""
    before = 0
    for threshold in sorted(thresholds or {figure for figure, _ in figured}):
        above = [accepted for figure, accepted in figured if figure >= threshold]
        if above and len(above) != before:
            before, good = len(above), sum(above)
            shown = None if threshold == NO_LIMIT else threshold
            yield Precision(shown, before, good / before, wilson(good, before))

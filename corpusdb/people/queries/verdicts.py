"""What judges say of a sample, and what that amounts to: rates, Table 6, agreement, precision by threshold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from corpusdb.base.display import check_name
from corpusdb.base.errors import InputError
from corpusdb.base.estimates import Interval, Kappa, clopper_pearson, cohen_kappa, contingency_table, wilson
from corpusdb.base.text import normalise
from corpusdb.corpus.model import Finding
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.connection import keep_private, now
from corpusdb.paraphrase.queries.origins.registry import select_origins
from corpusdb.paraphrase.ranking import validity
from corpusdb.people.queries.samples import Kind, Made, Sample, SheetLine, Source, rules_behind, samples

# What judges say of a sample, of which they see the texts only: the next item, its verdict, and taking it back.

VERDICTS: Final[dict[Kind, tuple[str, ...]]] = {
    "grammaticality": ("yes", "no"),
    "meaning": ("equivalence", "entailment", "neither"),
}
"""What can be said of an item, in the order of the paper's Table 6."""
ACCEPTING: Final = frozenset({"yes", "equivalence", "entailment"})
"""The verdicts that count for an item: a correct sentence, a valid paraphrase (section 6.2)."""
SKIP: Final = "skip"
"""Said of an item that is to come again after all others."""
LETTERS: Final = {"y": "yes", "n": "no", "=": "equivalence", ">": "entailment", "x": "neither", "s": SKIP}


@dataclass(frozen=True, slots=True)
class BlindItem:
    """All that a judge sees of an item."""

    item: int
    """Its position in the sample, from 1."""
    seed: str | None
    """The sentence to compare with; None where grammaticality is judged."""
    text: str


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """How far a judge is with a sample.

    While somebody judges, the rate is over all items that were judged, controls among them: one that stood still would
    tell which they are. Once all are judged it is that of the candidates alone, as in reports.
    """

    judged: int
    skipped: int
    total: int
    accepted: int
    rate: float | None
    """From 0 to 1; None before the first."""
    interval: Interval
    """Wilson's, at 95 %."""


def parse_verdict(kind: Kind, word: str) -> str:
    """The verdict that a word or a letter stands for. Raises InputError for what cannot be said of this kind."""
    verdict = LETTERS.get(word.strip().casefold(), word.strip().casefold())
    possible = (*VERDICTS[kind], SKIP)
    if verdict not in possible:
        letters = {verdict: letter for letter, verdict in LETTERS.items()}
        told = ", ".join(f"{each} ({letters[each]})" for each in possible)
        raise InputError(f"{word!r} is not a verdict on {kind}; there are {told}")
    return verdict


_NEXT = """
select item.position, item.seed_text, item.text from sample_item item
left join current_judgement said on said.item = item.id and said.judge = :judge
where item.sample = :sample and (said.id is null or said.verdict = 'skip')
order by coalesce(said.id, 0), item.position limit :limit
"""


def next_items(store: Store, sample: Sample, judge: str, limit: int = 1) -> list[BlindItem]:
    """What ``judge`` has still to judge: in the order of the sample, then those skipped, in the order of skipping.

    ``limit`` 0 is all.
    """
    bound = {"sample": sample.id, "judge": judge, "limit": limit or -1}
    return [BlindItem(*row) for row in store.connection.execute(_NEXT, bound)]


_RECORD = """
insert into judgement (item, judge, verdict, comment, judged)
select id, :judge, :verdict, :comment, :now from sample_item where sample = :sample and position = :item
"""

_SAID = """
select said.verdict, said.comment from current_judgement said join sample_item item on item.id = said.item
where item.sample = :sample and item.position = :item and said.judge = :judge
"""


def record(store: Store, sample: Sample, judge: str, item: int, verdict: str, comment: str | None = None) -> None:
    """Write down what ``judge`` says of an item, in place of what the same judge said before.

    To say the same again changes nothing, but for a skip, which sends the item to the end once more.

    ``verdict`` is a word or a letter (see ``LETTERS``). When this returns, the file has it, and whoever could only read
    the file no longer can, since it names a judge. Raises InputError for a verdict that cannot be given or an item that
    is not there, and UsageError for a name that is none.
    """
    verdict = parse_verdict(sample.kind, verdict)
    check_name(judge, "a judge")
    said = normalise(comment or "") or None
    bound: dict[str, object] = {"sample": sample.id, "item": item, "judge": judge, "verdict": verdict, "now": now()}
    with store.write() as connection:
        if verdict != SKIP and connection.execute(_SAID, bound).fetchone() == (verdict, said):
            return
        if not connection.execute(_RECORD, bound | {"comment": said}).rowcount:
            raise InputError(_no_item(sample, item))
        if keep_private(store.path):
            store.notes += (
                f"{store.path} names judges now: only you may read it (`corpusdb guide sharing` says how to share it)",
            )


_UNDO = """
update judgement set undone = :now
where id = (
    select max(judgement.id) from judgement join sample_item on sample_item.id = judgement.item
    where sample_item.sample = :sample and judgement.judge = :judge and judgement.undone is null
)
returning item
"""
_BLIND = "select position, seed_text, text from sample_item where id = ?"


def undo(store: Store, sample: Sample, judge: str) -> BlindItem | None:
    """Take back the last judgement of ``judge`` that was not taken back yet; its item, or None where there is none.

    What the judge had said of the item before stands again. The row stays, with the time at which it was taken back.
    """
    with store.write() as connection:
        row = connection.execute(_UNDO, {"sample": sample.id, "judge": judge, "now": now()}).fetchone()
        return None if row is None else BlindItem(*connection.execute(_BLIND, row).fetchone())


_COUNTS = """
select said.verdict, count(*) from current_judgement said join sample_item item on item.id = said.item
where item.sample = :sample and said.judge = :judge and (:controls or item.source = 'candidate')
group by said.verdict
"""


def progress(store: Store, sample: Sample, judge: str, *, controls: bool = True) -> JudgeProgress:
    """How far ``judge`` is, and the rate so far; without ``controls``, of the candidates alone."""
    bound = {"sample": sample.id, "judge": judge, "controls": controls}
    counts: dict[str, int] = dict(store.connection.execute(_COUNTS, bound))
    skipped = counts.pop(SKIP, 0)
    judged, accepted = sum(counts.values()), sum(count for verdict, count in counts.items() if verdict in ACCEPTING)
    total = sample.items - (0 if controls else sample.controls)
    rate, interval = accepted / judged if judged else None, wilson(accepted, judged)
    if controls and sample.controls and judged == total:
        alone = progress(store, sample, judge, controls=False)
        rate, interval = alone.rate, alone.interval
    return JudgeProgress(judged, skipped, total, accepted, rate, interval)


_SHEET = """
select item.position, item.seed_text, item.text, said.verdict, said.comment from sample_item item
left join current_judgement said on said.item = item.id and said.judge = :judge
where item.sample = :sample order by said.verdict is 'skip', item.position
"""


def sheet(store: Store, sample: Sample, judge: str) -> list[SheetLine]:
    """Every item with what ``judge`` said of it so far, empty where nothing; those skipped come last."""
    rows = store.connection.execute(_SHEET, {"sample": sample.id, "judge": judge})
    return [
        SheetLine(item, seed or "", text, verdict or "", comment or "") for item, seed, text, verdict, comment in rows
    ]


def record_sheet(
    store: Store, sample: Sample, judge: str, lines: Iterable[tuple[int, SheetLine]], path: Path | str
) -> int:
    """Record what a sheet says that was not said before, all of it or nothing; how many judgements are new.

    ``lines`` are given with their numbers in the file ``path``. One without a verdict says nothing. Raises InputError,
    with file and line, for a verdict that cannot be given, an item that the sample does not have or that stands there
    twice, and for texts that are not those of the item: the sheet is then one of another sample.
    """
    with store.write():
        left = {line.item: line for line in sheet(store, sample, judge)}
        changed: list[tuple[SheetLine, str]] = []
        for number, line in lines:
            try:
                own = _own_line(sample, left, line)
                verdict = parse_verdict(sample.kind, line.verdict) if line.verdict.strip() else ""
            except InputError as error:
                raise InputError(error.reason, path=path, line=number) from error
            if verdict and (verdict != own.verdict or not line.has_comment_of(own)):
                changed.append((line, verdict))
        for line, verdict in changed:
            record(store, sample, judge, line.item, verdict, line.comment)
    return len(changed)


def _own_line(sample: Sample, left: dict[int, SheetLine], line: SheetLine) -> SheetLine:
    """Take the sample's own line for the item of ``line`` out of those that were not met yet."""
    own = left.pop(line.item, None)
    if own is None:
        if 1 <= line.item <= sample.items:
            raise InputError(f"item {line.item} appears twice")
        raise InputError(_no_item(sample, line.item))
    if not line.is_about(own):
        raise InputError(f"item {line.item} of sample {sample.name!r} is {own.text!r}, not {line.text!r}")
    return own


def _no_item(sample: Sample, item: int) -> str:
    return f"sample {sample.name!r} has no item {item}; its items are 1 to {sample.items}"


# What the judges of a sample found: rates, the paper's Table 6, agreement, and precision by threshold.

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
    equivalence: Rate | None
    """Of the candidates with a verdict, those that mean just the same; None where grammaticality is judged. Of the
    majority, those with a verdict that more judges gave than any other."""


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
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
    agreements: tuple[JudgeAgreement, ...]
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
_SAID_OF_ALL = """
select said.item, said.judge, said.verdict, said.comment
from current_judgement said join sample_item item on item.id = said.item where item.sample = ? order by said.judge
"""


def judged_items(store: Store, sample: Sample) -> tuple[list[JudgedItem], Counter[str]]:
    """All items in the order of the sample, and how many candidates each judge skipped."""
    rows = store.connection.execute(_ITEMS.format(reached=sample.n_sequences.reached("sample_item")), (sample.id,))
    items = {number: JudgedItem(*figures) for number, *figures in rows}
    skipped: Counter[str] = Counter()
    for number, judge, verdict, comment in store.connection.execute(_SAID_OF_ALL, (sample.id,)):
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
        equivalence=_equivalence(sample, candidates),
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
        equivalence=_equivalence(sample, [item.verdict for item in candidates]),
    )


def _equivalence(sample: Sample, verdicts: Iterable[str | None]) -> Rate | None:
    if sample.kind != "meaning":
        return None
    return _rate([verdict == "equivalence" for verdict in verdicts if verdict is not None])


def _counted(sample: Sample, verdicts: Iterable[str | None]) -> dict[str, int]:
    counts = Counter(verdicts)
    return {verdict: counts[verdict] for verdict in VERDICTS[sample.kind]}


def _rate(accepted: Sequence[bool]) -> Rate:
    total, good = len(accepted), sum(accepted)
    return Rate(total, good, good / total if total else None, wilson(good, total), clopper_pearson(good, total))


def _agreement(sample: Sample, items: Iterable[JudgedItem], first: str, second: str) -> JudgeAgreement:
    both = [item.verdicts for item in items if first in item.verdicts and second in item.verdicts]
    labels = VERDICTS[sample.kind]
    table = contingency_table([each[first] for each in both], [each[second] for each in both], labels)
    return JudgeAgreement(first, second, cohen_kappa(table))


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


# What judges said of pairs, beside the probability that the corpus gives these.


class JudgedPair(NamedTuple):
    """A pair that more judges of a sample accepted than not, or the other way round."""

    validity: float
    """As it is now."""
    accepted: bool


def judged_pairs(store: Store, language: str) -> list[JudgedPair]:
    """The pairs of all samples of a language in which meaning was judged, controls among them.

    Pairs of which as many judges accept as not are left out, and those whose validity is not known.
    """
    wanted = [each for each in samples(store) if each.kind == "meaning" and each.language == language]
    decided = [
        (item.seed, item.text, accepted)
        for sample in wanted
        for item in judged_items(store, sample)[0]
        if (accepted := item.accepted) is not None
    ]
    if not decided:
        return []
    findings: dict[tuple[str, str], list[Finding]] = {}
    for origin in select_origins():
        for seed, finding in origin.findings_of(store, language, [text for _, text, _ in decided]):
            findings.setdefault((seed, finding.text), []).append(finding)
    known = ((validity(findings.get((seed or "", text), ())), accepted) for seed, text, accepted in decided)
    return [JudgedPair(value, accepted) for value, accepted in known if value is not None]

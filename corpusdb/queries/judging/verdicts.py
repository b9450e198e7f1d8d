"""What judges say of a sample: the next item, its verdict, and taking it back.

A judge never sees more of an item than its texts. An item is known by its position in the shuffled order of its sample.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.display import check_name
from corpusdb.errors import InputError
from corpusdb.formats.judging_sheets import SheetLine
from corpusdb.queries.judging.samples import Kind, Sample
from corpusdb.stats.intervals import Interval, wilson
from corpusdb.store import Store
from corpusdb.store.clock import now
from corpusdb.store.permissions import keep_private
from corpusdb.text import normalise

__all__ = [
    "ACCEPTING",
    "LETTERS",
    "SKIP",
    "VERDICTS",
    "BlindItem",
    "Standing",
    "next_items",
    "parse_verdict",
    "progress",
    "record",
    "record_sheet",
    "sheet",
    "undo",
]

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
"""Short forms of the verdicts."""


@dataclass(frozen=True, slots=True)
class BlindItem:
    """All that a judge sees of an item."""

    item: int
    """Its position in the sample, from 1."""
    seed: str | None
    """The sentence to compare with; None where grammaticality is judged."""
    text: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a judge is with a sample.

    While somebody judges, the rate is over all items that were judged, controls among them: one that stood still would
    tell which they are.
    """

    judged: int
    skipped: int
    total: int
    accepted: int
    rate: float | None
    """Accepted of judged, 0 to 1; None before the first."""
    interval: Interval
    """Wilson's, at 95 %."""


def parse_verdict(kind: Kind, word: str) -> str:
    """The verdict that a word or a letter stands for. Raises InputError for what cannot be said of this kind."""
    verdict = LETTERS.get(word.strip().casefold(), word.strip().casefold())
    possible = (*VERDICTS[kind], SKIP)
    if verdict not in possible:
        letters = {verdict: letter for letter, verdict in LETTERS.items()}
        told = ", ".join(f"{each} ({letters[each]})" for each in possible)
        raise InputError(f"{word!r} is no verdict on {kind}; there are {told}")
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


def progress(store: Store, sample: Sample, judge: str, *, controls: bool = True) -> Standing:
    """How far ``judge`` is, and the rate so far; without ``controls``, of the candidates alone, as reports tell it."""
    bound = {"sample": sample.id, "judge": judge, "controls": controls}
    counts: dict[str, int] = dict(store.connection.execute(_COUNTS, bound))
    skipped = counts.pop(SKIP, 0)
    judged, accepted = sum(counts.values()), sum(count for verdict, count in counts.items() if verdict in ACCEPTING)
    return Standing(
        judged=judged,
        skipped=skipped,
        total=sample.items - (0 if controls else sample.controls),
        accepted=accepted,
        rate=accepted / judged if judged else None,
        interval=wilson(accepted, judged),
    )


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
            raise InputError(f"item {line.item} stands here twice")
        raise InputError(_no_item(sample, line.item))
    if not line.is_about(own):
        raise InputError(f"item {line.item} of sample {sample.name!r} is {own.text!r}, not {line.text!r}")
    return own


def _no_item(sample: Sample, item: int) -> str:
    return f"sample {sample.name!r} has no item {item}; its items are 1 to {sample.items}"

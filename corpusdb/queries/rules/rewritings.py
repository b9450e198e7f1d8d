"""What rules made of texts, kept with its lineage.

Rewritings follow from a text and a method alone, not from the corpus: those of other rules, another analyser or another
limit are rows of another method, so that none goes stale when the corpus or the rules change.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from corpusdb.japanese import Change, Direction, Expansion, Rewriting, Step
from corpusdb.jobs import Job, Progress
from corpusdb.options import record_from_json
from corpusdb.queries.rules.method import RewritingMethod
from corpusdb.queries.rules.stored_rules import store_rule_set
from corpusdb.store import Run, Store, finish_run, start_run
from corpusdb.store.exclusive_jobs import exclusive
from corpusdb.store.runs import keep_counts, run_counts
from corpusdb.text import normalise

__all__ = [
    "REWRITING",
    "RewritingReport",
    "StoredRewriting",
    "expansions",
    "keep_rewritings",
    "lineage_document",
    "lineage_from",
    "rewriting_counts",
    "rule_uses",
    "stored_rewritings",
]

REWRITING: Final = "rewrite"
"""The operation of the runs that keep rewritings."""
_TEXTS_PER_TRANSACTION: Final = 200


@dataclass(frozen=True, slots=True)
class RewritingReport:
    """What came of rewriting texts."""

    texts: int
    rewritten: int
    """Texts of which something came."""
    rewritings: int
    dropped: dict[str, int]
    """How many rewritings were dropped, by the reason."""

    def with_more(self, other: RewritingReport) -> RewritingReport:
        """The counts of both together."""
        dropped = Counter(self.dropped) + Counter(other.dropped)
        return RewritingReport(
            self.texts + other.texts,
            self.rewritten + other.rewritten,
            self.rewritings + other.rewritings,
            dict(sorted(dropped.items())),
        )


_NOTHING: Final = RewritingReport(0, 0, 0, {})


def rewriting_counts(found: Iterable[Expansion]) -> RewritingReport:
    """The counts of these rewritings."""
    known = list(found)
    dropped: Counter[str] = Counter()
    for each in known:
        dropped.update(each.dropped)
    rewritings = [len(each.rewritings) for each in known]
    return RewritingReport(len(known), sum(map(bool, rewritings)), sum(rewritings), dict(sorted(dropped.items())))


def expansions(method: RewritingMethod, texts: Sequence[str]) -> Job[list[Expansion]]:
    """The rewritings of each text, in their order; nothing is kept."""
    found = []
    for number, text in enumerate(texts):
        yield Progress("rewriting texts", number, len(texts))
        found.append(method.expander.expand(text))
    return found


_ADD_METHOD = """
insert into rewriting_method (rule_set, analyser, most, run) values (?, ?, ?, ?)
on conflict (rule_set, analyser, most) do nothing
"""
_METHOD = """
select rewriting_method.id from rewriting_method join rule_set on rule_set.id = rewriting_method.rule_set
where rule_set.digest = ? and analyser = ? and most = ?
"""
_KNOWN = "select text from rewritten_text where method = ? and text in (select value from json_each(?))"


@exclusive("rules")
def keep_rewritings(store: Store, method: RewritingMethod, texts: Sequence[str]) -> Job[RewritingReport]:
    """Rewrite texts and keep what comes out; those that the method was applied to already stay as they are.

    Some hundreds in each transaction: an interrupted call goes on behind the last. The report is of all the texts,
    each once, normalised.
    """
    wanted = list(dict.fromkeys(map(normalise, texts)))
    left = _left(store, method, wanted)
    if left:
        digest = hashlib.sha256("\n".join(wanted).encode()).hexdigest()[:16]
        with store.write():
            run = start_run(store, REWRITING, method.document() | {"texts": digest})
            number = _method(store, method, run)
            counts = record_from_json(RewritingReport, asdict(_NOTHING) | run_counts(store, run), of="a run of rules")
        for begin in range(0, len(left), _TEXTS_PER_TRANSACTION):
            yield Progress("rewriting texts", len(wanted) - len(left) + begin, len(wanted))
            found = [method.expander.expand(text) for text in left[begin : begin + _TEXTS_PER_TRANSACTION]]
            with store.write():
                for each in found:
                    _store(store, number, each, run)
                counts = counts.with_more(rewriting_counts(found))
                keep_counts(store, run, asdict(counts))
        with store.write():
            finish_run(store, run, asdict(counts))
    return _report(store, method, wanted)


def _left(store: Store, method: RewritingMethod, texts: Sequence[str]) -> list[str]:
    """The texts to which the method was not applied yet."""
    row = store.connection.execute(_METHOD, _key(method)).fetchone()
    if row is None:
        return [*texts]
    known = {text for (text,) in store.connection.execute(_KNOWN, (row[0], json.dumps(texts)))}
    return [text for text in texts if text not in known]


def _key(method: RewritingMethod) -> tuple[str, str, int]:
    return method.rules.digest, method.analyser.identity, method.most


def _method(store: Store, method: RewritingMethod, run: Run) -> int:
    rules = store_rule_set(store, method.rules, run)
    store.connection.execute(_ADD_METHOD, (rules, method.analyser.identity, method.most, run.id))
    return int(store.connection.execute(_METHOD, _key(method)).fetchone()[0])


_ADD_TEXT = "insert into rewritten_text (method, text, dropped, run) values (?, ?, ?, ?)"
_ADD = "insert into rewriting (origin, position, text, lineage) values (?, ?, ?, ?)"


def _store(store: Store, method: int, found: Expansion, run: Run) -> None:
    values = (method, found.text, json.dumps(found.dropped, sort_keys=True), run.id)
    origin = store.connection.execute(_ADD_TEXT, values).lastrowid
    rows = [
        (origin, position, each.text, json.dumps(lineage_document(each.lineage), ensure_ascii=False))
        for position, each in enumerate(found.rewritings, 1)
    ]
    store.connection.executemany(_ADD, rows)


def _report(store: Store, method: RewritingMethod, texts: Sequence[str]) -> RewritingReport:
    (number,) = store.connection.execute(_METHOD, _key(method)).fetchone() or (0,)
    rows = [row for text in texts for row in store.connection.execute(_OF_TEXT_COUNTS, (number, text))]
    dropped: Counter[str] = Counter()
    for _, said in rows:
        dropped.update(json.loads(said))
    counts = [count for count, _ in rows]
    return RewritingReport(len(texts), sum(map(bool, counts)), sum(counts), dict(sorted(dropped.items())))


_OF_TEXT_COUNTS = """
select (select count(*) from rewriting where rewriting.origin = rewritten_text.id), dropped from rewritten_text
where method = ? and text = ?
"""


@dataclass(frozen=True, slots=True)
class StoredRewriting:
    """A rewriting that is kept."""

    id: int
    origin: str
    """The text that was rewritten."""
    rewriting: Rewriting
    rule_set: str
    """The digest of the rules."""
    analyser: str
    most: int
    run: int


_STORED = """
select rewriting.id, rewritten_text.text, rewriting.text, lineage, rule_set.digest, analyser, most, rewritten_text.run
from rewritten_text join rewriting on rewriting.origin = rewritten_text.id
join rewriting_method on rewriting_method.id = rewritten_text.method
join rule_set on rule_set.id = rewriting_method.rule_set
"""
_OF_TEXT = f"{_STORED} where rewritten_text.text = ? order by rewritten_text.method, position"


def stored_rewritings(store: Store, text: str) -> list[StoredRewriting]:
    """All that is kept of a text, method after method, each in the order in which its rules made them."""
    return [_stored(*row) for row in store.connection.execute(_OF_TEXT, (normalise(text),))]


def _stored(number: int, origin: str, text: str, lineage: str, *method: Any) -> StoredRewriting:
    rules, analyser, most, run = method
    return StoredRewriting(
        number, origin, Rewriting(text, lineage_from(json.loads(lineage))), rules, analyser, most, run
    )


_USES = """
select json_extract(step.value, '$[0]'), count(*)
from rewritten_text join rewriting on rewriting.origin = rewritten_text.id, json_each(rewriting.lineage) step
join rewriting_method on rewriting_method.id = rewritten_text.method
join rule_set on rule_set.id = rewriting_method.rule_set
where :rules is null or rule_set.digest = :rules
group by 1 order by 1
"""


def rule_uses(store: Store, rule_set: str | None = None) -> dict[str, int]:
    """How many of the rewritings that are kept each rule had a part in, by its name.

    ``rule_set``: the digest of the rules that made them; None for all.
    """
    return dict(store.connection.execute(_USES, {"rules": rule_set}).fetchall())


def lineage_document(lineage: Iterable[Step]) -> list[list[object]]:
    """A lineage as JSON has it: of each step the rule, the direction and the places of its changes."""
    return [[step.rule, step.direction.value, [_places(each) for each in step.changes]] for step in lineage]


def _places(change: Change) -> list[int]:
    return [change.begin, change.end, change.new_begin, change.new_end]


def lineage_from(document: Sequence[Sequence[Any]]) -> tuple[Step, ...]:
    """The lineage of which ``document`` is the document."""
    return tuple(
        Step(rule, Direction(direction), tuple(Change(*places) for places in changes))
        for rule, direction, changes in document
    )

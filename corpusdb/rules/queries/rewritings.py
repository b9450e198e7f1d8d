"""What rules made of texts, kept with its lineage, and made again; and whether rules do what they should."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.options import record_from_json
from corpusdb.base.text import normalise
from corpusdb.base.tokenisation import Analyser, sudachi_analyser
from corpusdb.corpus.queries.sentences import sentences_after
from corpusdb.corpus.store import Run, Store, finish_run, start_run
from corpusdb.corpus.store.runs import exclusive, keep_counts, run_counts
from corpusdb.rules.matching import RuleIndex
from corpusdb.rules.morphology import Analysis
from corpusdb.rules.queries.rule_sets import (
    SHIPPED_SETS,
    ChosenRules,
    RewritingMethod,
    RuleEffect,
    latest_effects,
    make_set,
    method_of,
    named_set,
    named_sets,
    rewriting_method,
    shipped_set,
    store_rule_set,
    switch_rules,
)
from corpusdb.rules.rewriting import (
    ChangedSpan,
    Expansion,
    Fault,
    Rewriting,
    RewritingStep,
    check_rules,
    draft,
    reads_as_meant,
)
from corpusdb.rules.rule import Rule, RuleDirection, RuleSet

LEAST_READ_AS_MEANT: Final = 0.998
"""Of the rewritings that rules draft, the least part that must analyse into the morphemes that were written."""
LEAST_RESTORED: Final = 0.99
"""Of the rewritings by two-way rules, the least part of which the other direction must make the text that they were."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A rewriting that is not as it should be."""

    rule: str
    direction: str
    """-> or <-."""
    what: Literal["reading", "round trip"]
    text: str
    made: str
    back: str | None = None
    """Of a round trip: what came back; None for nothing."""


@dataclass(frozen=True, slots=True)
class RuleCheck:
    rules: int
    examples: int
    faults: tuple[Fault, ...]
    """Examples that do not come out, and rules that have too few."""
    texts: int
    """Those that every rule was tried on."""
    is_sample: bool
    """Whether these are texts that were given; else they are the examples, of which many differ in one word."""
    drafted: int
    """What rules alone made of them, before it was analysed."""
    failures: tuple[Failure, ...]
    round_trips: int
    """Rewritings by two-way rules."""

    @property
    def read_as_meant(self) -> float | None:
        """The part of the drafts that analyse as meant; None without any."""
        return self._share("reading", self.drafted)

    @property
    def restored(self) -> float | None:
        """The part of the round trips that end where they began; None without any."""
        return self._share("round trip", self.round_trips)

    @property
    def ok(self) -> bool:
        """Whether all examples come out and, of texts that were given, enough is read as it was meant and restored."""
        if not self.is_sample:
            return not self.faults
        shares = ((self.read_as_meant, LEAST_READ_AS_MEANT), (self.restored, LEAST_RESTORED))
        return not self.faults and all(share is None or share >= least for share, least in shares)

    def _share(self, what: str, total: int) -> float | None:
        return 1 - sum(each.what == what for each in self.failures) / total if total else None


def check_rule_files(rules: Sequence[Rule], texts: Sequence[str] = ()) -> Job[RuleCheck]:
    """Check the examples of rules, and try each rule on ``texts``; on the examples of all of them where none are given.

    Raises UsageError where Japanese cannot be analysed.
    """
    analyser = sudachi_analyser()
    yield Progress("checking examples", 0, len(rules))
    faults = tuple(check_rules(rules, analyser))
    wanted = list(dict.fromkeys(texts or (example.before for rule in rules for example in rule.examples)))
    index = RuleIndex(rules)
    failures: list[Failure] = []
    drafted = round_trips = 0
    for number, text in enumerate(wanted):
        yield Progress("trying rules", number, len(wanted))
        analysis = Analysis(text, analyser.analyse(text))
        found = index.candidates(analysis)
        for directed in (each for each in index.directed if each in found):
            made = draft(directed, analysis)
            if made is None:
                continue
            drafted += 1
            again = Analysis(made.text, analyser.analyse(made.text))
            named = directed.rule.name, directed.direction.value
            if not reads_as_meant(made, again, directed):
                failures.append(Failure(*named, "reading", text, made.text))
            elif directed.rule.two_way:
                round_trips += 1
                back = draft(directed.opposite, again)
                if back is None or back.text != text:
                    failures.append(Failure(*named, "round trip", text, made.text, back.text if back else None))
    return RuleCheck(
        rules=len(rules),
        examples=sum(len(rule.examples) for rule in rules),
        faults=faults,
        texts=len(wanted),
        is_sample=bool(texts),
        drafted=drafted,
        failures=tuple(failures),
        round_trips=round_trips,
    )


# The rules of a set as a table: which are on, what each does to correlations with people, how often it was used.


@dataclass(frozen=True, slots=True)
class RuleRow:
    number: int
    """Its place in the set, from 1: when it is applied."""
    rule: Rule
    is_on: bool
    effects: tuple[RuleEffect, ...]
    """Of the last study that was kept; empty where it has none of this rule."""


@dataclass(frozen=True, slots=True)
class RuleTable:
    name: str
    is_own: bool
    """Whether a person made it, so that its rules can be switched."""
    rules: RuleSet
    rows: tuple[RuleRow, ...]
    sets: tuple[str, ...]
    """The names of all sets there are, those of the program first."""


def all_sets(store: Store) -> tuple[str, ...]:
    return (*SHIPPED_SETS, *(each.name for each in named_sets(store)))


def any_set(store: Store, name: str) -> RuleSet:
    """The rule set of this name, of the program or of one's own. Raises UsageError where there is none."""
    return shipped_set(name) if name in SHIPPED_SETS else named_set(store, name).rules


def rule_table(store: Store, name: str) -> RuleTable:
    """The rules of a set in their order. Raises UsageError where there is no such set."""
    rules, effects = any_set(store, name), latest_effects(store)
    rows = tuple(
        RuleRow(number, rule, rule.name not in rules.disabled, tuple(effects.get(rule.digest, ())))
        for number, rule in enumerate(rules.rules, 1)
    )
    return RuleTable(name, name not in SHIPPED_SETS, rules, rows, all_sets(store))


def switch_rule(store: Store, name: str, rule: str, *, new: str | None = None) -> str:
    """Switch a rule of a set off where it is on, and on where it is off; returns the name of the set that has it so.

    That is a ``new`` set of one's own, made from the set, where a name is given. Raises what make_set and switch_rules
    raise: a set of the program cannot be changed.
    """
    with store.write():
        before = any_set(store, name)
        if new is not None:
            make_set(store, new, before)
        is_off = rule in before.disabled
        return switch_rules(store, new or name, off=() if is_off else [rule], on=[rule] if is_off else ()).name


# What rules made of texts, kept with its lineage.
# Rewritings follow from a text and a method alone, not from the corpus: those of other rules, another analyser or
# another limit are rows of another method, so that none goes stale when the corpus or the rules change.


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
    return _summed((len(each.rewritings), each.dropped) for each in found)


def _summed(texts: Iterable[tuple[int, Mapping[str, int]]]) -> RewritingReport:
    """``texts``: how many rewritings each has, and how many were dropped of it."""
    counts, dropped = [], Counter[str]()
    for rewritings, of_text in texts:
        counts.append(rewritings)
        dropped.update(of_text)
    return RewritingReport(len(counts), sum(map(bool, counts)), sum(counts), dict(sorted(dropped.items())))


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
    rows = (row for text in texts for row in store.connection.execute(_OF_TEXT_COUNTS, (number, text)))
    return _summed((count, json.loads(dropped)) for count, dropped in rows)


_OF_TEXT_COUNTS = """
select (select count(*) from rewriting where rewriting.origin = rewritten_text.id), dropped from rewritten_text
where method = ? and text = ?
"""


@dataclass(frozen=True, slots=True)
class StoredRewriting:
    id: int
    origin: str
    """The text that was rewritten."""
    rewriting: Rewriting
    rule_set: str
    """The digest of the rules."""
    analyser: str
    most: int
    run: int


_OF_TEXT = """
select rewriting.id, rewritten_text.text, rewriting.text, lineage, rule_set.digest, analyser, most, rewritten_text.run
from rewritten_text join rewriting on rewriting.origin = rewritten_text.id
join rewriting_method on rewriting_method.id = rewritten_text.method
join rule_set on rule_set.id = rewriting_method.rule_set
where rewritten_text.text = ? order by rewritten_text.method, position
"""


def stored_rewritings(store: Store, text: str) -> list[StoredRewriting]:
    """All that is kept of a text, method after method, each in the order in which its rules made them."""
    return [
        StoredRewriting(number, origin, Rewriting(made, lineage_from(json.loads(lineage))), *method)
        for number, origin, made, lineage, *method in store.connection.execute(_OF_TEXT, (normalise(text),))
    ]


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


def lineage_document(lineage: Iterable[RewritingStep]) -> list[list[object]]:
    return [[step.rule, step.direction.value, list(map(list, step.changes))] for step in lineage]


def lineage_from(document: Sequence[Sequence[Any]]) -> tuple[RewritingStep, ...]:
    """The lineage of which ``document`` is the document."""
    return tuple(
        RewritingStep(rule, RuleDirection(direction), tuple(ChangedSpan(*places) for places in changes))
        for rule, direction, changes in document
    )


JAPANESE: Final = "jpn"
"""The language of the rules."""


def keep_corpus_rewritings(store: Store, method: RewritingMethod) -> Job[RewritingReport]:
    """Keep the rewritings of all Japanese sentences; of those that came since the last call, those of the new ones.

    Raises InputError where the corpus has no Japanese.
    """
    texts = [text for _, text in sentences_after(store, JAPANESE, 0)]
    if not texts:
        raise InputError("the corpus has no Japanese sentence")
    return (yield from keep_rewritings(store, method, texts))


_BATCH: Final = 200
"""Sentences that are read at once."""
_NEXT = "select id, text from sentence not indexed where language = ? and id > ? order by id limit ?"
_COUNT = "select count(*) from sentence where language = ?"


class RewrittenSentence(NamedTuple):
    """A sentence of the corpus and what a rule makes of it."""

    sentence: int
    text: str
    rewriting: Rewriting
    """Its lineage is one step."""


class SentencesOfRule:
    """The sentences that a rule alone rewrites, in the order of their numbers; looked for as far as somebody asks."""

    def __init__(self, rule: Rule) -> None:
        self._index = RuleIndex([rule])
        self.found: list[RewrittenSentence] = []
        """Grows while they are looked for; a sentence stands there once for each direction that rewrites it."""
        self.read = 0
        """Sentences that were tried."""
        self.total = 0
        """Japanese sentences of the corpus, as they were counted last."""
        self.is_complete = False
        """Whether the whole corpus was gone through."""
        self._last = 0

    def more(self, store: Store, most: int) -> Job[None]:
        """Go on until ``most`` more are found, or all sentences were tried; where it is stopped, it goes on from there.

        Raises UsageError where Japanese cannot be analysed.
        """
        analyser = sudachi_analyser()
        (self.total,) = store.connection.execute(_COUNT, (JAPANESE,)).fetchone()
        wanted = len(self.found) + most
        while len(self.found) < wanted:
            batch = store.connection.execute(_NEXT, (JAPANESE, self._last, _BATCH)).fetchall()
            if not batch:
                self.is_complete = True
                return
            for sentence, text in batch:
                yield Progress("trying sentences", self.read, self.total)
                self.found += [RewrittenSentence(sentence, text, each) for each in self._made_of(text, analyser)]
                self.read, self._last = self.read + 1, sentence
                if len(self.found) >= wanted:
                    return

    def _made_of(self, text: str, analyser: Analyser) -> Iterator[Rewriting]:
        """What the rule makes of a text in each of its directions, but for what reads otherwise than it was meant."""
        analysis = Analysis(text, analyser.analyse(text))
        known = self._index.candidates(analysis)
        for directed in self._index.directed:
            made = draft(directed, analysis) if directed in known else None
            if made is not None and reads_as_meant(made, Analysis(made.text, analyser.analyse(made.text)), directed):
                yield Rewriting(made.text, (made.step,))


@dataclass(frozen=True, slots=True)
class TextRewritings:
    text: str
    """Normalised."""
    rewritings: tuple[Rewriting, ...]
    by: str
    """What made them: the label of a method, or the run that kept them."""
    dropped: dict[str, int]
    """How many were dropped, by the reason; not told of those that are kept."""
    most: int


def rewritings_of(store: Store, text: str, rule_set: str) -> TextRewritings:
    """What a rule set makes of a text now; nothing is kept.

    Raises UsageError where there is no such set, and where Japanese cannot be analysed.
    """
    method = rewriting_method(ChosenRules(rule_set, any_set(store, rule_set)))
    found = method.expander.expand(normalise(text))
    return TextRewritings(found.text, found.rewritings, method.label, dict(found.dropped), method.most)


def kept_rewritings_of(store: Store, text: str) -> TextRewritings | None:
    """The rewritings of a text that are kept, of the newest method that has any; None where none are."""
    found = stored_rewritings(store, text)
    if not found:
        return None
    last = found[-1]
    same = [
        each for each in found if (each.rule_set, each.analyser, each.most) == (last.rule_set, last.analyser, last.most)
    ]
    by = f"{last.rule_set}+max{last.most}+{last.analyser}, run {last.run}"
    return TextRewritings(last.origin, tuple(each.rewriting for each in same), by, {}, last.most)


_TEXTS = "select id, text, dropped from rewritten_text where run = ? order by id"
_REWRITINGS = "select text, lineage from rewriting where origin = ? order by position"


def changed_rewritings(store: Store, run: int, parameters: Mapping[str, Any]) -> Job[list[str]]:
    """The texts of a run, by its number and its parameters, of which something else comes now. Raises as method_of."""
    method = method_of(store, parameters)
    rows = store.connection.execute(_TEXTS, (run,)).fetchall()
    changed = []
    for number, (origin, text, dropped) in enumerate(rows):
        yield Progress("rewriting texts", number, len(rows))
        kept = [(each, json.loads(lineage)) for each, lineage in store.connection.execute(_REWRITINGS, (origin,))]
        found = method.expander.expand(text)
        made = [(each.text, lineage_document(each.lineage)) for each in found.rewritings]
        if made != kept or dict(found.dropped) != json.loads(dropped):
            changed.append(text)
    return changed

"""Which rules are applied, how texts are rewritten by them, and what they changed, stretch by stretch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any, Final, TypeAlias

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import names_in
from corpusdb.base.text import nfc
from corpusdb.base.tokenisation import Analyser, required_analyser, sudachi_analyser
from corpusdb.corpus.store import Run, Store, finish_run, start_run
from corpusdb.corpus.store.connection import now
from corpusdb.rules.rewriting import DEFAULT_CAP, Expander, Rewriting, RewritingStep, load_rules, trace
from corpusdb.rules.rule import Rule, RuleSet, parse_rules, rule_text

_ADD = """
insert into rule (name, kind, text, digest, file, run) values (?, ?, ?, ?, ?, ?) on conflict (digest) do nothing
"""
_ID = "select id from rule where digest = ?"


def store_rules(store: Store, rules: Iterable[Rule], run: Run) -> list[int]:
    """Keep rules, unless they are kept; returns their numbers, in their order. Inside a transaction of the caller."""
    numbers = []
    for rule in rules:
        file = PurePath(rule.place.file).name
        store.connection.execute(_ADD, (rule.name, rule.kind, rule_text(rule), rule.digest, file, run.id))
        numbers.append(int(store.connection.execute(_ID, (rule.digest,)).fetchone()[0]))
    return numbers


_ADD_SET = "insert into rule_set (digest, run) values (?, ?) on conflict (digest) do nothing"
_SET_ID = "select id from rule_set where digest = ?"
_ADD_MEMBER = "insert into rule_set_member (rule_set, position, rule) values (?, ?, ?)"


def store_rule_set(store: Store, rules: RuleSet, run: Run) -> int:
    """Keep the enabled rules of a set in their order, unless they are kept; returns the number of the set.

    Inside a transaction of the caller.
    """
    is_new = store.connection.execute(_ADD_SET, (rules.digest, run.id)).rowcount > 0
    number = int(store.connection.execute(_SET_ID, (rules.digest,)).fetchone()[0])
    if is_new:
        members = enumerate(store_rules(store, rules.enabled, run), 1)
        store.connection.executemany(_ADD_MEMBER, ((number, position, rule) for position, rule in members))
    return number


_MEMBERS = """
select rule.text, rule.file, rule.digest from rule_set
join rule_set_member on rule_set_member.rule_set = rule_set.id join rule on rule.id = rule_set_member.rule
where rule_set.digest = ? order by rule_set_member.position
"""


def stored_rule_set(store: Store, digest: str) -> RuleSet:
    """The set of this digest, all of whose rules are applied. Raises InputError where there is none."""
    rows = store.connection.execute(_MEMBERS, (digest,)).fetchall()
    if not rows:
        raise InputError(f"no rules of the digest {digest} are kept")
    return RuleSet(tuple(read_rule(*row) for row in rows))


def read_rule(text: str, file: str, digest: str) -> Rule:
    """A rule from its lines. Raises InputError where this version of corpusdb reads another one out of them."""
    rules = parse_rules(text.split("\n"), file)
    if len(rules) != 1 or rules[0].digest != digest:
        raise InputError(f"the rule {digest} that is kept means something else in this version of corpusdb")
    return rules[0]


# Sets of rules that a person made and named, and which of their rules are switched off.
# Their rules stay those that they were when the set was made, whatever the files of rules say later.


SHIPPED_SETS: Final[dict[str, Callable[[RuleSet], RuleSet]]] = {
    "polite": lambda rules: rules.only(["polite"]),
    "all": lambda rules: rules,
}
"""The sets that come with the program, made of all rules: B3 and B4 of Kanayama (2003)."""
_NAME: Final = re.compile(r"\w[\w.-]{0,63}")


@dataclass(frozen=True, slots=True)
class NamedRuleSet:
    name: str
    rules: RuleSet
    created: str
    """When, UTC, ISO 8601."""


def shipped_set(name: str) -> RuleSet:
    """The set of the program of this name. Raises UsageError where there is none."""
    if name not in SHIPPED_SETS:
        raise UsageError(f"the program has no rule set {name!r}; it has {', '.join(SHIPPED_SETS)}")
    return SHIPPED_SETS[name](load_rules())


_SETS = "select id, name, created from named_rule_set order by name"
_NAMED_MEMBERS = """
select rule.name, rule.text, rule.file, rule.digest, enabled from named_rule_set_member
join rule on rule.id = named_rule_set_member.rule where named_rule_set = ? order by position
"""


def named_sets(store: Store) -> list[NamedRuleSet]:
    return [_read(store, *row) for row in store.connection.execute(_SETS).fetchall()]


_SET = "select id, name, created from named_rule_set where name = ?"


def named_set(store: Store, name: str) -> NamedRuleSet:
    """The set of one's own of this name. Raises UsageError, which says what there is, where there is none."""
    if name in SHIPPED_SETS:
        raise UsageError(f"{name!r} comes with the program and stays as it is: `corpusdb rules list --rules {name}`")
    row = store.connection.execute(_SET, (name,)).fetchone()
    if row is None:
        known = [*SHIPPED_SETS, *(each[1] for each in store.connection.execute(_SETS))]
        raise UsageError(f"there is no rule set {name!r}; there are {', '.join(known)}")
    return _read(store, *row)


def _read(store: Store, number: int, name: str, created: str) -> NamedRuleSet:
    rows = store.connection.execute(_NAMED_MEMBERS, (number,)).fetchall()
    disabled = frozenset(rule for rule, *_, enabled in rows if not enabled)
    return NamedRuleSet(name, RuleSet(tuple(read_rule(*row[1:4]) for row in rows), disabled), created)


_ADD_NAMED_SET = "insert into named_rule_set (name, created, run) values (?, ?, ?)"
_ADD_NAMED_MEMBER = "insert into named_rule_set_member (named_rule_set, position, rule, enabled) values (?, ?, ?, ?)"
_EXISTS = "select exists (select 1 from named_rule_set where name = ?)"


def make_set(store: Store, name: str, rules: RuleSet) -> NamedRuleSet:
    """Keep rules under a name, all of them with which are switched off.

    Raises UsageError for a name that cannot be one, that the program or a rule has, or that another set has.
    """
    name = nfc(name)
    check_set_name(name, rules)
    with store.write() as connection:
        if connection.execute(_EXISTS, (name,)).fetchone()[0]:
            raise UsageError(f"there is a rule set {name!r} already")
        run = start_run(store, "rules", {"made": name, "digest": rules.digest})
        created = now()
        number = int(connection.execute(_ADD_NAMED_SET, (name, created, run.id)).lastrowid or 0)
        stored = zip(rules.rules, store_rules(store, rules.rules, run), strict=True)
        members = enumerate(((rule, int(each.name not in rules.disabled)) for each, rule in stored), 1)
        connection.executemany(_ADD_NAMED_MEMBER, ((number, position, *member) for position, member in members))
        finish_run(store, run, _counts(rules))
    return NamedRuleSet(name, rules, created)


def check_set_name(name: str, rules: RuleSet) -> None:
    """Raise UsageError for a name that no set of these rules can have: one of the program, of a rule, or no name."""
    if name in SHIPPED_SETS or name in rules.names:
        raise UsageError(f"{name!r} is a {'rule set of the program' if name in SHIPPED_SETS else 'rule'}")
    if not _NAME.fullmatch(name) or name.endswith(".rules"):
        raise UsageError(f"a rule set cannot be called {name!r}: up to 64 letters, digits, _ - and dots, not .rules")


def _counts(rules: RuleSet) -> dict[str, int]:
    return {"rules": len(rules.rules), "enabled": len(rules.enabled)}


_SWITCH = """
update named_rule_set_member set enabled = ?
where named_rule_set = (select id from named_rule_set where name = ?)
  and rule in (select id from rule where rule.name = ?)
"""


def switch_rules(store: Store, name: str, *, off: Iterable[str] = (), on: Iterable[str] = ()) -> NamedRuleSet:
    """Switch rules of a set of one's own off and on; returns the set as it then is.

    Raises UsageError where there is no such set, where the set has no such rule, and for a set of the program.
    """
    wanted = {**dict.fromkeys(off, 0), **dict.fromkeys(on, 1)}
    if name in SHIPPED_SETS:
        raise UsageError(f"{name!r} comes with the program and stays as it is; make a set of your own from it")
    with store.write() as connection:
        before = named_set(store, name)
        for rule, enabled in wanted.items():
            if rule not in before.rules.by_name:
                raise UsageError(f"the rule set {name!r} has no rule {rule!r}")
            connection.execute(_SWITCH, (enabled, name, rule))
        after = named_set(store, name)
        if after.rules != before.rules:
            parameters = {"switched": name, "off": sorted(off for off in wanted if not wanted[off])}
            run = start_run(store, "rules", parameters | {"on": sorted(on for on in wanted if wanted[on])})
            finish_run(store, run, _counts(after.rules) | {"digest": after.rules.digest})
    return after


_DELETE_MEMBERS = (
    "delete from named_rule_set_member where named_rule_set = (select id from named_rule_set where name = ?)"
)
_DELETE = "delete from named_rule_set where name = ?"


def delete_set(store: Store, name: str) -> None:
    """Delete a set of one's own; what was rewritten by its rules stays. Raises UsageError where there is none."""
    with store.write() as connection:
        named_set(store, name)
        run = start_run(store, "rules", {"deleted": name})
        connection.execute(_DELETE_MEMBERS, (name,))
        connection.execute(_DELETE, (name,))
        finish_run(store, run, {})


def changed_rules(rules: RuleSet) -> list[str]:
    """The names of the rules of a set that the program has in another form now, in their order."""
    shipped = load_rules().by_name
    return [rule.name for rule in rules.rules if rule.name in shipped and shipped[rule.name].digest != rule.digest]


# Which rules are applied, as a person says it: a set of the program or of one's own, files, single rules.


_CHOSEN: Final = "chosen"
"""What rules are called that no set has just so."""


@dataclass(frozen=True, slots=True)
class ChosenRules:
    """The rules to apply, and what they are called."""

    name: str
    """Of the set; "chosen" where they were put together."""
    rules: RuleSet

    @property
    def label(self) -> str:
        """As signatures have it: all:0123456789abcdef."""
        return f"{self.name}:{self.rules.digest}"


def choose_rules(said: str, own: Callable[[str], RuleSet]) -> ChosenRules:
    """The rules that ``said`` names, with commas between the names.

    A name is that of a set of the program (polite, all), of a set of one's own, which ``own`` gives, of a file of rules
    (with a slash or ending in .rules), or of a rule; with - before it a rule is left out. A set of one's own stands
    alone, but for rules that are left out. Raises UsageError for what there is not, and where nothing is left, and
    InputError for a file that cannot be read.
    """
    names = names_in(said)
    taken = [name for name in names if not name.startswith("-")]
    left_out = [name[1:] for name in names if name.startswith("-")]
    if not taken:
        raise UsageError(f"no rule set is named in {said!r}")
    rules = _taken(taken, own)
    for name in left_out:
        if name not in rules.by_name:
            raise UsageError(f"there is no rule {name!r} to leave out; `corpusdb rules list` shows all")
    rules = rules.without(left_out)
    if not rules.enabled:
        raise UsageError(f"no rule is left of {said!r}")
    return ChosenRules(taken[0] if len(names) == 1 and not _is_file(taken[0]) else _CHOSEN, rules)


def _is_file(name: str) -> bool:
    return name.endswith(".rules") or "/" in name or "\\" in name


def _taken(names: list[str], own: Callable[[str], RuleSet]) -> RuleSet:
    rules = load_rules([Path(name) for name in names if _is_file(name)])
    enabled: set[str] = set()
    for name in names:
        if name in SHIPPED_SETS:
            enabled |= {rule.name for rule in SHIPPED_SETS[name](load_rules()).enabled}
        elif _is_file(name):
            enabled |= {rule.name for rule in rules.enabled if rule.place.file == str(Path(name))}
        elif name in rules.by_name:
            enabled.add(name)
        elif len(names) == 1:
            return own(name)
        else:
            raise UsageError(f"{name!r} is not a rule, and a rule set of one's own cannot be combined with others")
    return RuleSet(rules.rules, frozenset(rules.names) - enabled)


def rules_of_files(files: Sequence[Path]) -> tuple[Rule, ...]:
    """All rules of files, also those that are off; those of the program where none is given.

    Raises InputError, with file, line and column, for what cannot be read, and for a name that a rule of the program or
    of another file has.
    """
    return tuple(rule for rule in load_rules(files).rules if not files or rule.place.file in {*map(str, files)})


@dataclass(frozen=True, slots=True)
class RuleEffect:
    """What leaving one rule out does to one correlation."""

    rule: str
    metric: str
    """The signature of the scores with all rules."""
    human: str
    """Which scores of people: raw, z ..."""
    correlation: str
    """pearson, kendall ..."""
    segments: int
    """Those that have a rewriting by the rule."""
    with_rule: float
    """The correlation with all rules of the set, -1 to 1."""
    delta: float
    """The correlation without the rule, less with_rule: below 0 the rule helps."""
    low: float | None = None
    """Of the interval of delta; None where none was drawn."""
    high: float | None = None


_ADD_EFFECT = "insert into rule_effect values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def keep_effects(store: Store, rules: RuleSet, effects: Sequence[RuleEffect], parameters: Mapping[str, object]) -> int:
    """Keep effects of the rules of a set; returns the number of the run. ``parameters``: of the study, as JSON has it.

    Raises KeyError for a rule that the set does not have.
    """
    with store.write() as connection:
        run = start_run(store, "rule effects", {**parameters, "digest": rules.digest})
        store_rule_set(store, rules, run)
        number = {
            name: store_rules(store, [rules.by_name[name]], run)[0] for name in dict.fromkeys(e.rule for e in effects)
        }
        rows = ((run.id, number[rule], *rest) for rule, *rest in map(astuple, effects))
        connection.executemany(_ADD_EFFECT, rows)
        finish_run(store, run, {"effects": len(effects)})
    return run.id


_LATEST = """
select rule.digest, rule.name, metric, human, correlation, segments, with_rule, delta, low, high
from rule_effect join rule on rule.id = rule_effect.rule
where rule_effect.run = (select max(run) from rule_effect) order by rule.name, human, correlation, metric
"""


def latest_effects(store: Store) -> dict[str, list[RuleEffect]]:
    """The effects of the last study that was kept, by the digest of the rule: a changed rule has none."""
    found: dict[str, list[RuleEffect]] = {}
    for digest, *row in store.connection.execute(_LATEST):
        found.setdefault(digest, []).append(RuleEffect(*row))
    return found


@dataclass(frozen=True)
class RewritingMethod:
    """All that rewritings depend on beside the text."""

    name: str
    rules: RuleSet
    analyser: Analyser
    most: int = DEFAULT_CAP
    """Rewritings of a text."""

    @property
    def label(self) -> str:
        """As signatures have it: all:0123456789abcdef+max16+sudachi-0.7.0-small-20260428-C."""
        return label_of(self.document())

    @cached_property
    def expander(self) -> Expander:
        """What applies it; it keeps analyses."""
        return Expander(self.rules, self.analyser, self.most)

    def document(self) -> dict[str, object]:
        """The same as JSON has it: what ``method_of`` makes it from again."""
        return {
            "name": self.name,
            "digest": self.rules.digest,
            "analyser": self.analyser.identity,
            "most": self.most,
        }


def label_of(document: Mapping[str, Any]) -> str:
    """What signatures say of the method of which ``document`` is the document."""
    return f"{document['name']}:{document['digest']}+max{document['most']}+{document['analyser']}"


def rewriting_method(chosen: ChosenRules, most: int = DEFAULT_CAP) -> RewritingMethod:
    """The method with the analyser that is installed. Raises UsageError where none is, and for ``most`` below 1."""
    if most < 1:
        raise UsageError(f"at least one rewriting of a text is wanted, not {most}")
    return RewritingMethod(chosen.name, chosen.rules, sudachi_analyser(), most)


def method_of(store: Store, document: Mapping[str, Any]) -> RewritingMethod:
    """The method of which ``document`` is the document, by the rules that the database keeps.

    Raises InputError where these rules are not kept or the analyser is another one now, and UsageError where there is
    none.
    """
    analyser = required_analyser(document["analyser"])
    return RewritingMethod(document["name"], stored_rule_set(store, document["digest"]), analyser, document["most"])


_KANA: Final = re.compile("[\u3041-\u309f\u30a1-\u30ff\uff66-\uff9f]")
_HAN: Final = re.compile("[\u3400-\u9fff]")
_FEW: Final = 3
"""Texts that may all be headlines, without a kana."""


def check_japanese(texts: Sequence[str], path: str | Path) -> None:
    """Raise InputError where most texts are not in Japanese, in which rules would find nothing, with the first of them.

    A text is not that has letters, but neither kana nor Chinese characters; nor are more than three that have no kana.
    """
    foreign = [
        number
        for number, text in enumerate(texts, 1)
        if any(map(str.isalpha, text)) and not _KANA.search(text) and not _HAN.search(text)
    ]
    if 2 * len(foreign) > len(texts):
        text = texts[foreign[0] - 1]
        raise InputError(f"the rules are for Japanese, and this is not: {text[:40]!r}", path=path, line=foreign[0])
    if len(texts) > _FEW and not any(map(_KANA.search, texts)):
        raise InputError("the rules are for Japanese, and these texts have no kana", path=path)


# What rules changed in a text, stretch by stretch, told from the lineage of what came out.


Stretch: TypeAlias = tuple[int, int]
"""The characters from the first number to before the second, from 0."""


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A stretch of a text that rules rewrote."""

    before: str
    """Empty where something was put in."""
    after: str
    """Empty where all of it was left out; before is then empty, too, since it is not known any more."""
    steps: tuple[RewritingStep, ...]
    """Those that wrote something of it, in their order."""


def rule_changes(text: str, rewriting: Rewriting) -> list[RuleChange]:
    """What of a text became what, from left to right; at the end the steps that only left something out."""
    origins = [trace(rewriting, at, at + 1) for at in range(len(rewriting.text))]
    found: list[RuleChange] = []

    def place_of(at: int) -> Stretch | None:
        """What of the text a character stands for that a rule wrote; None for one that stood there."""
        return (origins[at].begin, origins[at].end) if origins[at].steps else None

    for place, characters in groupby(range(len(origins)), place_of):
        if place is not None:
            stretch = list(characters)
            wrote = {step for at in stretch for step in origins[at].steps}
            steps = tuple(step for step in rewriting.lineage if step in wrote)
            after = rewriting.text[stretch[0] : stretch[-1] + 1]
            found.append(RuleChange(text[slice(*place)], after, steps))
    told = {step for each in found for step in each.steps}
    if left := tuple(step for step in rewriting.lineage if step not in told):
        found.append(RuleChange("", "", left))
    return found


def changed_places(text: str, rewriting: Rewriting) -> tuple[list[Stretch], list[Stretch]]:
    """The stretches of a text that were rewritten, and those of the rewriting in their place, from left to right.

    They are as many; put in place of the ones, the others make the rewriting of the text. What both of a pair begin or
    end with is no part of them, so that one of the two may be empty.
    """
    pairs, at, new_at = [], 0, 0
    for new in range(len(rewriting.text)):
        origin = trace(rewriting, new, new + 1)
        if origin.steps or origin.end != origin.begin + 1 or origin.begin < at:
            continue
        pairs.append(((at, origin.begin), (new_at, new)))
        at, new_at = origin.end, new + 1
    pairs.append(((at, len(text)), (new_at, len(rewriting.text))))
    trimmed = [_trimmed(text, before, rewriting.text, after) for before, after in pairs]
    changed = [(before, after) for before, after in trimmed if before[0] < before[1] or after[0] < after[1]]
    return [before for before, _ in changed], [after for _, after in changed]


def _trimmed(text: str, before: Stretch, made: str, after: Stretch) -> tuple[Stretch, Stretch]:
    """Two stretches without what both begin and end with."""
    (begin, end), (new_begin, new_end) = before, after
    while begin < end and new_begin < new_end and text[begin] == made[new_begin]:
        begin, new_begin = begin + 1, new_begin + 1
    while begin < end and new_begin < new_end and text[end - 1] == made[new_end - 1]:
        end, new_end = end - 1, new_end - 1
    return (begin, end), (new_begin, new_end)


def format_changes(changes: Iterable[RuleChange]) -> Iterator[str]:
    """Each change in words: ``読んだ becomes 読みました: verb-past ->``."""
    for each in changes:
        if each.after:
            yield f"{each.before or 'nothing'} becomes {each.after}: {format_steps(each.steps)}"
        else:
            yield f"left out: {format_steps(each.steps)}"


def format_steps(steps: Iterable[RewritingStep]) -> str:
    """The rules of steps, each with its direction: ``verb-past ->, da <-``."""
    return ", ".join(f"{step.rule} {step.direction.value}" for step in steps)

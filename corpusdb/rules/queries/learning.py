"""What the corpus says of rules: twins that they ought to make of each other, and rules that it suggests.

Sentences that share a translation are looked at in pairs (Kanayama 2003, section 6; the pairs are those of paraphrase
detection).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.outputs import Guard, Outputs
from corpusdb.base.tokenisation import Analyser
from corpusdb.corpus.store import Store
from corpusdb.rules.learning import TwinResult, pattern_between, strict_twins, try_twin
from corpusdb.rules.queries.rule_sets import RewritingMethod
from corpusdb.rules.rewriting import apply_rule, load_rules
from corpusdb.rules.rule import Rule, RuleDirection, parse_rules

JAPANESE: Final = "jpn"
_LARGEST: Final = 50
"""Sentences of one translation that are compared: of more, as of "OK.", those that come first."""
_SHOWN: Final = 5
"""Examples of a suggestion that are kept."""
_TRIED: Final = 20
_UNCHANGED: Final = 2
_NAME: Final = "suggested"
_MOST: Final = 0.8
"""Of the pairs tried."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    kind: str
    source: str
    """As in a file of rules, behind the equals sign."""
    support: int
    """Translations that such a pair of sentences shares."""
    pairs: int
    forward: float
    """The share of the pairs tried of which the rule makes the right sentence of the left one, 0 to 1."""
    backward: float
    known: float
    """The share of them that the rules at hand make too, in one direction or the other."""
    examples: tuple[tuple[str, str], ...]
    """Left and right, the shortest first."""

    @property
    def is_two_way(self) -> bool:
        """Whether it makes most of its pairs in both directions."""
        return min(self.forward, self.backward) >= _MOST

    @property
    def begins_left(self) -> bool:
        """Whether it goes from left to right, where it goes in one direction."""
        return self.is_two_way or self.forward >= self.backward

    @property
    def directed(self) -> str:
        """The rule with the arrow of the directions in which it makes its pairs."""
        if self.is_two_way:
            return self.source
        rule, slash, context = self.source.partition(" / ")
        sides = rule.split(" <-> ")
        return " -> ".join(sides if self.begins_left else sides[::-1]) + slash + context


_GROUPS = """
select there.translation, own.text
from sentence own not indexed
cross join translation there on there.sentence = own.id
where own.language = ? order by there.translation, own.id
"""


def _groups(store: Store) -> list[tuple[str, ...]]:
    """The Japanese sentences of each translation that has two or more, each text once."""
    rows = store.connection.execute(_GROUPS, (JAPANESE,))
    groups = [tuple(dict.fromkeys(text for _, text in members)) for _, members in groupby(rows, key=itemgetter(0))]
    if not groups:
        raise InputError("the database has no Japanese sentence with a translation")
    return [group[:_LARGEST] for group in groups if len(group) > 1]


def twins_in(store: Store, method: RewritingMethod) -> Job[list[TwinResult]]:
    """Try the rules on all plain and polite twins of the corpus; a step is a translation with several sentences.

    Raises InputError where the database has no Japanese sentence with a translation.
    """
    found: dict[tuple[str, str], TwinResult] = {}
    groups = _groups(store)
    for done, group in enumerate(groups):
        yield Progress("translations", done, len(groups))
        for twin in strict_twins([method.expander.analyse(text) for text in group]):
            if (twin.plain, twin.polite) not in found:
                found[twin.plain, twin.polite] = try_twin(twin, method.expander)
    return list(found.values())


def suggested_rules(store: Store, method: RewritingMethod, min_support: int) -> Job[list[Suggestion]]:
    """Rules that at least so many translations suggest, the most supported first.

    Steps are translations with several sentences, then rules that are tried. What cannot be applied, in neither
    direction, is left out. Raises InputError where the database has no Japanese sentence with a translation, and
    UsageError for a support below 1.
    """
    if min_support < 1:
        raise UsageError(f"the support of a rule is at least 1, not {min_support}")
    seen: dict[tuple[str, str], dict[tuple[str, str], set[int]]] = defaultdict(lambda: defaultdict(set))
    groups = _groups(store)
    for done, group in enumerate(groups):
        yield Progress("translations", done, len(groups))
        for first, second in combinations([method.expander.analyse(text) for text in group], 2):
            pattern = pattern_between(first, second)
            if pattern is not None:
                seen[pattern.kind, pattern.source][pattern.before, pattern.after].add(done)
    wanted = [(rule, pairs) for rule, pairs in seen.items() if len(set().union(*pairs.values())) >= min_support]
    found = []
    for done, (rule, pairs) in enumerate(wanted):
        yield Progress("rules", done, len(wanted))
        suggestion = _suggestion(rule, pairs, method)
        if suggestion is not None:
            found.append(suggestion)
    return sorted(found, key=lambda each: (-each.support, -each.pairs, each.source))


def _suggestion(
    said: tuple[str, str], pairs: Mapping[tuple[str, str], set[int]], method: RewritingMethod
) -> Suggestion | None:
    kind, source = said
    try:
        (rule,) = parse_rules([f"{_NAME} {kind} = {source}"], _NAME)
    except InputError:
        return None  # both sides are the same to the language of rules
    ordered = sorted(pairs, key=lambda pair: (len(pair[0]) + len(pair[1]), pair))
    tried = ordered[:_TRIED]
    analyser = method.analyser
    forward = sum(apply_rule(rule, RuleDirection.FORWARD, left, analyser) == right for left, right in tried)
    backward = sum(apply_rule(rule, RuleDirection.BACKWARD, right, analyser) == left for left, right in tried)
    if not forward and not backward:
        return None

    def is_made(wanted: str, text: str) -> bool:
        return any(rewriting.text == wanted for rewriting in method.expander.expand(text).rewritings)

    known = sum(is_made(*pair) or is_made(*pair[::-1]) for pair in tried)
    count = len(tried)
    support = len(set().union(*pairs.values()))
    shares = forward / count, backward / count, known / count
    return Suggestion(kind, source, support, len(pairs), *shares, tuple(ordered[:_SHOWN]))


def rule_lines(store: Store, suggestion: Suggestion, name: str, method: RewritingMethod) -> list[str]:
    """A suggestion as lines of a file of rules, with examples from the corpus.

    Those that must come out are pairs that suggest it; those that must not change are sentences that hold something of
    it. Raises UsageError for a name that a rule of the method has, and InputError for one that cannot be a name.
    """
    if name in method.rules.by_name:
        raise UsageError(f"there is a rule {name} already: {method.rules.by_name[name].place}")
    head = f"{name} {suggestion.kind} = {suggestion.directed}"
    (rule,) = parse_rules([head], "the suggestion")
    lines = [head]
    for left, right in suggestion.examples:
        texts = (left, right) if suggestion.begins_left else (right, left)
        for sign, direction, (before, after) in (
            (">", RuleDirection.FORWARD, texts),
            ("<", RuleDirection.BACKWARD, texts[::-1]),
        ):
            if direction in rule.directions and apply_rule(rule, direction, before, method.analyser) == after:
                lines.append(f"{sign} {before} = {after}" if sign == ">" else f"{sign} {after} = {before}")
    return [*lines, *(f"- {text}" for text in _unchanged(store, rule, method.analyser))]


_WITH_TEXT = "select text from sentence where language = ? and instr(text, ?) order by id limit 500"


def _unchanged(store: Store, rule: Rule, analyser: Analyser) -> list[str]:
    """Sentences that hold a literal of a rule, the longest first, and that it does not change."""
    literals = {surface for element in (*rule.left, *rule.right) for surface in element.surfaces}
    found: dict[str, None] = {}
    for literal in sorted(literals, key=lambda each: (-len(each), each)):
        for (text,) in store.connection.execute(_WITH_TEXT, (JAPANESE, literal)):
            if len(found) == _UNCHANGED:
                break
            if "\n" not in text and all(apply_rule(rule, way, text, analyser) is None for way in rule.directions):
                found[text] = None
    return list(found)


def add_to_file(path: Path, name: str, lines: Sequence[str], guard: Guard) -> None:
    """Add the lines of a rule behind those of a file, which is made where there is none.

    Raises UsageError for a name that does not end in .rules and for a rule of that name in the file, and InputError for
    a file that is none of rules.
    """
    if path.suffix != ".rules":
        raise UsageError(f"{path}: a file of rules ends in .rules")
    before = ""
    if path.exists():
        known = load_rules([path], shipped=False).by_name
        if name in known:
            raise UsageError(f"there is a rule {name} already: {known[name].place}")
        before = path.read_text(encoding="utf-8-sig")
        before += "\n" if before and not before.endswith("\n") else ""
    with Outputs(guard) as outputs, outputs.text(path) as file:
        file.write(before + "".join(f"{line}\n" for line in lines))

"""Rules of Japanese as text, and rewritings with their lineage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from corpusdb.base.display import Cell
from corpusdb.rules.learning import TwinResult
from corpusdb.rules.queries.learning import Suggestion
from corpusdb.rules.queries.rewritings import LEAST_READ_AS_MEANT, LEAST_RESTORED, RuleCheck, lineage_document
from corpusdb.rules.queries.rule_sets import NamedRuleSet, RuleEffect, changed_rules, format_steps
from corpusdb.rules.rewriting import Expansion, Rewriting
from corpusdb.rules.rule import Rule, RuleDirection, RuleSet

RULE_COLUMNS = ("id", "name", "kind", "on", "rule", "digest", "file")
SET_COLUMNS = ("name", "kind", "rules", "on", "digest", "changed", "created")
REWRITING_COLUMNS = ("line", "text", "rewriting", "rules")
_REASONS: Mapping[str, str] = {
    "reading": "read in another way than meant",
    "mixed": "polite in one sentence and plain in another",
    "cap": "over --max-rewritings",
}


def rule_rows(rules: Iterable[tuple[int, Rule]], chosen: RuleSet) -> Iterator[tuple[Cell, ...]]:
    for number, rule in rules:
        on = "no" if rule.name in chosen.disabled else "yes"
        yield number, rule.name, rule.kind, on, rule.source, rule.digest, rule.place.file


def rule_document(number: int, rule: Rule, chosen: RuleSet) -> dict[str, object]:
    return {
        "id": number,
        "name": rule.name,
        "kind": rule.kind,
        "on": rule.name not in chosen.disabled,
        "off": rule.off,
        "source": rule.source,
        "two_way": rule.two_way,
        "examples": [
            {"before": each.before, "after": each.after, "directions": [way.value for way in each.directions]}
            for each in rule.examples
        ],
        "digest": rule.digest,
        "file": rule.place.file,
        "line": rule.place.line,
    }


def set_rows(shipped: Mapping[str, RuleSet], own: Sequence[NamedRuleSet]) -> Iterator[tuple[Cell, ...]]:
    for each in set_documents(shipped, own):
        yield tuple(each[column] if column != "changed" else len(each["changed"]) for column in SET_COLUMNS)  # type: ignore[arg-type, misc]


def set_documents(shipped: Mapping[str, RuleSet], own: Sequence[NamedRuleSet]) -> Iterator[dict[str, object]]:
    for name, rules in shipped.items():
        yield {"name": name, "kind": "program", **_figures(rules), "changed": [], "created": None}
    for each in own:
        changed = changed_rules(each.rules)
        yield {"name": each.name, "kind": "own", **_figures(each.rules), "changed": changed, "created": each.created}


def _figures(rules: RuleSet) -> dict[str, object]:
    return {
        "rules": len(rules.rules),
        "on": len(rules.enabled),
        "digest": rules.digest,
        "off": [rule.name for rule in rules.rules if rule.name in rules.disabled],
    }


def check_lines(found: RuleCheck, limit: int) -> Iterator[str]:
    """What a check found, at most ``limit`` failures of each kind; 0 is all."""
    yield f"{found.rules:,} rules, {found.examples:,} examples, {len(found.faults):,} faults"
    yield from map(str, found.faults)
    for what, told, share, total, least in (
        ("reading", "read as they were meant", found.read_as_meant, found.drafted, LEAST_READ_AS_MEANT),
        ("round trip", "restored by the other direction", found.restored, found.round_trips, LEAST_RESTORED),
    ):
        if share is None:
            continue
        texts, asked = ("texts", f"; {least:.1%} is asked for") if found.is_sample else ("examples", "")
        yield f"{share:.2%} of {total:,} rewritings of {found.texts:,} {texts} {told}{asked}"
        failures = [each for each in found.failures if each.what == what]
        for each in failures[: limit or None]:
            other = RuleDirection(each.direction).other.value
            back = "" if what == "reading" else f" {other} {each.back or 'nothing'}"
            yield f"  {each.rule} {each.direction} {each.text}: {each.made}{back}"


def check_document(found: RuleCheck) -> dict[str, object]:
    return {
        "ok": found.ok,
        "rules": found.rules,
        "examples": found.examples,
        "faults": [{"rule": each.rule, **asdict(each.place), "reason": each.reason} for each in found.faults],
        "texts": found.texts,
        "drafted": found.drafted,
        "read_as_meant": found.read_as_meant,
        "round_trips": found.round_trips,
        "restored": found.restored,
        "failures": found.failures,
    }


def format_lineage(rewriting: Rewriting) -> str:
    """The rules behind a rewriting, in their order: ``verb-past ->, da <-``."""
    return format_steps(rewriting.lineage)


def rewriting_rows(found: Sequence[Expansion]) -> Iterator[tuple[Cell, ...]]:
    """A row for each rewriting, with the number of its text, from 1."""
    for number, each in enumerate(found, 1):
        for rewriting in each.rewritings:
            yield number, each.text, rewriting.text, format_lineage(rewriting)


def rewriting_document(found: Expansion) -> dict[str, object]:
    return {
        "text": found.text,
        "rewritings": [{"text": each.text, "lineage": lineage_document(each.lineage)} for each in found.rewritings],
        "dropped": dict(found.dropped),
    }


def format_dropped(dropped: Mapping[str, int], option: str, most: int) -> str | None:
    """How many rewritings were dropped and why, and the option that says how many there may be; None for none."""
    if not any(dropped.values()):
        return None
    parts = [f"{count:,} {_REASONS.get(reason, reason)}" for reason, count in dropped.items() if count]
    return f"dropped: {'; '.join(parts)} ({option} {most})"


def format_effect(effects: Sequence[RuleEffect]) -> str:
    """What leaving a rule out loses, with its interval: "+0.0011 +0.0003 to +0.0019"; "-" where no study was kept.

    Of Pearson's correlation where the study has it, else of the first: above 0 the rule helps.
    """
    if not effects:
        return "-"
    return _loss(next((each for each in effects if each.correlation == "pearson"), effects[0]))


def _loss(effect: RuleEffect) -> str:
    """The correlation with the rule less the one without it: the signs and the ends of the interval change places."""
    told = f"{0.0 - effect.delta:+.4f}"
    if effect.low is None or effect.high is None:
        return told
    return f"{told} {0.0 - effect.high:+.4f} to {0.0 - effect.low:+.4f}"


def format_effects(effects: Iterable[RuleEffect]) -> Iterator[str]:
    for each in effects:
        told = f"without it {each.correlation} with {each.human} loses {_loss(each)}"
        yield f"{told}, of {each.with_rule:.4f}; {each.segments:,} segments rewritten; {each.metric}"


TWIN_COLUMNS: Final = ("plain", "polite", "to_polite", "to_plain", "either")
SUGGESTION_COLUMNS: Final = ("n", "support", "forth", "back", "known", "kind", "rule", "left", "right")


def twin_rows(found: Iterable[TwinResult]) -> Iterator[tuple[Cell, ...]]:
    """The columns are TWIN_COLUMNS."""
    for each in found:
        made = ("yes" if reached else "no" for reached in (each.to_polite, each.to_plain, each.either))
        yield (each.twin.plain, each.twin.polite, *made)


def suggestion_rows(found: Iterable[tuple[int, Suggestion]]) -> Iterator[tuple[Cell, ...]]:
    """The columns are SUGGESTION_COLUMNS; left and right are the shortest example."""
    for number, each in found:
        shares = (f"{share:.0%}" for share in (each.forward, each.backward, each.known))
        yield (number, each.support, *shares, each.kind, each.directed, *each.examples[0])


def suggestion_document(number: int, suggestion: Suggestion) -> dict[str, object]:
    return {"number": number, "rule": suggestion.directed, **asdict(suggestion)}

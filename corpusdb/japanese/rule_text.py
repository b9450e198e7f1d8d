"""A rule in the language of rules, with its examples: what ``parse_rules`` reads it from again."""

from __future__ import annotations

from collections.abc import Iterator

from corpusdb.japanese.rule import Direction, Rule

__all__ = ["rule_text"]


def rule_text(rule: Rule) -> str:
    """The lines of a rule, each ended by LF: the rule, the reason for which it is off, and its examples."""
    return "".join(f"{line}\n" for line in _lines(rule))


def _lines(rule: Rule) -> Iterator[str]:
    yield f"{rule.name} {rule.kind} = {rule.source}"
    if rule.off is not None:
        yield f"off {rule.off}"
    for example in rule.examples:
        if example.after is None:
            yield f"- {example.before}"
        elif example.directions == (Direction.FORWARD,):
            yield f"> {example.before} = {example.after}"
        else:  # what is read of a line has one direction
            yield f"< {example.after} = {example.before}"

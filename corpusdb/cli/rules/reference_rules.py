"""The options by which references are rewritten, and the references with what rules made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.rules.rule_choice import DEFAULT_MOST, method_for
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpusdb.formats import ReferenceSet
    from corpusdb.queries.evaluation.rewritten_references import RewrittenReferences
    from corpusdb.queries.references.scoring_references import ScoringReferences
    from corpusdb.queries.rules.rewritings import RewritingReport

__all__ = [
    "MostOfReference",
    "RulesIfAny",
    "refuse_most",
    "rewritten",
    "with_rewritings",
]

RulesIfAny: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--rules", metavar="SET", help="Add what rules make of Japanese references: polite, all ...", show_default=False
    ),
]
MostOfReference: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=1, max=1000, help="With --rules: of each reference at most.")
]


def with_rewritings(
    invocation: Invocation, references: ScoringReferences, rules: str | None, most: int
) -> ScoringReferences:
    """The references to score with, and what rules make of them, if any are named; the talk says what was added."""
    from corpusdb.queries.evaluation.rewritten_references import rewritten_references

    if rules is None:
        refuse_most(most)
        return references
    method = method_for(invocation, rules, most)
    found, report = invocation.run(rewritten_references(references, method), resumes=False)
    _tell(invocation, report, method.label, most)
    return found


def rewritten(
    invocation: Invocation, sets: Sequence[ReferenceSet], rules: str, most: int
) -> tuple[RewrittenReferences, str]:
    """The sets with what rules make of their references, and the label of the rules."""
    from corpusdb.queries.evaluation.rewritten_references import rewritten_sets

    method = method_for(invocation, rules, most)
    found = invocation.run(rewritten_sets(sets, method), resumes=False)
    _tell(invocation, found.report, method.label, most)
    return found, method.label


def refuse_most(most: int) -> None:
    """Raise UsageError for a limit of rewritings that nothing asks for."""
    if most != DEFAULT_MOST:
        raise UsageError("--max-rewritings is of what --rules make")


def _tell(invocation: Invocation, report: RewritingReport, label: str, most: int) -> None:
    from corpusdb.reports.rules import dropped_told

    invocation.say(
        f"rules {label}: {report.rewritings:,} rewritings of {report.rewritten:,} of {report.texts:,} references"
    )
    if dropped := dropped_told(report.dropped, most):
        invocation.say(dropped)

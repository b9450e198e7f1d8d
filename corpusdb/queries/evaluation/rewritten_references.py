"""References with what rules make of them: added to those that are there, each with the lineage that it has.

After Kanayama (2003), section 3.3: the references grow, and an output may be polite where the first reference is plain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from corpusdb.errors import InputError
from corpusdb.formats import ReferenceSet
from corpusdb.japanese import Expansion, Rewriting
from corpusdb.jobs import Job, finished
from corpusdb.queries.references.reference_sets import AttributedReference, AttributedSet
from corpusdb.queries.references.scoring_references import RuleRewriting, ScoringReferences
from corpusdb.queries.rules.method import RewritingMethod, check_japanese, method_of
from corpusdb.queries.rules.rewritings import RewritingReport, expansions, lineage_document, rewriting_counts
from corpusdb.store import Store

__all__ = [
    "RewrittenReference",
    "RewrittenReferences",
    "given_sets",
    "labels_with_rules",
    "lineage_documents",
    "reference_lineages",
    "rewritten_references",
    "rewritten_sets",
    "rewritten_sets_again",
]

_RULE: Final = "rule"


@dataclass(frozen=True, slots=True)
class RewrittenReference:
    """A reference that rules made."""

    origin: str
    """The reference that it was made of."""
    rewriting: Rewriting


@dataclass(frozen=True, slots=True)
class RewrittenReferences:
    """The references of each segment, and what was made of them."""

    sets: tuple[ReferenceSet, ...]
    """Each with its own references first, then what was made of the first of them, of the second, and so on."""
    made: tuple[tuple[RewrittenReference, ...], ...]
    """Those that were added, in the same order."""
    report: RewritingReport
    """Of the references, each text once."""


def rewritten_sets(sets: Sequence[ReferenceSet], method: RewritingMethod) -> Job[RewrittenReferences]:
    """Each set with the rewritings of its references. Raises InputError where they are not Japanese."""
    texts = list(dict.fromkeys(text for each in sets for text in each.references))
    check_japanese(texts, "references")
    found = dict(zip(texts, (yield from expansions(method, texts)), strict=True))
    made = tuple(_made(each.references, found) for each in sets)
    added = tuple(
        replace(each, references=(*each.references, *(one.rewriting.text for one in own)))
        for each, own in zip(sets, made, strict=True)
    )
    return RewrittenReferences(added, made, rewriting_counts(found.values()))


def _made(references: Sequence[str], found: Mapping[str, Expansion]) -> tuple[RewrittenReference, ...]:
    """What is new among the rewritings of the references of a segment; of two that are the same the first."""
    made: dict[str, RewrittenReference] = {}
    for text in dict.fromkeys(references):
        for each in found[text].rewritings:
            made.setdefault(each.text, RewrittenReference(text, each))
    return tuple(each for text, each in made.items() if text not in references)


def rewritten_references(
    references: ScoringReferences, method: RewritingMethod
) -> Job[tuple[ScoringReferences, RewritingReport]]:
    """References to score with, and the same with the rewritings of each, which their parameters and labels tell.

    Raises InputError where they are not Japanese.
    """
    found = yield from rewritten_sets(references.sets, method)
    labels = tuple(
        (*own, *(_label(one, each.references, own) for one in made))
        for own, each, made in zip(references.labels, references.sets, found.made, strict=True)
    )
    attributed = tuple(
        AttributedSet(each.source, (*each.references, *(_attributed(one) for one in made)))
        for each, made in zip(references.attributed, found.made, strict=bool(references.attributed))
    )
    given = [len(each.references) for each in references.sets]
    parameters = references.parameters | {"rules": method.document() | {"given": given}}
    lineages = tuple(found.made)
    added = replace(
        references,
        sets=found.sets,
        labels=labels,
        parameters=parameters,
        attributed=attributed,
        rewriting=RuleRewriting(method.label, method.rules, tuple(map(_lineages, lineages))),
        signed_as=None,
    )
    return added, found.report


def _label(made: RewrittenReference, references: Sequence[str], labels: Sequence[str]) -> str:
    rules = "+".join(step.rule for step in made.rewriting.lineage)
    return f"{labels[references.index(made.origin)]} by {rules}"


def _attributed(made: RewrittenReference) -> AttributedReference:
    return AttributedReference(made.rewriting.text, (_RULE,), made.origin)


def _lineages(made: Sequence[RewrittenReference]) -> dict[str, tuple[str, Rewriting]]:
    return {each.rewriting.text: (each.origin, each.rewriting) for each in made}


def given_sets(sets: Sequence[ReferenceSet], parameters: Mapping[str, Any]) -> tuple[ReferenceSet, ...]:
    """The sets of a stored reference set without what rules added, by its parameters.

    Raises InputError where the parameters do not belong to these sets.
    """
    counts = parameters["rules"]["given"]
    if len(counts) != len(sets):
        raise InputError("the parameters of the reference set are those of another one")
    return tuple(replace(each, references=each.references[:count]) for each, count in zip(sets, counts, strict=True))


def rewritten_sets_again(
    store: Store, sets: Sequence[ReferenceSet], parameters: Mapping[str, Any]
) -> Job[tuple[ReferenceSet, ...]]:
    """Sets with what the rules add to them that a stored reference set was made by; as they are, where there are none.

    Raises as method_of does.
    """
    if "rules" not in parameters:
        return tuple(sets)
    found = yield from rewritten_sets(sets, method_of(store, parameters["rules"]))
    return found.sets


def reference_lineages(
    store: Store, references: ReferenceSet, parameters: Mapping[str, Any], segment: int
) -> dict[str, tuple[str, Rewriting]]:
    """The references of a segment (from 1) of a stored set that rules made, with what each was made of.

    Raises as method_of does.
    """
    given = references.references[: parameters["rules"]["given"][segment - 1]]
    method = method_of(store, parameters["rules"])
    return _lineages(_made(given, {text: method.expander.expand(text) for text in given}))


def labels_with_rules(
    store: Store, given: ReferenceSet, parameters: Mapping[str, Any], labels: Sequence[str]
) -> tuple[str, ...]:
    """What is said of the references of a segment of a stored set and of those that rules added.

    ``given`` has the references that the rules began with, ``labels`` what is said of each. Raises as method_of does.
    """
    found = finished(rewritten_sets([given], method_of(store, parameters["rules"])))
    return (*labels, *(_label(one, given.references, labels) for one in found.made[0]))


def lineage_documents(found: RewrittenReferences) -> list[dict[str, object]]:
    """Of each added reference its segment, its place in the set, from 1, what it was made of, and by which steps."""
    return [
        {
            "segment": each.id,
            "reference": len(each.references) - len(made) + number,
            "text": one.rewriting.text,
            "origin": one.origin,
            "lineage": lineage_document(one.rewriting.lineage),
        }
        for each, made in zip(found.sets, found.made, strict=True)
        for number, one in enumerate(made, 1)
    ]

"""Stored reference sets as they were kept, with all that scores on them are signed with."""

from __future__ import annotations

import json

from corpusdb.queries.evaluation.stored_scores import stored_sets
from corpusdb.queries.guided.frozen_sets import freezing_of
from corpusdb.queries.references.scoring_references import RuleRewriting, ScoringReferences
from corpusdb.queries.rules.method import label_of
from corpusdb.queries.rules.stored_rules import stored_rule_set
from corpusdb.queries.substitution.derivation import EQUIVALENTS
from corpusdb.store import Store

__all__ = ["kept_references"]

_KEPT = "select origin, parameters from reference_set where id = ?"


def kept_references(store: Store, reference_set: int) -> ScoringReferences:
    """A stored set by its number, as it was kept, with all that scores on it are signed with.

    Where each reference comes from is not looked up. Raises InputError where there is no such set.
    """
    sets = stored_sets(store, reference_set)
    origin, parameters = store.connection.execute(_KEPT, (reference_set,)).fetchone()
    parameters, rewriting = json.loads(parameters), None
    if "rules" in parameters:
        made_by = parameters["rules"]
        rewriting = RuleRewriting(label_of(made_by), stored_rule_set(store, made_by["digest"]))
    parameters.pop(EQUIVALENTS, None)  # the references are compared as they were given
    labels = tuple(tuple(f"reference {number}" for number, _ in enumerate(each.references, 1)) for each in sets)
    freezing = freezing_of(store, reference_set)
    return ScoringReferences(sets, labels, origin, parameters, freezing=freezing, rewriting=rewriting)

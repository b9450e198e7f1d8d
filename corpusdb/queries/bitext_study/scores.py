"""Scores of systems against references in which equivalents are substituted."""

from __future__ import annotations

from collections.abc import Sequence

from corpusdb.formats.scoring_input import Output
from corpusdb.jobs import finished
from corpusdb.metrics.lattices.lattice_measure import LATTICE_METRICS, LatticeReferences, lattice_measures
from corpusdb.metrics.settings import Settings
from corpusdb.queries.evaluation.scoring import MetricScores, scores_by
from corpusdb.queries.references.scoring_references import ScoringReferences
from corpusdb.queries.substitution.recipe import SubstitutionRecipe
from corpusdb.queries.substitution.reference_equivalents import ReferenceEquivalents

__all__ = ["LATTICE_METRICS", "score_over_lattices", "substitution_note"]


def score_over_lattices(
    outputs: Sequence[Output],
    references: ScoringReferences,
    lattices: LatticeReferences,
    settings: Sequence[Settings],
) -> list[MetricScores]:
    """The scores of every output over all paths of the lattices of the same references.

    Raises UsageError for a metric that has no such score, and InputError where a segment has no reference.
    """
    return finished(scores_by(outputs, lattice_measures(settings, lattices), references))


def substitution_note(found: ReferenceEquivalents, recipe: SubstitutionRecipe, lattices: LatticeReferences) -> str:
    """How many equivalents there are and where they can stand, in words."""
    sets, members = found.counted(recipe)
    places = [sum(len(text.replacements) for text in own) for own in lattices.texts]
    segments = sum(map(bool, places))
    return (
        f"{sets:,} equivalence sets of {members:,} words and phrases; {sum(places):,} substitutions "
        f"in {segments:,} of {len(places):,} segments"
    )

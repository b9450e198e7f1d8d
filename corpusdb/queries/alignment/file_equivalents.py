"""Equivalents from the source and the reference of an evaluation alone, and references in which they may stand.

Owczarzak et al. (2006): the two files are a small bitext; target phrases that are aligned with one source phrase are
taken for equivalent. Nothing of this knows an output of a system.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from corpusdb.alignment.closed_classes import LeftOut, closed_words
from corpusdb.alignment.equivalence import EquivalenceFilter, EquivalenceSet, Equivalents, equivalence_sets
from corpusdb.alignment.links import Links, Symmetrisation
from corpusdb.alignment.phrases import PhrasePairs, consistent_spans, counted_phrases
from corpusdb.alignment.substitution import Substitution, substitutions
from corpusdb.metrics.lattices.lattice_measure import Equivalence
from corpusdb.metrics.lattices.reference_lattice import Replacement
from corpusdb.queries.alignment.file_alignment import TokenisedFiles

__all__ = ["LINKS", "LONGEST", "Recipe", "SetFigures", "equivalence_of", "figures_of_sets", "phrases_of_files"]

LONGEST: Final = 3
"""Words of a phrase."""
LINKS: Final[Symmetrisation] = "intersection"
"""Equivalents are taken from links that both directions have."""
_DIGEST: Final = 8


@dataclass(frozen=True, slots=True)
class Recipe:
    """Which equivalents are taken, and how many may stand in one reference.

    The defaults, over the links of both directions, were chosen among some ten by the correlation of segment scores
    with those of people on the Icelandic and English segments of WMT21; a filter that lowered it on the Russian ones
    was given up, so that these are no unseen data.
    """

    language: str = "eng"
    """Of the references, as an ISO 639-3 code: whose closed classes are left out."""
    left_out: LeftOut = "closed"
    min_count: int = 1
    """How often each member of a set stands with the source phrase."""
    min_source_count: int = 1
    min_probability: float = 0.0
    min_pivot: float = 0.1
    """p(equivalent | what it stands for), over all source phrases."""
    longest: int = LONGEST
    most: int | None = None
    """Substitutions in one reference; None for any number."""

    @property
    def kept(self) -> EquivalenceFilter:
        return EquivalenceFilter(
            closed_words(self.language, self.left_out), self.min_count, self.min_source_count, self.min_probability
        )

    def __str__(self) -> str:
        """In a signature: closed+n2+pivot0.1+k1, without the filters that keep all."""
        parts: list[str] = [self.left_out]
        parts += [f"n{self.min_count}"] if self.min_count > 1 else []
        parts += [f"f{self.min_source_count}"] if self.min_source_count > 1 else []
        parts += [f"p{self.min_probability:g}"] if self.min_probability else []
        parts += [f"pivot{self.min_pivot:g}"] if self.min_pivot else []
        parts += [f"w{self.longest}"] if self.longest != LONGEST else []
        return "+".join([*parts, "any" if self.most is None else f"k{self.most}"])


@dataclass(frozen=True, slots=True)
class SetFigures:
    """How many equivalence sets a filter leaves: section 3.2 of the paper has 769 of 1,658 members."""

    sets: int
    members: int

    @property
    def mean(self) -> float | None:
        """Members of a set; None where there is none."""
        return self.members / self.sets if self.sets else None


def phrases_of_files(files: TokenisedFiles, links: Links, longest: int = LONGEST) -> PhrasePairs:
    """The phrase pairs of two aligned files, in lower case."""
    source, target = ([[token.lower() for token in text] for text in side] for side in (files.source, files.target))
    own, theirs = (np.array([len(text) for text in side], dtype=np.int64) for side in (source, target))
    return counted_phrases(consistent_spans(links, own, theirs, longest), source, target)


def figures_of_sets(sets: Sequence[EquivalenceSet]) -> SetFigures:
    """How many sets and members there are."""
    return SetFigures(len(sets), sum(len(each.members) for each in sets))


def equivalence_of(phrases: PhrasePairs, recipe: Recipe) -> Equivalence:
    """What may stand instead of what, for lattice_measure; its label is the recipe with the digest of the sets.

    The references are to be cut as those were that the phrases are of. An equivalent takes the capital of what it
    stands for.
    """
    equivalents = Equivalents(phrases, recipe.kept)
    sets = equivalence_sets(phrases, recipe.kept)

    def replacements(units: Sequence[str]) -> list[Replacement]:
        found = substitutions(units, lambda phrase: equivalents.of(phrase, recipe.min_pivot), recipe.longest)
        return [Replacement(each.start, each.end, _with_capital(units, each)) for each in found]

    return Equivalence(replacements, f"{recipe}+{_digest(list(sets))}", recipe.most)


def _with_capital(units: Sequence[str], chosen: Substitution) -> tuple[str, ...]:
    first, *rest = chosen.phrase
    is_capital = units[chosen.start][:1].isupper() and not units[chosen.start][1:].isupper()
    return (first[:1].upper() + first[1:] if is_capital else first, *rest)


def _digest(sets: Sequence[EquivalenceSet]) -> str:
    """The first digits of the SHA-256 of all sets: source phrase, members and their counts."""
    lines = (
        "\t".join([" ".join(each.source), *(f"{' '.join(member.phrase)} {member.count}" for member in each.members)])
        for each in sets
    )
    return hashlib.sha256("\n".join(sorted(lines)).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]

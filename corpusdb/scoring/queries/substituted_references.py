"""Equivalents made again from what is kept of them, and references with them written out one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any, Final

from corpusdb.alignment.links import Symmetrisation
from corpusdb.base.errors import DatabaseDamaged, UsageError
from corpusdb.base.jobs import Job
from corpusdb.base.options import options_from_json
from corpusdb.corpus.formats import ReferenceSet
from corpusdb.corpus.store import Store
from corpusdb.scoring.measures import LatticeReferences, RewritableText, TextReplacement
from corpusdb.scoring.queries.recipe import SubstitutionRecipe
from corpusdb.scoring.queries.reference_equivalents import ReferenceEquivalents, bitext_equivalents, corpus_equivalents

EQUIVALENTS: Final = "equivalents"
"""What it is called among the parameters of a stored reference set."""


@dataclass(frozen=True, slots=True)
class EquivalentDerivation:
    language: str
    """Of the references."""
    recipe: SubstitutionRecipe
    tokenise_source: str | None = None
    """How the words of the source are told apart, where it is aligned; see ``bitext_equivalents``."""

    def document(self) -> dict[str, object]:
        """The same as JSON has it."""
        return asdict(self)


def kept_derivation(parameters: Mapping[str, Any]) -> EquivalentDerivation | None:
    """That of a stored reference set, by its parameters; None where nothing is substituted in its references.

    Raises DatabaseDamaged for one that this version does not know.
    """
    document = parameters.get(EQUIVALENTS)
    if document is None:
        return None
    try:
        return options_from_json(EquivalentDerivation, document, of="a stored reference set")
    except UsageError as error:
        raise DatabaseDamaged(f"how equivalents of stored references were made cannot be read: {error}") from error


def derived_equivalents(
    store: Store | None,
    sets: Sequence[ReferenceSet],
    made_by: EquivalentDerivation,
    links: Sequence[Symmetrisation] = (),
) -> Job[ReferenceEquivalents]:
    """The equivalents for some references: from their sources, or from the database.

    ``links``: other links than those of the recipe that phrases are to be taken from, too. Raises InputError and
    UsageError as ``bitext_equivalents`` and ``corpus_equivalents`` do.
    """
    recipe = made_by.recipe
    if recipe.origin == "corpus":
        if store is None:
            raise UsageError("equivalents from a corpus need a database")
        return (yield from corpus_equivalents(store, sets, made_by.language, recipe.min_languages))
    return (yield from bitext_equivalents(sets, made_by.language, (recipe.links, *links), made_by.tokenise_source))


# References with equivalents in them, written out one by one: for programs that know no lattices.


MOST_WRITTEN = 10_000
"""References of a segment where all are wanted."""


def expanded_sets(sets: Sequence[ReferenceSet], lattices: LatticeReferences, limit: int) -> list[ReferenceSet]:
    """Each set with its own references first, then those with one substitution, with two, and so on.

    ``limit``: how many references a segment has at most, its own among them, which all stay; 0 for all. Raises
    UsageError where all are more than MOST_WRITTEN.
    """
    found = []
    for each, texts in zip(sets, lattices.texts, strict=True):
        most = max(limit, len(each.references)) if limit else MOST_WRITTEN + 1
        known = dict.fromkeys(each.references)
        added = (text for text in _rewritten(texts, lattices.most) if text not in known)
        for text in islice(dict.fromkeys(islice(added, 4 * most)), most - len(known)):
            known[text] = None
        if len(known) > MOST_WRITTEN:
            raise UsageError(
                f"segment {each.id} would have over {MOST_WRITTEN:,} references; limit them with -n, or with "
                "--substitutions 1"
            )
        found.append(replace(each, references=tuple(known)))
    return found


def _rewritten(texts: Sequence[RewritableText], most: int | None) -> Iterator[str]:
    """The rewritings of all references of a segment by the number of their substitutions, without the originals."""
    size = 1
    while most is None or size <= most:
        chosen = False
        for text in texts:
            for each in rewritings(text, size):
                chosen = True
                yield each
        if not chosen:
            return
        size += 1


def rewritings(text: RewritableText, size: int) -> Iterator[str]:
    """The text with so many substitutions at a time, in the order of these; none of them overlap."""
    for chosen in _apart(text.replacements, size, 0):
        yield text.rewritten(chosen)


def _apart(
    replacements: Sequence[TextReplacement], size: int, begin: int, taken: tuple[TextReplacement, ...] = ()
) -> Iterator[tuple[TextReplacement, ...]]:
    if len(taken) == size:
        yield taken
        return
    for at in range(begin, len(replacements)):
        each = replacements[at]
        if all(each.end <= other.start or other.end <= each.start for other in taken):
            yield from _apart(replacements, size, at + 1, (*taken, each))

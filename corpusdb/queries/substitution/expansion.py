"""References with equivalents in them, written out one by one: for programs that know no lattices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from corpusdb.errors import UsageError
from corpusdb.formats import ReferenceSet
from corpusdb.metrics.lattices.lattice_measure import LatticeReferences
from corpusdb.metrics.lattices.text_lattice import RewritableText, TextReplacement

__all__ = ["MOST_WRITTEN", "expanded_sets", "rewritings"]

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

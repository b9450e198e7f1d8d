"""Lattices of texts: characters that can be replaced by others, in the units that a metric counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpusdb.errors import UsageError
from corpusdb.metrics.encoding import Tokenise
from corpusdb.metrics.lattices.reference_lattice import Lattice, Replacement

__all__ = ["RewritableText", "TextReplacement", "text_lattice"]


@dataclass(frozen=True, slots=True)
class TextReplacement:
    """The characters from ``start`` up to, not including, ``end`` replaced by others."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class RewritableText:
    """A reference and what can stand instead of parts of it."""

    text: str
    replacements: tuple[TextReplacement, ...] = ()
    """The best first, wherever they stand."""

    def __post_init__(self) -> None:
        for each in self.replacements:
            if not (0 <= each.start < each.end <= len(self.text) and each.text.strip()):
                raise UsageError(f"{each} cannot stand in a text of {len(self.text)} characters")

    def rewritten(self, chosen: Iterable[TextReplacement]) -> str:
        """The text with some replacements made, which do not overlap."""
        text = self.text
        for each in sorted(chosen, key=lambda one: one.start, reverse=True):
            text = text[: each.start] + each.text + text[each.end :]
        return text


def text_lattice(rewritable: RewritableText, cut: Tokenise, most: int | None) -> Lattice:
    """The lattice of a text in the units of a metric; ``most`` is that of Lattice.

    A replacement that ends inside of a unit takes all of it: "known" within "well-known", where that is one. Two of
    them in one unit are then on no path together.
    """
    edges = _UnitEdges(rewritable.text, cut)
    replacements = []
    for each in rewritable.replacements:
        begin, end = edges.before(each.start), edges.after(each.end)
        text = rewritable.text[begin : each.start] + each.text + rewritable.text[each.end : end]
        units = tuple(cut(text))
        if units:
            replacements.append(Replacement(edges.units_before(begin), edges.units_before(end), units))
    return Lattice(edges.units, replacements, most)


class _UnitEdges:
    """Where a text can be parted so that both parts have the units of the whole."""

    def __init__(self, text: str, cut: Tokenise) -> None:
        self._text, self._cut = text, cut
        self.units: Sequence[str] = cut(text)
        self._known: dict[int, int | None] = {0: 0, len(text): len(self.units)}

    def before(self, place: int) -> int:
        """The last edge up to a place."""
        while self._units_at(place) is None:
            place -= 1
        return place

    def after(self, place: int) -> int:
        """The first edge from a place on."""
        while self._units_at(place) is None:
            place += 1
        return place

    def units_before(self, edge: int) -> int:
        """How many units stand before an edge."""
        found = self._units_at(edge)
        assert found is not None  # it is an edge
        return found

    def _units_at(self, place: int) -> int | None:
        if place not in self._known:
            first, second = self._cut(self._text[:place]), self._cut(self._text[place:])
            is_edge = [*first, *second] == list(self.units)
            self._known[place] = len(first) if is_edge else None
        return self._known[place]

"""Elements of XML files and the layouts in which they are looked for; light, since the parser is loaded apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["Element", "Layout"]


@dataclass(slots=True)
class Element:
    """An element with what is kept of its content."""

    name: str
    attributes: Mapping[str, str]
    line: int
    """Where its start tag begins, from 1."""
    parts: list[str | Element] = field(default_factory=list)
    """Texts and elements in their order."""

    def children(self, name: str) -> Iterator[Element]:
        """The elements of this name directly inside."""
        return (part for part in self.parts if isinstance(part, Element) and part.name == name)

    def descendants(self, name: str) -> Iterator[Element]:
        """The elements of this name at any depth, in their order."""
        for part in self.parts:
            if isinstance(part, Element):
                if part.name == name:
                    yield part
                yield from part.descendants(name)

    def text(self, without: Collection[str] = ()) -> str:
        """The text inside, also inside of inner elements but for those named in ``without``."""
        return "".join(
            part if isinstance(part, str) else part.text(without)
            for part in self.parts
            if isinstance(part, str) or part.name not in without
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """The elements that matter in one kind of file."""

    root: str
    unit: str
    """What is read as one tree."""
    texts: frozenset[str]
    """Inside a unit, the elements whose text counts; white space and text elsewhere is dropped."""

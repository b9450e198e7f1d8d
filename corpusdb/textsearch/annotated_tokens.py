"""What is known of the tokens of a corpus besides their forms, and sentences cut as their annotation has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I64, Bools
from corpusdb.cqp import Attribute

__all__ = ["ALIASES", "Annotated", "Attributes", "Overlay"]

I32 = npt.NDArray[np.int32]

ALIASES: Mapping[str, tuple[str, ...]] = {"pos": ("upos", "xpos"), "tag": ("xpos", "upos")}
"""What is meant by a name that a language does not have: the first of these that it has."""


class Attributes(Mapping[str, Attribute]):
    """The attributes of a corpus by their names, each read when it is first asked for.

    A name that is not there may stand for another one, as ``pos`` does for ``upos``. ``elsewhere`` names those that
    only other languages have: here nothing is known of any token.
    """

    def __init__(
        self, names: Sequence[str], read: Callable[[str], Attribute], size: int, elsewhere: Sequence[str] = ()
    ) -> None:
        self._names = tuple(names)
        self._read = read
        self._size = size
        self._elsewhere = frozenset(elsewhere) - {*names}
        self._known: dict[str, Attribute] = {}
        self.covered: dict[str, int] = {}
        """How many sentences have an attribute, for those of which it was counted."""

    def name_of(self, name: str) -> str | None:
        """The attribute that is meant by a name; None where there is none."""
        candidates = (name, *ALIASES.get(name, ()))
        return next((each for each in candidates if each in self._names), None)

    def __getitem__(self, name: str) -> Attribute:
        found = self.name_of(name)
        if found is None and not any(each in self._elsewhere for each in (name, *ALIASES.get(name, ()))):
            raise KeyError(name)
        key = found or ""
        if key not in self._known:
            nothing = Attribute([""], np.zeros(self._size, dtype=np.int32))
            self._known[key] = nothing if found is None else self._read(found)
        return self._known[key]

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        there = self._elsewhere.union(self._names)
        return any(each in there for each in (name, *ALIASES.get(name, ())))

    def __iter__(self) -> Iterator[str]:
        yield from self._names
        yield from sorted(self._elsewhere)

    def __len__(self) -> int:
        return len(self._names) + len(self._elsewhere)


@dataclass(frozen=True)
class Annotated:
    """What is known of the tokens of a corpus; arrays of its size."""

    begins: I32
    """Where each token begins in the text of its sentence; -1 in sentences that are not annotated."""
    ends: I32
    sentences: Bools
    """For each sentence whether it is annotated."""
    attributes: Attributes = field(repr=False)


class Overlay:
    """Annotated sentences laid over the sentences of a language, of which they replace the tokens.

    ``places``: for each annotated sentence its index among all, each once, in any order. ``lengths``: how many tokens
    each of them has, and ``cut``: how many all sentences have as they were cut without annotation.
    """

    def __init__(self, places: I64, lengths: I32, cut: I32) -> None:
        self.sentences: Bools = np.zeros(len(cut), dtype=np.bool_)
        self.sentences[places] = True
        self.lengths = cut.copy()
        self.lengths[places] = lengths
        self._annotated: Bools = np.repeat(self.sentences, self.lengths)
        self._replaced: Bools = np.repeat(self.sentences, cut)
        self._order = _in_order(places, lengths)

    @property
    def size(self) -> int:
        """How many tokens there are then."""
        return len(self._annotated)

    def tokens(self, cut: I32, annotated: I32) -> I32:
        """The values of all tokens: of those that were cut, and of those of the annotated sentences."""
        found = np.empty(self.size, dtype=np.int32)
        found[~self._annotated] = cut[~self._replaced]
        found[self._annotated] = annotated if self._order is None else annotated[self._order]
        return found

    def known(self, annotated: I32, otherwise: int) -> I32:
        """The same where other sentences have no value."""
        if self._order is None and len(annotated) == self.size:
            return annotated
        found = np.full(self.size, otherwise, dtype=np.int32)
        found[self._annotated] = annotated if self._order is None else annotated[self._order]
        return found


def _in_order(places: I64, lengths: I32) -> I64 | None:
    """Which token of the sentences stands at each place when they are put in order; None where they are in order."""
    if len(places) < 2 or bool((np.diff(places) > 0).all()):
        return None
    order = np.argsort(places)
    begins = np.cumsum(lengths, dtype=np.int64) - lengths
    sizes = lengths[order].astype(np.int64)
    ahead = np.cumsum(sizes) - sizes
    return np.repeat(begins[order] - ahead, sizes) + np.arange(int(sizes.sum()))

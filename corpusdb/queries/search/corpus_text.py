"""The sentences of a language in memory, to be searched: one after the other, or all in one piece.

Going through all of them is what every search does. In one piece, eight million characters are searched for a string in
five milliseconds; one by one, a regular expression needs half a microsecond for most sentences.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.store import Store
from corpusdb.store.index_segments import checked_blobs

__all__ = ["NO_FOLDING", "Folding", "LanguageText", "extended", "fold", "load_text", "original_offsets"]


@dataclass(frozen=True, slots=True)
class Folding:
    """Which differences do not count."""

    case: bool = False
    width: bool = False
    """Full-width Latin letters and half-width katakana are the same as the others (NFKC)."""

    def __bool__(self) -> bool:
        return self.case or self.width


NO_FOLDING = Folding()

_RARE = 20
"""A string in more than one sentence of so many is found faster by looking into each of them."""


def fold(text: str, folding: Folding) -> str:
    """``text`` without the differences that do not count; line breaks stay where they are."""
    if folding.width and not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return text.casefold() if folding.case else text


def original_offsets(text: str, folding: Folding) -> list[int]:
    """For each offset in the folded text, and its end, the offset in ``text`` of what it came from.

    Folding can make a text longer (ß, ﬁ) or shorter (a half-width kana and its voicing mark).
    """
    if not folding or text.isascii():
        return list(range(len(text) + 1))
    whole = fold(text, folding)
    offsets: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        before = fold(text[:end], folding)
        # Not where marks change their order or join a letter over what stands between them.
        if before + fold(text[end:], folding) == whole:
            offsets.extend([start] * (len(before) - len(offsets)))
            start = end
    return [*offsets, len(text)]


@dataclass(frozen=True)
class LanguageText:
    """The sentences of a language, in the order of their ids."""

    language: str
    sentences: npt.NDArray[np.int64]
    """Their ids, ascending."""
    joined: str
    """The sentences, each ended by a line break."""
    _folded: dict[Folding, LanguageText] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def lines(self) -> list[str]:
        """The sentences one by one."""
        return self.joined.split("\n")[:-1]

    @cached_property
    def longest(self) -> int:
        """How many characters the longest of them has."""
        return max(map(len, self.lines), default=0)

    @cached_property
    def ends(self) -> npt.NDArray[np.int64]:
        """Where the line break behind each sentence stands in ``joined``."""
        codes = np.frombuffer(self.joined.encode("utf-32-le"), dtype=np.uint32)
        return np.flatnonzero(codes == ord("\n"))

    def folded(self, folding: Folding) -> LanguageText:
        """The same sentences without the differences that do not count; kept for the next time."""
        if not folding:
            return self
        if folding not in self._folded:
            self._folded[folding] = LanguageText(self.language, self.sentences, fold(self.joined, folding))
        return self._folded[folding]

    def places_with(self, text: str) -> npt.NDArray[np.int64]:
        """The indexes of the sentences that hold ``text``, ascending."""
        if not text:
            return np.arange(len(self.sentences))
        joined, most = self.joined, len(self.sentences) // _RARE
        found: list[int] = []
        place = joined.find(text)
        while place >= 0:
            if len(found) >= most:
                return np.flatnonzero([text in line for line in self.lines])
            found.append(place)
            place = joined.find(text, joined.index("\n", place))
        return np.searchsorted(self.ends, np.array(found, dtype=np.int64))

    def places_matching(self, regex: re.Pattern[str]) -> npt.NDArray[np.int64]:
        """The indexes of the sentences in which a regular expression that matches no line break matches, ascending."""
        starts = np.fromiter((match.start() for match in regex.finditer(self.joined)), np.int64)
        return np.unique(np.searchsorted(self.ends, starts))


_SEGMENTS = "select sentences, text, text_checksum from token_segment where language = ? order by first_sentence"


def load_text(store: Store, language: str) -> LanguageText:
    """All sentences of a language. Inside a snapshot of the caller if the corpus may grow meanwhile.

    Raises DatabaseDamaged.
    """
    rows = store.connection.execute(_SEGMENTS, (language,)).fetchall()
    for sentences, texts, checksum in rows:
        checked_blobs(f"texts of {language}", checksum, sentences, texts)
    numbers = np.frombuffer(b"".join(row[0] for row in rows), dtype="<i8")
    text = LanguageText(language, numbers, "".join(row[1].decode() for row in rows))
    return extended(text, store)


def extended(text: LanguageText, store: Store) -> LanguageText:
    """``text`` with the sentences that were stored since."""
    last = int(text.sentences[-1]) if len(text.sentences) else 0
    fresh = sentences_after(store, text.language, last)
    if not fresh:
        return text
    sentences = np.concatenate([text.sentences, np.array([sentence for sentence, _ in fresh], dtype=np.int64)])
    return LanguageText(text.language, sentences, text.joined + "".join(f"{line}\n" for _, line in fresh))

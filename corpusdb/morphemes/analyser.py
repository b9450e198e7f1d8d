"""What a morpheme is, and what is asked of whoever finds the morphemes of a text."""

from __future__ import annotations

from typing import NamedTuple, Protocol

__all__ = ["Analyser", "Morpheme"]


class Morpheme(NamedTuple):
    """A morpheme of a text, with the tags of UniDic; what a tag does not say is the empty string."""

    surface: str
    """As it stands in the text; never white space."""
    begin: int
    """The place of its first character in the text, from 0."""
    part_of_speech: tuple[str, ...]
    """From the widest class to the narrowest, one to four of them: ("動詞", "一般")."""
    conjugation: str
    """How it is inflected: "五段-マ行", "助動詞-マス"; empty where it is not."""
    form: str
    """In which form it stands: "連用形-撥音便"; empty where it is not inflected."""
    dictionary_form: str
    """Its form of citation, in the spelling of the text: 読む."""
    normalized_form: str
    """Its form of citation in the spelling that the dictionary prefers: 附属 and 付属 are both 付属."""
    reading: str
    """How the surface is read, in katakana."""

    @property
    def end(self) -> int:
        """The place behind its last character."""
        return self.begin + len(self.surface)


class Analyser(Protocol):
    """Cuts texts into morphemes."""

    @property
    def identity(self) -> str:
        """The program, the dictionary and the mode with their versions: what makes two analyses comparable."""

    def analyse(self, text: str) -> tuple[Morpheme, ...]:
        """The morphemes of a text, in their order, without white space."""

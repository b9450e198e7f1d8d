"""Phrases as they are written: with their capitals and spaces, where everything else looks at tokens in lower case."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from corpusdb.alignment.equivalence import Phrase
from corpusdb.alignment.phrases import may_part
from corpusdb.text import unit_ends

__all__ = ["UnitText", "WrittenForms"]


@dataclass(frozen=True, slots=True)
class UnitText:
    """A text and where its units stand, by corpusdb.text."""

    text: str
    starts: tuple[int, ...]
    """The first character of each unit, behind the space before it."""
    ends: tuple[int, ...]
    tokens: tuple[str, ...]
    """The units in lower case."""

    @classmethod
    def of(cls, text: str) -> UnitText:
        ends = unit_ends(text)
        units = [text[start:stop] for start, stop in zip([0, *ends], ends, strict=False)]
        starts = [stop - len(unit.lstrip()) for unit, stop in zip(units, ends, strict=True)]
        return cls(text, tuple(starts), tuple(ends), tuple(unit.strip().lower() for unit in units))

    def written(self, start: int, end: int) -> str:
        """The text of the units from ``start`` up to, not including, ``end``."""
        return self.text[self.starts[start] : self.ends[end - 1]]


class WrittenForms:
    """How each phrase is written most often in some texts."""

    def __init__(
        self, texts: Iterable[UnitText], phrases: Collection[Phrase], capitals: Collection[str] = frozenset()
    ) -> None:
        """``phrases``: those that are wanted, in lower case; ``capitals``: words that have one even where none of the
        texts shows it.

        The beginning of a text counts only for phrases that stand nowhere else: every word has a capital there.
        """
        inside: defaultdict[Phrase, Counter[str]] = defaultdict(Counter)
        initial: defaultdict[Phrase, Counter[str]] = defaultdict(Counter)
        wanted, longest = frozenset(phrases), max(map(len, phrases), default=0)
        small: set[str] = set()
        for each in texts:
            for start, token in enumerate(each.tokens):
                if each.text[each.starts[start]].islower():
                    small.add(token)
                for end in range(start + 1, min(start + longest, len(each.tokens)) + 1):
                    phrase = each.tokens[start:end]
                    if phrase in wanted:
                        (inside if start else initial)[phrase][each.written(start, end)] += 1
        self._capitals, self._small = frozenset(capitals), frozenset(small)
        self._forms = {phrase: self._without_initial(phrase, _usual(forms)) for phrase, forms in initial.items()}
        self._forms |= {phrase: _usual(forms) for phrase, forms in inside.items()}

    def _without_initial(self, phrase: Phrase, form: str) -> str:
        """A form from the beginning of texts, with a small letter unless its first word is never seen with one."""
        is_known = phrase[0] in self._small or (self._capitals and phrase[0] not in self._capitals)
        return f"{form[:1].lower()}{form[1:]}" if is_known else form

    def instead_of(self, text: UnitText, start: int, end: int, phrase: Phrase) -> str:
        """A phrase as it is written where these units of a text stand.

        At the beginning of the text it gets a capital where they have one. A phrase that is in none of the texts has
        its tokens with spaces between them, and no space before a clitic.
        """
        form = self._forms.get(phrase) or self._unseen(phrase)
        is_initial = not any(map(str.isalnum, text.text[: text.starts[start]]))
        if is_initial and text.written(start, end)[:1].isupper():
            return form[:1].upper() + form[1:]
        return form

    def _unseen(self, phrase: Phrase) -> str:
        text = before = ""
        for token in phrase:
            written = f"{token[:1].upper()}{token[1:]}" if token in self._capitals else token
            text += f" {written}" if before and may_part(before, token) else written
            before = token
        return text


def _usual(forms: Counter[str]) -> str:
    """The form that is there most often; of several rather one that begins with a small letter."""
    return min(forms, key=lambda form: (-forms[form], form[:1].isupper(), form))

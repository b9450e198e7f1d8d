"""The way that somebody has come from one lookup to the next, and where each key leads from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from corpusdb.errors import UsageError
from corpusdb.queries.alignment.equivalents import FoundEquivalent
from corpusdb.queries.alignment.phrases.phrase_places import AlignedPhrase
from corpusdb.queries.alignment.translations import PhraseTranslation
from tui.equivalents.lookup import PART, Found, Languages, Lookup, LookupRow

__all__ = ["STEPS", "Steps", "Trail"]

Steps: TypeAlias = tuple[Lookup, ...]
"""Lookups, the last of which is to be asked."""


@dataclass(frozen=True, slots=True)
class Trail:
    """Where somebody is; every step is another trail to be asked for. UsageError says why there is none."""

    languages: Languages = field(default_factory=Languages)
    lookups: Steps = ()
    found: Found | None = None
    """What is at the end of the last one."""
    cursor: int = 0

    @property
    def name(self) -> str:
        """The lookups, or the languages where there is none."""
        if self.found is None:
            return f"aligned: {', '.join(self.languages.aligned) or 'nothing'}"
        return " > ".join([*(f"{each.text} ({each.language})" for each in self.lookups[:-1]), self.lookups[-1].name])

    @property
    def count(self) -> int:
        """The rows that are shown, with the one that leads to more."""
        return 0 if self.found is None else len(self.found.rows) + (self.found.more > 0)

    @property
    def last(self) -> Lookup:
        """The lookup that is shown, with where the cursor is. Raises UsageError before the first."""
        if not self.lookups or self.found is None:
            raise UsageError(self.languages.missing or "type a word first")
        return replace(self.lookups[-1], cursor=self.cursor)

    @property
    def row(self) -> LookupRow | None:
        """The row under the cursor; None where there is none, and for the one that leads to more."""
        rows = () if self.found is None else self.found.rows
        return rows[self.cursor] if self.cursor < len(rows) else None

    @property
    def phrase(self) -> tuple[str, str]:
        """The phrase under the cursor, else the one that was looked up, and its language."""
        last, row = self.last, self.row
        if row is None or row.found is None:
            return last.text, last.language
        return row.text, last.other if isinstance(row.found, PhraseTranslation) else last.language

    def begun(self, text: str, language: str = "") -> Steps:
        """A lookup of a phrase, in this language or in the one before if it has the phrase."""
        if not text.strip():
            raise UsageError("type a word, or up to three")
        before = self.lookups[-1] if self.lookups else Lookup("", "")
        language = language or before.language
        return (replace(before, text=text, language=language, cursor=0, is_whole=False, is_told=False),)

    def equivalents(self, rows: frozenset[int]) -> list[LookupRow]:
        """The equivalents among these rows, or under the cursor where these are none."""
        found = self.last and self.found
        chosen = [each for at, each in enumerate(found.rows if found else ()) if at in (rows or {self.cursor})]
        if not (wanted := [each for each in chosen if isinstance(each.found, FoundEquivalent)]):
            raise UsageError("only equivalents can be rejected; t turns to them")
        return wanted

    def aligned(self) -> AlignedPhrase:
        """The phrase with what it is aligned with under the cursor."""
        last, row = self.last, self.row
        if row is None or row.text == PART:
            raise UsageError("these are in longer phrases, which have translations of their own")
        return AlignedPhrase(last.language, last.text, last.other, None if row.found is None else row.text)

    def whole(self) -> Steps:
        """All rows, from this one on."""
        return (*self.lookups[:-1], replace(self.last, is_whole=True))

    def again(self) -> Steps:
        """The same, as it is now."""
        return (*self.lookups[:-1], self.last)

    def _changed(self, lookup: Lookup) -> Steps:
        """Another view of the same phrase."""
        return (*self.lookups[:-1], replace(lookup, cursor=0, is_whole=False))

    def turned(self) -> Steps:
        """From translations to equivalents, and back."""
        last = self.last
        return self._changed(replace(last, view="equivalents" if last.view == "translations" else "translations"))

    def in_next_language(self) -> Steps:
        """The same word in the next language that is aligned."""
        last, aligned = self.last, self.languages.aligned
        at = aligned.index(last.language) + 1 if last.language in aligned else 0
        return self._changed(replace(last, language=aligned[at % len(aligned)], is_told=True))

    def with_next_other(self) -> Steps:
        """Its translations in the next language."""
        last, others = self.last, self.found.others if self.found else ()
        if last.view == "equivalents":
            raise UsageError("equivalents come through all languages; t turns to the translations")
        if len(others) < 2:
            raise UsageError(f"{last.language} is aligned with {last.other} only")
        return self._changed(replace(last, other=others[(others.index(last.other) + 1) % len(others)]))

    def with_doubtful(self) -> Steps:
        """Also equivalents without good figures, or no longer."""
        last = self.last
        if last.view == "translations":
            raise UsageError("all translations are here; t turns to the equivalents")
        return self._changed(replace(last, has_doubtful=not last.has_doubtful))

    def followed(self) -> Steps:
        """The phrase under the cursor, as a step on."""
        last, row = self.last, self.row
        if row is None or row.found is None:
            raise UsageError("this row is no phrase")
        onward = replace(last, text=row.text, cursor=0, is_whole=False, is_told=True)
        if isinstance(row.found, PhraseTranslation):
            onward = replace(onward, language=last.other, other=last.language)
        return (*self.lookups[:-1], last, onward)


STEPS: Final[Mapping[str, Callable[[Trail], Steps]]] = {
    "turn": Trail.turned,
    "language": Trail.in_next_language,
    "other": Trail.with_next_other,
    "doubtful": Trail.with_doubtful,
    "follow": Trail.followed,
}
"""What keys do, by name."""

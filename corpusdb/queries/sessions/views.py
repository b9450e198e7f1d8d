"""A seed of a session as one sees it: its translations, its paraphrases best first, and what was decided of them.

All paraphrases are there, those that fail the filter too, so that N is moved in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, replace

from corpusdb.analogy.ranking import merge, rank
from corpusdb.bounds import number_of
from corpusdb.errors import InputError
from corpusdb.model import Finding, Paraphrase
from corpusdb.ngrams.fluency_orders import NO_LIMIT
from corpusdb.queries.corpus.sentences import sentence_id
from corpusdb.queries.corpus.translations import Translation, translations_of
from corpusdb.queries.paraphrase.filters import Filter
from corpusdb.queries.paraphrase.origins.origin import Seed, find_seed
from corpusdb.queries.paraphrase.origins.registry import select_origins
from corpusdb.queries.sessions.decisions import Decision, decisions
from corpusdb.queries.sessions.sessions import (
    SeedState,
    Standing,
    seed_state,
    seeds_of_session,
    session_standing,
)
from corpusdb.queries.sessions.unstored import UnstoredSession
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = ["SeedReader", "SeedView", "chosen_paraphrase"]


@dataclass(frozen=True, slots=True)
class SeedView:
    """The open seed of a session."""

    standing: Standing
    state: SeedState
    in_corpus: bool
    translations: tuple[Translation, ...]
    """Direct ones, of all languages."""
    paraphrases: tuple[Paraphrase, ...]
    """Best first, whatever their fluency order."""
    decisions: Mapping[str, Decision]
    """By the text of the paraphrase."""
    note: str = ""
    """Why there may be fewer paraphrases than one expects, if there is a reason."""

    @property
    def seed(self) -> str:
        """Its text."""
        return self.standing.seed

    @property
    def proposed(self) -> int:
        """How many of the paraphrases an origin yields; the others are wordings of a person's own."""
        return sum(bool(each.origins) for each in self.paraphrases)

    def passing(self, kept: Filter) -> int:
        """How many of those pass a filter."""
        return sum(bool(each.origins) and kept.passes(each) for each in self.paraphrases)

    def document(self) -> dict[str, object]:
        """The view as JSON has it."""
        document = {each.name: getattr(self, each.name) for each in fields(self)}
        return document | {"paraphrases": [each.document() for each in self.paraphrases]}


class SeedReader:
    """Reads seeds one after the other, and keeps in memory what is needed to generate from those not stored.

    It belongs to the thread of its store. ``writing`` opens the file for writing; it is called only for seeds that are
    not in the corpus and not stored, since trying one takes a transaction, which is rolled back.
    """

    def __init__(
        self, store: Store, writing: Callable[[], AbstractContextManager[Store]], origins: Iterable[str] | None = None
    ) -> None:
        self._store = store
        self._origins = [(origin, origin.generation(store, writing)) for origin in select_origins(origins)]

    def read(self, name: str, position: int | None = None) -> SeedView:
        """The open seed of a session, or the one at a position. Raises InputError where there is no such session."""
        with self._store.snapshot():
            standing = session_standing(self._store, name)
            if position is not None and position != standing.position:
                at_position = seeds_of_session(self._store, name)[position - 1]
                standing = replace(standing, position=position, seed=at_position.text)
        return self._view(standing)

    def read_unstored(self, session: UnstoredSession, position: int) -> SeedView:
        """The seed at a position of a session that the file does not have: nothing was decided of it."""
        return self._view(session.standing(position))

    def _view(self, standing: Standing) -> SeedView:
        with self._store.snapshot():
            seed = find_seed(self._store, standing.language, standing.seed)
            stored, note = self._stored(seed)
        # Not in the snapshot: what generates may have to open the file for writing.
        found = [
            finding
            for (_, generation), findings in zip(self._origins, stored, strict=True)
            for finding in (generation.generate(seed) if findings is None else findings)
        ]
        with self._store.snapshot():
            decided: dict[str, Decision] = {}
            state: SeedState = "seen"
            if standing.is_stored:
                decided = {each.text: each for each in decisions(self._store, standing.name, standing.seed)}
                state = seed_state(self._store, standing.name, standing.seed)
            ranked = rank(found)
            missing = decided.keys() - {each.text for each in ranked}
            return SeedView(
                standing=standing,
                state=state,
                in_corpus=seed.sentence is not None,
                translations=tuple(translations_of(self._store, [seed.sentence])[seed.sentence])
                if seed.sentence
                else (),
                paraphrases=(*ranked, *self._without_origin(standing.language, sorted(missing))),
                decisions=decided,
                note=note,
            )

    def prepare(self, language: str) -> None:
        """Read into memory what is needed to generate from seeds of a language."""
        for _, generation in self._origins:
            generation.prepare(language)

    def forget(self) -> None:
        """Free that memory."""
        for _, generation in self._origins:
            generation.forget()

    def _stored(self, seed: Seed) -> tuple[list[list[Finding] | None], str]:
        """What the file holds of a seed by origin, and why there may be less of it than one expects."""
        stored: list[list[Finding] | None] = []
        notes = []
        for origin, _ in self._origins:
            try:
                stored.append(origin.stored(self._store, seed))
            except InputError as error:  # there is no index; what the others found can be shown all the same
                stored.append([])
                notes.append(str(error))
        return stored, "; ".join(dict.fromkeys(notes))

    def _without_origin(self, language: str, texts: Iterable[str]) -> Iterator[Paraphrase]:
        """Decided paraphrases that no origin gives any more, since the corpus has changed: without figures."""
        for text in texts:
            order = 0 if sentence_id(self._store, language, text) is None else NO_LIMIT
            yield merge([Finding("", text, fluency=order, inner_fluency=order)])


def chosen_paraphrase(view: SeedView, word: str) -> str:
    """The paraphrase that is meant by its text, or by its number among all of the seed, from 1.

    Raises InputError for one that the seed does not have.
    """
    texts = [each.text for each in view.paraphrases]
    if normalise(word) in texts:
        return normalise(word)
    if word.isdecimal() and 1 <= number_of(word) <= len(texts):
        return texts[number_of(word) - 1]
    numbers = f"; they are numbered 1 to {len(texts)}" if texts else ", which has none"
    raise InputError(f"{word!r} is no paraphrase of {view.seed!r}{numbers}")

"""A seed of a session as one sees it: its translations, its paraphrases best first, and what was decided of them.

All paraphrases are there, those that fail the filter too, so that N is moved in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from corpusdb.bounds import number_of
from corpusdb.errors import InputError
from corpusdb.model import Candidate, Paraphrase
from corpusdb.queries.analogy.seed_generator import SeedGenerator
from corpusdb.queries.corpus.sentences import sentence_id
from corpusdb.queries.corpus.translations import Translation, translations_of
from corpusdb.queries.paraphrase.ranking import rank, stored_candidates
from corpusdb.queries.sessions.decisions import Decision, decisions
from corpusdb.queries.sessions.sessions import (
    SeedState,
    Standing,
    seed_state,
    seeds_of_session,
    session_standing,
)
from corpusdb.store import Layer, Store, layer_state
from corpusdb.text import normalise

__all__ = ["SeedReader", "SeedView", "chosen_paraphrase", "origin_marks", "passes"]


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

    def passing(self, order: int) -> int:
        """How many of the paraphrases pass the filter at N = ``order``."""
        return sum(passes(each, order) for each in self.paraphrases)


def passes(paraphrase: Paraphrase, order: int) -> bool:
    """Whether every run of ``order`` characters of a paraphrase was seen in the corpus (section 4.4)."""
    return paraphrase.order is None or paraphrase.order >= order


def origin_marks(paraphrase: Paraphrase) -> str:
    """Three characters: D detected by a shared translation, G generated, * in the corpus; a space for what is not."""
    holds = (paraphrase.shared > 0, paraphrase.frequency > 0, paraphrase.in_corpus)
    return "".join(mark if there else " " for mark, there in zip("DG*", holds, strict=True))


class SeedReader:
    """Reads seeds one after the other, and keeps in memory what it takes to generate from those never looked at.

    It belongs to the thread of its store. ``writing`` opens the file for writing; it is called only for seeds that are
    not in the corpus and not stored, since trying one takes a transaction, which is taken back.
    """

    def __init__(self, store: Store, writing: Callable[[], AbstractContextManager[Store]]) -> None:
        self._store = store
        self._writing = writing
        self._warm: dict[str, tuple[Layer | None, SeedGenerator]] = {}

    def read(self, name: str, position: int | None = None) -> SeedView:
        """The open seed of a session, or the one at a position. Raises InputError where there is no such session."""
        with self._store.snapshot():
            standing = session_standing(self._store, name)
            if position is not None and position != standing.position:
                seed = seeds_of_session(self._store, name)[position - 1]
                standing = replace(standing, position=position, seed=seed.text)
            sentence = sentence_id(self._store, standing.language, standing.seed)
            stored, note = self._stored(standing, sentence)
        generated = self._generated(standing, sentence) if stored is None else stored
        with self._store.snapshot():
            decided = {each.text: each for each in decisions(self._store, name, standing.seed)}
            ranked = rank(self._store, sentence, generated)
            missing = decided.keys() - {each.text for each in ranked}
            return SeedView(
                standing=standing,
                state=seed_state(self._store, name, standing.seed),
                in_corpus=sentence is not None,
                translations=tuple(translations_of(self._store, [sentence])[sentence]) if sentence else (),
                paraphrases=(*ranked, *self._bare(standing.language, sorted(missing))),
                decisions=decided,
                note=note,
            )

    def prepare(self, language: str) -> None:
        """Read now what is needed for seeds that were never looked at."""
        _ = self._session(language).ngrams

    def forget(self) -> None:
        """Give the memory back that this took."""
        self._warm.clear()

    def _stored(self, standing: Standing, sentence: int | None) -> tuple[list[Candidate] | None, str]:
        try:
            return stored_candidates(self._store, standing.language, standing.seed, sentence), ""
        except InputError as error:  # there is no index; what was detected can be shown all the same
            return [], str(error)

    def _generated(self, standing: Standing, sentence: int | None) -> list[Candidate]:
        session = self._session(standing.language)
        if sentence is not None:
            return session.candidates(standing.seed)
        with self._writing() as outside:
            return session.candidates(standing.seed, outside)

    def _session(self, language: str) -> SeedGenerator:
        """What is kept for a language, made anew when its index has changed."""
        state = layer_state(self._store, language, "ngram")
        known = self._warm.get(language)
        if known is None or known[0] != state:
            known = self._warm[language] = state, SeedGenerator(self._store, language)
        return known[1]

    def _bare(self, language: str, texts: Iterable[str]) -> list[Paraphrase]:
        """Decided paraphrases that are generated no longer, since the corpus has changed: without figures."""
        held = {text: sentence_id(self._store, language, text) is not None for text in texts}
        return [
            Paraphrase(
                text=text,
                frequency=0,
                order=None if in_corpus else 0,
                inner_order=None if in_corpus else 0,
                in_corpus=in_corpus,
                pivots=0,
                languages=0,
                probability=0.0,
                shared=0,
                score=0.0,
            )
            for text, in_corpus in held.items()
        ]


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

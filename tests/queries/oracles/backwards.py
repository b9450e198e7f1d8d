"""An origin of paraphrases that nobody would want: the words of the seed from the last to the first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from corpusdb.base.fluency_orders import NO_LIMIT
from corpusdb.corpus.model import Explanation, Finding
from corpusdb.corpus.queries.sentences import sentence_id
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.origins.origin import Origin, Seed, SeedGeneration

__all__ = ["ORDER", "Backwards", "backwards"]

ORDER = 9
"""The fluency order of all that it makes."""


def backwards(text: str) -> str:
    return " ".join(reversed(text.removesuffix(".").split())) + ("." if text.endswith(".") else "")


class Backwards(Origin):
    name = "backwards"
    label = "reversed"
    mark = "B"
    is_at_hand = False

    def stored(self, store: Store, seed: Seed) -> list[Finding] | None:
        return None

    def generation(
        self, store: Store, writing: Callable[[], AbstractContextManager[Store]] | None = None
    ) -> SeedGeneration:
        return _Generation(store)

    def explain(self, store: Store, seed: Seed, text: str, limit: int) -> Explanation:
        reasons = ("it is the seed from its last word to its first",) if text == backwards(seed.text) else ()
        return Explanation(seed.text, text, (), 0, reasons=reasons)


class _Generation(SeedGeneration):
    def __init__(self, store: Store) -> None:
        self._store = store

    def generated(self, seed: Seed) -> list[Finding]:
        text = backwards(seed.text)
        if text == seed.text:
            return []
        order = ORDER if sentence_id(self._store, seed.language, text) is None else NO_LIMIT
        return [Finding("backwards", text, fluency=order, inner_fluency=order, strength=0.5)]

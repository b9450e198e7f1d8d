"""Reference sets: for source sentences or seeds, the sentences that may stand as their translations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpusdb.errors import InputError
from corpusdb.formats import ReferenceSet
from corpusdb.queries.ranking import paraphrases
from corpusdb.queries.sentences import sentence_id
from corpusdb.queries.translations import translations_into
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = ["reference_sets"]


def reference_sets(
    store: Store, sources: Sequence[str], language: str, *, limit: int = 20, order: int = 20
) -> Iterator[ReferenceSet]:
    """One set for each source, in their order; the best references first, at most ``limit`` (0 is all).

    A source that the corpus has in another language is translated: its translations made by people come first, then
    their paraphrases. Any other source is a seed of ``language``: it is the first reference itself, unless neither the
    corpus nor an analogy knows it, which leaves the set empty. Generated references have a fluency order of at least
    ``order``. Raises InputError for an empty source.
    """
    for number, source in enumerate(sources, 1):
        text = normalise(source)
        if not text:
            raise InputError("the source is empty", path="sources", line=number)
        originals = _originals(store, text, language)
        references = _references(store, originals or [text], language, order)
        if not originals and references == [text]:
            references = []
        yield ReferenceSet(str(number), text, tuple(references[:limit] if limit else references))


def _originals(store: Store, text: str, language: str) -> list[str]:
    """The references that people wrote: the seed itself, or the translations of the source."""
    return [text] if sentence_id(store, language, text) is not None else translations_into(store, text, language)


def _references(store: Store, originals: Sequence[str], language: str, order: int) -> list[str]:
    """The originals, then all their paraphrases by score."""
    scores: dict[str, float] = {}
    for original in originals:
        for paraphrase in paraphrases(store, original, language, limit=0, order=order):
            scores[paraphrase.text] = max(paraphrase.score, scores.get(paraphrase.text, 0.0))
    ranked = sorted((text for text in scores if text not in originals), key=lambda text: (-scores[text], text))
    return [*originals, *ranked]

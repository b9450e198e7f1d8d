"""What stands behind a reference, down to the sentences of people and the documents in which they stand."""

from __future__ import annotations

from collections.abc import Iterator

from corpusdb.queries.evaluation.trace import Background, background_of
from corpusdb.queries.paraphrase.exchanges import reports_behind
from corpusdb.queries.references.reference_sets import AttributedReference
from corpusdb.store import Store
from tui.corpus.document_screen import DocumentScreen
from tui.sessions.explanation_screen import (
    ANALOGIES,
    EXAMPLES,
    ExplanationRow,
    ExplanationScreen,
    explanation_rows,
    shared_rows,
)

__all__ = ["BackgroundScreen", "background_rows"]


class BackgroundScreen(ExplanationScreen):
    """The places, analogies and shared translations behind a reference; Enter on a sentence shows its document."""

    PLACE = "scores"

    def __init__(self, reference: AttributedReference, language: str, source: str) -> None:
        super().__init__(reference.seed, reference.text, language)
        self._reference = reference
        self._source = source

    def rows_behind(self, store: Store) -> list[ExplanationRow]:
        found = background_of(store, self._reference, self._language, analogies=ANALOGIES)
        if found.explanation is None:
            return list(background_rows(found, self._language, self._source))
        exchanges = reports_behind(store, self._language, found.explanation, EXAMPLES)
        rows = list(explanation_rows(found.explanation, exchanges, self._language))
        return rows[:2] + list(_place_rows(found, self._language)) + rows[2:]

    def document(self, sentence: int) -> DocumentScreen:
        return SentenceDocument(sentence)


class SentenceDocument(DocumentScreen):
    """The document of a sentence, as the corpus shows it."""

    PLACE = "scores"


def _place_rows(found: Background, language: str) -> Iterator[ExplanationRow]:
    for place in found.places:
        yield ExplanationRow(f"  stands at {place}", found.reference.text, language)


def background_rows(found: Background, language: str, source: str) -> Iterator[ExplanationRow]:
    """The reference, where it stands, and what it shares with the original that it is a paraphrase of."""
    reference = found.reference
    yield ExplanationRow(reference.text, reference.text, language)
    if reference.seed == reference.text:
        yield ExplanationRow(f"  {', '.join(reference.origins)}: a reference for {source}" if source else "  original")
    else:
        yield ExplanationRow(f"  {', '.join(reference.origins)}: a paraphrase of")
        yield ExplanationRow(f"  {reference.seed}", reference.seed, language)
    yield from _place_rows(found, language)
    if found.shared:
        yield ExplanationRow(f"Both have the translations ({len(found.shared):,})")
        yield from shared_rows(found.shared)

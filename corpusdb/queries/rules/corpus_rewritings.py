"""Rewritings of the Japanese sentences of the corpus."""

from __future__ import annotations

from typing import Final

from corpusdb.errors import InputError
from corpusdb.jobs import Job
from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.queries.rules.method import RewritingMethod
from corpusdb.queries.rules.rewritings import RewritingReport, keep_rewritings
from corpusdb.store import Store

__all__ = ["JAPANESE", "keep_corpus_rewritings"]

JAPANESE: Final = "jpn"
"""The language of the rules."""


def keep_corpus_rewritings(store: Store, method: RewritingMethod) -> Job[RewritingReport]:
    """Keep the rewritings of all Japanese sentences; of those that came since the last call, those of the new ones.

    Raises InputError where the corpus has no Japanese.
    """
    texts = [text for _, text in sentences_after(store, JAPANESE, 0)]
    if not texts:
        raise InputError("the corpus has no Japanese sentence")
    return (yield from keep_rewritings(store, method, texts))

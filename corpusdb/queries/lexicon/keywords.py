"""Keywords: the words that set one part of the corpus apart from another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Literal, TypeAlias

import numpy as np

from corpusdb.arrays import I64
from corpusdb.errors import InputError, UsageError
from corpusdb.lexical.keyness import difference, keyness_likelihood, log_ratio, significance, simple_maths
from corpusdb.queries.corpus.sentences import sentences_of
from corpusdb.queries.lexicon.selection import TokenSelection, select_tokens
from corpusdb.store import Store
from corpusdb.textsearch.token_corpus import TokenCorpus

__all__ = ["Comparison", "Keyness", "Keyword", "Keywords", "keywords"]

Keyness: TypeAlias = Literal["loglikelihood", "logratio", "diff", "simple"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two parts of the sentences of a language, and which words are listed as typical of the first."""

    target: TokenSelection
    """The part whose keywords are looked for: a collection, a document or both."""
    reference: str | None = None
    """A collection to compare it with; None: all sentences of the language that are not in the target."""
    negative: bool = False
    """List the words that are rarer in the target than in the reference instead."""
    least: int = 5
    """Only words with at least this many tokens in the part where they are more frequent."""
    significance: float = 1.0
    """Only words whose log-likelihood has at most this probability by chance."""
    smoothing: float = 1.0
    """What simple maths adds to the frequencies per million."""


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word that is more frequent in one of the parts."""

    text: str
    count: int
    """In the target."""
    reference_count: int
    per_million: float
    """In the target."""
    reference_per_million: float
    loglikelihood: float
    """As Rayson and Garside have it; negative where the word is rarer in the target."""
    significance: float
    """The probability of such a log-likelihood by chance, for this one word looked at by itself."""
    logratio: float
    """1 is twice as often in the target, -1 half as often."""
    diff: float | None
    """%DIFF: by how many per cent it is more frequent in the target; None where the reference does not have it."""
    simple: float


@dataclass(frozen=True, slots=True)
class Keywords:
    """Keywords by the chosen measure, from its far end inwards, and then by the code points of the texts."""

    target_tokens: int
    reference_tokens: int
    found: int
    """How many there are, of which ``rows`` may be the first."""
    rows: tuple[Keyword, ...]
    rarer: int = 0
    """How many more there are that are not frequent enough."""


def keywords(store: Store, comparison: Comparison, measure: Keyness = "loglikelihood", limit: int = 50) -> Keywords:
    """The words of the target that the reference has less often; ``limit`` 0 is all of them.

    Each different sentence of a part counts once in it; one that stands in the target and in a named reference counts
    in both. Raises InputError for a name that is not there or a part without tokens, and UsageError for a smoothing
    that is not above 0.
    """
    if comparison.smoothing <= 0:
        raise UsageError(f"simple maths adds a number above 0, not {comparison.smoothing}")
    target, reference = _target_and_reference(store, comparison)
    a, b = (np.bincount(part.tokens, minlength=len(part.types)) for part in (target, reference))
    sizes = len(target.tokens), len(reference.tokens)
    if not all(sizes):
        raise InputError(f"the {'reference' if sizes[0] else 'target'} has no tokens in {target.language}")
    # Compared as integers, so that words that are equally frequent are never taken for keywords.
    excess = a * sizes[1] - b * sizes[0]
    more, counts = (-excess, b) if comparison.negative else (excess, a)
    is_known = np.fromiter(map(bool, target.types), dtype=np.bool_, count=len(target.types))
    present = np.flatnonzero((more > 0) & is_known)
    chosen = present[counts[present] >= comparison.least]
    rows = _keyword_rows([target.types[number] for number in chosen.tolist()], a[chosen], b[chosen], sizes, comparison)
    rows = [row for row in rows if row.significance <= comparison.significance]
    rows.sort(key=lambda row: (_rank(row, measure, comparison.negative), row.text))
    rarer = len(present) - len(chosen)
    return Keywords(*sizes, found=len(rows), rows=tuple(rows[: limit or None]), rarer=rarer)


def _target_and_reference(store: Store, comparison: Comparison) -> tuple[TokenCorpus, TokenCorpus]:
    """The target and the reference, whose types are the same."""
    chosen = comparison.target
    if chosen.collection is None and chosen.document is None:
        raise UsageError("name a collection or a document whose keywords are wanted")
    whole = select_tokens(store, replace(chosen, collection=None, document=None))
    target = whole.restricted_to(sentences_of(store, chosen.collection, chosen.document))
    if comparison.reference is None:
        others = np.setdiff1d(whole.sentences, target.sentences, assume_unique=True)
    else:
        others = sentences_of(store, comparison.reference, None)
    return target, whole.restricted_to(others)


def _keyword_rows(
    texts: Sequence[str], target: I64, reference: I64, sizes: tuple[int, int], comparison: Comparison
) -> list[Keyword]:
    table = (target, reference, *sizes)
    likelihood = keyness_likelihood(*table)
    more_by = difference(*table)
    columns = (
        target.tolist(),
        reference.tolist(),
        (target * 1e6 / sizes[0]).tolist(),
        (reference * 1e6 / sizes[1]).tolist(),
        (-likelihood if comparison.negative else likelihood).tolist(),
        significance(likelihood).tolist(),
        log_ratio(*table).tolist(),
        [each if isfinite(each) else None for each in more_by.tolist()],
        simple_maths(*table, smoothing=comparison.smoothing).tolist(),
    )
    return [Keyword(*row) for row in zip(texts, *columns, strict=True)]


def _rank(row: Keyword, measure: Keyness, negative: bool) -> float:
    """What to sort by, the most typical word lowest."""
    value = getattr(row, measure)
    score = inf if value is None else float(value)
    return score if negative else -score

"""Explanation: the analogies behind a candidate, and the translations that people made behind those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from corpusdb.corpus.model import Analogy, Explanation, SharedTranslation
from corpusdb.corpus.queries.sentences import sentence_id
from corpusdb.corpus.queries.translations import shared_translations
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.derivation import Derivation, solution
from corpusdb.paraphrase.queries.candidates import IndexRows
from corpusdb.paraphrase.queries.ngram_index import load_ngrams
from corpusdb.paraphrase.queries.seeds import as_if_in_corpus

__all__ = ["explain_analogies", "explain_rewording"]


def explain_analogies(store: Store, language: str, seed: str, candidate: str, *, limit: int) -> Explanation:
    """The analogies behind ``candidate`` as a paraphrase of ``seed``, both normalised.

    At most ``limit`` of them, those of the best attested exchange of sentences first; 0 is all. There is none where the
    candidate was not generated.
    """
    known = sentence_id(store, language, seed)
    if known is not None:
        return _explain(store, known, candidate, limit)
    with as_if_in_corpus(store, language, seed, load_ngrams(store, language)) as sentence:
        return _explain(store, sentence, candidate, limit)


def _explain(store: Store, sentence: int, candidate: str, limit: int) -> Explanation:
    """Explain ``candidate`` from the seed ``sentence``."""
    rows = IndexRows(store)
    seed = rows.text(sentence)
    derivations = _best_of_each_pair(rows, sentence, seed, candidate)
    analogies: list[Analogy] = []
    shared: dict[tuple[str, str], tuple[SharedTranslation, ...]] = {}
    for derivation, analogy in islice(_all_analogies(store, rows, seed, derivations), limit or None):
        analogies.append(analogy)
        pair = analogy.b, analogy.rewording
        if pair not in shared:
            shared[pair] = shared_translations(store, derivation.sentence, derivation.rewording)
    total = sum(derivation.contexts for derivation in derivations)
    return Explanation(seed, candidate, tuple(analogies), total, shared)


def explain_rewording(store: Store, sentence: int, candidate: str, *, limit: int) -> Explanation:
    """What was reworded as the seed ``sentence`` becomes ``candidate``: the B in one context with it, and their B'.

    At most ``limit`` reasons, of those whose B' is most probable first; 0 is all.
    """
    rows = IndexRows(store)
    seed = rows.text(sentence)
    found = {
        (each.sentence, each.rewording)
        for each in rows.lone_derivations_of(sentence)
        if solution(seed, each, rows) == candidate
    }
    pairs = sorted(found, key=lambda pair: (-rows.shared(*pair)[1], pair))
    reasons = tuple(_rewording_reason(rows, *pair) for pair in pairs[: limit or None])
    return Explanation(seed, candidate, (), 0, reasons=reasons)


def _rewording_reason(rows: IndexRows, sentence: int, rewording: int) -> str:
    languages, _ = rows.shared(sentence, rewording)
    return (
        f"{rows.text(sentence)!r}, in one context with the seed, becomes {rows.text(rewording)!r}; the two share "
        f"translations ({', '.join(sorted(languages))}). No second context shows how it differs from the seed: the "
        "exchange of words vouches for it"
    )


def _all_analogies(
    store: Store, rows: IndexRows, seed: str, derivations: Iterable[Derivation]
) -> Iterator[tuple[Derivation, Analogy]]:
    for derivation in derivations:
        for analogy in _analogies(store, rows, seed, derivation):
            yield derivation, analogy


def _best_of_each_pair(rows: IndexRows, sentence: int, seed: str, candidate: str) -> list[Derivation]:
    """For each exchange of sentences that gives the candidate its most frequent derivation, most frequent first."""
    best: dict[tuple[int, int], Derivation] = {}
    for _, derivations in rows.derivations([sentence]):
        for derivation in derivations:
            if solution(seed, derivation, rows) == candidate:
                pair = derivation.sentence, derivation.rewording
                if pair not in best or best[pair].contexts < derivation.contexts:
                    best[pair] = derivation
    return sorted(best.values(), key=lambda one: (-one.contexts, one.sentence, one.rewording))


_OTHERS = """
select a.text, c.text
from slot y
join slot x on x.context = y.context and x.filler = :x
join sentence a on a.id = y.sentence
join sentence c on c.id = x.sentence
where y.filler = :y and y.context <> :context
order by length(a.text), y.context
"""
_CONTEXT = "select text from context_text where id = ?"
_FILLER = "select text from filler where id = ?"


def _analogies(store: Store, rows: IndexRows, seed: str, derivation: Derivation) -> Iterator[Analogy]:
    """The analogies of one derivation, those with the shortest sentences first."""
    (context,) = store.connection.execute(_CONTEXT, (derivation.context,)).fetchone()
    (filler,) = store.connection.execute(_FILLER, (derivation.y,)).fetchone()
    b, rewording = rows.text(derivation.sentence), rows.text(derivation.rewording)
    values = {"x": derivation.x, "y": derivation.y, "context": derivation.context}
    for a, c in store.connection.execute(_OTHERS, values):
        yield Analogy(a, b, c, seed, rewording, context, filler, derivation.filler)

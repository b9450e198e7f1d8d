"""Explanation: the analogies behind a candidate, and the translations that people made behind those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from corpusdb.analogy.derivation import Derivation, solution
from corpusdb.model import Analogy, Explanation, SharedTranslation
from corpusdb.queries.analogy.candidates import IndexRows
from corpusdb.queries.analogy.ngram_index import load_ngrams
from corpusdb.queries.analogy.unseen_seeds import as_if_in_corpus
from corpusdb.queries.corpus.sentences import sentence_id
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = ["explain", "shared_translations"]

_PLACES_SHOWN = 3


def explain(store: Store, seed: str, candidate: str, language: str, *, limit: int = 10) -> Explanation:
    """What stands behind ``candidate`` as a paraphrase of ``seed``.

    At most ``limit`` analogies, those of the best attested exchange of sentences first; 0 is all. The explanation has
    no analogy where the candidate was not generated, and no direct translation where the two share none.
    """
    seed, candidate = normalise(seed), normalise(candidate)
    known = sentence_id(store, language, seed)
    if known is not None:
        return _explain(store, known, candidate, sentence_id(store, language, candidate), limit)
    with as_if_in_corpus(store, language, seed, load_ngrams(store, language)) as sentence:
        return _explain(store, sentence, candidate, sentence_id(store, language, candidate), limit)


def _explain(store: Store, sentence: int, candidate: str, held: int | None, limit: int) -> Explanation:
    """Explain ``candidate`` from the seed ``sentence``; ``held`` is the number of the candidate in the corpus."""
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
    return Explanation(
        seed,
        candidate,
        tuple(analogies),
        sum(derivation.contexts for derivation in derivations),
        shared,
        shared_translations(store, sentence, held) if held is not None else (),
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


_SHARED = """
select sentence.id, sentence.language, sentence.text
from translation one
join translation two on two.translation = one.translation and two.sentence = :two
join sentence on sentence.id = one.translation
where one.sentence = :one and sentence.language <> (select language from sentence where id = :one)
group by sentence.id order by sentence.language, sentence.id
"""
_PLACES = """
select distinct collection.name, document.name, here.line
from occurrence here
join occurrence there on there.document = here.document and there.line = here.line and there.sentence = :translation
join document on document.id = here.document
join collection on collection.id = document.collection
where here.sentence in (:one, :two) order by document.id, here.line limit :limit
"""


def shared_translations(store: Store, one: int, two: int) -> tuple[SharedTranslation, ...]:
    """The translations that two sentences share, with the first places where one of them stands beside each."""
    pair = {"one": one, "two": two}
    found = []
    for translation, language, text in store.connection.execute(_SHARED, pair).fetchall():
        values = {**pair, "translation": translation, "limit": _PLACES_SHOWN}
        places = tuple(
            f"{collection}/{document}:{line}"
            for collection, document, line in store.connection.execute(_PLACES, values)
        )
        found.append(SharedTranslation(language, text, places))
    return tuple(found)

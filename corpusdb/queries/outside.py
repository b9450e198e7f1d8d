"""Seeds that are not in the corpus: generated as if they were, and leaving nothing behind."""

from __future__ import annotations

from corpusdb.charlm import fluency_orders
from corpusdb.errors import DatabaseReadOnly
from corpusdb.model import Candidate
from corpusdb.queries.extension import extend_commutations
from corpusdb.queries.generation import Evidence, Generator
from corpusdb.queries.ngrams import NgramIndex
from corpusdb.store import Store

__all__ = ["candidates_of_evidence", "outside_candidates"]

_INSERT = "insert into sentence (language, text) values (?, ?)"


class _TakenBack(Exception):
    """Ends a transaction of which nothing is to stay."""


def outside_candidates(store: Store, language: str, text: str, ngrams: NgramIndex) -> list[Evidence]:
    """The candidates that ``text``, which the corpus does not hold, would have if it did; by text.

    The sentence is taken into the index, its candidates are derived, and the transaction is taken back. The fluency of
    candidates is theirs by the corpus without the seed. Raises DatabaseReadOnly where nothing may be written.
    """
    if store.read_only:
        raise DatabaseReadOnly(f"{store.path}: a seed that is not in the corpus can be tried only where the file may be written")
    found: list[Evidence] = []
    try:
        with store.write() as connection:
            sentence = int(connection.execute(_INSERT, (language, text)).lastrowid or 0)
            extend_commutations(connection, language, [(sentence, text)], ngrams, for_good=False)
            generator = Generator(store)
            for _, derivations in generator.derivations([sentence]):
                found = generator.candidates(text, derivations)
            raise _TakenBack
    except _TakenBack:
        return found


def candidates_of_evidence(evidence: list[Evidence], ngrams: NgramIndex) -> list[Candidate]:
    """The same with the fluency of each."""
    orders = fluency_orders([one.text for one in evidence], ngrams.longest_of_few)
    columns = orders.order.tolist(), orders.inner_order.tolist()
    return [
        Candidate(one.text, one.frequency, one.pivots, one.languages, one.probability, order, inner)
        for one, order, inner in zip(evidence, *columns, strict=True)
    ]

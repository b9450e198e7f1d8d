"""Seeds one by one, in the corpus or not, and the analogies behind a candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import islice

from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.corpus.model import Analogy, Explanation, Finding, SharedTranslation
from corpusdb.corpus.queries.sentences import sentence_id, shared_translations
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.runs import require_whole
from corpusdb.paraphrase.derivation import Derivation, Evidence, candidates, solution
from corpusdb.paraphrase.fluency import fluency_of
from corpusdb.paraphrase.queries.candidates import IndexRows
from corpusdb.paraphrase.queries.ngram_index import NgramIndex, load_ngrams, shared_ngrams
from corpusdb.paraphrase.queries.slot_index_update import update_slot_index


_INSERT = "insert into sentence (language, text) values (?, ?)"
_BEGIN = "savepoint as_if"
_TAKE_BACK = ("rollback to as_if", "release as_if")


def require_writable(store: Store) -> None:
    """Raise DatabaseReadOnly where nothing may be written, although nothing is in the end."""
    if store.read_only:
        raise DatabaseReadOnly(
            f"{store.path}: a seed that is not in the corpus can be tried only where the file may be written"
        )


@contextmanager
def as_if_in_corpus(store: Store, language: str, text: str, ngrams: NgramIndex) -> Iterator[int]:
    """The number of a sentence that the corpus and its index have inside the block only.

    Raises DatabaseReadOnly where nothing may be written, although nothing is in the end.
    """
    require_writable(store)
    with store.write() as connection:
        connection.execute(_BEGIN)
        try:
            sentence = int(connection.execute(_INSERT, (language, text)).lastrowid or 0)
            update_slot_index(connection, language, [(sentence, text)], ngrams, for_good=False)
            yield sentence
        finally:
            if connection.in_transaction:
                for statement in _TAKE_BACK:
                    connection.execute(statement)


def outside_candidates(store: Store, language: str, text: str, ngrams: NgramIndex) -> list[Evidence]:
    """The candidates that ``text``, which the corpus does not hold, would have if it did; by text.

    ``ngrams`` is the index of the corpus as it is.
    """
    rows = IndexRows(store)
    with as_if_in_corpus(store, language, text, ngrams) as sentence:
        for _, derivations in rows.derivations([sentence]):
            return candidates(text, derivations, rows)
    return []


# Seeds one by one: what a session keeps in memory, so that each is answered at once.


class SeedGenerator:
    """Generates from single seeds of one language, as its index stands when the session begins."""

    def __init__(self, store: Store, language: str) -> None:
        self._store = store
        self._language = language
        self._rows = IndexRows(store)

    @cached_property
    def ngrams(self) -> NgramIndex:
        return shared_ngrams(self._store, self._language)

    def evidence(self, seed: str, outside: Store | None = None) -> list[Evidence]:
        """The candidates of a normalised seed, by text.

        One that is not in the corpus is tried in ``outside``, the same database open for writing, if the session's own
        store is not. Raises DatabaseReadOnly where neither is, and DatabaseIsExtract for a file that holds the rows of
        some seeds only.
        """
        require_whole(self._store, "generating from another seed")
        sentence = sentence_id(self._store, self._language, seed)
        if sentence is None:
            require_writable(outside or self._store)  # before the n-grams are read
            return outside_candidates(outside or self._store, self._language, seed, self.ngrams)
        for _, derivations in self._rows.derivations([sentence]):
            return candidates(seed, derivations, self._rows)
        return []

    def candidates(self, seed: str, outside: Store | None = None) -> list[Finding]:
        """The same with their fluency by the corpus as it is, without the seed where that is not in it."""
        evidence = self.evidence(seed, outside)
        fluency = fluency_of([one.text for one in evidence], self.ngrams.longest_of_few)
        known = (one._asdict() | fluency[one.text]._asdict() for one in evidence)
        return [Finding("", **{name: value for name, value in one.items() if name in Finding._fields}) for one in known]


# Explanation: the analogies behind a candidate, and the translations that people made behind those.


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

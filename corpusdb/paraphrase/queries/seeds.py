"""Seeds one by one, in the corpus or not: what is generated from them, and how probable it is that it holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice

import numpy as np

from corpusdb.base.arrays import F64
from corpusdb.base.errors import DatabaseReadOnly
from corpusdb.base.text import units_of
from corpusdb.corpus.model import Analogy, Explanation, Finding, SharedTranslation
from corpusdb.corpus.queries.sentences import sentence_id, shared_translations
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.runs import require_whole
from corpusdb.paraphrase.derivation import Derivation, Evidence, candidates, fluency_of, solution
from corpusdb.paraphrase.differences import Exchange, difference, differences_apart
from corpusdb.paraphrase.exchange_index import (
    ExchangeEvidence,
    StoredExchange,
    StoredPart,
    Sums,
    features,
    index_of_sums,
    most_probable,
    parted_features,
    replacements,
)
from corpusdb.paraphrase.familiar import OF_CORPUS
from corpusdb.paraphrase.known import Known, said_of_exchanges
from corpusdb.paraphrase.marking import MarkingChange, marking_of
from corpusdb.paraphrase.pair_differences import Pair, PairComparer, PairDifferences, trifles_of_pairs
from corpusdb.paraphrase.queries.candidates import IndexRows
from corpusdb.paraphrase.queries.models import (
    KnownTranslations,
    NgramIndex,
    load_word_model,
    shared_ngrams,
)
from corpusdb.paraphrase.queries.slot_index_update import update_slot_index
from corpusdb.paraphrase.rewording import Judged
from corpusdb.paraphrase.validity import (
    ValidityModels,
    hidden_by,
    judge_applied,
    read_features,
    unseen_if_applied,
)
from corpusdb.paraphrase.witnesses import Witness
from corpusdb.paraphrase.word_model import WordModel, said_by_words

# Seeds that are not in the corpus: generated as if they were, and leaving nothing behind.


_INSERT = "insert into sentence (language, text) values (?, ?)"


class _TakenBack(Exception):
    """What was tried is over, and nothing of it is to stay."""


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
    # The whole transaction is undone: one that ends with nothing changed would still write to the file.
    with suppress(_TakenBack), store.write() as connection:
        sentence = int(connection.execute(_INSERT, (language, text)).lastrowid or 0)
        update_slot_index(connection, language, [(sentence, text)], ngrams, for_good=False)
        yield sentence
        raise _TakenBack


def outside_candidates(store: Store, language: str, text: str, ngrams: NgramIndex) -> list[Evidence]:
    """The candidates that ``text``, which the corpus does not hold, would have if it did; by text.

    ``ngrams`` is the index of the corpus as it is.
    """
    rows = IndexRows(store)
    with as_if_in_corpus(store, language, text, ngrams) as sentence:
        for _, derivations in rows.derivations([sentence]):
            return candidates(text, derivations, rows)
    return []


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


def explain_analogies(store: Store, language: str, seed: str, candidate: str, *, limit: int) -> Explanation:
    """The analogies behind ``candidate`` as a paraphrase of ``seed``, both normalised.

    At most ``limit`` of them, those of the best attested exchange of sentences first; 0 is all. There is none where the
    candidate was not generated.
    """
    known = sentence_id(store, language, seed)
    if known is not None:
        return _explain(store, known, candidate, limit)
    with as_if_in_corpus(store, language, seed, shared_ngrams(store, language)) as sentence:
        return _explain(store, sentence, candidate, limit)


def _explain(store: Store, sentence: int, candidate: str, limit: int) -> Explanation:
    rows = IndexRows(store)
    seed = rows.text(sentence)
    derivations = _best_of_each_pair(rows, sentence, seed, candidate)
    analogies: list[Analogy] = []
    shared: dict[tuple[str, str], tuple[SharedTranslation, ...]] = {}
    found = ((each, analogy) for each in derivations for analogy in _analogies(store, rows, seed, each))
    for derivation, analogy in islice(found, limit or None):
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
    (context,) = store.connection.execute(_CONTEXT, (derivation.context,)).fetchone()
    (filler,) = store.connection.execute(_FILLER, (derivation.y,)).fetchone()
    b, rewording = rows.text(derivation.sentence), rows.text(derivation.rewording)
    values = {"x": derivation.x, "y": derivation.y, "context": derivation.context}
    for a, c in store.connection.execute(_OTHERS, values):
        yield Analogy(a, b, c, seed, rewording, context, filler, derivation.filler)


_ROWS = "select x, y, shared, expected from exchange where language = ?"


def load_replacements(store: Store, language: str) -> set[Exchange]:
    """The exchanges of a high rate, in either direction."""
    rows = store.connection.execute(_ROWS, (language,)).fetchall()
    return replacements([row[:2] for row in rows], Sums.of(row[2:] for row in rows))


# The validity of what is generated from single seeds, by the exchanges and the model that the database holds.


_MODEL = """
select json_extract(run.parameters, '$.model') from layer join run on run.id = layer.run
where layer.language = ? and layer.name = 'validity' and layer.complete
"""
_EXCHANGES = """
select exchange.id, exchange.x, exchange.y, exchange.pairs, exchange.shared, exchange.expected
from json_each(:wanted) wanted
cross join exchange on exchange.language = :language
    and exchange.x = json_extract(wanted.value, '$[0]') and exchange.y = json_extract(wanted.value, '$[1]')
order by exchange.id
"""
_PARTS = """
select exchange, kind, name, pairs, shared, expected
from json_each(?) wanted cross join exchange_part on exchange_part.exchange = wanted.value
"""


class SeedValidity:
    """Judges paraphrases of one language, as its exchanges stand when they are first asked for."""

    def __init__(self, store: Store, language: str) -> None:
        self._store = store
        self._language = language
        self.translations = KnownTranslations(store, language)

    @cached_property
    def _models(self) -> ValidityModels | None:
        row = self._store.connection.execute(_MODEL, (self._language,)).fetchone()
        return ValidityModels.read(json.loads(row[0])) if row and row[0] else None

    @property
    def is_known(self) -> bool:
        return self._models is not None

    def judge(
        self,
        pairs: Sequence[Pair],
        languages: Sequence[int] | None = None,
        *,
        derived: bool = True,
        detected: bool = False,
    ) -> list[Judged]:
        """The validity of pairs; ``derived``: by their analogies too; ``detected``: that share a translation alone.

        ``languages``: in how many each pair shares a translation; None: in none, as far as anybody knows.

        Raises LookupError where nothing was learned yet.
        """
        models = self.models
        evidence, differences, _ = self._compared(pairs)
        known = self._known(pairs, differences, languages, detected=detected)
        if derived:
            probability = _probability(models, evidence, differences, known, derived=True)
        else:
            probability = models.of_pairs(evidence, known, detected=detected)
        vouched = models.vouched(evidence, differences)
        shown = models.shown(probability, differences.unseen, derived=derived)
        support = models.support(evidence, known, vouched)
        return list(map(Judged, shown.tolist(), support.tolist(), known.words.gains))

    def judge_applied(self, pairs: Sequence[Pair], shared: int = OF_CORPUS.shared) -> list[Judged]:
        """The same of pairs that only an exchange makes, for which so many pairs share a translation."""
        models = self.models
        evidence, differences, _ = self._compared(pairs)
        known = self._known(pairs, differences)
        shown, support = judge_applied(models, evidence, differences, known, shared)
        return list(map(Judged, shown.tolist(), support.tolist(), known.words.gains))

    def read_features(self, pairs: Sequence[Pair]) -> F64:
        """What is known of pairs that only an exchange makes, by EXCHANGE_FEATURES and READ_FEATURES."""
        evidence, differences, _ = self._compared(pairs)
        figures = features(evidence)
        learned = self.models.plain.probability(figures)
        return read_features(parted_features(evidence), figures, learned, self._known(pairs, differences))

    def _known(
        self,
        pairs: Sequence[Pair],
        differences: PairDifferences,
        languages: Sequence[int] | None = None,
        *,
        detected: bool = False,
    ) -> Known:
        shared = np.array(languages or [0] * len(pairs), dtype=np.int64)
        ends = [(pair.seed, pair.text) for pair in pairs]
        words = said_by_words(self._word_model, [pair.seed for pair in pairs], [pair.text for pair in pairs])
        trifle = trifles_of_pairs(differences.changed, self._language, detected=detected)
        said = said_of_exchanges(differences, self._language)
        return Known(shared, self.translations.testimony(ends, differences.changed), words, trifle, said)

    @cached_property
    def _word_model(self) -> WordModel | None:
        return load_word_model(self._store, self._language)

    def bounding(self, pair: Pair, shared: int, *, derived: bool) -> Iterator[str]:
        """What the probability of a pair is not above, whatever else speaks for it, by the stored sums; in words.

        A language that says that the exchange changes the meaning; of several exchanges the one that holds least
        probably, where all together are not known. ``derived``: it is judged by its analogies too. ``shared``: in how
        many languages it shares a translation.
        """
        evidence, differences, languages = self._compared([pair])
        if most_probable(evidence.by_language)[0] < 1:
            left = [float(most_probable(evidence.by_language[[at]])[0]) for at in range(len(languages))]
            worst = int(np.argmin(left))
            sharing, expected = evidence.by_language.shared[worst, 0], evidence.by_language.expected[worst, 0]
            yield (
                f"not above {left[worst]:.3f} by the exchange: of pairs with translations into {languages[worst]} "
                f"{round(sharing):,} share one, {expected:.1f} expected if they mean the same"
            )
        if evidence.alone is None:
            return
        known = self._known([pair], differences, [shared])  # for which the word model is read
        whole, bounded = (
            float(_probability(self.models, each, differences, known, derived=derived)[0])
            for each in (replace(evidence, alone=None), evidence)
        )
        if bounded >= whole:
            return
        regions = evidence.alone
        alone = _probability(
            self.models, regions.evidence, differences.regions_alone(), known.of(regions.pair), derived=derived
        )
        units = units_of(pair.seed), units_of(pair.text)
        region = differences_apart(*units, difference(*units))[int(np.argmin(alone))]
        words = " / ".join(text.strip() or "(nothing)" for text in region.exchange)
        most = f"not above {alone.min():.3f} by the exchange"
        yield f"{most}: {words} alone has no more, and hardly any pair shows all at once"

    def learned(self, pair: Pair, *, derived: bool) -> float:
        """The probability of a pair that the corpus teaches, before what readers said of others like it."""
        evidence, differences, _ = self._compared([pair])
        return float(self.models.learned(evidence, differences, derived=derived)[0])

    def change(self, pair: Pair) -> MarkingChange | None:
        """What its words say that a pair differs in and a pivot language may not see."""
        marking = marking_of(self._language)
        return marking.change(units_of(pair.seed), units_of(pair.text)) if marking else None

    def is_hidden(self, pair: Pair, *, applied: bool) -> bool:
        """Whether a pair differs, or for all that is known may, in what the one pivot language does not mark.

        ``applied``: only an exchange makes it.
        """
        if not self.models.unseen:
            return False
        evidence, differences, _ = self._compared([pair])
        unseen = unseen_if_applied(self.models, evidence, differences) if applied else differences.unseen
        return bool(hidden_by(self.models.unseen, unseen)[0])

    def witnesses(self, pair: Pair) -> list[Witness]:
        """What the translations of the seed say of a pair, which it does not share."""
        _, differences, _ = self._compared([pair])
        return self.translations.witnesses(pair.seed, pair.text, differences.changed)

    @property
    def models(self) -> ValidityModels:
        """What was learned of the language. Raises LookupError where nothing was yet."""
        if self._models is None:
            raise LookupError(f"nothing was learned of exchanges in {self._language}")
        return self._models

    def _compared(self, pairs: Sequence[Pair]) -> tuple[ExchangeEvidence, PairDifferences, tuple[str, ...]]:
        """What speaks for pairs, how they differ, and the languages of the translations."""
        neighbours: dict[str, int] = {}
        comparer = PairComparer({}, neighbours, marking_of(self._language) if self.models.unseen else None)
        comparer.add(pairs)
        bound = {"language": self._language, "wanted": json.dumps(sorted(comparer.exchanges()))}
        exchanges = list(map(StoredExchange._make, self._store.connection.execute(_EXCHANGES, bound)))
        fillers = sorted({text for each in exchanges for text in (each.x, each.y)})
        differences = comparer.differences({text: number for number, text in enumerate(fillers)})
        numbers = json.dumps([each.id for each in exchanges])
        parts = map(StoredPart._make, self._store.connection.execute(_PARTS, (numbers,)))
        index = index_of_sums(exchanges, parts, fillers, neighbours)
        return index.evidence(differences), differences, index.sharing.languages


def _probability(
    models: ValidityModels, evidence: ExchangeEvidence, differences: PairDifferences, known: Known, *, derived: bool
) -> F64:
    if derived:
        labelled = np.zeros(len(differences.row), dtype=np.bool_)
        return models.of_candidates(evidence, differences, labelled, known)[0]
    return models.of_pairs(evidence, known, framed=differences.framed)

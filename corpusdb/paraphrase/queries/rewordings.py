"""What exchanges make of all sentences of a language, and what several paraphrases of a sentence give together."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from corpusdb.corpus.model import DEFAULT_MIN_VALIDITY, NO_LIMIT
from corpusdb.corpus.queries.sentences import sentence_id, sentences_after
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.exchange_index import StoredExchange, StoredPart
from corpusdb.paraphrase.familiar import FamiliarExchanges, familiar_exchanges
from corpusdb.paraphrase.fluency import Fluency
from corpusdb.paraphrase.queries.models import load_word_model
from corpusdb.paraphrase.rewording import (
    LEAST_ORDER_APPLIED,
    MARKS,
    Clauses,
    Composed,
    Judge,
    Part,
    Rewording,
    applied_exchanges,
    applied_row,
    composed_of,
    composed_row,
    composition,
    is_part,
    part_row,
    reworded_clauses,
)
from corpusdb.paraphrase.word_model import WordModel

_EXCHANGES = "select id, x, y, pairs, shared, expected from exchange where language = ? order by id"
_BESIDE = """
select exchange, kind, name, part.pairs, part.shared, part.expected
from exchange cross join exchange_part part on part.exchange = exchange.id and part.kind in ('left', 'right')
where exchange.language = ? and part.shared > 1
"""


def load_familiar(store: Store, language: str, model: WordModel | None = None) -> FamiliarExchanges:
    """The exchanges that are made between neighbours that they are known by, and elsewhere as ``model`` tells."""
    exchanges = [StoredExchange(*row) for row in store.connection.execute(_EXCHANGES, (language,))]
    parts = map(StoredPart._make, store.connection.execute(_BESIDE, (language,)))
    return familiar_exchanges(exchanges, parts, language, model)


_KNOWN = """
select seed.sentence, candidate.text
from json_each(:seeds) wanted cross join seed on seed.sentence = wanted.value
cross join candidate on candidate.seed = seed.id
union all
select paraphrase.sentence, other.text
from json_each(:seeds) wanted cross join paraphrase on paraphrase.sentence = wanted.value
cross join sentence other on other.id = paraphrase.paraphrase
"""


def known_pairs(store: Store, seeds: Collection[int]) -> set[tuple[int, str]]:
    """The generated and detected paraphrases of some sentences."""
    return set(store.connection.execute(_KNOWN, {"seeds": json.dumps(list(seeds))}))


Measure = Callable[[Collection[str]], Mapping[str, Fluency]]
"""What tells the fluency of texts."""


def applied_rewordings(
    store: Store, language: str, judge: Judge, measure: Measure, made: Iterable[Rewording]
) -> Iterator[list[Rewording]]:
    """What exchanges, and paraphrases of clauses, make of all sentences of a language, in batches.

    Without what other origins have, and those ``made``.
    """
    others = {(each.sentence, each.text) for each in made}
    sentences = sentences_after(store, language, 0)
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT}

    def known(seeds: Collection[int]) -> set[tuple[int, str]]:
        return known_pairs(store, seeds)

    clauses = Clauses(sentences, store.connection.execute(_ALL_PARTS, bound), language)
    model = load_word_model(store, language)
    exchanged = applied_exchanges(sentences, load_familiar(store, language, model), judge, known, model)
    for batch in chain(exchanged, reworded_clauses(sentences, clauses, judge, known, model)):
        fresh = [each for each in batch if each[:2] not in others]
        others.update(each[:2] for each in fresh)
        fluency = measure([each.text for each in fresh])
        rows = (applied_row(each, fluency[each.text]) for each in fresh)
        yield [each for each in rows if each.fluency >= LEAST_ORDER_APPLIED]


_PARTS = """
select seed.sentence, candidate.text, candidate.validity, coalesce(candidate.replacement, 0), candidate.fluency,
       candidate.word_gain
from seed cross join candidate on candidate.seed = seed.id
where seed.language = :language and {seed} and candidate.validity >= :least
union all
select sentence.id, other.text, paraphrase.validity, 0, :whole, null
from sentence cross join paraphrase on paraphrase.sentence = sentence.id
cross join sentence other on other.id = paraphrase.paraphrase
where sentence.language = :language and {sentence} and paraphrase.validity >= :least
"""
_ALL_PARTS = _PARTS.format(seed="seed.sentence is not null", sentence="true")
_PARTS_OF_SEED = f"""
{_PARTS.format(seed="seed.sentence = :sentence", sentence="sentence.id = :sentence")}
union all
select sentence, text, validity, replacement, fluency, word_gain from rewording
where sentence = :sentence and parts = 1
"""


def composed_rewordings(
    store: Store, language: str, measure: Measure, made: Sequence[Rewording]
) -> Iterator[list[Rewording]]:
    """What several paraphrases of a sentence give together, those ``made`` with their word gains among them."""
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT}
    paraphrases = chain(store.connection.execute(_ALL_PARTS, bound), map(part_row, made))
    known = ((each.sentence, each.text) for each in made)
    for batch in composed_of(sentences_after(store, language, 0), paraphrases, language, known):
        fluency = measure([each.text for _, each in batch])
        rows = (composed_row(number, each, fluency[each.text]) for number, each in batch)
        yield [each for each in rows if each.fluency >= LEAST_ORDER_APPLIED]


_OF_TEXT = "select parts from rewording where sentence = ? and text = ?"


def parts_of_rewording(store: Store, sentence: int, text: str) -> int:
    """How many paraphrases of a sentence were put together in this one; 0 where the table does not have it."""
    row = store.connection.execute(_OF_TEXT, (sentence, text)).fetchone()
    return int(row[0]) if row else 0


def composition_of(store: Store, language: str, sentence: int, seed: str, text: str) -> Composed | None:
    """How ``text`` is made of the stored paraphrases of a sentence, or of theirs; None where it is not."""

    def parts_of(other: str) -> list[Part]:
        number = sentence_id(store, language, other)
        return [] if number is None else _parts_of_seed(store, language, number)

    return composition(seed, text, _parts_of_seed(store, language, sentence), parts_of, language)


def _parts_of_seed(store: Store, language: str, sentence: int) -> list[Part]:
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT, "sentence": sentence}
    rows = store.connection.execute(_PARTS_OF_SEED, bound)
    return [Part(*row[1:4]) for row in rows if is_part(*row[2:6])]


def clause_of(store: Store, language: str, seed: str, text: str) -> tuple[str, str] | None:
    """The sentence that begins or ends ``seed``, and the paraphrase of it that makes ``text``; None where none does."""
    body = seed[:-1]
    for at in (place for place, char in enumerate(body) if char == " "):
        tail = body[at + 1 :]
        for clause in (
            (body[:at].rstrip(",") + mark for mark in MARKS),
            (each + mark for each in (tail, tail[:1].upper() + tail[1:]) for mark in MARKS),
        ):
            for sentence in clause:
                number = sentence_id(store, language, sentence)
                for part in [] if number is None else _parts_of_seed(store, language, number):
                    row = (0, part.text, part.validity, part.replacement, NO_LIMIT, None)
                    made = Clauses([(0, sentence), (1, text)], [row], language).exchanged(seed)
                    if any(each == text for each, _ in made):
                        return sentence, part.text
    return None

"""What exchanges make of sentences, of the corpus and others; paraphrases put together; what a validity is made of."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, compress, islice
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.base.jobs import Job, Progress, computed_in_order, usable_cores
from corpusdb.corpus.orders import DEFAULT_MIN_VALIDITY, NO_LIMIT
from corpusdb.corpus.queries.sentences import sentence_id, sentences_after
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.applying import (
    SENTENCES_AT_ONCE,
    Applying,
    CorpusJudge,
    Exchanges,
    Judge,
    OfOtherOrigins,
    PackedExchanges,
    PackedSentences,
    Sentences,
    Translated,
    applied_to_all,
)
from corpusdb.paraphrase.derivation import Evidence, Fluency, candidates, fluency_of
from corpusdb.paraphrase.differences import GAP
from corpusdb.paraphrase.exchange_index import LEAST_ORDER, StoredExchange, StoredPart
from corpusdb.paraphrase.familiar import (
    familiar_exchanges,
)
from corpusdb.paraphrase.frames import Frames
from corpusdb.paraphrase.pair_differences import Pair, PairComparer
from corpusdb.paraphrase.queries.candidates import IndexArrays, IndexRows
from corpusdb.paraphrase.queries.exchanges import load_links
from corpusdb.paraphrase.queries.learning import links_into
from corpusdb.paraphrase.queries.models import (
    load_lexical_models,
    load_ngrams,
    load_word_model,
)
from corpusdb.paraphrase.queries.seeds import SeedValidity, load_replacements
from corpusdb.paraphrase.rewording import (
    LEAST_ORDER_APPLIED,
    MARKS,
    AppliedExchange,
    Clauses,
    Composed,
    Part,
    PartRow,
    Rewording,
    applied_row,
    clauses_in,
    composed_of,
    composed_row,
    composition,
    is_part,
    lone_row,
    part_row,
    parts_by_sentence,
    put_together,
    with_word_gains,
    words_inside,
)
from corpusdb.paraphrase.witnesses import TranslationsInto, translations_into
from corpusdb.paraphrase.word_model import WordModel

Longest: TypeAlias = Callable[[str], npt.NDArray[np.int32]]
"""For each offset of a long text how many characters from there on occur in the corpus."""

EXCHANGES = """
select id, x, y, pairs, shared, expected from exchange
where language = :language and (:framed is null or (instr(x, :gap) > 0) = :framed) order by id
"""
_PARTS_OF = """
select exchange, kind, name, part.pairs, part.shared, part.expected
from exchange cross join exchange_part part on part.exchange = exchange.id
where exchange.language = :language and (:framed is null or (instr(exchange.x, :gap) > 0) = :framed)
"""


def load_frames(store: Store, language: str) -> Frames:
    exchanges = load_exchanges(store, language, framed=True)
    return Frames.stored(exchanges.sums, exchanges.parts, language)


def load_exchanges(store: Store, language: str, *, framed: bool | None = None) -> Exchanges:
    """The exchanges of a language, all or those at one place or at two."""
    bound = {"language": language, "gap": GAP, "framed": framed}
    sums, parts = (store.connection.execute(statement, bound) for statement in (EXCHANGES, _PARTS_OF))
    return Exchanges(list(map(StoredExchange._make, sums)), list(map(StoredPart._make, parts)))


_KNOWN = """
select seed.sentence, candidate.text from seed cross join candidate on candidate.seed = seed.id
where seed.language = :language and seed.sentence is not null and {seed}
union all
select sentence.id, other.text
from sentence cross join paraphrase on paraphrase.sentence = sentence.id
cross join sentence other on other.id = paraphrase.paraphrase
where sentence.language = :language and {sentence}
"""
_ALL_KNOWN = _KNOWN.format(seed="true", sentence="true")
_AMONG = "in (select value from json_each(:sentences))"
_KNOWN_OF_SOME = _KNOWN.format(seed=f"seed.sentence {_AMONG}", sentence=f"sentence.id {_AMONG}")


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
_PARTS_OF_SOME = _PARTS.format(seed=f"seed.sentence {_AMONG}", sentence=f"sentence.id {_AMONG}")
_PARTS_OF_SEED = f"""
{_PARTS.format(seed="seed.sentence = :sentence", sentence="sentence.id = :sentence")}
union all
select sentence, text, validity, replacement, fluency, word_gain from rewording
where sentence = :sentence and parts = 1
"""


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
    return [Part(*row[1:4]) for row in part_rows(store, language, sentence) if is_part(*row[2:6])]


def part_rows(store: Store, language: str, sentence: int) -> Iterator[PartRow]:
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT, "sentence": sentence}
    return store.connection.execute(_PARTS_OF_SEED, bound)


def clauses_of(store: Store, language: str, seed: str) -> list[tuple[int, str]]:
    """Sentences of the corpus, with their numbers, that ``seed`` begins or ends with, but for the mark at their end."""
    texts = sorted({clause + mark for _, *both in clauses_in(seed) for clause in both for mark in MARKS} - {seed})
    found = ((sentence_id(store, language, text), text) for text in texts)
    return [(number, text) for number, text in found if number is not None]


def inside_of(model: WordModel | None) -> Callable[[str], float]:
    """What is greater for a word that stands inside of sentences more often; without a model it is the same for all."""
    return lambda word: 0.0 if model is None else float(model.scores([f", {word}"])[0])


def clause_of(store: Store, language: str, seed: str, text: str) -> tuple[str, str] | None:
    """The sentence that begins or ends ``seed``, and the paraphrase of it that makes ``text``; None where none does."""
    inside = inside_of(load_word_model(store, language))
    for number, clause in clauses_of(store, language, seed):
        for row in part_rows(store, language, number):
            made = Clauses([(number, clause)], [row], language, inside).exchanged(seed)
            if any(each == text for each, _ in made):
                return clause, row[1]
    return None


# All of them: what analogies give that no other context shows, what exchanges make, and what these give together.


def make_rewordings(store: Store, language: str, translated: Sequence[TranslationsInto] | None) -> Job[list[Rewording]]:
    """Those of all sentences of a language that is generated and judged; ``translated`` is for ``load_judge``.

    First what one context gives, as far as it is fluent; then that is judged, and what exchanges make; at last these
    are looked up too, and put together. What tells whether texts are fluent is let go while they are judged.
    """
    yield Progress("rewording by exchanges", 0, 0)
    others = OfOtherOrigins(store.connection.execute(_ALL_KNOWN, {"language": language}))
    lone = _fluent_lone(store, language, others)
    model = load_word_model(store, language)  # held, so that it is read once
    found, made = yield from _made_by_exchanges(store, language, translated, others, lone)
    store.give_memory_back()
    ngrams = load_ngrams(store, language)
    ngrams.prepare_for_many()  # once, and not in each copy
    finish = _Finish(ngrams.longest_of_many, model)

    def looked_up(batch: int) -> list[Rewording]:
        return finish.applied(made[batch].exchanges())

    with closing(computed_in_order(looked_up, len(made), usable_cores())) as results:
        for rows in results:
            found += rows
    made.clear()
    parts, known = _all_parts(store, language), (each[:2] for each in found)
    paraphrases = chain(parts, map(part_row, found))
    for rows in composed_of(sentences_after(store, language, 0), paraphrases, language, known, finish.together):
        found += rows
        yield Progress("rewording by exchanges", len(found), 0)
    return found


def _fluent_lone(store: Store, language: str, others: OfOtherOrigins) -> list[tuple[_Derived, Fluency]]:
    """What one context gives, and no other origin has."""
    ngrams = load_ngrams(store, language)
    derived, found = _derived(store, language, others), list[tuple[_Derived, Fluency]]()
    while batch := list(islice(derived, _AT_ONCE)):
        found += _fluent(batch, ngrams.longest_of_many)
    return found


def _made_by_exchanges(
    store: Store,
    language: str,
    translated: Sequence[TranslationsInto] | None,
    others: OfOtherOrigins,
    lone: list[tuple[_Derived, Fluency]],
) -> Job[tuple[list[Rewording], list[PackedExchanges]]]:
    """Of what one context gives what exchanges vouch for; and what they make besides, each text of a sentence once.

    ``others`` have all of these afterwards.
    """
    sentences, exchanges = sentences_after(store, language, 0), load_exchanges(store, language)
    model, judge = load_word_model(store, language), load_judge(store, sentences, exchanges, language, translated)
    sums = [each for each in exchanges.sums if GAP not in each.x]
    familiar = familiar_exchanges(sums, exchanges.parts, language, model)
    frames = judge.frames(exchanges)
    steps = range(0, len(sentences), SENTENCES_AT_ONCE)
    batches = [PackedSentences.of(sentences[begin : begin + SENTENCES_AT_ONCE]) for begin in steps]
    del exchanges, sums, sentences  # before anything is copied
    found = [row for begin in range(0, len(lone), _AT_ONCE) for row in _accepted(lone[begin : begin + _AT_ONCE], judge)]
    lone.clear()
    store.give_memory_back()
    others.add(each[:2] for each in found)
    applying, made, done = Applying(judge, others, model), list[PackedExchanges](), len(found)

    def makers() -> Iterator[Callable[[Sentences], list[AppliedExchange]]]:
        yield partial(applying.exchanged, familiar=familiar)
        yield partial(applying.framed, frames=frames)
        yield partial(applying.clauses, clauses=_all_clauses(store, language))

    for rows in applied_to_all(batches, makers()):
        others.add(each[:2] for each in rows)
        made.append(PackedExchanges.of(rows))
        done += len(rows)
        yield Progress("rewording by exchanges", done, 0)
    return found, made


def _all_parts(store: Store, language: str) -> Iterator[PartRow]:
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT}
    return (row for row in store.connection.execute(_ALL_PARTS, bound) if is_part(*row[2:]))


def _all_clauses(store: Store, language: str) -> Clauses:
    sentences = sentences_after(store, language, 0)
    return Clauses(sentences, _all_parts(store, language), language, words_inside(sentences).__getitem__)


@dataclass(frozen=True, slots=True)
class _Finish:
    """Makes the rows of what was made of sentences, as far as the table has them."""

    longest: Longest
    model: WordModel | None

    def applied(self, made: list[AppliedExchange]) -> list[Rewording]:
        fluency = fluency_of([each.text for each in made], self.longest)
        rows = (applied_row(each, fluency[each.text]) for each in made)
        return [row for row in rows if row.fluency >= LEAST_ORDER_APPLIED]

    def together(self, texts: Mapping[int, str], made: list[tuple[int, Composed]]) -> list[Rewording]:
        """``texts``: those of the sentences."""
        fluency = fluency_of([each.text for _, each in made], self.longest)
        rows = (composed_row(number, each, fluency[each.text]) for number, each in made)
        return with_word_gains([each for each in rows if each.fluency >= LEAST_ORDER_APPLIED], texts, self.model)


def load_judge(
    store: Store,
    sentences: Sequence[tuple[int, str]],
    exchanges: Exchanges,
    language: str,
    translated: Sequence[TranslationsInto] | None = None,
) -> CorpusJudge:
    """What judges as ``SeedValidity`` does, given all sentences of a language with their numbers, and its exchanges.

    ``translated``: the translations of all, by the models that are stored; None: they are read.
    """
    texts = [text for _, text in sentences]
    if translated is None:
        languages, links = load_links(store, language, np.array([number for number, _ in sentences], dtype=np.int64))
        models = load_lexical_models(store, language)
        into = {each: links_into(store, each, links, number) for number, each in enumerate(languages) if each in models}
        translated = translations_into(texts, into, models)
    model = load_word_model(store, language)
    heard = Translated(texts, translated).heard
    return CorpusJudge(language, SeedValidity(store, language).models, exchanges, heard, model)


_AT_ONCE: Final = 20_000


class _Derived(NamedTuple):
    sentence: int
    seed: str
    evidence: Evidence


def _vouched_pairs(store: Store, language: str, index: IndexArrays) -> Iterator[int]:
    """The paraphrases B and B' of which every region that differs is a replacement of some rate."""
    replacements, pairs = load_replacements(store, language), index.clear_pairs()
    while batch := [Pair(*row) for row in islice(pairs, _AT_ONCE)]:
        comparer = PairComparer({}, {})
        comparer.add(batch)
        vouched = comparer.differ_by(replacements).tolist()
        yield from (each.row for each, is_vouched in zip(batch, vouched, strict=True) if is_vouched)


def _derived(store: Store, language: str, others: OfOtherOrigins) -> Iterator[_Derived]:
    """What no other origin has of each sentence."""
    index = IndexArrays(store, language)
    for found in index.lone_candidates(list(_vouched_pairs(store, language, index))):
        places = np.searchsorted(index.sentences, list(found)).tolist()
        rows = [
            _Derived(sentence, index.texts[place], each)
            for place, (sentence, evidence) in zip(places, found.items(), strict=True)
            for each in evidence
        ]
        there = others.have((row.sentence, row.evidence.text) for row in rows)
        yield from (row for row, is_there in zip(rows, there, strict=True) if not is_there)


def _fluent(batch: Sequence[_Derived], longest: Longest) -> list[tuple[_Derived, Fluency]]:
    fluency = fluency_of([each.evidence.text for each in batch], longest)
    found = ((each, fluency[each.evidence.text]) for each in batch)
    return [(each, order) for each, order in found if order.fluency >= LEAST_ORDER]


def _accepted(fluent: Sequence[tuple[_Derived, Fluency]], judge: Judge) -> list[Rewording]:
    """Those of which the exchange is known beside one of its neighbours."""
    if not fluent:
        return []
    judged = judge([Pair(0, each.seed, each.evidence.text) for each, _ in fluent])
    return [
        lone_row(each.sentence, each.evidence, said, order)
        for (each, order), said in zip(fluent, judged, strict=True)
        if said.replacement
    ]


# Those of a few sentences, new to a corpus that was judged before: the same rows, from what they need of the database.


def rewordings_of_few(store: Store, language: str, sentences: Sequence[tuple[int, str]]) -> list[Rewording]:
    """Those of some sentences, which the index holds, by the exchanges and models that are stored."""
    longest, model = load_ngrams(store, language).longest_of_few, load_word_model(store, language)
    numbers = json.dumps([number for number, _ in sentences])
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT, "sentences": numbers}
    others = OfOtherOrigins(store.connection.execute(_KNOWN_OF_SOME, bound))
    finish, judge = _Finish(longest, model), SeedValidity(store, language).judge_applied
    found = _accepted(_fluent(_lone_of_few(store, language, sentences, others), longest), judge)
    applying, exchanges = Applying(judge, others, model), load_exchanges(store, language, framed=False)
    made = [
        applying.exchanged(sentences, familiar_exchanges(exchanges.sums, exchanges.parts, language, model)),
        applying.framed(sentences, load_frames(store, language)),
        applying.clauses(sentences, _clauses_of_few(store, language, sentences)),
    ]
    known = {(each.sentence, each.text) for each in found}
    for rows in map(finish.applied, made):
        fresh = [each for each in rows if each[:2] not in known]
        known.update(each[:2] for each in fresh)
        found += fresh
    parts = parts_by_sentence([*store.connection.execute(_PARTS_OF_SOME, bound), *map(part_row, found)])
    number_of = {text: number for number, text in sentences}

    def parts_of(text: str) -> Sequence[Part]:
        if text in number_of:
            return parts.get(number_of[text], ())
        number = sentence_id(store, language, text)
        return () if number is None else _parts_of_seed(store, language, number)

    known_of: dict[int, set[str]] = defaultdict(set)
    for number, text in known:
        known_of[number].add(text)
    together = [
        (number, each)
        for number, text in sentences
        for each in put_together(text, parts_of, language, known_of[number])
    ]
    return [*found, *finish.together(dict(sentences), together)]


def _lone_of_few(
    store: Store, language: str, sentences: Sequence[tuple[int, str]], others: OfOtherOrigins
) -> list[_Derived]:
    """What no other origin has of each, through paraphrases of which every region that differs is a replacement."""
    rows, replacements = IndexRows(store), load_replacements(store, language)
    derivations = [(number, text, rows.lone_derivations_of(number)) for number, text in sentences]
    pairs = sorted({(each.sentence, each.rewording) for *_, of_seed in derivations for each in of_seed})
    comparer = PairComparer({}, {})
    comparer.add([Pair(0, rows.text(one), rows.text(other)) for one, other in pairs])
    vouched = set(compress(pairs, comparer.differ_by(replacements).tolist())) if pairs else set()
    made = [
        _Derived(number, text, each)
        for number, text, of_seed in derivations
        for each in candidates(text, [one for one in of_seed if (one.sentence, one.rewording) in vouched], rows)
    ]
    there = others.have((row.sentence, row.evidence.text) for row in made)
    return [row for row, is_there in zip(made, there, strict=True) if not is_there]


def _clauses_of_few(store: Store, language: str, sentences: Sequence[tuple[int, str]]) -> Clauses:
    """The sentences that these begin or end with."""
    found = sorted({clause for _, text in sentences for clause in clauses_of(store, language, text)})
    numbers = json.dumps([number for number, _ in found])
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT, "sentences": numbers}

    @cache
    def inside() -> Counter[str]:  # asked for by few
        return words_inside(sentences_after(store, language, 0))

    rows = store.connection.execute(_PARTS_OF_SOME, bound)
    return Clauses(found, rows, language, lambda word: inside()[word])

"""What exchanges make of sentences, of the corpus and others; paraphrases put together; what a validity is made of."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, islice
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from corpusdb.base.jobs import Job, Progress
from corpusdb.base.ngrams import SuffixIndex
from corpusdb.base.text import units_of
from corpusdb.corpus.model import DEFAULT_MIN_VALIDITY, NO_LIMIT, ONE_PIVOT, Finding
from corpusdb.corpus.queries.sentences import sentence_id, sentences_after
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.applying import (
    Applying,
    CorpusJudge,
    Exchanges,
    OfOtherOrigins,
    Translated,
    applied_to_all,
    framed,
    odd_elsewhere,
)
from corpusdb.paraphrase.derivation import Evidence, fluency_of, rewording_orders
from corpusdb.paraphrase.differences import GAP, Application, Exchange, difference
from corpusdb.paraphrase.exchange_index import LEAST_ORDER, StoredExchange, StoredPart
from corpusdb.paraphrase.familiar import (
    ANYWHERE,
    FamiliarExchange,
    FamiliarExchanges,
    familiar_exchanges,
)
from corpusdb.paraphrase.frames import Frames, as_shown
from corpusdb.paraphrase.pair_differences import Pair, PairComparer
from corpusdb.paraphrase.queries.candidates import IndexArrays
from corpusdb.paraphrase.queries.exchanges import load_links, stored_frame
from corpusdb.paraphrase.queries.models import (
    NgramIndex,
    links_into,
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
    Judged,
    Part,
    PartRow,
    Rewording,
    applied_row,
    clauses_in,
    composed,
    composed_of,
    composed_row,
    composition,
    is_part,
    lone_row,
    part_row,
    with_word_gains,
    words_inside,
)
from corpusdb.paraphrase.sharing import WHOLE
from corpusdb.paraphrase.witnesses import TranslationsInto, Witness, translations_into
from corpusdb.paraphrase.word_model import WordModel, word_gains

_EXCHANGES = """
select id, x, y, pairs, shared, expected from exchange
where language = :language and (:framed is null or (instr(x, :gap) > 0) = :framed) order by id
"""
_PARTS_OF = """
select exchange, kind, name, part.pairs, part.shared, part.expected
from exchange cross join exchange_part part on part.exchange = exchange.id
where exchange.language = :language and (:framed is null or (instr(exchange.x, :gap) > 0) = :framed)
"""
_BESIDE_SOME = """
select exchange, kind, name, pairs, shared, expected from json_each(?) wanted
cross join exchange_part on exchange = wanted.value and kind in ('left', 'right') and shared > 1
"""


def load_frames(store: Store, language: str) -> Frames:
    exchanges = load_exchanges(store, language, framed=True)
    return Frames.stored(exchanges.sums, exchanges.parts, language)


def load_exchanges(store: Store, language: str, *, framed: bool | None = None) -> Exchanges:
    """The exchanges of a language, all or those at one place or at two."""
    bound = {"language": language, "gap": GAP, "framed": framed}
    sums, parts = (store.connection.execute(statement, bound) for statement in (_EXCHANGES, _PARTS_OF))
    return Exchanges(list(map(StoredExchange._make, sums)), list(map(StoredPart._make, parts)))


_KNOWN = """
select seed.sentence, candidate.text from seed cross join candidate on candidate.seed = seed.id
where seed.language = :language and seed.sentence is not null
union all
select sentence.id, other.text
from sentence cross join paraphrase on paraphrase.sentence = sentence.id
cross join sentence other on other.id = paraphrase.paraphrase
where sentence.language = :language
"""


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
    return [Part(*row[1:4]) for row in _part_rows(store, language, sentence) if is_part(*row[2:6])]


def _part_rows(store: Store, language: str, sentence: int) -> Iterator[PartRow]:
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT, "sentence": sentence}
    return store.connection.execute(_PARTS_OF_SEED, bound)


def _clauses(store: Store, language: str, seed: str) -> list[tuple[int, str]]:
    """Sentences of the corpus, with their numbers, that ``seed`` begins or ends with, but for the mark at their end."""
    texts = sorted({clause + mark for _, *both in clauses_in(seed) for clause in both for mark in MARKS} - {seed})
    found = ((sentence_id(store, language, text), text) for text in texts)
    return [(number, text) for number, text in found if number is not None]


def _inside(model: WordModel | None) -> Callable[[str], float]:
    """What is greater for a word that stands inside of sentences more often; without a model it is the same for all."""
    return lambda word: 0.0 if model is None else float(model.scores([f", {word}"])[0])


def clause_of(store: Store, language: str, seed: str, text: str) -> tuple[str, str] | None:
    """The sentence that begins or ends ``seed``, and the paraphrase of it that makes ``text``; None where none does."""
    inside = _inside(load_word_model(store, language))
    for number, clause in _clauses(store, language, seed):
        for row in _part_rows(store, language, number):
            made = Clauses([(number, clause)], [row], language, inside).exchanged(seed)
            if any(each == text for each, _ in made):
                return clause, row[1]
    return None


# All of them: what analogies give that no other context shows, what exchanges make, and what these give together.


def make_rewordings(store: Store, language: str, translated: Sequence[TranslationsInto] | None) -> Job[list[Rewording]]:
    """Those of all sentences of a language that is generated and judged; ``translated`` is for ``load_judge``."""
    yield Progress("rewording by exchanges", 0, 0)
    ngrams, model = load_ngrams(store, language), load_word_model(store, language)
    sentences = sentences_after(store, language, 0)
    exchanges = load_exchanges(store, language)
    others = OfOtherOrigins(store.connection.execute(_KNOWN, {"language": language}))
    judge = load_judge(store, sentences, exchanges, language, translated)
    ngrams.prepare_for_many()  # once, and not in each copy of this process
    found: list[Rewording] = []
    derived = _derived(store, language, others)
    while batch := list(islice(derived, _AT_ONCE)):
        found += _accepted(batch, ngrams, judge)
        yield Progress("rewording by exchanges", len(found), 0)
    bound = {"language": language, "least": DEFAULT_MIN_VALIDITY, "whole": NO_LIMIT}
    parts = [row for row in store.connection.execute(_ALL_PARTS, bound) if is_part(*row[2:])]
    known = {(each.sentence, each.text) for each in found}

    def applied(made: list[AppliedExchange]) -> list[Rewording]:
        fluency = fluency_of([each.text for each in made], ngrams.longest_of_many)
        return [row for each in made if (row := applied_row(each, fluency[each.text])).fluency >= LEAST_ORDER_APPLIED]

    made = applied_to_all(
        sentences,
        Applying(judge, others, model),
        familiar_exchanges([each for each in exchanges.sums if GAP not in each.x], exchanges.parts, language, model),
        judge.frames(exchanges),
        Clauses(sentences, parts, language, words_inside(sentences).__getitem__),
        applied,
    )
    del exchanges  # before anything is copied
    for rows in made:
        fresh = [each for each in rows if each[:2] not in known]
        known.update(each[:2] for each in fresh)
        found += fresh
        yield Progress("rewording by exchanges", len(found), 0)
    del judge, made, others
    texts = dict(sentences)

    def put_together(made: list[tuple[int, Composed]]) -> list[Rewording]:
        fluency = fluency_of([each.text for _, each in made], ngrams.longest_of_many)
        rows = (composed_row(number, each, fluency[each.text]) for number, each in made)
        return with_word_gains([each for each in rows if each.fluency >= LEAST_ORDER_APPLIED], texts, model)

    paraphrases = [*parts, *map(part_row, found)]
    for rows in composed_of(sentences, paraphrases, language, known, put_together):
        found += rows
        yield Progress("rewording by exchanges", len(found), 0)
    return found


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


def _accepted(batch: list[_Derived], ngrams: NgramIndex, judge: CorpusJudge) -> list[Rewording]:
    """Those that are fluent, and of which the exchange is known beside one of its neighbours."""
    fluency = fluency_of([each.evidence.text for each in batch], ngrams.longest_of_many)
    fluent = [each for each in batch if fluency[each.evidence.text].fluency >= LEAST_ORDER]
    if not fluent:
        return []
    judged = judge([Pair(0, each.seed, each.evidence.text) for each in fluent])
    return [
        lone_row(each.sentence, each.evidence, said, fluency[each.evidence.text])
        for each, said in zip(fluent, judged, strict=True)
        if said.replacement
    ]


# Sentences that the corpus does not hold, reworded by exchanges that are made in the sentence itself.


class FrameExchange(NamedTuple):
    """How many pairs of sentences differ by a frame."""

    shared: int
    """How many of them share a translation."""
    expected: float
    """How many would if it kept the meaning."""


_Said: TypeAlias = tuple[Application, FamiliarExchange | FrameExchange | None, Judged]


class Reworded(NamedTuple):
    """A sentence with one exchange made, or a paraphrase of a clause, and what speaks for it."""

    made: Application
    exchange: FamiliarExchange | FrameExchange | None
    """None for a clause."""
    validity: float
    replacement: int
    """Why fewer than N will do."""
    order: int
    """The fluency order, for which the sequences of the seed count as seen."""
    inner_order: int
    word_gain: float | None
    """log10 of its probability as a sentence less that of the seed; None where no word model says it."""


class RewordedTogether(NamedTuple):
    """Several exchanges made in a sentence."""

    made: Composed
    order: int
    inner_order: int
    word_gain: float | None


class SeedRewordings:
    """Makes exchanges in sentences of one language, as its exchanges stand when they are first asked for."""

    def __init__(self, store: Store, language: str, ngrams: SuffixIndex) -> None:
        self._store = store
        self._language = language
        self._ngrams = ngrams
        self._validity = SeedValidity(store, language)
        self._latest: tuple[str, list[Reworded]] | None = None
        self._partners: dict[str, Sequence[FamiliarExchange]] = {}
        self._beginnings: set[str] = set()

    @cached_property
    def exchanges(self) -> Mapping[str, Sequence[StoredExchange]]:
        """By either text."""
        found: dict[str, list[StoredExchange]] = defaultdict(list)
        bound = {"language": self._language, "gap": GAP, "framed": False}
        for each in map(StoredExchange._make, self._store.connection.execute(_EXCHANGES, bound)):
            found[each.x].append(each)
            found[each.y].append(each)
        return dict(found)

    def familiar(self, *sentences: str) -> FamiliarExchanges:
        """Those of the texts that stand in some sentences, and of others that stood in those asked for before."""
        cut = map(units_of, sentences)
        runs = chain.from_iterable(accumulate(units[start:]) for units in cut for start in range(len(units)))
        fresh = {run for run in runs if run in self.exchanges} - self._partners.keys()
        if fresh:
            found = {each for run in fresh for each in self.exchanges[run]}
            bound = (json.dumps([each.id for each in found]),)
            parts = map(StoredPart._make, self._store.connection.execute(_BESIDE_SOME, bound))
            made = familiar_exchanges(sorted(found), parts, self._language, self.word_model, ANYWHERE)
            self._partners |= {run: made.partners.get(run, ()) for run in fresh}
            self._beginnings |= made.beginnings
        return FamiliarExchanges(self._partners, self._beginnings, self._language, ANYWHERE)

    @cached_property
    def frames(self) -> Frames:
        return load_frames(self._store, self._language)

    @cached_property
    def word_model(self) -> WordModel | None:
        return load_word_model(self._store, self._language)

    def give(self, sentence: str, translations: Iterable[str]) -> None:
        """Note the translations that somebody gave of a sentence: they are witnesses of its rewordings."""
        self._validity.translations.give(sentence, translations)
        self._latest = None

    def of(self, sentence: str) -> list[Reworded]:
        """The rewordings of a normalised sentence, in the order of the places of the exchanges, then by clauses.

        Those of the sentence that was asked for last are kept.
        """
        if self._latest is None or self._latest[0] != sentence:
            (made,) = self._of_each([sentence])
            self._latest = sentence, self._measured(sentence, made)
        return self._latest[1]

    def applied(self, sentences: Sequence[str]) -> list[list[Application]]:
        """The same of each of some sentences, which are judged together, without what speaks for it."""
        return [[each for each, *_ in made] for made in self._of_each(sentences)]

    def _of_each(self, sentences: Sequence[str]) -> list[list[_Said]]:
        """Of each sentence the rewordings, each text once."""
        found: dict[str, dict[str, _Said]] = {sentence: {} for sentence in sentences}
        if self._validity.is_known:
            for made in (self._by_exchanges([*found]), self._by_frames([*found]), *map(self._by_clauses, found)):
                for sentence, each in made:
                    found[sentence].setdefault(each[0].text, each)
        return [list(found[sentence].values()) for sentence in sentences]

    def _by_exchanges(self, sentences: Sequence[str]) -> Iterator[tuple[str, _Said]]:
        familiar = self.familiar(*sentences)
        made = [(sentence, *each) for sentence in sentences for each in familiar.applied(sentence)]
        elsewhere = [(sentence, each.text) for sentence, each, is_known in made if not is_known]
        odd = odd_elsewhere(elsewhere, self.word_model if elsewhere else None, ANYWHERE)
        usual = [(sentence, each) for sentence, each, is_known in made if is_known or (sentence, each.text) not in odd]
        pairs = [Pair(0, sentence, each.text) for sentence, each in usual]
        judged = self._validity.judge_applied(pairs, ANYWHERE.shared) if pairs else []
        for (sentence, each), said in zip(usual, judged, strict=True):
            if said.replacement:
                yield sentence, (each, familiar.of(each.exchange), said)

    def _by_frames(self, sentences: Sequence[str]) -> Iterator[tuple[str, _Said]]:
        made = framed(list(enumerate(sentences)), self.frames, self.word_model)
        pairs = [Pair(0, sentences[number], text, frame=frame) for number, text, _, frame in made]
        judged = self._validity.judge_applied(pairs) if pairs else []
        for (number, text, _, frame), said in zip(made, judged, strict=True):
            if said.replacement:
                yield sentences[number], (*self._framed(sentences[number], text, frame), said)

    def _framed(self, sentence: str, text: str, frame: Exchange) -> tuple[Application, FrameExchange]:
        known = self.frames.figures[min(frame), max(frame)]
        made = _application(sentence, text)._replace(exchange=(as_shown(frame[0]), as_shown(frame[1])))
        return made, FrameExchange(known.shared, known.expected / WHOLE)

    def _by_clauses(self, sentence: str) -> Iterator[tuple[str, _Said]]:
        """Those that paraphrases of sentences of the corpus make, with which this one begins or ends."""
        if self.word_model is None:
            return
        found = _clauses(self._store, self._language, sentence)
        rows = chain.from_iterable(_part_rows(self._store, self._language, number) for number, _ in found)
        clauses = Clauses(found, rows, self._language, _inside(self.word_model))
        applying = Applying(self._validity.judge_applied, OfOtherOrigins(()), self.word_model)
        for each in applying.clauses([(0, sentence)], clauses):
            yield sentence, (_application(sentence, each.text), None, Judged(*each[2:]))

    def together(self, sentence: str) -> list[RewordedTogether]:
        """Several of these in one text."""
        if not self._validity.is_known:
            return []
        found = self.of(sentence)
        parts = [
            Part(each.made.text, each.validity, each.replacement)
            for each in found
            if is_part(each.validity, each.replacement, each.order, each.word_gain)
        ]
        made = composed(sentence, parts, self._language, {each.made.text for each in found})
        gains = word_gains(self.word_model if made else None, [sentence] * len(made), [each.text for each in made])
        longest = self._ngrams.longest
        return [
            RewordedTogether(each, *rewording_orders(sentence, each.text, each.begin, each.stop, longest), gain)
            for each, gain in zip(made, gains, strict=True)
        ]

    def _measured(self, sentence: str, made: Iterable[_Said]) -> list[Reworded]:
        """With the orders of those that have some validity, and a reason why fewer than N will do."""
        longest = self._ngrams.longest
        return [
            Reworded(
                each,
                exchange,
                *said[:2],
                *rewording_orders(sentence, each.text, each.begin, each.stop, longest),
                said.word_gain,
            )
            for each, exchange, said in made
        ]


def _application(sentence: str, text: str) -> Application:
    """``text`` as an exchange in ``sentence``, of all from the first to the last unit that differs."""
    units = units_of(sentence)
    found = difference(units, units_of(text))
    start = len("".join(units[: found.places[0][0]]))
    return Application(text, found.exchange, start, start + len(found.exchange[1]))


# What the validity of a finding is made of, in words.


def validity_steps(
    store: Store, language: str, seed: str, finding: Finding, languages: Sequence[str], *, in_corpus: bool
) -> tuple[str, ...]:
    """What bounds the validity of a finding, and what else it is made of.

    ``languages``: in which the two share a translation; ``in_corpus``: whether the corpus has the seed. Nothing where a
    person says that it holds, or nothing was learned.
    """
    judge = SeedValidity(store, language)
    if finding.validity is None or finding.validity >= 1 or not judge.is_known:
        return ()
    number = sentence_id(store, language, seed) if finding.origin == "exchange" and in_corpus else None
    if number is not None and parts_of_rewording(store, number, finding.text) > 1:
        made = composition_of(store, language, number, seed, finding.text)
        part = f"{made.left:g} of " if made is not None and made.left < 1 else ""
        return (f"{part}the product of the validities of the paraphrases that it is made of",)
    by_analogies = bool(finding.frequency)
    figures = finding.frequency, finding.languages, finding.probability
    frame = None if by_analogies else stored_frame(store, language, seed, finding.text)
    pair = Pair(0, seed, finding.text, *(figures if by_analogies else (0, 0, 0.0)), frame)
    steps = list(judge.bounding(pair, len(languages), derived=by_analogies))
    steps += map(_testifying, judge.witnesses(pair))
    if languages:
        steps.append(f"the two share a translation ({', '.join(languages)})")
    elif not by_analogies:
        steps.append("the two share no translation: only the exchange of words speaks for it here")
    is_applied = finding.origin == "exchange"
    if judge.is_hidden(pair, applied=is_applied):
        (pivot,) = judge.models.pivots
        change = judge.change(pair)
        is_alone = is_applied and judge.models.exchanges
        why = "; hardly any pair shows the exchange beside both words around it" if is_alone else ""
        steps.append(
            f"multiplied by {ONE_PIVOT:g}: {pivot} is the one pivot language, which does not mark"
            f" {', '.join(judge.models.unseen)}" + (f"; the two differ in {change}" if change else why)
        )
    return tuple(steps)


def _testifying(witness: Witness) -> str:
    """As in: fra: 'Un verre, svp.': calls for glass, which is missing; cup is not expected."""
    expected = [word for word, asked in witness.added if asked]
    missed = [word for word, asked in witness.left_out if asked]
    strange = [word for word, asked in witness.added if not asked]
    asks = [f"calls for {' and '.join(expected)}"] if expected else []
    if missed:
        verb = "which is missing" if len(missed) == 1 else "which are missing"
        asks.append(f"{'but also for' if expected else 'calls for'} {' and '.join(missed)}, {verb}")
    said = [", ".join(asks)] if asks else []
    said += [f"{' and '.join(strange)} {'is' if len(strange) == 1 else 'are'} not expected"] if strange else []
    said += ["calls for nothing that is missing"] if not said else []
    return f"{witness.language}: {witness.translation!r}: {'; '.join(said)}"

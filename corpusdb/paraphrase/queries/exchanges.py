"""Exchanges of words: as the database holds them, and what the corpus says of one that somebody asks for."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import F64, I64, Bools, grouped
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.text import normalise, units_of
from corpusdb.corpus.model import ExchangeFigures, Explanation, SharedTranslation
from corpusdb.corpus.queries.fillers import filler_forms, known_fillers, require_index
from corpusdb.corpus.queries.sentences import languages_of, sentences_after, shared_translations
from corpusdb.corpus.store import Store, layer_state
from corpusdb.corpus.store.runs import require_whole
from corpusdb.paraphrase.differences import GAP, LATER_GAP, Exchange, difference, differences_apart, units_beside
from corpusdb.paraphrase.exchange_index import (
    ExchangeIndex,
    Sharing,
    SlotsByContext,
    TextSums,
    exchange_rate,
    summed_up,
)
from corpusdb.paraphrase.frames import PairsBeside, as_inside, as_shown, as_stored, frame_of, pairs_by
from corpusdb.paraphrase.queries.candidates import columns_of
from corpusdb.paraphrase.queries.models import load_word_model
from corpusdb.paraphrase.sharing import (
    BUCKETS,
    MAX_SHARING,
    WHOLE,
    Instances,
    SharedTranslations,
    Totals,
    TranslationLinks,
    measured_recalls,
    sharing_of,
    totals_by,
)

_CLEAR = (
    "delete from exchange_part where exchange in (select id from exchange where language = ?)",
    "delete from exchange where language = ?",
)
_NEXT = "select coalesce(max(id), 0) + 1 from exchange"
_ONE_EXCHANGE = "insert into exchange (id, language, x, y, pairs, shared, expected) values (?, ?, ?, ?, ?, ?, ?)"
_PART = "insert into exchange_part (exchange, kind, name, pairs, shared, expected) values (?, ?, ?, ?, ?, ?)"


def store_exchanges(connection: sqlite3.Connection, language: str, sums: TextSums) -> None:
    """Store the exchanges of a language in place of those there are; in a transaction of the caller."""
    for statement in _CLEAR:
        connection.execute(statement, (language,))
    first = int(connection.execute(_NEXT).fetchone()[0])
    rows = ((first + place, language, *row) for place, row in enumerate(sums.exchanges))
    connection.executemany(_ONE_EXCHANGE, rows)
    connection.executemany(_PART, ((first + place, *part) for place, *part in sums.parts))


def figures_of(before: str, after: str, pairs: int, shared: int, expected: int) -> ExchangeFigures:
    """``expected`` is in parts of WHOLE."""
    return ExchangeFigures(before, after, pairs, shared, expected / WHOLE, exchange_rate(shared, expected / WHOLE))


_EXCHANGE = "select pairs, shared, expected from exchange where language = ? and x = ? and y = ?"


def exchanges_between(store: Store, language: str, seed: str, other: str) -> tuple[ExchangeFigures, ...]:
    """The figures of the frame by which two normalised texts differ, or else of each region in which they do.

    Zeros where no pair of sentences shows it.
    """
    units = units_of(seed), units_of(other)
    if (frame := stored_frame(store, language, seed, other)) is not None:
        before, after = map(as_shown, frame)
        return (figures_of(before, after, *(_sums_of(store, language, frame) or (0, 0, 0))),)
    regions = [each.exchange for each in differences_apart(*units, difference(*units))]
    return tuple(
        figures_of(*region, *(_sums_of(store, language, region) or (0, 0, 0)))
        for region in regions
        if region != ("", "")
    )


def stored_frame(store: Store, language: str, seed: str, other: str) -> Exchange | None:
    """The frame by which two normalised texts differ; None where they do not, or no pair of sentences shows it."""
    model = load_word_model(store, language)
    frame = None if model is None else frame_of(*map(units_of, as_inside([seed, other], model)))
    return frame.exchange if frame is not None and _sums_of(store, language, frame.exchange) is not None else None


def _sums_of(store: Store, language: str, exchange: Exchange) -> tuple[int, int, int] | None:
    found: tuple[int, int, int] | None = store.connection.execute(
        _EXCHANGE, (language, min(exchange), max(exchange))
    ).fetchone()
    return found


_ALL = """
select min(ltrim(x, ' '), ltrim(y, ' ')) as one, max(ltrim(x, ' '), ltrim(y, ' ')) as other,
       sum(pairs), sum(shared), sum(expected)
from exchange
where language = :language and ltrim(x, ' ') <> ltrim(y, ' ')
  and (:text is null or ltrim(x, ' ') in (:text, :stored) or ltrim(y, ' ') in (:text, :stored))
group by one, other
"""


def all_exchanges(store: Store, language: str, text: str | None = None) -> list[ExchangeFigures]:
    """All that are stored, or those of ``text``, which then stands first; without the spaces before words."""
    stored = None if text is None else as_stored(text)  # of "...", which is a mark too, the text as it is
    rows = store.connection.execute(_ALL, {"language": language, "text": text, "stored": stored})
    found = [figures_of(as_shown(one), as_shown(other), *sums) for one, other, *sums in rows]
    return [
        each
        if text is None or each.before == text
        else ExchangeFigures(each.after, each.before, each.pairs, each.shared, each.expected, each.rate)
        for each in found
    ]


# The units that stand beside the gaps of contexts, as numbers.


_GAPS = """
select context.id, context.sentence, context.start, context.stop
from json_each(?) wanted cross join context on context.id = wanted.value
"""


class UnitNumbers:
    """Numbers units in the order in which they are met."""

    def __init__(self, store: Store, texts: Mapping[int, str]) -> None:
        """``texts`` has the sentences of the language by their numbers."""
        self._store = store
        self._texts = texts
        self.numbers: dict[str, int] = {}

    def beside(self, context: I64) -> tuple[I64, I64]:
        """The unit to the left and to the right of the gap of each context; contexts may come several times."""
        different, _, place, _ = grouped(context)
        left, right = np.zeros(len(different), dtype=np.int64), np.zeros(len(different), dtype=np.int64)
        at = {number: row for row, number in enumerate(different.tolist())}
        for number, sentence, start, stop in self._store.connection.execute(_GAPS, (json.dumps(different.tolist()),)):
            before, after = units_beside(self._texts[sentence], start, stop)
            left[at[number]] = self.numbers.setdefault(before, len(self.numbers))
            right[at[number]] = self.numbers.setdefault(after, len(self.numbers))
        return left[place], right[place]

    def starts(self, context: I64) -> I64:
        """Where the gap of each context begins; contexts may come several times."""
        different, _, place, _ = grouped(context)
        rows = self._store.connection.execute(_GAPS, (json.dumps(different.tolist()),))
        start_of = {number: start for number, _, start, _ in rows}
        return np.array([start_of[number] for number in different.tolist()], dtype=np.int64)[place]


# The rows that the exchanges of a language are summed up from: who shares translations, and the slots.


_LINKS = """
select distinct own.id, code.key, translation.translation
from sentence own
cross join translation on translation.sentence = own.id
cross join sentence other on other.id = translation.translation
cross join json_each(:languages) code on code.value = other.language
where own.language = :language
"""
_SLOTS = """
select slot.context, slot.filler, slot.sentence
from context cross join slot on slot.context = context.id
where context.language = ? order by slot.context, slot.filler
"""


def load_links(store: Store, language: str, sentences: I64) -> tuple[tuple[str, ...], TranslationLinks]:
    """The other languages, and the translations of all sentences into these, by their numbers.

    ``sentences`` are the numbers of all sentences of the language, ascending: theirs are the places in arrays.
    """
    languages = tuple(each for each in languages_of(store) if each != language)
    bound = {"language": language, "languages": json.dumps(languages)}
    return languages, _links(store.connection.execute(_LINKS, bound), sentences)


def _links(rows: Iterator[tuple[int, int, int]], sentences: I64) -> TranslationLinks:
    """By rows of sentence, number of the language of its translation, and translation."""
    own, language, pivot = columns_of(rows, 3)
    return TranslationLinks(np.searchsorted(sentences, own), language, pivot)


def sharing_by(languages: tuple[str, ...], links: TranslationLinks, sentences: int) -> Sharing:
    """By all links of a language, as ``load_links`` has them."""
    shared = SharedTranslations.of(links, sentences, len(languages), MAX_SHARING)
    return Sharing(languages, shared, measured_recalls(shared))


# With all sentences of their translations, so that one which too many have is known here too.
_LINKS_AMONG = """
select distinct own.id, code.key, known.translation
from (select distinct translation.translation from json_each(:sentences) wanted
      cross join translation on translation.sentence = wanted.value) known
cross join sentence other on other.id = known.translation
cross join json_each(:languages) code on code.value = other.language
cross join translation back on back.sentence = known.translation
cross join sentence own on own.id = back.translation and own.language = :language
"""
_RECALLS = """
select json_extract(run.parameters, '$.recalls') from layer join run on run.id = layer.run
where layer.language = ? and layer.name = 'validity' and layer.complete
"""


def sharing_among(store: Store, language: str, wanted: I64) -> tuple[I64, Sharing]:
    """The translations of some sentences: their numbers with those of others that share them, ascending, and theirs.

    The recalls are those that the layer of validity was made with, or else they are measured in the whole corpus.
    """
    languages = tuple(each for each in languages_of(store) if each != language)
    bound = {
        "language": language,
        "languages": json.dumps(languages),
        "sentences": json.dumps(np.unique(wanted).tolist()),
    }
    rows = store.connection.execute(_LINKS_AMONG, bound).fetchall()
    sentences = np.unique(np.concatenate([wanted, np.array([own for own, *_ in rows], dtype=np.int64)]))
    row = store.connection.execute(_RECALLS, (language,)).fetchone()
    stored = json.loads(row[0]) if row and row[0] else {}
    if all(each in stored for each in languages):
        recalls = np.array([stored[each] for each in languages]).reshape(-1, BUCKETS)
    else:
        everything = np.array([number for number, _ in sentences_after(store, language, 0)], dtype=np.int64)
        recalls = sharing_by(*load_links(store, language, everything), len(everything)).recalls
    links = _links(iter(rows), sentences)
    shared = SharedTranslations.of(links, len(sentences), len(languages), MAX_SHARING)
    return sentences, Sharing(languages, shared, recalls)


def load_slots(store: Store, language: str, sentences: I64) -> SlotsByContext:
    context, filler, sentence = columns_of(store.connection.execute(_SLOTS, (language,)), 3)
    return SlotsByContext(context, filler, np.searchsorted(sentences, sentence))


_PAIRS = """
select one.context, one.sentence, two.sentence
from slot one cross join slot two on two.context = one.context and two.filler = :other
where one.filler = :one
"""
_PAIR_TEXTS = """
select sentence.id, sentence.text
from json_each(?) wanted cross join context on context.id = wanted.value
cross join sentence on sentence.id = context.sentence
"""


@dataclass(frozen=True, slots=True)
class ExchangePairs:
    """Pairs of sentences in one context, and their sums; the arrays are parallel, one entry a pair."""

    one: I64
    """Numbers of sentences."""
    other: I64
    languages: I64
    """In how many languages each pair shares a translation."""
    expected: F64
    """How probable it is that a pair of one meaning shares any; 0 without a common language."""
    sums: ExchangeIndex
    """Of all of them, as of a single exchange."""
    by_form: Totals
    """By place among the exchanges that were asked for."""
    neighbours: Sequence[str]
    """By the numbers that ``sums`` has for them."""


def exchange_pairs(store: Store, language: str, exchanges: Sequence[tuple[int, int]]) -> ExchangePairs:
    """All pairs of sentences in one context with these fillers, given as numbers, the rarer one first."""
    forms, rows = [], []
    for form, (one, other) in enumerate(exchanges):
        found = store.connection.execute(_PAIRS, {"one": one, "other": other}).fetchall()
        forms += [form] * len(found)
        rows += found
    context, first, second = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    texts = dict(store.connection.execute(_PAIR_TEXTS, (json.dumps(np.unique(context).tolist()),)))
    return _pairs_in(
        store, language, np.array(forms, dtype=np.int64), (context, first, second), UnitNumbers(store, texts)
    )


def _pairs_in(
    store: Store, language: str, forms: I64, pairs: tuple[I64, I64, I64], neighbours: UnitNumbers | PairsBeside
) -> ExchangePairs:
    """``pairs``: contexts, by which ``neighbours`` knows what stands beside them, and the numbers of the sentences."""
    context, first, second = pairs
    sentences, sharing = sharing_among(store, language, np.concatenate([first, second]))
    places = np.searchsorted(sentences, first), np.searchsorted(sentences, second)
    found_in = Instances(np.zeros(len(context), dtype=np.int64), context, *places)
    having, recalled = sharing_of(found_in, sharing.shared, sharing.recalls)
    return ExchangePairs(
        first,
        second,
        having[:-1].sum(axis=0),
        recalled[-1],
        summed_up(np.zeros(1, dtype=np.int64), found_in, sharing, neighbours),
        totals_by(forms, having[-1], recalled[-1]),
        list(neighbours.numbers),
    )


LEAST_EXPECTED = 3.0
"""Of an exchange that fewer pairs are expected to share a translation for, the rate says little."""
Sorting: TypeAlias = Literal["rate", "pairs"]


@dataclass(frozen=True, slots=True)
class ExchangePart:
    name: str
    """Of the language of the translations; or the neighbour, without the space before it, ^ and $ at the ends."""
    pairs: int
    shared: int
    expected: float
    rate: float


@dataclass(frozen=True, slots=True)
class ExchangeExample:
    """Two sentences that differ in nothing but the exchange."""

    one: str
    other: str
    expected: float
    """How probable it is that they share a translation if they mean the same."""
    translations: tuple[SharedTranslation, ...]


@dataclass(frozen=True, slots=True)
class ExchangeReport:
    total: ExchangeFigures
    """Of all its forms."""
    forms: tuple[ExchangeFigures, ...]
    """With and without the space before a word, as far as the corpus has them; most pairs first."""
    by_language: tuple[ExchangePart, ...]
    """Of the pairs that both have translations into a language."""
    left: tuple[ExchangePart, ...]
    """By the neighbour to the left, the most frequent first."""
    right: tuple[ExchangePart, ...]
    neighbours: tuple[int, int]
    """How many different ones there are to the left and to the right; those given may be fewer."""
    examples: tuple[ExchangeExample, ...]
    """Pairs that share a translation, those that share some in most languages first."""
    counter_examples: tuple[ExchangeExample, ...]
    """Pairs with translations into a common language that share none, those that were most expected to first."""
    with_translations: tuple[int, int]
    """How many of either there are."""


def exchange_report(store: Store, language: str, before: str, after: str, limit: int = 10) -> ExchangeReport | None:
    """What is seen of exchanging ``before`` for ``after``, or None where no two sentences differ by that.

    Words are given as people write them: with a space in front, one is looked for inside of sentences only; a frame as
    it is listed ("_ off", "off _"). At most ``limit`` neighbours on each side, examples and counter-examples; 0 is all.
    Raises InputError where the language has no index, and UsageError for an exchange of a text for itself.
    """
    require_index(store, language)
    if normalise(before) == normalise(after):
        raise UsageError(f"an exchange is of two texts, and {before!r} is one")
    forms = filler_forms(before), filler_forms(after)
    return _report_of_frame(store, language, before, after, limit) or _report_of_fillers(store, language, forms, limit)


def reports_behind(store: Store, language: str, found: Explanation, limit: int = 10) -> list[ExchangeReport]:
    """The same for each region in which a paraphrase differs from its seed, in the form that it has there."""
    shown = (each for each in found.exchanges if each.pairs)
    reports = (
        _report_of_frame(store, language, each.before, each.after, limit)
        or _report_of_fillers(store, language, ((each.before,), (each.after,)), limit)
        for each in shown
    )
    return [report for report in reports if report is not None]


_FRAMES = """
select id, x, y from exchange where language = :language and instr(x, :gap) > 0
    and (ltrim(x, ' '), ltrim(y, ' ')) in (values (:one, :other), (:other, :one)) order by id
"""
# Only what begins a sentence may have another case there.
_HAVING = "select id, text from sentence where language = ? and (instr(text, ?) > 0 or instr(text, ?) > 0)"
_BESIDE = "select kind, name from exchange_part where exchange = ? and kind <> 'language' and shared > 0"


def _report_of_frame(store: Store, language: str, before: str, after: str, limit: int) -> ExchangeReport | None:
    one, other = as_stored(before), as_stored(after)
    bound = {"language": language, "gap": GAP, "one": one, "other": other}
    frames = store.connection.execute(_FRAMES, bound).fetchall()
    model = load_word_model(store, language) if frames else None
    if model is None:
        return None
    require_whole(store, "counting exchanges")
    numbers: dict[str, int] = {}
    rows: list[tuple[int, ...]] = []
    for form, (number, *frame) in enumerate(frames):
        beside: tuple[set[str], set[str]] = set(), set()
        for kind, name in store.connection.execute(_BESIDE, (number,)):
            beside[kind == "right"].add(name)
        longest = [max(text.replace(LATER_GAP, GAP).split(GAP), key=len).strip() for text in frame]
        parts = ((language, part, part[:1].upper() + part[1:]) for part in longest)
        sides = (store.connection.execute(_HAVING, each).fetchall() for each in parts)
        for first, second, *units in pairs_by((frame[0], frame[1]), beside, sides, language, model):
            rows.append((form, first, second, *(numbers.setdefault(unit, len(numbers)) for unit in units)))
    if not rows:
        return None
    forms, firsts, seconds, left, right = np.array(rows, dtype=np.int64).T
    pairs = np.arange(len(forms)), firsts, seconds
    found = _pairs_in(store, language, forms, pairs, PairsBeside(numbers, left, right))
    swapped = np.array([x.lstrip(" ") != one for _, x, _ in frames])
    told = [figures_of(as_shown(one), as_shown(other), *sums) for _, sums in found.by_form.rows()]
    return _report(store, _turned(found, swapped[forms]), told, limit)


def _report_of_fillers(
    store: Store, language: str, forms: tuple[Sequence[str], Sequence[str]], limit: int
) -> ExchangeReport | None:
    require_whole(store, "counting exchanges")
    known = [known_fillers(store, language, each) for each in forms]
    asked, exchanges, swapped = [], [], []
    for (text, (one, contexts)), (other_text, (other, others)) in product(*(each.items() for each in known)):
        asked.append((text, other_text))
        # From the rarer filler, whose slots are fewer, to the other.
        swapped.append(contexts > others)
        exchanges.append((other, one) if contexts > others else (one, other))
    pairs = exchange_pairs(store, language, exchanges)
    if not len(pairs.one):
        return None
    by_form = pairs.by_form
    found = [figures_of(*asked[form], *sums) for form, sums in by_form.rows()]
    turned = np.repeat(np.array(swapped)[by_form.keys], by_form.pairs)
    return _report(store, _turned(pairs, turned), sorted(found, key=lambda each: -each.pairs), limit)


def _turned(pairs: ExchangePairs, turned: Bools) -> ExchangePairs:
    """With the sentence that has the first text of the exchange first."""
    one, other = np.where(turned, pairs.other, pairs.one), np.where(turned, pairs.one, pairs.other)
    return replace(pairs, one=one, other=other)


def _report(store: Store, pairs: ExchangePairs, forms: Sequence[ExchangeFigures], limit: int) -> ExchangeReport:
    ((_, sums),) = pairs.sums.all.rows()
    total = figures_of(forms[0].before.lstrip(" "), forms[0].after.lstrip(" "), *sums)
    left, right = (_parts(each, pairs.neighbours) for each in (pairs.sums.by_left, pairs.sums.by_right))
    texts = _texts(store, pairs)
    lengths = np.array(
        [
            len(texts[one]) + len(texts[other])
            for one, other in zip(pairs.one.tolist(), pairs.other.tolist(), strict=True)
        ]
    )
    sharing = _chosen(pairs, pairs.languages > 0, -pairs.languages.astype(np.float64), lengths)
    counter = _chosen(pairs, (pairs.languages == 0) & (pairs.expected > 0), -pairs.expected, lengths)
    shown = limit or None
    return ExchangeReport(
        total,
        tuple(forms),
        _parts(pairs.sums.by_language, pairs.sums.sharing.languages),
        left[:shown],
        right[:shown],
        (len(left), len(right)),
        _examples(store, pairs, sharing[:shown], texts),
        _examples(store, pairs, counter[:shown], texts),
        (len(sharing), len(counter)),
    )


def _parts(totals: Totals, names: Sequence[str]) -> tuple[ExchangePart, ...]:
    """Most pairs first; units that differ in the space before them only are one neighbour."""
    sums: dict[str, list[int]] = {}
    for key, row in totals.rows():
        known = sums.setdefault(names[key].lstrip(" "), [0, 0, 0])
        known[:] = map(int.__add__, known, row)
    parts = (
        ExchangePart(name, pairs, shared, expected / WHOLE, exchange_rate(shared, expected / WHOLE))
        for name, (pairs, shared, expected) in sums.items()
    )
    return tuple(sorted(parts, key=lambda part: (-part.pairs, part.name)))


_TEXTS = "select sentence.id, sentence.text from json_each(?) wanted cross join sentence on sentence.id = wanted.value"


def _texts(store: Store, pairs: ExchangePairs) -> dict[int, str]:
    wanted = np.unique(np.concatenate([pairs.one, pairs.other])).tolist()
    return dict(store.connection.execute(_TEXTS, (json.dumps(wanted),)))


def _chosen(pairs: ExchangePairs, chosen: Bools, first: F64, lengths: I64) -> list[int]:
    """The places of the chosen pairs, each pair of sentences once: those of the least ``first``, then short ones."""
    order = np.lexsort((pairs.other, pairs.one, lengths, first))
    places: dict[tuple[int, int], int] = {}
    for place in order[chosen[order]].tolist():
        places.setdefault((int(pairs.one[place]), int(pairs.other[place])), place)
    return list(places.values())


def _examples(
    store: Store, pairs: ExchangePairs, places: Sequence[int], texts: dict[int, str]
) -> tuple[ExchangeExample, ...]:
    found = []
    for place in places:
        one, other = int(pairs.one[place]), int(pairs.other[place])
        shared = shared_translations(store, one, other) if pairs.languages[place] else ()
        found.append(ExchangeExample(texts[one], texts[other], float(pairs.expected[place]), shared))
    return tuple(found)


def stored_exchanges(
    store: Store, language: str, text: str | None = None, *, sort: Sorting = "rate", least: float = LEAST_EXPECTED
) -> list[ExchangeFigures]:
    """The exchanges by which stored paraphrases differ, or those of ``text`` among them, in all their forms.

    The best rate first, or those of most pairs; only those of which at least ``least`` pairs are expected to share a
    translation. Raises InputError where nothing was summed up yet.
    """
    if layer_state(store, language, "validity") is None:
        raise InputError(f"{language} has no exchanges; `corpusdb generate --lang {language}` sums them up")
    found = all_exchanges(store, language, None if text is None else normalise(text))
    kept = [each for each in found if each.expected >= least]
    if sort == "rate":
        return sorted(kept, key=lambda each: (-each.rate, -each.pairs, each.before, each.after))
    return sorted(kept, key=lambda each: (-each.pairs, -each.rate, each.before, each.after))

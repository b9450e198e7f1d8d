"""Words counted: frequency lists, how evenly words are spread, and keywords."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, isfinite
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.base.arrays import I64, Bools, distinct
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import Limit
from corpusdb.base.ngrams import NgramPlaces, group_ngrams, joined_ranges
from corpusdb.base.text import has_undelimited_script
from corpusdb.corpus.queries.attributes import require_attribute
from corpusdb.corpus.queries.sentences import part_named, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.search.lexical import (
    difference,
    keyness_likelihood,
    log_ratio,
    mann_kendall,
    significance,
    simple_maths,
    theil_sen_slope,
)
from corpusdb.search.queries.token_index import load_text
from corpusdb.search.queries.token_selection import (
    BLOCK_CELLS,
    Dispersion,
    Parts,
    TokenSelection,
    WordRegex,
    compile_pattern,
    counts_in_parts,
    dispersions,
    load_parts,
    occurrences_of,
    parts_of,
    repeated_in,
    sections_of,
    select_all_tokens,
)
from corpusdb.search.token_corpus import WORD, TokenCorpus

Unit: TypeAlias = Literal["word", "char"]
_SPACE_SHOWN = "␣"
_IDEOGRAPHIC_MARKS = re.compile("[\u3000-\u303f\uff00-\uff65]")


@dataclass(frozen=True, slots=True)
class Count:
    tokens: TokenSelection
    """In characters, ``words_only`` leaves out everything but letters, digits and the marks on them."""
    unit: Unit = "word"
    """Words are tokens; characters are code points as they stand, with the spaces between words."""
    n: int = 1
    """How many units are counted together; they stand side by side in one sentence."""
    least: int = 1
    """List only what occurs at least this often."""
    pattern: str | None = None
    """List only that in whose text this regular expression is found; ␣ in it is a space, as that is shown."""
    dispersion: bool = False
    """Measure how evenly each is spread over the documents."""
    trend: str = ""
    """List first what gets more frequent, or less, with what this attribute of documents says, such as year."""
    open_slot: bool = False
    """Count n-grams of three or more of which one unit inside may be any, * : what differs only there is one."""
    longest: int = 0
    """Also those of more units than ``n``, up to this many."""

    @property
    def lengths(self) -> range:
        return range(self.n, max(self.n, self.longest) + 1)


@dataclass(frozen=True, slots=True)
class Trend:
    """How the frequency of a word changes from one value of an attribute of documents to the next."""

    slope: float
    """By how many per cent of its mean frequency per million, by Theil and Sen."""
    p: float
    """Of so much order by chance, by Mann and Kendall, for one word looked at by itself."""
    per_million: tuple[float, ...]
    """For each value, ascending."""


@dataclass(slots=True, unsafe_hash=True)  # a frozen one takes several times as long to make
class Frequency:
    text: str
    """Tokens with a space between them, but for scripts that do not delimit words; a space among characters is ␣, and
    another character that is not seen its number and name, such as U+00A0 NO-BREAK SPACE."""
    count: int
    per_million: float
    """Of the n-grams of its length that were counted."""
    sentences: int
    """In how many it occurs."""
    dispersion: Dispersion | None = None
    fillers: int | None = None
    """How many different units stand in its open slot."""
    trend: Trend | None = None


@dataclass(frozen=True, slots=True)
class FrequencyList:
    """A frequency list, by falling count and then by the code points of the texts."""

    total: int
    """All n-grams that were counted: the sum of the counts of all different ones, listed or not."""
    distinct: int
    """The different ones."""
    found: int
    """Those of them that are frequent enough and match the pattern, of which ``rows`` may be the first."""
    sentences: int
    """The sentences that were looked at: different ones, or where they stand."""
    rows: tuple[Frequency, ...]
    alike: int = 0
    """How many of the n-grams that match the pattern have other spaces, apostrophes or hyphens than it."""


def frequency_list(store: Store, count: Count, limit: int = 50, *, time_limit: Limit | None = None) -> FrequencyList:
    """Count the n-grams of the chosen sentences, each different sentence once.

    ``limit`` 0 lists all. Raises InputError for a name that is not there, and UsageError for n below 1, a pattern that
    is no regular expression, or a dispersion over fewer than two documents; TookTooLong for a pattern that takes more
    than its time.
    """
    if count.n < 1:
        raise UsageError(f"n-grams of {count.n} units cannot be counted; n is 1 or more")
    if count.unit == "char" and count.tokens.attribute != WORD:
        raise UsageError(f"a character has no {count.tokens.attribute}; count words")
    if count.open_slot and count.n < 3:
        raise UsageError("an open slot is inside an n-gram, which then has three units or more")
    asked = count.pattern if count.unit == "word" or not count.pattern else count.pattern.replace(_SPACE_SHOWN, " ")
    pattern = None if asked is None else compile_pattern(asked, ignore_case=count.tokens.fold_case)
    stream = _words(store, count.tokens) if count.unit == "word" else _characters(store, count.tokens)
    spread = None
    if count.dispersion:
        parts, order = load_parts(
            *(store, stream.corpus.sentences, count.tokens.collection, count.tokens.document),
            occurrences=count.tokens.occurrences,
        )
        spread = parts, stream.read(order)
    values = _parts_by_value(store, stream.corpus.sentences, count) if count.trend else None
    how = _Listing(pattern, 0 if values else limit, time_limit or Limit(), spread, values)
    of_lengths = [
        [_listed(stream, replace(count, n=n), how, gap) for gap in (range(1, n - 1) if count.open_slot else (0,))]
        for n in count.lengths
    ]
    lists = [each for of_length in of_lengths for each in of_length]
    if values is None and len(lists) == 1:
        return lists[0]
    rows = sorted((row for each in lists for row in each.rows), key=_in_list)
    return replace(
        lists[0],
        total=sum(of_length[0].total for of_length in of_lengths),
        distinct=sum(each.distinct for each in lists),
        found=len(rows) if values else sum(each.found for each in lists),
        rows=tuple(rows[: limit or None]),
        alike=sum(each.alike for each in lists),
    )


def _in_list(row: Frequency) -> tuple[float, int, str]:
    """What changes most certainly comes first, where that is asked, then what is more frequent."""
    return (row.trend.p if row.trend else 0, -row.count, row.text)


@dataclass(frozen=True, slots=True)
class _Listing:
    """Which of the n-grams are listed, and over what parts it is told how they are spread, and how they change."""

    pattern: WordRegex | None
    limit: int
    time_limit: Limit
    spread: tuple[Parts, I64] | None = None
    """The documents, and where in them each place of the stream is read, as ``dispersions`` takes them."""
    values: Parts | None = None
    """In the order in which they follow each other; what stands in none of them is not listed."""


def _listed(stream: _Stream, count: Count, how: _Listing, gap: int = 0) -> FrequencyList:
    """The n-grams of a stream with the open slot at one place, or none at 0."""
    pattern = how.pattern
    tokens, types = stream.corpus.tokens, stream.corpus.types
    ngrams = group_ngrams(tokens, stream.corpus.lengths, count.n, stream.usable, gap=gap)
    frequent = np.flatnonzero(ngrams.counts >= count.least)
    alike = 0
    if pattern is not None:
        texts = _texts_at(stream, ngrams.places[ngrams.starts[frequent]], count.n, types, gap)
        seen = pattern.seen(texts)
        found = pattern.regex.among(seen, how.time_limit)
        is_alike = np.array([seen[each] != texts[each] for each in found], dtype=np.bool_)
        frequent = frequent[np.array(found, dtype=np.int64)]
        alike = int(ngrams.counts[frequent[is_alike]].sum())
    chosen, texts = _most_frequent(stream, ngrams, frequent, count.n, how.limit, gap)
    owners = stream.owners
    total = len(ngrams.places)
    spread: Sequence[Dispersion | None] = [None] * len(chosen)
    if how.spread is not None:
        parts, read = how.spread
        spread = dispersions(ngrams, owners, parts, chosen, read)
    fillers: Sequence[int | None] = [None] * len(chosen)
    if gap:
        groups = np.repeat(np.arange(len(ngrams.starts)), ngrams.counts)
        pairs = distinct(groups * len(types) + tokens[ngrams.places + gap])
        fillers = np.bincount(pairs // len(types), minlength=len(ngrams.starts))[chosen].tolist()
    trends: Sequence[Trend | None] = [None] * len(chosen)
    if how.values is not None:
        trends = _trends(ngrams, owners, how.values, chosen, count.trend)
    counts, in_sentences = ngrams.counts[chosen].tolist(), ngrams.owner_counts(owners)[chosen].tolist()
    rows = tuple(
        Frequency(text, number, number * 1e6 / total, *rest)
        for text, number, *rest in zip(texts, counts, in_sentences, spread, fillers, trends, strict=True)
        if rest[-1] is None or any(rest[-1].per_million)
    )
    return FrequencyList(total, len(ngrams.starts), len(frequent), len(stream.corpus.sentences), rows, alike)


_VALUES = """
select -section.id, value from section, json_each(attributes) where key = ? and value <> ''
"""


def _parts_by_value(store: Store, sentences: I64, count: Count) -> Parts:
    """What an attribute of documents and lines says where the sentences stand, in the order of the values; of those
    that come as often as they stand there, of each once. Raises InputError where there are fewer than three values."""
    asked = count.tokens
    told = {
        part: str(value) for part, value in store.connection.execute(_VALUES, (require_attribute(store, count.trend),))
    }
    owners, sections, _ = sections_of(store, np.unique(sentences), asked.collection, asked.document)
    present, places = np.unique(sections, return_inverse=True)
    values = sorted(sorted({told[part] for part in present.tolist() if part in told}), key=_in_time(count.trend))
    _require_values(count.trend, len(values), "there are")
    ranks = {value: rank for rank, value in enumerate(values)}
    found = np.array([ranks.get(told.get(part, ""), -1) for part in present.tolist()], dtype=np.int64)[places]
    known = found >= 0
    if not asked.occurrences:
        return parts_of(sentences, sentences[owners[known]], found[known], len(values))
    lengths = known.astype(np.int64)
    return Parts(len(values), np.cumsum(lengths) - lengths, lengths, found[known])


def _require_values(attribute: str, number: int, verb: str) -> None:
    if number < 3:
        raise InputError(
            f"a trend goes over three values of an attribute of documents or more; of {attribute!r} {verb} {number}"
        )


def _trends(ngrams: NgramPlaces, owners: I64, parts: Parts, chosen: I64, attribute: str) -> list[Trend]:
    """How the chosen n-grams change from one part to the next, whose sentences ``owners`` gives for every place.

    Raises InputError where n-grams are in fewer than three parts.
    """
    sizes = counts_in_parts(ngrams.places, np.zeros_like(ngrams.places), owners, parts, 1)[0]
    occupied = sizes > 0
    if len(chosen):
        _require_values(attribute, int(np.count_nonzero(occupied)), "what is counted has")
    found: list[Trend] = []
    step = max(BLOCK_CELLS // parts.count, 1)
    for first in range(0, len(chosen), step):
        block = chosen[first : first + step]
        lengths = ngrams.counts[block]
        places = ngrams.places[joined_ranges(ngrams.starts[block], lengths)]
        of_rows = np.repeat(np.arange(len(block), dtype=np.int64), lengths)
        rates = counts_in_parts(places, of_rows, owners, parts, len(block))[:, occupied] * 1e6 / sizes[occupied]
        means = np.maximum(rates.mean(axis=1), 1e-300)
        columns = ((100 * theil_sen_slope(rates) / means).tolist(), mann_kendall(rates).tolist(), rates.tolist())
        found += [Trend(slope, p, tuple(of_values)) for slope, p, of_values in zip(*columns, strict=True)]
    return found


_DATE: Final = re.compile(r"\d{4}(-\d{2}(-\d{2}([T ].*)?)?)?")


def _in_time(attribute: str) -> Callable[[str], tuple[float, str]]:
    """How the values of an attribute follow each other: numbers, and dates as ISO 8601 writes them.

    Raises InputError for any other value: names would follow each other by their letters, as if that were time.
    """

    def order(value: str) -> tuple[float, str]:
        with suppress(ValueError):
            if _DATE.fullmatch(value):
                return float(value[:4]), value
            if isfinite(number := float(value)):
                return number, value
        told = f"a trend goes over numbers, or dates such as 2001-05-03; {attribute} has {value!r}"
        raise InputError(f"{told}, which --where {shlex.quote(f'{attribute}!={value}')} leaves out")

    return order


@dataclass(frozen=True)
class _Stream:
    """The units of some sentences, which are the tokens of ``corpus``."""

    corpus: TokenCorpus
    apart: Sequence[bool]
    """For each type whether it has a space on either side of it, if what is beside it has too."""
    usable: Bools | None
    """For each place whether it may be part of an n-gram; None: all may."""

    @property
    def owners(self) -> I64:
        """For each place the index of its sentence."""
        return np.repeat(np.arange(len(self.corpus.lengths), dtype=np.int64), self.corpus.lengths)

    def read(self, order: I64) -> I64:
        """How many usable units stand before each place where the sentences are read in an order, which gives each a
        number; and last how many there are."""
        usable = np.ones(len(self.corpus.tokens), dtype=np.bool_) if self.usable is None else self.usable
        before = np.concatenate(([0], np.cumsum(usable)))
        begins = before[self.corpus.ends - self.corpus.lengths]
        lengths = before[self.corpus.ends] - begins
        follow = np.argsort(order, kind="stable")
        moved = np.empty(len(order), dtype=np.int64)
        moved[follow] = np.cumsum(lengths[follow]) - lengths[follow]
        return np.append(before[:-1] + np.repeat(moved - begins, self.corpus.lengths), before[-1])


def _words(store: Store, selection: TokenSelection, *, unknown: bool = False) -> _Stream:
    """Tokens; with ``unknown`` those of which the attribute is not known, too, whose text is empty."""
    # Marks are kept here: an n-gram over the place of a mark that was taken out would be none that occurs.
    corpus, usable = select_all_tokens(store, selection)
    if selection.attribute != WORD and not unknown:
        known = np.array([bool(text) for text in corpus.types], dtype=np.bool_)[corpus.tokens]
        usable = known if usable is None else usable & known
    apart = [
        text.isascii() or not (has_undelimited_script(text) or _IDEOGRAPHIC_MARKS.search(text)) for text in corpus.types
    ]
    return _Stream(corpus, apart, usable)


def _characters(store: Store, selection: TokenSelection) -> _Stream:
    text = load_text(store, selection.language)
    joined = text.joined.lower() if selection.fold_case else text.joined
    codes = np.frombuffer(joined.encode("utf-32-le"), dtype="<u4")
    is_end = codes == ord("\n")
    lengths = np.diff(np.flatnonzero(is_end), prepend=-1) - 1
    codes = codes[~is_end]
    present = np.flatnonzero(np.bincount(codes))
    numbers = np.zeros(int(present.max(initial=0)) + 1, dtype=np.int32)
    numbers[present] = np.arange(len(present), dtype=np.int32)
    characters = [chr(code) for code in present.tolist()]
    corpus = TokenCorpus(selection.language, text.sentences, lengths.astype(np.int32), numbers[codes], characters)
    if selection.occurrences:
        corpus = repeated_in(store, corpus, selection)
    elif selection.collection is not None or selection.document is not None:
        corpus = corpus.restricted_to(sentences_of(store, selection.collection, selection.document))
    usable = None
    if selection.words_only:
        usable = np.array([unicodedata.category(each)[0] in "LMN" for each in characters], np.bool_)[corpus.tokens]
    return _Stream(corpus, [False] * len(characters), usable)


def _most_frequent(
    stream: _Stream, ngrams: NgramPlaces, frequent: I64, n: int, limit: int, gap: int = 0
) -> tuple[I64, list[str]]:
    """The most frequent of these n-grams in their order, and their texts."""
    counts = ngrams.counts[frequent]
    if 0 < limit < len(frequent):  # texts need only be made for these, and for those that are as frequent as the last
        least = np.partition(counts, -limit)[-limit]
        frequent, counts = frequent[counts >= least], counts[counts >= least]
    names = [_shown(text) for text in stream.corpus.types]
    texts = _texts_at(stream, ngrams.places[ngrams.starts[frequent]], n, names, gap)
    by_text = np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    order = by_text[np.argsort(-counts[by_text], kind="stable")][: limit or None]
    return frequent[order], [texts[index] for index in order.tolist()]


def _shown(text: str) -> str:
    """A unit as it is shown: a space as ␣, and what else nobody sees by its number and name."""
    if text == " ":
        return _SPACE_SHOWN
    if not text or text.isprintable() or not all(unicodedata.category(char)[0] in "ZC" for char in text):
        return text
    return " ".join(f"U+{ord(char):04X} {unicodedata.name(char, 'CONTROL')}" for char in text)


_ANY = "*"


def _texts_at(stream: _Stream, places: I64, n: int, names: Sequence[str], gap: int = 0) -> list[str]:
    grams = np.stack([stream.corpus.tokens[places + offset] for offset in range(n)], axis=1)
    if not gap:
        return list(_join_units(stream.apart, names, grams.tolist()))
    grams[:, gap] = len(names)  # the number of the open slot
    return list(_join_units([*stream.apart, True], [*names, _ANY], grams.tolist()))


def _join_units(apart: Sequence[bool], names: Sequence[str], grams: list[list[int]]) -> Iterator[str]:
    for gram in grams:
        if all(map(apart.__getitem__, gram)):
            yield " ".join(map(names.__getitem__, gram))
            continue
        parts = [names[gram[0]]]
        for before, unit in pairwise(gram):
            parts.append(" " if apart[before] and apart[unit] else "")
            parts.append(names[unit])
        yield "".join(parts)


Keyness: TypeAlias = Literal["loglikelihood", "logratio", "diff", "simple"]


@dataclass(frozen=True, slots=True)
class KeywordComparison:
    """Two parts of the sentences of a language, and which words are listed as typical of the first."""

    target: TokenSelection
    """The part whose keywords are looked for: a collection, a document or both."""
    reference: str | None = None
    """A collection or part of one to compare it with, as ``part_named`` reads it; None: all sentences of the language
    that are not in the target."""
    counts: Mapping[str, int] | None = None
    """What to compare it with instead: how often each word or n-gram occurs somewhere else."""
    negative: bool = False
    """List the words that are rarer in the target than in the reference instead."""
    least: int | None = None
    """Only words with at least this many tokens in the part where they are more frequent; None: as many as its size
    asks for."""
    significance: float = 1.0
    """Only words whose log-likelihood has at most this probability by chance."""
    smoothing: float = 1.0
    """Added to frequencies per million for the measure simple."""
    n: int = 1
    """How many words are one unit; they stand side by side in one sentence."""


@dataclass(frozen=True, slots=True)
class Keyword:
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
    target_tokens: int
    reference_tokens: int
    found: int
    """How many there are, of which ``rows`` may be the first."""
    rows: tuple[Keyword, ...]
    least: int
    """How often each of them occurs at least in the part where it is more frequent."""
    rarer: int = 0
    """How many more there are that are not frequent enough."""
    shared_tokens: int = 0
    """How many of those of the target count in the reference, too."""


_SMALL_PART: Final = 10_000
"""Tokens; in a smaller part few words occur as often as keywords of a larger one have to."""
_LEAST, _LEAST_OF_SMALL = 5, 2


def keywords(
    store: Store, comparison: KeywordComparison, measure: Keyness = "loglikelihood", limit: int = 50
) -> Keywords:
    """The words, or n-grams, of the target that the reference has less often; ``limit`` 0 is all of them.

    Each different sentence of a part counts once in it; one that stands in the target and in a named reference counts
    in both. Raises InputError for a name that is not there or a part without tokens, and UsageError for a smoothing
    that is not above 0.
    """
    if comparison.smoothing <= 0:
        raise UsageError(f"simple maths adds a number above 0, not {comparison.smoothing}")
    stream, ngrams, in_target, in_reference = _parts_compared(store, comparison)
    groups = np.repeat(np.arange(len(ngrams.starts)), ngrams.counts)
    a, b = (
        np.bincount(groups[part[ngrams.places]], minlength=len(ngrams.starts)) for part in (in_target, in_reference)
    )
    first = ngrams.places[ngrams.starts]
    size = int(b.sum())
    if comparison.counts is not None:
        texts = _texts_at(stream, first, comparison.n, stream.corpus.types)
        fold = str.lower if comparison.target.fold_case else str
        elsewhere: Counter[str] = Counter()
        for text, number in comparison.counts.items():
            elsewhere[fold(text)] += number
        b, size = np.array([elsewhere[text] for text in texts], dtype=np.int64), elsewhere.total()
    sizes = int(a.sum()), size
    if not all(sizes):
        what = "tokens" if comparison.n == 1 else f"sequences of {comparison.n:,} tokens"
        has_all = sizes[0] and comparison.reference is None and comparison.counts is None
        way = "; the target is the whole corpus: --against names something else to compare it with" if has_all else ""
        part = "reference" if sizes[0] else "target"
        raise InputError(f"the {part} has no {what} in {comparison.target.language}{way}")
    # Compared as integers, so that words that are equally frequent are never taken for keywords.
    excess = a * sizes[1] - b * sizes[0]
    more, counts = (-excess, b) if comparison.negative else (excess, a)
    usual = _LEAST if sizes[comparison.negative] >= _SMALL_PART else _LEAST_OF_SMALL
    least = usual if comparison.least is None else comparison.least
    is_known = np.array([bool(text) for text in stream.corpus.types], np.bool_)[stream.corpus.tokens[first]]
    present = np.flatnonzero((more > 0) & is_known)
    chosen = present[counts[present] >= least]
    texts = _texts_at(stream, first[chosen], comparison.n, stream.corpus.types)
    rows = _keyword_rows(texts, a[chosen], b[chosen], sizes, comparison)
    rows = [row for row in rows if row.significance <= comparison.significance]
    rows.sort(key=lambda row: (_rank(row, measure, comparison.negative), row.text))
    rarer = len(present) - len(chosen)
    shared = 0 if comparison.counts is not None else int((in_target & in_reference)[ngrams.places].sum())
    return Keywords(*sizes, len(rows), tuple(rows[: limit or None]), least, rarer, shared)


def _parts_compared(store: Store, comparison: KeywordComparison) -> tuple[_Stream, NgramPlaces, Bools, Bools]:
    """The units of both parts, what is counted of them, and which places of the stream are in the target, and which in
    the reference."""
    chosen, n = comparison.target, comparison.n
    if chosen.collection is None and chosen.document is None:
        raise UsageError("whose keywords? Name a collection, --document or --where")
    stream = _words(store, replace(chosen, collection=None, document=None), unknown=n == 1)
    corpus = stream.corpus
    in_target = _belonging(store, corpus.sentences, chosen, chosen.collection, chosen.document)
    in_reference = ~in_target
    if comparison.reference is not None:
        in_reference = _belonging(store, corpus.sentences[::-1], chosen, *part_named(store, comparison.reference))[::-1]
    ngrams = group_ngrams(corpus.tokens, corpus.lengths, n, stream.usable)
    owners = stream.owners
    return stream, ngrams, in_target[owners], in_reference[owners]


def _belonging(
    store: Store, sentences: I64, selection: TokenSelection, collection: str | None, document: str | None = None
) -> Bools:
    """Which sentences stand in a collection and document; of one that comes several times the first, as often as it
    stands there."""
    if not selection.occurrences:
        return np.isin(sentences, sentences_of(store, collection, document))
    distinct_ids, indexes = np.unique(sentences, return_inverse=True)
    wanted = np.bincount(occurrences_of(store, distinct_ids, collection, document)[0], minlength=len(distinct_ids))
    order = np.argsort(indexes, kind="stable")
    before = np.arange(len(order)) - np.searchsorted(indexes[order], indexes[order])
    found = np.zeros(len(sentences), dtype=np.bool_)
    found[order] = before < wanted[indexes[order]]
    return found


def _keyword_rows(
    texts: Sequence[str], target: I64, reference: I64, sizes: tuple[int, int], comparison: KeywordComparison
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
    value = getattr(row, measure)
    score = inf if value is None else float(value)
    return score if negative else -score

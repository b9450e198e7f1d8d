"""Collocates: the words that stand near a word more often than chance would have them there.

Surface co-occurrence as Evert (2008, sections 3.1 and 5.1) counts it. The windows of all occurrences of the node are
taken together: a token counts once, in however many windows it stands, and the tokens of the node itself, in a
window or not, are taken out of the sample. Of what is left, each collocate has the table

                      the collocate   other tokens
    in a window       O11             O12              R1: tokens in windows
    outside           O21              O22
                      C1: its tokens                   N: all tokens
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from corpusdb.base.arrays import I64, Bools
from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.base.jobs import Limit
from corpusdb.base.text import alike_in, as_typed, is_word, normalise
from corpusdb.corpus.store import Store
from corpusdb.search.cqp import find
from corpusdb.search.cqp_parser import parse
from corpusdb.search.cqp_syntax import attributes_of, word_tests_of
from corpusdb.search.lexical import (
    cubic_association,
    expected_frequency,
    log_dice,
    log_likelihood,
    log_ratio,
    minimum_sensitivity,
    mutual_information,
    t_score,
    z_score,
)
from corpusdb.search.matches import WordMatching
from corpusdb.search.patterns import Folding, Pattern, meant_mode
from corpusdb.search.queries.annotated_corpus import by_attribute
from corpusdb.search.queries.nothing_found import words_like
from corpusdb.search.queries.search import letters_remark
from corpusdb.search.queries.token_index import load_text, load_tokens
from corpusdb.search.queries.token_selection import (
    TokenSelection,
    compile_pattern,
    select_tokens,
    select_tokens_of,
)
from corpusdb.search.token_corpus import WORD, TokenCorpus, tokenise

Association: TypeAlias = Literal["loglikelihood", "mi", "t", "logdice", "mi3", "z", "logratio", "sensitivity"]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """A node, and how near to it a token must stand; never beyond its sentence."""

    tokens: TokenSelection
    """With ``words_only`` a window of five is five words, and punctuation marks are in no count."""
    node: str
    """A token or several that follow each other, a regular expression that a whole token must match, or a query."""
    is_pattern: bool = False
    left: int = 5
    right: int = 5
    least: int = 5
    """Only collocates with at least this many tokens in windows."""
    is_query: bool = False
    """The node is what a CQP query matches, whatever attribute the collocates are counted by."""


@dataclass(frozen=True, slots=True)
class Collocate:
    text: str
    count: int
    """O11: how many of its tokens stand in a window."""
    frequency: int
    """C1: how many it has, without those that are part of the node."""
    expected: float
    """E11: how many would stand in a window by chance."""
    loglikelihood: float
    """Dunning's G2; negative where the word is near the node less often than by chance."""
    mi: float
    t: float
    logdice: float
    """Of ``count`` with ``frequency`` and the occurrences of the node, as Rychlý (2008) has it. A collocate that stands
    in one window more than once can take it above 14."""
    mi3: float
    z: float
    logratio: float
    """Hardie's (2014): 1 where the word is twice as frequent in windows as outside, 2 four times."""
    sensitivity: float
    """The minimum sensitivity, of the same as logdice: above 1 where that is above 14."""
    left: int
    """How many of ``count`` stand before an occurrence of the node."""
    right: int
    """How many stand after one; a token between two occurrences is in both."""


@dataclass(frozen=True, slots=True)
class Collocates:
    """The collocates of a node, by the chosen measure and then by the code points of the texts."""

    nodes: int
    """Occurrences of the node."""
    window_tokens: int
    """R1."""
    tokens: int
    """N."""
    found: int
    """How many collocates are frequent enough, of which ``rows`` may be the first."""
    rows: tuple[Collocate, ...]
    rarer: int = 0
    """How many more there are that are not frequent enough."""
    alike: int = 0
    """How many of the occurrences have other spaces, apostrophes or hyphens than the node."""


def collocates(
    store: Store,
    near: Neighbourhood,
    measure: Association = "loglikelihood",
    limit: int = 50,
    *,
    time_limit: Limit | None = None,
    corpus: TokenCorpus | None = None,
) -> Collocates:
    """The collocates of a node, best first; ``limit`` 0 is all of them.

    ``corpus`` is what select_tokens gives for its tokens, where somebody has it.

    Raises UsageError for a window without room or a pattern that is no regular expression, and InputError for a node
    without a token or a name that is not there; TookTooLong for a pattern that takes more than its time. A node that is
    a CQP query raises QueryError for an error in it, and UsageError where it may reach over the end of a sentence.
    """
    if min(near.left, near.right) < 0 or near.left + near.right == 0:
        raise UsageError(f"a window of {near.left} tokens before and {near.right} after the node has no room")
    corpus, starts, stops = _found(store, near, time_limit or Limit(), corpus)
    in_node = _is_covered([(starts, stops)], len(corpus.tokens))
    windows = _windows(corpus, starts, stops, near)
    in_left, in_right = (_is_covered([side], len(corpus.tokens)) & ~in_node for side in windows)
    in_window = in_left | in_right
    sample = _Sample(len(starts), int(np.count_nonzero(in_window)), int(np.count_nonzero(~in_node)))
    both, left, right, frequency = (
        np.bincount(corpus.tokens[where], minlength=len(corpus.types))
        for where in (in_window, in_left, in_right, ~in_node)
    )
    present = np.flatnonzero(both)
    present = present[[bool(corpus.types[number]) for number in present.tolist()]]  # "" is no value
    chosen = present[both[present] >= near.least]
    counts = _Counts(both[chosen], frequency[chosen], left[chosen], right[chosen])
    rows = _collocate_rows([corpus.types[number] for number in chosen.tolist()], counts, sample)
    rows.sort(key=lambda row: (-getattr(row, measure), row.text))
    alike = _only_alike(near, corpus, starts, stops)
    rarer = len(present) - len(rows)
    return Collocates(*sample, found=len(rows), rows=tuple(rows[: limit or None]), rarer=rarer, alike=alike)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A collocate of two nodes, as a word sketch difference has it."""

    text: str
    count: int
    """With the first node."""
    other_count: int
    logdice: float | None
    """With the first node; None where it is not near it."""
    other_logdice: float | None
    difference: float
    """The first less the second, 0 standing for one that is not there; above 0 the word goes with the first node."""


def contrast(
    store: Store, near: Neighbourhood, other: str, limit: int = 50, *, time_limit: Limit | None = None
) -> tuple[Collocates, Collocates, list[Contrast]]:
    """The collocates of two nodes, and what goes with the one or the other: those that go with either most, from those
    of the first to those of the second. Raises as ``collocates`` does.
    """
    one, two = (
        collocates(store, replace(each, least=1), "logdice", 0, time_limit=time_limit)
        for each in (near, replace(near, node=other))
    )
    first, second = ({row.text: row for row in each.rows} for each in (one, two))
    rows = []
    for text in first.keys() | second.keys():
        a, b = first.get(text), second.get(text)
        count, other_count = a.count if a else 0, b.count if b else 0
        dice, other_dice = a.logdice if a else None, b.logdice if b else None
        if max(count, other_count) >= near.least:
            apart = max(dice or 0, 0) - max(other_dice or 0, 0)
            rows.append(Contrast(text, count, other_count, dice, other_dice, apart))
    rows.sort(key=lambda row: (-max(row.logdice or 0, row.other_logdice or 0), row.text))
    return one, two, sorted(rows[: limit or None], key=lambda row: (-row.difference, row.text))


@dataclass(frozen=True, slots=True)
class Related:
    """A word that stands in a grammatical relation to a node."""

    relation: str
    """As the treebank calls it: obj, for an object of the node; "obj of" where the node is that of the word."""
    text: str
    count: int
    """How often it does."""
    logdice: float
    """14 for words that stand in the relation to each other and to no others (Rychlý 2008, section 3)."""


def related(store: Store, near: Neighbourhood, *, time_limit: Limit | None = None) -> tuple[int, list[Related]]:
    """How often a node of one token occurs, and what stands in each grammatical relation to it, as a word sketch has
    it; the frequent relations first, and in each the words by logDice.

    Relations are those of the attributes head and deprel, as CoNLL-U has them. Raises as ``collocates`` does, and
    InputError where the language has no such attributes.
    """
    corpus, words, before = select_tokens_of(store, replace(near.tokens, having=("head", "deprel")))
    heads, kinds = by_attribute(words, "head"), by_attribute(words, "deprel")
    distances = np.array([int(text) if text.isdecimal() else 0 for text in heads.types], dtype=np.int64)[heads.tokens]
    begins = np.repeat(words.ends - words.lengths, words.lengths)
    is_dependent = (distances > 0) & _is_counted(before, np.arange(len(words.tokens)))  # the root is of none
    dependents = np.flatnonzero(is_dependent)
    governors = begins[dependents] + distances[dependents] - 1
    kept = (governors < len(words.tokens)) & _is_counted(before, governors)
    dependents, governors = dependents[kept], governors[kept]
    low, high, relations = corpus.tokens[before[dependents]], corpus.tokens[before[governors]], kinds.tokens[dependents]
    starts, length = _occurrences(corpus, near, time_limit or Limit())
    if length != 1:
        raise UsageError("a grammatical relation is one of a single word")
    nodes = np.unique(corpus.tokens[starts])
    found: list[Related] = []
    for suffix, node_side, other_side in (("", high, low), (" of", low, high)):
        chosen = np.isin(node_side, nodes)
        size = len(corpus.types)
        keys = relations.astype(np.int64) * size + other_side
        in_relation = np.bincount(relations[chosen], minlength=len(kinds.types))
        pairs, counts = np.unique(keys[chosen], return_counts=True)
        others = dict(zip(*(each.tolist() for each in np.unique(keys, return_counts=True)), strict=True))
        for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
            relation, word = divmod(pair, size)
            if corpus.types[word] and count >= near.least:
                dice = float(log_dice(count, in_relation[relation], others[pair]))
                found.append(Related(kinds.types[relation] + suffix, corpus.types[word], count, dice))
    totals: Counter[str] = Counter()
    for row in found:
        totals[row.relation] += row.count
    return len(starts), sorted(found, key=lambda row: (-totals[row.relation], row.relation, -row.logdice, row.text))


def _is_counted(before: I64, places: I64) -> Bools:
    return np.asarray(before[places + 1] > before[places])


class _Sample(NamedTuple):
    nodes: int
    window_tokens: int
    tokens: int


class _Counts(NamedTuple):
    """Of collocates: near the node, in all, before the node and after it."""

    both: I64
    frequency: I64
    left: I64
    right: I64


def _found(
    store: Store, near: Neighbourhood, limit: Limit, corpus: TokenCorpus | None = None
) -> tuple[TokenCorpus, I64, I64]:
    """The tokens that are counted, and where the node begins and ends among them, ascending."""
    if near.is_query:
        return _matches(store, near, limit)
    corpus = select_tokens(store, near.tokens) if corpus is None else corpus
    starts, length = _occurrences(corpus, near, limit)
    return corpus, starts, starts + length


def _matches(store: Store, near: Neighbourhood, limit: Limit) -> tuple[TokenCorpus, I64, I64]:
    """The same of a CQP query, which is put to all tokens and all that is known of them."""
    query = parse(near.node)
    if query.sentences > 1:
        raise UsageError("windows end with the sentence: leave out `within 2 s`")
    if query.cut is not None:
        raise UsageError(f"collocates are those of all matches: leave out `cut {query.cut}`")
    if query.places:
        raise UsageError(f"say where with an option instead: --where {query.places[0]!r}")
    if query.aligned:
        raise UsageError("collocates are counted in one language: leave out the conditions on translations")
    # What the query asks of a token is not known in other sentences: it cannot match there, and they are left out.
    corpus, words, before = select_tokens_of(store, replace(near.tokens, having=tuple(attributes_of(query))))
    found = find(query, words.stream, sentences=np.isin(words.sentences, corpus.sentences), limit=limit)
    starts, stops = before[found.start], before[found.stop]
    counted = starts < stops  # else the match is of marks only, where words are counted
    return corpus, starts[counted], stops[counted]


def _occurrences(corpus: TokenCorpus, near: Neighbourhood, limit: Limit) -> tuple[I64, int]:
    """Where the node begins, ascending, and how many tokens it has."""
    if near.is_pattern:
        pattern = compile_pattern(near.node, ignore_case=near.tokens.fold_case)
        matching = np.zeros(len(corpus.types), dtype=np.bool_)
        matching[pattern.regex.matching_whole(pattern.seen(corpus.types), limit)] = True
        return np.flatnonzero(matching[corpus.tokens]), 1
    text = normalise(near.node)
    tokens = _tokens_of(text.lower() if near.tokens.fold_case else text, corpus)
    if near.tokens.words_only and near.tokens.attribute == WORD:
        tokens = [token for token in tokens if is_word(token)]
    if not tokens:
        raise InputError(f"{near.node!r} is not a word")
    numbers = [_types_like(token, corpus) for token in tokens]
    starts = np.flatnonzero(np.isin(corpus.tokens, numbers[0]))
    sentences = corpus.sentence_at(starts)
    starts = starts[starts + len(numbers) <= corpus.ends[sentences]]
    for offset, wanted in enumerate(numbers[1:], 1):
        starts = starts[np.isin(corpus.tokens[starts + offset], wanted)]
    return starts, len(numbers)


def _types_like(token: str, corpus: TokenCorpus) -> list[int]:
    """The numbers of the types that are a token, or look just like it, as with the other apostrophe."""
    if alike := alike_in(token):
        typed = as_typed(token, alike)
        return [number for number, text in enumerate(corpus.types) if as_typed(text, alike) == typed]
    return [number for number in (corpus.type_numbers.get(token),) if number is not None]


def _only_alike(near: Neighbourhood, corpus: TokenCorpus, starts: I64, stops: I64) -> int:
    if near.is_query:
        text = "".join(each.pattern.text for each in word_tests_of(parse(near.node)) if not each.pattern.literal)
    else:
        text = normalise(near.node)
    if not (alike := alike_in(text)):
        return 0
    if near.is_query or near.is_pattern:
        others = [as_typed(each, alike) != each for each in corpus.types]
    else:
        typed = set(_tokens_of(text.lower() if near.tokens.fold_case else text, corpus))
        seen = {as_typed(each, alike) for each in typed}
        others = [each not in typed and as_typed(each, alike) in seen for each in corpus.types]
    before = np.cumsum(np.append(0, np.array(others, dtype=np.bool_)[corpus.tokens]))
    return int(np.count_nonzero(before[stops] > before[starts]))


def _tokens_of(text: str, corpus: TokenCorpus) -> list[str]:
    """The tokens of a node: those parts between spaces that the corpus has as tokens, such as Japanese words, and the
    tokens that others are cut into."""
    parts = [text] if text in corpus.type_numbers else text.split()
    return [token for part in parts for token in ([part] if part in corpus.type_numbers else tokenise(part))]


def _windows(corpus: TokenCorpus, starts: I64, stops: I64, near: Neighbourhood) -> list[tuple[I64, I64]]:
    """Where the windows before the nodes begin and end, and those after them."""
    sentences = corpus.sentence_at(starts)
    ends = corpus.ends[sentences]
    begins = ends - corpus.lengths[sentences]
    before = np.maximum(starts - near.left, begins), starts
    after = stops, np.minimum(stops + near.right, ends)
    return [before, after]


def _is_covered(ranges: Sequence[tuple[I64, I64]], size: int) -> Bools:
    """Which of ``size`` places lie in one of the ranges, given by their starts and their ends."""
    change = np.zeros(size + 1, dtype=np.int64)
    for starts, ends in ranges:
        change += np.bincount(starts, minlength=size + 1)
        change -= np.bincount(ends, minlength=size + 1)
    return np.cumsum(change[:-1]) > 0


def _collocate_rows(texts: Sequence[str], counts: _Counts, sample: _Sample) -> list[Collocate]:
    both, frequency, left, right = counts
    table = (both, sample.window_tokens, frequency, sample.tokens)
    outside = max(sample.tokens - sample.window_tokens, 1)
    expected = expected_frequency(sample.window_tokens, frequency, sample.tokens)
    likelihood = np.where(both < expected, -1, 1) * log_likelihood(*table)
    columns = (
        both,
        frequency,
        expected,
        likelihood,
        mutual_information(*table),
        t_score(*table),
        log_dice(both, sample.nodes, frequency),
        cubic_association(*table),
        z_score(*table),
        log_ratio(both, frequency - both, sample.window_tokens, outside),
        minimum_sensitivity(both, sample.nodes, frequency),
        left,
        right,
    )
    return [Collocate(*row) for row in zip(texts, *(column.tolist() for column in columns), strict=True)]


# Why a node of collocates does not occur, or not as often as somebody may think, as far as other ways tell.


Reason: TypeAlias = Literal["case", "attribute", "mode"]


@dataclass(frozen=True, slots=True)
class OtherWay:
    """Another way to ask for a node, by which it occurs."""

    reason: Reason
    """What was otherwise: case counted, an attribute was asked for that is not the word, or the kind of the node."""
    near: Neighbourhood
    nodes: int


def other_ways(store: Store, near: Neighbourhood, time_limit: Limit | None = None) -> list[OtherWay]:
    """The ways by which a node occurs that does not occur as it was asked for; inside a snapshot of the caller."""
    found: list[OtherWay] = []
    for reason, other in _candidates(near):
        try:
            count = len(_found(store, other, time_limit or Limit())[1])
        except CorpusError:  # what the node is no sensible way to ask for
            continue
        if count:
            found.append(OtherWay(reason, other, count))
    return found


def _candidates(near: Neighbourhood) -> Iterator[tuple[Reason, Neighbourhood]]:
    if near.is_query:
        return
    if not near.tokens.fold_case:
        yield "case", replace(near, tokens=replace(near.tokens, fold_case=True))
    if near.tokens.attribute != WORD:
        # A query, since the collocates are still to be counted by the attribute.
        query = " ".join(json.dumps(part, ensure_ascii=False) + "%c" for part in near.node.split())
        yield "attribute", replace(near, node=query, is_query=True, is_pattern=False)
    meant = meant_mode(near.node, "regex" if near.is_pattern else "word")
    if meant is not None:
        yield "mode", replace(near, is_query=meant == "cqp", is_pattern=meant == "regex")


def absent_words(store: Store, near: Neighbourhood) -> list[str]:
    """The words that look most like a node of one word that does not occur; none of a query or regular expression."""
    if near.is_query or near.is_pattern:
        return []
    return words_like(select_tokens(store, near.tokens), near.node.strip())


def letters_remark_on_node(store: Store, near: Neighbourhood) -> str | None:
    """That regular expressions find another number of sentences of the language with a node of one word, if they do."""
    if near.is_query or near.is_pattern or near.tokens.attribute != WORD or not normalise(near.node):
        return None
    language, pattern = near.tokens.language, Pattern(near.node, "word", Folding(case=near.tokens.fold_case))
    matching = WordMatching(load_text(store, language), load_tokens(store, language), pattern)
    return letters_remark(matching, language, near.node)

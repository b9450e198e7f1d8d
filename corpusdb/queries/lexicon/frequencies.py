"""Frequency lists of the n-grams of a language, in words or in characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import I64, Bools
from corpusdb.cqp import WORD
from corpusdb.errors import UsageError
from corpusdb.ngrams.counting import NgramPlaces, group_ngrams
from corpusdb.queries.corpus.sentences import sentences_of
from corpusdb.queries.lexicon.dispersion import Dispersion, dispersions, load_parts
from corpusdb.queries.lexicon.selection import TokenSelection, WordRegex, compile_pattern, select_all_tokens
from corpusdb.queries.search.token_index import load_text
from corpusdb.stoppable.limit import Limit
from corpusdb.store import Store
from corpusdb.text import has_undelimited_script
from corpusdb.textsearch.token_corpus import TokenCorpus

__all__ = ["Count", "Frequency", "FrequencyList", "Unit", "frequency_list"]

Unit: TypeAlias = Literal["word", "char"]
_SPACE_SHOWN = "␣"
_IDEOGRAPHIC_MARKS = re.compile("[\u3000-\u303f\uff00-\uff65]")


@dataclass(frozen=True, slots=True)
class Count:
    """What is counted, and what of it is listed."""

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


@dataclass(slots=True, unsafe_hash=True)  # a frozen one takes several times as long to make
class Frequency:
    """One n-gram."""

    text: str
    """Tokens with a space between them, but for scripts that do not delimit words; a space among characters is ␣, and
    another character that is not seen its number and name, such as U+00A0 NO-BREAK SPACE."""
    count: int
    per_million: float
    """Of the n-grams that were counted."""
    sentences: int
    """In how many it occurs."""
    dispersion: Dispersion | None = None


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
    """The different sentences that were looked at."""
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
    asked = count.pattern if count.unit == "word" or not count.pattern else count.pattern.replace(_SPACE_SHOWN, " ")
    pattern = None if asked is None else compile_pattern(asked, ignore_case=count.tokens.fold_case)
    stream = _words(store, count.tokens) if count.unit == "word" else _characters(store, count.tokens)
    ngrams = group_ngrams(stream.corpus.tokens, stream.corpus.lengths, count.n, stream.usable)
    frequent = np.flatnonzero(ngrams.counts >= count.least)
    alike = 0
    if pattern is not None:
        texts = _texts_at(stream, ngrams.places[ngrams.starts[frequent]], count.n, stream.corpus.types)
        matching, is_typed = _matching(texts, pattern, time_limit or Limit())
        frequent = frequent[matching]
        alike = int(ngrams.counts[frequent[~is_typed]].sum())
    chosen, texts = _most_frequent(stream, ngrams, frequent, count.n, limit)
    owners = stream.owners
    total = len(ngrams.places)
    in_sentences = ngrams.owner_counts(owners)[chosen].tolist()
    spread: Sequence[Dispersion | None] = [None] * len(chosen)
    if count.dispersion:
        parts = load_parts(store, stream.corpus.sentences, count.tokens.collection, count.tokens.document)
        spread = dispersions(ngrams, owners, parts, chosen)
    counts = ngrams.counts[chosen].tolist()
    rows = tuple(
        Frequency(text, number, number * 1e6 / total, sentences, dispersion)
        for text, number, sentences, dispersion in zip(texts, counts, in_sentences, spread, strict=True)
    )
    return FrequencyList(total, len(ngrams.starts), len(frequent), len(stream.corpus.sentences), rows, alike)


def _matching(texts: Sequence[str], pattern: WordRegex, limit: Limit) -> tuple[I64, Bools]:
    """The places of the texts that a pattern is found in, ascending, and for each whether it is there as typed."""
    seen = pattern.seen(texts)
    found = pattern.regex.among(seen, range(len(texts)), limit)
    return np.array(found, dtype=np.int64), np.array([seen[each] == texts[each] for each in found], dtype=np.bool_)


@dataclass(frozen=True)
class _Stream:
    """The units of some sentences, which are the tokens of ``corpus``."""

    corpus: TokenCorpus
    apart: Sequence[bool]
    """For each type whether it has a space on either side of it, if what is beside it has too."""
    usable: npt.NDArray[np.bool_] | None
    """For each place whether it may be part of an n-gram; None: all may."""

    @property
    def owners(self) -> I64:
        """For each place the index of its sentence."""
        return np.repeat(np.arange(len(self.corpus.lengths), dtype=np.int64), self.corpus.lengths)


def _words(store: Store, selection: TokenSelection) -> _Stream:
    # Marks are kept here: an n-gram over the place of a mark that was taken out would be none that occurs.
    corpus, usable = select_all_tokens(store, selection)
    if selection.attribute != WORD:
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
    if selection.collection is not None or selection.document is not None:
        corpus = corpus.restricted_to(sentences_of(store, selection.collection, selection.document))
    usable = _usable(corpus, _is_word_character) if selection.words_only else None
    return _Stream(corpus, [False] * len(characters), usable)


def _is_word_character(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


def _usable(corpus: TokenCorpus, is_usable: Callable[[str], bool]) -> npt.NDArray[np.bool_]:
    """For each place of a stream whether its type is usable."""
    return np.fromiter(map(is_usable, corpus.types), np.bool_, len(corpus.types))[corpus.tokens]


def _most_frequent(stream: _Stream, ngrams: NgramPlaces, frequent: I64, n: int, limit: int) -> tuple[I64, list[str]]:
    """The most frequent of these n-grams in their order, and their texts."""
    counts = ngrams.counts[frequent]
    if 0 < limit < len(frequent):  # texts need only be made for these, and for those that are as frequent as the last
        least = np.partition(counts, -limit)[-limit]
        frequent, counts = frequent[counts >= least], counts[counts >= least]
    names = [_shown(text) for text in stream.corpus.types]
    texts = _texts_at(stream, ngrams.places[ngrams.starts[frequent]], n, names)
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


def _texts_at(stream: _Stream, places: I64, n: int, names: Sequence[str]) -> list[str]:
    """The text of the n-gram that begins at each of these places, of the names of its units."""
    grams = np.stack([stream.corpus.tokens[places + offset] for offset in range(n)], axis=1).tolist()
    return list(_join_units(stream.apart, names, grams))


def _join_units(apart: Sequence[bool], names: Sequence[str], grams: list[list[int]]) -> Iterator[str]:
    """The text of each n-gram, given by the numbers of its units."""
    for gram in grams:
        if all(map(apart.__getitem__, gram)):
            yield " ".join(map(names.__getitem__, gram))
            continue
        parts = [names[gram[0]]]
        for before, unit in pairwise(gram):
            parts.append(" " if apart[before] and apart[unit] else "")
            parts.append(names[unit])
        yield "".join(parts)

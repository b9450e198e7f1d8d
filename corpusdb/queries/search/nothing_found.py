"""Why a search finds nothing, as far as the corpus tells: what its words are there, and how else it could be asked."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

import numpy as np

from corpusdb.cqp import WORD, parse
from corpusdb.cqp.syntax import WordTest, leaves_of, tokens_of
from corpusdb.cqp.vocabulary import METACHARACTERS
from corpusdb.errors import CorpusError
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.search.conditions import Search
from corpusdb.queries.search.search import Searcher
from corpusdb.stoppable.limit import Limit
from corpusdb.textsearch.patterns import Pattern
from corpusdb.textsearch.token_corpus import TokenCorpus, tokenise

__all__ = ["near_words", "nothing_found"]

_NEAR = 3
"""So many words are told that look like one that is not there."""
_LIKENESS = 0.75
"""Of the letters of two words, the share that stand in both in the same order (difflib's ratio)."""
_FURTHEST = 2
"""The lengths of two words that one takes for the other differ by no more."""


def nothing_found(searcher: Searcher, search: Search, limit: Limit | None = None) -> list[str]:
    """What is to be said where a search found nothing: of its pattern by itself, whatever conditions it has.

    Of a string, words and a CQP query: tokens that were asked for as one and are several; words that the language does
    not have, with those that look most like them; and other languages in which the pattern stands.
    """
    pattern = search.pattern
    if pattern is None:
        return []
    alone = Search(search.language, pattern)
    if search.conditions and (count := len(searcher.find(alone, limit))):
        return [f"without the conditions there are {count:,}"]
    elsewhere = _other_languages(searcher, search.language, pattern, limit or Limit())
    if elsewhere:
        return [f"it stands in {', '.join(elsewhere)}: --lang says where to look"]
    return [*_several_tokens(searcher, search.language, pattern), *_unknown_words(searcher, search.language, pattern)]


def _words_of(pattern: Pattern) -> list[str]:
    """What a pattern asks for as whole words; nothing of a regular expression."""
    if pattern.mode == "cqp":
        tests = [
            leaf
            for token in tokens_of(parse(pattern.text).sequence)
            if token.condition is not None
            for leaf in leaves_of(token.condition)
        ]
        return [
            test.pattern.text
            for test in tests
            if isinstance(test, WordTest)
            and test.equal
            and test.attribute == WORD
            and (test.pattern.literal or METACHARACTERS.isdisjoint(test.pattern.text))
        ]
    return [] if pattern.mode == "regex" else tokenise(pattern.text)


def _several_tokens(searcher: Searcher, language: str, pattern: Pattern) -> Iterator[str]:
    if pattern.mode != "cqp":
        return
    known = {text.casefold() for text in searcher.tokens(language).types}
    for word in dict.fromkeys(_words_of(pattern)):
        tokens = tokenise(word)
        if len(tokens) > 1 and word.casefold() not in known:
            yield f'"{word}" is no token of {language}: it is ' + " ".join(f'"{each}"' for each in tokens)


def _unknown_words(searcher: Searcher, language: str, pattern: Pattern) -> Iterator[str]:
    corpus = searcher.tokens(language)
    known = {text.casefold() for text in corpus.types}
    for word in dict.fromkeys(_words_of(pattern)):
        folded = word.casefold()
        if folded in known or not folded.isalpha() or len(tokenise(word)) > 1:
            continue
        if pattern.mode == "substring" and any(folded in text for text in known):
            continue
        near = near_words(corpus, word)
        yield f"{language} has no {word!r}" + (f"; it has {', '.join(near)}" if near else "")


def near_words(corpus: TokenCorpus, word: str) -> list[str]:
    """The words of a language that look most like one that it does not have, the likest first, then the frequent."""
    folded = word.casefold()
    counts = np.bincount(corpus.tokens, minlength=len(corpus.types))
    frequent = np.argsort(-counts, kind="stable").tolist()
    candidates = dict.fromkeys(
        corpus.types[number].casefold()
        for number in frequent
        if counts[number] and abs(len(corpus.types[number]) - len(folded)) <= _FURTHEST
    )
    ranks = {text: rank for rank, text in enumerate(candidates)}
    found = get_close_matches(folded, candidates, n=4 * _NEAR, cutoff=_LIKENESS)
    alike = {text: sorted(text) == sorted(folded) for text in found}
    return sorted(found, key=lambda text: (not alike[text], found.index(text) // _NEAR, ranks[text]))[:_NEAR]


def _other_languages(searcher: Searcher, language: str, pattern: Pattern, limit: Limit) -> list[str]:
    standing = []
    for other in languages_of(searcher.store):
        if other == language or pattern.mode == "regex":
            continue
        try:
            count = len(searcher.find(Search(other, pattern), limit))
        except CorpusError:  # of an attribute that is not known there
            continue
        if count:
            standing.append(f"{other} ({count:,})")
    return standing

"""Why a search or a list found nothing, and what the corpus has instead."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Limit
from corpusdb.corpus.queries.sentences import format_other_language, languages_of
from corpusdb.corpus.store import Store
from corpusdb.search.cqp_parser import parse
from corpusdb.search.cqp_plan import METACHARACTERS
from corpusdb.search.cqp_syntax import word_tests_of
from corpusdb.search.lexical import near_words
from corpusdb.search.patterns import Pattern, meant_mode
from corpusdb.search.queries.conditions import InDocuments, Search
from corpusdb.search.queries.frequencies import Count
from corpusdb.search.queries.search import Searcher
from corpusdb.search.queries.token_selection import select_tokens
from corpusdb.search.token_corpus import WORD, TokenCorpus, tokenise


def nothing_found(searcher: Searcher, search: Search, limit: Limit, *, elsewhere: bool = True) -> list[str]:
    """What is to be said where a search found nothing: of its pattern by itself, whatever conditions it has.

    Of a string, words and a CQP query: tokens that were asked for as one and are several; words that the language does
    not have, with those that look most like them; and other languages in which it stands, as words, for which these are
    read: that takes a second in a large corpus, and is left out without ``elsewhere``. Raises as Searcher.find does.
    """
    places = [each.collection for each in search.conditions if isinstance(each, InDocuments)]
    others = [format_other_language(searcher.store, name, search.language) for name in places]
    if elsewhere_told := [told for told in others if told is not None]:
        return elsewhere_told
    pattern = search.pattern
    if pattern is None:
        return []
    if search.conditions and (count := len(searcher.find(Search(search.language, pattern), limit))):
        return [f"without the conditions there are {count:,}"]
    told = [*_in_another_case(searcher, search.language, pattern, limit), *_wildcards(pattern)]
    if told:
        return told
    told = [*_several_tokens(searcher, search.language, pattern), *_unknown_words(searcher, search.language, pattern)]
    standing = _other_languages(searcher, search.language, pattern, limit) if elsewhere else []
    return [*told, f"it occurs in {', '.join(standing)}: --lang says where to look"] if standing else told


def _in_another_case(searcher: Searcher, language: str, pattern: Pattern, limit: Limit) -> Iterator[str]:
    """How many there are ignoring case, where that counted: also because the pattern has a capital."""
    if pattern.folding.case or pattern.mode == "cqp":
        return
    whatever = replace(pattern, folding=replace(pattern.folding, case=True))
    if count := len(searcher.find(Search(language, whatever), limit)):
        yield f"ignoring case there {'is' if count == 1 else 'are'} {count:,}: -i finds them"


_STAR = re.compile(r"(?<!\S)(?:\w+\*|\*\w+)(?!\S)")
_OPERATOR = re.compile(r"(?<=\S) +(OR|AND|NOT) +(?=\S)")


def _wildcards(pattern: Pattern) -> Iterator[str]:
    """How what other programs write as dog* and as dog OR cat is written here."""
    if pattern.mode not in ("substring", "word"):
        return
    if _STAR.search(pattern.text):
        regex = re.escape(pattern.text).replace(r"\*", r"\w*").replace(r"\ ", " ")
        whole = rf"\b{regex}\b"
        yield f"a * is a character here, and no wildcard: `--regex {shlex.quote(whole)}` takes it for one"
    elif found := _OPERATOR.search(pattern.text):
        words = [pattern.text[: found.start()], pattern.text[found.end() :]]
        either = "|".join(map(re.escape, words))
        both = " []* ".join(f'"{word}"' for word in words)
        other = f"--regex {shlex.quote(either)}" if found[1] == "OR" else f"--cqp {shlex.quote(both)}"
        told = "finds sentences with one of them" if found[1] == "OR" else "finds the one before the other"
        yield f"{found[1]} is a word here" + ("" if found[1] == "NOT" else f": `{other}` {told}")


def tokens_remark(word: str, language: str) -> str | None:
    """That what was asked for as one token is several, where it is; None where it is one."""
    tokens = tokenise(word)
    if len(tokens) < 2:
        return None
    return f'"{word}" is not a token of {language}: it is ' + " ".join(f'"{each}"' for each in tokens)


def nothing_counted(store: Store, count: Count) -> list[str]:
    """What is to be said where a list of single words has nothing that its pattern is found in: the same, of one word.

    The anchors of a regular expression around it are no part of it.
    """
    word = (count.pattern or "").removeprefix("^").removesuffix("$")
    if (count.unit, count.lengths[-1], count.tokens.attribute) != ("word", 1, WORD) or not METACHARACTERS.isdisjoint(
        word
    ):
        return []
    if (told := tokens_remark(word, count.tokens.language)) is not None:
        return [told]
    near = words_like(select_tokens(store, count.tokens), word)
    return [f"{count.tokens.language} has {', '.join(near)}"] if near else []


def words_like(corpus: TokenCorpus, word: str) -> list[str]:
    """The words of some sentences that look most like one that they do not have; of the like the more frequent first.

    None of what is no word of letters, of which the number 1,234 is none.
    """
    if not word.replace("'", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", "").isalpha() or len(tokenise(word)) > 1:
        return []
    counts = np.bincount(corpus.tokens, minlength=len(corpus.types))
    frequent = np.argsort(-counts, kind="stable")
    return near_words(word, (corpus.types[number] for number in frequent[counts[frequent] > 0].tolist()))


def _words_of(pattern: Pattern) -> list[str]:
    """What a pattern asks for as whole words, none twice; nothing of what is or looks like a regular expression."""
    if pattern.mode != "cqp":
        is_none = pattern.mode == "regex" or meant_mode(pattern.text, pattern.mode) is not None
        return [] if is_none else list(dict.fromkeys(tokenise(pattern.text)))
    patterns = [test.pattern for test in word_tests_of(parse(pattern.text)) if test.equal]
    plain = [each.text for each in patterns if each.literal or METACHARACTERS.isdisjoint(each.text)]
    return list(dict.fromkeys(plain))


def _several_tokens(searcher: Searcher, language: str, pattern: Pattern) -> Iterator[str]:
    if pattern.mode == "cqp":
        known = {text.lower() for text in searcher.tokens(language).types}
        for word in _words_of(pattern):
            if word.lower() not in known and (told := tokens_remark(word, language)) is not None:
                yield told


def _unknown_words(searcher: Searcher, language: str, pattern: Pattern) -> Iterator[str]:
    if not (words := _words_of(pattern)):
        return
    corpus = searcher.tokens(language)
    known = {text.lower() for text in corpus.types}
    for word in words:
        folded = word.lower()
        if folded in known or len(tokenise(word)) > 1 or not any(map(str.isalpha, word)):
            continue
        if pattern.mode == "substring" and any(folded in text for text in known):
            continue
        near = words_like(corpus, word)
        yield f"{language} has no {word!r}" + (f"; it has {', '.join(near)}" if near else "")


def _other_languages(searcher: Searcher, language: str, pattern: Pattern, limit: Limit) -> list[str]:
    """The others in which a pattern stands, with how often; a string only where it is words, for "teh" is in German."""
    if pattern.mode == "regex":
        return []
    asked = pattern if pattern.mode == "cqp" else Pattern(pattern.text, "word", pattern.folding)
    standing = []
    for other in languages_of(searcher.store):
        if other == language:
            continue
        try:
            count = len(searcher.find(Search(other, asked), limit))
        except InputError:  # of an attribute that is not known there
            continue
        if count:
            standing.append(f"{other} ({count:,})")
    return standing

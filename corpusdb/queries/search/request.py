"""Searches as they are said: the options of the command ``search``, by which queries are saved and run again.

The command line and the browser hold what is asked in these words, so that each runs what the other has kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import get_args

from corpusdb.bounds import number_of
from corpusdb.errors import UsageError
from corpusdb.languages import language_code, language_codes
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.search.concordance import Arrangement, GroupBy, Sorting
from corpusdb.queries.search.search import Aligned, Search
from corpusdb.store import Store
from corpusdb.textsearch.folding import Folding
from corpusdb.textsearch.patterns import Mode, Pattern

__all__ = ["SearchRequest", "length_bounds", "search_options", "search_words", "searches"]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What ``search`` takes; the fields are those of the command, which says what they mean."""

    pattern: str = ""
    lang: str = ""
    shown: str = ""
    word: bool = False
    regex: bool = False
    cqp: bool = False
    ignore_case: bool = False
    ignore_width: bool = False
    aligned: tuple[str, ...] = ()
    not_aligned: tuple[str, ...] = ()
    translated: str = ""
    untranslated: str = ""
    paraphrased: bool | None = None
    collection: str | None = None
    document: str | None = None
    length: str = ""
    distance: int = 1
    places: bool = False
    kwic: bool = False
    sort: Sorting = "corpus"
    sample: int | None = None
    seed: int = 1
    group: GroupBy | None = None
    limit: int = 20

    @property
    def mode(self) -> Mode:
        """The kind of the patterns. Raises UsageError where the words contradict each other."""
        flags: tuple[tuple[Mode, bool], ...] = (("word", self.word), ("regex", self.regex), ("cqp", self.cqp))
        chosen = [mode for mode, wanted in flags if wanted]
        if len(chosen) > 1:
            raise UsageError("--word, --regex and --cqp exclude each other")
        if self.cqp and (self.ignore_case or self.ignore_width):
            raise UsageError('a CQP query says itself where case does not count: "word"%c')
        return chosen[0] if chosen else "substring"

    def with_mode(self, mode: Mode) -> SearchRequest:
        """The same with patterns of another kind; CQP says itself which differences do not count."""
        said = replace(self, word=mode == "word", regex=mode == "regex", cqp=mode == "cqp")
        return replace(said, ignore_case=False, ignore_width=False) if mode == "cqp" else said

    @property
    def arrangement(self) -> Arrangement:
        """Which lines of the concordance are wanted, in which order."""
        return Arrangement(self.sort, self.sample, self.seed)

    @property
    def shown_languages(self) -> tuple[str, ...]:
        """The languages whose translations are to be shown. Raises InputError for an unknown one."""
        return _codes(self.shown)

    def search(self, language: str) -> Search:
        """The search in one language. Raises UsageError and InputError for words that make no sense."""
        shortest, longest = length_bounds(self.length)
        aligned = [self._aligned(given, negated=False) for given in self.aligned]
        aligned += [self._aligned(given, negated=True) for given in self.not_aligned]
        return Search(
            language,
            self._pattern(self.pattern) if self.pattern else None,
            tuple(aligned),
            _codes(self.translated),
            _codes(self.untranslated),
            self.collection,
            self.document,
            shortest,
            longest,
            self.paraphrased,
        )

    def _pattern(self, text: str) -> Pattern:
        return Pattern(text, self.mode, Folding(self.ignore_case, self.ignore_width))

    def _aligned(self, given: str, *, negated: bool) -> Aligned:
        language, colon, text = given.partition(":")
        if not colon or not text:
            raise UsageError(f"{given!r} is no condition on a translation; write LANG:PATTERN, such as fra:chat")
        return Aligned(language_code(language), self._pattern(text), negated)


def searches(store: Store, words: SearchRequest) -> list[Search]:
    """The same search for each of the languages that are named, or for each of the corpus.

    Raises UsageError and InputError for words that make no sense.
    """
    return [words.search(language) for language in _codes(words.lang) or languages_of(store)]


def search_options(words: SearchRequest) -> dict[str, object]:
    """The words as JSON can hold them, by the names that the command ``search`` has for them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(words).items()}


def search_words(options: Mapping[str, object]) -> SearchRequest:
    """The words that search_options made ``options`` of, or that the command line has kept.

    Raises UsageError where another version of the program kept them.
    """
    known = {each.name: each for each in fields(SearchRequest)}
    for name, value in options.items():
        if name not in known:
            raise UsageError(f"the query was kept by another version of corpusdb: there is no option {name!r}")
        if not _fits(name, value, known[name].default):
            raise UsageError(f"the query was kept by another version of corpusdb: {name!r} cannot be {value!r}")
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    return SearchRequest(**given)  # type: ignore[arg-type]


_CHOICES: Mapping[str, tuple[object, ...]] = {
    "sort": get_args(Sorting),
    "group": (None, *get_args(GroupBy)),
    "paraphrased": (None, True, False),
}
_OPTIONAL: Mapping[str, type] = {"collection": str, "document": str, "sample": int}


def _fits(name: str, value: object, default: object) -> bool:
    if name in _CHOICES:
        return value in _CHOICES[name]
    if name in _OPTIONAL:
        return value is None or type(value) is _OPTIONAL[name]
    if isinstance(default, tuple):
        return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    return type(value) is type(default)


def length_bounds(given: str) -> tuple[int, int | None]:
    """The bounds of "3-7", "3-", "-7" and "5". Raises UsageError for anything else."""
    if not given:
        return 0, None
    match = re.fullmatch(r"(\d*)(-?)(\d*)", given)
    if match is None or not (match[1] or match[3]):
        raise UsageError(f"{given!r} is no length; write 3-7, 3- or -7")
    shortest = number_of(match[1] or "0")
    return (shortest, shortest) if not match[2] else (shortest, number_of(match[3]) if match[3] else None)


def _codes(names: str) -> tuple[str, ...]:
    return language_codes([name.strip() for name in names.split(",")]) if names else ()

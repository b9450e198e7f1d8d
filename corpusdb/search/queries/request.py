"""Search requests: the options of the command ``search``, which the browser has too, and by which queries are kept.

Each field has its help and its names on the command line and, where it is a condition, its line in the browser's form
and what it means. A new condition is one field here, with its ``Meaning``, and a class in
corpusdb.search.queries.conditions unless one of those there says what it means. The command line reads the fields when
it starts, so that the conditions are imported only when a search is made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

from corpusdb.base.errors import QueryError, UsageError
from corpusdb.base.options import (
    SHOWN_AND_WRITTEN,
    Argument,
    FormLine,
    Headings,
    Option,
    RowLimit,
    default_of,
    described,
    number_of,
    values_of,
)
from corpusdb.base.text import alike_in, language_code, language_codes
from corpusdb.search.patterns import Folding, Mode, Pattern

if TYPE_CHECKING:
    from corpusdb.search.queries.conditions import Condition, Search


Order: TypeAlias = Literal["corpus", "random", "examples"]
"""In which lines are sorted by nothing else."""
_ELSEWHERE: Mapping[str, Any] = {
    **dict.fromkeys(("1L", "L1"), "left"),
    **dict.fromkeys(("1R", "R1"), "right"),
    **{f"{side}{place}": f"{place}{side}" for side in "LR" for place in (2, 3)},
    **dict.fromkeys(("0", "0L", "0R", "node", "kwic", "KWIC", "hit", "Hit", "centre", "center"), "match"),
}
"""What these are called in AntConc and Sketch Engine."""
GroupBy: TypeAlias = Literal[
    "match",
    "matchstart",
    "matchend",
    "left",
    "right",
    "2L",
    "3L",
    "2R",
    "3R",
    "target",
    "collection",
    "document",
    "translation",
    "category",
]


class LineKey(NamedTuple):
    """What lines of a concordance are counted by."""

    kind: str
    """One of GroupBy."""
    of: str = ""
    """Of a word the attribute that is taken instead, such as lemma; of a document that of the document or line, such as
    year or speaker; empty: the word or the document itself."""


def line_keys(given: str, done: str = "grouped") -> tuple[LineKey, ...]:
    """The keys of "left", "match,left", "target.lemma", and "speaker" or "document:speaker".

    Raises UsageError for anything else, which says that lines cannot be ``done`` so.
    """
    found: list[LineKey] = []
    for each in given.split(","):
        kind, mark, of = re.fullmatch(r"(\w*)([.:]?)(.*)", each.strip(), re.DOTALL).groups()  # type: ignore[union-attr]
        kind = _ELSEWHERE.get(kind, kind)
        if kind and not mark and kind not in get_args(GroupBy):
            kind, mark, of = "document", ":", each.strip()
        has = ":" if kind == "document" else "" if kind in ("collection", "translation", "category") else "."
        if kind not in get_args(GroupBy) or mark not in ("", has) or bool(mark) != bool(of):
            kinds = ", ".join(get_args(GroupBy))
            raise UsageError(
                f"lines cannot be {done} by {each.strip()!r}; keys are {kinds}, attributes of words such as "
                "match.lemma and of documents and lines such as speaker; several with commas"
            )
        found.append(LineKey(kind, of))
    return tuple(found)


def sort_keys(given: str) -> tuple[LineKey, ...]:
    """The keys by which lines are sorted, each where they are equal by those before, or the one of an order.

    Raises UsageError as ``line_keys`` does, and for translations, of which a line may have several.
    """
    if given in get_args(Order):
        return (LineKey(given),)
    keys = line_keys(given, "sorted")
    for key in keys:
        if key.kind == "translation":
            raise UsageError(
                "lines are not sorted by translations, of which each may have several; --group counts them"
            )
        if key.of in get_args(Order):
            raise UsageError(f"{key.of} is an order by itself, with no key beside it")
    return keys


NO_CATEGORY = "(none)"
"""What lines without a category are called."""


class Within(NamedTuple):
    """In what part of the corpus occurrences of a sentence count."""

    collection: str | None = None
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which lines of a concordance are wanted, in which order."""

    sorting: str = "corpus"
    """As ``sort_keys`` reads it; by words whatever their case, of the last key and then of those farther away, of the
    match and the target of what stands behind the match."""
    sample: int | None = None
    """How many lines to choose at random; None = all."""
    seed: int = 1
    """Of the random choice and order."""
    within: Within = field(default_factory=Within)
    """Where the lines stand."""
    occurrences: bool = False
    """A line for each occurrence of a sentence there, not one for all of them."""
    words_only: bool = False
    """Whether punctuation marks beside a match are passed over where lines are sorted or counted by words."""
    categories: str = ""
    """The set of categories."""
    category: str = ""
    """Of the set: only lines that have it, or NO_CATEGORY; empty: all lines."""
    folds_case: bool = False
    """Whether words in and beside a match are counted in small letters, as the pattern is looked for in any case."""


ALL_LANGUAGES = "all"
"""Said instead of languages; no language has this code here."""

_SYNTAX = re.compile(r"\\N\{[^}]*\}|\\.|\(\?P[<=>]\w*|\(\?[a-zA-Z-]+[:)]", re.DOTALL)
"""What of a regular expression is no letter to be found: \\W, (?P<name>, (?L)."""


_PRONOUN = re.compile(r"(?<!\w)I(?!\w)")
_CASE_FLAG = re.compile(r"\(\?[aLmsux]*i[aiLmsux]*\)")


def has_capital(text: str) -> bool:
    """Whether a letter of the text is upper or title case, which somebody who writes it means (as in ripgrep -S).

    English I among other words is not meant so: it is never written otherwise.
    """
    others = _PRONOUN.sub("", text)
    return any(char.isupper() or char.istitle() for char in (others if re.search(r"\w", others) else text))


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a request means by the value of a field that is not the default, which asks for nothing.

    Queries that were kept before there was such a field can still be run.
    """

    conditions: Callable[[Any], Iterable[Condition]]


def _aligned(request: SearchRequest) -> Iterable[Condition]:
    from corpusdb.search.queries.conditions import TranslationCondition

    for given in request.aligned:
        yield TranslationCondition(*request.pattern_in_language(given))
    for given in request.not_aligned:
        yield TranslationCondition(*request.pattern_in_language(given), negated=True)


def _translated(request: SearchRequest) -> Iterable[Condition]:
    from corpusdb.search.queries.conditions import HasTranslation

    for code in _codes(request.translated):
        yield HasTranslation(code)
    for code in _codes(request.untranslated):
        yield HasTranslation(code, negated=True)


def _paraphrased(request: SearchRequest) -> Iterable[Condition]:
    from corpusdb.search.queries.conditions import Paraphrased

    return [Paraphrased(negated=not request.paraphrased)]


def _of_length(request: SearchRequest) -> Iterable[Condition]:
    from corpusdb.search.queries.conditions import Length

    return [Length(*length_bounds(request.length))]


def _in_documents(request: SearchRequest) -> Iterable[Condition]:
    from corpusdb.search.queries.conditions import InDocuments

    return [InDocuments(*request.place)]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    HEADED: ClassVar[Headings] = {
        "How it is matched": ("pattern", "word", "regex", "cqp", "ignore_case", "ignore_width"),
        "Concordance": (
            *("kwic", "sort", "sample", "seed", "group", "occurrences", "show", "width", "words_only"),
            *("categories", "category"),
        ),
        SHOWN_AND_WRITTEN: ("shown", "distance", "places", "around", "limit"),
        "Which sentences": (),
    }

    pattern: Annotated[str, Argument("The pattern; '' finds every sentence.", is_required=True)] = ""
    lang: Annotated[
        str, Option("Search these languages, or all (default: the first in the corpus).", metavar="LANG,...")
    ] = ""
    """Empty is all here; the command takes the usual language where none is given."""
    shown: Annotated[str, Option("Show translations in these languages.", "--with", metavar="LANG,...")] = ""
    word: Annotated[bool, Option("Match whole words (tokens).", "--word -w")] = False
    regex: Annotated[bool, Option("Treat PATTERN as a regular expression.", "--regex -e")] = False
    cqp: Annotated[bool, Option('Treat PATTERN as a CQP query, such as \'"I" [] "to"\'.')] = False
    ignore_case: Annotated[
        bool | None,
        Option(
            "Ignore case; or match case, spaces, apostrophes and hyphens as typed. By default case matters only "
            "if the pattern has a capital.",
            "--ignore-case/--match-case -i/-s",
        ),
    ] = None
    ignore_width: Annotated[
        bool,
        Option("Ignore full and half width, as in Ａ and A."),
        FormLine("Ignore width, Ａ=A", "no; yes: Ａ is A", "any width", place=9),
    ] = False
    aligned: Annotated[
        tuple[str, ...],
        Option("Only with a translation that contains this.", metavar="LANG:PATTERN"),
        FormLine("Translation holds", "fra:chat;jpn:猫, as strings or words, like the search", place=0),
        Meaning(_aligned),
    ] = ()
    not_aligned: Annotated[
        tuple[str, ...],
        Option("Only without a translation that contains this.", metavar="LANG:PATTERN"),
        FormLine("Not translated as", "fra:chien", "not {}", place=8),
        Meaning(_aligned),
    ] = ()
    translated: Annotated[
        str,
        Option("Only if translated into all of these.", metavar="LANG,..."),
        FormLine("Translated into", "any; or all that are named here, of {languages}", "with {}", "languages", 5),
        Meaning(_translated),
    ] = ""
    untranslated: Annotated[
        str,
        Option("Only if translated into none of these.", metavar="LANG,..."),
        FormLine("No translation in", "any; or none that is named here", "without {}", "languages", 6),
        Meaning(_translated),
    ] = ""
    paraphrased: Annotated[
        bool | None,
        Option("Only sentences with, or without, detected paraphrases.", "--paraphrased/--unparaphrased"),
        FormLine("Has paraphrases", "either; yes or no", "paraphrased/unparaphrased", place=4),
        Meaning(_paraphrased),
    ] = None
    collection: Annotated[
        str | None,
        Option("Only in this collection.", metavar="NAME"),
        FormLine("Collection", "any", "collection {}", "collections", 1),
        Meaning(_in_documents),
    ] = None
    document: Annotated[
        str | None,
        Option("Only in this document or file.", metavar="NAME"),
        FormLine("Document or file", "any", "document {}", place=2),
        Meaning(_in_documents),
    ] = None
    where: Annotated[
        tuple[str, ...],
        Option("Only where an attribute of its document or line has this value.", metavar="NAME=VALUE"),
        FormLine("Attribute", "speaker=Ann; several: speaker=Ann;scene=2", "where {}", place=10),
        Meaning(_in_documents),
    ] = ()
    length: Annotated[
        str,
        Option("Only with this many words; characters in Japanese ...", metavar="FROM-TO"),
        FormLine("Length from-to", "words, such as 3-7; characters in Japanese ...", "length {}", place=3),
        Meaning(_of_length),
    ] = ""
    distance: Annotated[int, Option("2: also translations of translations, and so on.", least=1, most=4)] = 1
    places: Annotated[bool, Option("Show the file and line of each hit.")] = False
    kwic: Annotated[bool, Option("Show a concordance: one line for each match.")] = False
    sort: Annotated[
        str,
        Option(
            "kwic: sort by left, right, 2L, 3L, 2R or 3R (words beside the match), match or another KEY of "
            "--group; several, such as right,2R,left; or corpus, random, examples (good ones first).",
            metavar="KEY,...",
        ),
    ] = "corpus"
    sample: Annotated[int | None, Option("kwic: draw this many lines at random.", metavar="N", least=1)] = None
    seed: Annotated[int, Option("kwic: random seed.", metavar="N", least=0)] = 1
    group: Annotated[
        str | None,
        Option(
            "kwic: count lines by match, its first word (matchstart) or last (matchend), left, right, 2L, 3L, 2R,"
            " 3R, target, collection, document, translation, category, match.lemma, or an attribute of documents "
            "or lines, such as speaker; several with commas. Case is ignored if the pattern ignores it (-i, %c in"
            " CQP).",
            metavar="KEY,...",
        ),
    ] = None
    occurrences: Annotated[bool, Option("kwic: a line for each occurrence of a repeated sentence, not just one.")] = (
        False
    )
    show: Annotated[
        str,
        Option(
            "kwic: show attributes of the match, document or line, such as lemma,speaker; +lemma: of every token.",
            metavar="NAME,...",
        ),
    ] = ""
    around: Annotated[
        int,
        Option("Also show this many sentences before and after.", "--context", metavar="N", most=100),
    ] = 0
    width: Annotated[
        str,
        Option(
            "kwic: at most N characters of context before and after the match, or Nw words, such as 5w.",
            metavar="N|Nw",
        ),
    ] = ""
    words_only: Annotated[bool, Option("kwic: skip punctuation when sorting and counting.")] = False
    categories: Annotated[str, Option("kwic: show categories of this set.", metavar="NAME")] = ""
    category: Annotated[
        str,
        Option("kwic: only lines with this category of the set; (none): without any.", metavar="NAME"),
        FormLine("Category of lines", "any; or (none): lines without one", "category {}", "categories", 11),
    ] = ""
    limit: RowLimit = 20

    def __post_init__(self) -> None:
        keys = (each.strip() for each in self.sort.split(","))
        object.__setattr__(self, "sort", ",".join(_ELSEWHERE.get(each, each) for each in keys))

    @property
    def mode(self) -> Mode:
        """The kind of the patterns. Raises UsageError where the options contradict each other."""
        flags: tuple[tuple[Mode, bool], ...] = (("word", self.word), ("regex", self.regex), ("cqp", self.cqp))
        chosen = [mode for mode, wanted in flags if wanted]
        if len(chosen) > 1:
            raise UsageError("--word, --regex and --cqp exclude each other")
        if self.cqp and (self.ignore_case or self.ignore_width):
            raise UsageError('a CQP query says itself where case does not count: "word"%c')
        return chosen[0] if chosen else "substring"

    @property
    def for_lines(self) -> SearchRequest:
        """The same, but for a concordance of a document without a pattern: it is read, each of its lines is a match."""
        if not self.kwic or not self.document or self.pattern:
            return self
        return replace(self.with_mode("regex"), pattern=".*", occurrences=True)

    @property
    def has_target(self) -> bool:
        return self.cqp and "@" in self.pattern

    def with_mode(self, mode: Mode) -> SearchRequest:
        """The same with patterns of another kind; CQP says itself which differences do not count."""
        changed = replace(self, word=mode == "word", regex=mode == "regex", cqp=mode == "cqp")
        return replace(changed, ignore_case=None, ignore_width=False) if mode == "cqp" else changed

    @property
    def folds_case(self) -> bool:
        """Whether case does not count for the pattern: as was said, else where it has no capital letter."""
        return self._folds_case(self.pattern)

    def _folds_case(self, text: str) -> bool:
        if self.regex and _CASE_FLAG.match(text):  # which says it, whatever else is said
            return True
        if self.ignore_case is not None or self.cqp:
            return bool(self.ignore_case)
        return not has_capital(_SYNTAX.sub("", text) if self.regex else text)

    @property
    def arrangement(self) -> Arrangement:
        chosen = (self.words_only, self.categories, self.category, self._counts_any_case)
        return Arrangement(self.sort, self.sample, self.seed, self.place, self.occurrences, *chosen)

    @property
    def _counts_any_case(self) -> bool:
        """Whether words are counted whatever their case: that does not count for the pattern, or in CQP for any word of
        it, each with %c."""
        if not self.cqp or not self.pattern:
            return self.folds_case
        from corpusdb.search.cqp_parser import parse
        from corpusdb.search.cqp_syntax import word_tests_of

        with suppress(QueryError):  # of which the search will say what is wrong
            tests = word_tests_of(parse(self.pattern))
            return bool(tests) and all(each.pattern.ignore_case for each in tests)
        return False

    @property
    def place(self) -> Within:
        """The collection and the document that are asked for, and what both options and a CQP query ask of these."""
        from corpusdb.corpus.queries.attributes import documents_where

        asked = self.where
        if self.cqp and self.pattern:
            from corpusdb.search.cqp_parser import parse

            with suppress(QueryError):  # of which the search will say what is wrong
                asked += parse(self.pattern).places
        return Within(self.collection, documents_where(self.document, asked))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages to search in; none = all of the corpus. Raises InputError for an unknown one."""
        return () if self.lang == ALL_LANGUAGES else _codes(self.lang)

    @property
    def shown_languages(self) -> tuple[str, ...]:
        """The languages whose translations are to be shown. Raises InputError for an unknown one."""
        return _codes(self.shown)

    def search(self, language: str) -> Search:
        """The search in one language. Raises UsageError and InputError for options that make no sense."""
        from corpusdb.search.queries.conditions import Search

        keys = (*sort_keys(self.sort), *(() if self.group is None else line_keys(self.group)))
        kinds = {key.kind for key in keys}
        width = context_width(self.width)
        if width and width.in_words and "+" in self.show:
            raise UsageError("--width takes a number of characters where every token has its attributes")
        if "target" in kinds and not self.has_target:
            raise UsageError('only a CQP query with @ before a token has a target: "a" @[] "b"')
        if (self.category or "category" in kinds) and not self.categories:
            raise UsageError("--categories says of which set the categories are")
        conditions: list[Condition] = []
        meanings = described(type(self), Meaning)
        for each, value in values_of(self):
            if each.name in meanings and value != default_of(each):
                conditions += meanings[each.name].conditions(self)
        # Both of two fields that belong together, such as collection and document, have asked for the same.
        return Search(
            language, self.pattern_of(self.pattern) if self.pattern else None, tuple(dict.fromkeys(conditions))
        )

    def pattern_of(self, text: str) -> Pattern:
        """A text as a pattern of the kind that was chosen. Raises UsageError as ``mode`` does."""
        alike = None if self.ignore_case is False else alike_in(text)
        return Pattern(text, self.mode, Folding(self._folds_case(text), self.ignore_width, alike))

    def pattern_in_language(self, given: str) -> tuple[str, Pattern]:
        """Language and pattern of "fra:chat". Raises UsageError for anything else, InputError for no language."""
        language, colon, text = given.partition(":")
        if not colon or not text:
            raise UsageError(f"{given!r} is not a condition on a translation; write LANG:PATTERN, such as fra:chat")
        return language_code(language), self.pattern_of(text)


def length_bounds(given: str) -> tuple[int, int | None]:
    """The bounds of "3-7", "3-", "-7" and "5". Raises UsageError for anything else."""
    if not given:
        return 0, None
    match = re.fullmatch(r"(\d*)(-?)(\d*)", given)
    if match is None or not (match[1] or match[3]):
        raise UsageError(f"{given!r} is not a length; write 3-7, 3- or -7")
    shortest = number_of(match[1] or "0")
    if not match[2]:
        return shortest, shortest
    longest = number_of(match[3]) if match[3] else None
    if longest is not None and longest < shortest:
        raise UsageError(f"{given!r} is not a length: nothing has {shortest} or more and {longest} or less")
    return shortest, longest


class ContextWidth(NamedTuple):
    """How much of what stands before and after a match is wanted, on each side."""

    most: int
    in_words: bool


def context_width(given: str) -> ContextWidth | None:
    """The width of "40", in characters, and "5w", in words; None of nothing, which is all. Raises UsageError."""
    if not given:
        return None
    match = re.fullmatch(r"([1-9]\d*)(w?)", given)
    if match is None:
        raise UsageError(f"{given!r} is not a width; write 40 for characters, 5w for words")
    return ContextWidth(number_of(match[1]), bool(match[2]))


def _codes(names: str) -> tuple[str, ...]:
    return language_codes([name.strip() for name in names.split(",")]) if names else ()

"""Which equivalents are substituted in references, how phrases are written, and whether one can stand in a sentence."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.alignment.equivalence import (
    CLOSED,
    Alternative,
    LeftOut,
    Phrase,
    are_forms_of_one,
    closed_words,
    form_keys,
    in_case_of,
)
from corpusdb.alignment.links import SYMMETRISATIONS, Symmetrisation, may_part
from corpusdb.base.arrays import I32, I64, distinct
from corpusdb.base.display import json_line
from corpusdb.base.errors import UsageError
from corpusdb.base.text import unit_ends
from corpusdb.scoring.metric_settings import DIGEST_LENGTH

# Phrases as they are written: with their capitals and spaces, where everything else looks at tokens in lower case.


@dataclass(frozen=True, slots=True)
class UnitText:
    text: str
    starts: tuple[int, ...]
    """The first character of each unit, behind the space before it."""
    ends: tuple[int, ...]
    tokens: tuple[str, ...]
    """The units in lower case."""

    @classmethod
    def of(cls, text: str) -> UnitText:
        ends = unit_ends(text)
        units = [text[start:stop] for start, stop in zip([0, *ends], ends, strict=False)]
        starts = [stop - len(unit.lstrip()) for unit, stop in zip(units, ends, strict=True)]
        return cls(text, tuple(starts), tuple(ends), tuple(unit.strip().lower() for unit in units))

    def written(self, start: int, end: int) -> str:
        return self.text[self.starts[start] : self.ends[end - 1]]


class WrittenForms:
    """How each phrase is written most often in some texts."""

    def __init__(
        self, texts: Iterable[UnitText], phrases: Collection[Phrase], capitals: Collection[str] = frozenset()
    ) -> None:
        """``phrases``: those that are wanted, in lower case; ``capitals``: words that have one even where none of the
        texts shows it.

        The beginning of a text counts only for phrases that stand nowhere else: every word has a capital there.
        """
        inside: defaultdict[Phrase, Counter[str]] = defaultdict(Counter)
        initial: defaultdict[Phrase, Counter[str]] = defaultdict(Counter)
        wanted, longest = frozenset(phrases), max(map(len, phrases), default=0)
        small: set[str] = set()
        for each in texts:
            for start, token in enumerate(each.tokens):
                if each.text[each.starts[start]].islower():
                    small.add(token)
                for end in range(start + 1, min(start + longest, len(each.tokens)) + 1):
                    phrase = each.tokens[start:end]
                    if phrase in wanted:
                        (inside if start else initial)[phrase][each.written(start, end)] += 1
        self._capitals, self._small = frozenset(capitals), frozenset(small)
        self._forms = {phrase: self._without_initial(phrase, _usual(forms)) for phrase, forms in initial.items()}
        self._forms |= {phrase: self._without_name(phrase, _usual(forms)) for phrase, forms in inside.items()}

    def _without_name(self, phrase: Phrase, form: str) -> str:
        """A word as it is written that is a name or part of one in the texts, and elsewhere is none: Trade Center."""
        is_common = len(phrase) == 1 and self._capitals and phrase[0] not in self._capitals
        return f"{form[:1].lower()}{form[1:]}" if is_common and not form.isupper() else form

    def _without_initial(self, phrase: Phrase, form: str) -> str:
        """A form from the beginning of texts, with a small letter unless its first word is never seen with one."""
        is_known = phrase[0] in self._small or (self._capitals and phrase[0] not in self._capitals)
        return f"{form[:1].lower()}{form[1:]}" if is_known else form

    def instead_of(self, text: UnitText, start: int, end: int, phrase: Phrase) -> str:
        """A phrase as it is written where these units of a text stand.

        At the beginning of the text it gets a capital where they have one. A phrase that is in none of the texts has
        its tokens with spaces between them, and no space before a clitic.
        """
        form = self._forms.get(phrase) or self._unseen(phrase)
        is_initial = not any(map(str.isalnum, text.text[: text.starts[start]]))
        if is_initial and text.written(start, end)[:1].isupper():
            return form[:1].upper() + form[1:]
        return form

    def _unseen(self, phrase: Phrase) -> str:
        text = before = ""
        for token in phrase:
            written = f"{token[:1].upper()}{token[1:]}" if token in self._capitals else token
            text += f" {written}" if before and may_part(before, token) else written
            before = token
        return text


def _usual(forms: Counter[str]) -> str:
    """The form that is there most often; of several rather one that begins with a small letter."""
    return min(forms, key=lambda form: (-forms[form], form[:1].isupper(), form))


# Which equivalents are substituted in references, and how many at a time.


EquivalentsOrigin: TypeAlias = Literal["bitext", "corpus"]
ORIGINS: Final[tuple[EquivalentsOrigin, ...]] = ("bitext", "corpus")
CONTEXTS: Final = (0, 2, 3)
"""Words in a row: nothing is asked of them, or of two, or of three."""
ANY: Final = "any"
VERSION: Final = 5
"""Of what tells how probable substitutions are: one more whenever its features or models change, as signatures tell
it."""
_SHORT: Final = {"grow-diag-final-and": "gdfa"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SubstitutionRecipe:
    """The filters of equivalents, which are asked of one alignment, and the limit of substitutions.

    The defaults are what was found on sets of WMT 2017 and 2021: see `corpusdb guide equivalents`.
    """

    origin: EquivalentsOrigin = "bitext"
    """Where equivalents come from: the sources and references themselves, or all that is aligned in a database."""
    links: Symmetrisation = "intersection"
    """Those of the alignment that phrases are taken from; a database has its own."""
    left_out: LeftOut = "closed"
    """Phrases that consist of words of closed classes, or of prepositions or auxiliaries alone; of a database also what
    differs by such words alone."""
    min_count: int = 2
    """How often each of two equivalents stands with a source phrase that both translate."""
    min_pivot: float = 0.1
    """p(equivalent | phrase) over all source phrases (Bannard and Callison-Burch 2005)."""
    min_cover: float = 0.75
    """p(phrase | source phrase) + p(equivalent | source phrase) of a source phrase that counts: one that has many other
    translations is mostly a homonym, or aligned by chance. Of a database it is not asked."""
    min_languages: int = 1
    """Through how many languages of a database at least it is so probable."""
    min_probability: float = 0.0
    """How probable it is at least that an equivalent of a database holds in its sentence; 0: that is not asked."""
    context: int = 2
    """How many words in a row, the equivalent's first or last among them, must stand somewhere in the references or
    the database, wherever it would come into a row of so many; 0 for anywhere."""
    with_parts: bool = False
    """Whether also an equivalent that holds the phrase, or is a part of it, as "first time" and "first" are: mostly
    they show where the alignment was uncertain."""
    with_forms: bool = False
    """Whether also what differs by endings, closed classes or names alone, as "year" and "years" do."""
    best_only: bool = False
    """Whether each phrase is replaced by its most probable equivalent alone."""
    most: int | None = None
    """How many substitutions at a time; None for any number."""
    credit: float = 1.0
    """What an n-gram counts that is matched by substitutions alone. Below 1 the other forms of each word are
    substituted, too: help, helped."""
    spellings: bool = False
    """Whether also the same words written otherwise: see corpusdb.alignment.equivalence."""
    rejected: tuple[tuple[str, str], ...] = ()
    """What a person said to be no equivalents of each other: pairs of phrases, their words in lower case with a space
    between two, the lesser one first."""

    def __post_init__(self) -> None:
        pairs = sorted({(min(pair), max(pair)) for pair in self.rejected})
        object.__setattr__(self, "rejected", tuple(pairs))  # as it is read from JSON, too
        if self.left_out not in CLOSED:
            raise UsageError(f"unknown classes {self.left_out!r}; there are {', '.join(CLOSED)}")
        if self.links not in SYMMETRISATIONS:
            raise UsageError(f"unknown links {self.links!r}; there are {', '.join(SYMMETRISATIONS)}")
        if self.origin not in ORIGINS:
            raise UsageError(f"equivalents come from {' or '.join(ORIGINS)}, not from {self.origin!r}")
        least = (self.min_languages, self.min_count, 1 if self.most is None else self.most)
        if (
            min(least) < 1
            or not all(0 <= least <= 1 for least in (self.min_pivot, self.min_cover, self.min_probability))
            or not 0 < self.credit <= 1
            or self.context not in CONTEXTS
        ):
            raise UsageError(f"no equivalents can be substituted by {self}")

    @property
    def label(self) -> str:
        """In short, as signatures have it: closed+gdfa+n2+p0.1+context2+parts+best+k1, without what changes nothing.

        What was rejected comes last: +rejected2-929981881f0e9e99.
        """
        parts: list[str] = [*(["corpus"] if self.origin == "corpus" else []), self.left_out]
        parts += [_SHORT.get(self.links, self.links)] if self.links != "intersection" else []
        parts += [f"n{self.min_count}"] if self.min_count > 1 else []
        parts += [f"p{self.min_pivot:g}"] if self.min_pivot else []
        parts += [f"c{self.min_cover:g}"] if self.min_cover and self.origin == "bitext" else []
        parts += [f"l{self.min_languages}"] if self.min_languages > 1 else []
        parts += [f"held{self.min_probability:g}m{VERSION}"] if self.min_probability else []
        parts += [f"context{self.context}"] if self.context else []
        parts += ["parts"] if self.with_parts else []
        parts += ["forms"] if self.with_forms else []
        parts += ["best"] if self.best_only else []
        parts += ["spellings"] if self.spellings else []
        parts += [f"credit{self.credit:g}"] if self.credit < 1 else []
        parts += [f"k{self.most}" if self.most else ANY]
        return "+".join([*parts, *([self._rejections] if self.rejected else [])])

    @property
    def _rejections(self) -> str:
        """How many were rejected, and the digest of which."""
        sha = hashlib.sha256("".join(f"{json_line(pair, compact=True)}\n" for pair in self.rejected).encode())
        return f"rejected{len(self.rejected)}-{sha.hexdigest()[:DIGEST_LENGTH]}"


PUBLISHED = SubstitutionRecipe(
    links="grow-diag-final-and",
    left_out="prepositions",
    min_count=1,
    min_pivot=0.0,
    min_cover=0.0,
    context=0,
    with_parts=True,
    with_forms=True,
    most=1,
)
"""That of Owczarzak et al. (2006): prepositions out, no threshold, one at a time (sections 3.2, 3.4 and 3.5)."""
CORPUS = SubstitutionRecipe(origin="corpus", left_out="auxiliaries", min_pivot=0.0, min_cover=0.0, min_probability=0.7)
"""What is taken from a database unless other filters are asked for."""
PARTIAL = replace(CORPUS, min_probability=0.3, context=0, credit=0.5)
"""The same where what is substituted counts in part: less probable equivalents are worth that, but not more."""


def parse_substitutions(text: str) -> int | None:
    """A number from 1 on, or None for ``any``. Raises UsageError for anything else."""
    if text == ANY:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0 and len(text) < 9):
        raise UsageError(f"substitutions are a number from 1 on, or {ANY}; not {text!r}")
    return int(text)


# Other forms of words. None can stand where another does, but a translation that has one is nearer to the reference
# than one that has another word: METEOR (Banerjee and Lavie 2005) gives its points for that.


class WordForms:
    """Which words of a vocabulary are other forms of a word."""

    def __init__(self, language: str, words: Iterable[str]) -> None:
        """``words``: in lower case. Those of closed classes are forms of none."""
        self._language = language
        self._closed = closed_words(language, "closed")
        self._by_key: defaultdict[str | int, list[str]] = defaultdict(list)
        self._known: dict[str, list[str]] = {}
        for word in sorted({*words} - self._closed):
            if word.isalpha():
                for key in {*form_keys(language, word)}:
                    self._by_key[key].append(word)

    def of(self, word: str) -> list[str]:
        """The other forms of a word in lower case, in the order of their letters."""
        if word not in self._known:
            is_open = word.isalpha() and word not in self._closed
            near = {each for key in form_keys(self._language, word) for each in self._by_key.get(key, ())}
            self._known[word] = [each for each in sorted(near - {word}) if is_open and self._are_forms(word, each)]
        return self._known[word]

    def in_text(self, text: UnitText) -> Iterator[Alternative]:
        """The other forms of each word of a text, written as that is."""
        for start, end, token in zip(text.starts, text.ends, text.tokens, strict=True):
            for form in self.of(token):
                yield Alternative(start, end, in_case_of(text.text[start:end], form))

    def _are_forms(self, word: str, other: str) -> bool:
        return are_forms_of_one(self._language, (word,), (other,), self._closed)


# Whether an equivalent can stand where a reference has another phrase: what the corpus has beside it.


_OFTENER: Final = 100
"""A word with a capital than without inside of sentences, where it is one that has a capital: I."""
_SINGULAR: Final = {"is": "are", "was": "were", "has": "have", "does": "do", "'s": "'re"}
_OTHER_NUMBER: Final = {"eng": {**_SINGULAR, **{many: one for one, many in _SINGULAR.items()}, "am": "is"}}
"""By language the forms of verbs that tell a number, each with one of another number."""
_OF_EITHER: Final = frozenset({"who", "which", "that", "there"})
"""Behind these a verb has the number of what stands farther off."""


class NeighbouringWords:
    """Which words follow each other in the sentences of a corpus, two and three in a row."""

    def __init__(self, types: Sequence[str], lengths: I32, tokens: I32) -> None:
        """``tokens``: of sentences of these lengths, by the place of their types; a type may stand nowhere."""
        lowered: dict[str, int] = {"": 0}
        often_at_all = np.bincount(tokens, minlength=len(types))
        standing = [text for text, count in zip(types, often_at_all.tolist(), strict=True) if count]
        to_lower = np.zeros(len(types) + 1, dtype=np.int64)
        to_lower[1:][often_at_all > 0] = [lowered.setdefault(text.lower(), len(lowered)) for text in standing]
        # Two empty words stand before and after every sentence.
        places = np.arange(len(tokens)) + 2 * (np.repeat(np.arange(len(lengths)), lengths) + 1)
        stream = np.zeros(len(tokens) + 2 * len(lengths) + 2, dtype=np.int64)
        stream[places] = to_lower[tokens + 1]
        self._numbers = lowered
        self.words = lowered.keys()
        """All words, in lower case."""
        pairs = stream[:-1] * len(lowered) + stream[1:]
        self._rows: dict[int, I64] = {2: np.sort(pairs), 3: distinct(pairs[:-1] * len(lowered) + stream[2:])}
        inside = np.ones(len(tokens), dtype=bool)
        inside[(np.cumsum(lengths) - lengths)[lengths > 0]] = False
        inner = np.bincount(tokens[inside], minlength=len(types))[often_at_all > 0]
        often = dict(zip(standing, inner.tolist(), strict=True))
        self.capitals = frozenset(
            token.lower()
            for token, count in often.items()
            if token[:1].isupper() and (token.lower() not in often or 0 < often[token.lower()] * _OFTENER <= count)
        )
        """Words, in lower case, that begin with a capital, but for a slip of somebody's."""

    def have(self, words: Sequence[str]) -> bool:
        """Whether two or three words, in lower case, follow each other; empty ones stand at the ends of sentences."""
        return self._count(words) > 0

    def _count(self, words: Sequence[str]) -> int:
        """How often two words follow each other; of three at most 1."""
        key = 0
        for word in words:
            if word not in self._numbers:
                return 0
            key = key * len(self._numbers) + self._numbers[word]
        first, last = (np.searchsorted(self._rows[len(words)], key, side) for side in ("left", "right"))
        return int(last - first)

    def can_follow(self, language: str, before: str, phrase: Phrase, other: Phrase) -> bool:
        """Whether another phrase can begin where a phrase follows a word, as far as its first word tells.

        A clitic follows that word somewhere: n't no "being". A verb has the number of what it follows: no "is" for the
        "will" of "ships will". If the phrase begins with such a verb, it has the same number; otherwise that form
        follows the word before more often than the other one. Of other verbs and languages nothing is known.
        """
        numbers = _OTHER_NUMBER.get(language, {})
        own, form = ("".join(words[:1]) for words in (phrase, other))
        if not may_part(before, form) and not self.have((before, form)):
            return False
        if form not in numbers:
            return True
        if own in numbers:
            return (own in _SINGULAR) == (form in _SINGULAR)
        return before not in _OF_EITHER and self._count((before, form)) > self._count((before, numbers[form]))

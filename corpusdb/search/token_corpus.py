"""The sentences of a language as one stream of tokens, with what is known of them; what queries are put to and find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import Final, TypeAlias

import numpy as np

from corpusdb.base.arrays import I32, I64, Bools
from corpusdb.base.text import unit_ends

WORD: Final = "word"
"""The attribute that every token has: its word form."""
TARGET: Final = "target"
"""The label of the token that CQP's marker @ stands before."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """What every token of a corpus has of one kind: a word form, a lemma, a part of speech."""

    types: Sequence[str]
    """The vocabulary: the different values; the empty one stands for tokens of which nothing is known."""
    tokens: I32
    """The value of each token, an index in ``types``."""

    @cached_property
    def counts(self) -> I64:
        return np.bincount(self.tokens, minlength=len(self.types))


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of a corpus of one language, in order.

    Queries add three arrays of the size of the corpus or its vocabulary, once: about 4 bytes a token and 8 a sentence.
    Raises ValueError where the arrays do not fit each other.
    """

    types: Sequence[str]
    """The vocabulary: the word form of each type, all different."""
    tokens: I32
    """The type of each token, an index in ``types``."""
    ends: I64
    """Where each sentence ends in ``tokens``, ascending: sentence i is ``tokens[ends[i - 1]:ends[i]]``."""

    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    """What the tokens have besides their word forms; one may be made when it is first asked for."""

    follows: Bools | None = None
    """For each sentence whether it stands in its document behind the one before; None: no sentence does."""

    def __post_init__(self) -> None:
        if len(self.tokens) != (self.ends[-1] if len(self.ends) else 0):
            raise ValueError("the last sentence must end where the tokens end")

    @cached_property
    def words(self) -> Attribute:
        return Attribute(self.types, self.tokens)

    def attribute(self, name: str) -> Attribute:
        """An attribute by its name. Raises KeyError for one that there is not."""
        return self.words if name == WORD else self.attributes[name]

    @property
    def counts(self) -> I64:
        return self.words.counts

    @cached_property
    def begins(self) -> I64:
        return np.concatenate([np.zeros(1, dtype=np.int64), self.ends[:-1]])[: len(self.ends)]

    def reach(self, sentences: I64, count: int) -> tuple[I64, I64]:
        """The first and the last sentence that each of ``sentences`` can be in one match with, ``count`` in all."""
        if self.follows is None or count == 1:
            return sentences, sentences
        numbers = np.arange(len(self.ends))
        first = np.maximum.accumulate(np.where(self.follows, 0, numbers))
        last = np.minimum.accumulate(np.where(np.append(self.follows[1:], False), len(numbers), numbers)[::-1])[::-1]
        return (
            np.maximum(first[sentences], sentences - (count - 1)),
            np.minimum(last[sentences], sentences + (count - 1)),
        )

    @cached_property
    def sentences(self) -> I32:
        return np.repeat(np.arange(len(self.ends), dtype=np.int32), self.ends - self.begins)


@dataclass(frozen=True, eq=False)
class Matches:
    """Parallel arrays, one entry a match, ascending by ``start``."""

    sentence: I64
    """Index of the sentence in the corpus."""
    start: I64
    """The first token, counted from the beginning of the corpus."""
    stop: I64
    """The token behind the last."""
    labels: Mapping[str, I64]
    """The token that each label stands for; -1 where the match does not have it."""

    def __len__(self) -> int:
        return len(self.start)

    def where(self, wanted: Bools) -> Matches:
        labels = {label: places[wanted] for label, places in self.labels.items()}
        return Matches(self.sentence[wanted], self.start[wanted], self.stop[wanted], labels)


ALIASES: Mapping[str, tuple[str, ...]] = {"pos": ("upos", "xpos"), "tag": ("xpos", "upos")}
"""What is meant by a name that a language does not have: the first of these that it has."""


class Attributes(Mapping[str, Attribute]):
    """The attributes of a corpus by their names, each read when it is first asked for.

    A name that is not there may stand for another one, as ``pos`` does for ``upos``. ``elsewhere`` names those that
    only other languages have: here nothing is known of any token.
    """

    def __init__(
        self, names: Sequence[str], read: Callable[[str], Attribute], size: int, elsewhere: Sequence[str] = ()
    ) -> None:
        self._names = tuple(names)
        self._read = read
        self._size = size
        self._elsewhere = frozenset(elsewhere) - {*names}
        self._known: dict[str, Attribute] = {}
        self.covered: dict[str, int] = {}
        """How many sentences have an attribute, for those of which it was counted."""

    def name_of(self, name: str) -> str | None:
        """The attribute that is meant by a name; None where there is none."""
        candidates = (name, *ALIASES.get(name, ()))
        return next((each for each in candidates if each in self._names), None)

    def gathered(self, places: I64) -> Attributes:
        read = lambda name: Attribute(self[name].types, self[name].tokens[places])  # noqa: E731
        return Attributes(self._names, read, len(places), [*self._elsewhere])

    def __getitem__(self, name: str) -> Attribute:
        found = self.name_of(name)
        if found is None and not any(each in self._elsewhere for each in (name, *ALIASES.get(name, ()))):
            raise KeyError(name)
        key = found or ""
        if key not in self._known:
            nothing = Attribute([""], np.zeros(self._size, dtype=np.int32))
            self._known[key] = nothing if found is None else self._read(found)
        return self._known[key]

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        there = self._elsewhere.union(self._names)
        return any(each in there for each in (name, *ALIASES.get(name, ())))

    def __iter__(self) -> Iterator[str]:
        yield from self._names
        yield from sorted(self._elsewhere)

    def __len__(self) -> int:
        return len(self._names) + len(self._elsewhere)


@dataclass(frozen=True)
class Annotated:
    """What is known of the tokens of a corpus; arrays of its size."""

    begins: I32
    """Where each token begins in the text of its sentence; -1 in sentences that are not annotated."""
    ends: I32
    sentences: Bools
    """For each sentence whether it is annotated."""
    attributes: Attributes = field(repr=False)


class Overlay:
    """Annotated sentences laid over the sentences of a language, of which they replace the tokens.

    ``places``: for each annotated sentence its index among all, each once, in any order. ``lengths``: how many tokens
    each of them has, and ``cut``: how many all sentences have as they were cut without annotation.
    """

    def __init__(self, places: I64, lengths: I32, cut: I32) -> None:
        self.sentences: Bools = np.zeros(len(cut), dtype=np.bool_)
        self.sentences[places] = True
        self.lengths = cut.copy()
        self.lengths[places] = lengths
        self._annotated: Bools = np.repeat(self.sentences, self.lengths)
        self._replaced: Bools = np.repeat(self.sentences, cut)
        self._order = _in_order(places, lengths)

    @property
    def size(self) -> int:
        return len(self._annotated)

    def tokens(self, cut: I32, annotated: I32) -> I32:
        """The values of all tokens: of those that were cut, and of those of the annotated sentences."""
        found = np.empty(self.size, dtype=np.int32)
        found[~self._annotated] = cut[~self._replaced]
        found[self._annotated] = annotated if self._order is None else annotated[self._order]
        return found

    def known(self, annotated: I32, otherwise: int) -> I32:
        """The same where other sentences have no value."""
        if self._order is None and len(annotated) == self.size:
            return annotated
        found = np.full(self.size, otherwise, dtype=np.int32)
        found[self._annotated] = annotated if self._order is None else annotated[self._order]
        return found


def _in_order(places: I64, lengths: I32) -> I64 | None:
    """Which token of the sentences stands at each place when they are put in order; None where they are in order."""
    if len(places) < 2 or bool((np.diff(places) > 0).all()):
        return None
    order = np.argsort(places)
    begins = np.cumsum(lengths, dtype=np.int64) - lengths
    sizes = lengths[order].astype(np.int64)
    ahead = np.cumsum(sizes) - sizes
    return np.repeat(begins[order] - ahead, sizes) + np.arange(int(sizes.sum()))


# The sentences of a language as one stream of tokens.
# Tokens are the units of corpusdb.base.text: words, clitics and marks, and characters where the script does not
# delimit words; in annotated sentences those of the annotation. A stream of small numbers answers most questions by
# going through all of it: two million tokens take a millisecond.


Cut: TypeAlias = Callable[[str], Sequence[str]]
"""Gives the tokens of a sentence."""


@dataclass(frozen=True)
class TokenCorpus:
    language: str
    sentences: I64
    """The ids of the sentences, ascending."""
    lengths: I32
    """How many tokens each of them has."""
    tokens: I32
    """The type of each token, as an index into ``types``, sentence after sentence."""
    types: Sequence[str]
    """The different tokens, each once."""
    annotated: Annotated | None = None
    """What else is known of the tokens; None where nothing is, or nobody asked."""

    @cached_property
    def ends(self) -> I64:
        """Where each sentence ends in ``tokens``."""
        return np.cumsum(self.lengths, dtype=np.int64)

    @cached_property
    def stream(self) -> Tokens:
        attributes = {} if self.annotated is None else self.annotated.attributes
        return Tokens(self.types, self.tokens, self.ends, attributes)

    @cached_property
    def type_numbers(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self.types)}

    def sentence_at(self, positions: I64) -> I64:
        """For each position in ``tokens`` the index, in ``sentences``, of the sentence it stands in."""
        return np.searchsorted(self.ends, positions, side="right")

    def restricted_to(self, sentences: I64) -> TokenCorpus:
        """Only the sentences with these ids; the types stay as they are."""
        wanted = np.isin(self.sentences, sentences)
        tokens = self.tokens[np.repeat(wanted, self.lengths)]
        return TokenCorpus(self.language, self.sentences[wanted], self.lengths[wanted], tokens, self.types)


def tokenise(text: str) -> list[str]:
    return [text[start:end] for start, end in token_spans(text)]


def token_spans(text: str) -> list[tuple[int, int]]:
    """Where each token of a sentence begins and ends, in code points, without the white space before it."""
    spans, start = [], 0
    for end in unit_ends(text):
        unit = text[start:end]
        spans.append((end - len(unit.lstrip()), end))
        start = end
    return spans


class Tokeniser:
    """Sentences to numbers of types; ``numbers`` holds the types that are known and grows."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self.numbers = numbers
        self._known: dict[str, tuple[int, ...]] = {}

    def types_of(self, texts: Iterable[str], cuts: Iterable[Cut | None] = repeat(None)) -> tuple[I32, I32]:
        """The lengths of the sentences, and the types of all their tokens.

        No unit reaches over white space, so every run between two spaces is cut into units only once: 1.5 million of
        them in the English of Tatoeba are 60,000 different ones. ``cuts`` says for each text what else cuts it.
        """
        known = self._known
        lengths: list[int] = []
        tokens: list[int] = []
        for text, cut in zip(texts, cuts, strict=False):
            before = len(tokens)
            if cut is None:
                for run in text.split():
                    units = known.get(run)
                    tokens.extend(self._cut(run) if units is None else units)
            else:
                tokens.extend(self.numbers.setdefault(token, len(self.numbers)) for token in cut(text))
            lengths.append(len(tokens) - before)
        return np.array(lengths, dtype=np.int32), np.array(tokens, dtype=np.int32)

    def _cut(self, run: str) -> tuple[int, ...]:
        numbers = self.numbers
        units = tuple(numbers.setdefault(token, len(numbers)) for token in tokenise(run))
        if len(run) < 40:  # a run without spaces in Japanese is a sentence, and will not come again
            self._known[run] = units
        return units


@dataclass(frozen=True, eq=False)
class DocumentOrder:
    """Where the sentences of a corpus stand: each as often as it stands in documents."""

    sentences: I64
    """Their indexes in the corpus, document after document."""
    follows: Bools
    """For each whether it stands behind the one before in the same document."""
    spots: I64
    """For each the number of the file, of the section or 0, and the line; shape (sentences, 3)."""


def stream_in_order(corpus: Tokens, order: DocumentOrder) -> Tokens:
    begins = corpus.begins[order.sentences]
    sizes = corpus.ends[order.sentences] - begins
    ends = np.cumsum(sizes)
    places = np.repeat(begins - (ends - sizes), sizes) + np.arange(int(sizes.sum()))
    known = corpus.attributes
    attributes = known.gathered(places) if isinstance(known, Attributes) else {}
    return Tokens(corpus.types, corpus.tokens[places], ends, attributes, order.follows)


def pieces_of(matches: Matches, corpus: Tokens) -> I64:
    """What matches have in sentences: a line for each sentence of each match, match after match.

    Its index in the corpus, the first token of the match in it, the token behind the last, and the target, all counted
    from the beginning of the sentence, -1 where that is not in it; and the number of the match, from 0.
    """
    last = corpus.sentences[matches.stop - 1].astype(np.int64)
    counts = last - matches.sentence + 1
    match = np.repeat(np.arange(len(counts)), counts)
    offsets = np.arange(len(match)) - np.repeat(np.cumsum(counts) - counts, counts)
    sentence = matches.sentence[match] + offsets
    begins, ends = corpus.begins[sentence], corpus.ends[sentence]
    first = np.maximum(matches.start[match], begins) - begins
    stop = np.minimum(matches.stop[match], ends) - begins
    target = matches.labels.get(TARGET, np.full(len(counts), -1))[match]
    target = np.where((begins <= target) & (target < ends), target - begins, -1)
    rows = np.stack([sentence, first, stop, target, match], axis=1)
    return rows[rows[:, 1] < rows[:, 2]]  # an empty sentence may be in between


def places_in_sentences(matches: Matches, corpus: Tokens, order: I64 | None = None) -> I64:
    """Where matches stand: as ``pieces_of`` without the number, ascending, none twice; sentences by ``order`` where
    ``corpus`` is in another order."""
    rows = pieces_of(matches, corpus)[:, :4]
    if order is None:
        return rows
    rows[:, 0] = order[rows[:, 0]]
    return np.unique(rows, axis=0)

"""Derivation: new sentences from paraphrases by proportional analogy (Lepage & Denoual 2005, section 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Final, NamedTuple, Protocol

import numpy as np

from corpusdb.base.arrays import F64, I32, I64, U64, Bools, grouped, is_new, places_in
from corpusdb.base.ngrams import Fingerprints, joined_ranges, mixed
from corpusdb.base.text import units_of
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.paraphrase.equations import solve

NOWHERE: Final = -1
"""The filler does not stand in the sentence, so that nothing can be put in its place."""

UNCLEAR: Final = -2
"""The filler is empty, stands there more than once, or cuts a unit: the general solver has to find the place."""


def filler_place(filler: str, sentence: str, ends: Collection[int]) -> int:
    """The offset of a filler in ``sentence`` in code points, NOWHERE, or UNCLEAR.

    ``ends`` holds where the units of the sentence end. A place is clear when the filler stands there between unit
    boundaries, and nowhere else.
    """
    at = sentence.find(filler)
    if at < 0:
        return NOWHERE
    if not filler or sentence.find(filler, at + 1) >= 0:
        return UNCLEAR
    return at if (at == 0 or at in ends) and at + len(filler) in ends else UNCLEAR


class FilledSlot(NamedTuple):
    sentence: int
    context: int
    filler: int
    text: str


class AnalogousText(NamedTuple):
    """A paraphrase B' of a sentence B."""

    sentence: int
    text: str
    ends: Collection[int]
    """Where its units end."""


class SharedFiller(NamedTuple):
    """The filler of a slot of B that stands in its paraphrase B' too, and where."""

    context: int
    filler: int
    rewording: int
    """B'."""
    sentence: int
    """B."""
    start: int | None
    """In B', in code points; None where the general solver has to find the place."""
    stop: int | None


def substitutions(slots: Sequence[FilledSlot], rewording: AnalogousText) -> Iterator[SharedFiller]:
    """Which of the fillers of a sentence's ``slots`` can be replaced in one of its paraphrases."""
    number = rewording.sentence
    for sentence, context, filler, text in slots:
        start = filler_place(text, rewording.text, rewording.ends)
        if start == UNCLEAR:
            yield SharedFiller(context, filler, number, sentence, None, None)
        elif start != NOWHERE:
            yield SharedFiller(context, filler, number, sentence, start, start + len(text))


# The seed D = c[x] stands in a context c with another filler y: B = c[y]. Where x and y commute in another context c'
# too, A = c'[y] and C = c'[x] complete an analogy A : B :: C : D for each such c'. B is replaced by its paraphrase B',
# and A : B' :: C : x is solved: the solution is B' with y replaced by x. Where y is empty, or stands in B' in several
# places, the general solver finds the place from the sentences most alike, B : B' :: D : x, the analogy in the seed's
# own context.
#
# Everything here is a function of rows, whatever engine holds them.


_LEAST_CONTEXT = 0.3
"""The least part of the seed, in characters, that its context must be; below, B has too little in common with it."""
MOST_FILLER = 1 - _LEAST_CONTEXT
"""The largest part of the seed that its filler may be."""
_SOLVER_WORK = 2_000
"""Bound on the general solver for one equation; ten times as much found one solution more in 2,923."""


class Derivation(NamedTuple):
    """One way to a candidate: all analogies with the same B, B' and exchange of fillers.

    A named tuple, since there are millions of them: a dataclass takes twice as long to make.
    """

    seed: int
    """D."""
    filler: str
    """x, of the seed."""
    sentence: int
    """B."""
    rewording: int
    """B'."""
    start: int | None
    """Where y stands in B', in code points; None where the general solver has to find the place."""
    stop: int | None
    contexts: int
    """How many contexts c' besides that of the seed have both x and y: the number of analogies."""
    context: int
    """Numbers of c, x and y in the index."""
    x: int
    y: int


class Evidence(NamedTuple):
    """What stands behind one candidate, under the names that the table of candidates has for it."""

    text: str
    frequency: int
    """How many analogies yield it."""
    pivots: int
    """From how many different paraphrases B' it was made."""
    languages: int
    """In how many languages B and B' share a translation."""
    probability: float
    """The highest p(B'|B) behind it."""


class DerivationRows(Protocol):
    def text(self, sentence: int) -> str:
        """The text of a sentence."""

    def shared(self, sentence: int, rewording: int) -> tuple[frozenset[str], float]:
        """In which languages a sentence and its paraphrase share translations, and the pivot probability."""


def solution(seed: str, derivation: Derivation, rows: DerivationRows) -> str | None:
    """The candidate that a derivation gives, if it gives one."""
    rewording = rows.text(derivation.rewording)
    if derivation.start is None or derivation.stop is None:
        return solved(rows.text(derivation.sentence), rewording, seed)
    return placed(rewording, derivation.start, derivation.stop, derivation.filler)


def placed(rewording: str, start: int, stop: int, filler: str) -> str | None:
    """B' with x in the clear place of y, if that is a sentence."""
    return _sentence(rewording[:start] + filler + rewording[stop:])


def solved(sentence: str, rewording: str, seed: str) -> str | None:
    """The solution of B : B' :: D : x, if there is one that cuts no words."""
    text = solve(sentence, rewording, seed, work=_SOLVER_WORK)
    if text and not _has_their_words(text, (sentence, rewording, seed)):
        return None
    return _sentence(text)


def _sentence(text: str | None) -> str | None:
    # Texts are stored without spaces at their ends: what has some, or nothing else, is no sentence.
    return text if text and text == text.strip() else None


def _has_their_words(text: str, terms: Sequence[str]) -> bool:
    """Whether no word of the terms is cut up or joined with another in a text, and no space doubled.

    The solver knows characters only: "Are you friends?" may become "Areyou  friends?". A word may get another beginning
    or end, as "stops" has it of "stop".
    """
    if "  " in text and not any("  " in term for term in terms):
        return False
    words = frozenset().union(*map(_words_of, terms))
    return all(unit in words or _is_inflected(unit, words) for unit in _words(text))


@lru_cache(maxsize=1 << 12)
def _words_of(term: str) -> frozenset[str]:
    return frozenset(_words(term))


def _is_inflected(unit: str, words: Collection[str]) -> bool:
    """Whether a unit is one of some words with something before or behind it that is no other of them."""
    parts = [(unit[:cut] in words, unit[cut:] in words) for cut in range(1, len(unit))]
    return any(map(any, parts)) and not any(map(all, parts))


def _words(text: str) -> Iterator[str]:
    return (unit.lstrip() for unit in units_of(text))


def candidates(seed: str, derived: Iterable[Derivation], rows: DerivationRows) -> list[Evidence]:
    """What is derived from one seed, by text, in the order of code points; not the seed itself.

    One exchange of sentences can be seen as an exchange of several fillers, the shorter in those contexts where the
    longer is and in more; so the analogies of a pair B, B' are counted by the most frequent of them.
    """
    found: dict[str, dict[tuple[int, int], int]] = {}
    for derivation in derived:
        text = solution(seed, derivation, rows)
        if text is None:
            continue
        pairs = found.setdefault(text, {})
        pair = (derivation.sentence, derivation.rewording)
        if pairs.get(pair, -1) < derivation.contexts:
            pairs[pair] = derivation.contexts
    found.pop(seed, None)
    return [_evidence(text, found[text], rows) for text in sorted(found)]


def _evidence(text: str, pairs: Mapping[tuple[int, int], int], rows: DerivationRows) -> Evidence:
    """``pairs``: the number of analogies of each pair of B and B'."""
    shared = [rows.shared(*pair) for pair in pairs]
    return Evidence(
        text,
        frequency=sum(pairs.values()),
        pivots=len({rewording for _, rewording in pairs}),
        languages=len(frozenset().union(*(languages for languages, _ in shared))),
        probability=max(probability for _, probability in shared),
    )


# Candidates of many seeds at a time, over arrays.
# Nearly all derivations put a filler into a known place. Which of them give one text is seen by fingerprints, so that
# texts are made for the few that differ. The results are those of ``candidates`` seed by seed.


_SPREAD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class ParaphrasePairs:
    """The paraphrases B, B' of a language; parallel arrays."""

    sentence: I64
    """The place of B among the sentences."""
    rewording: I64
    probability: F64
    languages: Sequence[Bools]
    """For each language whether the two share a translation in it."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """The substitutions of a language by context; parallel arrays."""

    context: I64
    """Ascending."""
    filler: I64
    """The place of y among the fillers."""
    pair: I64
    """The place of B, B' among the pairs."""
    start: I64
    """Where y stands in B', in code points; -1 where the general solver has to find the place."""
    stop: I64

    def __getitem__(self, chosen: Bools) -> Replaced:
        columns = self.context, self.filler, self.pair, self.start, self.stop
        return Replaced(*(column[chosen] for column in columns))


@dataclass(frozen=True, slots=True)
class DerivableSlots:
    """The slots that something can be derived from, by sentence; parallel arrays."""

    sentence: I64
    """The place of the seed, ascending."""
    filler: I64
    begin: I64
    """Where the substitutions of the context begin and end."""
    end: I64

    def within(self, chosen: Bools) -> DerivableSlots:
        number = np.concatenate([[0], np.cumsum(chosen)])
        begin, end = number[self.begin], number[self.end]
        some = end > begin
        return DerivableSlots(self.sentence[some], self.filler[some], begin[some], end[some])


@dataclass(frozen=True, slots=True)
class Derivations:
    """What can be derived from some seeds, as ``Derivation`` says of one; parallel arrays."""

    seed: I64
    """Ascending."""
    x: I64
    replaced: I64
    contexts: I64


def asking_slots(
    sentence: I64, context: I64, filler: I64, replaced: Replaced, texts: Sequence[str], fillers: Sequence[str]
) -> DerivableSlots:
    """Of the slots, which come by sentence, those with a usable filler and a substitution in their context."""
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    filler_sizes = np.fromiter(map(len, fillers), dtype=np.int64, count=len(fillers))
    usable = filler_sizes[filler] <= MOST_FILLER * sizes[sentence]
    sentence, context, filler = sentence[usable], context[usable], filler[usable]
    begin = np.searchsorted(replaced.context, context)
    end = np.searchsorted(replaced.context, context, side="right")
    some = end > begin
    return DerivableSlots(sentence[some], filler[some], begin[some], end[some])


def derive(
    asking: DerivableSlots, replaced: Replaced, commuting: tuple[I64, I64], first: int, last: int
) -> Derivations:
    """What is derived from the seeds whose places are ``first`` and up, before ``last``.

    ``commuting``: the pairs of fillers x < y that stand together in two contexts or more, ascending, each as
    x * 2**32 + y, and in how many.
    """
    found = _joined(asking, replaced, first, last)
    place, known = _looked_up(found, replaced, commuting[0])
    contexts = commuting[1][place[known]] - 1
    return Derivations(found.seed[known], found.x[known], found.replaced[known], contexts)


def derive_lone(
    asking: DerivableSlots, replaced: Replaced, commuting: tuple[I64, I64], first: int, last: int
) -> Derivations:
    """The same through fillers that stand together in the context of the seed alone."""
    found = _joined(asking, replaced, first, last)
    lone = ~_looked_up(found, replaced, commuting[0])[1]
    return Derivations(found.seed[lone], found.x[lone], found.replaced[lone], found.contexts[lone])


def _joined(asking: DerivableSlots, replaced: Replaced, first: int, last: int) -> Derivations:
    """Slots with the substitutions of another filler in their context, whether or not the two commute."""
    bounds = np.searchsorted(asking.sentence, [first, last])
    slots = np.arange(*bounds)
    sizes = asking.end[slots] - asking.begin[slots]
    places = joined_ranges(asking.begin[slots], sizes)
    x = np.repeat(asking.filler[slots], sizes)
    other = x != replaced.filler[places]
    seed = np.repeat(asking.sentence[slots], sizes)
    return Derivations(seed[other], x[other], places[other], np.zeros(int(other.sum()), dtype=np.int64))


def _looked_up(found: Derivations, replaced: Replaced, pairs: I64) -> tuple[I64, Bools]:
    y = replaced.filler[found.replaced]
    wanted = np.minimum(found.x, y) << 32 | np.maximum(found.x, y)
    return places_in(pairs, wanted)


def candidates_of_many(
    derived: Derivations, replaced: Replaced, pairs: ParaphrasePairs, texts: Sequence[str], fillers: Sequence[str]
) -> dict[int, list[Evidence]]:
    """What is derived from each seed, by its place, ascending; the candidates of one by text.

    ``texts`` and ``fillers`` by their places.
    """
    clear = replaced.start[derived.replaced] >= 0
    rows, solutions, prints = _solved(derived, replaced, pairs, texts, np.flatnonzero(~clear))
    rows = np.concatenate([np.flatnonzero(clear), rows])
    of_clear = _prints_of_placed(derived, replaced, pairs, texts, fillers, rows[: int(clear.sum())])
    code = mixed(np.concatenate([of_clear, prints]) + derived.seed[rows].astype(np.uint64) * _SPREAD)
    _, one, group, _ = grouped(code)
    figures = _figures(group, replaced.pair[derived.replaced[rows]], derived.contexts[rows], pairs)
    found: dict[int, list[Evidence]] = {}
    order = np.argsort(derived.seed[rows[one]], kind="stable")
    of_row = rows[one[order]]
    places = derived.replaced[of_row]
    columns = (
        of_row,
        derived.seed[of_row],
        derived.x[of_row],
        pairs.rewording[replaced.pair[places]],
        replaced.start[places],
        replaced.stop[places],
        *(figure[order] for figure in figures),
    )
    for row, seed, x, rewording, start, stop, *rest in zip(*(column.tolist() for column in columns), strict=True):
        text = solutions[row] if start < 0 else placed(texts[rewording], start, stop, fillers[x])
        if text is not None and text != texts[seed]:
            found.setdefault(seed, []).append(Evidence(text, *rest))
    for evidence in found.values():
        evidence.sort(key=attrgetter("text"))
    return found


def _solved(
    derived: Derivations, replaced: Replaced, pairs: ParaphrasePairs, texts: Sequence[str], rows: I64
) -> tuple[I64, Mapping[int, str], U64]:
    """Of derivations without a clear place those that have a solution: places, solutions by these, fingerprints."""
    pair = replaced.pair[derived.replaced[rows]]
    columns = rows, derived.seed[rows], pairs.sentence[pair], pairs.rewording[pair]
    known: dict[tuple[int, int, int], str | None] = {}
    solutions: dict[int, str] = {}
    for row, *key in zip(*(column.tolist() for column in columns), strict=True):
        seed, sentence, rewording = key
        if (seed, sentence, rewording) not in known:
            known[seed, sentence, rewording] = solved(texts[sentence], texts[rewording], texts[seed])
        text = known[seed, sentence, rewording]
        if text is not None:
            solutions[row] = text
    joined, starts, stops = _one_after_the_other(list(solutions.values()))
    return np.array(list(solutions), dtype=np.int64), solutions, Fingerprints(joined).of(starts, stops)


def _prints_of_placed(
    derived: Derivations,
    replaced: Replaced,
    pairs: ParaphrasePairs,
    texts: Sequence[str],
    fillers: Sequence[str],
    rows: I64,
) -> U64:
    places = derived.replaced[rows]
    rewordings, _, rewording, _ = grouped(pairs.rewording[replaced.pair[places]])
    used, _, x, _ = grouped(derived.x[rows])
    joined, starts, stops = _one_after_the_other(
        [*(texts[place] for place in rewordings.tolist()), *(fillers[place] for place in used.tolist())]
    )
    begin, end = starts[rewording], stops[rewording]
    filler = x + len(rewordings)
    return Fingerprints(joined).of_runs(
        (begin, begin + replaced.start[places]),
        (starts[filler], stops[filler]),
        (begin + replaced.stop[places], end),
    )


def _one_after_the_other(texts: Sequence[str]) -> tuple[str, I64, I64]:
    """Texts as one, and where each begins and ends there."""
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    stops = np.cumsum(sizes)
    return "".join(texts), stops - sizes, stops


def _figures(group: I64, pair: I64, contexts: I64, pairs: ParaphrasePairs) -> tuple[I64, I64, I64, F64]:
    """Frequency, pivots, languages and probability of each group, as ``Evidence`` has them."""
    key = group << 32 | pair
    order = np.argsort(key)
    key = key[order]
    begins = np.flatnonzero(is_new(key))
    if not len(begins):
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, nothing, np.empty(0)
    contexts = np.maximum.reduceat(contexts[order], begins)
    group, pair = key[begins] >> 32, key[begins] & (1 << 32) - 1
    begins = np.flatnonzero(is_new(group))
    pivot = np.sort(group << 32 | pairs.rewording[pair])
    pivots = np.bincount(pivot[is_new(pivot)] >> 32, minlength=len(begins))
    languages = np.zeros(len(begins), dtype=np.int64)
    for having in pairs.languages:
        languages += np.logical_or.reduceat(having[pair], begins)
    probability = np.maximum.reduceat(pairs.probability[pair], begins)
    return np.add.reduceat(contexts, begins), pivots, languages, probability


# Fluency by N-sequences: up to which N all runs of N characters of a text were seen.
#
# Lepage & Denoual 2005, section 4.4: a candidate survives when each of its sequences of N characters occurs in the
# corpus. Here a line break marks the beginning and the end of every sentence and counts as a character of it.


def hashes_within(sentence: str) -> I64:
    """The hashes of all sequences of a sentence between its marks, of every length; one may come again."""
    prints = Fingerprints(f"\n{sentence}\n")
    return np.concatenate([prints.windows(size) for size in range(1, prints.size + 1)]).view(np.int64)


def _orders(texts: Sequence[str], lengths: I32) -> tuple[I64, I64, I64, I64]:
    """The columns of Fluency, of each text; the hashes are 0 where there is no limit.

    ``lengths`` tells from each character on, and from the line break before each text, how many were seen. A sequence
    of N characters at an offset was seen when at least N from there on were; so the order is the smallest such length
    among the offsets from which not all the rest was seen.
    """
    sizes = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))
    ends = np.cumsum(sizes + 1)  # offsets of the line breaks that end each text
    seen = lengths.astype(np.int64)
    prints = Fingerprints(_between_breaks(texts))
    # The line break between two texts ends the one and begins the other; each text is looked at from its own.
    owner = np.repeat(np.arange(len(texts)), sizes + 1)
    offsets = np.arange(len(seen))
    order, unseen = _smallest(seen, offsets, owner, ends + 1, prints)
    inside = np.flatnonzero(offsets != np.repeat(ends - sizes - 1, sizes + 1))
    inner_order, inner_unseen = _smallest(seen[inside], offsets[inside], owner[inside], ends, prints)
    return order, inner_order, unseen, inner_unseen


def _between_breaks(texts: Sequence[str]) -> str:
    return "\n" + "\n".join(texts) + "\n"


def _smallest(seen: I64, offsets: I64, owner: I64, ends: I64, prints: Fingerprints) -> tuple[I64, I64]:
    """For each text the smallest number of characters seen from an offset on, of those with an unseen rest."""
    blocked = np.flatnonzero(offsets + seen < ends[owner])  # by text, since the offsets ascend
    order, unseen = np.full(len(ends), NO_LIMIT, dtype=np.int64), np.zeros(len(ends), dtype=np.int64)
    if not len(blocked):
        return order, unseen
    of_text, lengths = owner[blocked], seen[blocked]
    begins = np.flatnonzero(is_new(of_text))
    least = np.repeat(np.minimum.reduceat(lengths, begins), np.diff(begins, append=len(blocked)))
    shortest = np.flatnonzero(lengths == least)
    chosen = blocked[shortest[is_new(of_text[shortest])]]
    texts = owner[chosen]
    order[texts] = seen[chosen]
    unseen[texts] = prints.of(offsets[chosen], offsets[chosen] + seen[chosen] + 1).view(np.int64)
    return order, unseen


class Fluency(NamedTuple):
    """The fluency of one text, under the names that the table of candidates has for it."""

    fluency: int
    """The largest N for which all N-sequences were seen; NO_LIMIT when the text was seen whole."""
    inner_fluency: int
    """The same without the marks at the ends; never less."""
    unseen: int | None
    """Hash, in 32 bits, of the first unseen sequence of fluency + 1 characters."""
    other_unseen: int | None
    """The same of inner_fluency, where it is another sequence."""


_TEXTS_AT_ONCE: Final = 20_000
"""Texts of which arrays of a number for each character are held together."""


def fluency_of(texts: Collection[str], longest: Callable[[str], I32]) -> dict[str, Fluency]:
    """The fluency of each text; ``longest`` tells for each offset how many characters from there on were seen."""
    distinct = sorted(set(texts))
    if not distinct:
        return {}
    seen = longest(_between_breaks(distinct))
    found = {}
    begin = 0
    for first in range(0, len(distinct), _TEXTS_AT_ONCE):
        some = distinct[first : first + _TEXTS_AT_ONCE]
        stop = begin + len(some) + sum(map(len, some))
        columns = (column.tolist() for column in _orders(some, seen[begin:stop]))
        for text, order, inner, unseen, inner_unseen in zip(some, *columns, strict=True):
            other = None if inner == NO_LIMIT or inner_unseen == unseen else inner_unseen >> 32
            found[text] = Fluency(order, inner, None if order == NO_LIMIT else unseen >> 32, other)
        begin = stop
    return found


# Fluency of rewordings of a sentence that was not seen: its own sequences of characters count as seen.
# What a person wrote needs no proof that it can be written. So the order of such a rewording says how long the
# sequences may be that its new part makes with what stands beside it.


def rewording_orders(
    seed: str, rewording: str, begin: int, stop: int, longest: Callable[[str, int], int]
) -> tuple[int, int]:
    """The largest N for which all N-sequences of ``rewording`` were seen or stand in ``seed``, and without the marks.

    The two texts are the same before ``begin`` and from ``stop`` on, offsets in ``rewording``. ``longest`` tells how
    many characters of a text from an offset on were seen. NO_LIMIT where the whole was seen; the second is never less.
    """
    own, text = f"\n{seed}\n", f"\n{rewording}\n"
    order = inner_order = NO_LIMIT
    # From stop on all the rest stands in the seed. From the right, since what stands far to the left of the change
    # is seen for longer than the order can still be.
    for offset in range(stop, -1, -1):
        alike = max(begin + 1 - offset, 0)
        if alike >= inner_order:
            break
        seen = longest(text, offset)
        if offset + seen < len(text):
            seen = _longest_within(own, text, offset, max(seen, alike))
        if offset + seen < len(text):
            order = min(order, seen)
        if offset and offset + seen < len(text) - 1:
            inner_order = min(inner_order, seen)
    return order, inner_order


def _longest_within(own: str, text: str, offset: int, seen: int) -> int:
    """How many characters of ``text`` from ``offset`` on stand in ``own``, or ``seen`` if that is more."""
    while offset + seen < len(text) and text[offset : offset + seen + 1] in own:
        seen += 1
    return seen

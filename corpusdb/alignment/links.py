"""Links between words, of two directions made one set (Koehn et al. 2003), and the phrases consistent with them."""

from __future__ import annotations

import hashlib
import re
from bisect import insort
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

from corpusdb.alignment.bitext import WordedTexts
from corpusdb.base.arrays import F64, I32, I64, Bools
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.ngrams import joined_ranges
from corpusdb.corpus.formats.reading import read_lines

Link: TypeAlias = tuple[int, int]
"""A source and a target word, by their places in the texts, from 0."""
Symmetrisation: TypeAlias = Literal["grow-diag-final-and", "intersection", "union", "forward", "backward"]
SYMMETRISATIONS: Final[tuple[Symmetrisation, ...]] = (
    "grow-diag-final-and",
    "intersection",
    "union",
    "forward",
    "backward",
)
_NEIGHBOURS: Final = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True, slots=True)
class Links:
    """The links of some pairs of texts, laid end to end, in each pair by source and then by target word."""

    sources: I32
    targets: I32
    starts: I64
    """Where the links of each pair begin, and behind the last where all end."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of_pair(self, number: int) -> list[Link]:
        part = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return list(zip(self.sources[part].tolist(), self.targets[part].tolist(), strict=True))

    def reordered(self, order: I64) -> Links:
        lengths = np.diff(self.starts)[order]
        places = joined_ranges(self.starts[order], lengths)
        return Links(self.sources[places], self.targets[places], np.append(0, np.cumsum(lengths)))

    def linked_words(self, source_lengths: I64, target_lengths: I64) -> tuple[Bools, Bools]:
        """Of the words of each side, laid end to end, whether each has a link; given how long each text is."""
        per_pair, found = np.diff(self.starts), []
        for places, lengths in ((self.sources, source_lengths), (self.targets, target_lengths)):
            linked = np.zeros(int(lengths.sum()), dtype=np.bool_)
            linked[np.repeat(np.cumsum(lengths) - lengths, per_pair) + places] = True
            found.append(linked)
        return found[0], found[1]

    @classmethod
    def of(cls, pairs: Iterable[Sequence[Link]]) -> Links:
        """From the links of each pair of texts, in any order and each once."""
        kept = [sorted(links) for links in pairs]
        flat = np.array([link for links in kept for link in links], dtype=np.int32).reshape(-1, 2)
        starts = np.cumsum([0, *map(len, kept)], dtype=np.int64)
        return cls(flat[:, 0].copy(), flat[:, 1].copy(), starts)

    @classmethod
    def in_order(cls, parts: Sequence[tuple[I64, Bools]], count: int) -> Links:
        """From parts, each the numbers of some pairs of ``count`` and which words are linked: shape (B, T, S)."""
        numbers, sources, targets = [], [], []
        for pairs, linked in parts:
            rows, target, source = np.nonzero(linked)
            numbers.append(pairs[rows])
            sources.append(source.astype(np.int32))
            targets.append(target.astype(np.int32))
        if not parts:
            return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(count + 1, np.int64))
        pair, own, theirs = np.concatenate(numbers), np.concatenate(sources), np.concatenate(targets)
        order = np.lexsort((theirs, own, pair))
        starts = np.concatenate([[0], np.cumsum(np.bincount(pair, minlength=count))])
        return cls(own[order], theirs[order], starts.astype(np.int64))


def symmetrised(forward: Bools, backward: Bools, way: Symmetrisation) -> Bools:
    """One set of links of those of two directions, for a batch: all of shape (B, T, S).

    ``forward`` is the direction that gives each target word at most one source word.
    """
    if way == "forward":
        return forward
    if way == "backward":
        return backward
    if way == "union":
        return forward | backward
    both: Bools = forward & backward
    if way == "intersection":
        return both
    # Only what one direction has alone is in question, and only where one of its words has no link yet.
    is_free = ~(both.any(axis=2, keepdims=True) & both.any(axis=1, keepdims=True))
    disputed = (forward ^ backward) & is_free
    rows, targets, sources = np.nonzero(disputed)
    is_forward = forward[rows, targets, sources]
    firsts = np.flatnonzero(np.diff(rows, prepend=-1))
    ends = np.append(firsts[1:], len(rows))[: len(firsts)]
    linked: Bools = both.copy()
    for first, last in zip(firsts.tolist(), ends.tolist(), strict=True):
        row = rows[first]
        points = list(zip(targets[first:last].tolist(), sources[first:last].tolist(), strict=True))
        settled = list(zip(*(places.tolist() for places in np.nonzero(both[row])), strict=True))
        added = grown(settled, points, is_forward[first:last].tolist())
        for target, source in added:
            linked[row, target, source] = True
    return linked


def grown(settled: Sequence[Link], disputed: Sequence[Link], is_forward: Sequence[bool]) -> list[Link]:
    """What grow-diag-final-and adds to the links of both directions, of those that only one has.

    Points are (target, source), ascending. Grow-diag: beside a link, diagonally too, those of which one word has no
    link yet, as long as there are any. Final-and: then those of which neither word has one, first those of the forward
    direction, then those of the backward one.
    """
    targets, sources = {target for target, _ in settled}, {source for _, source in settled}
    left, links, added = set(disputed), list(settled), []
    is_growing = bool(left)
    while is_growing:
        is_growing = False
        at = 0
        while at < len(links):
            target, source = links[at]
            for down, right in _NEIGHBOURS:
                point = (target + down, source + right)
                if point in left and not (point[0] in targets and point[1] in sources):
                    left.remove(point)
                    added.append(point)
                    targets.add(point[0])
                    sources.add(point[1])
                    insort(links, point)
                    if point < (target, source):
                        at += 1
                    is_growing = True
            at += 1
    for wanted in (True, False):
        for point, forward in zip(disputed, is_forward, strict=True):
            if point in left and forward is wanted and point[0] not in targets and point[1] not in sources:
                added.append(point)
                targets.add(point[0])
                sources.add(point[1])
    return added


# The links of one pair of texts as bytes, and the digest of the tokens between which they stand.
# A link is a source and a target word, one byte each where no text has more than 256 words and two bytes otherwise;
# the first byte says which. Links are stored by source and then by target word, each once, so that the same links are
# the same bytes. The digest tells links whose texts are cut in another way now from those that still hold.


_NARROW, _WIDE = b"\x01", b"\x02"
_MOST: Final = 1 << 16
_DIGEST: Final = 8
_END: Final = ""
"""Stands behind each text."""


def links_to_bytes(links: Links) -> list[bytes]:
    """The links of each pair of texts as bytes. Raises UsageError for a place that two bytes do not hold."""
    places = np.stack([links.sources, links.targets], axis=1)
    if places.size and (places.min() < 0 or places.max() >= _MOST):
        raise UsageError(f"a link of word {places.max() if places.max() >= _MOST else places.min()} cannot be stored")
    pair_of_link = np.repeat(np.arange(len(links)), np.diff(links.starts))
    is_wide = np.zeros(len(links), dtype=np.bool_)
    is_wide[pair_of_link[places.max(axis=1, initial=0) >= 1 << 8]] = True
    narrow, wide = places.astype("<u1").tobytes(), places.astype("<u2").tobytes()
    starts = links.starts.tolist()
    return [
        _WIDE + wide[4 * begin : 4 * end] if needs_two else _NARROW + narrow[2 * begin : 2 * end]
        for begin, end, needs_two in zip(starts[:-1], starts[1:], is_wide.tolist(), strict=True)
    ]


def links_from_bytes(stored: bytes, source_length: int, target_length: int) -> list[Link]:
    """The links that links_to_bytes made, between texts of so many words.

    Raises InputError for bytes that it cannot have made, and for links that lead outside of the texts.
    """
    kind, rest = stored[:1], stored[1:]
    width = {_NARROW: 1, _WIDE: 2}.get(kind)
    if width is None or len(rest) % (2 * width):
        raise InputError("the stored links are damaged: this is not a list of links")
    places = np.frombuffer(rest, dtype=f"<u{width}").reshape(-1, 2).tolist()
    links = [(source, target) for source, target in places]
    if links != sorted(set(links)):
        raise InputError("the stored links are damaged: they are not in order")
    for source, target in links:
        if source >= source_length or target >= target_length:
            raise InputError(
                f"the stored link {source}-{target} leads outside of texts of {source_length} and {target_length} words"
            )
    return links


def tokens_digest(source: Sequence[str], target: Sequence[str]) -> bytes:
    """Eight bytes that are others for other tokens, or the same tokens cut in another way."""
    return _digest(b"".join(map(_delimited, (*source, _END, *target, _END))))


def tokens_digests(source: WordedTexts, target: WordedTexts) -> list[bytes]:
    end = _delimited(_END)
    own, theirs = _delimited_texts(source), _delimited_texts(target)
    return [_digest(b"".join((one, end, other, end))) for one, other in zip(own, theirs, strict=True)]


def _delimited_texts(worded: WordedTexts) -> Iterator[bytes]:
    words = list(map(_delimited, worded.words))
    tokens = list(map(words.__getitem__, worded.texts.words.tolist()))
    for begin, end in pairwise(worded.texts.starts.tolist()):
        yield b"".join(tokens[begin:end])


def _digest(tokens: bytes) -> bytes:
    return hashlib.blake2b(tokens, digest_size=_DIGEST).digest()


def _delimited(token: str) -> bytes:
    encoded = token.encode("utf-8", "surrogatepass")
    return len(encoded).to_bytes(4, "little") + encoded


Compared: TypeAlias = tuple[Collection[Link], Collection[Link], Collection[Link]]
"""Of a pair of texts the links that were found, the sure and the possible links of the gold standard."""


@dataclass(frozen=True, slots=True)
class LinkAgreement:
    """The measures of Och and Ney (2003, section 6), 0 to 1; None where nothing was found or is sure."""

    precision: float | None
    """The part of the links found that are possible."""
    recall: float | None
    """The part of the sure links that were found."""
    aer: float | None
    """1 - (sure links found + possible links found) / (links found + sure links)."""


def agreement(pairs: Iterable[Compared]) -> LinkAgreement:
    """The agreement over all pairs of texts together; a sure link is also possible, whether it is said or not."""
    found = sure = found_sure = found_possible = 0
    for links, certain, possible in pairs:
        own, gold = set(links), set(certain)
        found, sure = found + len(own), sure + len(gold)
        found_sure += len(own & gold)
        found_possible += len(own & (gold | set(possible)))
    return LinkAgreement(
        found_possible / found if found else None,
        found_sure / sure if sure else None,
        1 - (found_sure + found_possible) / (found + sure) if found + sure else None,
    )


# Phrases that are consistent with the links of pairs of texts (Koehn, Och and Marcu 2003), and how often they stand.
# A source and a target phrase are consistent where no word of either is linked with a word outside of the other, and
# both begin and end with a linked word: words without a link at their edges are not taken in, so that each source
# phrase has one target phrase where it stands, or none. A negation at an edge is what a phrase may lack to mean the
# same, as guilty does where "not guilty" is unschuldig.


_APOSTROPHES: Final = "'\N{RIGHT SINGLE QUOTATION MARK}"
_NEGATIONS: Final = frozenset(f"n{apostrophe}t" for apostrophe in _APOSTROPHES)
_DENYING: Final = _NEGATIONS.union(
    "not never no nobody nothing none without cannot ne n' n\N{RIGHT SINGLE QUOTATION MARK} pas jamais rien".split(),
    "sans non nicht nichts nie niemals niemand kein keine keinen keinem keiner keines ohne niet geen não nu".split(),
    "не ни нет без ekki ない なかっ なく なけれ ません ず ぬ 不 没 沒 无 無 别 別 未 非".split(),
)
"""Words that deny, of any language."""


@dataclass(frozen=True, slots=True)
class Spans:
    """Phrase pairs where they stand; one row for each."""

    pairs: I64
    """The numbers of the pairs of texts."""
    sources: I64
    """Where the source phrase begins in its text."""
    source_lengths: I64
    targets: I64
    target_lengths: I64

    @property
    def columns(self) -> tuple[I64, I64, I64, I64, I64]:
        return self.pairs, self.sources, self.source_lengths, self.targets, self.target_lengths


def consistent_spans(links: Links, source_lengths: I64, target_lengths: I64, longest: int) -> Spans:
    """All phrase pairs of up to ``longest`` words on each side, ascending by pair of texts, length and place.

    The lengths are those of the texts of each pair. Raises InputError for links outside of the texts, and UsageError
    for phrases of no word.
    """
    if longest < 1:
        raise UsageError(f"a phrase has at least one word, not {longest}")
    pair_of_link = np.repeat(np.arange(len(links)), np.diff(links.starts))
    if (links.sources >= source_lengths[pair_of_link]).any() or (links.targets >= target_lengths[pair_of_link]).any():
        raise InputError("a link leads outside of its texts")
    starts, target_starts = _starts(source_lengths), _starts(target_lengths)
    own = starts[pair_of_link] + links.sources
    theirs = target_starts[pair_of_link] + links.targets
    # The first and the last word of the other text that each word is linked with, counted over all texts.
    first_target, last_target = _extremes(own, theirs, int(source_lengths.sum()))
    first_source, last_source = _extremes(theirs, own, int(target_lengths.sum()))
    ends = np.repeat(starts + source_lengths, source_lengths)
    has_link = last_target >= 0
    found = []
    for length in range(1, longest + 1):
        at = np.flatnonzero(has_link)
        at = at[at + length <= ends[at]]
        at = at[has_link[at + length - 1]]
        begin, end = first_target[at], last_target[at]
        for step in range(1, length):
            begin, end = np.minimum(begin, first_target[at + step]), np.maximum(end, last_target[at + step])
        keeps = end - begin < longest
        at, begin, end = at[keeps], begin[keeps], end[keeps]
        is_inside = np.ones(len(at), dtype=np.bool_)
        for step in range(longest):
            place = np.minimum(begin + step, end)
            no_link = last_source[place] < 0
            is_inside &= no_link | ((first_source[place] >= at) & (last_source[place] < at + length))
        found.append((at[is_inside], np.full(int(is_inside.sum()), length), begin[is_inside], end[is_inside]))
    at, lengths, begin, end = (np.concatenate(each) for each in zip(*found, strict=True))
    pairs = np.searchsorted(starts + source_lengths, at, side="right")
    order = np.lexsort((at, lengths, pairs))
    pairs, at, lengths, begin, end = (each[order] for each in (pairs, at, lengths, begin, end))
    return Spans(pairs, at - starts[pairs], lengths, begin - target_starts[pairs], end - begin + 1)


def _starts(lengths: I64) -> I64:
    starts: I64 = np.cumsum(lengths) - lengths
    return starts


def _extremes(words: I64, others: I64, count: int) -> tuple[I64, I64]:
    """For each word the first and the last of those that it is linked with; the last is -1 where there is none."""
    first = np.full(count, np.iinfo(np.int64).max)
    last = np.full(count, -1)
    np.minimum.at(first, words, others)
    np.maximum.at(last, words, others)
    return first, last


def may_part(before: str, after: str) -> bool:
    """Whether nothing joins two tokens, so that one may be exchanged without the other: not a clitic and its host (do +
    n't, l' + eau)."""
    return may_begin(after) and not _holds_next(before)


def may_begin(token: str) -> bool:
    """Whether a phrase that is counted may begin with a token, whatever is before it, so that eau is a phrase of l'eau,
    too: it is the same noun as in une eau. No phrase ends in l'."""
    return not _holds_before(token)


def _holds_before(token: str) -> bool:
    return (token[:1] in _APOSTROPHES and token[1:2].isalpha()) or token.casefold() in _NEGATIONS


def _holds_next(token: str) -> bool:
    return token[-1:] in _APOSTROPHES and token[:1].isalpha()


@dataclass(frozen=True, slots=True)
class Phrases:
    """Different phrases of one language, by their numbers."""

    texts: tuple[tuple[str, ...], ...]
    """The words of each."""
    counts: I64
    """How often each stands in a phrase pair."""


@dataclass(frozen=True, slots=True)
class PhrasePairs:
    """Different phrase pairs, ascending by source and then by target phrase; probabilities come from the counts."""

    source: Phrases
    target: Phrases
    sources: I64
    """The number of the source phrase of each pair."""
    targets: I64
    counts: I64
    """How often each pair stands in the bitext."""
    examples: I64
    """The number of a pair of texts in which each stands: the first."""

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def forward(self) -> F64:
        """p(target phrase | source phrase) of each pair."""
        return np.asarray(self.counts / self.source.counts[self.sources])

    @property
    def backward(self) -> F64:
        """p(source phrase | target phrase) of each pair."""
        return np.asarray(self.counts / self.target.counts[self.targets])


def counted_phrases(
    links: Links, source: Sequence[Sequence[str]], target: Sequence[Sequence[str]], longest: int
) -> PhrasePairs:
    """The different phrase pairs of texts, as these are written; see ``phrase_spans``."""
    return phrase_pairs(links, WordedTexts.of(source), WordedTexts.of(target), longest)


def phrase_spans(links: Links, source: WordedTexts, target: WordedTexts, longest: int) -> Spans:
    """Those of ``consistent_spans`` that are counted, with errors as it raises.

    Left out are those that hold a token without a letter, those that end in l', those that begin with n't or 's, and
    those beside a word that denies, has no link, and has none in the other text that does.
    """
    spans = consistent_spans(links, source.texts.lengths, target.texts.lengths, longest)
    denied, denied_there = _denied(links, source, target)
    keeps = _usable(source, denied, spans.pairs, spans.sources, spans.source_lengths)
    keeps &= _usable(target, denied_there, spans.pairs, spans.targets, spans.target_lengths)
    return Spans(*(each[keeps] for each in spans.columns))


def phrase_pairs(links: Links, source: WordedTexts, target: WordedTexts, longest: int) -> PhrasePairs:
    """What counted_phrases counts, in texts whose words are numbered already."""
    spans = phrase_spans(links, source, target, longest)
    sources, of_sources = _numbered_phrases(source, spans.pairs, spans.sources, spans.source_lengths)
    targets, of_targets = _numbered_phrases(target, spans.pairs, spans.targets, spans.target_lengths)
    keys, first, counts = np.unique(sources * max(1, len(of_targets)) + targets, return_index=True, return_counts=True)
    source_of, target_of = keys // max(1, len(of_targets)), keys % max(1, len(of_targets))
    return PhrasePairs(
        Phrases(of_sources, np.bincount(sources, minlength=len(of_sources))),
        Phrases(of_targets, np.bincount(targets, minlength=len(of_targets))),
        source_of,
        target_of,
        counts.astype(np.int64),
        spans.pairs[first],
    )


def has_letter(token: str) -> bool:
    """Whether phrases are made of such tokens."""
    return any(map(str.isalpha, token))


def _denied(links: Links, source: WordedTexts, target: WordedTexts) -> tuple[Bools, Bools]:
    """Of the words of each side, laid end to end, which deny what is beside them, where the other text affirms it."""
    denies = [_which(_DENYING.__contains__, side.words)[side.texts.words] for side in (source, target)]
    linked, found = links.linked_words(source.texts.lengths, target.texts.lengths), []
    for side, own, other, is_linked, others in zip(
        (source, target), denies, (target, source), linked, denies[::-1], strict=True
    ):
        texts = np.repeat(np.arange(len(other.texts.lengths)), other.texts.lengths)
        is_denied = np.bincount(texts[others], minlength=len(other.texts.lengths)) > 0
        found.append(own & ~is_linked & ~np.repeat(is_denied, side.texts.lengths))
    return found[0], found[1]


def _usable(worded: WordedTexts, denied: Bools, pairs: I64, places: I64, lengths: I64) -> Bools:
    """Which phrases hold words alone, keep clitics with their hosts, and are not beside a word that denies them."""
    texts, words = worded.texts, worded.words
    is_word = _which(has_letter, words)[texts.words]
    # At the ends of a text there always may be an edge.
    begins_one = np.append(_which(may_begin, words)[texts.words], True)
    begins_one[1:-1] &= ~denied[:-1]
    begins_one[texts.starts] = True
    ends_one = np.append(_which(may_begin, words)[texts.words] & ~denied, True)
    ends_one[1:-1] &= ~_which(_holds_next, words)[texts.words][:-1]
    ends_one[texts.starts] = True
    begins = texts.starts[pairs] + places
    ends = begins + lengths
    others = np.concatenate([[0], np.cumsum(~is_word)])
    usable: Bools = (others[ends] == others[begins]) & begins_one[begins] & ends_one[ends]
    return usable


def _which(has: Callable[[str], bool], words: Sequence[str]) -> Bools:
    return np.fromiter(map(has, words), dtype=np.bool_, count=len(words))


def _numbered_phrases(
    worded: WordedTexts, pairs: I64, places: I64, lengths: I64
) -> tuple[I64, tuple[tuple[str, ...], ...]]:
    """The number of each phrase, and the words of the phrase of each number."""
    texts, words = worded.texts, worded.words
    begins = texts.starts[pairs] + places
    padded = np.append(texts.words.astype(np.int64), 0)
    numbers = np.zeros(len(begins), dtype=np.int64)
    for step in range(int(lengths.max(initial=0))):
        at = np.minimum(begins + step, len(padded) - 1)
        word = np.where(step < lengths, padded[at] + 1, 0)
        numbers = np.unique(numbers * (len(words) + 1) + word, return_inverse=True)[1]
    _, first = np.unique(numbers, return_index=True)
    tokens = list(map(words.__getitem__, texts.words.tolist()))
    firsts = begins[first]
    phrases = tuple(
        tuple(tokens[begin:end]) for begin, end in zip(firsts.tolist(), (firsts + lengths[first]).tolist(), strict=True)
    )
    return numbers, phrases


# Word alignments in the format of Pharaoh (Koehn 2004): a line for each pair of texts, a link as ``0-0``.
# A link is a source and a target word by their places, from 0. What fast_align, eflomal and awesome-align write is
# this, and GIZA++ by way of its symmetrisation. In gold standards a link that is possible rather than sure is ``0?0``
# or ``0p0``.


Lengths: TypeAlias = tuple[int, int]
"""How many words the source and the target text have."""

_LINK: Final = re.compile(r"([0-9]{1,9})([-?p])([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class GoldLinks:
    """What people have linked in a pair of texts."""

    sure: frozenset[Link]
    possible: frozenset[Link]
    """The sure ones and those that may be left out."""


def pharaoh_line(links: Iterable[Link]) -> str:
    """The links of a pair of texts as a line without its end."""
    return " ".join(f"{source}-{target}" for source, target in links)


def read_links(path: Path, lengths: Sequence[Lengths]) -> list[list[Link]]:
    """The links of each pair of texts, in the order in which they stand; ``-`` is standard input.

    Raises InputError, with the line, for what is no link, one that is outside of the texts or there twice, for more or
    fewer lines than pairs of texts, and as read_lines does.
    """
    return [[link for link, _ in links] for links in _read(path, lengths, marks="-")]


def read_gold_links(path: Path, lengths: Sequence[Lengths]) -> list[GoldLinks]:
    """The sure and possible links of each pair of texts. Raises InputError as read_links does."""
    return [
        GoldLinks(frozenset(link for link, mark in links if mark == "-"), frozenset(link for link, _ in links))
        for links in _read(path, lengths, marks="-?p")
    ]


def _read(path: Path, lengths: Sequence[Lengths], marks: str) -> list[list[tuple[Link, str]]]:
    pairs = []
    for number, line in read_lines(path):
        if number > len(lengths):
            raise InputError(f"has more lines than the {len(lengths):,} pairs of texts", path=path, line=number)
        found: dict[Link, str] = {}
        for word in line.split():
            link, mark = _parsed(word, marks, path, number)
            for place, length, side in zip(link, lengths[number - 1], ("source", "target"), strict=True):
                if place >= length:
                    reason = f"link {word}: the {side} text has {length:,} words, which are counted from 0"
                    raise InputError(reason, path=path, line=number)
            if link in found:
                raise InputError(f"link {word} appears twice", path=path, line=number)
            found[link] = mark
        pairs.append(list(found.items()))
    if len(pairs) < len(lengths):
        raise InputError(f"ends after {len(pairs):,} lines; there are {len(lengths):,} pairs of texts", path=path)
    return pairs


def _parsed(word: str, marks: str, path: Path, line: int) -> tuple[Link, str]:
    match = _LINK.fullmatch(word)
    if match is None or match[2] not in marks:
        raise InputError(f"{word[:40]!r} is not a link; one is as 0-0, source and target", path=path, line=line)
    return (int(match[1]), int(match[3])), match[2]

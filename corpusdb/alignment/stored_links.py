"""The links of one pair of texts as bytes, and the digest of the tokens between which they stand.

A link is a source and a target word, one byte each where no text has more than 256 words and two bytes otherwise; the
first byte says which. Links are stored by source and then by target word, each once, so that the same links are the
same bytes. The digest tells links whose texts are cut in another way now from those that still hold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from corpusdb.alignment.bitext import WordedTexts
from corpusdb.alignment.links import Link, Links
from corpusdb.errors import InputError, UsageError

__all__ = ["links_from_bytes", "links_to_bytes", "links_to_bytes_of_each", "tokens_digest", "tokens_digests"]

_NARROW, _WIDE = b"\x01", b"\x02"
_MOST: Final = 1 << 16
_DIGEST: Final = 8
_END: Final = ""
"""Stands behind each text."""


def links_to_bytes(links: Iterable[Link]) -> bytes:
    """The links as bytes. Raises UsageError for a place that two bytes do not hold."""
    ordered = sorted(set(links))
    highest = max((max(link) for link in ordered), default=0)
    lowest = min((min(link) for link in ordered), default=0)
    if lowest < 0 or highest >= _MOST:
        raise UsageError(f"a link of word {highest if highest >= _MOST else lowest} cannot be stored")
    kind, width = (_NARROW, "<u1") if highest < 1 << 8 else (_WIDE, "<u2")
    return kind + np.array(ordered, dtype=width).tobytes()


def links_to_bytes_of_each(links: Links) -> list[bytes]:
    """What links_to_bytes makes of the links of each pair of texts. Raises UsageError as that does."""
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
        raise InputError("the stored links are damaged: this is no list of links")
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
    """The digest of each pair of texts."""
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

"""Short keys of texts, by which a line of a reference is known again without keeping its text."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

__all__ = ["key_set", "text_key", "text_keys"]

_SIZE: Final = 8


def text_key(text: str) -> bytes:
    """8 bytes of the BLAKE2b of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_SIZE).digest()


def text_keys(texts: Iterable[str]) -> bytes:
    """The keys of texts one after another, ascending and distinct."""
    return b"".join(sorted({text_key(text) for text in texts}))


def key_set(keys: bytes) -> frozenset[bytes]:
    """The keys that ``text_keys`` has written."""
    return frozenset(keys[at : at + _SIZE] for at in range(0, len(keys), _SIZE))

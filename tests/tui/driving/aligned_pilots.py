"""Databases with aligned words, made of what a corpus holds."""

from __future__ import annotations

import hashlib
from pathlib import Path
from unittest.mock import patch

from corpusdb.alignment.queries.corpus_alignment import align_languages
from corpusdb.base import morphemes as sudachi
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import finished
from corpusdb.corpus.store import open_store

__all__ = ["add_alignment"]

_aligned: dict[bytes, bytes] = {}


def add_alignment(path: Path) -> Path:
    """Align English with French and with Japanese, as without the extra for its morphemes, wherever the tests run.

    Equal databases get the same, which is made once in a process.
    """
    before = hashlib.sha256(path.read_bytes()).digest()
    if before not in _aligned:
        with open_store(path) as store, patch.object(sudachi, "_opened", side_effect=UsageError("left out")):
            for other in ("fra", "jpn"):
                finished(align_languages(store, "eng", other))
        _aligned[before] = path.read_bytes()
    path.write_bytes(_aligned[before])
    return path

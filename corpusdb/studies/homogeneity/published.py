"""What Denoual (2005) prints, to stand beside the figures of other data.

His corpus is the Basic Travel Expression Corpus, 197 phrasebooks in Japanese and English of 824 lines on average; his
task 510 Japanese sentences; his translator HPATR, based on examples and grammars, from Japanese to English.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = [
    "PAPER_BETTER_UP_TO",
    "PAPER_CONFIDENCE",
    "PAPER_CORRELATIONS",
    "PAPER_DOCUMENTS",
    "PAPER_SHARE_COMPARED",
    "PAPER_TABLE_1",
    "PAPER_TASK",
    "PublishedSpread",
]


@dataclass(frozen=True, slots=True)
class PublishedSpread:
    """A cell of Table 1."""

    mean: float
    sd: float


PAPER_TABLE_1: Final[Mapping[str, Mapping[str, PublishedSpread]]] = {
    "document": {"jpn": PublishedSpread(0.330, 0.020), "eng": PublishedSpread(0.288, 0.027)},
    "line": {"jpn": PublishedSpread(0.315, 0.118), "eng": PublishedSpread(0.313, 0.156)},
}
"""Coefficients by level and language; the documents are phrasebooks."""
PAPER_DOCUMENTS: Final = 197

PAPER_CORRELATIONS: Final[Mapping[str, float]] = {"lines": 0.178, "line length": 0.278, "other language": 0.781}
"""Section 3.2: of the coefficients of documents with each of these; the language of the first two is not said."""

PAPER_TASK: Final = 0.331
"""The coefficient of the task, in Japanese (section 4.1)."""

PAPER_BETTER_UP_TO: Final[Mapping[str, float]] = {"perplexity": 0.15, "bleu": 0.03, "nist": 0.18, "mwer": 0.02}
"""The share of the corpus up to which homogeneous data were better than random data (sections 4.1.1 and 4.1.2)."""

PAPER_SHARE_COMPARED: Final = 0.5
PAPER_CONFIDENCE: Final[Mapping[str, float]] = {"bleu": 0.8849, "nist": 0.999, "mwer": 0.7324}
"""With which random data were better at PAPER_SHARE_COMPARED, over 510 paired scores of sentences (section 4.1.2)."""

"""chrF and TER through sacrebleu, an extra that is imported when one of them is asked for.

They fit the same four steps: statistics of each segment, whose rows can be added and resampled, and scores of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from itertools import zip_longest
from typing import Any, Final

import numpy as np

from corpusdb.arrays import F64
from corpusdb.errors import InputError, UsageError

__all__ = ["SACREBLEU_METRICS", "SacrebleuMetric"]

_LONGEST = {"ter": 500}
"""The most words of a segment: TER tries to move every run of words to every place, which takes ten seconds
for two texts of 250 words that have little in common."""
SACREBLEU_METRICS: Final = ("chrf", "chrf++", "ter")


class SacrebleuMetric:
    """One of sacrebleu's metrics with the references of every segment, for any number of systems."""

    def __init__(
        self, name: str, references: Sequence[Sequence[str]], *, lowercase: bool = False, asian: bool = False
    ) -> None:
        """``references`` holds one list for each segment.

        ``asian`` lets TER normalise text and cut Chinese characters apart. Case is kept unless ``lowercase``:
        sacrebleu's own default folds it for TER and keeps it for chrF. Raises UsageError for an unknown metric and
        where sacrebleu is missing, with the command that installs it, and InputError with the number of the segment,
        from 1, where one has no reference or a blank one.
        """
        if name not in SACREBLEU_METRICS:
            raise UsageError(f"unknown metric {name!r}; sacrebleu's are {', '.join(SACREBLEU_METRICS)}")
        if not references:
            raise InputError("there are no segments")
        for number, texts in enumerate(references, 1):
            if not texts or not all(text.strip() for text in texts):
                raise InputError("the segment has no reference, or a blank one", line=number)
        self._longest = _LONGEST.get(name)
        for number, texts in enumerate(references, 1):
            self._check_length(number, texts)
        try:
            metrics = import_module("sacrebleu.metrics")
        except ImportError as error:
            raise UsageError(f"{name} needs sacrebleu: pip install 'corpusdb[sacrebleu]'") from error
        # One list for each rank, as sacrebleu wants them; None is a reference that a segment does not have.
        ranks = list(zip_longest(*references))
        self._segments = len(references)
        self._metric: Any  # sacrebleu is typed, but not there for everyone who checks the types of this module
        if name == "ter":
            self._metric = metrics.TER(
                case_sensitive=not lowercase, asian_support=asian, normalized=asian, references=ranks
            )
        else:
            order = 2 if name == "chrf++" else 0
            self._metric = metrics.CHRF(word_order=order, lowercase=lowercase, references=ranks)

    def statistics(self, hypotheses: Sequence[str]) -> F64:
        """sacrebleu's statistics of each segment: shape (segments, columns); InputError for another number."""
        if len(hypotheses) != self._segments:
            raise InputError(f"{len(hypotheses)} hypotheses for the references of {self._segments} segments")
        for number, text in enumerate(hypotheses, 1):
            self._check_length(number, [text])
        # The two methods behind sacrebleu's own significance tests: nothing public gives statistics.
        return np.array(self._metric._extract_corpus_statistics(hypotheses, None), dtype=np.float64)

    def _check_length(self, number: int, texts: Sequence[str]) -> None:
        """Raise InputError for a segment that would take unbounded time."""
        if self._longest is None or max(map(len, texts)) <= self._longest:
            return
        longest = max(len(text.split()) for text in texts)
        if longest > self._longest:
            raise InputError(
                f"a text of {longest:,} words is too long for TER; {self._longest:,} are the most", line=number
            )

    def scores(self, statistics: F64) -> F64:
        """Shape (..., columns) to (...): chrF from 0 to 1, edits per word of the references from 0 upwards for TER."""
        rows = statistics.reshape(-1, statistics.shape[-1])
        scores = [self._metric._compute_score_from_stats(row.tolist()).score / 100 for row in rows]
        return np.array(scores).reshape(statistics.shape[:-1])

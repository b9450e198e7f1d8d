"""Tables as papers have them: what is best in a column, what metrics are called, and two systems beside each other.

And one system as sacrebleu's JSON has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from corpusdb.base.display import Best, Cell
from corpusdb.base.options import format_p_value
from corpusdb.scoring.metric_settings import Signature

if TYPE_CHECKING:
    from corpusdb.base.estimates import Interval
    from corpusdb.scoring.queries.comparison import PairComparison
    from corpusdb.scoring.queries.scoring import ScoreRow


def best_of(shown: Sequence[str], *, lower_is_better: bool) -> list[bool]:
    """Which of several numbers of a column, as they are shown, are its best: none of one alone, or of those missing."""
    values = [float(each) for each in shown if each]
    best = (min if lower_is_better else max)(values, default=0.0)
    return [len(values) > 1 and each != "" and float(each) == best for each in shown]


_OF_HUNDRED: Final = 10
"""From here on a score is on a scale of 0 to 100, and has two decimals."""


def decimals_of(scores: Iterable[float]) -> int:
    return 2 if max(map(abs, scores), default=0.0) >= _OF_HUNDRED else 4


_IN_PAPERS: Final = {"BLEUw4": "BLEU", "NISTw5": "NIST", "chrF2++": "chrF++", "chrF2": "chrF"}


def in_papers(text: str) -> str:
    """A text with metrics as papers call them, where they are computed as these expect; the signature tells all."""
    return re.sub(r"(?<!\w)(BLEUw4|NISTw5|chrF2\+\+|chrF2)(?![\w+])", lambda found: _IN_PAPERS[found[1]], text)


def as_of_sacrebleu(row: ScoreRow, width: int | None) -> dict[str, object]:
    """What sacrebleu's JSON has of one system: its name of the metric, and what is in the signature, as texts.

    The score has all decimals unless a ``width`` is given.
    """
    scores, told = row.scores, Signature.parse(row.scores.signature)
    smoothing, _, effective = (told.smoothing or "").partition("+")
    metric = scores.measure.metric
    found = {
        "name": scores.label if scores.settings.tokenisation is None else metric.heading,
        "score": row.score if width is None else round(row.score, width),
        "verbose_score": metric.format_details(row.details),
        "nrefs": str(told.references),
        "case": told.case,
        "eff": told.effective or (smoothing and ("yes" if effective else "no")),
        "tok": "" if told.char_order else told.tokenisation.partition("+")[0],
        "smooth": smoothing,
        "nc": told.char_order,
        "nw": told.word_order,
        "space": told.space,
        "norm": told.normalised,
        "punct": told.punctuation,
        "asian": told.asian,
        "version": told.version,
    }
    return {name: value for name, value in found.items() if value not in ("", None)}


def signatures_together(signatures: Mapping[str, str]) -> list[str]:
    """Signatures by what they are of: one alone as it is; of several what is each one's own, and what all have."""
    if len(signatures) < 2:
        return [f"{label}: {signature}" for label, signature in signatures.items()]
    parts = {label: signature.split("|") for label, signature in signatures.items()}
    common = [each for each in next(iter(parts.values())) if all(each in others for others in parts.values())]
    own = {label: "|".join(each for each in fields if each not in common) for label, fields in parts.items()}
    told = "; ".join(f"{label}: {rest}" for label, rest in own.items() if rest)
    return [*([told] if told else []), *([f"all: {'|'.join(common)}"] if common else [])]


_MARKS: Final = ((0.01, "**"), (0.05, "*"))


def significance_mark(p_value: float, interval: Interval | None) -> str:
    """** for p < 0.01, * for p < 0.05; none where the ``interval`` of the difference, if there is one, holds 0.

    The p of the bootstrap is sacrebleu's, of absolute differences less their mean, and may be half of what the same
    samples say: beside an interval that holds 0 a star would contradict it.
    """
    if interval is not None and interval.low <= 0 <= interval.high:
        return ""
    return next((mark for level, mark in _MARKS if p_value < level), "")


def paper_table(found: Sequence[PairComparison]) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """The same as a table that fits a page: a column for each system where there are two, else for both of a pair."""
    one = found[0] if len(found) == 1 else None
    columns = ["metric", one.a, one.b] if one else ["a", "b", "metric", "score a", "score b"]
    rows: list[tuple[Cell, ...]] = []
    for pair in found:
        for each in pair.scores:
            decimals = decimals_of((each.a, each.b))
            shown = [f"{value:.{decimals}f}" for value in (each.a, each.b)]
            are_best = best_of(shown, lower_is_better=each.lower_is_better)
            scores = [Best(text) if is_best else text for text, is_best in zip(shown, are_best, strict=True)]
            bounds = each.interval
            between = "" if bounds is None else f" [{bounds.low:+.{decimals}f}, {bounds.high:+.{decimals}f}]"
            p_value = None
            if each.p_value is not None:
                p_value = format_p_value(each.p_value).removeprefix("= ") + significance_mark(each.p_value, bounds)
            names = () if one else (pair.a, pair.b)
            rows.append((*names, each.metric, *scores, f"{each.difference:+.{decimals}f}{between}", p_value))
    return [*columns, "difference", "p"], rows

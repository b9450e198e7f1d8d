"""Two systems side by side, as text of at most 80 columns but for what may not be broken: signatures and names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corpusdb.bounds import p_value_told
from corpusdb.cells import cut_middle, cut_right, wrapped
from corpusdb.display import cell_safe
from corpusdb.queries.comparison.comparison import DOCUMENT, Asked, PairComparison, Section, SegmentExample
from corpusdb.queries.comparison.ngram_differences import NgramDifference, NgramDifferences
from corpusdb.queries.comparison.reference_origins import OriginsComparison
from corpusdb.queries.comparison.score_differences import ScoreDifference
from corpusdb.queries.comparison.segment_differences import Breakdown, Bucket
from corpusdb.queries.comparison.unit_accuracy import ClassAccuracy
from corpusdb.queries.evaluation.scoring import NULL_HYPOTHESIS
from corpusdb.reports.evaluation.scores import BOOTSTRAP_P, MARKS_TOLD, significance_mark, test_name
from corpusdb.reports.overview import table_lines
from corpusdb.reports.row_formats import Cell
from corpusdb.stats.intervals import Interval

__all__ = ["DIFFERENCE_COLUMNS", "comparison_lines", "difference_rows"]

DIFFERENCE_COLUMNS = (
    *("a", "b", "metric", "score_a", "low_a", "high_a", "score_b", "low_b", "high_b"),
    *("difference", "low", "high", "p", "segments", "signature"),
)
"""Those of difference_rows; low and high are the bounds of intervals of 95 %."""

_WIDTH = 80
_LABEL = 10
"""Cells before a text."""
_NAME = 30
"""Cells of the name of a bucket."""
_NGRAM = 50
"""Cells of an n-gram."""
_BUCKETS_SHOWN = 12
"""Of more, such as documents, those with the largest differences are shown."""
_CHANGES_SHOWN = 10
_ACCURACY = "prec.: of the output, against all references together; recall: of every reference by itself"


def comparison_lines(found: PairComparison, asked: Asked, *, whole_names: bool = False) -> Iterator[str]:
    """What was asked for of two systems, section by section, and a blank line behind each.

    Names that take more room than there is in a terminal are cut in the middle, unless they are wanted whole.
    """
    yield from _text("A", found.a, indent=3)
    yield from _text("B", found.b, indent=3)
    yield ""
    for section in asked.sections:
        lines = list(_section(section, found, asked, whole_names=whole_names))
        yield from lines
        if lines and lines[-1]:
            yield ""


def difference_rows(found: PairComparison, digits: int | None = None) -> Iterator[tuple[Cell, ...]]:
    """The scores of two systems, a row for each metric, with so many decimals or in full.

    What is not known of scores of whole systems is None.
    """
    for each in found.scores:
        numbers = (
            *(each.a, *_bounds(each.interval_a), each.b, *_bounds(each.interval_b)),
            *(each.difference, *_bounds(each.interval), each.p_value),
        )
        rounded = (value if value is None or digits is None else round(value, digits) for value in numbers)
        yield found.a, found.b, each.metric, *rounded, each.segments or None, each.signature


def _bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _section(section: Section, found: PairComparison, asked: Asked, *, whole_names: bool) -> Iterator[str]:
    match section:
        case "scores":
            yield from _scores(found, asked)
        case "segments":
            yield from _segments(found)
        case "ngrams" if found.ngrams is not None:
            yield from _ngrams(found.ngrams)
        case "words":
            yield from _words(found)
        case "buckets":
            for each in found.buckets:
                yield from _breakdown(each, found.metric, asked, whole_names=whole_names)
        case "origins" if found.origins is not None:
            yield from _origins(found.origins)


def _text(label: str, text: str, *, indent: int = _LABEL) -> Iterator[str]:
    """A text behind its label, in as many lines as it needs."""
    for number, line in enumerate(wrapped(cell_safe(text), _WIDTH - indent)):
        yield f"{label if not number else '':{indent}}{line}".rstrip()


def _heading(text: str) -> Iterator[str]:
    yield from wrapped(cell_safe(text), _WIDTH)


def _scores(found: PairComparison, asked: Asked) -> Iterator[str]:
    yield "Scores"
    for each in found.scores:
        if each.segments:
            yield from _score(each, found.segments)
    rows = [
        (f"{cell_safe(each.metric)}, {each.given}", f"{each.a:.4f}", f"{each.b:.4f}", f"{each.difference:+.4f}")
        for each in found.scores
        if not each.segments
    ]
    yield from table_lines(("of whole systems only", "A", "B", "A - B"), rows, left=1)
    sampling = asked.sampling
    drawn = f"[95 % by bootstrap: {sampling.samples:,} samples of the segments, seed {sampling.seed}]"
    test = f"p: {test_name(asked.test)}; null hypothesis: {NULL_HYPOTHESIS.replace('system and baseline', 'A and B')}"
    bootstrap = [BOOTSTRAP_P] if asked.test == "bootstrap" else []
    for line in (drawn, test, f"{MARKS_TOLD}; not corrected for the number of comparisons", *bootstrap):
        yield from (f"  {part}" for part in wrapped(line, _WIDTH - 2))
    for each in found.scores:
        yield f"  {cell_safe(each.metric)}: {cell_safe(each.signature)}"


def _score(found: ScoreDifference, segments: int) -> Iterator[str]:
    """``segments`` is how many there are; the metric may have scores of fewer."""
    less = ", less is better" if found.lower_is_better else ""
    some = f", {found.segments:,} of {segments:,} segments that both have" if found.segments < segments else ""
    yield f"  {cell_safe(found.metric)}{', ' if found.given else ''}{found.given}{less}{some}"
    yield f"    A      {found.a:9.4f}{_interval(found.interval_a)}"
    yield f"    B      {found.b:9.4f}{_interval(found.interval_b)}"
    p_value = found.p_value
    chance = "" if p_value is None else f"  p {p_value_told(p_value)}{significance_mark(p_value, found.interval)}"
    yield f"    A - B  {found.difference:+9.4f}{_interval(found.interval, '+')}{chance}".rstrip()


def _interval(interval: Interval | None, sign: str = "") -> str:
    return "" if interval is None else f"  [{interval.low:{sign}.4f}, {interval.high:{sign}.4f}]"


def _segments(found: PairComparison) -> Iterator[str]:
    tally = found.tally
    yield from _heading(f"Segments by {found.metric}")
    yield f"  A is better in {tally.a:,}, B in {tally.b:,}, they are equal in {tally.equal:,} of {found.segments:,}"
    for letter, examples, better in (("A", found.better_a, tally.a), ("B", found.better_b, tally.b)):
        yield ""
        yield f"Where {letter} is better most, {len(examples):,} of {better:,}"
        for each in examples:
            yield from _example(each)


def _example(found: SegmentExample) -> Iterator[str]:
    yield f"  segment {found.segment}: A {found.a:.2f}, B {found.b:.2f}, A - B {found.difference:+.2f}"
    if found.source:
        yield from _text("    source", found.source, indent=_LABEL + 2)
    yield from _text("    A", found.output_a or "(empty)", indent=_LABEL + 2)
    yield from _text("    B", found.output_b or "(empty)", indent=_LABEL + 2)
    for number, reference in enumerate(found.references, 1):
        yield from _text(f"    ref {number}", reference, indent=_LABEL + 2)


def _ngrams(ngrams: NgramDifferences) -> Iterator[str]:
    yield f"Matched n-grams, up to {ngrams.order}"
    rows = [
        (f"{order}", f"{a:,}", f"{b:,}", f"{a - b:+,}")
        for order, (a, b) in enumerate(zip(ngrams.matched_a, ngrams.matched_b, strict=True), 1)
    ]
    yield from table_lines(("n", "A", "B", "A - B"), rows, left=0)
    for letter, differences in (("A", ngrams.for_a), ("B", ngrams.for_b)):
        yield ""
        yield f"What {letter} gets more often; ratio: (own + 1) / (A + B + 2) of the matches"
        rows = [(_shown(each), f"{each.a:,}", f"{each.b:,}", f"{each.ratio:.3f}") for each in differences]
        yield from table_lines(("", "A", "B", "ratio"), rows, left=1)


def _shown(found: NgramDifference) -> str:
    joint = "" if all(len(unit) == 1 for unit in found.units) else " "
    return cut_right(cell_safe(joint.join(found.units)), _NGRAM)


def _words(found: PairComparison) -> Iterator[str]:
    yield from _heading(f"Units by how often they occur in {found.words_by}, in %")
    rows = [_accuracy(each) for each in found.words]
    columns = ("frequency", "wanted", "prec. A", "B", "recall A", "B", "F1 A", "B", "A - B")
    yield from table_lines(columns, rows, left=1)
    yield from (f"  {line}" for line in wrapped(_ACCURACY, _WIDTH - 2))


def _accuracy(found: ClassAccuracy) -> tuple[str, ...]:
    a, b = found.a, found.b
    difference = None if a.f1 is None or b.f1 is None else a.f1 - b.f1
    figures = (a.precision, b.precision, a.recall, b.recall, a.f1, b.f1)
    return (found.name, f"{a.wanted:,}", *map(_percent, figures), _percent(difference, "+"))


def _percent(value: float | None, sign: str = "") -> str:
    return "-" if value is None else f"{100 * value:{sign}.1f}"


def _breakdown(found: Breakdown, metric: str, asked: Asked, *, whole_names: bool) -> Iterator[str]:
    yield from _heading(f"Segments by {found.by}, {metric}")
    least = asked.least_document if found.by == DOCUMENT else 1
    large = [each for each in found.buckets if each.segments >= least]
    buckets = _most_telling(large)
    rows = [
        (
            cell_safe(each.name) if whole_names else cut_middle(cell_safe(each.name), _NAME),
            f"{each.segments:,}",
            f"{each.a:.2f}",
            f"{each.b:.2f}",
            f"{each.difference:+.2f}",
            f"{each.tally.a:,}/{each.tally.equal:,}/{each.tally.b:,}",
        )
        for each in buckets
    ]
    if rows:
        yield from table_lines(("", "segments", "A", "B", "A - B", "better A/=/B"), rows, left=1)
    if len(buckets) < len(large):
        yield f"  those of {len(large):,} with the largest differences; --json has all"
    if small := len(found.buckets) - len(large):
        told = f"{small:,} of {len(found.buckets):,} have fewer than {least:,} segments"
        yield f"  {told}, and are left out: --min-segments"
    yield ""


def _most_telling(buckets: Sequence[Bucket]) -> Sequence[Bucket]:
    """All, or those with the largest differences on either side, from the best of A to that of B."""
    if len(buckets) <= _BUCKETS_SHOWN:
        return buckets
    ranked = sorted(buckets, key=lambda bucket: -bucket.difference)
    return [*ranked[: _BUCKETS_SHOWN // 2], *ranked[-_BUCKETS_SHOWN // 2 :]]


def _origins(found: OriginsComparison) -> Iterator[str]:
    yield from _heading(
        f"With the {found.people:,} references that people made, and with all, which are {found.generated:,} more, in"
        f" {found.segments:,} segments"
    )
    if found.left_out:
        yield f"  {found.left_out:,} segments have no reference that people made, and are left out"
    for name, each in (("people's", found.by_people), ("all", found.by_all)):
        metric, *lines = _score(each, each.segments)
        yield f"{metric}, with {name}"
        yield from lines
    yield f"  generated references alone move A - B by {found.shift:+.4f}{_interval(found.shift_interval, '+')}"
    yield f"  segments that change sides: {len(found.changed):,} of {found.segments:,}"
    yield f"  equal with people's references, and not with all: {found.decided:,}; the reverse: {found.levelled:,}"
    for one in found.changed[:_CHANGES_SHOWN]:
        yield f"    segment {one.segment}: A - B {one.by_people:+.2f} by people's, {one.by_all:+.2f} by all"
    if (more := len(found.changed) - _CHANGES_SHOWN) > 0:
        yield f"    and {more:,} more; --json has all"

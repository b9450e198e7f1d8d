"""The command that scores systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.cli.evaluation.scoring_input import MeasureOptions, read_scored, settings_of
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, write_json, write_text
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from corpusdb.formats.scoring_input import Output
    from corpusdb.queries.evaluation.scoring import MetricScores, Sampling
    from corpusdb.stats.intervals import Interval
    from corpusdb.stats.resampling import Comparison, Spread

__all__ = ["score"]

_DECIMALS = {"nist": 4, "mwer": 4}
_MARKS = ((0.01, "**"), (0.05, "*"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions(MeasureOptions):
    """What `score` takes."""

    hypotheses: Annotated[
        list[Path],
        typer.Argument(metavar="HYP...", help="Outputs of systems, one segment a line.", show_default=False),
    ]
    metric: Annotated[str, typer.Option(metavar="NAMES", help="bleu, nist, mwer, chrf, chrf++, ter; with commas.")] = (
        "bleu"
    )
    segments: Annotated[bool, typer.Option("--segments", help="The score of every segment.")] = False
    significance: Annotated[
        Literal["bootstrap", "randomisation"] | None,
        typer.Option(help="Test every system against the baseline.", show_default=False),
    ] = None
    baseline: Annotated[
        Path | None, typer.Option(metavar="HYP", help="One of the outputs; the first if not given.", show_default=False)
    ] = None
    confidence: Annotated[bool, typer.Option("--confidence", help="Intervals of 95 % by bootstrap.")] = False
    resample_references: Annotated[
        int,
        typer.Option(
            metavar="DRAWS", min=0, max=100_000, help="Vary the references, too: e.g. 100 draws.", show_default=False
        ),
    ] = 0
    samples: Annotated[int, typer.Option(metavar="N", min=1, max=1_000_000, help="Samples or trials.")] = 1000
    seed: Annotated[int, typer.Option(metavar="NUMBER", min=0, help="Of all that is drawn at random.")] = 1
    store: Annotated[bool, typer.Option("--store", help="Keep the scores in the database, for `verify`.")] = False


@dataclass(frozen=True, slots=True)
class _Row:
    """One number with everything that is said of it."""

    system: str
    scores: MetricScores
    at: int
    """Of the system among those that were scored."""
    interval: Interval | None
    comparison: Comparison | None
    spread: Spread | None
    stored: int | None

    @property
    def score(self) -> float:
        return float(self.scores.scores[self.at])

    @property
    def mark(self) -> str:
        """Stars for a difference from the baseline that chance hardly explains."""
        p_value = 1.0 if self.comparison is None else self.comparison.p_value
        return next((mark for level, mark in _MARKS if p_value < level), "")


@command("score", answers=True, kept=False)
def score(invocation: Invocation, options: ScoreOptions) -> int:
    """Score outputs of systems against references.

    BLEU (words of mteval 13a, order 4; characters, order 18), chrF and TER go up to 100, as in sacrebleu; NIST is in
    bits; mWER is edits per word. Every number comes with its signature, which names the reference set by its digest.
    A hypothesis may be empty, a reference may not.
    """
    from corpusdb.queries.evaluation.scoring import Sampling, notes_on, score_systems

    settings = [settings_of(options, name) for name in _names(options.metric)]
    outputs, references = read_scored(invocation, options.hypotheses, options)
    baseline = _baseline(outputs, options.baseline) if options.significance else 0
    scores = score_systems(outputs, references, settings)
    for note in dict.fromkeys(notes_on(outputs, references, scores)):
        invocation.say(note)
    numbers: list[list[int]] | None = None
    if options.store:
        from corpusdb.queries.evaluation.stored_scores import store_scores

        with invocation.writing() as store:
            numbers = store_scores(store, outputs, references, scores)
    sampling = Sampling(options.samples, options.seed)
    rows = list(_rows(outputs, scores, options, (baseline, sampling), numbers))
    remarks = list(_remarks(outputs[baseline].system, options))
    if invocation.json:
        write_json([_document(row, options) for row in rows])
    elif options.segments:
        invocation.show(("segment", "system", "metric", "score", "signature"), _segment_rows(rows))
    elif invocation.format in ("table", "markdown", "latex"):
        _write_wide(invocation, rows, remarks)
    else:
        invocation.show(*_long(rows))
    if invocation.json or options.segments or invocation.format not in ("table", "markdown", "latex"):
        for remark in remarks:
            invocation.say(remark)
    return len(rows)


def _names(given: str) -> list[str]:
    names = list(dict.fromkeys(name.strip().lower() for name in given.split(",") if name.strip()))
    if not names:
        raise UsageError("no metric is given")
    return names


def _baseline(outputs: Sequence[Output], given: Path | None) -> int:
    """Which of the outputs the others are compared with. Raises UsageError where it is none of them."""
    if given is None:
        return 0
    for number, output in enumerate(outputs):
        if given == output.path or str(given) == output.system:
            return number
    raise UsageError(f"the baseline {given} is none of the outputs that are scored")


def _rows(
    outputs: Sequence[Output],
    scores: Sequence[MetricScores],
    options: ScoreOptions,
    chance: tuple[int, Sampling],
    numbers: Sequence[Sequence[int]] | None,
) -> Iterator[_Row]:
    """All metrics of the first system, then those of the next."""
    baseline, sampling = chance
    intervals = [each.intervals(sampling) if options.confidence else None for each in scores]
    tests = [
        each.comparisons(options.significance, baseline, sampling) if options.significance else None for each in scores
    ]
    draws = options.resample_references
    spreads = [each.spreads(outputs, draws, sampling) if draws else None for each in scores]
    for at, output in enumerate(outputs):
        for n, each in enumerate(scores):
            interval, spread, test = intervals[n], spreads[n], tests[n]
            yield _Row(
                output.system,
                each,
                at,
                interval[at] if interval else None,
                test[at] if test and at != baseline else None,
                spread[at] if spread else None,
                numbers[n][at] if numbers else None,
            )


def _remarks(baseline: str, options: ScoreOptions) -> Iterator[str]:
    """How chance was tried out, in plain words."""
    drawn = f"{options.samples:,} samples of segments, seed {options.seed}"
    if options.significance:
        from corpusdb.queries.evaluation.scoring import NULL_HYPOTHESIS

        how = {"bootstrap": "paired bootstrap", "randomisation": "approximate randomisation"}[options.significance]
        trials = drawn if options.significance == "bootstrap" else f"{options.samples:,} trials, seed {options.seed}"
        yield f"{how} against {baseline}: {trials}; the null hypothesis is that {NULL_HYPOTHESIS}"
        yield "** p < 0.01, * p < 0.05; not corrected for the number of systems"
    if options.confidence:
        yield f"intervals of 95 % by bootstrap: {drawn}"
    if options.resample_references:
        yield f"deviations over {drawn}, and over {options.resample_references:,} draws of references"


def _document(row: _Row, options: ScoreOptions) -> dict[str, object]:
    settings = row.scores.settings
    document: dict[str, object] = {
        "system": row.system,
        "metric": settings.metric,
        "score": row.score,
        "signature": row.scores.signature,
        "name": settings.label,
    }
    drawn = {"samples": options.samples, "seed": options.seed}
    if row.interval is not None:
        document["interval"] = asdict(row.interval) | {"confidence": 0.95} | drawn
    if row.comparison is not None:
        from corpusdb.queries.evaluation.scoring import NULL_HYPOTHESIS

        document["test"] = {"name": options.significance, "null_hypothesis": NULL_HYPOTHESIS}
        document["test"] |= asdict(row.comparison) | drawn  # type: ignore[operator]
    if row.spread is not None:
        document["variance"] = asdict(row.spread) | {"draws": options.resample_references} | drawn
    if options.segments:
        document["segments"] = row.scores.segments[row.at].tolist()
    if row.stored is not None:
        document["stored"] = row.stored
    return document


def _segment_rows(rows: Sequence[_Row]) -> Iterator[tuple[Cell, ...]]:
    for row in rows:
        for segment, value in enumerate(row.scores.segments[row.at].tolist(), 1):
            yield segment, row.system, row.scores.settings.label, value, row.scores.signature


def _long(rows: Sequence[_Row]) -> tuple[list[str], list[tuple[Cell, ...]]]:
    """A row for each number; the columns are those that some row has."""
    table = [dict(_figures(row)) for row in rows]
    had = {name for each in table for name in each}
    columns = [name for name in _COLUMNS if name in had]
    return columns, [tuple(each.get(name) for name in columns) for each in table]


_COLUMNS = (
    "system", "metric", "score", "low", "high", "difference", "p", "sd_segments", "sd_references", "stored", "signature"
)  # fmt: skip


def _figures(row: _Row) -> Iterator[tuple[str, Cell]]:
    yield from (("system", row.system), ("metric", row.scores.settings.label), ("score", row.score))
    if row.interval is not None:
        yield from (("low", row.interval.low), ("high", row.interval.high))
    if row.comparison is not None:
        yield from (("difference", row.comparison.difference), ("p", row.comparison.p_value))
    if row.spread is not None:
        yield from (("sd_segments", row.spread.segments**0.5), ("sd_references", row.spread.references**0.5))
    if row.stored is not None:
        yield "stored", row.stored
    yield "signature", row.scores.signature


def _write_wide(invocation: Invocation, rows: Sequence[_Row], remarks: Sequence[str]) -> None:
    """A row for each system and a column for each metric; below it the signatures and how chance was tried out."""
    scores = list({id(row.scores): row.scores for row in rows}.values())
    by_system: dict[str, list[Cell]] = {}
    for row in rows:
        by_system.setdefault(row.system, [row.system]).append(_cell(row))
    invocation.show(
        ("system", *(each.settings.label for each in scores)), [tuple(cells) for cells in by_system.values()]
    )
    lines = [*(f"{each.settings.label}: {each.signature}" for each in scores), *remarks]
    before, after = {"latex": ("% ", ""), "markdown": ("\n    ", "")}.get(invocation.format, ("", ""))
    for line in lines:
        write_text(f"{before}{line}{after}")


def _cell(row: _Row) -> str:
    """A number as in a paper: its interval or deviations behind it, and the mark of its significance."""
    decimals = _DECIMALS.get(row.scores.settings.metric, 2)
    text = f"{row.score:.{decimals}f}{row.mark}"
    if row.interval is not None:
        text += f" [{row.interval.low:.{decimals}f}, {row.interval.high:.{decimals}f}]"
    if row.spread is not None:
        text += f" ± {row.spread.segments**0.5:.{decimals}f} ± {row.spread.references**0.5:.{decimals}f}"
    return text

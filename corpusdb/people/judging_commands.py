"""The commands by which people judge samples of what was generated."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

import typer

from corpusdb.base.display import Cell, Formulas
from corpusdb.base.errors import UsageError
from corpusdb.base.options import Argument, Option, RowLimit
from corpusdb.base.text import language_code, nfc
from corpusdb.commands.command import CommandGroup, Overwrite, command
from corpusdb.commands.invocation import Invocation, write_json, write_table, write_text
from corpusdb.corpus.orders import DEFAULT_ORDER
from corpusdb.paraphrase.filter_options import Language, Marks, MinValidity, Order

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.people.queries.samples import Kind, Population, Sample
    from corpusdb.people.queries.verdicts import BlindItem, JudgeProgress

Name: TypeAlias = Annotated[str, Argument("Name of the sample.", metavar="NAME")]
Judge: TypeAlias = Annotated[str | None, Option("The name of the judge (default: $USER).", "--judge", metavar="WHO")]


def _judge(given: str | None) -> str:
    found = os.environ.get("USER", "") if given is None else given
    if not found.strip():
        unknown = (
            "--judge is empty: who judges?" if given is not None else "who judges is not known, as $USER is empty:"
        )
        raise UsageError(f"{unknown} add your name, such as --judge ann")
    return nfc(found.strip())


@contextmanager
def _sample(invocation: Invocation, name: str, *, writing: bool = False) -> Iterator[tuple[Store, Sample]]:
    from corpusdb.people.queries.samples import find_sample

    with invocation.writing() if writing else invocation.reading() as store:
        yield store, find_sample(store, name)


@dataclass(frozen=True, slots=True)
class SampleCommandOptions:
    name: Name
    lang: Language
    kind: Annotated[
        str, Option("Judge grammaticality (of sentences) or meaning (of sentences and their seeds).", metavar="KIND")
    ]
    size: Annotated[int | None, Option("Number of items (default: 400; meaning 470).", metavar="ITEMS", least=1)] = None
    seed: Annotated[int, Option("Random seed.", metavar="NUMBER", least=0)] = 1
    order: Order = DEFAULT_ORDER
    min_validity: MinValidity = None
    marks: Marks = True
    real: Annotated[
        bool | None,
        Option(
            "Leave out those that differ from the seed only in capitals, punctuation or contractions (default for"
            " meaning).",
            "--real/--no-real",
        ),
    ] = None
    controls: Annotated[
        int, Option("Number of sentences or pairs of the corpus to mix in, unmarked.", metavar="ITEMS", least=0)
    ] = 0
    population: Annotated[str, Option("generated, or rewritings of Japanese by rules.", "--from", metavar="WHAT")] = (
        "generated"
    )


@command("sample")
def sample(invocation: Invocation, options: SampleCommandOptions) -> None:
    """Draw a sample of candidates to be judged.

    The same --seed draws the same items in the same order from the same candidates. Their current figures are stored
    with them. Controls are sentences of the corpus or, for meaning, pairs of sentences that share a translation. With
    --from rewritings, candidates are those that `rules apply --store` stored, and the report has the rate of each rule.
    """
    from corpusdb.paraphrase.queries.filters import NO_FILTER
    from corpusdb.people.queries.samples import SIZES, SampleOptions, draw_sample, sample_filter

    kind, is_generated = cast("Kind", options.kind), options.population != "rewritings"
    asked = options.order, options.marks, options.min_validity, options.real
    if not is_generated and asked != (DEFAULT_ORDER, True, None, None):
        raise UsageError(
            "rewritings by rules are not filtered: -N, -V, --marks and --real are for generated candidates"
        )
    kept = sample_filter(kind, options.order, marks=options.marks, min_validity=options.min_validity, real=options.real)
    wanted = SampleOptions(
        kind=kind,
        language=language_code(options.lang),
        size=options.size or SIZES.get(kind, 1),
        seed=options.seed,
        kept=kept if is_generated else NO_FILTER,
        controls=options.controls,
        population=cast("Population", options.population),
    )
    with invocation.writing() as store:
        drawn = draw_sample(store, options.name, wanted)
    if (candidates := drawn.items - drawn.controls) < wanted.size:
        invocation.say(f"there are only {candidates:,} candidates")
    figures: list[tuple[str, Cell]] = [
        ("sample", drawn.name),
        ("kind", drawn.kind),
        ("items", drawn.items),
        ("of these controls", drawn.controls),
        ("drawn from", drawn.population),
    ]
    invocation.report(asdict(drawn), figures)


@dataclass(frozen=True, slots=True)
class SampleListOptions:
    """What `judge list` takes: nothing of its own."""


@command("list")
def list_samples(invocation: Invocation, options: SampleListOptions) -> None:
    """List the samples."""
    from corpusdb.people.queries.samples import samples

    with invocation.reading() as store:
        found = samples(store)
    if invocation.json:
        write_json(found)
    elif found:
        columns = ("name", "kind", "drawn_from", "language", "seed", "order", "items", "controls")
        write_table(columns, [tuple(getattr(each, column) for column in columns) for each in found])
    else:
        invocation.say("no sample was drawn yet")


@dataclass(frozen=True, slots=True)
class NextOptions:
    name: Name
    judge: Judge = None
    limit: RowLimit = 1


@command("next")
def show_next(invocation: Invocation, options: NextOptions) -> None:
    """Show the next item to judge, by its number and text.

    For meaning, the seed to compare with comes first. Skipped items come back after all the others. The exit code is 1
    if nothing is left.
    """
    from corpusdb.people.queries.verdicts import next_items

    with _sample(invocation, options.name) as (store, drawn):
        items = next_items(store, drawn, _judge(options.judge), options.limit)
    _write_items(invocation, drawn.kind, items)
    if not items:
        invocation.say("nothing is left to judge")
        raise typer.Exit(1)


def _write_items(invocation: Invocation, kind: str, items: Iterable[BlindItem]) -> None:
    if invocation.json:
        write_json([asdict(item) for item in items])
    elif kind == "meaning":
        write_table(("item", "seed", "text"), [(item.item, item.seed, item.text) for item in items])
    else:
        write_table(("item", "text"), [(item.item, item.text) for item in items])


@dataclass(frozen=True, slots=True)
class RecordOptions:
    name: Name
    item: Annotated[int, Argument("The number of the item.", metavar="ITEM", least=1)]
    verdict: Annotated[str, Argument("The verdict, as a word or a letter.", metavar="VERDICT")]
    judge: Judge = None
    comment: Annotated[str | None, Option("A comment on the verdict.", metavar="TEXT")] = None


@command("record")
def record(invocation: Invocation, options: RecordOptions) -> None:
    """Record a verdict on an item.

    Grammaticality: yes (y), no (n). Meaning: equivalence (=), entailment (>) where either says more than the other,
    neither (x); quote ">" in the shell. Both: skip (s). A second verdict on an item replaces the first.
    """
    from corpusdb.people.queries.verdicts import progress
    from corpusdb.people.queries.verdicts import record as record_verdict

    judge = _judge(options.judge)
    with _sample(invocation, options.name, writing=True) as (store, drawn):
        record_verdict(store, drawn, judge, options.item, options.verdict, options.comment)
        standing = progress(store, drawn, judge)
    invocation.report(asdict(standing), _figures(standing))


def _figures(standing: JudgeProgress) -> list[tuple[str, Cell]]:
    return [
        ("judged", standing.judged),
        ("skipped", standing.skipped),
        ("items", standing.total),
        ("rate", None if standing.rate is None else round(standing.rate, 4)),
        ("rate, low", round(standing.interval.low, 4)),
        ("rate, high", round(standing.interval.high, 4)),
    ]


@dataclass(frozen=True, slots=True)
class UndoOptions:
    name: Name
    judge: Judge = None


@command("undo")
def undo(invocation: Invocation, options: UndoOptions) -> None:
    """Undo the judge's last verdict; repeat it to go further back.

    Any earlier verdict on the item is valid again. The exit code is 1 if there is nothing to undo.
    """
    from corpusdb.people.queries.verdicts import undo as undo_last

    with _sample(invocation, options.name, writing=True) as (store, drawn):
        item = undo_last(store, drawn, _judge(options.judge))
    _write_items(invocation, drawn.kind, [] if item is None else [item])
    if item is None:
        invocation.say("nothing to take back")
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class ReportOptions:
    name: Name


@command("report", answers=True, kept=False)
def report(invocation: Invocation, options: ReportOptions) -> None:
    """Report rates, agreement and precision by threshold.

    Rates of each judge and of the majority with 95 % confidence intervals; for meaning, Table 6 of Lepage and Denoual
    (2005) and the rate of equivalence alone; Cohen's kappa for each pair of judges, and their disagreements; precision
    by fluency order and by ranking score.

    Formats other than table and JSON have the figures in rows, without the disagreements.
    """
    from corpusdb.people.queries.verdicts import judging_report
    from corpusdb.people.report import COLUMNS, render, report_rows

    with _sample(invocation, options.name) as (store, drawn):
        found = judging_report(store, drawn)
    if invocation.json:
        write_json(found)
    elif invocation.chosen_format in (None, "table"):
        write_text(render(found))
    else:
        invocation.show(COLUMNS, report_rows(found))


@dataclass(frozen=True, slots=True)
class SheetOptions:
    name: Name
    judge: Judge = None
    output: Annotated[Path | None, Option("The file to write (default: stdout).", "--output -o", metavar="FILE")] = None
    overwrite: Overwrite = False


@command("sheet")
def write_out(invocation: Invocation, options: SheetOptions) -> None:
    """Write a sheet to be filled in, as tab-separated text.

    Columns: item, seed, text, verdict, comment. The judge's earlier verdicts are filled in; skipped items come last.
    `judge read` reads the sheet back, with the words and letters of `judge record`. Texts are written unchanged, even
    those that a spreadsheet would take for a formula, such as =1+1.
    """
    from corpusdb.base.outputs import check_output
    from corpusdb.people.queries.samples import sheet_lines, write_sheet
    from corpusdb.people.queries.verdicts import sheet

    guard = invocation.guard(overwrite=options.overwrite)
    output = None if options.output is None or str(options.output) == "-" else options.output
    if output is not None:
        check_output(output, guard)
    with _sample(invocation, options.name) as (store, drawn):
        lines = sheet(store, drawn, _judge(options.judge))
    formulas = Formulas()
    for each in lines:
        formulas.watch((each.seed, each.text, each.comment))
    if formulas.cells:
        invocation.say(str(formulas))
    if output is not None:
        write_sheet(lines, output, guard)
        invocation.report({"items": len(lines), "file": str(output)}, [("items", len(lines)), ("file", str(output))])
    elif invocation.json:
        write_json([asdict(line) for line in lines])
    else:
        for line in sheet_lines(lines):
            write_text(line)


@dataclass(frozen=True, slots=True)
class ReadSheetOptions:
    name: Name
    sheet: Annotated[Path, Argument("The file; - is stdin.", metavar="SHEET")]
    judge: Judge = None


@command("read")
def read_back(invocation: Invocation, options: ReadSheetOptions) -> None:
    """Record the verdicts of a sheet that was filled in.

    Lines without a verdict are ignored, and a verdict is recorded only once. If any line cannot be used, nothing is
    recorded. Figures are of the candidates, without controls.
    """
    from corpusdb.people.queries.samples import read_sheet
    from corpusdb.people.queries.verdicts import progress, record_sheet

    judge = _judge(options.judge)
    lines = list(read_sheet(options.sheet))
    with _sample(invocation, options.name, writing=True) as (store, drawn):
        recorded = record_sheet(store, drawn, judge, lines, options.sheet)
        standing = progress(store, drawn, judge, controls=False)
    invocation.report({"recorded": recorded} | asdict(standing), [("recorded", recorded), *_figures(standing)])


judge = CommandGroup(
    "judge",
    """Have people judge samples of what was generated.

    Draw a sample; each judge asks for the next item and records a verdict, or fills in a sheet; the report has the
    rates. Judges see texts only. Every command takes --json.
    """,
    (sample, show_next, record, undo, write_out, read_back, report, list_samples),
)

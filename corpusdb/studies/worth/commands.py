"""The command that tells what references that were made are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import command, replayable
from corpusdb.commands.invocation import Invocation
from corpusdb.scoring.input_options import numbers_in
from corpusdb.scoring.queries.metric_names import metric_names
from corpusdb.scoring.reference_options import say_how_read

if TYPE_CHECKING:
    from corpusdb.corpus.formats.segments import Reference, ReferenceTexts
    from corpusdb.studies.worth.study import Gain, JudgedOutputs, MadeReferences, WorthReport

COLUMNS = (
    *("metric", "level", "statistic", "references", "per_segment", "segments", "value", "gain", "low", "high"),
    *("doc_low", "doc_high", "p", "of_second", "signature"),
)
_SHOWN = frozenset({("segment", "pearson"), ("segment within segments", "acc_eq"), ("system", "pairwise_accuracy")})
"""What a table shows of the statistics; other formats have all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthOptions:
    hypotheses: Annotated[list[Path], Argument("The output of a system each.", metavar="HYP...")]
    ref: Annotated[Path, Option("The human reference, one a segment.", metavar="FILE")]
    human: Annotated[Path, Option("Human scores, by segment or system.", metavar="FILE")]
    human_column: Annotated[str | None, Option("The column that holds these; z, or the only one.", metavar="NAME")] = (
        None
    )
    made: Annotated[
        list[Path],
        Option("References that were made: what `references` wrote; again for more.", metavar="[NAME:]FILE..."),
    ] = field(default_factory=list)
    second: Annotated[Path | None, Option("A second human reference, to compare.", metavar="FILE")] = None
    documents: Annotated[
        Path | None, Option("TSV with doc, first_segment, n_segments: intervals over documents, too.", metavar="FILE")
    ] = None
    metric: Annotated[str, Option(f"{', '.join(metric_names())}; with commas.", metavar="NAMES")] = "bleu,chrf"
    unit: Annotated[str, Option("word or char.", metavar="UNIT")] = "word"
    tokenise: Annotated[str | None, Option("How words are cut: 13a, none, intl ...", metavar="NAME")] = None
    validities: Annotated[str, Option("Least validities of a curve, with commas.", metavar="V,...")] = (
        "0.5,0.8,0.9,0.95"
    )
    numbers: Annotated[str, Option("References of a segment at most, likewise.", metavar="N,...")] = "1,2,5"
    samples: Annotated[int, Option("Samples, and trials of the test.", metavar="N", least=1, most=1_000_000)] = 1000
    seed: Annotated[int, Option("Of all that is drawn at random.", metavar="NUMBER", least=0)] = 1


@replayable()
@command("worth", answers=True, kept=False)
def worth(invocation: Invocation, options: WorthOptions) -> int:
    """Tell what made references add to agreement with people.

    Measures how far the scores of --metric agree with --human where each segment has the one reference of --ref,
    and how much more with those of --made besides: all of them, those of a least validity, so many of a segment at
    most, all sets together; and with the second human reference, of which the gain of the others is a part
    (of_second). gain has an interval of 95 % over segments (low, high) and over documents (doc_low, doc_high), and
    p, how probable it is where the others add nothing (permutation). What --made has of people's own is left out.
    jsonl and tsv keep the validity and origin of each reference. Choose recipes on one test set and report them on
    another.
    """
    from corpusdb.base.forks import usable_cores
    from corpusdb.corpus.formats.scoring_input import read_references
    from corpusdb.corpus.formats.segments import read_documents
    from corpusdb.scoring.metrics import settings_for
    from corpusdb.scoring.queries.metric_names import parse_metrics
    from corpusdb.scoring.queries.scoring import Sampling
    from corpusdb.studies.worth.study import SECOND, WorthRequest, worth_study

    texts = read_references([options.ref])
    human = [_only(row, options.ref, number) for number, row in enumerate(texts.references, 1)]
    made = list(_made(options.made))
    if options.second is not None:
        made.insert(0, _made_of(SECOND, read_references([options.second])))
    if not made:
        raise UsageError("what was made? Give --made FILE, as `corpusdb references` writes it, or --second FILE")
    request = WorthRequest(
        settings=[
            settings_for(name, unit=options.unit, tokenisation=options.tokenise)
            for name in parse_metrics(options.metric)
        ],
        validities=_validities(options.validities),
        numbers=numbers_in(options.numbers),
        sampling=Sampling(options.samples, options.seed),
        documents=read_documents(options.documents, len(human)) if options.documents else (),
        processes=usable_cores(),
    )
    found = invocation.run(worth_study(_judged(invocation, options, texts), human, made, request), resumes=False)
    _show(invocation, found)
    return len(found.gains)


def _only(row: Sequence[Reference], path: Path, number: int) -> str:
    if len(row) != 1:
        raise InputError(f"has {len(row)} references of segment {number}; --ref is one, --second another", path=path)
    return row[0].text


def _made(paths: Sequence[Path]) -> Iterator[MadeReferences]:
    from corpusdb.corpus.formats.scoring_input import labelled_files, read_references

    names: set[str] = set()
    for label, path in labelled_files(paths):
        name = label or (path.stem if path.stem != "references" else path.parent.name) or path.name
        if name in names:
            raise UsageError(f"two sets are called {name!r}: give another as NAME:{path}")
        names.add(name)
        yield _made_of(name, read_references([path]))


def _made_of(name: str, texts: ReferenceTexts) -> MadeReferences:
    from corpusdb.studies.worth.study import MadeReferences

    return MadeReferences(name, texts.references)


def _validities(given: str) -> list[float]:
    try:
        found = [float(each) for each in given.split(",") if each.strip()]
    except ValueError:
        found = [-1.0]
    if not all(0 <= each <= 1 for each in found):
        raise UsageError(f"--validities takes numbers from 0 to 1 with commas between them, unlike {given!r}")
    return found


def _judged(invocation: Invocation, options: WorthOptions, texts: ReferenceTexts) -> JudgedOutputs:
    from corpusdb.corpus.formats.scoring_input import read_human_scores, read_output, with_distinct_names
    from corpusdb.scoring.queries.imported_scores import human_ratings
    from corpusdb.studies.worth.study import JudgedOutputs

    outputs = with_distinct_names(
        [each for path in options.hypotheses for each in read_output(path, texts.segmentation)]
    )
    segments = len(texts.references)
    human = read_human_scores(options.human, options.human_column, segments, leaves_out=True)
    say_how_read(invocation, human.notes)
    if unjudged := [each.system for each in outputs if each.system not in human.systems]:
        invocation.say(f"left out, because people did not score them: {', '.join(unjudged)}")
    return JudgedOutputs(outputs, human_ratings(human, [each.system for each in outputs], segments))


def _show(invocation: Invocation, found: WorthReport) -> None:
    if invocation.json:
        invocation.write_document(found)
        return
    is_table = invocation.format == "table"
    gains = [each for each in found.gains if not is_table or (each.level, each.statistic) in _SHOWN]
    if not any(each.level == "segment" for each in gains):
        gains = list(found.gains)
    columns = [each for each in COLUMNS if not is_table or each != "signature"]
    if not any(each.document_interval for each in gains):
        columns = [each for each in columns if not each.startswith("doc_")]
    if all(each.of_second is None for each in gains):
        columns.remove("of_second")
    rows = [dict(zip(COLUMNS, _cells(each), strict=True)) for each in gains]
    invocation.show(columns, [[row[name] for name in columns] for row in rows])


def _cells(gain: Gain) -> tuple[str | int | float | None, ...]:
    bounds: list[float | None] = []
    for each in (gain.interval, gain.document_interval):
        bounds += [None, None] if each is None else [round(each.low, 5), round(each.high, 5)]
    figures = [None if each is None else round(each, 5) for each in (gain.value, gain.gain)]
    p = None if gain.p is None else round(gain.p, 4)
    part = None if gain.of_second is None else round(gain.of_second, 3)
    described = (gain.metric, gain.level, gain.statistic, gain.references)
    return (*described, round(gain.per_segment, 3), gain.segments, *figures, *bounds, p, part, gain.signature)

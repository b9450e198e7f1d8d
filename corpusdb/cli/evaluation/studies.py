"""The commands that repeat the studies of the papers on other data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from corpusdb.bounds import number_of
from corpusdb.cli.evaluation.reference_studies import reference_sets, reference_worth
from corpusdb.cli.evaluation.scoring_input import ReferenceOptions, read_scored
from corpusdb.cli.program.command import CommandGroup, Overwrite, command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_line
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from corpusdb.formats.scoring_input import Output
    from corpusdb.queries.evaluation.scoring import ScoringReferences
    from corpusdb.reports.bleu_in_characters_images import ImageFormat
    from corpusdb.studies.bleu_in_characters.scores import CandidateScores, Measurement
    from corpusdb.studies.bleu_in_characters.study import Equivalence

__all__ = ["study"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CharactersOptions(ReferenceOptions):
    """What `study bleu-in-characters` takes."""

    hypotheses: Annotated[
        list[Path], typer.Argument(metavar="HYP...", help="The output of a system each.", show_default=False)
    ]
    max_order_words: Annotated[int, typer.Option(min=2, max=1000, help="The highest N.")] = 4
    max_order_chars: Annotated[int, typer.Option(min=1, max=1000, help="The highest M.")] = 30
    equivalent: Annotated[
        int | None,
        typer.Option(metavar="M", min=1, max=1000, help="The M for tables 2 to 4; else found.", show_default=False),
    ] = None
    lengths: Annotated[str, typer.Option(metavar="N,N...", help="Last lengths of table 2's classes.")] = (
        "3,4,5,6,7,8,9,10"
    )
    tokenise: Annotated[str, typer.Option(metavar="NAME", help="How words are cut: none, 13a, intl ...")] = "13a"
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Fold case first.")] = False
    plots: Annotated[bool, typer.Option(help="Figures 1 and 2 below the tables.")] = True
    svg: Annotated[Path | None, typer.Option(metavar="DIR", help="Write them as SVG.", show_default=False)] = None
    png: Annotated[Path | None, typer.Option(metavar="DIR", help="Write them as PNG.", show_default=False)] = None
    overwrite: Overwrite = False

    @property
    def folders(self) -> Mapping[ImageFormat, Path]:
        """Where figures go as images, by their format."""
        chosen: Mapping[ImageFormat, Path | None] = {"svg": self.svg, "png": self.png}
        return {format: folder for format, folder in chosen.items() if folder is not None}


@command("bleu-in-characters")
def bleu_in_characters(invocation: Invocation, options: CharactersOptions) -> None:
    """Find the order in characters that equals one in words.

    Repeats Denoual and Lepage (2005) for any test set: which BLEUcM (characters, without white space) is equivalent to
    BLEUwN (words), by correlation, by agreement over ten grades and by behaviour, and whether the two rank systems
    alike. Files are read as `corpusdb score` reads them. The paper's numbers stand beside; scores are 0 to 1.
    """
    from corpusdb.studies.bleu_in_characters.scores import Measurement, candidate_scores
    from corpusdb.studies.bleu_in_characters.study import equivalence
    from corpusdb.studies.bleu_in_characters.tables import length_classes

    guard = invocation.guard(overwrite=options.overwrite)
    if options.folders:
        from corpusdb.reports.bleu_in_characters_images import check_images

        check_images(options.folders, guard)  # before anything is computed
    classes = length_classes(_numbers(options.lengths))
    how = Measurement(options.max_order_words, options.max_order_chars, options.tokenise, options.lowercase)
    outputs, references = read_scored(invocation, options.hypotheses, options)
    for note in _notes(outputs, references, how):
        invocation.say(note)
    scores = candidate_scores(_systems(outputs), references.texts, how)
    found = equivalence(scores, classes, equivalent=options.equivalent)
    _write(invocation, options, scores, found, _signatures(how, found, references))
    if options.folders:
        from corpusdb.reports.bleu_in_characters_images import write_images

        for path in write_images(scores, found, options.folders, guard):
            invocation.say(f"wrote {path}")


def _write(
    invocation: Invocation,
    options: CharactersOptions,
    scores: CandidateScores,
    found: Equivalence,
    signatures: Sequence[str],
) -> None:
    from corpusdb.reports.bleu_in_characters import equivalence_figures, equivalence_report
    from corpusdb.studies.bleu_in_characters.published import findings

    if invocation.json:
        write_json(asdict(found) | {"signatures": signatures, "findings": [asdict(each) for each in findings(found)]})
        return
    for line in equivalence_report(found):
        write_line(line)
    if options.plots:
        write_line()
        for line in equivalence_figures(scores, found):
            write_line(line)
    write_line()
    for signature in signatures:
        write_line(signature)


def _signatures(how: Measurement, found: Equivalence, references: ScoringReferences) -> list[str]:
    """Of the scores in words and of those in characters, with the orders that are compared in tables 2 to 4."""
    from corpusdb.metrics.registry import Measure, Settings

    counts = tuple(map(len, references.texts))
    units = (("word", found.word_order, how.tokenisation), ("char", found.equivalent, "char"))
    settings = [
        Settings(metric="bleu", unit=unit, order=order, tokenisation=tokenisation, lowercase=how.lowercase)
        for unit, order, tokenisation in units
    ]
    return [str(Measure(each, None, counts).signature(references.digest)) for each in settings]


def _numbers(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        raise UsageError(f"lengths are numbers with commas between them, unlike {text!r}")
    return [number_of(part) for part in parts]


def _notes(outputs: Sequence[Output], references: ScoringReferences, how: Measurement) -> Iterator[str]:
    from corpusdb.queries.evaluation.scoring import notes_on
    from corpusdb.text import has_undelimited_script

    yield from notes_on(outputs, references, ())
    needs_spaces = how.tokenisation in ("none", "13a", "intl")
    if needs_spaces and any(has_undelimited_script(text) for each in references.texts for text in each):
        yield "the references hold a script without spaces; --tokenise ja-mecab and zh know its words"


def _systems(outputs: Sequence[Output]) -> Mapping[str, Sequence[str]]:
    """The texts of each system by its name. Raises UsageError where two have the same name and file."""
    systems = {output.system: output.texts for output in outputs}
    if len(systems) < len(outputs):
        raise UsageError("the same output is given twice")
    return systems


study = CommandGroup(
    "study",
    """Repeat the studies of the papers on other data.

    Every command prints the paper's numbers beside the new ones, and takes --json.
    """,
    (bleu_in_characters, reference_sets, reference_worth),
)

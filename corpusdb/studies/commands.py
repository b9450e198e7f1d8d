"""The commands that repeat the studies of the papers on other data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import CommandGroup, Overwrite, command, replayable
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import write_line
from corpusdb.homogeneity.commands import known_similarity
from corpusdb.scoring.input_options import ReferenceOptions, numbers_in, read_scored
from corpusdb.studies.bitext.commands import bitext, equivalents_sheet
from corpusdb.studies.homogeneity.commands import homogeneity
from corpusdb.studies.precision.commands import precision
from corpusdb.studies.references.commands import reference_sets, reference_worth

if TYPE_CHECKING:
    from corpusdb.studies.bleu_in_characters.queries import CharactersStudy
    from corpusdb.studies.images import ImageFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class CharactersOptions(ReferenceOptions):
    """What `study bleu-in-characters` takes."""

    hypotheses: Annotated[list[Path], Argument("The output of a system each.", metavar="HYP...")]
    max_order_words: Annotated[int, Option("The highest N.", least=2, most=1000)] = 4
    max_order_chars: Annotated[int, Option("The highest M.", least=1, most=1000)] = 30
    equivalent: Annotated[
        int | None, Option("The M for tables 2 to 4; else found.", metavar="M", least=1, most=1000)
    ] = None
    lengths: Annotated[str, Option("Last lengths of table 2's classes.", metavar="N,N...")] = "3,4,5,6,7,8,9,10"
    tokenise: Annotated[str, Option("How words are cut: none, 13a, intl ...", metavar="NAME")] = "13a"
    lowercase: Annotated[bool, Option("Fold case first.")] = False
    plots: Annotated[bool, Option("Figures 1 and 2 below the tables.", "--plots/--no-plots")] = True
    svg: Annotated[Path | None, Option("Write them as SVG.", metavar="DIR")] = None
    png: Annotated[Path | None, Option("Write them as PNG.", metavar="DIR")] = None
    overwrite: Overwrite = False

    @property
    def folders(self) -> Mapping[ImageFormat, Path]:
        """Where figures go as images, by their format."""
        chosen: Mapping[ImageFormat, Path | None] = {"svg": self.svg, "png": self.png}
        return {format: folder for format, folder in chosen.items() if folder is not None}


def _without_images(options: CharactersOptions, folder: Path) -> CharactersOptions:
    return replace(options, svg=None, png=None)


@replayable(_without_images)
@command("bleu-in-characters")
def bleu_in_characters(invocation: Invocation, options: CharactersOptions) -> None:
    """Find the order in characters that equals one in words.

    Repeats Denoual and Lepage (2005) for any test set: which BLEUcM (characters, without white space) is equivalent to
    BLEUwN (words), by correlation, by agreement over ten grades and by behaviour, and whether the two rank systems
    alike. Files are read as `corpusdb score` reads them. The paper's numbers stand beside; scores are 0 to 1.
    """
    from corpusdb.studies.bleu_in_characters import queries, tables

    guard = invocation.guard(overwrite=options.overwrite)
    if options.folders:
        from corpusdb.studies.bleu_in_characters.report import check_images

        check_images(options.folders, guard)  # before anything is computed
    classes = tables.length_classes(numbers_in(options.lengths))
    measurement = tables.Measurement(
        options.max_order_words, options.max_order_chars, options.tokenise, options.lowercase
    )
    outputs, references = read_scored(invocation, options.hypotheses, options)
    for note in queries.study_notes(outputs, references, measurement):
        invocation.say(note)
    job = queries.bleu_in_characters(outputs, references, measurement, classes, equivalent=options.equivalent)
    found = invocation.run(job, resumes=False)
    _write(invocation, found, plots=options.plots)
    if options.folders:
        from corpusdb.studies.bleu_in_characters.report import write_images

        for path in write_images(found.scores, found.equivalence, options.folders, guard):
            invocation.say(f"wrote {path}")


def _write(invocation: Invocation, found: CharactersStudy, *, plots: bool) -> None:
    from corpusdb.studies.bleu_in_characters.report import study_lines

    if invocation.json:
        signed = {"signatures": found.signatures, "findings": [asdict(each) for each in found.findings]}
        invocation.write_document(asdict(found.equivalence) | signed)
        return
    for line in study_lines(found, plots=plots):
        write_line(line)


study = CommandGroup(
    "study",
    """Repeat the studies of the papers on other data.

    Every command takes --json. Those of a paper print its numbers beside the new ones.
    """,
    (
        *(bitext, bleu_in_characters, equivalents_sheet, homogeneity, known_similarity, precision),
        *(reference_sets, reference_worth),
    ),
)

"""The command that aligns words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Annotated, Literal

import typer

from corpusdb.cli.program.command import Overwrite, command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, stdout_in, write_text
from corpusdb.errors import UsageError
from corpusdb.rows import cell_text
from corpusdb.text import MAX_SENTENCE_UNITS

__all__ = ["align"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignOptions:
    """What `align` takes."""

    source: Annotated[Path, typer.Option(metavar="FILE", help="Plain text, one segment a line.", show_default=False)]
    ref: Annotated[
        Path, typer.Option(metavar="FILE", help="Its translation, line by line; - is stdin.", show_default=False)
    ]
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the links there, not to stdout.", show_default=False
        ),
    ] = None
    tokenise: Annotated[
        str,
        typer.Option(
            metavar="NAME[,NAME]",
            help="What is linked: units, none (as split by white space), 13a, intl, char, ja-mecab, zh; or two of "
            "these, of source and reference.",
        ),
    ] = "units"
    method: Annotated[
        Literal["grow-diag-final-and", "intersection", "union", "forward", "backward"],
        typer.Option(help="How the links of both directions become one set."),
    ] = "grow-diag-final-and"
    tokens: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the tokens: source ||| reference.", show_default=False),
    ] = None
    gold: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Compare with these links: 0-0 sure, 0?0 possible.", show_default=False),
    ] = None
    overwrite: Overwrite = False


@command("align")
def align(invocation: Invocation, options: AlignOptions) -> None:
    """Align the words of a text and its translation.

    Writes a line for each segment in Pharaoh format, as GIZA++, fast_align and eflomal do: 0-0 1-2 links the first
    word of the source with the first of the reference, the second with the third. Words that translate nothing have no
    link. A model (IBM-1, then HMM, both directions by agreement) is trained on the two files alone; the same files give
    the same links. Case is no matter. A thousand segments of news take about a second.

    Words that are cut differently in two files are different words: for Japanese and Chinese give text that is
    cut into words, with --tokenise none.
    """
    from corpusdb.formats.pharaoh import pharaoh_line
    from corpusdb.queries.alignment.file_alignment import (
        agreement_with,
        align_files,
        figures_of,
        read_gold,
        read_tokenised,
    )

    is_shown = options.output is None or str(options.output) == "-"
    if invocation.json and is_shown:
        raise UsageError("--json prints a report where the links would stand; give these a file with --output")
    begun = monotonic()
    files = read_tokenised(options.source, options.ref, options.tokenise)
    gold = None if options.gold is None else read_gold(options.gold, files)
    for note in files.notes:
        invocation.say(note)
    guard = invocation.guard(overwrite=options.overwrite)
    with stdout_in(options.output, guard):
        if options.tokens is not None:
            with stdout_in(options.tokens, guard):
                for source, target in zip(files.source, files.target, strict=True):
                    write_text(f"{' '.join(source)} ||| {' '.join(target)}")
        links = invocation.run(align_files(files, options.method), resumes=False)
        for number in range(len(links)):
            write_text(pharaoh_line(links.of_pair(number)))
    found = figures_of(files, links)
    report: dict[str, Cell] = {**asdict(found), "seconds": round(monotonic() - begun, 2)}
    if gold is not None:
        report |= asdict(agreement_with(gold, links))
    if found.too_long:
        most = f"{MAX_SENTENCE_UNITS:,} tokens on a side"
        invocation.say(f"of the segments {found.too_long:,} have over {most}, and no links")
    if is_shown:
        invocation.say(", ".join(f"{name} {cell_text(value)}" for name, value in report.items()))
    else:
        invocation.report(report, list(report.items()))

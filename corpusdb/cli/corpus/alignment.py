"""The command that aligns words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Annotated, Literal

import typer

from corpusdb.cli.program.command import Overwrite, command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import Cell, stdout_in, write_json, write_table, write_text
from corpusdb.errors import UsageError
from corpusdb.rows import cell_text
from corpusdb.text import MAX_SENTENCE_UNITS

__all__ = ["align"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignOptions:
    """What `align` takes."""

    lang: Annotated[
        str | None,
        typer.Option("--lang", metavar="A,B", help="Align these languages in the database.", show_default=False),
    ] = None
    retrain: Annotated[bool, typer.Option("--retrain", help="With --lang: train a new model.")] = False
    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Plain text, one segment a line.", show_default=False)
    ] = None
    ref: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Its translation, line by line; - is stdin.", show_default=False)
    ] = None
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
            help="What is linked: auto, units, none (as split by white space), 13a, intl, char, ja-mecab, zh, "
            "ja-sudachi; or two of these, of source and reference.",
        ),
    ] = "auto"
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
    """Align the words of texts and their translations.

    With --lang, all pairs of sentences of two languages in the database: their links and phrases are stored, for
    `corpusdb translations` and `equivalents`. The first time a model is trained on all of them; pairs that are imported
    later are aligned by it at once. --retrain makes a new one. An interrupted call is continued by the same call.

    With --source and --ref, two files: writes a line for each segment in Pharaoh format, as GIZA++, fast_align and
    eflomal do: 0-0 1-2 links the first word of the source with the first of the reference, the second with the third.
    Words that translate nothing have no link. The model is trained on the two files alone; the same files give the
    same links. A thousand segments of news take about a second.

    A model is IBM-1, then HMM, both directions by agreement; case is no matter. Japanese is cut into morphemes where
    corpusdb[japanese] is installed, and so is whatever a model that was trained so aligns later; otherwise into
    characters, as is Chinese: give text that is cut into words, with --tokenise none. Other files are cut into units,
    which are words, clitics and marks.
    """
    if options.lang is not None:
        _align_corpus(invocation, options)
    elif options.source is None or options.ref is None:
        raise UsageError("align needs --lang A,B for the database, or two files: --source FILE --ref FILE")
    elif options.retrain:
        raise UsageError("--retrain is for --lang; a model of files is always a new one")
    else:
        _align_files(invocation, options, options.source, options.ref)


def _align_corpus(invocation: Invocation, options: AlignOptions) -> None:
    from corpusdb.languages import language_codes
    from corpusdb.queries.alignment.corpus_alignment import align_languages

    for_files = {
        "--source": options.source,
        "--ref": options.ref,
        "--output": options.output,
        "--tokens": options.tokens,
        "--gold": options.gold,
    }
    if given := [name for name, value in for_files.items() if value is not None]:
        raise UsageError(f"{given[0]} is for files, and --lang for the database; give one of the two")
    languages = language_codes(options.lang or "")
    if len(languages) != 2:
        raise UsageError(f"--lang takes two languages with a comma between, such as fra,eng, not {options.lang!r}")
    with invocation.writing() as store:
        found = invocation.run(align_languages(store, *languages, retrain=options.retrain))
    for line in found.advice:
        invocation.say(line)
    if invocation.json:
        write_json(found)
        return
    write_table(
        (),
        [
            ("languages", f"{found.source},{found.target}"),
            ("pairs trained on", found.trained),
            ("pairs aligned now", found.pairs),
            ("links", found.links),
            (f"tokens of {found.source}", found.source_tokens),
            (f"tokens of {found.target}", found.target_tokens),
            (f"{found.source} tokens aligned with nothing", found.unlinked_source),
            (f"{found.target} tokens aligned with nothing", found.unlinked_target),
            ("pairs aligned in all", found.aligned),
            ("different phrase pairs", found.phrase_pairs),
            ("seconds", round(found.seconds, 1)),
        ],
    )
    if found.too_long:
        _say_too_long(invocation, found.too_long, "pairs")


def _say_too_long(invocation: Invocation, count: int, what: str) -> None:
    invocation.say(f"of the {what} {count:,} have over {MAX_SENTENCE_UNITS:,} tokens on a side, and no links")


def _align_files(invocation: Invocation, options: AlignOptions, source_file: Path, ref: Path) -> None:
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
    files = read_tokenised(source_file, ref, options.tokenise)
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
        _say_too_long(invocation, found.too_long, "segments")
    if is_shown:
        invocation.say(", ".join(f"{name} {cell_text(value)}" for name, value in report.items()))
    else:
        invocation.report(report, list(report.items()))

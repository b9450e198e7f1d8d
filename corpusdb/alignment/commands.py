"""The command that aligns words."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.base.errors import UsageError
from corpusdb.base.rows import cell_text
from corpusdb.base.text import MAX_SENTENCE_UNITS
from corpusdb.commands.command import Overwrite, command
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import Cell, stdout_in, write_text

if TYPE_CHECKING:
    from corpusdb.base.outputs import Guard
    from corpusdb.corpus.store import Store

__all__ = ["align"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignOptions:
    """What `align` takes."""

    lang: Annotated[
        str | None,
        typer.Option("--lang", metavar="A,B", help="Align these languages in the database.", show_default=False),
    ] = None
    retrain: Annotated[bool, typer.Option("--retrain", help="With --lang: train a new model.")] = False
    links: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="With --lang, --source and --ref: take these links of theirs in.", show_default=False
        ),
    ] = None
    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Plain text, one segment a line.", show_default=False)
    ] = None
    ref: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Its translation, line by line; - is stdin.", show_default=False)
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the links there, not to stdout; with --lang also the texts, to FILE.A and FILE.B.",
            show_default=False,
        ),
    ] = None
    tokenise: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[,NAME]",
            help="What is linked: auto, units, none (as split by white space), 13a, intl, char, ja-mecab, zh, "
            "ja-sudachi; or two of these, of source and reference. auto if not given, none with --links.",
            show_default=False,
        ),
    ] = None
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
    --output also writes what is stored: the links to FILE, the texts by their tokens to FILE.A and FILE.B.

    With --lang and --links, the links of another aligner take the place of those that are stored: Pharaoh lines, and
    the two texts between whose tokens they stand with --source (in A) and --ref (in B). They are kept for the pairs
    that the database has and cuts into the same tokens, whatever the case; --output writes texts that it cuts so. No
    model comes with them: pairs that are imported later have no links until --links or --retrain is called again.

    With --source and --ref alone, two files: writes a line for each segment in Pharaoh format, as GIZA++, fast_align
    and eflomal do: 0-0 1-2 links the first word of the source with the first of the reference, the second with the
    third. Words that translate nothing have no link. The model is trained on the two files alone; the same files give
    the same links. A thousand segments of news take about a second.

    A model is IBM-1, then HMM, both directions by agreement; case is no matter. Japanese is cut into morphemes where
    corpusdb[japanese] is installed, and so is whatever a model that was trained so aligns later; otherwise into
    characters, as is Chinese: give text that is cut into words, with --tokenise none. Other files are cut into units,
    which are words, clitics and marks.
    """
    if options.links is not None:
        _import_links(invocation, options, options.links)
    elif options.lang is not None:
        _align_corpus(invocation, options)
    elif options.source is None or options.ref is None:
        raise UsageError("align needs --lang A,B for the database, or two files: --source FILE --ref FILE")
    elif options.retrain:
        raise UsageError("--retrain is for --lang; a model of files is always a new one")
    else:
        _align_files(invocation, options, options.source, options.ref)


def _languages(options: AlignOptions) -> tuple[str, str]:
    from corpusdb.base.languages import language_codes

    languages = language_codes(options.lang or "")
    if len(languages) != 2:
        raise UsageError(f"--lang takes two languages with a comma between, such as fra,eng, not {options.lang!r}")
    return languages[0], languages[1]


def _import_links(invocation: Invocation, options: AlignOptions, links: Path) -> None:
    from corpusdb.alignment.queries.link_files import import_links, read_link_file

    if options.lang is None or options.source is None or options.ref is None:
        raise UsageError("--links needs --lang A,B and the texts that are linked: --source FILE in A, --ref FILE in B")
    others = {"--retrain": options.retrain, "--output": options.output, "--tokens": options.tokens}
    if given := [name for name, value in {**others, "--gold": options.gold}.items() if value]:
        raise UsageError(f"{given[0]} does not go with --links, which only takes links in")
    languages = _languages(options)
    given_links = read_link_file(links, options.source, options.ref, options.tokenise or "none")
    with invocation.writing() as store:
        found = invocation.run(import_links(store, *languages, given_links))
    invocation.report(
        found,
        [
            ("languages", f"{found.source},{found.target}"),
            ("lines read", found.read),
            ("pairs with links", found.pairs),
            ("links", found.links),
            (f"{found.source} tokens aligned with nothing", found.unlinked_source),
            (f"{found.target} tokens aligned with nothing", found.unlinked_target),
            ("lines of pairs not in the corpus", found.unknown),
            ("lines of pairs cut into other tokens", found.other_tokens),
            ("lines of pairs that stood before", found.repeated),
            ("pairs of the corpus without links", found.without_links),
            ("different phrase pairs", found.phrase_pairs),
            ("seconds", round(found.seconds, 1)),
        ],
    )


def _align_corpus(invocation: Invocation, options: AlignOptions) -> None:
    from corpusdb.alignment.queries.corpus_alignment import align_languages

    files = {"--source": options.source, "--ref": options.ref, "--gold": options.gold}
    for_files = {**files, "--tokenise": options.tokenise}
    if given := [name for name, value in for_files.items() if value is not None]:
        raise UsageError(f"{given[0]} is for files, and --lang for the database; give one of the two")
    if options.tokens is not None and options.output is None:
        raise UsageError("with --lang, --tokens needs --output: the tokens are those of the links that it writes")
    if invocation.json and str(options.output) == "-":
        raise UsageError("--json prints a report where the links would stand; give these a file with --output")
    languages = _languages(options)
    guard = invocation.guard(overwrite=options.overwrite)
    _check_outputs(_outputs(options, languages), guard)
    with invocation.writing() as store:
        found = invocation.run(align_languages(store, *languages, retrain=options.retrain))
        if options.output is not None:
            _write_links(store, options, languages, guard)
    rows: list[tuple[str, Cell]] = [
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
    ]
    for line in found.advice:
        invocation.say(line)
    if str(options.output) != "-":
        invocation.report(found, rows)
    if found.without_links:
        invocation.say(
            f"{found.without_links:,} pairs have no links: the others are imported, and no model came with them; "
            "import links of these too, or --retrain"
        )
    if found.too_long:
        _say_too_long(invocation, found.too_long, "pairs")


def _outputs(options: AlignOptions, languages: tuple[str, str]) -> list[Path]:
    """The files that --output and --tokens name: links, both texts, and these side by side."""
    output = options.output
    if output is None:
        return []
    texts = [] if str(output) == "-" else [output.with_name(f"{output.name}.{each}") for each in languages]
    return [output, *texts, *([options.tokens] if options.tokens else [])]


def _check_outputs(files: Sequence[Path], guard: Guard) -> None:
    """Say before the long work that they cannot be written; the links alone may go to stdout."""
    from corpusdb.base.outputs import check_output

    if len({*files}) < len(files) or Path("-") in files[1:]:
        raise UsageError("links and texts go to different files; give --tokens another name")
    for file in files:
        if str(file) != "-":
            check_output(file, guard)


def _write_links(store: Store, options: AlignOptions, languages: tuple[str, str], guard: Guard) -> None:
    """The stored links as Pharaoh lines, and beside them the texts, a space between two tokens."""
    from corpusdb.alignment.pharaoh import pharaoh_line
    from corpusdb.alignment.queries.link_files import linked_texts
    from corpusdb.base.outputs import Outputs

    with Outputs(guard) as outputs, ExitStack() as stack:
        links, *texts = [
            sys.stdout if str(file) == "-" else stack.enter_context(outputs.text(file))
            for file in _outputs(options, languages)
        ]
        beside = texts.pop() if options.tokens else None
        for each in linked_texts(store, *languages):
            links.write(f"{pharaoh_line(each.links)}\n")
            sides = " ".join(each.source), " ".join(each.target)
            for file, side in zip(texts, sides, strict=False):
                file.write(f"{side}\n")
            if beside is not None:
                beside.write(f"{' ||| '.join(sides)}\n")


def _say_too_long(invocation: Invocation, count: int, what: str) -> None:
    invocation.say(f"of the {what} {count:,} have over {MAX_SENTENCE_UNITS:,} tokens on a side, and no links")


def _align_files(invocation: Invocation, options: AlignOptions, source_file: Path, ref: Path) -> None:
    from corpusdb.alignment.pharaoh import pharaoh_line
    from corpusdb.alignment.queries.link_files import agreement_with, align_files, figures_of, read_gold, read_tokenised

    is_shown = options.output is None or str(options.output) == "-"
    if invocation.json and is_shown:
        raise UsageError("--json prints a report where the links would stand; give these a file with --output")
    begun = monotonic()
    files = read_tokenised(source_file, ref, options.tokenise or "auto")
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

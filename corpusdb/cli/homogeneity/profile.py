"""The command that tells where a corpus stands between two references."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from corpusdb.cli.homogeneity.models import Normalise, Smoothing
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json
from corpusdb.errors import UsageError

if TYPE_CHECKING:
    from corpusdb.queries.homogeneity.profile_references import ProfileRecipe
    from corpusdb.store import Store

__all__ = ["profile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileOptions:
    """What `profile` takes."""

    lang: Annotated[
        str | None, typer.Option("--lang", metavar="LANG", help="Language; may be left out if only one.")
    ] = None
    spoken: Annotated[
        str | None, typer.Option(metavar="A,B", help="Collections or files: I = 0.", show_default=False)
    ] = None
    written: Annotated[
        str | None, typer.Option(metavar="C,D", help="Collections or files: I = 1.", show_default=False)
    ] = None
    order: Annotated[int, typer.Option(metavar="N", min=1, max=20, help="The longest n-grams, in characters.")] = 5
    smoothing: Smoothing = "wb"
    normalise: Normalise = "case"
    level: Annotated[
        Literal["line", "document", "collection"] | None,
        typer.Option(help="Only this level; all if not given.", show_default=False),
    ] = None
    each: Annotated[bool, typer.Option("--each", help="With --level: a row for each of them.")] = False
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Make it anew, as where its references changed.")] = False
    outliers: Annotated[bool, typer.Option("--outliers", help="The lines that belong least to the others.")] = False
    duplicates: Annotated[bool, typer.Option("--duplicates", help="Lines that have the same letters.")] = False
    collection: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --outliers, --duplicates: only in this.")
    ] = None
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=0, help="Rows at most; 0 is all.")] = 50


@command("profile", answers=True, kept=False)
def profile(invocation: Invocation, options: ProfileOptions) -> int:
    """Tell where texts stand between speech and writing.

    The coefficient I (Denoual 2005) compares what a text costs under models of two references: 0 is the spoken one, 1
    the written one. Text that the models have not seen stands between them, and is told. Where a text is as near to
    both as they are to themselves, I is undefined; outside of 0 to 1 it is clipped; both are counted. J is a linear
    scale on which unseen text of the references is 0 and 1. Documents are sums of their lines, never means.

    References are cut to as many characters. Lines that stand in one are not measured. The profile is kept: the same
    call measures only what is new.

    --outliers ranks by self-entropy, the bits of a line under a model of the others, which finds foreign and damaged
    text as I cannot; brackets stand around the characters that cost most.
    """
    if options.outliers or options.duplicates:
        return _outlying(invocation, options)
    if options.each and options.level is None:
        raise UsageError("--each needs --level: line, document or collection")
    recipe = _recipe(options)
    from corpusdb.queries.homogeneity.profile_levels import LEVELS, entries_of, profile_report
    from corpusdb.queries.homogeneity.profiles import make_profile
    from corpusdb.reports.homogeneity import ENTRY_COLUMNS, LEVEL_COLUMNS, entry_rows, level_rows, profile_remarks

    levels = LEVELS if options.level is None else (options.level,)
    with invocation.writing() as store:
        language = _language(store, options.lang)
        made = invocation.run(make_profile(store, language, recipe, rebuild=options.rebuild))
        report = profile_report(store, made, levels)
        entries = entries_of(store, made, options.level) if options.each and options.level else []
    shown = entries[: options.limit or None]
    if invocation.json:
        write_json(asdict(report) | ({"entries": [asdict(each) for each in shown]} if options.each else {}))
    elif options.each:
        invocation.show(ENTRY_COLUMNS, entry_rows(shown))
    else:
        invocation.show(LEVEL_COLUMNS, level_rows(report))
    for line in profile_remarks(report):
        invocation.say(line)
    invocation.say_cut(len(shown), len(entries), f"{options.level}s")
    return len(entries) if options.each else len(report.levels)


def _recipe(options: ProfileOptions) -> ProfileRecipe:
    from corpusdb.queries.homogeneity.profile_references import ProfileRecipe

    if not options.spoken or not options.written:
        raise UsageError("profile needs both references: --spoken A,B --written C")
    return ProfileRecipe(
        spoken=tuple(options.spoken.split(",")),
        written=tuple(options.written.split(",")),
        order=options.order,
        smoothing=options.smoothing,
        normalisation=options.normalise,
    )


def _language(store: Store, given: str | None) -> str:
    from corpusdb.languages import language_code
    from corpusdb.queries.lexicon.selection import require_language

    return require_language(store, None if given is None else language_code(given))


def _outlying(invocation: Invocation, options: ProfileOptions) -> int:
    from corpusdb.queries.homogeneity.outlying import near_duplicates, outliers

    if options.outliers and options.duplicates:
        raise UsageError("--outliers and --duplicates are two lists; ask for one of them")
    with invocation.reading() as store:
        language = _language(store, options.lang)
        if options.duplicates:
            groups = near_duplicates(store, language, options.collection)
            shown = groups[: options.limit or None]
            if invocation.json:
                write_json(shown)
            else:
                rows = [(number, text) for number, group in enumerate(shown, 1) for text in group]
                invocation.show(("group", "text"), rows)
            invocation.say_cut(len(shown), len(groups), "groups")
            return len(groups)
        found = invocation.run(
            outliers(store, language, options.collection, limit=options.limit or None), resumes=False
        )
    if invocation.json:
        write_json(found)
    else:
        columns = ("score", "bits", "rarest", "text", "dearest")
        invocation.show(
            columns,
            [
                (f"{each.score:.2f}", f"{each.self_entropy:.2f}", f"{each.rarity:.2f}", each.text, each.marked)
                for each in found.lines
            ],
        )
    invocation.say_cut(len(found.lines), found.measured, "lines")
    return found.measured

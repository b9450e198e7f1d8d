"""The command that tells where a corpus stands between two references."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Final, Literal

from corpusdb.base.cells import cell_width, cut_left, cut_right
from corpusdb.base.display import Cell, cell_safe
from corpusdb.base.errors import UsageError
from corpusdb.base.jobs import SAME_COMMAND
from corpusdb.base.options import Argument, Option, names_in, record_from_json, refuse_given
from corpusdb.commands.command import command, replayable
from corpusdb.commands.invocation import Invocation, texts_of
from corpusdb.homogeneity.commands import LanguageIfOne, Normalise, Smoothing, corpus_language

if TYPE_CHECKING:
    from corpusdb.corpus.store import Store
    from corpusdb.homogeneity.queries.likeness import OutlierReport
    from corpusdb.homogeneity.queries.profile_levels import ProfileView
    from corpusdb.homogeneity.queries.profiles import ProfileRecipe, StoredProfile


_FARTHEST: Final = 1000.0
"""On the scale J, which has no bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileOptions:
    text: Annotated[
        str | None,
        Argument("Texts of your own, not the corpus: a file of lines, or one text.", metavar="[TEXT|FILE|-]"),
    ] = None
    lang: LanguageIfOne = None
    spoken: Annotated[str | None, Option("Text like speech, where I is 0: collections or files.", metavar="NAMES")] = (
        None
    )
    written: Annotated[
        str | None, Option("Text like writing, where I is 1: collections or files.", metavar="NAMES")
    ] = None
    order: Annotated[int, Option("The longest n-grams, in characters.", metavar="N", least=1, most=20)] = 5
    smoothing: Smoothing = "wb"
    normalise: Normalise = "case"
    level: Annotated[
        Literal["line", "document", "collection", "whole"] | None, Option("Only this level (default: all).")
    ] = None
    each: Annotated[bool, Option("With --level: one row for each line, document or collection.")] = False
    rebuild: Annotated[bool, Option("Rebuild the profile, for example after its references changed.")] = False
    outliers: Annotated[bool, Option("List the lines that fit least with the others.")] = False
    duplicates: Annotated[bool, Option("List lines with the same letters, or all but one word the same.")] = False
    collection: Annotated[str | None, Option("Only sentences of this collection or selection.", metavar="NAME")] = None
    document: Annotated[str | None, Option("Only in this document or file.", metavar="NAME")] = None
    query: Annotated[str | None, Option("Only what this saved search finds.", metavar="NAME")] = None
    histogram: Annotated[bool, Option("Show a histogram: one row per bar.")] = False
    scale: Annotated[Literal["I", "J"], Option("The scale of --histogram, --from and --to.")] = "I"
    low: Annotated[
        float | None, Option("List what scores X or more.", "--from", metavar="X", least=-_FARTHEST, most=_FARTHEST)
    ] = None
    high: Annotated[
        float | None, Option("List what scores X or less.", "--to", metavar="X", least=-_FARTHEST, most=_FARTHEST)
    ] = None
    name: Annotated[str | None, Option("Store the listed lines as a selection.", metavar="NAME")] = None
    others: Annotated[bool, Option("With --name: store all other lines instead.")] = False
    limit: Annotated[int, Option("Show at most this many rows; 0 shows all.", "--limit -n", metavar="N", least=0)] = 50

    @property
    def places(self) -> dict[str, str | None]:
        """Where the sentences that are measured stand."""
        return {"collection": self.collection, "document": self.document, "query": self.query}

    @property
    def is_bounded(self) -> bool:
        """Whether a stretch of the scale is asked for."""
        return self.low is not None or self.high is not None

    @property
    def is_stretch(self) -> bool:
        """Whether rows are of a scale, not of levels."""
        return self.histogram or self.is_bounded


# `profile --histogram`, and `profile --from --to`: the bars of a scale, and what stands on a part of it.


def stretch(invocation: Invocation, options: ProfileOptions, recipe: ProfileRecipe) -> int:
    """The rows that were asked for; with a name what was listed is kept. How many there are."""
    low = -math.inf if options.low is None else options.low
    high = math.inf if options.high is None else options.high
    if not low <= high:
        raise UsageError(f"nothing lies from {low:g} to {high:g}")
    from corpusdb.homogeneity.queries.profile_levels import (
        ProfileView,
        entries_of,
        keep_lines,
        line_places,
        read_groups,
    )
    from corpusdb.homogeneity.queries.profiles import among, read_lines
    from corpusdb.homogeneity.report import ENTRY_COLUMNS, entries_between, entry_rows, format_between
    from corpusdb.search.queries.results import check_selection_name

    level = options.level or "line"
    with invocation.writing() as store:
        language = corpus_language(store, options.lang)
        if options.name:
            check_selection_name(store, options.name)
        chosen = among(store, language, **options.places)
        made = _made(invocation, store, language, recipe, rebuild=options.rebuild)
        view = ProfileView(made, read_lines(store, made, chosen), read_groups(store, made, chosen))
        order = view.order(level, options.scale)
        between = order.between(low, high)
        entries = [] if options.histogram else entries_of(store, made, level, chosen)
        if options.name:
            seen = {"level": level, "scale": options.scale, "from": options.low, "to": options.high}
            places = line_places(store, view, level, order.places(between, others=options.others))
            count = keep_lines(store, options.name, view, places, seen | {"others": options.others})
            invocation.say(f"{count:,} lines are stored as {options.name!r}")
    if options.is_bounded:
        invocation.say(format_between(between, level))
    if options.histogram:
        return _histogram(invocation, view, options)
    listed = entries_between(entries, options.scale, low, high)
    shown = listed[: options.limit or None]
    invocation.show(
        ENTRY_COLUMNS,
        entry_rows(shown),
        document={"between": asdict(between), "entries": [asdict(each) for each in shown]},
    )
    invocation.say_cut(len(shown), len(listed), f"{level}s")
    return len(listed)


def _histogram(invocation: Invocation, view: ProfileView, options: ProfileOptions) -> int:
    from corpusdb.homogeneity.report import BAR_COLUMNS, bar_rows, histogram

    bars = histogram(view, options.level or "line", options.scale)
    invocation.show(
        BAR_COLUMNS,
        bar_rows(bars),
        document=[{"bar": asdict(each.bar), "ticks": [asdict(tick) for tick in each.ticks]} for each in bars],
    )
    return len(bars)


_PLACE_CELLS = 18
_LEAST_CELLS = 16
_FIGURE_CELLS = 3 * 8 + 4
"""Of three columns of figures, and between all columns."""


def _made(
    invocation: Invocation, store: Store, language: str, recipe: ProfileRecipe, *, rebuild: bool
) -> StoredProfile:
    from corpusdb.homogeneity.queries.profiles import make_profile

    goes_on = f"{SAME_COMMAND} without --rebuild" if rebuild else SAME_COMMAND
    return invocation.run(make_profile(store, language, recipe, rebuild=rebuild), goes_on=goes_on)


@replayable(lambda options, folder: replace(options, rebuild=False))
@command("profile", answers=True, kept=False)
def profile(invocation: Invocation, options: ProfileOptions) -> int:
    """Measure where texts lie between speech and writing.

    The coefficient I (Denoual 2005) compares how well models of two reference corpora predict a text: 0 is the spoken
    reference, 1 the written one. Unseen text falls in between; the command reports where that of each reference falls.
    I is undefined for a text that is as close to both references as they are to themselves, and values outside 0 to 1
    are clipped; both are counted. J is a linear scale on which unseen text of the references scores 0 and 1. Documents
    are scored by the sums over their lines, not by the mean of scores.

    The references are cut to the same number of characters. Lines that occur in a reference are not measured. The
    profile is stored: the same call measures only what is new. By a stored profile FILE is measured without being
    imported: as a whole, or with --each line by line.

    --outliers ranks lines by self-entropy (bits per character under a model of all other lines), which finds foreign or
    damaged text that I cannot. bits: the self-entropy. rarest: the bits of the rarest character. score: bits plus a
    tenth of rarest, minus an allowance for short lines, which vary more. dearest: the line, with brackets around the
    characters that cost half of its bits.

    --duplicates lists lines with the same letters, and lines that differ in a single unit (a word, or a character in
    scripts without spaces) that makes up at most a fifth of them.

    --from and --to list what scores between two values; --name stores these lines as a selection, to be used wherever a
    collection can.
    """
    _check(options)
    if options.outliers or options.duplicates:
        return _outlying(invocation, options)
    recipe = _recipe(options) if options.spoken or options.written else _kept_recipe(invocation, options)
    if options.text is not None:
        return _own_text(invocation, options, recipe, options.text)
    if options.is_stretch:
        return stretch(invocation, options, recipe)
    return _levels(invocation, options, recipe)


def _levels(invocation: Invocation, options: ProfileOptions, recipe: ProfileRecipe) -> int:
    from corpusdb.homogeneity.queries.profile_levels import LEVELS, document_correlations, entries_of, profile_report
    from corpusdb.homogeneity.queries.profiles import among
    from corpusdb.homogeneity.report import (
        ENTRY_COLUMNS,
        LEVEL_COLUMNS,
        entry_rows,
        format_correlations,
        format_small,
        level_rows,
        profile_remarks,
    )

    with invocation.writing() as store:
        language = corpus_language(store, options.lang)
        chosen = among(store, language, **options.places)
        levels = LEVELS if chosen is None else (*LEVELS, "whole")
        made = _made(invocation, store, language, recipe, rebuild=options.rebuild)
        report = profile_report(store, made, levels if options.level is None else (options.level,), chosen)
        entries = entries_of(store, made, options.level, chosen) if options.each and options.level else []
        correlations = document_correlations(store, made, chosen)
        documents = entries_of(store, made, "document", chosen) if options.level in (None, "document") else []
    shown = entries[: options.limit or None]
    if invocation.json:
        document = asdict(report) | {"correlations": [asdict(each) for each in correlations]}
        invocation.write_document(document | ({"entries": [asdict(each) for each in shown]} if options.each else {}))
    elif options.each:
        invocation.show(ENTRY_COLUMNS, entry_rows(shown))
    else:
        invocation.show(LEVEL_COLUMNS, level_rows(report))
    for line in (*profile_remarks(report), *format_small(documents), *format_correlations(correlations)):
        invocation.say(line)
    invocation.say_cut(len(shown), len(entries), f"{options.level}s")
    return len(entries) if options.each else len(report.levels)


def _own_text(invocation: Invocation, options: ProfileOptions, recipe: ProfileRecipe, given: str) -> int:
    from corpusdb.homogeneity.queries.profile_levels import entries_of_texts
    from corpusdb.homogeneity.report import ENTRY_COLUMNS, entry_rows, format_small, format_unseen

    texts = texts_of(invocation, [given])
    with invocation.writing() as store:
        made = _made(invocation, store, corpus_language(store, options.lang), recipe, rebuild=options.rebuild)
        entries = entries_of_texts(store, made, texts, None if options.each else given)
    shown = entries[: options.limit or None]
    invocation.show(ENTRY_COLUMNS, entry_rows(shown), document=[asdict(each) for each in shown])
    for line in (format_unseen(made.unseen), *format_small([] if options.each else entries)):
        invocation.say(line)
    invocation.say_cut(len(shown), len(entries), "lines")
    return len(entries)


def _check(options: ProfileOptions) -> None:
    if options.text is not None:
        refuse_given(options, _OF_CORPUS, "{} is for the corpus, not for a text of your own")
    elif options.each and options.level is None:
        raise UsageError("--each needs --level: line, document, collection or whole")
    if options.outliers and options.duplicates:
        raise UsageError("give --outliers or --duplicates, not both")
    if options.outliers or options.duplicates:
        _check_list(options)
    if options.scale != ProfileOptions().scale and not options.is_stretch:
        raise UsageError("--scale is for --histogram, --from and --to; rows of levels and entries have both")
    if options.histogram and options.each:
        raise UsageError("--histogram has a row for each bar: it takes no --each")
    if options.is_stretch and options.level == "whole":
        raise UsageError("--histogram, --from and --to are for lines, documents or collections")
    if options.name is not None and not (options.is_bounded or options.outliers):
        raise UsageError("--name needs --from, --to or --outliers, whose lines it stores")
    if options.others and options.name is None:
        raise UsageError("--others needs --name")


_OF_CORPUS: Final = (
    *("level", "outliers", "duplicates", "collection", "document", "query"),
    *("histogram", "scale", "low", "high", "name", "others"),
)


def _check_list(options: ProfileOptions) -> None:
    """Raise UsageError for what a list of lines, which is by no profile, would not look at."""
    if options.is_bounded or options.histogram or options.query:
        raise UsageError("--outliers and --duplicates take no scale and no saved search")
    of_profile = ("document", "level", "spoken", "written", "rebuild", "order", "smoothing", "normalise", "scale")
    refuse_given(options, of_profile, "{} does not go with --outliers and --duplicates, which use no profile")


def _recipe(options: ProfileOptions) -> ProfileRecipe:
    from corpusdb.homogeneity.queries.profiles import ProfileRecipe

    if not options.spoken or not options.written:
        raise UsageError("profile needs both references: --spoken A,B --written C")
    return ProfileRecipe(
        spoken=names_in(options.spoken),
        written=names_in(options.written),
        order=options.order,
        smoothing=options.smoothing,
        normalisation=options.normalise,
    )


def _kept_recipe(invocation: Invocation, options: ProfileOptions) -> ProfileRecipe:
    """The only one that the database has a profile by. Raises UsageError where there is none, or there are several."""
    from corpusdb.homogeneity.queries.profiles import ProfileRecipe, profiles_of

    with invocation.reading() as store:
        kept = profiles_of(store.connection, corpus_language(store, options.lang))
    called = [
        f"--spoken {','.join(each.parameters['spoken'])} --written {','.join(each.parameters['written'])}"
        for each in kept
    ]
    if len(kept) != 1:
        there = f"; there are profiles by {'; '.join(called)}" if kept else ": --spoken A,B --written C"
        raise UsageError(f"profile needs both references{there}")
    invocation.say(f"by the profile that is kept, of order {kept[0].parameters['order']}: {called[0]}")
    recipe = record_from_json(ProfileRecipe, kept[0].parameters, invocation.say, of="the profile")
    asked = options.order, options.smoothing, options.normalise
    usual = ProfileRecipe(spoken=(), written=())
    if asked not in [(each.order, each.smoothing, each.normalisation) for each in (recipe, usual)]:
        raise UsageError("--order, --smoothing and --normalise make another profile: give --spoken and --written too")
    return recipe


def _outlying(invocation: Invocation, options: ProfileOptions) -> int:
    from corpusdb.homogeneity.queries.likeness import outliers

    with invocation.writing() if options.name else invocation.reading() as store:
        language = corpus_language(store, options.lang)
        if options.duplicates:
            return _duplicates(invocation, store, language, options)
        found = invocation.run(outliers(store, language, options.collection, limit=options.limit or None))
        if options.name:
            from corpusdb.homogeneity.queries.profile_levels import keep_outliers

            count = keep_outliers(store, options.name, found, options.collection, others=options.others)
            invocation.say(f"{count:,} lines are stored as {options.name!r}")
    invocation.show(*_outlier_table(invocation, found), document=found)
    invocation.say_cut(len(found.lines), found.measured, "lines")
    return found.measured


def _outlier_table(invocation: Invocation, found: OutlierReport) -> tuple[Sequence[str], list[Sequence[Cell]]]:
    """Where each line stands, its figures, and its text with what is dear in brackets.

    On a terminal the brackets stand in the one text that there is room for, and that is cut.
    """
    places = [each.places[0] if each.places else None for each in found.lines]
    where = [("", "") if place is None else (place.collection, f"{place.file}:{place.line}") for place in places]
    figures = [(f"{each.score:.2f}", f"{each.self_entropy:.2f}", f"{each.rarity:.2f}") for each in found.lines]
    columns = ("collection", "line", "score", "bits", "rarest")
    if invocation.format != "table":
        rows = zip(where, figures, ((each.text, each.marked) for each in found.lines), strict=True)
        return (*columns, "text", "dearest"), [(*stands, *told, *texts) for stands, told, texts in rows]
    stands = [tuple(cut_left(cell_safe(cell), _PLACE_CELLS) for cell in each) for each in where]
    widths = [
        max([len(name), *map(cell_width, cells)])
        for name, cells in zip(columns, zip(*stands, strict=True), strict=False)
    ]
    room = get_terminal_size().columns - sum(widths) - _FIGURE_CELLS
    texts = [cut_right(cell_safe(each.marked), max(room, _LEAST_CELLS)) for each in found.lines]
    return (*columns, "dearest"), [
        (*each, *told, text) for each, told, text in zip(stands, figures, texts, strict=True)
    ]


def _duplicates(invocation: Invocation, store: Store, language: str, options: ProfileOptions) -> int:
    from corpusdb.homogeneity.queries.likeness import near_duplicates, one_unit_apart

    groups = [("letters", texts) for texts in near_duplicates(store, language, options.collection)]
    apart = invocation.run(one_unit_apart(store, language, options.collection))
    groups += [("one unit apart", texts) for texts in apart]
    shown = groups[: options.limit or None]
    rows = [(number, kind, text) for number, (kind, texts) in enumerate(shown, 1) for text in texts]
    invocation.show(("group", "kind", "text"), rows, document=[{"kind": kind, "texts": texts} for kind, texts in shown])
    invocation.say(f"{len(groups) - len(apart):,} groups have the same letters, {len(apart):,} are one unit apart")
    invocation.say_cut(len(shown), len(groups), "groups")
    return len(groups)

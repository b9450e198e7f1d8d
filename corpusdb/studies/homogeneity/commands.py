"""The command that repeats the study of data homogeneity on the collections of a database."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from corpusdb.base.errors import UsageError
from corpusdb.base.options import Option
from corpusdb.commands.command import command, replayable
from corpusdb.commands.invocation import Invocation
from corpusdb.commands.output import write_line, write_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpusdb.corpus.store import Store
    from corpusdb.homogeneity.queries.selecting import Method
    from corpusdb.studies.homogeneity.queries import HomogeneityStudy
    from corpusdb.studies.homogeneity.request import StudyRequest, TranslationTask
    from corpusdb.studies.images import ImageFormat


@dataclass(frozen=True, slots=True, kw_only=True)
class HomogeneityOptions:
    lang: Annotated[str, Option("Languages, such as jpn,eng.", metavar="LANG,...")]
    spoken: Annotated[str, Option("The reference of I = 0; eng=FILE is for one language.", metavar="A,B")]
    written: Annotated[str, Option("The reference of I = 1, likewise.", metavar="C,D")]
    corpus: Annotated[
        str | None,
        Option("Collections to measure; all but references if not given.", metavar="A,B"),
    ] = None
    pool: Annotated[str | None, Option("Collections to train on; those measured if not given.", metavar="A,B")] = None
    task: Annotated[str | None, Option("What models are for; held-out sentences if not given.", metavar="A,B")] = None
    held_out: Annotated[int, Option("How many are held out.", metavar="N", least=2)] = 510
    method: Annotated[
        str,
        Option("coefficient, moore-lewis, cynical (up to 10 %).", metavar="NAME,..."),
    ] = "coefficient,moore-lewis"
    shares: Annotated[
        str,
        Option("Amounts, in percent of the characters.", metavar="N,..."),
    ] = "0.5,1,3,5,10,15,25,50,75,100"
    draws: Annotated[int, Option("Random draws of each amount.", metavar="N", least=1, most=1000)] = 5
    source: Annotated[str | None, Option("Translate from this language.", "--from", metavar="LANG")] = None
    target: Annotated[str | None, Option("Into this one.", "--to", metavar="LANG")] = None
    system: Annotated[
        str | None, Option("Translators: analogy+memory, phrases; those that are ready.", metavar="NAME,...")
    ] = None
    by: Annotated[str | None, Option("Whose coefficients select pairs; the source's.", metavar="LANG")] = None
    part: Annotated[
        str | None, Option("table, correlations, perplexity, translation; all if not given.", metavar="NAME,...")
    ] = None
    seed: Annotated[int, Option("Of all that is drawn at random.", metavar="NUMBER", least=0)] = 1
    plots: Annotated[bool, Option("Figures below the tables.", "--plots/--no-plots")] = True
    svg: Annotated[Path | None, Option("Write them as SVG.", metavar="DIR")] = None
    png: Annotated[Path | None, Option("Write them as PNG.", metavar="DIR")] = None

    @property
    def folders(self) -> Mapping[ImageFormat, Path]:
        chosen: Mapping[ImageFormat, Path | None] = {"svg": self.svg, "png": self.png}
        return {format: folder for format, folder in chosen.items() if folder is not None}


@replayable(lambda options, folder: replace(options, svg=None, png=None))
@command("homogeneity", answers=True, kept=False)
def homogeneity(invocation: Invocation, options: HomogeneityOptions) -> int:
    """Tell whether homogeneous data are better to train on.

    Repeats Denoual (2005) on collections of the database: coefficients of lines and documents (Table 1, Figure 1) and
    what they go with (3.2); the perplexity of models (Figure 3), and BLEU, NIST and mWER of translators (Figure 2), by
    the amount of data selected or drawn at random, where these cross, and how sure the difference at 50 % is. The
    paper's numbers stand beside. Documents are those of the collections, or their files.

    A task that is held out shares no sentence and no translation with what is trained on. Translation takes long:
    --part, --system, --shares and --draws do some of it. Phrases need an alignment: `corpusdb align`.
    """
    from corpusdb.studies.homogeneity.queries import homogeneity_study

    guard = invocation.guard(overwrite=invocation.overwrite)
    parts = _parts(options)
    if options.folders:
        from corpusdb.studies.homogeneity.report import check_homogeneity_images

        check_homogeneity_images(parts, options.folders, guard)  # before anything is computed
    with invocation.reading() as store:
        request = _request(invocation, store, options, parts)
        found = invocation.run(homogeneity_study(store, request), resumes=False)
    _write(invocation, found, plots=options.plots)
    if options.folders:
        from corpusdb.studies.homogeneity.report import write_homogeneity_images

        for path in write_homogeneity_images(found, options.folders, guard):
            invocation.say(f"wrote {path}")
    return len(found.profiles) + len(found.perplexity) + (found.translation is not None)


def _parts(options: HomogeneityOptions) -> tuple[str, ...]:
    """The parts that are wanted; translation only where it is said from what to what."""
    from corpusdb.studies.homogeneity.request import PARTS

    if options.part is not None:
        return _names(options.part)
    return tuple(part for part in PARTS if part != "translation" or options.source or options.target)


def _request(invocation: Invocation, store: Store, options: HomogeneityOptions, parts: tuple[str, ...]) -> StudyRequest:
    from corpusdb.base.text import language_codes
    from corpusdb.homogeneity.queries.profiles import ProfileRecipe
    from corpusdb.studies.homogeneity.request import Pool, StudyRequest, corpus_of

    languages = language_codes(options.lang)
    spoken, written = (_by_language(given, languages) for given in (options.spoken, options.written))
    recipes = {code: ProfileRecipe(spoken=spoken[code], written=written[code], seed=options.seed) for code in languages}
    task = _names(options.task)
    corpus = corpus_of(store, _names(options.corpus), recipes, task)
    pool = Pool(
        collections=_names(options.pool) or corpus,
        task=task,
        held_out=options.held_out,
        methods=cast("tuple[Method, ...]", _names(options.method)),
        shares=_shares(options.shares),
        draws=options.draws,
    )
    bitext = _bitext(invocation, store, options) if "translation" in parts else None
    return StudyRequest(recipes=recipes, corpus=corpus, pool=pool, bitext=bitext, parts=parts, seed=options.seed)


def _bitext(invocation: Invocation, store: Store, options: HomogeneityOptions) -> TranslationTask:
    """What is translated; by the translators that the corpus is ready for where none is named."""
    from corpusdb.base.text import language_code
    from corpusdb.studies.homogeneity.request import TranslationTask
    from corpusdb.studies.homogeneity.translation_curves import ready_systems

    if options.source is None or options.target is None:
        raise UsageError("the part translation needs two languages: --from LANG --to LANG")
    source, target = language_code(options.source), language_code(options.target)
    by = source if options.by is None else language_code(options.by)
    if by not in (source, target):
        raise UsageError(f"pairs are selected by the coefficients of {source} or {target}, not of {by}")
    systems = _names(options.system)
    if not systems:
        systems, reasons = ready_systems(store, source, target)
        for reason in reasons:
            invocation.say(reason)
    return TranslationTask(source, target, systems, by)


def _by_language(given: str, languages: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The names for each language: those that are for all, and those behind its code. Raises UsageError for none."""
    found: dict[str, list[str]] = {code: [] for code in languages}
    for name in _names(given):
        code, equals, file = name.partition("=")
        chosen = [code] if equals and code in found else languages
        for each in chosen:
            found[each].append(file if chosen == [code] else name)
    for code, names in found.items():
        if not names:
            raise UsageError(f"no reference is given for {code} in {given!r}")
    return {code: tuple(names) for code, names in found.items()}


def _names(given: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in given.split(",") if name)) if given else ()


def _shares(given: str) -> tuple[float, ...]:
    """Percentages as shares, ascending. Raises UsageError for what is no number."""
    try:
        return tuple(sorted({float(each) / 100 for each in given.split(",")}))
    except ValueError:
        raise UsageError(f"{given!r} are no amounts in percent, such as 0.5,10,100") from None


def _write(invocation: Invocation, found: HomogeneityStudy, *, plots: bool) -> None:
    from corpusdb.studies.homogeneity.report import (
        HOMOGENEITY_COLUMNS,
        homogeneity_document,
        homogeneity_figures,
        homogeneity_remarks,
        homogeneity_rows,
        homogeneity_tables,
    )

    if invocation.json:
        invocation.write_document(homogeneity_document(found))
        return
    if invocation.format not in ("table", "markdown", "latex"):
        invocation.show(HOMOGENEITY_COLUMNS, homogeneity_rows(found))
        for line in homogeneity_remarks(found):
            invocation.say(line)
        return
    before, after = {"latex": ("% ", ""), "markdown": ("\n", "\n")}.get(invocation.format, ("", ""))
    for table in homogeneity_tables(found):
        write_line(f"{before}{table.title}{after}")
        invocation.show(table.columns, table.rows)
        write_line()
    if plots and invocation.format == "table":
        is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        for line in homogeneity_figures(found, ascii=not is_unicode):
            write_line(line)
    for line in homogeneity_remarks(found):
        write_text(f"{before}{line}{after}")

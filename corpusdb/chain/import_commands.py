"""The commands for what the corpus is made of: import, removal, licences."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from corpusdb.base.display import Cell, check_name, counted
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import SAME_COMMAND
from corpusdb.base.options import Argument, Option
from corpusdb.commands.command import Follow, command
from corpusdb.commands.invocation import Invocation
from corpusdb.corpus.formats.records import AskedReading, FilesRead

if TYPE_CHECKING:
    from corpusdb.chain.queries.importing import ColumnDoubt
    from corpusdb.corpus.formats import Source
    from corpusdb.corpus.model import ImportReport


@dataclass(frozen=True, slots=True, kw_only=True)
class _Imported:
    files: Annotated[list[Path], Argument("The files of one collection; - is stdin.", metavar="FILE...")]
    lang: Annotated[
        str, Option("Languages in order, such as eng,fra; not needed for p.en p.fr.", metavar="LANG,...")
    ] = ""
    format: Annotated[str | None, Option("{formats to read}; recognised if not given.", metavar="FORMAT")] = None
    name: Annotated[str | None, Option("Name of the collection (default: that of the first file).", metavar="NAME")] = (
        None
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportCommandOptions(AskedReading, _Imported):
    skip_bad: Annotated[
        int,
        Option(
            "{formats with skip_bad}: skip up to N bad lines, each reported; with more, nothing is imported.",
            metavar="N",
            least=0,
        ),
    ] = 0
    trust_lang: Annotated[bool, Option("Import even texts that are certainly not in the language of --lang.")] = False
    licence: Annotated[
        str | None, Option("Licence of the collection (default: that of tmx and jsonl files).", metavar="TEXT")
    ] = None
    replace: Annotated[
        bool,
        Option(
            "Replace files of the same names in the collection: remove what only their earlier contents had.",
            "--replace",
        ),
    ] = False
    follow: Follow = True


_ONE_ANNOTATION = (
    "a sentence has one annotation, the first; `corpusdb annotate --replace --file FILE --lang LANG` puts that of a"
    " file in its place"
)
_NOTHING_NEW = (
    "all sentences were in the corpus, and count once more where every occurrence is counted; `corpusdb remove {}`"
    " takes that back, and `corpusdb annotate --file FILE --lang LANG` annotates them without"
)


@command("import")
def import_files(invocation: Invocation, options: ImportCommandOptions) -> None:
    """Import aligned texts, or annotated ones.

    Makes the database if there is none. All files are checked before the database is touched. Several files are read in
    sequence into the same collection; {files read together} belong together. conllu and vert files may be of one
    language: `corpusdb guide annotations`. Files already imported in the same way add nothing. The contents of a
    corrected file are added to the old ones; --replace then removes what it no longer has, as `corpusdb remove
    --document` does.

    If a text seems to be in another language than the one given, by its script or by what the database holds, a warning
    says so; if this is certain, nothing is imported without --trust-lang.
    """
    from corpusdb.chain.queries.foreseen import foreseen_import, foreseen_lines
    from corpusdb.chain.queries.importing import check_sources, collection_name, column_doubts, left_behind
    from corpusdb.chain.queries.removing import import_replacing, older_versions

    if options.name:
        check_name(options.name, "a collection")
    sources = _sources(options)
    foreseen = foreseen_import(invocation.path, sources, follow=options.follow)
    for told in foreseen_lines(foreseen, document=invocation.json):
        invocation.say(told)
    checked = invocation.run(check_sources(sources, options.skip_bad))
    collection = options.name or collection_name(options.files[0])
    _say_columns(invocation, sources)
    licence = options.licence or _licence_of(sources)
    with invocation.writing(create=True) as store:
        _warn(invocation, column_doubts(store, checked), trusts=options.trust_lang)
        older = older_versions(store, collection, checked)
        report, removal = invocation.run(
            import_replacing(*(store, checked, collection, licence), replace=options.replace, follow=options.follow),
            goes_on=SAME_COMMAND,
        )
        dropped = removal.dropped if removal else ()
        for told in (*dropped, *left_behind(store, followed=options.follow)):
            invocation.say(told)
    _say_what_was_there(invocation, report, collection)
    for name in () if removal else older:
        invocation.say(
            f"{name}: was imported into {collection} before with other contents, which stay;"
            " the same command with --replace removes them"
        )
    if removal:
        invocation.say(f"replaced {', '.join(older)}: {counted(removal.sentences, 'sentences')} removed")
    _say_lines(invocation, report, sources)
    invocation.report({"collection": collection} | asdict(report), _figures(report))


def _licence_of(sources: Sequence[Source]) -> str | None:
    """The licence that all of the files tell, where they do and it is one."""
    from corpusdb.corpus.formats.jsonl import JsonlSource
    from corpusdb.corpus.formats.tmx import TmxSource

    telling = [each for each in sources if isinstance(each, TmxSource | JsonlSource)]
    told = {licence for each in telling for licence in each.licences()} if len(telling) == len(sources) else {""}
    return told.pop() or None if len(told) == 1 else None


def _say_columns(invocation: Invocation, sources: Sequence[Source]) -> None:
    """Say what texts are read from, and what the files have that nothing is."""
    from corpusdb.corpus.formats.bitexts import MosesSource
    from corpusdb.corpus.formats.tables import TableSource
    from corpusdb.corpus.formats.tmx import TmxSource

    telling = (each for each in sources if isinstance(each, TableSource | MosesSource | TmxSource))
    for told in dict.fromkeys(filter(None, (each.format_columns() for each in telling))):
        invocation.say(told)


def _say_what_was_there(invocation: Invocation, report: ImportReport, collection: str) -> None:
    """Say which files, and of annotated ones which annotations and sentences, were there before."""
    for name in report.unchanged:
        invocation.say(f"{name}: was imported before; nothing to do")
    if report.annotated_before:
        invocation.say(_ONE_ANNOTATION)
    if report.annotated and not report.sentences and not report.translations:
        invocation.say(_NOTHING_NEW.format(shlex.quote(collection)))


def _say_lines(invocation: Invocation, report: ImportReport, sources: Sequence[Source]) -> None:
    """Say which lines were left out, and which gave nothing new."""
    for file, line, reason in report.skipped:
        invocation.say(f"skipped: {file}:{line}: {reason}")
    for file, line, reason in report.first_rejected:
        invocation.say(f"left out: {file}:{line}: {reason}")
    more = report.rejected - len(report.skipped) - len(report.first_rejected)
    if more and report.first_rejected:
        invocation.say(f"left out: {counted(more, 'more lines')}")
    of_units = {str(each.paths[0]) for each in sources if isinstance(each, FilesRead) and each.counts_units}
    for file, line in report.first_duplicates:
        invocation.say(f"repeats a pair: {file}{f', unit {line}' if file in of_units else f':{line}'}")
    if report.duplicates > len(report.first_duplicates) > 0:
        invocation.say(f"repeat a pair: {counted(report.duplicates - len(report.first_duplicates), 'more lines')}")


def _warn(invocation: Invocation, doubts: Sequence[ColumnDoubt], *, trusts: bool) -> None:
    """Say what looks wrong of the languages. Raises InputError where that is sure, and nobody trusts them."""
    for doubt in doubts:
        if doubt.is_sure and not trusts:
            raise InputError(
                f"{doubt.told}; nothing was imported: check the order of --lang, or import it with --trust-lang"
            )
        invocation.say(f"warning: {doubt.told}")


def _sources(options: ImportCommandOptions) -> list[Source]:
    from corpusdb.corpus.formats import open_sources

    languages = tuple(options.lang.split(",")) if options.lang else ()
    reading = options.reading(languages, skip_bad=options.skip_bad > 0)
    return open_sources(options.format, options.files, reading)


def _figures(report: ImportReport) -> list[tuple[str, Cell]]:
    of_annotation = (
        ("sentences annotated", report.annotated),
        ("annotations left out, as there was one", report.annotated_before),
    )
    return [
        ("units read", report.read),
        ("new sentences", report.sentences),
        ("new translations", report.translations),
        ("repeated translations", report.duplicates),
        ("lines left out", report.rejected),
        *([("of these bad ones skipped", len(report.skipped))] if report.skipped else []),
        *((name, count) for name, count in of_annotation if count is not None),
        ("seconds", round(report.seconds, 1)),
    ]


@dataclass(frozen=True, slots=True)
class RemoveOptions:
    name: Annotated[str, Argument("The collection, as `corpusdb info` lists it.", metavar="COLLECTION")]
    document: Annotated[str | None, Option("Only this file of it.", metavar="FILE")] = None
    sentence: Annotated[str | None, Option("From the collection accepted: only this paraphrase.", metavar="TEXT")] = (
        None
    )
    follow: Annotated[
        bool,
        Option(
            "Bring derived data up to date with what is left; otherwise they only lose what rests on it alone.",
            "--follow/--no-follow",
        ),
    ] = True


@command("remove")
def remove(invocation: Invocation, options: RemoveOptions) -> None:
    """Undo an import: remove a collection or a file, and what only it has.

    Sentences that another collection also has stay; others are removed from results and selections too. An imported
    annotation goes with the last collection of annotated files that has the sentence. Derived data follow: few
    sentences take seconds, a large part of a language as long as generating did; --no-follow leaves that to `generate`.
    Accepted paraphrases stay, without translations that only this collection has; `remove accepted --sentence TEXT`
    removes one accepted by mistake. The removal is refused while lines of its own sentences have categories: use
    `corpusdb categories clear` or `remove` first. To keep everything, run `corpusdb backup` first.
    """
    from corpusdb.chain.queries.importing import left_behind
    from corpusdb.chain.queries.removing import remove_accepted, remove_collection
    from corpusdb.corpus.model import ACCEPTED

    if options.sentence is not None and options.document is not None:
        raise UsageError("--sentence and --document exclude each other: leave --document out")
    if options.sentence is not None and options.name != ACCEPTED:
        raise UsageError(f"--sentence is for accepted paraphrases: `corpusdb remove {ACCEPTED} --sentence TEXT`")
    with invocation.writing() as store:
        job = (
            remove_collection(store, options.name, options.document, follow=options.follow)
            if options.sentence is None
            else remove_accepted(store, options.sentence, follow=options.follow)
        )
        report = invocation.run(job, goes_on="`corpusdb generate`")
        for told in (*report.dropped, *left_behind(store, followed=options.follow)):
            invocation.say(told)
    if report.results:
        invocation.say(f"results and selections that lost sentences: {', '.join(report.results)}")
    figures = [("documents", report.documents), ("sentences", report.sentences), ("translations", report.translations)]
    invocation.report(asdict(report), [("removed", report.collection), *figures])


@dataclass(frozen=True, slots=True)
class LicenceOptions:
    name: Annotated[str, Argument("The collection, as `corpusdb info` lists it.", metavar="COLLECTION")]
    licence: Annotated[str, Argument("Its licence, such as CC-BY-4.0; empty for none.", metavar="TEXT")]


@command("licence")
def licence(invocation: Invocation, options: LicenceOptions) -> None:
    """Set the licence of a collection: of all its files.

    `corpusdb import --licence` sets it for a new collection; `corpusdb info` shows it. Files of another licence belong
    in a collection of their own.
    """
    from corpusdb.corpus.queries.names import set_licence

    with invocation.writing() as store:
        former = set_licence(store, options.name, options.licence)
    figures = {"collection": options.name, "licence": options.licence, "formerly": former or ""}
    invocation.report(figures, [*figures.items()])

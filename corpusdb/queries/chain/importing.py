"""The import of some files into one collection: all are checked first, and what was derived is updated afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from corpusdb.formats import Source
from corpusdb.jobs import Job
from corpusdb.model import ImportReport
from corpusdb.queries.chain.file_import import CheckedSource, check_source, import_source
from corpusdb.queries.chain.update import update_layers
from corpusdb.store import Store
from corpusdb.store.exclusive_jobs import exclusive

__all__ = ["ImportOptions", "check_sources", "collection_name", "import_checked", "import_files"]

_SHOWN_LINES = 10


class ImportOptions(TypedDict, total=False):
    """How files are imported, for a function that passes it on to ``import_files``."""

    licence: str | None
    skip_bad: int
    """So many bad lines may be skipped, where the sources skip them."""


def import_files(
    store: Store,
    sources: Sequence[Source],
    collection: str,
    licence: str | None = None,
    *,
    skip_bad: int = 0,
    follow: bool = True,
) -> Job[ImportReport]:
    """Check all sources, and then store them in a collection; see the two functions below."""
    checked = yield from check_sources(sources, skip_bad)
    return (yield from import_checked(store, checked, collection, licence, follow=follow))


def check_sources(sources: Sequence[Source], skippable: int = 0) -> Job[list[CheckedSource]]:
    """Read all files once, so that a bad one is refused before the database is touched.

    Of all sources together that skip bad lines, so many may be ``skippable``. Raises InputError.
    """
    checked: list[CheckedSource] = []
    for source in sources:
        left = skippable - sum(len(each.skipped) for each in checked)
        checked.append((yield from check_source(source, left)))
    return checked


@exclusive("import")
def import_checked(
    store: Store,
    checked: Sequence[CheckedSource],
    collection: str,
    licence: str | None = None,
    *,
    follow: bool = True,
) -> Job[ImportReport]:
    """Store checked sources, one after the other; with ``follow`` bring what was derived up to date afterwards.

    Files that were imported before, read the same way, add nothing. After an interruption the same call goes on.
    """
    reports = []
    for source in checked:
        reports.append((yield from import_source(store, source, collection, licence)))
    if follow:
        yield from update_layers(store)
    return _total(reports)


def collection_name(file: Path) -> str:
    """What a collection is called after its first file: corpus for corpus.tsv, corpus.en.gz and corpus.fr.txt."""
    if file == Path("-"):
        return "stdin"
    name = file.name
    for extension in (".gz", ".txt"):
        name = name.removesuffix(extension)
    return Path(name).stem


def _total(reports: Sequence[ImportReport]) -> ImportReport:
    return ImportReport(
        read=sum(report.read for report in reports),
        sentences=sum(report.sentences for report in reports),
        translations=sum(report.translations for report in reports),
        duplicates=sum(report.duplicates for report in reports),
        rejected=sum(report.rejected for report in reports),
        seconds=sum(report.seconds for report in reports),
        first_rejected=tuple(line for report in reports for line in report.first_rejected)[:_SHOWN_LINES],
        first_duplicates=tuple(line for report in reports for line in report.first_duplicates)[:_SHOWN_LINES],
        skipped=tuple(line for report in reports for line in report.skipped),
        unchanged=tuple(name for report in reports for name in report.unchanged),
        annotated=sum(report.annotated or 0 for report in reports) or None,
        annotated_before=sum(report.annotated_before or 0 for report in reports) or None,
    )

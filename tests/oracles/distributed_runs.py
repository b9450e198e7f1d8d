"""Runs of the chain on Spark on small corpora, and how their rows differ from those of the database's own chain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from corpora import Dump, Row, derived_rows, judged_rows, write_rows

from corpusdb.base.jobs import finished
from corpusdb.cluster.queries import LoadReport, load, look_up, read_units
from corpusdb.cluster.session import DistributedReport, Request
from corpusdb.corpus.formats import Options, Source, open_source
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.derivation import MOST_FILLER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ASKED = f"""
select distinct min(x.text, y.text), max(x.text, y.text)
from substitution
join filler y on y.id = substitution.filler
join slot on slot.context = substitution.context and slot.filler <> substitution.filler
join filler x on x.id = slot.filler
join sentence on sentence.id = slot.sentence
where length(x.text) <= {MOST_FILLER} * length(sentence.text)
"""
_COMMUTATIONS = """
select min(x.text, y.text), max(x.text, y.text), commutation.contexts
from commutation join filler x on x.id = commutation.x join filler y on y.id = commutation.y
"""


def compared_rows(store: Store) -> Dump:
    """All derived rows, without numbers that depend on an order; of commutations those that a derivation asks for."""
    rows = {**derived_rows(store), **judged_rows(store)}
    asked = set(store.connection.execute(_ASKED))
    rows["commutation"] = sorted(row for row in store.connection.execute(_COMMUTATIONS) if row[:2] in asked)
    return rows


def source_of(path: Path, rows: Iterable[Row], languages: Sequence[str] = ("eng", "fra")) -> Source:
    """Rows of texts as a file."""
    return open_source("tsv", [write_rows(path, rows)], Options(languages=tuple(languages), header="no"))


def run_on(session: SparkSession, sources: Sequence[Source], request: Request) -> DistributedReport:
    """The whole chain."""
    from corpusdb.cluster.chain import run_in

    return finished(run_in(session, finished(read_units(sources, request, session)), request))


def load_into(
    path: Path, folder: Path | str, seeds: Sequence[str] | None = None, session: SparkSession | None = None
) -> tuple[Store, LoadReport]:
    """A new database with what a run gave."""
    wanted = finished(look_up(folder, seeds, session))
    store = open_store(path, create=True)
    return store, finished(load(store, wanted))

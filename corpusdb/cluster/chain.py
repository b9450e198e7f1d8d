"""The chain on Spark: its steps in their order, a run of them, and what a run gave, read without Spark."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from corpusdb.base.arrays import I64, Bools
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job, Progress
from corpusdb.base.startup import give_memory_back, save_memory
from corpusdb.cluster import derivation, exchanges, rewordings
from corpusdb.cluster.folder import (
    Manifest,
    RunFolder,
    check_folder,
    document_digest,
    finish,
    is_done,
    keep_plan,
    kept_plan,
    remove_step,
    run_folder,
    step_digest,
)
from corpusdb.cluster.mapped import Row, numbers_of, write_texts, write_translations
from corpusdb.cluster.session import DistributedReport, Request
from corpusdb.cluster.workspace import Renumbering, Workspace, as_rows, read_items
from corpusdb.corpus.formats.records import Item
from corpusdb.paraphrase.sharing import MAX_SHARING
from corpusdb.paraphrase.slots import MAX_FILLERS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# What a run has to tell beside its rows: what was left out, and how many different things there are.


def figures_of(work: Workspace) -> Mapping[str, Any]:
    """Counts over the complete steps, and how many candidates have each order."""
    from pyspark.sql import functions as F

    result = work.read("result")
    fan = work.read("link").groupBy("translation").count()
    slot, text = work.read("slot").select("filler", "sentence", "start", "stop"), work.read("sentence")
    filler = F.expr("substring(text, start + 1, stop - start)")
    texts = slot.join(text, "sentence").groupBy("filler").agg(F.min(filler).alias("one"), F.max(filler).alias("other"))
    seeds = work.seeds()
    orders = result.groupBy("fluency").count().collect()
    return {
        "too_common": work.read("context").where(F.col("fillers") > MAX_FILLERS).count(),
        "left_out": fan.where(F.col("count") > MAX_SHARING).count(),
        "orders": sorted([row["fluency"], row["count"]] for row in orders),
        "seeds": result.select("seed").distinct().count(),
        "missing_seeds": 0 if seeds is None else len(work.seed_texts or ()) - seeds.count(),
        "collisions": texts.where("one <> other").count(),
    }


# The steps of the chain in their order: each is made unless it is there already, made of the same.


def _results(work: Workspace) -> DataFrame:
    found = work.read("candidate").join(work.read("fluency"), "text")
    judged = work.read("validity/candidate.parquet")
    return (
        found.join(judged, ["seed", "text"]).repartition(work.partitions, "seed").sortWithinPartitions("seed", "text")
    )


STEPS: Final[Mapping[str, Callable[[Workspace], DataFrame] | None]] = {
    "occurrence": derivation.occurrences,
    "sentence": derivation.sentences,
    "text": None,  # by the driver
    "link": derivation.links,
    "translation": None,
    "paraphrase": derivation.paraphrases,
    "shared_slot": derivation.shared_slots,
    "context": derivation.contexts,
    "slot": derivation.slots,
    "filler": derivation.fillers,
    "substitution": derivation.substitutions,
    "derivation": derivation.derivations,
    "commutation": derivation.commutations,
    "candidate": derivation.candidates,
    "segment": derivation.segments,
    "fluency": partial(derivation.fluencies, "candidate"),
    "compared": exchanges.compared,
    "instance": exchanges.instances,
    "validity": None,
    "result": _results,
    "lone": rewordings.lone_candidates,
    "lone_fluency": partial(derivation.fluencies, "lone"),
    "lone_judged": rewordings.judged_lone,
    "clause": None,
    "applied": rewordings.applied,
    "applied_fluency": partial(derivation.fluencies, "applied"),
    "made": rewordings.made,
    "part": None,
    "composed": rewordings.composed,
    "composed_fluency": partial(derivation.fluencies, "composed"),
    "rewording": rewordings.rewordings,
    "figures": None,
}
_WITH_SEEDS: Final = "candidate"
"""The first step that depends on which sentences are generated from."""


@dataclass(frozen=True, slots=True)
class ChainPlan:
    units: str
    """The digest of the step that read them."""
    language: str
    seeds: Sequence[str] | None
    """The sentences that are generated from, ascending; None for all."""

    def digests(self) -> Mapping[str, str]:
        """What each step is made of: the program, the steps before it and what was asked for."""
        digest = f"{self.units} {self.language}"
        found = {}
        for name in STEPS:
            digest = step_digest(name, f"{digest} {document_digest(self.seeds)}" if name == _WITH_SEEDS else digest)
            found[name] = digest
        return found


def run_steps(work: Workspace, plan: ChainPlan) -> Job[list[Manifest]]:
    """Make what is not there yet, step by step; an interrupted call goes on with the step in which it was stopped."""
    found = []
    for name, digest in plan.digests().items():
        known = is_done(work.folder, name, digest)
        if known is None:
            known = yield from _made(work, name, digest)
        found.append(known)
    keep_plan(work.folder, asdict(plan))
    return found


def complete_steps(folder: RunFolder) -> tuple[ChainPlan, Mapping[str, Manifest]]:
    """What the run in a folder was made of, and its steps. Raises InputError for one that is not complete."""
    check_folder(folder)
    kept = kept_plan(folder)
    plan = None if kept is None else ChainPlan(**kept)
    found = {"unit": is_done(folder, "unit", "" if plan is None else plan.units)}
    for name, digest in ({} if plan is None else plan.digests()).items():
        found[name] = is_done(folder, name, digest)
    steps = {name: manifest for name, manifest in found.items() if manifest is not None}
    if plan is None or len(steps) < len(found):
        missing = next((name for name, manifest in found.items() if manifest is None), "result")
        told = f"is not complete: step {missing} is missing; `corpusdb distributed run` goes on"
        raise InputError(told, path=str(folder))
    return plan, steps


def _made(work: Workspace, name: str, digest: str) -> Job[Manifest]:
    make = STEPS[name]
    begun = time.monotonic()
    remove_step(work.folder, name)
    document: Mapping[str, Any] = {}
    if make is not None:
        yield from work.write(name, make(work))
        rows = work.count(name)
    else:
        yield Progress(f"tasks of {name}", 0, 1)
        with work.folder.filled(name) as folder:
            rows, document = _BY_THE_DRIVER[name](work, folder)
        give_memory_back()  # for hours in which workers have the rest to do
    made = Manifest(name, digest, rows, round(time.monotonic() - begun, 1), document)
    finish(work.folder, made)
    return made


def _judged(work: Workspace, folder: Path) -> tuple[int, Mapping[str, Any]]:
    found = exchanges.judged(work)
    for name in ("candidate", "detected", "exchange", "part", "word_model", "lexical_model"):
        pq.write_table(getattr(found, name), folder / f"{name}.parquet")
    return found.candidate.num_rows, found.document


def _translations(work: Workspace, folder: Path) -> int:
    return write_translations(folder, work.table("link"), exchanges.translation_texts(work))


_BY_THE_DRIVER: Final[Mapping[str, Callable[[Workspace, Path], tuple[int, Mapping[str, Any]]]]] = {
    "text": lambda work, folder: (write_texts(folder, work.table("sentence", ["sentence", "text"])), {}),
    "translation": lambda work, folder: (_translations(work, folder), {}),
    "validity": _judged,
    "clause": lambda work, folder: (rewordings.write_clauses(work, folder), {}),
    "part": lambda work, folder: (rewordings.write_all_parts(work, folder), {}),
    "figures": lambda work, folder: (0, figures_of(work)),
}


# A run on a session that was started: from units in Parquet to judged candidates.

_UNITS_A_PART = 50_000
"""In a part, at most, where that gives more parts than twice the cores."""


def run_in(session: SparkSession, units: Manifest, request: Request) -> Job[DistributedReport]:
    """Run the chain on units that were read; what is complete in the folder, and was made of the same, stays."""
    begun = time.monotonic()
    save_memory()
    pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own keeps what it was given back
    cores = max(1, session.sparkContext.defaultParallelism)
    partitions = request.partitions or max(2 * cores, units.rows // _UNITS_A_PART)
    plan = _plan(units, request)
    work = Workspace(session, run_folder(request.folder, session), request.language, partitions, plan.seeds)
    steps = yield from run_steps(work, plan)
    return _report([units, *steps], request, time.monotonic() - begun)


def complete_run(units: Manifest, request: Request, session: SparkSession | None = None) -> DistributedReport | None:
    """What a run gave that is complete; None where anything is missing. Only an address needs a session."""
    plan, folder = _plan(units, request), run_folder(request.folder, session)
    steps = [is_done(folder, name, digest) for name, digest in plan.digests().items()]
    known = [each for each in steps if each is not None]
    if len(known) < len(steps):
        return None
    keep_plan(folder, asdict(plan))
    return _report([units, *known], request, 0.0)


def _plan(units: Manifest, request: Request) -> ChainPlan:
    seeds = None if request.seeds is None else sorted(set(request.seeds))
    return ChainPlan(units.digest, request.language, seeds)


def _report(steps: Iterable[Manifest], request: Request, seconds: float) -> DistributedReport:
    known = {each.step: each for each in steps}
    found = known["figures"].document
    return DistributedReport(
        units=known["unit"].rows,
        sentences=known["sentence"].rows,
        paraphrases=known["paraphrase"].rows,
        too_common=found["too_common"],
        left_out=found["left_out"],
        commutations=known["commutation"].rows,
        candidates=known["result"].rows,
        kept=sum(count for order, count in found["orders"] if order >= request.least_order),
        seeds=found["seeds"],
        missing_seeds=found["missing_seeds"],
        collisions=found["collisions"],
        seconds=round(seconds, 1),
        steps={each.step: each.seconds for each in known.values()},
    )


# What a run gave, read without Spark: all of it, or what some seeds need.


class RunResults:
    """The steps of a run, from which some columns of some rows are read.

    Rows are chosen by the names of columns: ``sentence=numbers`` are those with one of these numbers in that column,
    and None is all. ``step`` may name a file in one that has several.
    """

    def __init__(self, folder: RunFolder) -> None:
        """Raises InputError for a folder that is not one of ours, or not complete."""
        self.folder = folder
        self.plan, self.steps = complete_steps(folder)

    def table(
        self, step: str, columns: Sequence[str], chosen: ds.Expression | None = None, **wanted: I64 | None
    ) -> pa.Table:
        """Some columns of a step, in any order; ``chosen`` are the rows for which an expression of pyarrow is true."""
        return self._dataset(step).to_table(columns=list(columns), filter=_expression(wanted) if wanted else chosen)

    def rows(
        self, step: str, columns: Sequence[str], renumbered: Renumbering | None = None, **wanted: I64 | None
    ) -> Iterator[Row]:
        """The same as rows, without holding all of them, and maybe with other numbers in some columns."""
        return as_rows(self._dataset(step).to_batches(columns=list(columns), filter=_expression(wanted)), renumbered)

    def sorted_rows(
        self,
        step: str,
        columns: Sequence[str],
        by: Sequence[str],
        renumbered: Renumbering | None = None,
        **wanted: I64 | None,
    ) -> Iterator[Row]:
        """The same in the ascending order of what the run has."""
        found = self.table(step, columns, **wanted).sort_by([(name, "ascending") for name in by])
        return as_rows(found.to_batches(), renumbered)

    def numbers(self, step: str, column: str, **wanted: I64 | None) -> I64:
        """A column of whole numbers."""
        return numbers_of(self.table(step, [column], **wanted)[column])

    def _dataset(self, step: str) -> ds.Dataset:
        return ds.dataset(self.folder.files(step), format="parquet")

    def items(self, file: int, units: I64 | None) -> Iterator[Item]:
        """The units of a file as the importer reads them, in its order; those of these numbers, or all."""
        columns = ("unit", "file", "line", "texts", "languages", "name", "document", "versions", "rejected")
        for path in sorted(self.folder.files("unit").glob("*.parquet")):
            chosen = ds.field("file") == file
            if units is not None:
                chosen = chosen & ds.field("unit").isin(units)
            table = ds.dataset(path, format="parquet").to_table(columns=list(columns), filter=chosen)
            yield from read_items(table.sort_by("unit").to_batches())


def _expression(wanted: Mapping[str, I64 | None]) -> ds.Expression | None:
    """As pyarrow has it; None for all rows."""
    chosen = (ds.field(column).isin(numbers) for column, numbers in wanted.items() if numbers is not None)
    return next(chosen, None)


@dataclass(frozen=True)
class LoadedPart:
    """What of a run is to be loaded; None in place of numbers is all."""

    results: RunResults
    seeds: I64
    """The sentences that were generated from, or those of them that were asked for, ascending: of all of them those
    from which something came, as no others are seeds in a database."""
    sentences: I64 | None = None
    units: I64 | None = None
    contexts: I64 | None = None
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    """What is to be loaded of steps of which it is not all; none for all."""
    rewordings: frozenset[tuple[int, int]] = frozenset()
    """The pairs of B and B' of the derivations."""

    @property
    def is_all(self) -> bool:
        return self.sentences is None

    @property
    def fillers(self) -> I64 | None:
        return None if self.is_all else np.unique(numbers_of(self.tables["slot"]["filler"]))

    def rows(self, step: str, columns: Sequence[str], renumbered: Renumbering) -> Iterator[Row]:
        """Some columns of a step, as far as it is to be loaded, with other numbers."""
        if step in self.tables:
            return as_rows(self.tables[step].select(list(columns)).to_batches(), renumbered)
        return self.results.rows(step, columns, renumbered)


def part_of(results: RunResults, texts: Sequence[str] | None) -> LoadedPart:
    """What the seeds with these texts need to be looked at as in the whole, or all where none are given.

    Those are the seeds with what was generated from them and detected, all sentences of the analogies behind that, and
    the units in which any of these stand.
    """
    given = results.plan.seeds
    asked = given if texts is None else texts if given is None else set(texts).intersection(given)
    if asked is None:
        return LoadedPart(results, np.unique(results.numbers("result", "seed")))
    chosen = ds.field("text").isin(pa.array(sorted(set(asked)), pa.string()))
    seeds: I64 = np.unique(numbers_of(results.table("sentence", ["sentence"], chosen)["sentence"]))
    if texts is None:
        return LoadedPart(results, seeds)
    derived = _derived(results, seeds)
    pairs = derived.select(["low", "high", "contexts"]).group_by(["low", "high", "contexts"]).aggregate([])
    lone = _lone(results, seeds)
    replaced = lone.select(["context", "y", "sentence"]).rename_columns(["context", "filler", "sentence"])
    slots = _distinct(pa.concat_tables([_slots(results, seeds, pairs), replaced]))
    names = ["context", "y", "rewording", "sentence", "start", "stop"]
    substitutions = _distinct(pa.concat_tables([derived.select(names), lone.select(names)]))
    substitutions = substitutions.rename_columns(["context", "filler", *names[2:]])
    contexts = np.unique(numbers_of(slots["context"]))
    first = results.numbers("context", "sentence", context=contexts)
    detected = results.numbers("paraphrase", "paraphrase", sentence=seeds)
    behind = (numbers_of(substitutions["rewording"]), numbers_of(substitutions["sentence"]))
    sentences = np.unique(np.concatenate([seeds, numbers_of(slots["sentence"]), first, detected, *behind]))
    return LoadedPart(
        results,
        seeds,
        sentences,
        np.unique(results.numbers("occurrence", "unit", sentence=sentences)),
        contexts,
        {"slot": slots, "substitution": substitutions, "commutation": pairs},
        frozenset(zip(behind[1].tolist(), behind[0].tolist(), strict=True)),
    )


def _derived(results: RunResults, seeds: I64) -> pa.Table:
    columns = ("context", "x", "y", "rewording", "sentence", "start", "stop", "contexts")
    found = results.table("derivation", columns, ds.field("seed").isin(seeds) & (ds.field("contexts") >= 2))
    low, high = (side(found["x"], found["y"]) for side in (pc.min_element_wise, pc.max_element_wise))
    return found.append_column("low", low).append_column("high", high)


def _lone(results: RunResults, seeds: I64) -> pa.Table:
    """The derivations that a rewording of a seed may rest on: those with a clear place."""
    columns = ("context", "y", "rewording", "sentence", "start", "stop")
    if results.plan.seeds is not None:
        return results.table("derivation", columns, ds.scalar(False))
    reworded = np.unique(results.numbers("rewording", "sentence", sentence=seeds))
    chosen = ds.field("seed").isin(reworded) & ds.field("start").is_valid()
    return results.table("derivation", columns, chosen)


def _distinct(table: pa.Table) -> pa.Table:
    return table.group_by(table.column_names).aggregate([]).select(table.column_names)


def _slots(results: RunResults, seeds: I64, pairs: pa.Table) -> pa.Table:
    """The slots of the seeds, and those of every context that holds both fillers of one of these pairs."""
    columns = ("context", "filler", "sentence")
    low, high = numbers_of(pairs["low"]), numbers_of(pairs["high"])
    fillers = np.unique(np.concatenate([low, high]))
    chosen = ds.field("sentence").isin(seeds) | ds.field("filler").isin(fillers)
    table = results.table("slot", columns, chosen).sort_by([("filler", "ascending"), ("context", "ascending")])
    filler, context = numbers_of(table["filler"]), numbers_of(table["context"])
    wanted: Bools = np.isin(numbers_of(table["sentence"]), seeds)
    begins, ends = (np.searchsorted(filler, fillers, side=side) for side in ("left", "right"))
    for one, other in zip(np.searchsorted(fillers, low), np.searchsorted(fillers, high), strict=True):
        if ends[one] - begins[one] > ends[other] - begins[other]:
            one, other = other, one
        here = context[begins[one] : ends[one]]
        there = context[begins[other] : ends[other]]
        place = np.minimum(np.searchsorted(there, here), len(there) - 1)
        both = there[place] == here
        wanted[begins[one] : ends[one]] |= both
        wanted[begins[other] + place[both]] = True
    return table.filter(pa.array(wanted))

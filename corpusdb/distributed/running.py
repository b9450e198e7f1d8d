"""A run on a session that was started: from units in Parquet to judged candidates."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from corpusdb.distributed.chain import Plan, run_steps
from corpusdb.distributed.request import DistributedReport, Request
from corpusdb.distributed.workspace import Manifest, Workspace, digest_of, is_done, keep_plan
from corpusdb.jobs import Job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["complete_run", "run_in"]

_UNITS_A_PART = 50_000
"""So many units are divided into one part more."""


def run_in(session: SparkSession, units: Manifest, request: Request) -> Job[DistributedReport]:
    """Run the chain on units that were read; what is complete in the folder, and was made of the same, stays."""
    begun = time.monotonic()
    cores = max(1, session.sparkContext.defaultParallelism)
    partitions = request.partitions or max(2 * cores, units.rows // _UNITS_A_PART)
    work = Workspace(session, request.folder.resolve(), request.language, partitions, _seeds(request))
    steps = yield from run_steps(work, _plan(units, request))
    return _report([units, *steps], request, time.monotonic() - begun)


def complete_run(units: Manifest, request: Request) -> DistributedReport | None:
    """What a run gave that is complete, for which no session is needed; None where anything is missing."""
    plan = _plan(units, request)
    steps = [is_done(request.folder, name, digest) for name, digest in plan.digests().items()]
    known = [each for each in steps if each is not None]
    if len(known) < len(steps):
        return None
    keep_plan(request.folder, plan.document())
    return _report([units, *known], request, 0.0)


def _seeds(request: Request) -> list[str] | None:
    return None if request.seeds is None else sorted(set(request.seeds))


def _plan(units: Manifest, request: Request) -> Plan:
    seeds = _seeds(request)
    return Plan(units.digest, request.language, digest_of(seeds), seeds is None)


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

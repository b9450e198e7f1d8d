"""The steps of the chain in their order: each is made unless it is there already, made of the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

from corpusdb.distributed import derivation, detection, exchanges, fluency, rewordings, slots
from corpusdb.distributed.figures import figures_of
from corpusdb.distributed.workspace import (
    Manifest,
    Workspace,
    check_folder,
    finish,
    is_done,
    keep_plan,
    kept_plan,
    read_manifest,
    remove,
    step_digest,
)
from corpusdb.errors import InputError
from corpusdb.jobs import Job, Progress

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["STEPS", "Plan", "complete_steps", "run_steps"]


def _results(work: Workspace) -> DataFrame:
    """Every candidate with all that is known of it."""

    found = work.read("candidate").join(work.read("fluency"), "text")
    judged = work.read("validity/candidate.parquet")
    return (
        found.join(judged, ["seed", "text"]).repartition(work.partitions, "seed").sortWithinPartitions("seed", "text")
    )


STEPS: Final[Mapping[str, Callable[[Workspace], DataFrame] | None]] = {
    "occurrence": detection.occurrences,
    "sentence": detection.sentences,
    "link": detection.links,
    "paraphrase": detection.paraphrases,
    "shared_slot": slots.shared_slots,
    "context": slots.contexts,
    "slot": slots.slots,
    "filler": slots.fillers,
    "substitution": slots.substitutions,
    "derivation": derivation.derivations,
    "commutation": derivation.commutations,
    "candidate": derivation.candidates,
    "segment": fluency.segments,
    "fluency": fluency.fluencies,
    "compared": exchanges.compared,
    "instance": exchanges.instances,
    "validity": None,  # by the driver
    "lone": rewordings.lone_candidates,
    "lone_fluency": rewordings.lone_fluencies,
    "rewording": None,
    "result": _results,
    "figures": None,
}
_WITH_SEEDS: Final = "derivation"
"""The first step that depends on which sentences are generated from."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is made of."""

    units: str
    """The digest of the step that read them."""
    language: str
    seeds: str
    """The digest of the sentences that are generated from."""
    all_seeds: bool

    def document(self) -> Mapping[str, Any]:
        """As JSON can hold it."""
        return asdict(self)

    def digests(self) -> Mapping[str, str]:
        """What each step is made of: the program, the steps before it and what was asked for."""
        digest = f"{self.units} {self.language}"
        found = {}
        for name in STEPS:
            digest = step_digest(name, f"{digest} {self.seeds}" if name == _WITH_SEEDS else digest)
            found[name] = digest
        return found


def run_steps(work: Workspace, plan: Plan) -> Job[list[Manifest]]:
    """Make what is not there yet, step by step; an interrupted call goes on with the step in which it was stopped."""
    found = []
    for name, digest in plan.digests().items():
        known = is_done(work.folder, name, digest)
        if known is None:
            known = yield from _made(work, name, digest)
        found.append(known)
    keep_plan(work.folder, plan.document())
    return found


def complete_steps(folder: Path) -> tuple[Plan, Mapping[str, Manifest]]:
    """What the run in a folder was made of, and its steps. Raises InputError for one that is not complete."""
    check_folder(folder)
    told = kept_plan(folder)
    plan = None if told is None else Plan(**told)
    found = {"unit": is_done(folder, "unit", "" if plan is None else plan.units)}
    for name, digest in ({} if plan is None else plan.digests()).items():
        found[name] = is_done(folder, name, digest)
    steps = {name: manifest for name, manifest in found.items() if manifest is not None}
    if plan is None or len(steps) < len(found):
        missing = next((name for name, manifest in found.items() if manifest is None), "result")
        raise InputError(f"is not complete: step {missing} is missing; `corpusdb distributed run` goes on", path=folder)
    return plan, steps


def _made(work: Workspace, name: str, digest: str) -> Job[Manifest]:
    make = STEPS[name]
    begun = time.monotonic()
    remove(work.folder, name)
    document: Mapping[str, Any] = {}
    if make is not None:
        yield from work.write(name, make(work))
        rows = work.count(name)
    else:
        yield Progress("judging paraphrases", 0, 0)
        rows, document = _BY_THE_DRIVER[name](work, work.folder / name)
    made = Manifest(name, digest, rows, round(time.monotonic() - begun, 1), document)
    finish(work.folder, made)
    return made


def _judged(work: Workspace, folder: Path) -> tuple[int, Mapping[str, Any]]:
    found = exchanges.judged(work)
    folder.mkdir()
    for name in ("candidate", "detected", "exchange", "part"):
        pq.write_table(getattr(found, name), folder / f"{name}.parquet")
    return found.candidate.num_rows, found.document


def _reworded(work: Workspace, folder: Path) -> tuple[int, Mapping[str, Any]]:
    judging = read_manifest(work.folder, "validity")
    found = rewordings.rewordings(work, {} if judging is None else dict(judging.document))
    folder.mkdir()
    pq.write_table(found, folder / "rewording.parquet")
    return found.num_rows, {}


def _counted(work: Workspace, folder: Path) -> tuple[int, Mapping[str, Any]]:
    folder.mkdir()
    return 0, figures_of(work)


_BY_THE_DRIVER: Final[Mapping[str, Callable[[Workspace, Path], tuple[int, Mapping[str, Any]]]]] = {
    "validity": _judged,
    "rewording": _reworded,
    "figures": _counted,
}

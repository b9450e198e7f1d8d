"""Scores of people that are kept, with the outputs that they scored and the references of these."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from corpusdb.base.errors import InputError
from corpusdb.base.jobs import Job
from corpusdb.corpus.formats.scoring_input import USUAL, HumanJudgements
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.store import Store
from corpusdb.scoring.queries.agreement_figures import PAIRWISE_ACCURACY, AgreementStatistic, Samples, figures
from corpusdb.scoring.queries.frozen_sets import kept_references
from corpusdb.scoring.queries.imported_scores import ImportedScore, imported_scores
from corpusdb.scoring.queries.score_table import ScoreTable, SystemRow, counting_column, segment_values
from corpusdb.scoring.queries.scoring import Sampling
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.queries.stored_scores import TestSet, all_test_sets, set_scored_last, stored_output, ways_to_say
from corpusdb.scoring.queries.variant_scores import ComputedScores, GivenScores, VariantScores
from corpusdb.scoring.reference_count import HumanScores


@dataclass(frozen=True, slots=True)
class StoredPeople:
    """What people said of the systems of a test set."""

    name: str
    test_set: TestSet
    human: HumanJudgements
    others: int = 0
    """So many other test sets have scores of this name."""

    @property
    def told(self) -> str:
        """Which scores these are, in words."""
        number = f"; test set {self.test_set.number} of {self.others + 1} that have such scores" if self.others else ""
        return f"scores of people: {self.name}, stored, of {self.test_set}{number}"


def names_of_people(store: Store, test_set: TestSet | None = None) -> list[str]:
    """What kept scores of people are called, of one test set or of all, z before others."""
    kept = [each for each in imported_scores(store) if each.kind == "human"]
    own = {output.id for output in test_set.outputs} if test_set else {each.output for each in kept}
    names = dict.fromkeys(each.name for each in kept if each.output in own)
    return sorted(names, key=lambda name: name != USUAL)


@dataclass(frozen=True, slots=True)
class KeptJudgements:
    """All kept scores of people of one name, which may be of several test sets."""

    name: str
    scores: tuple[ImportedScore, ...]
    test_sets: tuple[TestSet, ...]

    def of(self, segments: int | None = None, number: int | None = None) -> StoredPeople:
        """Those of the test set of a number, or with so many segments the one that was scored last.

        Raises InputError where there is none.
        """
        having = [
            each for each in self.test_sets if segments in (None, each.segments) and number in (None, each.number)
        ]
        if not having:
            which = f"number {number}" if segments is None else f"{segments:,} segments"
            raise InputError(f"the scores of people called {self.name} are of no test set of {which}")
        chosen = max(having, key=lambda each: each.last_score)
        ids = {output.id for output in chosen.outputs}
        judged = _judgements([each for each in self.scores if each.output in ids])
        return StoredPeople(self.name, chosen, judged, len(having) - 1)


def kept_judgements(store: Store, name: str) -> KeptJudgements:
    """The kept scores of that name. Raises InputError where there are none."""
    scores = tuple(each for each in imported_scores(store) if each.kind == "human" and each.name == name)
    if not scores:
        known = names_of_people(store)
        advice = f"stored are {', '.join(known)}" if known else "none are stored: `corpusdb scores import --human`"
        raise InputError(f"there is no file {name}, and no scores of people are called so; {advice}")
    own = {each.output for each in scores}
    having = (each for each in all_test_sets(store) if own & {output.id for output in each.outputs})
    return KeptJudgements(name, scores, tuple(having))


def _judgements(scores: Sequence[ImportedScore]) -> HumanJudgements:
    """Of a system with several outputs what was said of the last one."""
    segments = {
        each.system: {
            int(at): float(each.segment_values[at]) for at in np.flatnonzero(np.isfinite(each.segment_values))
        }
        for each in scores
        if each.segment_values is not None
    }
    return HumanJudgements({each.system: each.value for each in scores}, segments)


def scored_systems(
    store: Store, people: StoredPeople, digest: str | None = None
) -> tuple[list[Output], ScoringReferences]:
    """The outputs that people scored, and the references of this digest, or those with which one was scored last.

    Raises InputError where no score by references is kept of any, and for a digest that there is not.
    """
    sets = people.test_set.reference_sets
    last_set = set_scored_last(store, people.test_set) if digest is None else people.test_set.set_called(digest)
    if last_set is None and digest is not None:
        raise InputError(f"no reference set {digest} is stored of {people.test_set}; say {ways_to_say(sets)}")
    if last_set is None:
        raise InputError(f"no references are stored for {people.test_set}: give the outputs, and --ref FILE")
    taken = next(each for each in sets if each.id == last_set)
    if digest is None and len(sets) > 1:
        others = [each for each in sets if each is not taken]
        store.remarks.append(f"references: {taken.label}, scored with last; for others say {ways_to_say(others)}")
    if taken.has_equivalents:
        store.remarks.append("these were scored with equivalents, and the references are as they were given")
    last = {each.system: each for each in people.test_set.outputs if each.system in people.human.systems}
    outputs = [Output(name, Path(name), stored_output(store, each.id)) for name, each in last.items()]
    return outputs, kept_references(store, last_set)


# What people and a metric say of the systems of a table, over the segments that people scored, and how far they agree.


SHOWN: Final = ("pearson", "kendall", PAIRWISE_ACCURACY)
_SAMPLING: Final = Sampling(seed=1)
"""That of the command, so that the two have the same intervals."""


@dataclass(frozen=True, slots=True)
class JudgedColumn:
    points: Mapping[str, tuple[float, float]]
    """What people say of a system, and its score over the segments that they scored."""
    figures: tuple[AgreementStatistic, ...]
    """SHOWN, of systems."""


def judging_column(store: Store, table: ScoreTable, column: int) -> Job[dict[int, JudgedColumn]]:
    """How far a column agrees with each column of people, as agreement has it.

    Raises InputError and UsageError as counting_column does.
    """
    people = [at for at, each in enumerate(table.columns) if each.kind == "human" and at != column]
    rows = [row for row in table.rows if row.cells[column] is not None]
    if not people:
        return {}
    scores = yield from _scores_of(store, table, column, rows)
    samples = Samples(_SAMPLING, table.test_set.segments)
    found: dict[int, JudgedColumn] = {}
    for at in people:
        human = _human_scores(store, table, at, rows)
        both = np.flatnonzero(np.isfinite(human.systems))
        part = scores.part(both)
        own = HumanScores(human.systems[both], None if human.segments is None else human.segments[both])
        ours = scores.systems[0, both] if part is None else part.judged(own).systems[0]
        ours = -ours if table.columns[column].lower_is_better else ours
        points = zip(own.systems.tolist(), ours.tolist(), strict=True)
        told = tuple(figures(scores, human, ("system",), samples, SHOWN))
        found[at] = JudgedColumn(dict(zip((rows[each].name for each in both), points, strict=True)), told)
    return found


def _human_scores(store: Store, table: ScoreTable, at: int, rows: Sequence[SystemRow]) -> HumanScores:
    """A column of people's scores of these systems; NaN where there is none."""
    cells = [row.cells[at] for row in rows]
    systems = np.array([math.nan if cell is None else cell.value for cell in cells])
    values = [None if cell is None else segment_values(store, table.columns[at], cell) for cell in cells]
    if all(each is None for each in values):
        return HumanScores(systems, None)
    nothing = np.full(table.test_set.segments, np.nan)
    return HumanScores(systems, np.stack([nothing if each is None else each for each in values]))


def _scores_of(store: Store, table: ScoreTable, column: int, rows: Sequence[SystemRow]) -> Job[VariantScores]:
    told = table.columns[column]
    named = told.label, told.name, told.signature, told.signature
    if told.settings is not None:
        counted = yield from counting_column(store, table, column)
        assert counted.scores is not None  # a metric of ours
        measure, statistics = counted.scores.measure, counted.scores.statistics.astype(np.float64)
        return ComputedScores(*named, measure, measure, statistics[np.newaxis])
    cells = [each for row in rows if (each := row.cells[column]) is not None]
    values = [segment_values(store, told, each) for each in cells]
    nothing = np.full(table.test_set.segments, np.nan)
    of_segments = [nothing if each is None else each for each in values]
    has_none = all(each is None for each in values)
    return GivenScores(*named, np.array([each.value for each in cells]), None if has_none else np.stack(of_segments))

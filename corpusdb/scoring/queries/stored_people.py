"""Scores of people that are kept, with the outputs that they scored and the references of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.scoring_input import USUAL, HumanJudgements
from corpusdb.corpus.formats.segments import Output
from corpusdb.corpus.store import Store
from corpusdb.scoring.queries.frozen_sets import kept_references
from corpusdb.scoring.queries.imported_scores import ImportedScore, imported_scores
from corpusdb.scoring.queries.scoring_references import ScoringReferences
from corpusdb.scoring.queries.stored_scores import TestSet, all_test_sets, set_scored_last, stored_output


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


def names_of_people(store: Store) -> list[str]:
    """What kept scores of people are called, z before others."""
    names = dict.fromkeys(each.name for each in imported_scores(store) if each.kind == "human")
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


def scored_systems(store: Store, people: StoredPeople) -> tuple[list[Output], ScoringReferences]:
    """The outputs that people scored, and the references with which one of them was scored last.

    Raises InputError where no score by references is kept of any.
    """
    last_set = set_scored_last(store, people.test_set)
    if last_set is None:
        raise InputError(f"no references are stored for {people.test_set}: give the outputs, and --ref FILE")
    last = {each.system: each for each in people.test_set.outputs if each.system in people.human.systems}
    outputs = [Output(name, Path(name), stored_output(store, each.id)) for name, each in last.items()]
    return outputs, kept_references(store, last_set)

"""The whole chain on the built-in phrasebook, and a report of what came out of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from corpusdb.formats import Options, open_source
from corpusdb.jobs import Job
from corpusdb.model import Analogy, DetectionReport, GenerationReport
from corpusdb.phrasebook import LANGUAGES, LICENCE, phrasebook_files
from corpusdb.queries.chain.file_import import check_source, import_source
from corpusdb.queries.chain.generation import generate
from corpusdb.queries.paraphrase.detection import detect
from corpusdb.queries.paraphrase.explanation import explain
from corpusdb.queries.paraphrase.filters import NO_FILTER, NSequenceFilter
from corpusdb.queries.paraphrase.paraphrases import paraphrases
from corpusdb.store import Store

__all__ = ["SEEDS", "DemoCandidate", "DemoExample", "DemoReport", "DemoTable", "run_demo"]

SEEDS = ("A slice of pizza, please.", "I would like a room with a balcony.", "May I have another pillow?")
_SHOWN = 10
_KEPT = NSequenceFilter()
"""The filter of the paper."""


@dataclass(frozen=True, slots=True)
class DemoCandidate:
    """A candidate of a seed, and whether the filter keeps it."""

    text: str
    frequency: int
    is_kept: bool
    is_new: bool
    """Whether the phrasebook does not have it."""


@dataclass(frozen=True, slots=True)
class DemoTable:
    """Candidates of one seed as in Table 5 of the paper."""

    seed: str
    candidates: tuple[DemoCandidate, ...]
    """By frequency, the highest first."""
    more: int
    """How many candidates are not among these."""


@dataclass(frozen=True, slots=True)
class DemoExample:
    """A candidate with one analogy behind it."""

    text: str
    analogy: Analogy
    shared: str
    """What B and B' are both translations of."""


@dataclass(frozen=True, slots=True)
class DemoReport:
    """What the demonstration shows."""

    sentences: int
    detection: DetectionReport
    generation: GenerationReport
    tables: tuple[DemoTable, ...]
    example: DemoExample | None
    seconds: float


_SENTENCES = "select count(*) from sentence where language = ?"


def run_demo(store: Store) -> Job[DemoReport]:
    """Import the phrasebook, detect and generate paraphrases of its English sentences, and report."""
    begun = time.monotonic()
    for path in phrasebook_files():
        source = open_source("tsv", [path], Options(languages=LANGUAGES))
        checked = yield from check_source(source)
        yield from import_source(store, checked, "phrasebook", LICENCE)
    detection = yield from detect(store, "eng")
    generation = yield from generate(store, "eng")
    (sentences,) = store.connection.execute(_SENTENCES, ("eng",)).fetchone()
    tables = tuple(_table(store, seed) for seed in SEEDS)
    return DemoReport(sentences, detection, generation, tables, _example(store), time.monotonic() - begun)


def _table(store: Store, seed: str) -> DemoTable:
    """Some candidates that are kept, and some that the filter strikes out."""
    generated = [one for one in paraphrases(store, seed, "eng", limit=0, kept=NO_FILTER) if one.frequency]
    ranked = sorted(generated, key=lambda one: (-one.frequency, one.text))
    kept = [one for one in ranked if _KEPT.passes(one)][: _SHOWN - 4]
    struck = [one for one in ranked if not _KEPT.passes(one)][: _SHOWN - len(kept)]
    shown = sorted([*kept, *struck], key=lambda one: (-one.frequency, one.text))
    candidates = (DemoCandidate(one.text, one.frequency, _KEPT.passes(one), not one.in_corpus) for one in shown)
    return DemoTable(seed, tuple(candidates), len(ranked) - len(shown))


def _example(store: Store) -> DemoExample | None:
    """One analogy behind the best candidate of the first seed that has any."""
    for seed in SEEDS:
        for one in paraphrases(store, seed, "eng", limit=0):
            explanation = explain(store, seed, one.text, "eng", limit=1)
            if explanation.analogies:
                analogy = explanation.analogies[0]
                return DemoExample(one.text, analogy, explanation.shared[analogy.b, analogy.rewording][0].text)
    return None

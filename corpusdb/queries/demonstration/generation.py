"""Generation on the built-in phrasebook: the whole chain from its files to paraphrases, and what came out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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

__all__ = ["SEED", "CandidateTable", "ExplainedCandidate", "GenerationShown", "ShownCandidate", "generate_phrasebook"]

SEED: Final = "I would like a room with a balcony."
_SHOWN = 8
_ANALOGIES = 20
_KEPT = NSequenceFilter()
"""The filter of the paper."""


@dataclass(frozen=True, slots=True)
class ShownCandidate:
    """A candidate of a seed, and whether the filter keeps it."""

    text: str
    frequency: int
    is_kept: bool
    is_new: bool
    """Whether the phrasebook does not have it."""


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """Candidates of one seed as in Table 5 of the paper."""

    seed: str
    candidates: tuple[ShownCandidate, ...]
    """By frequency, the highest first."""
    more: int
    """How many candidates are not among these."""


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A candidate with one analogy behind it."""

    text: str
    analogy: Analogy
    shared: str
    """What B and B' are both translations of."""


@dataclass(frozen=True, slots=True)
class GenerationShown:
    """What the phrasebook holds, and what was generated from it."""

    sentences: int
    detection: DetectionReport
    generation: GenerationReport
    table: CandidateTable
    example: ExplainedCandidate | None


_SENTENCES = "select count(*) from sentence where language = ?"


def generate_phrasebook(store: Store) -> Job[GenerationShown]:
    """Import the phrasebook, detect and generate paraphrases of its English sentences, and report."""
    for path in phrasebook_files():
        source = open_source("tsv", [path], Options(languages=LANGUAGES))
        checked = yield from check_source(source)
        yield from import_source(store, checked, "phrasebook", LICENCE)
    detection = yield from detect(store, "eng")
    generation = yield from generate(store, "eng")
    (sentences,) = store.connection.execute(_SENTENCES, ("eng",)).fetchone()
    table = _table(store)
    return GenerationShown(sentences, detection, generation, table, _example(store, table))


def _table(store: Store) -> CandidateTable:
    """Some candidates that are kept, and some that the filter strikes out."""
    generated = [one for one in paraphrases(store, SEED, "eng", limit=0, kept=NO_FILTER) if one.frequency]
    ranked = sorted(generated, key=lambda one: (-one.frequency, one.text))
    kept = [one for one in ranked if _KEPT.passes(one)][: _SHOWN - 3]
    struck = [one for one in ranked if not _KEPT.passes(one)][: _SHOWN - len(kept)]
    shown = sorted([*kept, *struck], key=lambda one: (-one.frequency, one.text))
    candidates = (ShownCandidate(one.text, one.frequency, _KEPT.passes(one), not one.in_corpus) for one in shown)
    return CandidateTable(SEED, tuple(candidates), len(ranked) - len(shown))


def _example(store: Store, table: CandidateTable) -> ExplainedCandidate | None:
    """A short analogy behind the first that is kept in the table, and new to the phrasebook, if there is such."""
    kept = [one for one in table.candidates if one.is_kept]
    for one in sorted(kept, key=lambda one: not one.is_new):
        explanation = explain(store, table.seed, one.text, "eng", limit=_ANALOGIES)
        if explanation.analogies:
            analogy = min(explanation.analogies, key=lambda each: len(each.a + each.b + each.rewording))
            return ExplainedCandidate(one.text, analogy, explanation.shared[analogy.b, analogy.rewording][0].text)
    return None

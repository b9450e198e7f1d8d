"""The whole chain on the built-in phrasebook, and a report of what came out of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from corpusdb.formats import Options, open_source
from corpusdb.jobs import Job
from corpusdb.model import DetectionReport, GenerationReport
from corpusdb.phrasebook import LANGUAGES, LICENCE, phrasebook_files
from corpusdb.queries.chain.file_import import check_source, import_source
from corpusdb.queries.chain.generation import generate
from corpusdb.queries.paraphrase.detection import detect
from corpusdb.queries.paraphrase.explanation import explain
from corpusdb.queries.paraphrase.filters import DEFAULT_FILTER, NO_FILTER
from corpusdb.queries.paraphrase.paraphrases import paraphrases
from corpusdb.store import Store

__all__ = ["SEEDS", "DemoReport", "run_demo"]

SEEDS = ("A slice of pizza, please.", "I would like a room with a balcony.", "May I have another pillow?")
_SHOWN = 10
_KEPT = DEFAULT_FILTER


@dataclass(frozen=True, slots=True)
class DemoReport:
    """What the demonstration shows."""

    sentences: int
    detection: DetectionReport
    generation: GenerationReport
    text: str
    """The report, in lines of at most 80 columns."""


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
    text = "\n".join([*_summary(sentences, detection, generation), *_tables(store), *_explained(store)])
    text += f"\n\nAll of this took {time.monotonic() - begun:.1f} s."
    return DemoReport(sentences, detection, generation, text)


def _summary(sentences: int, detection: DetectionReport, generation: GenerationReport) -> list[str]:
    return [
        "The built-in travel phrasebook: English, Japanese and French.",
        "",
        f"{sentences:9,}  different English sentences",
        f"{detection.sentences:9,}  of them share a translation with another one ({detection.pairs:,} pairs)",
        f"{generation.analogies:9,}  proportional analogies A : B :: C : D, solved with paraphrases of B,",
        f"{generation.candidates:9,}  gave candidates, for {generation.seeds:,} seeds",
        f"{generation.kept:9,}  are left where every sequence of {_KEPT.order} characters must have been seen;",
        f"{generation.distinct:9,}  different sentences, {generation.novel:,} of them new to the phrasebook",
    ]


def _tables(store: Store) -> list[str]:
    """Candidates of a few seeds as in Table 5 of the paper: frequency first, what the filter strikes out marked."""
    lines = []
    for seed in SEEDS:
        lines += ["", f"{seed}   (frequency; ✗: struck out at N = {_KEPT.order})"]
        generated = [one for one in paraphrases(store, seed, "eng", limit=0, kept=NO_FILTER) if one.frequency]
        ranked = sorted(generated, key=lambda one: (-one.frequency, one.text))
        kept = [one for one in ranked if _KEPT.passes(one)][: _SHOWN - 4]
        struck = [one for one in ranked if not _KEPT.passes(one)][: _SHOWN - len(kept)]
        for one in sorted([*kept, *struck], key=lambda one: (-one.frequency, one.text)):
            mark = " " if _KEPT.passes(one) else "✗"
            new = "" if one.in_corpus or not _KEPT.passes(one) else "  (new)"
            lines.append(f"{one.frequency:6}  {mark} {one.text}{new}")
        if more := len(ranked) - len(kept) - len(struck):
            lines.append(f"        ... and {more} more")
    return lines


def _explained(store: Store) -> list[str]:
    """One analogy behind the best candidate of the first seed that has any."""
    for seed in SEEDS:
        for one in paraphrases(store, seed, "eng", limit=0):
            explanation = explain(store, seed, one.text, "eng", limit=1)
            if explanation.analogies:
                analogy = explanation.analogies[0]
                shared = explanation.shared[analogy.b, analogy.rewording][0]
                return [
                    "",
                    f"Why {one.text!r}:",
                    f"    {analogy.a} : {analogy.b}",
                    f" :: {analogy.c} : {analogy.d}",
                    f"  and {analogy.b!r} is {analogy.rewording!r},",
                    f"  since both are translated as {shared.text!r}",
                ]
    return []

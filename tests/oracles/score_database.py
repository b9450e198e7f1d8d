"""A database with the scores of three small systems, and references with the labels that a test gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from corpusdb.corpus.formats.records import Provenance
from corpusdb.corpus.formats.scoring_input import read_references
from corpusdb.corpus.formats.segments import Output, ReferenceTexts, segmentation_by_line
from corpusdb.corpus.store import Store, finish_run, open_store, start_run
from corpusdb.scoring.metric_settings import MetricSettings
from corpusdb.scoring.metrics import settings_for
from corpusdb.scoring.queries.scoring import score_systems
from corpusdb.scoring.queries.scoring_references import LabelledReferences, references_from_files
from corpusdb.scoring.queries.stored_scores import store_scores

# A database with the scores of three small systems on two reference sets, and what others said of them.


FIRST = ("the cat sat on the mat", "a dog barks", "it rains today", "we eat bread")
SECOND = ("a cat was on the mat", "the dog is barking", "today it rains", "bread is what we eat")
SOURCES = ("le chat", "le chien", "la pluie", "le pain")
SYSTEMS = {
    "good": (*FIRST[:3], "we eat bread now"),
    "fair": ("the cat sat on a mat", "a dog barks", "rains today", ""),
    "poor": ("cat", "dog barks loud", "the the the", "bread"),
}
"""Their outputs, in the order of how good they are."""
BLEU, MWER = settings_for("bleu", order=2), settings_for("mwer")


def write(folder: Path, name: str, lines: Sequence[str]) -> Path:
    (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder / name


def score(
    store: Store, paths: list[Path], sources: Sequence[str], systems: Mapping[str, Sequence[str]], *how: MetricSettings
) -> None:
    """Store scores of some outputs on references in files."""
    references = references_from_files(read_references(paths), paths, sources)
    outputs = [Output(name, Path(name), tuple(texts)) for name, texts in systems.items()]
    store_scores(store, outputs, references, score_systems(outputs, references, how))


def rate(store: Store, system: str, name: str, kind: str, values: Sequence[float] | None, value: float = 0.5) -> None:
    """An imported score of a system; its value is the mean over segments, where there are any."""
    data = None if values is None else np.array(values).astype("<f8").tobytes()
    run = start_run(store, "test import", {})
    store.connection.execute(
        "insert into imported_score (output, name, kind, value, segment_values, file, digest, run, imported)"
        " select id, ?, ?, ?, ?, ?, ?, ?, '2026' from system_output where system = ?",
        (name, kind, float(np.nanmean(values)) if values else value, data, f"{name}.seg", "cd" * 32, run.id, system),
    )
    finish_run(store, run, {})


def fill(folder: Path) -> Path:
    """Make the database in a folder."""
    inside = folder / "test"
    inside.mkdir()
    paths = [write(inside, "ref.A", FIRST), write(inside, "ref.B", SECOND)]
    with open_store(folder / "scores.db", create=True) as store:
        score(store, paths[:1], SOURCES, SYSTEMS, BLEU, MWER)
        score(store, paths, SOURCES, {name: SYSTEMS[name] for name in ("good", "poor")}, BLEU)
        with store.write():
            for place, system in enumerate(SYSTEMS):
                rate(store, system, "DA", "human", [0.9 - 0.2 * place, 0.5, 0.7 - 0.1 * place, float("nan")])
                rate(store, system, "COMET", "metric", None, 0.8 - 0.1 * place)
    return folder / "scores.db"


# References with the labels that a test gives them, as the files of a call that names their origins.


def labelled(origins: Mapping[str, ReferenceTexts]) -> LabelledReferences:
    """The references of each label, those of one segment in the order of the labels."""
    files = [
        [[replace(one, provenance=Provenance(label)) for one in each] for each in texts.references]
        for label, texts in origins.items()
    ]
    first = next(iter(origins.values()), ReferenceTexts(segmentation_by_line(Path("none"), 0), ()))
    references = tuple(tuple(one for part in parts for one in part) for parts in zip(*files, strict=True))
    return LabelledReferences.of(references_from_files(replace(first, references=references), []))

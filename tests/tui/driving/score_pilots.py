"""Databases with scores, made of what a corpus holds, and driving the place that shows them."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
from pilots import screen_text, settled
from textual.pilot import Pilot

from corpusdb.base.jobs import finished
from corpusdb.corpus.formats.scoring_input import Output, read_references
from corpusdb.corpus.store import Store, finish_run, open_store, start_run
from corpusdb.scoring.queries.metric_names import settings_for
from corpusdb.scoring.queries.reference_sets import AttributedSet, Recipe, attributed_sets
from corpusdb.scoring.queries.scoring import score_systems
from corpusdb.scoring.queries.scoring_references import ScoringReferences, references_from_corpus, references_from_files
from corpusdb.scoring.queries.stored_scores import store_scores
from tui.app import make_browser

__all__ = ["SEGMENTS", "add_scores", "press", "scores", "status", "stored_ratings", "with_scores"]

SEGMENTS = 6
_PAIRS = """
select source.text, min(target.text) from sentence source
join translation on translation.sentence = source.id join sentence target on target.id = translation.translation
where source.language = ? and target.language = ? group by source.id order by source.id limit 60
"""


_scored: dict[bytes, bytes] = {}


def add_scores(path: Path) -> Path:
    """Store scores of three systems into English on references from the corpus, and on two files, of which the set was
    frozen, with scores of others; and before them one of a system into Japanese.

    Equal databases get the same ones, which are computed once in a process.
    """
    before = hashlib.sha256(path.read_bytes()).digest()
    if before not in _scored:
        _scored[before] = with_scores(path).read_bytes()
    path.write_bytes(_scored[before])
    return path


def with_scores(path: Path) -> Path:
    """The same, computed now and stored while others may have the file open."""
    folder = path.parent / "news"
    folder.mkdir(exist_ok=True)
    with open_store(path) as store:
        _into_japanese(store, folder)
        sources = _pairs(store, "jpn", "eng")
        sets = finished(attributed_sets(store, sources, recipe := Recipe(language="eng")))
        outputs = [
            Output("good", folder, tuple(map(_generated, sets))),
            Output("fair", folder, tuple(each.references[0].text.rsplit(" ", 1)[0] for each in sets)),
            Output("poor", folder, tuple(each.references[-1].text[:12] for each in sets)),
        ]
        from_files = _in_files(folder, sources, sets)
        settings = [settings_for("bleu", order=2), settings_for("mwer")]
        _store(store, outputs, from_files, settings[:1])
        freeze(store, "guided", [output.system for output in outputs])
        stored_ratings(store, ["good", "fair", "poor"])
        references = references_from_corpus(sets, recipe)
        _store(store, outputs, references, settings)
    return path


def _store(store: Store, outputs: Sequence[Output], references: ScoringReferences, settings: Sequence[object]) -> None:
    store_scores(store, outputs, references, score_systems(outputs, references, settings))  # type: ignore[arg-type]


def _pairs(store: Store, source: str, target: str) -> list[str]:
    rows = store.connection.execute(_PAIRS, (source, target)).fetchall()
    return [text for text, _ in rows[:: max(1, len(rows) // SEGMENTS)]][:SEGMENTS]


def _generated(found: AttributedSet) -> str:
    """A reference that nobody wrote, where there is one."""
    new = (each.text for each in found.references if "generated" in each.origins and "original" not in each.origins)
    return next(new, found.references[-1].text)


def _in_files(folder: Path, sources: Sequence[str], sets: Sequence[AttributedSet]) -> ScoringReferences:
    paths = [folder / "ref.A.en", folder / "ref.B.en"]
    for path, at in zip(paths, (0, -1), strict=True):
        lines = (each.references[at].text.replace("\n", " ") + "\n" for each in sets)
        path.write_text("".join(lines), encoding="utf-8")
    return references_from_files(read_references(paths), paths, sources)


def _into_japanese(store: Store, folder: Path) -> None:
    sources = _pairs(store, "eng", "jpn")
    sets = finished(attributed_sets(store, sources, Recipe(language="jpn", origins=("original",))))
    path = folder / "ref.ja"
    path.write_text("".join(each.references[0].text + "\n" for each in sets), encoding="utf-8")
    references = references_from_files(read_references([path]), [path], sources)
    outputs = [Output("翻訳機", folder, tuple(each.references[0].text[1:] for each in sets))]
    _store(store, outputs, references, [settings_for("bleu", unit="char", order=4)])


_FREEZE = """
insert into frozen_set (reference_set, name, guided_by, run, frozen)
select max(id), ?, '[]', run, '2026-01-01T00:00:00Z' from reference_set
"""


def freeze(store: Store, name: str, systems: Sequence[str]) -> None:
    """Freeze the reference set that was stored last."""
    with store.write():
        store.connection.execute(_FREEZE, (name,))


_RATING = """
insert into imported_score (output, name, kind, value, segment_values, file, digest, run, imported)
select max(id), ?, ?, ?, ?, ?, ?, ?, '2026-01-01T00:00:00Z' from system_output where system = ?
"""


def stored_ratings(store: Store, systems: Sequence[str]) -> None:
    """Store scores of people, the last segment without one, and a metric of others with scores of systems alone."""
    with store.write():
        run = start_run(store, "test ratings", {})
        for place, system in enumerate(systems):
            values = np.array([*(0.9 - 0.3 * place + 0.01 * at for at in range(SEGMENTS - 1)), np.nan])
            human = ("DA", "human", float(np.nanmean(values)), values.astype("<f8").tobytes(), "DA.seg.score")
            metric = ("COMET", "metric", 0.8 - 0.1 * place, None, "COMET.sys.score")
            for row in (human, metric):
                store.connection.execute(_RATING, (*row, "ab" * 32, run.id, system))
        finish_run(store, run, {})


@asynccontextmanager
async def scores(path: Path, *keys: str, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    """The place, after some keys more."""
    async with make_browser(path).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "5", *keys)
        yield pilot


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one after the other, each when all that the one before it did is done."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def status(pilot: Pilot[None]) -> str:
    return screen_text(pilot.app).split("\n")[-1]

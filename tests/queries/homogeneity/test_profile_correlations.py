"""Correlations over documents, against scipy's of the coefficients that are listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corpora import new_store

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.homogeneity.queries.profile_levels import among, document_correlations, entries_of
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, make_profile

SPOKEN = ["Hey, you there?", "Yeah. Okay, sure thing.", "What d'you want to eat?", "Oh, right.", "See you, then!"]
WRITTEN = [
    "The minister announced the plan on Tuesday.",
    "Officials declined to comment on the report.",
    "Shares fell by four percent in early trading.",
]


def recipe(folder: Path, *more: str) -> ProfileRecipe:
    names = []
    for name, lines in (("spoken", SPOKEN), ("written", WRITTEN)):
        path = folder / f"{name}{len(more)}.txt"
        path.write_text("".join(f"{line}\n" for line in [*lines, *more]), encoding="utf-8")
        names.append((str(path),))
    return ProfileRecipe(spoken=names[0], written=names[1])


def test_correlations_are_those_of_the_documents_listed(tmp_path: Path) -> None:
    stats = pytest.importorskip("scipy.stats")
    units = []
    for document in range(7):
        for line in range(document % 3 + 1):
            pair = (SPOKEN[line % 5], WRITTEN[document % 3])
            text = f"{pair[0] if (document + line) % 2 else pair[1]} {'so ' * document}{line}"
            units.append({"eng": text, "fra": f"{text[::-1]} {document}", "document": f"d{document}"})
    path = tmp_path / "u.jsonl"
    path.write_text("".join(f"{json.dumps(unit)}\n" for unit in units), encoding="utf-8")
    with new_store(tmp_path) as store:
        finished(import_source(store, finished(check_source(open_source("jsonl", [path], Options()))), "own"))
        english = finished(make_profile(store, "eng", recipe(tmp_path)))
        alone = {each.beside: each for each in document_correlations(store, english)}
        french = finished(make_profile(store, "fra", recipe(tmp_path, "yeht raeh ti")))
        both = {each.beside: each for each in document_correlations(store, english)}
        entries = {
            language: {each.name: each for each in entries_of(store, made, "document")}
            for language, made in (("eng", english), ("fra", french))
        }
        few = document_correlations(store, english, among(store, "eng", document="d1"))
    own = entries["eng"]
    beside: dict[str, dict[str, float | None]] = {
        "characters": {name: each.characters for name, each in own.items()},
        "characters per line": {name: each.characters / each.lines for name, each in own.items()},
        "I in fra": {name: each.coefficient for name, each in entries["fra"].items()},
    }
    assert ([*alone], [*both], few) == (["characters", "characters per line"], [*beside], [])
    for name, values in beside.items():
        known = [each for each in own if own[each].coefficient is not None and values[each] is not None]
        expected = stats.pearsonr([own[each].coefficient for each in known], [values[each] for each in known])
        low, high = expected.confidence_interval(0.95)
        found = both[name]
        assert found.documents == len(known)
        assert found.value == pytest.approx(expected.statistic)
        assert found.interval.low == pytest.approx(low)
        assert found.interval.high == pytest.approx(high)

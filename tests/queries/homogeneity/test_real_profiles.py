"""What profiles must show of real text: dialogues and Tatoeba between other dialogues and news (Denoual, table 1)."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import data_folder, import_rows, new_store, tatoeba

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profile_levels import ProfileReport, entries_of, profile_report
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, make_profile
from corpusdb.homogeneity.queries.selecting import SelectionRecipe, select_sentences


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Two collections of dialogues in English and Japanese, and 20,000 pairs of Tatoeba."""
    dialogues = data_folder("dialogue-bsd")
    folder = tmp_path_factory.mktemp("real")
    made = new_store(folder)
    import_rows(made, tatoeba("jpn", 0, 20_000), ("eng", "jpn"))
    for part in ("dev", "test"):
        path = folder / f"{part}.jsonl"
        with (dialogues / f"{part}.tsv").open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            units = [{"eng": row["en"], "jpn": row["ja"], "document": row["doc"]} for row in rows]
        path.write_text("".join(f"{json.dumps(unit)}\n" for unit in units), encoding="utf-8")
        source = open_source("jsonl", [path], Options())
        finished(import_source(made, finished(check_source(source)), part))
    with made:
        yield made


def profiled(store: Store, language: str, news: Path) -> tuple[ProfileReport, dict[str, float]]:
    """The profile between dialogues and news, and the coefficient of each dialogue that is in no reference."""
    made = finished(make_profile(store, language, ProfileRecipe(spoken=("dev",), written=(str(news),))))
    entries = entries_of(store, made, "document")
    dialogues = [each for each in entries if each.lines > each.left_out and each.characters < 10_000]
    return profile_report(store, made), {each.name: each.coefficient or 0.0 for each in dialogues}


@pytest.mark.data
def test_dialogues_stand_where_unseen_speech_does(store: Store) -> None:
    found = {
        language: profiled(store, language, data_folder("homogeneity") / f"news.{language[:2].replace('jp', 'ja')}.txt")
        for language in ("eng", "jpn")
    }
    for language, low, high, most_sd in (("eng", 0.22, 0.32, 0.06), ("jpn", 0.31, 0.38, 0.04)):
        report, dialogues = found[language]
        assert len(dialogues) == 69
        values = list(dialogues.values())
        mean = sum(values) / len(values)
        assert low < mean < high
        assert (sum((value - mean) ** 2 for value in values) / 68) ** 0.5 < most_sd
        lines = report.levels[0].coefficients
        assert lines.undefined + lines.clipped <= 0.03 * lines.entries
        assert report.in_references > 1500
        assert report.unseen[0] is not None and report.unseen[1] is not None
        assert abs(mean - report.unseen[0]) < abs(mean - report.unseen[1])
    english, japanese = ([found[language][1][name] for name in sorted(found["eng"][1])] for language in found)
    assert correlation(english, japanese) >= 0.6


def correlation(first: list[float], second: list[float]) -> float:
    means = sum(first) / len(first), sum(second) / len(second)
    pairs = [(one - means[0], two - means[1]) for one, two in zip(first, second, strict=True)]
    spread = (sum(one**2 for one, _ in pairs) * sum(two**2 for _, two in pairs)) ** 0.5
    return float(sum(one * two for one, two in pairs) / spread)


@pytest.mark.data
def test_dialogue_is_found_in_a_mixed_pool(store: Store) -> None:
    recipe = SelectionRecipe(method="moore-lewis", task=("dev",), share=0.25, pool=("rows", "test"))
    selection = finished(select_sentences(store, "eng", recipe))
    assert selection.beats_random
    half = next(each for each in selection.curve if each.share == 0.5)
    assert half.bits is not None and half.bits < half.random_lowest

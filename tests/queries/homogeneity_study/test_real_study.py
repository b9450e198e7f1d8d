"""What the study must show of real text: dialogues, the phrasebook and Tatoeba beside Denoual's Table 1."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from corpora import data_folder, import_file, import_rows, new_store, tatoeba, write_rows

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profiles import ProfileRecipe
from corpusdb.phrasebook import phrasebook_files
from corpusdb.studies.homogeneity.request import Pool, StudyRequest
from corpusdb.studies.homogeneity.study import homogeneity_study

LANGUAGES = ("eng", "jpn")

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The dialogues in halves, the phrasebook, and the pairs of Tatoeba in English and Japanese."""
    folder = tmp_path_factory.mktemp("real")
    made = new_store(folder)
    for corpus in ("bsd", "ami"):
        for part in ("dev", "test"):
            with (data_folder(f"dialogue-{corpus}") / f"{part}.tsv").open(encoding="utf-8", newline="") as file:
                rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
                units = [{"eng": row["en"], "jpn": row["ja"], "document": row["doc"]} for row in rows]
            path = folder / f"{corpus}-{part}.jsonl"
            path.write_text("".join(f"{json.dumps(unit)}\n" for unit in units), encoding="utf-8")
            source = open_source("jsonl", [path], Options())
            finished(import_source(made, finished(check_source(source)), f"{corpus}-{part}"))
    for path in phrasebook_files():
        rows_of_topic = [tuple(line.split("\t")[:2]) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
        import_file(made, write_rows(folder / path.name, rows_of_topic), LANGUAGES, "phrasebook")
    import_rows(made, tatoeba("jpn", 0, 80_000), LANGUAGES)
    with made:
        yield made


def recipes(folder: Path) -> dict[str, ProfileRecipe]:
    """Spoken: half of the dialogues and of the meetings; written: news, in Japanese what was not translated."""
    news = data_folder("homogeneity")
    with (news / "news.ja.meta.tsv").open(encoding="utf-8", newline="") as file:
        origins = [row["origin"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    lines = (news / "news.ja.txt").read_text(encoding="utf-8").splitlines()
    own = [line for line, origin in zip(lines, origins, strict=True) if origin == "original"]
    (folder / "news.jpn").write_text("".join(f"{line}\n" for line in own), encoding="utf-8")
    files = {"eng": news / "news.en.txt", "jpn": folder / "news.jpn"}
    return {code: ProfileRecipe(spoken=("bsd-dev", "ami-dev"), written=(str(path),)) for code, path in files.items()}


def test_table_1_and_correlations(store: Store, tmp_path: Path) -> None:
    corpus = ("phrasebook", "bsd-test", "rows")
    request = StudyRequest(recipes=recipes(tmp_path), corpus=corpus, pool=Pool(corpus), parts=("table", "correlations"))
    found = finished(homogeneity_study(store, request))
    for profile, (low, high) in zip(found.profiles, ((0.25, 0.32), (0.33, 0.38)), strict=True):
        rows = {(row.collection, row.level): row.coefficients for row in profile.rows}
        topics, lines = rows["phrasebook", "document"], rows["all", "line"]
        assert topics.entries == 8 and topics.mean is not None and topics.sd is not None
        assert low < topics.mean < high and topics.sd < 0.04
        assert lines.undefined + lines.clipped <= 0.03 * lines.entries
        assert profile.language == "jpn" or 0.12 < (lines.sd or 0) < 0.17
    (between,) = [each for each in found.correlations if (each.collection, each.other) == ("bsd-test", "jpn")]
    assert between.documents == 69 and between.value is not None and between.value >= 0.70
    assert between.interval is not None and between.interval.low > 0.5


@pytest.mark.slow
def test_curves_of_perplexity_are_of_ten_amounts(store: Store, tmp_path: Path) -> None:
    """Ten amounts, five draws and two methods, over 60,000 lines; what they show is told and not asked for."""
    request = StudyRequest(recipes=recipes(tmp_path), corpus=("rows",), pool=Pool(("rows",)), parts=("perplexity",))
    found = finished(homogeneity_study(store, request))
    for each in found.perplexity:
        assert each.pool > 60_000 and each.test == 510
        random, *others = each.curves
        assert len(random.values) == 10 and len(random.draws) == 5
        assert list(random.values) == sorted(random.values, reverse=True)  # more data are better
        assert [curve.values[-1] for curve in others] == [random.values[-1]] * 2
        assert all((crossing.share is None) == crossing.verdict.startswith("none") for crossing in each.crossings)


@pytest.mark.slow
def test_moore_lewis_finds_dialogue_in_a_mixed_pool(store: Store, tmp_path: Path) -> None:
    pool = Pool(("rows", "ami-test"), task=("bsd-test",), methods=("moore-lewis",))
    request = StudyRequest(recipes=recipes(tmp_path), corpus=("rows",), pool=pool, parts=("perplexity",))
    for each in finished(homogeneity_study(store, request)).perplexity:
        random, selected = (dict(zip(curve.shares, curve.values, strict=True)) for curve in each.curves)
        assert selected[0.5] < random[1.0]
        assert each.language != "jpn" or selected[0.1] < random[0.25]

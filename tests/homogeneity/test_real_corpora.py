"""What models, profiles, selections and their commands must show of real text."""

from __future__ import annotations

import csv
import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import Run, document
from corpora import data_folder, import_rows, new_store
from corpora import tatoeba as corpora_tatoeba
from real_documents import LANGUAGES, Documents, dialogues, meetings, news, phrasebook, tatoeba

from corpusdb.base.arrays import F64
from corpusdb.base.char_model_counts import Alphabet, train
from corpusdb.base.char_model_probabilities import (
    Model,
    equal_references,
    model_of,
    text_bits,
)
from corpusdb.base.estimates import pearson
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profile_levels import ProfileReport, entries_of, profile_report
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, make_profile
from corpusdb.homogeneity.scale import (
    Anchors,
    Statistics,
    coefficients,
    summary,
)
from corpusdb.homogeneity.similarity import (
    character_ngrams,
    chi_square_by_df,
    distance_table,
    judged,
    mixtures,
    of_features,
)

# What this room must show of real text: the coefficients of Denoual's Table 1, known-similarity corpora, outliers.
# The bounds are those of the paper's table and of what was asked, with references that share no document with what is
# measured. No figure here was used to set anything in the program.

MOST = 150_000


@dataclass(frozen=True)
class Scale:
    """Conversation to news, order 5 and Witten-Bell: dialogues and, where asked, meetings against half of the news."""

    models: tuple[Model, ...]
    anchors: Anchors

    def statistics(self, texts: Sequence[str]) -> Statistics:
        return _statistics(self.models, texts)

    def documents(self, measured: Documents) -> F64:
        count = int(measured.owners.max()) + 1
        return coefficients(self.statistics(measured.texts).grouped(measured.owners, count), self.anchors).values


def _statistics(models: Sequence[Model], texts: Sequence[str]) -> Statistics:
    bits = text_bits(models, texts)
    return Statistics(bits.characters, *bits.bits)


@cache
def scale(language: str, with_meetings: bool) -> Scale:
    spoken = dialogues(language, "dev")
    if with_meetings:
        spoken += meetings(language, "dev")
    sides = equal_references([spoken.texts, news(language).half(0).texts], 1, MOST)
    alphabet = Alphabet.of(sides[0]) | Alphabet.of(sides[1])
    models = tuple(model_of(train(side, alphabet, 5), "wb") for side in sides)
    return Scale(models, Anchors.of(*(_statistics(models, side) for side in sides)))


@pytest.mark.data
@pytest.mark.parametrize("with_meetings", [False, True])
@pytest.mark.parametrize(("language", "least", "most"), [("en", 0.25, 0.32), ("ja", 0.33, 0.38)])
@pytest.mark.slow
def test_topics_of_the_phrasebook_are_where_those_of_the_paper_are(
    language: str, least: float, most: float, with_meetings: bool
) -> None:
    found = summary(scale(language, with_meetings).documents(phrasebook(language)))
    assert found.entries == 8
    assert found.mean is not None and least <= found.mean <= most
    assert found.sd is not None and found.sd <= 0.04


@pytest.mark.data
@pytest.mark.parametrize("with_meetings", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_lines_spread_as_those_of_the_paper_do(with_meetings: bool) -> None:
    own = scale("en", with_meetings)
    found = summary(coefficients(own.statistics(tatoeba("jpn")), own.anchors))
    assert found.sd is not None and 0.12 <= found.sd <= 0.17
    assert 0 < found.undefined + found.clipped <= 0.03 * found.entries


@pytest.mark.data
@pytest.mark.parametrize("with_meetings", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_dialogues_stand_alike_in_both_languages(with_meetings: bool) -> None:
    english, japanese = (scale(each, with_meetings).documents(dialogues(each, "test")) for each in LANGUAGES)
    assert len(english) == len(japanese) == 69
    correlation = pearson(english, japanese)
    assert correlation is not None and correlation >= 0.7


def both(name: str, language: str) -> tuple[list[str], list[str]]:
    spoken = dialogues(language, "dev").texts + dialogues(language, "test").texts
    if name == "news":
        return spoken, news(language).texts
    return spoken, meetings(language, "dev").texts + meetings(language, "test").texts


def sizes(texts: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([len(text) for text in texts])


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("other", ["news", "meetings"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_chi_square_of_trigrams_knows_which_mixtures_are_alike(language: str, other: str) -> None:
    first, second = both(other, language)
    distance = of_features(character_ngrams(first + second, 3), chi_square_by_df)
    for seed in range(3):
        mixed = [mixture.texts for mixture in mixtures(sizes(first), sizes(second), seed)]
        assert judged(distance_table(mixed, distance)).share >= 0.99


@pytest.mark.data
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_coefficient_knows_it_on_its_own_axis(language: str) -> None:
    own = scale(language, False)
    first, second = dialogues(language, "test").texts, news(language).half(1).texts
    texts, lines = first + second, own.statistics(first + second)
    for seed in range(3):
        owners = np.full(len(texts), 8)  # the last group is what is in no mixture
        for number, mixture in enumerate(mixtures(sizes(first), sizes(second), seed)):
            owners[mixture.texts] = number
        values = coefficients(lines.grouped(owners, 9), own.anchors).values[:8]
        assert judged(np.abs(np.subtract.outer(values, values))).share >= 0.99


# What profiles must show of real text: dialogues and Tatoeba between other dialogues and news (Denoual, table 1).


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Two collections of dialogues in English and Japanese, and 20,000 pairs of Tatoeba."""
    dialogues = data_folder("dialogue-bsd")
    folder = tmp_path_factory.mktemp("real")
    made = new_store(folder)
    import_rows(made, corpora_tatoeba("jpn", 0, 20_000), ("eng", "jpn"))
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
@pytest.mark.slow
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


# What the commands must show of real text: what is worth selecting from a mixed pool, and damaged lines that are found.
# The bounds are those that were asked; no figure here was used to set anything in the program.

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
REAL_HOMOGENEITY_LANGUAGES = {"eng": "en", "jpn": "ja"}


def column(path: str, name: str) -> list[str]:
    with (DATA / path).open(encoding="utf-8", newline="") as file:
        return [row[name] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def real_homogeneity_news(language: str, *, with_translated: bool = False) -> list[str]:
    """News that were written in the language, and where these are wanted such as were translated into it."""
    code = REAL_HOMOGENEITY_LANGUAGES[language]
    lines = (DATA / f"homogeneity/news.{code}.txt").read_text("utf-8").removesuffix("\n").split("\n")
    origins = column(f"homogeneity/news.{code}.meta.tsv", "origin")
    return [line for line, origin in zip(lines, origins, strict=True) if with_translated or origin == "original"]


def real_homogeneity_tatoeba(language: str) -> list[tuple[str, str]]:
    with gzip.open(DATA / f"tatoeba/eng-{language}.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    return [(row[0], row[1]) for row in rows]


def write_lines(name: str, lines: Sequence[str]) -> str:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return name


def imported(run: Run, name: str, units: Sequence[dict[str, str]]) -> None:
    write_lines(f"{name}.jsonl", [json.dumps(unit) for unit in units])
    assert run("import", f"{name}.jsonl", "--name", name, "--no-follow").exit_code == 0


@pytest.fixture
def real_homogeneity_dialogues(run: Run, tmp_path: Path) -> None:
    """A corpus of two collections of dialogues, and files of lines beside it."""
    for part in ("dev", "test"):
        columns = [column(f"dialogue-bsd/{part}.tsv", name) for name in ("en", "ja", "doc")]
        units = [dict(zip(("eng", "jpn", "document"), row, strict=True)) for row in zip(*columns, strict=True)]
        imported(run, part, units)
    for language, code in REAL_HOMOGENEITY_LANGUAGES.items():
        write_lines(f"news.{language}", real_homogeneity_news(language))
        for kind in ("bsd", "ami"):
            lines = [line for part in ("dev", "test") for line in column(f"dialogue-{kind}/{part}.tsv", code)]
            write_lines(f"{kind}.{language}", [line for line in lines if line])


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("language", REAL_HOMOGENEITY_LANGUAGES)
def test_selecting_from_a_mixed_pool_for_dialogue(run: Run, real_homogeneity_dialogues: None, language: str) -> None:
    """30,000 pairs of Tatoeba, all news and meetings, in which nothing but the task is business dialogue.

    Without the news that were translated into Japanese half of that pool is not better than all of it.
    """
    rows = random.Random(1).sample(real_homogeneity_tatoeba("jpn"), 30_000)
    imported(run, "tatoeba", [{"eng": first, "jpn": second} for first, second in rows])
    of_news = real_homogeneity_news(language, with_translated=True)
    imported(run, "news", [{language: line, "fra": f"n {number}"} for number, line in enumerate(of_news)])
    meetings = Path(f"ami.{language}").read_text("utf-8").splitlines()
    imported(run, "ami", [{language: line, "fra": f"a {number}"} for number, line in enumerate(meetings)])
    select = ("select", "--lang", language, "--task", f"bsd.{language}", "--pool", "tatoeba,news,ami", "--json")
    by_amount = {each["share"]: each for each in document(run(*select, "--share", "50"))["curve"]}
    assert by_amount[0.5]["bits"] < by_amount[1.0]["random_bits"]
    assert by_amount[0.1]["bits"] < by_amount[0.25]["random_bits"]


def _shuffled(parts: list[str], rng: random.Random) -> list[str]:
    rng.shuffle(parts)
    return parts


DAMAGE: dict[str, Callable[[random.Random, list[str]], list[str]]] = {
    "german": lambda rng, _: [row[1] for row in rng.sample(real_homogeneity_tatoeba("deu"), 80)],
    "french": lambda rng, _: [row[1] for row in rng.sample(real_homogeneity_tatoeba("fra"), 80)],
    "characters": lambda rng, own: ["".join(_shuffled(list(text), rng)) for text in own],
    "words": lambda rng, own: [" ".join(_shuffled(text.split(), rng)) for text in own],
    "mojibake": lambda rng, own: [_mojibake(text, rng) for text in own],
}


def _mojibake(text: str, rng: random.Random) -> str:
    """UTF-8 read as Windows-1252, after one vowel of an English text was given an accent, as in a name."""
    vowels = [place for place, char in enumerate(text) if char in "aeiou"]
    if not vowels:
        return f"{text} é".encode().decode("cp1252")
    place = rng.choice(vowels)
    accented = text[:place] + dict(zip("aeiou", "áéíóú", strict=True))[text[place]] + text[place + 1 :]
    return accented.encode().decode("cp1252", "replace")


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "least", "draws"),
    [("german", 0.99, 12), ("french", 0.99, 12), ("characters", 0.99, 12), ("mojibake", 0.9, 4), ("words", 0.85, 4)],
)
def test_damaged_lines_among_others_are_found(run: Run, tmp_path: Path, damage: str, least: float, draws: int) -> None:
    """80 among 8,000, ranked by `profile --outliers`; the mean of some draws, since one may have many short lines."""
    areas = []
    for seed in range(draws):
        rng = random.Random(seed)
        drawn = rng.sample(list(dict.fromkeys(row[0] for row in real_homogeneity_tatoeba("fra"))), 8_080)
        damaged = {text.strip() for text in DAMAGE[damage](rng, drawn[8_000:])} - {*drawn}
        lines = [f"{text}\tx {number}" for number, text in enumerate([*drawn[:8_000], *damaged])]
        name = write_lines(f"{seed}.tsv", lines)
        database = ("--db", f"{seed}.db")
        assert run("import", name, "--lang", "eng,fra", "--header", "no", "--no-follow", *database).exit_code == 0
        result = run("profile", "--outliers", "--lang", "eng", "-n", "0", "--json", *database)
        is_damaged = np.array([each["text"] in damaged for each in document(result)["lines"]])
        assert is_damaged.sum() >= 75
        areas.append(_area(is_damaged))
    assert np.mean(areas) >= least


def _area(found: np.ndarray[Any, np.dtype[np.bool_]]) -> float:
    """Under the curve, of lines from the strangest on: how often a damaged one stands before another one."""
    others_before = np.cumsum(~found)[found]
    return float(1 - others_before.mean() / (~found).sum())


@pytest.mark.data
@pytest.mark.slow
def test_scores_fall_into_bands_of_the_coefficient(run: Run, real_homogeneity_dialogues: None) -> None:
    """1,005 segments of news: four bands of as many, each score within its interval."""
    assert run("profile", "--lang", "eng", "--spoken", "dev", "--written", "news.eng").exit_code == 0
    folder = DATA / "wmt21-jaen"
    system = sorted((folder / "systems").iterdir())[0]
    words = ("--ref", str(folder / "ref.A.en"), "--by", "coefficient", "--metric", "bleu,nist,mwer")
    rows = list(
        csv.DictReader(StringIO(run("score", str(system), *words).stdout), delimiter="\t", quoting=csv.QUOTE_NONE)
    )
    assert [row["part"] for row in rows[:1]] == ["all"] and len(rows) == 3 * 5
    for row in rows:
        assert float(row["low"]) < float(row["score"]) < float(row["high"])
    sizes = [int(row["segments"]) for row in rows[1:5]]
    assert sum(sizes) == 1005 and max(sizes) - min(sizes) <= 2

"""What workers look up in mapped files is what was written, also where fingerprints of texts are alike."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow", reason="the extra spark is not installed")

import gc
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusdb.base.arrays import I64
from corpusdb.cluster import mapped
from corpusdb.cluster.derivation import Measured
from corpusdb.cluster.mapped import Mapped, Texts, kept, part_rows, parts_of, translated, write_parts, write_texts
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.paraphrase.pair_differences import UNKNOWN
from corpusdb.paraphrase.rewording import PartRow, words_inside

TEXTS = st.lists(st.text("ab 日", min_size=1, max_size=6), unique=True, max_size=12)
FIRST = 7


@pytest.fixture(params=["fingerprints", "alike"])
def prints(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fingerprints as they are, or such as many texts share."""
    if request.param == "alike":

        def alike(texts: Sequence[str]) -> I64:
            return np.array([len(text) % 2 for text in texts], dtype=np.int64)

        monkeypatch.setattr(mapped, "text_hashes", alike)
    yield


def _written(folder: Path, texts: Sequence[str]) -> Texts:
    numbers = pa.array(range(FIRST, FIRST + len(texts)), pa.int64())
    mapped._mapped.cache_clear()  # files of one name are written again sooner than their times tell
    write_texts(folder, pa.table({"sentence": numbers, "text": pa.array(texts, pa.string())}))
    return Texts(Mapped(str(folder), is_sent=False))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, st.lists(st.text("ab 日", min_size=1, max_size=6), max_size=6))
def test_sentences_by_number_and_by_text(prints: None, tmp_path: Path, texts: list[str], others: list[str]) -> None:
    found = _written(tmp_path, texts)
    number_of = {text: number for number, text in enumerate(texts, FIRST)}
    asked = [*reversed(texts), *others, *texts]
    assert found.numbers(asked).tolist() == [number_of.get(text, UNKNOWN) for text in asked]
    numbers = np.array([number_of[text] for text in [*texts[1:], *texts]], dtype=np.int64)
    assert found.of(numbers) == [*texts[1:], *texts]


@given(TEXTS)
def test_words_inside(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    found = _written(tmp_path_factory.mktemp("texts"), texts)
    inside = words_inside(enumerate(texts))
    for word in {*inside, "a", "b", "none"}:
        assert found.inside(word) == inside[word]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, st.lists(st.tuples(st.integers(0, 11), st.sampled_from(["fra", "deu"]), st.sampled_from("xyz"))))
def test_translations(prints: None, tmp_path: Path, texts: list[str], rows: list[tuple[int, str, str]]) -> None:
    found = _written(tmp_path, texts)
    links = [(place, language, text) for place, language, text in rows if place < len(texts)]
    words = pa.table({"sentence": pa.array([2, 0, 1], pa.int64()), "text": ["z", "x", "y"]})
    table = {
        "sentence": pa.array([FIRST + place for place, *_ in links], pa.int64()),
        "language": pa.array([language for _, language, _ in links], pa.string()),
        "translation": pa.array(["xyz".index(text) for *_, text in links], pa.int64()),
    }
    mapped.write_translations(tmp_path, pa.table(table), words)
    asked = {*texts[::2], "unknown"}
    expected = sorted((texts[place], language, text) for place, language, text in links if texts[place] in asked)
    assert sorted(translated(found, Mapped(str(tmp_path), is_sent=False), asked)) == expected


@given(st.lists(st.tuples(st.integers(-3, 5), st.sampled_from("xyz"), st.sampled_from([0.95, 0.99]))))
def test_parts_by_sentence(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str, float]]) -> None:
    folder = tmp_path_factory.mktemp("parts")
    parts: list[PartRow] = [(*row, 1, NO_LIMIT, None) for row in rows]
    write_parts(folder, ((row[0], row) for row in parts))
    files = Mapped(str(folder), is_sent=False)
    asked = np.array([4, 0, 9, 4], dtype=np.int64)
    assert part_rows(files, asked) == [row for number in (0, 4, 9) for row in parts if row[0] == number]
    wanted = {number for number in (0, 4, 9) if any(row[0] == number for row in parts)}
    assert parts_of(files, asked).keys() == wanted


class _Models:
    def __init__(self, language: str) -> None:
        self.language = language


def test_models_are_kept_for_the_next_task_and_make_room_for_the_segments(tmp_path: Path) -> None:
    kept_ones = [kept(_Models, "eng"), kept(_Models, "eng")]
    assert kept_ones[0] is kept_ones[1]
    models = weakref.ref(kept_ones.pop())
    kept_ones.clear()
    gc.collect()
    assert models() is not None
    assert list(Measured(Mapped(str(tmp_path), is_sent=False))(iter([pa.record_batch({"text": ["a"]})])))
    gc.collect()
    assert models() is None

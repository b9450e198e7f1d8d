"""Documents of a corpus, and what is far from them, against a loop over the sentences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.homogeneity.similarity import LEAST_CHARACTERS, LEAST_DOCUMENTS, document_length, documents_of, nearness


@given(characters=st.lists(st.integers(1, 90), min_size=1, max_size=60), length=st.integers(1, 200))
def test_documents_are_runs_of_about_their_length(characters: list[int], length: int) -> None:
    found = documents_of(np.array(characters), length).tolist()
    count = max(sum(characters) // length, 1)
    before, expected = 0, []
    for size in characters:
        expected.append(min(before // length, count - 1))
        before += size
    assert found == expected
    assert found == sorted(found)


@pytest.mark.parametrize(
    ("characters", "corpus", "expected"),
    [
        (5_000, 1_000_000, 5_000),
        (50_000, 1_000_000, 1_000_000 // LEAST_DOCUMENTS),
        (LEAST_CHARACTERS - 1, 1_000_000, None),
        (5_000, LEAST_CHARACTERS * LEAST_DOCUMENTS - 1, None),
        (5_000, LEAST_CHARACTERS * LEAST_DOCUMENTS, LEAST_CHARACTERS),
        (0, 0, None),
    ],
)
def test_documents_are_as_long_as_the_text_where_there_are_enough(
    characters: int, corpus: int, expected: int | None
) -> None:
    assert document_length(characters, corpus) == expected


@given(
    costs=st.lists(st.floats(1, 5), min_size=LEAST_DOCUMENTS, max_size=120),
    text=st.floats(0.5, 6),
)
def test_a_text_is_far_where_nearly_all_documents_cost_less(costs: list[float], text: float) -> None:
    sizes = np.full(len(costs), 1000)
    found = nearness(500, 500 * text, sizes, np.array(costs) * sizes, 1000)
    assert found.bits == pytest.approx(text)
    assert found.low <= found.median <= found.high
    assert found.dearer == pytest.approx(np.mean([cost >= found.bits for cost in np.array(costs) * 1000 / 1000]))
    if found.is_far:
        assert found.dearer <= 0.025 + 1 / len(costs)
    if found.dearer > 0.025 + 1 / len(costs):
        assert not found.is_far
    if text > max(costs) + 1e-9:
        assert found.is_far
    if text < min(costs):
        assert not found.is_far

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.options import LARGEST, number_of, p_value_told, probability_told, rounded_probability, share_told


@pytest.mark.parametrize(
    ("digits", "number"),
    [
        *(("0", 0), ("007", 7), ("2147483646", LARGEST - 1), ("2147483647", LARGEST), ("2147483648", LARGEST)),
        *(("9" * 5000, LARGEST), ("0" * 5000, 0), ("0" * 5000 + "12", 12), ("٣", 3)),
    ],
)
def test_a_number_of_any_length_is_read(digits: str, number: int) -> None:
    assert number_of(digits) == number


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.95649, 3, 0.956), (0.9996, 3, 0.9996), (0.99999, 3, 0.9999), (0.99999, 4, 0.9999),
        (1.0, 3, 1.0), (1.0, 4, 1.0), (0.9994, 3, 0.999), (0.0, 3, 0.0),
    ],
)  # fmt: skip
def test_the_last_step_to_1_is_not_made(value: float, digits: int, shown: float) -> None:
    assert rounded_probability(value, digits) == shown


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.0, "< 0.001"), (1 / 1001, "< 0.001"), (0.001, "= 0.001"), (0.0123, "= 0.012"), (0.9999, "= 1.000")],
)
def test_a_p_value_has_one_form_and_is_never_0(value: float, told: str) -> None:
    assert p_value_told(value) == told


@given(st.floats(0, 1), st.sampled_from([3, 4]))
def test_only_1_is_shown_as_1(value: float, digits: int) -> None:
    assert (rounded_probability(value, digits) == 1) == (value == 1)
    assert abs(rounded_probability(value, digits) - value) <= 0.5 * 10**-3
    assert (float(probability_told(value)) == 1) == (value == 1)
    assert len(probability_told(value)) <= len("0.9999")
    assert (share_told(value) == "100.0%") == (value == 1)


@pytest.mark.parametrize(("value", "told"), [(0.9968, "99.7%"), (0.9996, ">99.9%"), (1.0, "100.0%"), (0.9994, "99.9%")])
def test_shares(value: float, told: str) -> None:
    assert share_told(value) == told

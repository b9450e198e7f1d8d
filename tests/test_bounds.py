from __future__ import annotations

import pytest

from corpusdb.bounds import LARGEST, number_of


@pytest.mark.parametrize(
    ("digits", "number"),
    [
        *(("0", 0), ("007", 7), ("2147483646", LARGEST - 1), ("2147483647", LARGEST), ("2147483648", LARGEST)),
        *(("9" * 5000, LARGEST), ("0" * 5000, 0), ("0" * 5000 + "12", 12), ("٣", 3)),
    ],
)
def test_a_number_of_any_length_is_read(digits: str, number: int) -> None:
    assert number_of(digits) == number

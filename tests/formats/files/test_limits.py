from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats.reading import BYTES_VARIABLE, RATIO_VARIABLE, STDIN, read_lines, read_text

BOMB = gzip.compress(b"one\tun\n" * 3_000_000)
"""Of short lines: 21 MB in 50 KB."""


@pytest.fixture
def bomb(tmp_path: Path) -> Path:
    path = tmp_path / "bomb.tsv.gz"
    path.write_bytes(BOMB)
    return path


def test_a_packed_file_is_read_as_long_as_it_unpacks_in_proportion(bomb: Path) -> None:
    with pytest.raises(InputError, match="more than 100 times its size; CORPUSDB_MAX_RATIO raises that") as told:
        for _ in read_lines(bomb):
            pass
    assert told.value.path == str(bomb)
    with pytest.raises(InputError, match="100 times"):
        for _ in read_text(bomb):
            pass


def test_the_proportion_can_be_raised(bomb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RATIO_VARIABLE, "1000")
    assert sum(1 for _ in read_lines(bomb)) == 3_000_000


@pytest.mark.parametrize("told", ["", "0", "many", "-3"])
def test_a_setting_that_is_no_number_is_none(told: str, bomb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RATIO_VARIABLE, told)
    with pytest.raises(InputError, match="100 times"):
        for _ in read_lines(bomb):
            pass


def test_a_small_file_may_unpack_to_anything_that_is_small(tmp_path: Path) -> None:
    path = tmp_path / "small.gz"
    path.write_bytes(gzip.compress(b"one\tun\n" * 1_000_000))
    assert sum(1 for _ in read_lines(path)) == 1_000_000


def test_standard_input_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpusdb.corpus.formats.reading._most_bytes", lambda: 1000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\n" * 251)))
    with pytest.raises(InputError, match=f"holds more than 8 GiB; {BYTES_VARIABLE} raises that"):
        list(read_lines(STDIN))


def test_standard_input_is_read_as_often_as_wanted_and_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"one\ntwo\n"))))
    first = read_lines(STDIN)
    assert next(first) == (1, "one")
    assert list(read_lines(STDIN)) == [(1, "one"), (2, "two")]
    assert list(first) == [(2, "two")]

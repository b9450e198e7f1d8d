"""What files hold, told without reading them: beside what comes out of them."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.corpus.formats.reading import STDIN, unpacked, unpacked_size

TEXT = "".join(f"Sentence {number} is about {number * number}.\n" for number in range(3_000)).encode()


@given(texts=st.lists(st.binary(min_size=3, max_size=300).filter(lambda text: text[:2] != b"\x1f\x8b"), max_size=4))
def test_plain_files_hold_what_they_are(texts: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("plain")
    for number, text in enumerate(texts):
        (folder / str(number)).write_bytes(text)
    assert unpacked_size(folder / str(number) for number in range(len(texts))) == sum(map(len, texts))


def test_a_packed_file_tells_its_size(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(TEXT))
    with unpacked(path) as stream:
        assert unpacked_size([path]) == len(stream.read()) == len(TEXT)
    (tmp_path / "b.tsv").write_bytes(TEXT)
    assert unpacked_size([path, tmp_path / "b.tsv"]) == 2 * len(TEXT)


def test_a_packed_file_whose_last_member_is_not_all_is_guessed(tmp_path: Path) -> None:
    """As bgzip writes them, with an empty member at the end."""
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(TEXT) + gzip.compress(b""))
    told = unpacked_size([path])
    assert told is not None
    assert told != 0
    assert len(TEXT) / 4 < told < 4 * len(TEXT)


def test_a_size_that_no_such_file_can_have_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    packed = gzip.compress(TEXT)
    path.write_bytes(packed[:-4] + b"\xff\xff\xff\xff")
    assert unpacked_size([path]) == round(3.5 * len(packed))


def test_what_cannot_be_known(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"a\tb\n")
    assert unpacked_size([tmp_path / "there", STDIN]) is None
    assert unpacked_size([tmp_path / "there", tmp_path / "missing"]) is None
    assert unpacked_size([tmp_path]) is None, "a folder"
    os.mkfifo(tmp_path / "pipe")
    assert unpacked_size([tmp_path / "pipe"]) is None, "nobody writes to it, and it would be waited for"
    assert unpacked_size([]) == 0

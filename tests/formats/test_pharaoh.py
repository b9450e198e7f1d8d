"""Links in Pharaoh format: there and back, and every fault with its file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.alignment.pharaoh import pharaoh_line, read_gold_links, read_links
from corpusdb.base.errors import InputError

links = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), unique=True, max_size=8)


@given(st.lists(links, min_size=1, max_size=5))
def test_links_come_back(tmp_path_factory: pytest.TempPathFactory, pairs: list[list[tuple[int, int]]]) -> None:
    path = tmp_path_factory.mktemp("links") / "links.txt"
    path.write_text("".join(f"{pharaoh_line(each)}\n" for each in pairs))
    assert read_links(path, [(100, 100)] * len(pairs)) == pairs


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("0-0\n0\n", 2, "'0' is no link"),
        ("0-0\n0-0-0\n", 2, "'0-0-0' is no link"),
        ("0-0\n-1-0\n", 2, "'-1-0' is no link"),
        ("0-0\n0-x\n", 2, "'0-x' is no link"),
        ("0-0\n0?0\n", 2, "'0?0' is no link"),
        ("0-0\n٠-٠\n", 2, "is no link"),
        ("2-0\n\n", 1, "link 2-0: the source text has 2 words"),
        ("0-3\n\n", 1, "link 0-3: the target text has 3 words"),
        ("0-0\n0-0 1-1 0-0\n", 2, "link 0-0 stands there twice"),
        ("0-0\n0-0\n0-0\n", 3, "more lines than the 2 pairs"),
        ("0-0\n", None, "ends after 1 lines; there are 2 pairs"),
        ("", None, "empty"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, content: str, line: int | None, reason: str) -> None:
    path = tmp_path / "links.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_links(path, [(2, 3), (2, 3)])
    assert reason in raised.value.reason
    assert (raised.value.path, raised.value.line) == (str(path), line)


def test_possible_links_are_known_in_gold_standards_alone(tmp_path: Path) -> None:
    path = tmp_path / "gold.txt"
    path.write_text("0-0 1?1\n1p0\n")
    first, second = read_gold_links(path, [(2, 2), (2, 2)])
    assert (set(first.sure), set(first.possible)) == ({(0, 0)}, {(0, 0), (1, 1)})
    assert (list(second.sure), list(second.possible)) == ([], [(1, 0)])
    path.write_text("0?0 0-0\n\n")
    with pytest.raises(InputError, match="twice"):
        read_gold_links(path, [(2, 2), (2, 2)])

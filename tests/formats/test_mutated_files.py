from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def attack() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        yield importlib.import_module("mutated_files")


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_file_is_read_or_refused_with_its_name(attack: ModuleType, seed: int, tmp_path: Path) -> None:
    kinds, failures = attack.attack_readers(250, 1000 + seed, attack.samples(), tmp_path)
    assert failures == []
    assert kinds["InputError"] > 0 and kinds["read"] > 0


@pytest.mark.parametrize("count", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_the_program_refuses_it_and_leaves_the_database_as_it_was(
    count: int, attack: ModuleType, tmp_path: Path
) -> None:
    _, failures = attack.attack_program(count, 5, attack.samples(), tmp_path)
    assert failures == []


@pytest.mark.parametrize(
    ("reader", "content"),
    [
        ("references", b'{"id": ' + b"9" * 5000 + b', "references": ["a"]}\n'),
        ("references", b"[" * 100_000),
        ("settings", b"a = " + b"9" * 5000),
        ("settings", b"a = " + b"[" * 100_000),
        ("settings", b"#" * (1 << 20) + b"\n"),
        ("sheet", b"item\tseed\ttext\tverdict\tcomment\n" + b"9" * 5000 + b"\ta\tb\ty\n"),
        ("sheet", b"item\tseed\ttext\tverdict\tcomment\n99999999999999999999\ta\tb\ty\n"),
        ("human scores", b"system\tsegment\tz\nA\t" + b"9" * 5000 + b"\t1\n"),
        pytest.param("tmx", b"<tmx><body><tu>" + b"<tuv/>" * 340_000, marks=pytest.mark.slow),
        ("sgm", b"<srcset " + b"a" * 900_000 + b">"),
        ("sgm", b"<srcset><doc><seg " + b"a" * 900_000 + b"<"),
        ("csv", b'one,"' + b'a","\n' * 4_000_000),
    ],
)
def test_what_nobody_means_is_refused(attack: ModuleType, reader: str, content: bytes, tmp_path: Path) -> None:
    suffix = ".jsonl" if reader == "references" else ".file"
    path = tmp_path / f"attack{suffix}"
    path.write_bytes(content)
    kind, wrong = attack.outcome(attack.readers(tmp_path)[reader], path)
    assert (kind, wrong) == ("InputError", "")

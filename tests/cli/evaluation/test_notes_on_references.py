"""What is said of texts that are scored: scripts without spaces, byte order marks, copies that weigh twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

MARK: Final = b"\xef\xbb\xbf"
TOLD: Final = ": begins with a byte order mark, which is no part of its text: left out\n"


@pytest.mark.parametrize(
    ("references", "told"),
    [
        (["水が飲みたい。", *["I want water."] * 39], None),
        (
            ["水が飲みたい。"] * 4 + ["I want water."] * 36,
            "BLEUw4: 10.0% of the references hold a script without",
        ),
        (["水が飲みたい。"] * 40, "BLEUw4: 100.0% of the references hold a script without spaces; --unit char"),
    ],
)
def test_a_script_without_spaces_is_told_by_its_share(
    run: Run, tmp_path: Path, references: list[str], told: str | None
) -> None:
    (tmp_path / "ref.txt").write_text("".join(f"{each}\n" for each in references), encoding="utf-8")
    (tmp_path / "out.txt").write_text("I want some water.\n" * 40, encoding="utf-8")
    said = run("score", "out.txt", "--ref", "ref.txt").stderr
    assert ("without spaces" in said) == (told is not None)
    assert told is None or told in said


@pytest.mark.parametrize(
    ("arguments", "marked"),
    [
        (("score", "out.txt", "--ref", "ref.txt"), ["ref.txt"]),
        (("score", "out.txt", "--ref", "ref.txt", "--json"), ["ref.txt", "out.txt"]),
        (("score", "out.txt", "--ref", "plain.txt"), []),
        (("import", "pairs.tsv", "--lang", "eng,fra"), ["pairs.tsv"]),
        (("rules", "check", "own.rules"), ["own.rules"]),
        (("score", "out.txt", "--ref", "short.txt"), ["short.txt"]),  # which is refused, and has one all the same
    ],
)
def test_a_byte_order_mark_is_told(run: Run, tmp_path: Path, arguments: tuple[str, ...], marked: list[str]) -> None:
    texts = {
        "ref.txt": "one two\nthree\n", "out.txt": "one two\nthree\n", "plain.txt": "one two\nthree\n",
        "pairs.tsv": "One.\tUn.\nTwo.\tDeux.\n", "short.txt": "one\n", "own.rules": "# none\n",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_bytes((MARK if name in marked else b"") + text.encode())
    said = run(*arguments).stderr
    assert [line for line in said.splitlines(keepends=True) if line.endswith(TOLD)] == [
        f"corpusdb: {name}{TOLD}" for name in marked
    ], said


@pytest.mark.parametrize(
    ("references", "told"),
    [
        (("ref.txt", "other.txt"), None),
        (
            ("ref.txt", "ref.txt"),
            "2 references repeat another of the segment and may be drawn beside it",
        ),
    ],
)
def test_a_curve_over_copies_says_so(run: Run, tmp_path: Path, references: tuple[str, ...], told: str | None) -> None:
    for name, text in (("ref.txt", "a b c\nd e\n"), ("other.txt", "a b d\nd f\n"), ("out.txt", "a b c\nd g\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text("One.\tUn.\n", encoding="utf-8")
    assert run("import", "pairs.tsv", "--lang", "eng,fra").exit_code == 0
    given = [part for name in references for part in ("--ref", name)]
    found = run("study", "reference-worth", "out.txt", *given, "--draws", "2", "--samples", "2", "--format", "table")
    assert found.exit_code == 0, found.stderr
    assert run("score", "out.txt", *given, "--store").exit_code == 0
    stored = run("scores", "curve", "--draws", "2", "--samples", "2", "--format", "table")
    assert stored.exit_code == 0, stored.stderr
    for answer in (found.stdout, stored.stdout):
        assert ("may be drawn beside it" in answer) == (told is not None)
        assert told is None or told in answer

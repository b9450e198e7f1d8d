"""The command `align` on files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from corpusdb.base import morphemes as sudachi

Run = Callable[..., Result]

FRENCH = "la maison .\nla fleur .\nune maison .\nune fleur .\n"
ENGLISH = "the house .\nthe flower .\na house .\na flower .\n"
LINKS = "0-0 1-1 2-2\n" * 4


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "source.fr", tmp_path / "ref.en"
    for path, content in zip(paths, (FRENCH, ENGLISH), strict=True):
        path.write_text(content, encoding="utf-8")
    return paths


def test_links_are_written_to_a_file_or_to_stdout(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    source, ref = files
    shown = run("align", "--source", source, "--ref", ref, "--tokenise", "none")
    assert (shown.exit_code, shown.stdout) == (0, LINKS)
    assert "links 12" in shown.stderr
    output = tmp_path / "links.txt"
    written = run("align", "--source", source, "--ref", ref, "-o", output, "--json")
    assert (written.exit_code, output.read_text()) == (0, LINKS)
    report = json.loads(written.stdout)
    assert report.pop("seconds") >= 0
    assert report == {"pairs": 4, "links": 12, "unlinked_source": 0, "unlinked_target": 0, "too_long": 0}


def test_units_are_linked_unless_tokens_are_given(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    source, ref = files
    source.write_text(FRENCH.replace(" .", "."), encoding="utf-8")
    tokens = tmp_path / "tokens.txt"
    assert run("align", "--source", source, "--ref", ref, "--tokens", tokens).stdout == LINKS
    assert tokens.read_text().splitlines()[0] == "la maison . ||| the house ."
    assert run("align", "--source", source, "--ref", ref, "--tokenise", "none,units").stdout.startswith("0-0 1-1")


def test_characters_that_are_linked_are_told(run: Run, files: tuple[Path, Path]) -> None:
    source, ref = files
    source.write_text("家\n花\nある家\nある花\n", encoding="utf-8")
    found = run("align", "--source", source, "--ref", ref)
    assert found.exit_code == 0
    assert "every character is a token" in found.stderr
    assert "every character" not in run("align", "--source", source, "--ref", ref, "--tokenise", "none").stderr


@pytest.mark.usefixtures("recorded_morphemes")
def test_a_japanese_file_is_cut_into_morphemes(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    source, ref = files
    lines = ("本は新しい。", "学校は新しい。", "本は近い。", "学校は近い。")
    source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    tokens = tmp_path / "tokens.txt"
    words = ("align", "--source", source, "--ref", ref, "--tokens", tokens)
    found = run(*words)
    assert found.exit_code == 0
    assert "source.fr: Japanese, cut into morphemes by sudachi-" in found.stderr
    assert tokens.read_text(encoding="utf-8").splitlines()[1] == "学校 は 新しい 。 ||| the flower ."
    assert run(*words, "--overwrite", "--tokenise", "ja-sudachi,units").stdout == found.stdout
    told = run(*words, "--overwrite", "--tokenise", "units").stderr
    assert "source.fr: words are not delimited there, and every character is a token; --tokenise ja-sudachi" in told


def test_without_morphemes_a_japanese_file_is_cut_into_characters(
    run: Run, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    monkeypatch.setattr(sudachi, "_opened", sudachi._opened.__wrapped__)
    source, ref = files
    source.write_text("本は\n" * 4, encoding="utf-8")
    found = run("align", "--source", source, "--ref", ref)
    assert found.exit_code == 0
    assert "every character is a token; --tokenise ja-sudachi cuts it into morphemes, with pip install" in found.stderr
    refused = run("align", "--source", source, "--ref", ref, "--tokenise", "ja-sudachi,units")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "pip install 'corpusdb[japanese]'" in refused.stderr


def test_links_are_compared_with_a_gold_standard(run: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    gold, output = tmp_path / "gold.txt", tmp_path / "links.txt"
    gold.write_text("0-0 1-1 2-2\n0-0 1?1\n0-0 1-1\n\n")
    words = ("align", "--source", files[0], "--ref", files[1], "--gold", gold, "-o", output, "--json")
    report = json.loads(run(*words).stdout)
    # 12 links found, 6 sure links which all are found, 7 of those found are possible.
    assert (report["precision"], report["recall"]) == (7 / 12, 1)
    assert report["aer"] == pytest.approx(1 - (6 + 7) / (12 + 6))


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("ref.en", ENGLISH + "more\n", "ref.en:5: has no counterpart"),
        ("source.fr", FRENCH.replace("la fleur .", "  "), "source.fr:2: the line is blank"),
        ("source.fr", "", "source.fr: the file is empty"),
        ("gold.txt", "0-0\n0-7\n\n\n", "gold.txt:2: link 0-7: the target text has 3 words"),
    ],
)
def test_bad_files_are_told_with_the_line(
    run: Run, files: tuple[Path, Path], tmp_path: Path, name: str, content: str, told: str
) -> None:
    gold, output = tmp_path / "gold.txt", tmp_path / "links.txt"
    gold.write_text(LINKS)
    (tmp_path / name).write_text(content, encoding="utf-8")
    found = run("align", "--source", files[0], "--ref", files[1], "--gold", gold, "-o", output)
    assert (found.exit_code, found.stdout) == (3, "")
    assert told in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert not output.exists()


@pytest.mark.parametrize(
    ("words", "told"), [(["--tokenise", "x"], "unknown tokenisation 'x'"), (["--json"], "--output")]
)
def test_wrong_calls_are_usage_errors(run: Run, files: tuple[Path, Path], words: list[str], told: str) -> None:
    found = run("align", "--source", files[0], "--ref", files[1], *words)
    assert found.exit_code == 2
    assert told in found.stderr


def test_standard_input_is_one_of_the_files(run: Run, files: tuple[Path, Path]) -> None:
    found = run("align", "--source", "-", "--ref", files[1], "--tokenise", "none", stdin=FRENCH)
    assert (found.exit_code, found.stdout) == (0, LINKS)
    twice = run("align", "--source", "-", "--ref", "-", stdin=FRENCH)
    assert (twice.exit_code, "given twice" in twice.stderr) == (2, True)

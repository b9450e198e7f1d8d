"""The line at the bottom, finding in rows, and the clipboard of the terminal."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pilots import screen_text, settled

from corpusdb.base.cells import cell_width
from tui.app import make_browser
from tui.kit.place_screen import _broken
from tui.kit.shown import FoundRow, find_row
from tui.kit.terminal import copy_beside_terminal, copy_file, fits_terminal

# What is said at the bottom: in one line where it fits, else in two or three, so that its end can be read too.


_LONG = f"12 references written to /home/kim/{'x' * 60}.tsv; 3 of 4 seeds have only themselves"


async def test_what_is_longer_than_a_line_takes_two(phrasebook: Path) -> None:
    async with make_browser(phrasebook).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        rows = screen_text(pilot.app).split("\n")[:-2]
        for said, is_error in ((_LONG, False), (_LONG, True), (f"{_LONG}\nmore", False)):
            getattr(pilot.app, "say")(said, is_error=is_error)  # noqa: B009
            await settled(pilot)
            lines = screen_text(pilot.app).split("\n")
            assert len(lines) == 24 and all(cell_width(line) <= 80 for line in lines)
            joined = "".join(line.strip() for line in lines[-2:]).replace(" ", "")
            assert joined == f"{'! ' * is_error}{said}".replace(" ", "").replace("\n", "")
        for more, last in ((_LONG[:60], "and three"), (_LONG * 9, "…")):
            getattr(pilot.app, "say")(f"{_LONG}; {more}; and three")  # noqa: B009
            await settled(pilot)
            lines = screen_text(pilot.app).split("\n")
            assert len(lines) == 24 and lines[-3].startswith("12 references") and lines[-1].rstrip().endswith(last)
        getattr(pilot.app, "say")("short")  # noqa: B009
        await settled(pilot)
        lines = screen_text(pilot.app).split("\n")
        assert lines[:-2] == rows and lines[-1].strip() == "short"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one two three", ("one two", "three")),
        ("one two", ("one two", "")),
        ("one tw three", ("one tw", "three")),
        ("oneoneoneone two", ("oneoneon", "eone two")),
        ("日本語の文章です", ("日本語の", "文章です")),
        ("a /home/kim/references", ("a /home/", "kim/references")),
    ],
)
def test_where_a_line_is_broken(text: str, parts: tuple[str, str]) -> None:
    assert _broken(text, 8) == parts


# Finding in rows, down and up, and round the end.


TEXTS = ["Beer", "tea", "a beer", "wine", "BEER!"]


@pytest.mark.parametrize(
    ("start", "direction", "expected"),
    [
        (0, 1, FoundRow(0, 1, 3)),
        (1, 1, FoundRow(2, 2, 3)),
        (5, 1, FoundRow(0, 1, 3)),
        (3, -1, FoundRow(2, 2, 3)),
        (4, -1, FoundRow(4, 3, 3)),
        (-1, -1, FoundRow(4, 3, 3)),
    ],
)
def test_the_next_row_that_holds_it(start: int, direction: int, expected: FoundRow) -> None:
    assert find_row(TEXTS, "beer", start, direction) == expected


def test_no_row_holds_it() -> None:
    assert find_row(TEXTS, "coffee", 0, 1) is None


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are found, which may be slow to begin."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr("tui.kit.terminal._TMUX_SECONDS", 60.0)
    return folder


def put_tmux(folder: Path, script: str) -> None:
    program = folder / "tmux"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)


def test_it_is_always_written_to_a_file_whose_name_is_told(state: Path) -> None:
    assert copy_file() == state / "corpusdb" / "copied.txt"
    assert copy_beside_terminal("ビール", {}) == f"1 line to {copy_file()}, terminal (OSC 52)"
    assert copy_file().read_text(encoding="utf-8") == "ビール\n"
    assert copy_beside_terminal("a\nb", {}).startswith("2 lines to ")
    assert copy_file().read_text(encoding="utf-8") == "a\nb\n"


@pytest.mark.usefixtures("state")
def test_the_file_is_named_as_one_would_type_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME")
    assert copy_beside_terminal("a", {}) == "1 line to ~/.local/state/corpusdb/copied.txt, terminal (OSC 52)"


@pytest.mark.usefixtures("state")
def test_inside_tmux_a_buffer_is_made_of_it(bin_folder: Path, tmp_path: Path) -> None:
    put_tmux(bin_folder, f'echo "$@" > {tmp_path}/called; while read -r line; do echo "$line" >> {tmp_path}/got; done')
    assert copy_beside_terminal("a\nb\n", {"TMUX": "socket,1,0"}).endswith("copied.txt, tmux, terminal (OSC 52)")
    assert (tmp_path / "called").read_text() == "load-buffer -w -\n"
    assert (tmp_path / "got").read_text() == "a\nb\n"


@pytest.mark.usefixtures("state")
def test_an_older_tmux_keeps_it_to_itself(bin_folder: Path) -> None:
    put_tmux(bin_folder, 'test "$2" = -')
    assert ", tmux, " in copy_beside_terminal("a", {"TMUX": "x"})


@pytest.mark.parametrize(
    ("script", "reason"),
    [("echo no server running >&2; exit 1", "no server running"), ("exit 3", "exit code 3")],
)
def test_a_tmux_that_does_not_take_it_is_told(script: str, reason: str, bin_folder: Path) -> None:
    put_tmux(bin_folder, script)
    told = copy_beside_terminal("a", {"TMUX": "x"})
    assert told.endswith(f"copied.txt, terminal (OSC 52); no tmux buffer: {reason}")
    assert copy_file().read_text() == "a\n"


def test_no_tmux_and_no_answer_are_told(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert copy_beside_terminal("a", {"TMUX": "x"}).endswith("no tmux buffer: No such file or directory")

    def silent(*command: object, **options: object) -> None:
        raise subprocess.TimeoutExpired("tmux", 2)

    monkeypatch.setattr(subprocess, "run", silent)
    assert copy_beside_terminal("a", {"TMUX": "x"}).endswith("no tmux buffer: no answer")


def test_a_file_that_cannot_be_written_is_told(state: Path) -> None:
    state.mkdir()
    (state / "corpusdb").write_text("in the way", encoding="utf-8")
    assert copy_beside_terminal("a", {}) == "1 line to terminal (OSC 52); no file: File exists"


@pytest.mark.usefixtures("state")
def test_a_link_that_was_planted_in_its_place_is_not_followed(state: Path, tmp_path: Path) -> None:
    copy_file().parent.mkdir(parents=True)
    copy_file().symlink_to(tmp_path / "elsewhere")
    assert "no file: " in copy_beside_terminal("a", {})
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.usefixtures("state")
def test_what_one_copies_is_ones_own(state: Path) -> None:
    copy_beside_terminal("a", {})
    assert copy_file().stat().st_mode & 0o777 == 0o600
    assert [path.name for path in copy_file().parent.iterdir()] == ["copied.txt"]


def test_what_is_too_long_for_the_terminal_is_told() -> None:
    fitting = "é" * 37_497
    assert fits_terminal(fitting)
    assert not fits_terminal(f"{fitting}a")
    told = copy_beside_terminal(f"{fitting}a", {})
    assert told == f"1 line to {copy_file()}; too long for the terminal"

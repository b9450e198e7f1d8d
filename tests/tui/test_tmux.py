"""The program itself in a real tmux: 80x24 of TERM=screen with 16 colours and no mouse, as over SSH.

By default one browser does some of everything there; what takes several browsers, or as long, is slow.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from rich.cells import cell_len

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import import_files
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.store import open_store
from corpusdb.people.queries.decisions import decisions
from corpusdb.people.queries.sessions import create_session
from corpusdb.phrasebook import LANGUAGES, LICENCE, phrasebook_files

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

CHECKOUT = Path(__file__).parents[2]
DEADLINE = 60.0
"""Seconds after which something that was waited for is taken to be missing."""


class Terminal:
    """A tmux server of its own with one pane."""

    def __init__(self, folder: Path, columns: int, lines: int) -> None:
        self._folder = folder
        self._process_file = folder / "process"
        self._columns = columns
        self._lines = lines
        kept = {"PATH": os.environ["PATH"]}
        self._environment = kept | {
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(CHECKOUT),
            "HOME": str(folder),
            "USER": "tester",
            "CORPUSDB_HISTORY": "off",  # so that nobody was anywhere before
        }

    def tmux(self, *arguments: str) -> str:
        command = ["tmux", "-u", "-f", os.devnull, "-S", str(self._folder / "tmux"), *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, encoding="utf-8", check=True)
        return done.stdout

    def start(self, *command: str) -> None:
        """Run a program in the pane, which tells its exit code and stays when it ends."""
        program = f"exec env -u COLORTERM TERM=screen {shlex.join(command)}"
        script = f"sh -c {shlex.quote(f'echo $$ > {self._process_file}; {program}')}; echo status $?; read line"
        size = ["-x", str(self._columns), "-y", str(self._lines)]
        self.tmux("new-session", "-d", *size, script, ";", "set", "-g", "default-terminal", "screen")

    def browse(self, database: Path) -> None:
        self.start(sys.executable, "-m", "corpusdb", "--db", str(database), "browse")
        self.wait_for("[Corpus]")
        self.press_for("1", "[Search]")

    def press(self, *keys: str) -> None:
        """Keys by tmux's names for them, or characters."""
        self.tmux("send-keys", "--", *keys)

    def press_for(self, key: str, text: str) -> None:
        """Press a key that leads to a text; again where it came before what is on the screen takes keys."""
        self.press(key)
        while text not in "\n".join(self.wait_until(lambda screen: text in screen or "dropped" in screen, text)):
            time.sleep(0.5)  # until it takes keys, or has taken the one before
            if text not in "\n".join(self.screen()):
                self.press(key)

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", "--", text)

    def screen(self) -> list[str]:
        return self.tmux("capture-pane", "-p").split("\n")[: self._lines]

    def wait_until(self, holds: Callable[[str], bool], what: str) -> list[str]:
        """The screen as soon as it is as it is wanted."""
        end = time.monotonic() + DEADLINE
        while True:
            lines = self.screen()
            if holds("\n".join(lines)):
                return lines
            assert time.monotonic() < end, f"{what} did not come:\n" + "\n".join(lines)
            time.sleep(0.03)  # who asks all the time takes it from the program

    def wait_for(self, text: str) -> list[str]:
        return self.wait_until(lambda screen: text in screen, repr(text))

    def wait_for_end(self) -> str:
        """What the pane shows when the program has ended."""
        return "\n".join(self.wait_until(lambda screen: "status " in screen, "the end"))

    def kill(self) -> None:
        """Cut the connection, and wait until the program is gone."""
        process = self._process_file.read_text().strip()
        self.tmux("kill-server")
        end = time.monotonic() + DEADLINE
        while is_running(process):
            assert time.monotonic() < end, "the program outlives its terminal"
            time.sleep(0.01)


def is_running(process: str) -> bool:
    """Whether there is such a process, and it is not one that only waits for its parent to notice its end."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


Open: TypeAlias = Callable[[int, int], Terminal]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Open]:
    opened: list[Terminal] = []

    def open_terminal(columns: int = 80, lines: int = 24) -> Terminal:
        folder = tmp_path / f"terminal-{len(opened)}"
        folder.mkdir()
        opened.append(Terminal(folder, columns, lines))
        return opened[-1]

    yield open_terminal
    for each in opened:
        try:
            each.tmux("kill-server")
        except subprocess.CalledProcessError:
            continue  # it was killed by the test


def check_widths(lines: Sequence[str], columns: int) -> None:
    """No line is wider than the terminal, and nothing was told on it that belongs elsewhere."""
    assert max(cell_len(line) for line in lines) <= columns
    assert "Traceback" not in "\n".join(lines)


def test_start_copy_change_the_size_search_and_leave(terminal: Open, phrasebook: Path) -> None:
    pane = terminal(80, 24)
    pane.browse(phrasebook)
    check_widths(pane.wait_for("check in"), 80)
    check_colours(pane.tmux("capture-pane", "-p", "-e"))
    pane.press("y")
    pane.wait_for("tmux, terminal (OSC 52)")
    assert pane.tmux("show-buffer") == "Where do I check in?"
    pane.tmux("resize-window", "-x", "30", "-y", "8")
    pane.wait_for("too small")
    pane.tmux("resize-window", "-x", "120", "-y", "30")
    check_widths(pane.wait_for("[Search]"), 120)
    pane.tmux("resize-window", "-x", "80", "-y", "24")
    pane.press("/")
    pane.type("beer")
    pane.press("Enter")
    check_widths(pane.wait_until(lambda screen: "beer" in screen and "check in" not in screen, "the hits"), 80)
    pane.press("C-c")
    pane.wait_for("ctrl+q leaves")
    pane.press("C-q")
    ended = pane.wait_for_end()
    assert "status 0" in ended and "opening" not in ended


def check_colours(styled: str) -> None:
    """With 16 colours no escape sequence asks for another one."""
    assert "\x1b[" in styled
    assert "38;2;" not in styled and "48;2;" not in styled and "38;5;" not in styled and "48;5;" not in styled


PLACES = ((1, "Search"), (2, "Paraphrases"), (4, "Judge"), (5, "Scores"), (6, "Jobs"), (7, "Corpus"), (3, "Words"))
"""With their keys; the last one begins in a line of input, where a digit would be typed."""


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "lines"), [(60, 20), (80, 24), (200, 60)])
def test_every_place_has_room(columns: int, lines: int, terminal: Open, phrasebook: Path) -> None:
    pane = terminal(columns, lines)
    pane.browse(phrasebook)
    for number, name in PLACES:
        pane.press(str(number))
        check_widths(pane.wait_for(f"[{name}]"), columns)
        pane.press("F1")
        check_widths(pane.wait_for("q close"), columns)
        pane.press("q")
        check_widths(pane.wait_until(lambda screen: "q close" not in screen, "the place below"), columns)
    pane.press("C-q")
    assert "status 0" in pane.wait_for_end()


@pytest.mark.slow
def test_japanese_stays_in_its_columns(terminal: Open, phrasebook: Path) -> None:
    """In a concordance what matched begins in one and the same cell on every line."""
    pane = terminal(80, 24)
    pane.browse(phrasebook)
    pane.wait_for("check in")
    pane.press("l")
    pane.press("l")
    pane.wait_for("jpn string")
    pane.press("/")
    pane.type("ください")
    pane.press("Enter")
    pane.wait_for("225 sentences")
    pane.press("v")
    lines = pane.wait_for("225 lines")
    check_widths(lines, 80)
    matches = [line for line in lines[3:15] if "ください" in line]
    assert len(matches) == 12
    assert len({cell_len(line[: line.rindex("ください")]) for line in matches}) == 1


@pytest.mark.slow
def test_a_session_is_taken_up_where_the_connection_was_cut(terminal: Open, phrasebook: Path) -> None:
    pane = terminal(80, 24)
    pane.browse(phrasebook)
    pane.wait_for("check in")
    pane.press("p")
    pane.wait_for("seed 1 of 1")
    pane.press("a")
    pane.wait_for("1 accepted, 0 rejected")
    pane.press("x")
    pane.wait_for("1 accepted, 1 rejected")
    pane.kill()
    again = terminal(80, 24)
    again.browse(phrasebook)
    again.press("2")
    again.wait_for("corpus-1")
    again.press("Enter")
    check_widths(again.wait_for("seed 1 of 1, 1 accepted, 1 rejected"), 80)
    again.press("u")
    again.wait_for("u again takes back a rejection made elsewhere or earlier")
    again.press("u")
    again.wait_for("1 accepted, 0 rejected")
    again.press("C-q")
    assert "status 0" in again.wait_for_end()


@pytest.mark.slow
def test_judging_goes_on_where_the_connection_was_cut(terminal: Open, phrasebook: Path) -> None:
    pane = terminal(80, 24)
    pane.browse(phrasebook)
    pane.press("4")
    pane.wait_for("Judge: tester")
    pane.press("c")
    pane.wait_for("Draw a sample")
    pane.press_for("Enter", "0/400")
    pane.press_for("Enter", "Item 1.")
    pane.press("a")
    pane.wait_for("Item 2.")
    pane.press("x")
    pane.wait_for("Item 3.")
    pane.wait_for("2/400")
    pane.kill()
    again = terminal(80, 24)
    again.browse(phrasebook)
    again.press("4")
    again.wait_for("2/400")
    again.press("Enter")
    check_widths(again.wait_for("Item 3."), 80)
    again.press("C-q")
    assert "status 0" in again.wait_for_end()


CANDIDATES = """
select seed.text, candidate.text, frequency, fluency from candidate join seed on seed.id = candidate.seed order by 1, 2
"""


def candidates(database: Path) -> list[object]:
    """What was generated, whatever the ids of its rows are."""
    with open_store(database, read_only=True) as store:
        return store.connection.execute(CANDIDATES).fetchall()


@pytest.mark.slow
def test_a_job_goes_on_where_the_connection_was_cut(terminal: Open, finished_phrasebook: Path, tmp_path: Path) -> None:
    """The server is killed while the job runs; the same command then ends it, with the rows of an undisturbed one."""
    database = tmp_path / "corpus.db"
    with open_store(database, create=True) as store:
        sources = open_sources("tsv", phrasebook_files(), Options(languages=LANGUAGES))
        finished(import_files(store, sources, "phrasebook", LICENCE))
    pane = terminal(80, 24)
    pane.browse(database)
    pane.press("6")
    pane.wait_for("[Jobs]")
    pane.press("p")
    pane.wait_for("generate --lang ")
    pane.press("C-u")
    pane.type("eng")
    pane.press("Enter")
    pane.wait_until(lambda screen: "running" in screen, "a job that runs")
    pane.kill()
    assert candidates(database) != candidates(finished_phrasebook)
    with open_store(database) as store:
        finished(generate(store, "eng"))
    assert candidates(database) == candidates(finished_phrasebook)


_NEW = "select 1 from sentence where text like 'A new sentence%'"


@pytest.mark.slow
def test_two_browsers_and_an_import(terminal: Open, phrasebook: Path, tmp_path: Path) -> None:
    """While an import writes, one browser searches and the other decides; neither sees an error, and all is kept."""
    seed = "I'd like to check in, please."
    with open_store(phrasebook) as store:
        create_session(store, "mine", "eng", [seed])
    lines = "".join(f"A new sentence {number}.\tUne phrase {number}.\n" for number in range(240_000))
    (tmp_path / "many.tsv").write_text(lines, encoding="utf-8")
    first, second = terminal(80, 24), terminal(80, 24)
    first.browse(phrasebook)
    second.browse(phrasebook)
    second.press("2")
    second.wait_for("mine")
    second.press("Enter")
    second.wait_for(seed)
    options = ["import", "many.tsv", "--lang", "eng,fra", "--name", "many", "--quiet", "--no-follow"]
    command = [sys.executable, "-m", "corpusdb", "--db", str(phrasebook), *options]
    with subprocess.Popen(command, cwd=tmp_path, env={"PYTHONPATH": str(CHECKOUT)}, stdout=subprocess.DEVNULL) as work:
        with open_store(phrasebook, read_only=True) as store:
            first.wait_until(lambda _: store.connection.execute(_NEW).fetchone() is not None, "a new sentence")
        first.press("/")
        first.type("new sentence")
        first.wait_for("> A new sentence")
        assert work.poll() is None
        second.press("a")
        screen = second.wait_until(
            lambda screen: "1 accepted, 0 rejected" in screen and "~" not in screen, "the decision"
        )
        assert work.poll() is None, "the import had ended before the decision was stored"
        assert not any(line.startswith("! ") for line in (*screen, *first.screen()))
        assert work.wait(60) == 0
    with open_store(phrasebook) as store:
        assert [each.verdict for each in decisions(store, "mine")] == ["accept"]

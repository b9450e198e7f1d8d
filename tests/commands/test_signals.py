from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import signals_at_moments as moments

from corpusdb import __version__

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs to see who listens")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    moments.prepare(folder)
    return folder


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(prepared, tmp_path / "folder"))


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# By default one command for each signal; each with all signals is slow.
STRUCK = [
    pytest.param(number, command, times, marks=() if which == place else pytest.mark.slow)
    for place, (command, times) in enumerate([("import", 5), ("export", 1), ("help", 1)])
    for which, number in enumerate(SIGNALS)
]


@pytest.mark.parametrize(("number", "command", "times"), STRUCK)
def test_it_ends_in_one_line_whenever_the_signal_comes(
    number: signal.Signals, command: str, times: int, folder: Path
) -> None:
    whole = moments.whole_output(moments.COMMANDS[command], folder) if command == "help" else b""
    for after in (0.0, 0.05, 0.2):
        end = moments.struck(moments.COMMANDS[command], folder, number, after=after, times=times)
        assert end.fault(number, whole) == ""


@pytest.mark.parametrize(
    ("number", "code", "told"),
    [
        (signal.SIGINT, 130, b"corpusdb: interrupted\n"),
        (signal.SIGTERM, -signal.SIGTERM, b"corpusdb: ended by SIGTERM\n"),
        (signal.SIGHUP, -signal.SIGHUP, b"corpusdb: ended by SIGHUP\n"),
    ],
)
@pytest.mark.parametrize("times", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_command_that_waits_ends_by_the_signal(number: int, code: int, told: bytes, times: int, folder: Path) -> None:
    command = [sys.executable, "-m", "corpusdb", "solve", "-"]
    pipe = subprocess.PIPE
    environment = moments.environment(folder)
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=moments.heard
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(b"a\tab\tc\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"cb\n"  # now it waits for the next line
        for _ in range(times):
            process.send_signal(number)
        assert process.stderr.read() == told
        assert process.wait(60) == code


def hung_up() -> None:
    moments.heard()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def test_a_hangup_that_is_ignored_from_the_start_stays_so(folder: Path) -> None:
    command = [sys.executable, "-m", "corpusdb", "solve", "-"]
    pipe = subprocess.PIPE
    environment = moments.environment(folder)
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, preexec_fn=hung_up
    ) as process:
        moments.wait_until_it_listens(process, (signal.SIGINT, signal.SIGTERM))
        process.send_signal(signal.SIGHUP)
        assert process.communicate(b"a\tab\tc\n", timeout=60) == (b"cb\n", b"")
        assert process.returncode == 0


@pytest.mark.slow
def test_standard_input_leaves_nothing_behind(folder: Path) -> None:
    command = [sys.executable, "-m", "corpusdb", "--quiet", "import", "-", "--lang", "eng,fra", "--name", "sent"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, env=moments.environment(folder), stdin=pipe, stdout=pipe, stderr=pipe
    ) as process:
        assert process.stdin
        process.stdin.write(b"one\tun\n" * 100_000)  # more than a pipe holds: it is being copied
        process.kill()
        process.communicate(timeout=60)
    assert os.listdir(folder / "temporary") == []


LATE = """
import os, signal, sys
from corpusdb.base import signals

class Last:
    def __del__(self, kill=os.kill, own=os.getpid(), number=int(sys.argv[1])):
        kill(own, number)

last = Last()  # it goes when Python takes the modules apart, behind everything that a program can do
signals.listen()
signals.begin()
signals.close()
"""


def ended(program: str, number: signal.Signals, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """How a program ends that gets this signal."""
    return subprocess.run(
        [sys.executable, "-c", program, str(int(number))],
        env=moments.environment(folder),
        capture_output=True,
        preexec_fn=moments.heard,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("number", SIGNALS)
def test_one_that_comes_when_python_takes_itself_apart_comes_too_late(number: signal.Signals, folder: Path) -> None:
    done = ended(LATE, number, folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


LOST = """
import os, signal, sys
from corpusdb.base import signals

signals.listen()
signals.begin()
try:
    os.kill(os.getpid(), int(sys.argv[1]))
except KeyboardInterrupt:  # by what a library calls back, and does not hand on
    pass
signals.close()
"""
PATIENT = """
import os, sys
from corpusdb.base import signals

signals._PATIENCE_SECONDS = -1.0
signals.listen()
signals.begin()
signals.close()
os.kill(os.getpid(), int(sys.argv[1]))
"""
CLOSING = """
import os, sys
from corpusdb import __main__ as entry
from corpusdb.base import signals

def struck(close=signals.close, number=int(sys.argv[1])):
    signals.close = close
    os.kill(os.getpid(), number)
    close()

signals.close = struck
sys.argv = ["corpusdb", "--version"]
entry.main()
"""


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    ("program", "printed"),
    [
        pytest.param(LOST, b"", id="lost on its way"),
        pytest.param(PATIENT, b"", id="long after the work was done"),
        pytest.param(CLOSING, f"corpusdb {__version__}\n".encode(), id="as the program closes"),
    ],
)
def test_an_end_by_a_signal_is_told_wherever_it_comes(
    number: signal.Signals, program: str, printed: bytes, folder: Path
) -> None:
    done = ended(program, number, folder)
    told = b"interrupted" if number == signal.SIGINT else f"ended by {number.name}".encode()
    assert (done.returncode, done.stdout, done.stderr) == (
        130 if number == signal.SIGINT else -number,
        printed,
        b"corpusdb: " + told + b"\n",
    )

"""What holds for all tests; the program run on the example of the paper; and real segments, read once for a run."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import gzip
import os
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Collection, Generator, Iterator
from functools import cache
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeAlias

import pytest
import typer.main
from hypothesis import settings
from typer.testing import CliRunner, Result

from corpusdb.corpus.store import Store
from corpusdb.program.catalogue import app

# Temporary files are held in memory where there is room: a sixth of the time went into syncing and removing the small
# databases of thousands of tests.
_IN_MEMORY, _ROOM = Path("/dev/shm"), 4 << 30
if "TMPDIR" not in os.environ and _IN_MEMORY.is_dir() and shutil.disk_usage(_IN_MEMORY).free > _ROOM:
    os.environ["TMPDIR"] = str(_IN_MEMORY)
    tempfile.tempdir = None

# What is compiled is kept for the other processes of a run and for each start of the program, whatever the environment
# says: without that, three quarters of collecting is compiling, in each process anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

if TYPE_CHECKING:
    from recorded_analyses import RecordedAnalyser

    from corpusdb.program.demonstration_queries import DemoReport, GenerationShown


# Modules that many tests need are imported by their bare names, whatever way pytest imports tests.
_BESIDE = Path(__file__).parent
sys.path[:0] = [str(_BESIDE / folder) for folder in ("architecture", "attacks", "driving", "oracles")]
sys.path.append(str(_BESIDE / "benchmarks"))

from calls import MakeOnce, Prepare, Program, Run  # noqa: E402
from corpora import new_store  # noqa: E402

# No deadline: a test must not fail because the machine is busy. Unattended runs all try the same examples.
for name, examples in (("corpusdb", 5), ("corpusdb-slow", 50)):
    settings.register_profile(name, max_examples=examples, deadline=None, derandomize="CI" in os.environ)
settings.load_profile("corpusdb")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_READ_DATA = frozenset({"captions", "news"})
"""Fixtures below that read real corpora."""

SECONDS_OF_SLOW_TESTS = 900.0
"""So long a test may take in a run of slow ones; in the others, what pyproject.toml says."""
VARIANTS = 1
"""Of a test over random corpora, those that are run by default; its parameter, ``number`` or ``seed``, has a range."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where all tests take longer than there is time, each of N runs can have its part of them: --share K/N."""
    told = "run the tests of one part of N; beside slow ones all that read real corpora"
    parser.addoption("--share", metavar="K/N", help=told)


def _is_of_share(name: str, share: str) -> bool:
    """Whether a test or a module is of the K-th of N parts, K from 0 and modulo N."""
    part, parts = map(int, share.split("/"))
    return zlib.crc32(name.encode()) % parts == part % parts


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where no slow tests are asked for a part is one of modules: the others need not be imported.

    Slow tests are chosen one by one, as they take a second or a minute, and the variants of one are spread.
    """
    if not config.option.share or _asks_for_slow_tests(config) or not collection_path.match("test_*.py"):
        return None
    name = collection_path.relative_to(config.rootpath).as_posix()
    return None if _is_of_share(name, config.option.share) else True


def _asks_for_slow_tests(config: pytest.Config) -> bool:
    expression = config.option.markexpr.replace("not slow", "")
    return "slow" in expression or any("::" in argument for argument in config.args)


def pytest_configure(config: pytest.Config) -> None:
    """Whoever asks for slow tests gets more examples of each property, in modules that are imported from here on."""
    if _asks_for_slow_tests(config):
        settings.load_profile("corpusdb-slow")
        config._inicache["faulthandler_timeout"] = SECONDS_OF_SLOW_TESTS  # no call sets it for one run


def _is_further_variant(item: pytest.Item) -> bool:
    for mark in item.iter_markers("parametrize"):
        name, values = mark.args[:2]
        if name in ("number", "seed") and isinstance(values, range):
            return bool(item.callspec.params[name] >= VARIANTS)  # type: ignore[attr-defined]
    return False


def _is_property(item: pytest.Item) -> bool:
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Further variants are slow; and slow tests are left out unless -m speaks of them, or they are named one by one.

    Properties are in both runs: among the slow tests, with more examples. What reads real corpora is marked ``data``
    and skipped where there are none; whatever else reads them fails there.
    """
    for item in items:
        if _is_further_variant(item):
            item.add_marker(pytest.mark.slow)
        if not _READ_DATA.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.data)
        if not DATA.is_dir() and item.get_closest_marker("data"):
            item.add_marker(pytest.mark.skip("no real corpora beside the checkout"))
    if not _asks_for_slow_tests(config):
        _leave_out([item for item in items if item.get_closest_marker("slow")], config, items)
        return
    parted = [item for item in items if item.get_closest_marker("slow") or not item.get_closest_marker("data")]
    for item in items:
        if _is_property(item):
            item.add_marker(pytest.mark.slow)
    if share := config.option.share:
        _leave_out([item for item in parted if not _is_of_share(item.nodeid, share)], config, items)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Each process of a run begins with another module of a folder, and finds the rest compiled by the others."""
    report = yield
    modules = [node for node in report.result or () if isinstance(node, pytest.Module)]
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    start = len(modules) * number // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    for module in modules[start:] + modules[:start]:
        try:
            module.obj  # noqa: B018
        except (Exception, pytest.skip.Exception):  # it is imported again, and says so then
            name = ".".join(module.path.relative_to(module.config.rootpath).with_suffix("").parts)
            sys.modules.pop(name, None)
    return report


def pytest_collection_finish() -> None:
    """Ten thousand tests stay until the end: a fifth of the time went into looking whether they are garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _leave_out(unwanted: Collection[pytest.Item], config: pytest.Config, items: list[pytest.Item]) -> None:
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        left_out = set(unwanted)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def make_once(tmp_path_factory: pytest.TempPathFactory) -> MakeOnce:
    """Makes a folder of the given name, once for all processes of a run: the others wait for it."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    shared.mkdir(exist_ok=True)

    def make(name: str, fill: Callable[[Path], object]) -> Path:
        folder, done = shared / name, shared / f"{name}.done"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a process that failed
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return make


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As where SudachiPy is not installed."""
    from corpusdb.base import tokenisation

    monkeypatch.setitem(sys.modules, "sudachipy", None)
    tokenisation._opened.cache_clear()
    yield
    tokenisation._opened.cache_clear()


@pytest.fixture
def recorded_morphemes(monkeypatch: pytest.MonkeyPatch) -> RecordedAnalyser:
    """Japanese is analysed by what was recorded, whether SudachiPy is installed or not."""
    from recorded_analyses import recorded_analyser

    from corpusdb.base import tokenisation as sudachi

    analyser = recorded_analyser()
    monkeypatch.setattr(sudachi, "_opened", lambda dictionary: analyser)
    return analyser


@pytest.fixture(scope="session")
def demonstration(make_once: MakeOnce) -> tuple[Path, GenerationShown]:
    """The built-in phrasebook with everything derived from it, made once, and what was generated."""
    from corpusdb.base.jobs import finished
    from corpusdb.corpus.store import open_store
    from corpusdb.program.demonstration_queries import generate_phrasebook

    def fill(folder: Path) -> None:
        with open_store(folder / "phrasebook.db", create=True) as store:
            (folder / "report").write_bytes(pickle.dumps(finished(generate_phrasebook(store))))

    folder = make_once("phrasebook", fill)
    return folder / "phrasebook.db", pickle.loads((folder / "report").read_bytes())


@pytest.fixture(scope="session")
def whole_demonstration(make_once: MakeOnce, demonstration: tuple[Path, GenerationShown]) -> tuple[Path, DemoReport]:
    """The database that `corpusdb demo` makes, and what it shows."""
    from corpusdb.base.jobs import finished
    from corpusdb.corpus.store import open_store
    from corpusdb.program.demonstration_queries import show_other_systems

    path, generation = demonstration

    def fill(folder: Path) -> None:
        with open_store(Path(shutil.copy(path, folder / "demo.db"))) as store:
            shown = finished(show_other_systems(store, generation, time.monotonic()))
        (folder / "report").write_bytes(pickle.dumps(shown))

    folder = make_once("demonstration", fill)
    return folder / "demo.db", pickle.loads((folder / "report").read_bytes())


@pytest.fixture(scope="session")
def finished_phrasebook(demonstration: tuple[Path, GenerationShown]) -> Path:
    """The database of that: nobody writes to it, but to copies."""
    return demonstration[0]


Sample: TypeAlias = tuple[list[str], list[list[str]]]
"""Hypotheses, and the references of each."""


def lines(path: Path) -> list[str]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8").removesuffix("\n").split("\n")


@pytest.fixture(scope="session")
def news() -> dict[str, Sample]:
    """The ten systems of WMT21 Russian-English, 1,000 segments with two references each."""
    folder = DATA / "wmt21-ruen"
    references = [list(pair) for pair in zip(*(lines(folder / f"ref.{name}.en") for name in "AB"), strict=True)]
    return {path.stem: (lines(path), references) for path in sorted((folder / "systems").glob("*.en"))}


@pytest.fixture(scope="session")
def captions() -> Sample:
    """2,014 descriptions of images with 1 to 13 references: those of the image itself, then of its neighbours."""
    folder = DATA / "multi30k" / "task2"
    images = [
        list(image)
        for part in ("test_2016", "val")
        for image in zip(*(lines(folder / f"{part}.{number}.en.gz") for number in range(1, 6)), strict=True)
    ]
    rng = random.Random(1)
    for image in images:
        rng.shuffle(image)  # they are sorted by length
    references = [
        [text for other in range(4) for text in images[number - other][1:]][: 1 + number % 13]
        for number, image in enumerate(images)
    ]
    return [image[0] for image in images], references


CHECKOUT = Path(__file__).parents[1]

# Sentences of Lepage & Denoual 2005, tables 3 and 4, with translations that make the second and the third paraphrases.
PAPER = """\
english	french
I'd like a beer, please.	Je voudrais une bière, s'il vous plaît.
A beer, please.	Une bière, s'il vous plaît.
Can I have a beer?	Une bière, s'il vous plaît.
I'd like a slice of pizza, please.	Je voudrais une part de pizza, s'il vous plaît.
A slice of pizza, please.	Une part de pizza, s'il vous plaît.
I'd like a twin, please.	Je voudrais une chambre à deux lits, s'il vous plaît.
A twin, please.	Une chambre à deux lits, s'il vous plaît.
"""


@pytest.fixture(scope="session", autouse=True)
def built_once() -> Iterator[None]:
    """The commands are built once for all runs in this process: that takes longer than most of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session", autouse=True)
def no_garbage_is_looked_for() -> Iterator[None]:
    """Giving memory back goes through all that ten thousand tests keep, and is done for ten sentences as for millions.

    What it is good for is measured in processes of their own.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corpusdb.base.jobs.gc", SimpleNamespace(collect=int, freeze=int, unfreeze=int))
        patch.setattr("corpusdb.corpus.store.connection.give_memory_back", int)
        yield


_NUMBERS = count()
"""Of folders; to look for the next free number among thousands, as pytest does, takes longer than many a test."""


@pytest.fixture
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the program keeps the history, instead of in the home of whoever runs the tests."""
    folder = tmp_path_factory.getbasetemp() / "states" / str(next(_NUMBERS))
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: Path) -> Run:
    """The program in this process and in an empty folder; its database is corpus.db there unless told otherwise."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CORPUSDB_DB", raising=False)
    monkeypatch.delenv("CORPUSDB_TRACEBACK", raising=False)
    monkeypatch.delenv("CORPUSDB_HISTORY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(state))

    def call(*arguments: object, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)

    return call


@pytest.fixture
def prepare(run: Run, make_once: MakeOnce, tmp_path: Path) -> Prepare:
    """For what several tests of a module begin with, as calls of ``run`` and files in the folder that it is in."""

    def copy(name: str, fill: Callable[[], object]) -> Path:
        def fill_inside(folder: Path) -> None:
            with contextlib.chdir(folder):
                fill()

        return Path(shutil.copytree(make_once(name, fill_inside), tmp_path, dirs_exist_ok=True))

    return copy


@pytest.fixture
def environment(state: Path) -> dict[str, str]:
    """The environment for a process of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CORPUSDB_")}
    return kept | {"PYTHONPATH": str(CHECKOUT), "XDG_STATE_HOME": str(state)}


@pytest.fixture
def program(tmp_path: Path, environment: dict[str, str]) -> Program:
    """The program as a process of its own, in the same folder."""

    def call(*arguments: object, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "corpusdb", *map(str, arguments)]
        return subprocess.run(
            command, cwd=tmp_path, env=environment | variables, input=stdin, capture_output=True, encoding="utf-8"
        )

    return call


@pytest.fixture(scope="session")
def example(make_once: MakeOnce) -> Path:
    """A folder with the sentences of the paper, as a file, imported, and with everything generated from them."""

    def fill(folder: Path) -> None:
        (folder / "paper.tsv").write_text(PAPER, encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setenv("CORPUSDB_HISTORY", "off")
            invoked("--db", "generated.db", "import", "paper.tsv", "--lang", "eng,fra")
            shutil.copy("generated.db", "corpus.db")
            invoked("--db", "generated.db", "generate", "--lang", "eng")

    return make_once("example", fill)


def invoked(*arguments: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.stderr


@pytest.fixture
def corpus(run: Run, example: Path, tmp_path: Path) -> Path:
    """corpus.db with the sentences of the paper, from which nothing was derived yet, where ``run`` finds it."""
    shutil.copy(example / "paper.tsv", tmp_path)
    return Path(shutil.copy(example / "corpus.db", tmp_path))


@pytest.fixture
def generated(corpus: Path, example: Path) -> Path:
    """The same with the paraphrases of all its English sentences."""
    return Path(shutil.copy(example / "generated.db", corpus))


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Store]:
    """A database with nothing in it."""
    with new_store(tmp_path) as store:
        yield store

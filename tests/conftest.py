"""What holds for all tests, and real segments with several references, read once for the whole run."""

from __future__ import annotations

import fcntl
import gzip
import os
import pickle
import random
import shutil
import sys
import zlib
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from recorded_analyses import RecordedAnalyser

    from corpusdb.program.queries.demonstration import GenerationShown

for folder in ("architecture", "morphemes"):
    sys.path.insert(0, str(Path(__file__).parent / folder))

# No deadline: a test must not fail because the machine is busy. Unattended runs all try the same examples.
for name, examples in (("corpusdb", 25), ("corpusdb-slow", 100)):
    settings.register_profile(name, max_examples=examples, deadline=None, derandomize="CI" in os.environ)
settings.load_profile("corpusdb")

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
_READ_DATA = frozenset({"captions", "news"})
"""Fixtures below that read real corpora."""

SECONDS_OF_SLOW_TESTS = 900.0
"""So long a test may take in a run of slow ones; in the others, what pyproject.toml says."""
VARIANTS = 5
"""Of a test over random corpora, those that are run by default; its parameter, ``number`` or ``seed``, has a range."""

MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where all tests take longer than there is time, each of N runs can have its part of them: --share K/N."""
    parser.addoption("--share", metavar="K/N", help="run the tests of one part of N; the others are left out")


def _is_of_share(item: pytest.Item, share: str) -> bool:
    """Whether a test is of the K-th of N parts, K from 0 and modulo N. The variants of a test are spread over them."""
    part, parts = map(int, share.split("/"))
    return zlib.crc32(item.nodeid.encode()) % parts == part % parts


def _asks_for_slow_tests(config: pytest.Config) -> bool:
    return "slow" in config.option.markexpr or any("::" in argument for argument in config.args)


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
    if _asks_for_slow_tests(config):
        for item in items:
            if "not slow" not in config.option.markexpr and _is_property(item):
                item.add_marker(pytest.mark.slow)
    else:
        _leave_out([item for item in items if item.get_closest_marker("slow")], config, items)
    if config.option.share:
        _leave_out([item for item in items if not _is_of_share(item, config.option.share)], config, items)


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
def recorded_morphemes(monkeypatch: pytest.MonkeyPatch) -> RecordedAnalyser:
    """Japanese is analysed by what was recorded, whether SudachiPy is installed or not."""
    from recorded_analyses import recorded_analyser

    from corpusdb.base import morphemes as sudachi

    analyser = recorded_analyser()
    monkeypatch.setattr(sudachi, "_opened", lambda dictionary: analyser)
    return analyser


@pytest.fixture(scope="session")
def demonstration(make_once: MakeOnce) -> tuple[Path, GenerationShown]:
    """The built-in phrasebook with everything derived from it, made once, and what was generated."""
    from corpusdb.base.jobs import finished
    from corpusdb.corpus.store import open_store
    from corpusdb.program.queries.demonstration import generate_phrasebook

    def fill(folder: Path) -> None:
        with open_store(folder / "phrasebook.db", create=True) as store:
            (folder / "report").write_bytes(pickle.dumps(finished(generate_phrasebook(store))))

    folder = make_once("phrasebook", fill)
    return folder / "phrasebook.db", pickle.loads((folder / "report").read_bytes())


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

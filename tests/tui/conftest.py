"""The phrasebook for tests of the browser, and a name, folders and a history of their own."""

from __future__ import annotations

import asyncio
import inspect
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "driving"))

from people_pilots import add_samples, begin_session
from pilots import databases_filled_once, rest_seen_at_once, styles_parsed_once

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.chain.queries.importing import import_files, update_layers
from corpusdb.corpus.formats import Options, open_sources
from corpusdb.corpus.store import open_store
from corpusdb.phrasebook import LANGUAGES, LICENCE, phrasebook_files


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of these are tests of the browser."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(autouse=True, scope="session")
def a_small_process() -> Iterator[None]:
    """That of the tests has more than any browser, so that one would let go of everything after each question."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tui.kit.reader.memory_in_use", lambda: 0)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A test that is a coroutine has a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(scope="session", autouse=True)
def made_once_and_seen_at_once(make_once: Callable[[str, Callable[[Path], object]], Path]) -> Iterator[None]:
    with styles_parsed_once(), rest_seen_at_once(), databases_filled_once(make_once):
        yield


@pytest.fixture(scope="session")
def indexed_phrasebook(finished_phrasebook: Path, make_once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The phrasebook with its words indexed, as imports leave it: else each session cuts them."""

    def fill(folder: Path) -> None:
        with open_store(Path(shutil.copy(finished_phrasebook, folder / "phrasebook.db"))) as store:
            finished(update_layers(store))

    return make_once("indexed", fill) / "phrasebook.db"


@pytest.fixture
def phrasebook(indexed_phrasebook: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    return Path(shutil.copy(indexed_phrasebook, tmp_path / "phrasebook.db"))


def _make_airport(folder: Path) -> None:
    (file,) = [file for file in phrasebook_files() if file.name == "airport.tsv"]
    with open_store(folder / "airport.db", create=True) as store:
        finished(import_files(store, open_sources("tsv", [file], Options(languages=LANGUAGES)), "airport", LICENCE))
    shutil.copy(folder / "airport.db", folder / "generated.db")
    with open_store(folder / "generated.db") as store:
        for language in ("eng", "jpn"):
            finished(generate(store, language))


@pytest.fixture
def airport(make_once: Callable[[str, Callable[[Path], object]], Path], tmp_path: Path) -> Path:
    """A database with a file of the phrasebook, from which nothing was derived yet: its jobs are quick."""
    return Path(shutil.copy(make_once("airport", _make_airport) / "airport.db", tmp_path))


@pytest.fixture
def small(airport: Path, make_once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The same with English and Japanese paraphrases, where all that is derived follows what is written at once."""
    return Path(shutil.copy(make_once("airport", _make_airport) / "generated.db", airport))


@pytest.fixture
def begun(phrasebook: Path) -> Path:
    """The phrasebook with a session of three seeds."""
    return begin_session(phrasebook)


@pytest.fixture(scope="session")
def judged_phrasebook(indexed_phrasebook: Path, make_once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The phrasebook with samples, made once."""

    def fill(folder: Path) -> None:
        add_samples(Path(shutil.copy(indexed_phrasebook, folder / "phrasebook.db")))

    return make_once("judged", fill) / "phrasebook.db"


@pytest.fixture
def judged(judged_phrasebook: Path, tmp_path: Path) -> Path:
    """A copy of it for one test."""
    return Path(shutil.copy(judged_phrasebook, tmp_path / "phrasebook.db"))


@pytest.fixture
def morphemes(request: pytest.FixtureRequest) -> None:
    """Japanese is analysed by what was recorded, at standpoints where rules rewrite it."""
    if request.node.callspec.params["name"].startswith(("rule", "rewritings")):
        request.getfixturevalue("recorded_morphemes")


@pytest.fixture(autouse=True)
def own_state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A name, a folder, a history, a configuration and a terminal of the test's own: nothing of whoever runs it."""
    for name in ("NO_COLOR", "TMUX", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TERM", "screen")
    monkeypatch.setenv("USER", "kim")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CORPUSDB_HISTORY", raising=False)

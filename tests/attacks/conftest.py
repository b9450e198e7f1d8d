"""The corpora that are disturbed, and the one that attacks the terminal."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hostile import Corpus, corpus_in, make_corpus
from pilots import databases_filled_once, rest_seen_at_once, styles_parsed_once
from workbench import Prepared, fallen_behind, prepare


@pytest.fixture(scope="session")
def level(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """A corpus that everything derived from it has followed."""
    return prepare(tmp_path_factory.mktemp("attacks") / "level")


@pytest.fixture(scope="session")
def behind(level: Prepared) -> Prepared:
    """The same with a last file that was not followed."""
    return fallen_behind(level, level.with_name("behind"))


@pytest.fixture(scope="session")
def disturbed(level: Prepared) -> Path:
    """A folder that is not there, for copies that are disturbed: always the same, so that what is expected is known."""
    return level.with_name("disturbed")


@pytest.fixture(scope="session", autouse=True)
def made_once_and_seen_at_once(make_once: Callable[[str, Callable[[Path], object]], Path]) -> Iterator[None]:
    with styles_parsed_once(), rest_seen_at_once(), databases_filled_once(make_once):
        yield


@pytest.fixture(scope="session")
def untouched(make_once: Callable[[str, Callable[[Path], object]], Path]) -> Corpus:
    """The hostile corpus, made once."""
    return corpus_in(make_once("hostile", make_corpus))


@pytest.fixture
def hostile(untouched: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """A copy of it for one test, with a state, a configuration and a user of the test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("USER", "kim")
    for name in ("CORPUSDB_HISTORY", "CORPUSDB_CONFIG", "CORPUSDB_DB", "TMUX", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    folder = Path(shutil.copytree(untouched.folder, tmp_path / untouched.folder.name))
    monkeypatch.chdir(folder)
    return Corpus(folder / untouched.path.name, folder)

"""Makes the modules beside the tests, and those that drive the browser, importable."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE / "attacking"), str(_HERE.parent / "tui" / "driving")]

from hostile import Corpus, corpus_in, make_corpus  # noqa: E402
from parsed_styles import styles_parsed_once  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def styles() -> Iterator[None]:
    with styles_parsed_once():
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

"""What holds for all tests."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent / "architecture"))

# No deadline: a test must not fail because the machine is busy. Unattended runs all try the same examples.
settings.register_profile("corpusdb", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("corpusdb")

VARIANTS = 25
"""Of a test over random corpora, those that are run by default; its parameter, ``number`` or ``seed``, has a range."""

MakeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]


def _is_further_variant(item: pytest.Item) -> bool:
    for mark in item.iter_markers("parametrize"):
        name, values = mark.args[:2]
        if name in ("number", "seed") and isinstance(values, range):
            return bool(item.callspec.params[name] >= VARIANTS)  # type: ignore[attr-defined]
    return False


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Further variants are slow; and slow tests are left out unless -m speaks of them, or they are named one by one."""
    for item in items:
        if _is_further_variant(item):
            item.add_marker(pytest.mark.slow)
    if "slow" in config.option.markexpr or any("::" in argument for argument in config.args):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


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

"""One Spark session for all tests of the chain on Spark, which are skipped, with a reason, where there can be none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def missing() -> str:
    """What the chain on Spark lacks here; empty where it has all."""
    packages = [name for name in ("pyspark", "pyarrow", "pandas") if find_spec(name) is None]
    if packages:
        return f"the extra spark is not installed: no {', '.join(packages)}"
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and (Path(home) / "bin" / "java").exists()):
        return "there is no Java"
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skipped where Spark cannot run."""
    if reason := missing():
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True, scope="module")
def word_models_of_few_sentences() -> Iterator[None]:
    """On Spark and in the database alike, so that their word models and gains are compared, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corpusdb.paraphrase.word_model.LEAST_SENTENCES", 10)
        yield


@pytest.fixture(scope="session")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that Spark knows as viewfs://corpus/runs, a file system that nothing else here can read."""
    return tmp_path_factory.mktemp("mounted")


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory, mounted: Path) -> Iterator[SparkSession]:
    """A session of two threads and little memory."""
    from corpusdb.cluster.session import settings_for, started

    settings = {"spark.driver.memory": "1g", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    settings["spark.hadoop.fs.viewfs.mounttable.corpus.link./runs"] = f"file://{mounted}"
    log = tmp_path_factory.mktemp("spark") / "spark.log"
    with started("local[2]", settings_for(0, settings), log) as made:
        yield made

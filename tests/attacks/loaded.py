"""All that the program may load, so that the processes which are forked from one that has it begin at once."""

from __future__ import annotations

import importlib
import pkgutil
import tempfile
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import corpusdb
from corpusdb.corpus.store import open_store
from corpusdb.program.catalogue import app

__all__: list[str] = []

for _module in pkgutil.walk_packages(corpusdb.__path__, "corpusdb."):
    if not _module.name.endswith("__main__"):
        importlib.import_module(_module.name)
# Migrations and the reading of options load more.
with tempfile.TemporaryDirectory() as _folder, redirect_stdout(StringIO()):
    open_store(Path(_folder) / "corpus.db", create=True).close()
    with suppress(SystemExit):
        app(["--db", f"{_folder}/corpus.db", "info"])

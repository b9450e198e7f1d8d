"""What a call does not use it does not pay for: threads for matrices, and searches for garbage."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("said", "threads"), [(None, "1"), ("2", "2")])
def test_a_process_starts_no_threads_for_matrices_unless_it_is_told_to(
    said: str | None, threads: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    script = """
import gc, os, sys
sys.argv = ["corpusdb", "--version"]
from corpusdb.__main__ import main
usual = gc.get_threshold()[0]
try:
    main()
finally:
    print(os.environ["OPENBLAS_NUM_THREADS"], gc.isenabled() and gc.get_threshold()[0] > usual)
"""
    own = {name: value for name, value in environment.items() if name != "OPENBLAS_NUM_THREADS"}
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=own | ({"OPENBLAS_NUM_THREADS": said} if said else {}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.splitlines()[-1] == f"{threads} True"

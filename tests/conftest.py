"""What holds for all tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent / "architecture"))

# No deadline: a test must not fail because the machine is busy. Unattended runs all try the same examples.
settings.register_profile("corpusdb", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("corpusdb")

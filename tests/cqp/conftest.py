"""The tests of CQP have a matcher of their own beside them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "naive"))

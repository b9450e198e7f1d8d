"""Makes the readers of real text importable, whatever way pytest imports tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "texts"))

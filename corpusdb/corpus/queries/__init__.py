"""What the corpus holds: sentences, their translations, the files and lines in which they stand."""

from __future__ import annotations

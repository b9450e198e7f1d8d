"""What several capabilities need: text, languages, errors, jobs, display, n-grams, statistics."""

from __future__ import annotations

"""What goes across capabilities: import, derived layers, bringing up to date, integrity."""

from __future__ import annotations

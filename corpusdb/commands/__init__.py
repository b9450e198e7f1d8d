"""The kit of the command line: what every command needs, its options, its database, its output, its errors."""

from __future__ import annotations

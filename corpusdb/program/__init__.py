"""The program as a whole: its catalogue of commands, the library, the demonstration, replay, guides."""

from __future__ import annotations

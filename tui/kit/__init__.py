"""The kit of the browser: work in the background, keys, the terminal, and the parts that screens are made of."""

from __future__ import annotations

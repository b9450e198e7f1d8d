"""What people decide: sessions in which paraphrases are accepted, and samples that are judged."""

from __future__ import annotations

"""Samples that people judge, their verdicts, and what these say."""

"""Judging: samples, items, report."""

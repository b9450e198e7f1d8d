"""Paradigms: what stands in the place of a phrase."""

"""Scores as text: tables, differences, agreement with people, where a score comes from."""

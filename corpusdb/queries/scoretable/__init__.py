"""Stored scores as people look at them: systems by metrics, segments, what matched, and curves."""

"""Agreement of scores with human scores: of which metrics, on which segments, and how sure it is."""

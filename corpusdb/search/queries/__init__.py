"""Search: patterns, conditions, concordances, and the queries that people keep."""

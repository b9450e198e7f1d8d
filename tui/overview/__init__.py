"""The overview: what the database holds."""

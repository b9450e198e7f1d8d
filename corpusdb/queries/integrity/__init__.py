"""Is a database sound, and how it is mended."""

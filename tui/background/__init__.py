"""Work in threads of its own, so that a screen never waits."""

"""Commands that search and count."""

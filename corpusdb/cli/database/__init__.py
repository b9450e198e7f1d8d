"""Commands that look after the database file, and the one that launches the browser."""

"""The operations: SQL plus Python over an open store, in rooms by subject."""

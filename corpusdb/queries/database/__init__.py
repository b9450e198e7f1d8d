"""The database as a whole: what it holds, copies of it, a look inside."""

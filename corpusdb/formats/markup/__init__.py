"""Mark-up: XML read in bounded memory, and texts escaped to stand in it."""

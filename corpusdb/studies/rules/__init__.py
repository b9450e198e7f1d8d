"""What rewriting references by rules does to the agreement of scores with people: Kanayama (2003), sections 4 and 5."""

"""Profile: where lines and documents stand between two references, what does not belong, and what is kept of it."""

"""Text files: opening and reading them in bounded memory."""

"""What several commands and the browser say in the same words."""

"""Language models over characters."""

"""The commands for the chain on Spark."""

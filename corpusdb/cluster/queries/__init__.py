"""Runs of the chain on Spark from files, and what they gave taken into a database."""

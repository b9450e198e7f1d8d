"""The commands on Japanese rewriting rules."""

"""The commands for rules that rewrite Japanese."""

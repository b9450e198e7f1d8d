"""The tables of the studies as text, rows and plots."""

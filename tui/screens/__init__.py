"""One module for each screen; base.py holds what all have."""

"""Formats whose sentences come cut into tokens, with what is known of each token."""

"""What reference sets are worth: how much they vary, and what one more reference changes."""

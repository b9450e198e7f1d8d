"""Exchanges: what differs between two sentences, and how often an exchange of the same words keeps the meaning."""

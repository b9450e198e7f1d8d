"""Phrases and what they are aligned with: counted, looked up, found in the sentences, and rejected."""

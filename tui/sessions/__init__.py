"""Paraphrase sessions: the list, an open session, what stands behind a paraphrase."""

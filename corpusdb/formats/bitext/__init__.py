"""Aligned texts as other tools keep them: Moses, Tatoeba, JSON Lines, TMX."""

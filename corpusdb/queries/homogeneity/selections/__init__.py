"""Selections: what to train on for a task, and what that is worth."""

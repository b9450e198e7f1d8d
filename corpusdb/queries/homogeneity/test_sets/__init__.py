"""Test sets: how far they stand from the corpus, and where their segments stand between speech and writing."""

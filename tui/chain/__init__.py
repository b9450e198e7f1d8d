"""The jobs: what runs in the background, and what ran before."""

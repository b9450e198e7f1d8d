"""The keys: which there are, what they do now, how they are changed."""

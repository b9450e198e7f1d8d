"""The chain from files to paraphrases: import, and everything that is derived brought up to date."""

"""Origins: whatever yields paraphrases of a sentence, each in a module of its own and a line of the registry."""

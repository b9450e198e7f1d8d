"""The words of a sentence, one after the other, and what each is aligned with in every translation."""

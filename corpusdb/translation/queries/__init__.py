"""Translation from the examples of the corpus: a ladder of methods, each answer with what it rests on."""

"""Results of queries under a name: subcorpora, and sets made of sets."""

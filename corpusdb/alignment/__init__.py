"""Word alignment of a bitext, and what follows from it: phrases, equivalence sets, substitutions.

    model = finished(train(Bitext.of(source, target)))
    links = finished(align(model, Bitext.of(source, target)))   # of the same sentences, or of others

Values in, values out: no files and no database.
"""

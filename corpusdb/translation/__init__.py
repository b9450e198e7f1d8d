"""Translation from examples: pairs of sentences in, translations with their evidence out. Knows no database.

Held out: which pairs may train what is measured on others. The rungs: what translates a text, each with the examples
that it rests on. (Lepage & Denoual 2005; Denoual 2005, section 4; fuzzy matches as translation memories have them.)
"""

"""How alike texts are: a scale between two references, similarity of corpora, outliers, and selection for a task.

Nothing here knows a language model: what texts cost is given as numbers, or by a function that measures them.
"""

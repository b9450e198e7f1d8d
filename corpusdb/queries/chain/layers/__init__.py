"""The derived layers: what is kept up to date with the corpus, checked, rebuilt and shown in the overview.

A new one is a script in schema/ for its tables, a module here for its value, and a line in ``registry``.
"""

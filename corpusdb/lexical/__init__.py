"""Measures of words in corpora: association, keyness, dispersion. Counts in, values out."""

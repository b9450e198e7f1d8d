"""Words counted: frequency lists, dispersion, collocates, keywords."""

"""The influence of data homogeneity on language models and translation (Denoual 2005)."""

"""The study of data homogeneity (Denoual 2005) on the collections of a database."""

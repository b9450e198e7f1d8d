"""BLEU in characters (Denoual & Lepage 2005): which order in characters stands for an order in words."""

"""How far the probability that paraphrases hold can be trusted."""

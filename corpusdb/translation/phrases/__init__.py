"""Translation by phrases: those of a linked bitext, put together by a beam search with a language model."""

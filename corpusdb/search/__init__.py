"""Search in the sentences of a language: as one text, as a stream of tokens, by patterns and by CQP queries."""

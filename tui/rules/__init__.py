"""The place Rules: the rules that rewrite Japanese, and what each of them does."""

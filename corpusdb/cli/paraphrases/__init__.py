"""Commands that find, generate, show and judge paraphrases."""

"""Paraphrases of a sentence, whatever their origin: detected, filtered, counted, ranked, explained."""

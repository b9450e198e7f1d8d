"""Small corpora of two languages whose words translate each other, and what was stored of their alignment."""

from __future__ import annotations

import random

from corpora import Dump, Row

from corpusdb.corpus.store import Store

__all__ = ["ENGLISH", "FRENCH", "aligned_rows", "drawn_pairs"]

ENGLISH = "the cat kitty dog hound house home Tom sees likes begins starts big large old red don't soon fast".split()
FRENCH = "le chat chat chien chien maison maison Tom voit aime commence commence grand grand vieux rouge ne".split()
FRENCH += ["vite", "vite"]
"""A word of each stands for that of the other at the same place; two English ones for the same French one."""


def drawn_pairs(chance: random.Random, count: int) -> list[Row]:
    """Sentences of one to seven words with their translations, of which some words are left out or stand elsewhere."""
    rows: list[Row] = []
    for _ in range(count):
        words = [chance.randrange(len(ENGLISH)) for _ in range(chance.randint(1, 7))]
        french = [FRENCH[word] for word in words if chance.random() > 0.1] or [FRENCH[words[0]]]
        if len(french) > 2 and chance.random() < 0.3:
            place = chance.randrange(len(french) - 1)
            french[place : place + 2] = french[place + 1], french[place]
        end = chance.choice(["", ".", "!"])
        rows.append((" ".join(ENGLISH[word] for word in words) + end, " ".join(french) + end))
    return rows


_ROWS = {
    "model": "select source_language, target_language, state, tables from alignment_model",
    "alignment": """
        select own.text, other.text, links, tokens_digest from alignment
        join sentence own on own.id = alignment.sentence join sentence other on other.id = alignment.translation""",
    "phrase": """
        select language, text, paired, unlinked, unpaired from phrase_count
        join phrase on phrase.id = phrase_count.phrase""",
    "pair": """
        select source.text, target.text, count, size, own.text, other.text from phrase_pair pair
        join phrase source on source.id = pair.source join phrase target on target.id = pair.target
        join sentence own on own.id = pair.sentence join sentence other on other.id = pair.translation""",
}


def aligned_rows(store: Store) -> Dump:
    """All of it, without the numbers that depend on the order in which rows were made."""
    return {name: sorted(store.connection.execute(query).fetchall(), key=repr) for name, query in _ROWS.items()}

"""Japanese rules on a sentence of the built-in phrasebook."""

from __future__ import annotations

from typing import Final

from corpusdb.errors import UsageError
from corpusdb.morphemes import sudachi_analyser
from corpusdb.queries.rules.text_rewritings import TextRewritings, rewritings_of
from corpusdb.store import Store

__all__ = ["REWRITTEN", "rewrite_phrasebook"]

REWRITTEN: Final = "道に迷ってしまいました。"
_RULES: Final = "all"


def rewrite_phrasebook(store: Store) -> TextRewritings | str:
    """What the rules make of the sentence; where Japanese cannot be analysed, what to install, in a line."""
    try:
        sudachi_analyser()
    except UsageError as error:
        return str(error)
    return rewritings_of(store, REWRITTEN, _RULES)

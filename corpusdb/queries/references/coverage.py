"""Which sources have references, and why others have none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from corpusdb.errors import InputError
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.references.reference_sets import AttributedSet, Recipe
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = ["check_covered", "has_any", "lacking_told", "pivot_languages"]


def check_covered(sets: Sequence[AttributedSet], recipe: Recipe, source: Path, lacking: str | None = None) -> None:
    """Raise InputError, with the line of the first in the file of the sources, where some have no reference.

    ``lacking`` says why, where the corpus has none of the sources.
    """
    missing = [number for number, each in enumerate(sets, 1) if not each.references]
    if missing:
        reason = f"the corpus has no reference ({', '.join(recipe.origins)}) in {recipe.language}"
        advice = "; --skip-missing leaves them out" if len(missing) < len(sets) else ""
        if lacking is not None:
            advice += f"; {lacking}; with --ref FILE your own references are paraphrased"
        raise InputError(
            f"{reason} for {len(missing):,} sources, this is the first{advice}", path=source, line=missing[0]
        )


_ANY = """
select 1 from json_each(:texts) given
where exists (select 1 from sentence where sentence.text = given.value and sentence.language in (
    select value from json_each(:languages)
)) limit 1
"""


def has_any(store: Store, texts: Sequence[str]) -> bool:
    """Whether the corpus has one of these sentences, in whatever language."""
    given = {
        "texts": json.dumps([normalise(text) for text in texts]),
        "languages": json.dumps(languages_of(store)),
    }
    return store.connection.execute(_ANY, given).fetchone() is not None


def lacking_told(store: Store, sources: Sequence[str], language: str | None) -> str | None:
    """In words that the corpus has no sentence in the language of these sources, or none of them, and what it has.

    None where it has one of them. ``language`` is None where it is not known.
    """
    present = languages_of(store)
    listed = ", ".join(present) or "no sentence"
    if language is not None and language not in present:
        return f"the corpus has no {language}; it has {listed}"
    if has_any(store, sources):
        return None
    told = "the source is not" if len(sources) == 1 else f"none of the {len(sources):,} sources is"
    return f"{told} in the corpus, which has {listed}"


def pivot_languages(store: Store, language: str) -> tuple[str, ...]:
    """The languages through which the corpus can relate two sentences of a language: the others that it has."""
    return tuple(each for each in languages_of(store) if each != language)

"""Which sources have references, and why others have none."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from corpusdb.errors import InputError
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.exchange.validity_rows import validity_pivots
from corpusdb.queries.paraphrase.filters import NO_THRESHOLDS, relaxations, relaxations_told
from corpusdb.queries.references.reference_sets import AttributedSet, Recipe
from corpusdb.store import Store
from corpusdb.text import normalise

__all__ = [
    "check_covered",
    "coverage_told",
    "has_any",
    "lacking_told",
    "letting_more_pass",
    "pivot_languages",
    "rejected_told",
]

_MOST_LISTED: Final = 10


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


def letting_more_pass(recipe: Recipe, sets_of: Callable[[Recipe], Sequence[AttributedSet]]) -> str:
    """What to ask less for, in words, where sources have no reference: ``-V 0 finds 3``; empty where nothing helps.

    ``sets_of`` makes the sets of these sources by another recipe.
    """

    def count(less: Recipe) -> int:
        return sum(bool(each.references) for each in sets_of(less))

    told = relaxations_told(
        relaxations(recipe.kept, lambda less: count(replace(recipe, kept=less)), final_marks=True), "finds"
    )
    if told or recipe.least == NO_THRESHOLDS:
        return told
    found = count(replace(recipe, least=NO_THRESHOLDS))
    return f"without --min-... there are {found:,}" if found else ""


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
    """The languages through which the corpus relates two sentences of a language; none where nothing was learned."""
    known = validity_pivots(store, language)
    return known.languages if known else ()


def coverage_told(sets: Sequence[AttributedSet]) -> str:
    """How many of the sources have a reference, in words, with the beginning of the list of the others."""
    missing = [number for number, each in enumerate(sets, 1) if not each.references]
    covered = len(sets) - len(missing)
    references = sum(len(each.references) for each in sets)
    sources = "source" if len(sets) == 1 else "sources"
    told = f"{covered:,} of {len(sets):,} {sources} {'has' if covered == 1 else 'have'} a reference"
    if covered:
        told += f", {references / covered:.1f} on average"
    alone = sum(bool(each.references) and {one.text for one in each.references} == {each.source} for each in sets)
    if alone:
        told += f"; {'all have' if alone == len(sets) else f'{alone:,} of them have'} no other than the source itself"
    if missing and covered:
        listed = ", ".join(map(str, missing[:_MOST_LISTED]))
        more = len(missing) - _MOST_LISTED
        told += f"; none for {listed}" + (f" and {more:,} more" if more > 0 else "")
    return told


def rejected_told(sets: Iterable[AttributedSet]) -> str:
    """How many paraphrases are left out since they were rejected, and in which sessions; empty where none is."""
    sessions = [name for each in sets for _, name in each.rejected]
    if not sessions:
        return ""
    names = ", ".join(dict.fromkeys(sessions))
    told = "1 paraphrase is" if len(sessions) == 1 else f"{len(sessions):,} paraphrases are"
    return f"{told} left out, rejected in session {names}"

"""The paraphrases of one seed, from all origins, best first."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain

from corpusdb.base.text import normalise
from corpusdb.corpus.model import Paraphrase
from corpusdb.corpus.queries.sentences import languages_of
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, Filter
from corpusdb.paraphrase.queries.origins.origin import find_seed
from corpusdb.paraphrase.queries.origins.registry import select_origins
from corpusdb.paraphrase.ranking import rank

# One language after the other, through the indexes by language and text: without a language they are of no use.
_LANGUAGES = """
select code.value from json_each(:languages) code
where exists (select 1 from sentence where sentence.language = code.value and sentence.text = :text)
   or exists (select 1 from seed where seed.language = code.value and seed.text = :text)
"""
_DERIVED = "select language from layer where name = 'candidate' order by language"


def language_of(store: Store, text: str) -> str | None:
    """The language of a seed: the only one that has it, else the only one that has candidates, else None."""
    text = normalise(text)
    values = {"text": text, "languages": json.dumps(languages_of(store))}
    having = [row[0] for row in store.connection.execute(_LANGUAGES, values)]
    derived = [row[0] for row in store.connection.execute(_DERIVED)]
    both = [language for language in having if language in derived]
    for languages in (both, having, derived):
        if len(languages) == 1:
            return str(languages[0])
    return None


def missing_origins(language: str) -> list[str]:
    """What somebody has to do for paraphrases in a language from all origins, in words; nothing where all is there."""
    return [told for origin in select_origins() if (told := origin.missing(language)) is not None]


def paraphrases(
    store: Store,
    text: str,
    language: str,
    *,
    limit: int = 20,
    kept: Filter = DEFAULT_FILTER,
    origins: Iterable[str] | None = None,
) -> list[Paraphrase]:
    """The paraphrases of ``text`` that a filter keeps, best first by score, ties in the order of code points.

    ``limit`` 0 is all. ``origins`` limits what counts to the origins of these names. A text from which nothing was
    generated yet is tried now, and nothing is stored. Raises InputError where an origin needs an index that there is
    not, and UsageError for an unknown origin.
    """
    seed = find_seed(store, language, text)
    # All are held until the end: what several of them read into memory is read once.
    generations = [(origin, origin.generation(store)) for origin in select_origins(origins)]
    ranked = rank(chain.from_iterable(origin.findings(store, seed, kept, made) for origin, made in generations))
    return ranked[:limit] if limit else ranked

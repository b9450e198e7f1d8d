"""What the index of commutations knows of a phrase: its number, and in how many contexts it stands with another.

A phrase is a filler there (schema/paraphrase.sql), which carries the space before it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.ngrams import text_hashes
from corpusdb.base.text import language_code, normalise
from corpusdb.corpus.queries.sentences import check_languages
from corpusdb.corpus.store import Store, layer_state

_PREPARED = "select language from layer where name = 'commutation' and complete = 1 order by language"


def prepared_languages(store: Store) -> list[str]:
    return [row[0] for row in store.connection.execute(_PREPARED)]


def indexed_language(store: Store, given: str | None) -> str:
    """The language that was given, or the only one that has an index. Raises InputError and UsageError without one."""
    if given:
        return language_code(given)
    prepared = prepared_languages(store)
    if not prepared:
        raise InputError("no language has an index of commutations; `corpusdb generate --lang LANG` makes it")
    if len(prepared) > 1:
        raise UsageError(f"give one of the languages that have an index with --lang: {', '.join(prepared)}")
    return prepared[0]


def require_index(store: Store, language: str) -> None:
    """Raise InputError where a language has no commutation index."""
    state = layer_state(store, language, "commutation")
    if state is None or not state.complete:
        check_languages(store, [language])
        raise InputError(f"{language} has no index of commutations; `corpusdb generate --lang {language}` makes it")


def filler_forms(phrase: str) -> tuple[str, ...]:
    """The fillers that a phrase can be: at the beginning of a sentence or after a mark, and after a space.

    With a space before it, it is the latter only; an empty phrase is an insertion.
    """
    bare = normalise(phrase)
    if not bare:
        return ("",)
    return (f" {bare}",) if phrase.startswith(" ") else (bare, f" {bare}")


_FILLERS = """
select filler.hash, filler.id, filler.contexts
from json_each(?) wanted
cross join filler on filler.hash >> 32 = wanted.value >> 32 and filler.hash = wanted.value and filler.language = ?
"""


def known_fillers(store: Store, language: str, texts: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Of these fillers those that the index has: number, and in how many of its contexts each stands."""
    hashes = dict(zip(text_hashes(texts).tolist(), texts, strict=True)) if texts else {}
    rows = store.connection.execute(_FILLERS, (json.dumps(list(hashes)), language))
    return {hashes[hash_]: (number, contexts) for hash_, number, contexts in rows}


# By the filler of fewer contexts; in each of these the other one is looked up.
_SHARED = """
select wanted.key, count(*) from json_each(?) wanted
cross join slot rare on rare.filler = json_extract(wanted.value, '$[0]')
cross join slot common on common.context = rare.context and common.filler = json_extract(wanted.value, '$[1]')
group by wanted.key having count(*) > 1
"""


def shared_context_counts(store: Store, language: str, phrase: str, others: Sequence[str]) -> dict[str, int]:
    """In how many contexts a phrase stands with each of the others: the sum over the forms that a filler has.

    Two forms that share fewer than two contexts count for nothing; what is left with nothing is left out.
    """
    forms = {text: filler_forms(text) for text in (phrase, *others)}
    known = known_fillers(store, language, [form for each in forms.values() for form in each])
    pairs: list[tuple[int, int]] = []
    of: list[str] = []
    for text in others:
        for one in forms[phrase]:
            for other in forms[text]:
                if one in known and other in known and one != other:
                    rare, common = sorted((known[one], known[other]), key=itemgetter(1))
                    pairs.append((rare[0], common[0]))
                    of.append(text)
    contexts: defaultdict[str, int] = defaultdict(int)
    for number, shared in store.connection.execute(_SHARED, (json.dumps(pairs),)):
        contexts[of[number]] += shared
    return dict(contexts)

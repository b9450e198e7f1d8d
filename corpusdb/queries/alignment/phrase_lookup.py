"""Phrases by their texts: how what a person writes is found, and how what is stored is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from corpusdb.alignment.phrases import may_part
from corpusdb.errors import InputError, UsageError
from corpusdb.queries.alignment.alignment_models import StoredModel, ready_models
from corpusdb.store import Store
from corpusdb.text import has_undelimited_script, normalise
from corpusdb.textsearch.token_corpus import tokenise

__all__ = [
    "Occurrences",
    "aligned_languages",
    "language_of_phrase",
    "languages_of_phrase",
    "models_of",
    "occurrences",
    "phrase_key",
    "shown",
]


_APOSTROPHES: Final = ("'", "\N{RIGHT SINGLE QUOTATION MARK}")
_HOST: Final = "a"


def phrase_key(text: str) -> str:
    """A phrase as it is stored: its tokens in lower case, a space between two. Raises UsageError for no token."""
    text = normalise(text)
    tokens = tokenise(text)
    if text[-1:] in _APOSTROPHES and (hosted := tokenise(f"{text}{_HOST}"))[-1] == _HOST:
        tokens = hosted[:-1]  # l' is a word only where another one follows
    if not tokens:
        raise UsageError("a phrase has at least one word")
    return " ".join(token.lower() for token in tokens)


def shown(key: str) -> str:
    """A stored phrase as it is written: clitics stand at their hosts, and characters that are words have no space."""
    text = before = ""
    for token in key.split(" "):
        is_apart = may_part(before, token) and not (has_undelimited_script(before) and has_undelimited_script(token))
        text += f" {token}" if before and is_apart else token
        before = token
    return text


_ALIGNED = """
select source_language from alignment_model where state = 'ready'
union select target_language from alignment_model where state = 'ready' order by 1
"""


def aligned_languages(store: Store) -> list[str]:
    """The languages that are aligned with another, ascending."""
    return [row[0] for row in store.connection.execute(_ALIGNED)]


_KNOWN = "select id from phrase where language = ? and text = ?"


def languages_of_phrase(store: Store, key: str) -> list[str]:
    """The aligned languages that have a phrase, ascending."""
    return [each for each in aligned_languages(store) if store.connection.execute(_KNOWN, (each, key)).fetchone()]


def language_of_phrase(store: Store, key: str, apart_from: str | None = None) -> str:
    """The one aligned language that has a phrase, apart from one.

    Raises InputError where nothing is aligned, UsageError where the corpus does not tell.
    """
    aligned = [language for language in aligned_languages(store) if language != apart_from]
    if not aligned:
        raise InputError("nothing is aligned yet; run `corpusdb align --lang A,B` first")
    found = [each for each in languages_of_phrase(store, key) if each != apart_from]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{shown(key)!r} stands in {', '.join(found)}; say which with --lang")
    raise UsageError(f"{shown(key)!r} stands in no pair of sentences that is aligned ({', '.join(aligned)})")


def models_of(store: Store, language: str, through: Sequence[str] | None = None) -> list[StoredModel]:
    """The models by which a language is aligned with others, or with these.

    Raises InputError where it is not.
    """
    models = ready_models(store, language)
    known = {model.other(language) for model in models}
    for other in through or ():
        if other not in known:
            raise InputError(f"{language} is not aligned with {other}; run `corpusdb align --lang {language},{other}`")
    if not models:
        raise InputError(f"{language} is aligned with nothing; run `corpusdb align --lang {language},OTHER`")
    return [model for model in models if through is None or model.other(language) in through]


class Occurrences(NamedTuple):
    """Where a phrase stands in the pairs that a model aligned."""

    phrase: int
    """Its number."""
    paired: int
    """How often it stands with a phrase of the other language."""
    unlinked: int
    """How often it is aligned with nothing."""
    unpaired: int
    """How often its links are part of longer or broken phrases only."""

    @property
    def total(self) -> int:
        return self.paired + self.unlinked + self.unpaired


_OCCURRENCES = """
select phrase.id, paired, unlinked, unpaired from phrase
cross join phrase_count on phrase_count.model = ? and phrase_count.phrase = phrase.id
where phrase.language = ? and phrase.text = ?
"""


def occurrences(store: Store, model: StoredModel, language: str, key: str) -> Occurrences | None:
    """Where a phrase stands; None where it does not."""
    row = store.connection.execute(_OCCURRENCES, (model.id, language, key)).fetchone()
    return None if row is None else Occurrences(*row)

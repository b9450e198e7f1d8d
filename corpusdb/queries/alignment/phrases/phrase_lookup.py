"""Phrases by their texts: how what a person writes is found, and how what is stored is shown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final, NamedTuple

from corpusdb.alignment.phrases import may_part
from corpusdb.errors import InputError, UsageError
from corpusdb.queries.alignment.alignment_models import StoredModel, ready_models
from corpusdb.queries.alignment.token_cutting import UNITS, can_cut, cut_of
from corpusdb.queries.corpus.sentences import check_languages
from corpusdb.queries.search.conditions import Search
from corpusdb.queries.search.search import Searcher
from corpusdb.store import Store
from corpusdb.text import alike_in, has_undelimited_script, normalise
from corpusdb.textsearch.folding import Folding
from corpusdb.textsearch.patterns import Pattern

__all__ = [
    "Occurrences",
    "aligned_languages",
    "key_in",
    "language_of_phrase",
    "languages_of_phrase",
    "models_of",
    "occurrences",
    "phrase_key",
    "sentences_with",
    "shown",
    "with_other_apostrophes",
]

_APOSTROPHES: Final = ("'", "\N{RIGHT SINGLE QUOTATION MARK}")
_OTHER_APOSTROPHES = str.maketrans("".join(_APOSTROPHES), "".join(_APOSTROPHES[::-1]))
_HOST: Final = "a"


def phrase_key(text: str, way: str = UNITS) -> str:
    """A phrase as it is stored by a model that cuts its language in this way: its tokens in lower case, a space between
    two.

    Raises UsageError for no token, and as token_cutting.spans_of does.
    """
    text = normalise(text)
    cut = cut_of(way)
    tokens = cut(text)
    if way == UNITS and text[-1:] in _APOSTROPHES and (hosted := cut(f"{text}{_HOST}"))[-1] == _HOST:
        tokens = hosted[:-1]  # l' is a word only where another one follows
    if not tokens:
        raise UsageError("a phrase has at least one word")
    return " ".join(token.lower() for token in tokens)


_CUTS = """
select phrase.text from json_each(:keys) wanted
cross join phrase on phrase.language = :language and phrase.text = wanted.value
cross join phrase_count on phrase_count.model = :model and phrase_count.phrase = phrase.id
order by paired + unlinked + unpaired desc, wanted.key
"""
_LONGEST_IN_ALL_CUTS: Final = 30


def key_in(store: Store, model: StoredModel, language: str, text: str) -> str:
    """A phrase as a model stores it.

    Morphemes depend on what stands beside them: alone a phrase may be cut otherwise than in a sentence. So it is the
    cut into one to three tokens that the pairs of the model have; of several the one that the phrase has alone, or else
    the most frequent. Most often that needs no analyser. Raises UsageError for no token.
    """
    way, written = model.way_of(language), normalise(text)
    if way == UNITS or not written:
        key = phrase_key(text)
        # Nobody sees which apostrophe is which: the other one is found where this is not.
        known = _known(store, model, language, {key, with_other_apostrophes(key)})
        return key if key in known or not known else known[0]
    keys = [" ".join(parts) for parts in _cuts(written.lower())]
    known = _known(store, model, language, keys)
    if (len(known) > 1 or not keys) and can_cut(way):
        alone = phrase_key(text, way)
        known = [alone] if alone in known or not known else known
    return known[0] if known else phrase_key(text)


def with_other_apostrophes(key: str) -> str:
    """A stored phrase with U+2019 for each ' and the other way round; the same where it has none."""
    return key.translate(_OTHER_APOSTROPHES)


def _known(store: Store, model: StoredModel, language: str, keys: Iterable[str]) -> list[str]:
    """Which of some phrases the pairs of a model have, the most frequent first."""
    bound = {"model": model.id, "language": language, "keys": json.dumps(list(keys), ensure_ascii=False)}
    return [str(row[0]) for row in store.connection.execute(_CUTS, bound)]


def _cuts(text: str) -> Iterator[tuple[str, ...]]:
    """A text in one part, in two and in three; nothing of a long one. Spaces are between parts only."""
    if len(text) > _LONGEST_IN_ALL_CUTS:
        return
    for count in range(3):
        for places in combinations(range(1, len(text)), count):
            edges = (0, *places, len(text))
            parts = tuple(text[begin:end].strip() for begin, end in pairwise(edges))
            if all(part and " " not in part for part in parts):
                yield parts


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


def _has_phrase(store: Store, language: str, text: str) -> bool:
    """Whether it stands in pairs of sentences by which a language is aligned with any other."""
    models = ready_models(store, language)
    return any(occurrences(store, model, language, key_in(store, model, language, text)) for model in models)


def languages_of_phrase(store: Store, text: str) -> list[str]:
    """The aligned languages that have a phrase, as a person writes it, ascending."""
    return [each for each in aligned_languages(store) if _has_phrase(store, each, text)]


def language_of_phrase(store: Store, text: str, apart_from: str | None = None) -> str:
    """The one aligned language that has a phrase, as a person writes it, apart from one.

    Raises InputError where nothing is aligned, UsageError where the corpus does not tell, and for no word.
    """
    phrase_key(text)  # which raises for no word
    aligned = [language for language in aligned_languages(store) if language != apart_from]
    if not aligned:
        raise InputError("nothing is aligned yet; run `corpusdb align --lang A,B` first")
    found = [each for each in languages_of_phrase(store, text) if each != apart_from]
    if apart_from is not None and apart_from not in aligned_languages(store):
        check_languages(store, (apart_from,))
        which = " and ".join(found or aligned)
        each = found[0] if len(found) == 1 else "LANG"
        told = f"{which} {'is' if which in aligned else 'are'} not aligned with {apart_from}"
        raise InputError(f"{told}; run `corpusdb align --lang {each},{apart_from}`")
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{normalise(text)!r} stands in {', '.join(found)}; say which with --lang")
    searcher = Searcher(store)
    counts = {language: sentences_with(searcher, language, text) for language in aligned}
    standing = [language for language, count in counts.items() if count]
    if len(standing) == 1:
        return standing[0]
    if standing:
        told = ", ".join(f"{counts[language]:,} {language} sentences" for language in standing)
        raise UsageError(
            f"{normalise(text)!r} stands in {told}, and is aligned as a whole in none; say which with --lang"
        )
    raise UsageError(f"{normalise(text)!r} stands in no pair of sentences that is aligned ({', '.join(aligned)})")


def sentences_with(searcher: Searcher, language: str, text: str) -> int:
    """How many sentences of a language have a text as whole words, whatever the case, aligned or not."""
    return len(searcher.find(Search(language, Pattern(text, "word", Folding(case=True, alike=alike_in(text))))))


def models_of(store: Store, language: str, through: Sequence[str] | None = None) -> list[StoredModel]:
    """The models by which a language is aligned with others, or with these.

    Raises InputError where it is not.
    """
    check_languages(store, (language, *(through or ())))
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

"""The paraphrases of one seed, detected and generated, best first."""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import log2

from corpusdb.errors import InputError
from corpusdb.model import NO_LIMIT, Candidate, Paraphrase
from corpusdb.queries.corpus.sentences import languages_of, sentence_id
from corpusdb.store import Store, layer_state
from corpusdb.text import normalise

__all__ = ["language_of", "paraphrases", "rank", "score", "stored_candidates"]


def score(*, shared: int, frequency: int, pivots: int, languages: int, probability: float) -> float:
    """How much speaks for a paraphrase, from 0 to 1: 1 - (1 - d) (1 - g).

    d, for sentences that share translations themselves, is 1 - 0.05 * 0.2^(shared - 1): 0.95 for one, 0.99 for two, as
    such pairs were judged. g, for generated ones, is e / (1 + e) with
    e = probability * languages * (1 + log2 pivots) * log2(1 + frequency): how likely B' means what B means, in how many
    languages that shows, how many different B' agree, and by how many analogies. The logarithms are there because many
    analogies of the same kind say little more than some.
    """
    direct = 1 - 0.05 * 0.2 ** (shared - 1) if shared else 0.0
    evidence = probability * languages * (1 + log2(pivots)) * log2(1 + frequency) if pivots else 0.0
    return 1 - (1 - direct) / (1 + evidence)


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


_DETECTED = """
select sentence.text, paraphrase.translations, paraphrase.languages, paraphrase.probability
from paraphrase join sentence on sentence.id = paraphrase.paraphrase where paraphrase.sentence = ?
"""


def paraphrases(
    store: Store, text: str, language: str, *, limit: int = 20, order: int = 20, marks: bool = True
) -> list[Paraphrase]:
    """The paraphrases of ``text``, best first by score; equal ones in the order of their code points.

    Generated ones must have a fluency order of ``order`` or more, counted with the marks at the ends of a sentence or,
    with ``marks`` False, without; order 0 lets all pass. ``limit`` 0 is all. A text from which nothing was generated
    yet is tried now, and nothing is stored. Raises InputError where the language has no index.
    """
    text = normalise(text)
    sentence = sentence_id(store, language, text)
    candidates = seed_candidates(store, language, text, sentence)
    kept = [each for each in candidates if (each.fluency if marks else each.inner_fluency) >= order]
    ranked = rank(store, sentence, kept)
    return ranked[:limit] if limit else ranked


def rank(store: Store, sentence: int | None, candidates: Iterable[Candidate]) -> list[Paraphrase]:
    """What was generated from a seed, and what was detected where it is a sentence of the corpus, best first."""
    found: dict[str, Candidate | None] = {candidate.text: candidate for candidate in candidates}
    detected: dict[str, tuple[int, int, float]] = {}
    if sentence is not None:
        for other, shared, languages, probability in store.connection.execute(_DETECTED, (sentence,)):
            detected[other] = shared, languages.count(",") + 1, probability
            found.setdefault(other, None)
    return sorted(
        (_paraphrase(other, candidate, detected.get(other)) for other, candidate in found.items()),
        key=lambda one: (-one.score, one.text),
    )


def _paraphrase(text: str, candidate: Candidate | None, detected: tuple[int, int, float] | None) -> Paraphrase:
    shared, languages, probability = detected or (0, 0, 0.0)
    if candidate is None:
        order = inner = NO_LIMIT
        frequency = pivots = 0
    else:
        order, inner = candidate.fluency, candidate.inner_fluency
        frequency, pivots = candidate.frequency, candidate.pivots
    value = score(
        shared=shared,
        frequency=frequency,
        pivots=pivots,
        languages=candidate.languages if candidate else 0,
        probability=candidate.probability if candidate else 0.0,
    )
    return Paraphrase(
        text=text,
        frequency=frequency,
        order=None if order == NO_LIMIT else order,
        inner_order=None if inner == NO_LIMIT else inner,
        in_corpus=order == NO_LIMIT,
        pivots=pivots,
        languages=max(languages, candidate.languages if candidate else 0),
        probability=max(probability, candidate.probability if candidate else 0.0),
        shared=shared,
        score=value,
    )


_SEED = "select id from seed where language = ? and text = ?"
_CANDIDATES = """
select text, frequency, pivots, languages, probability, fluency, inner_fluency
from candidate where seed = ?
"""


def seed_candidates(store: Store, language: str, text: str, sentence: int | None) -> list[Candidate]:
    """What is generated from a seed: as stored where it was, else generated now."""
    stored = stored_candidates(store, language, text, sentence)
    if stored is not None:
        return stored
    # Imported here: seeds that were generated, which nearly all are, are answered without it and without numpy.
    from corpusdb.queries.analogy.seed_generator import SeedGenerator

    return SeedGenerator(store, language).candidates(text)


def stored_candidates(store: Store, language: str, text: str, sentence: int | None) -> list[Candidate] | None:
    """What was generated from a seed, or None where it was not tried yet.

    Raises InputError where the language has no index to try it with.
    """
    seed = store.connection.execute(_SEED, (language, text)).fetchone()
    if seed is not None:
        return [Candidate(*row) for row in store.connection.execute(_CANDIDATES, seed)]
    state = layer_state(store, language, "commutation")
    if state is None or not state.complete:
        raise InputError(f"nothing was generated for {language} yet; run `corpusdb generate --lang {language}` first")
    candidates = layer_state(store, language, "candidate")
    if sentence is not None and candidates and candidates.complete and candidates.parameters == {"seeds": "all"}:
        return []  # all sentences were tried, and this one has none
    return None

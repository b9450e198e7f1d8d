"""Detected paraphrases: sentences of one language that share a translation (Lepage & Denoual 2005, section 4.2)."""

from __future__ import annotations

from corpusdb.corpus.model import NO_LIMIT, Explanation, Finding
from corpusdb.corpus.queries.sentences import sentence_id, shared_translations
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import Filter, differs_in_final_marks_sql
from corpusdb.paraphrase.queries.origins.origin import Seed, StoredOrigin, figures_of


def detection_strength(shared: int) -> float:
    """How probable a paraphrase is that shares this many translations with its seed, one or more.

    1 - 0.05 * 0.2^(shared - 1): 0.95 for one, 0.99 for two, as such pairs were judged.
    """
    return 1 - 0.05 * 0.2 ** (shared - 1)


# Both sentences are in the corpus whole.
_ONLY_MARKS = differs_in_final_marks_sql(
    "(select own.text from sentence own where own.id = paraphrase.sentence)", "other.text"
)
_FIGURES = figures_of(
    "paraphrase",
    text="other.text",
    languages="length(paraphrase.languages) - length(replace(paraphrase.languages, ',', '')) + 1",
    shared="paraphrase.translations",
    fluency=str(NO_LIMIT),
    inner_fluency=str(NO_LIMIT),
    replacement="0",
    only_marks=_ONLY_MARKS,
)


class _Detected(StoredOrigin):
    name = label = "detected"
    mark = "D"
    is_implied_by_acceptance = True  # what is accepted gets the translations of its seed
    ROWS = f"""
        select sentence.text as seed, {_FIGURES}
        from paraphrase join sentence on sentence.id = paraphrase.sentence
        left join sentence other on other.id = paraphrase.paraphrase
        where sentence.language = :language
    """
    OF_SEED = f"""
        select {_FIGURES} from paraphrase left join sentence other on other.id = paraphrase.paraphrase
        where paraphrase.sentence = {{seed}}
    """
    SEEDS = "sentence"
    # Sharing a translation is mutual: the paraphrases of a text are its seeds.
    OF_TEXTS = f"""
        select sentence.text as seed, {_FIGURES}
        from (select distinct value as text from json_each(:texts)) given
        cross join sentence other on other.language = :language and other.text = given.text
        cross join paraphrase mutual on mutual.sentence = other.id
        cross join paraphrase on paraphrase.sentence = mutual.paraphrase and paraphrase.paraphrase = other.id
        cross join sentence on sentence.id = paraphrase.sentence
    """

    def accepted(self, store: Store, seed: Seed, kept: Filter) -> list[Finding]:
        return [] if seed.sentence is None else self.accepted_of(store, seed.sentence, kept)

    def finding(self, row: Finding) -> Finding:
        return row.weighed(self.name, strength=detection_strength(row.shared))

    def explain(self, store: Store, seed: Seed, text: str, limit: int) -> Explanation:
        other = sentence_id(store, seed.language, text)
        if seed.sentence is None or other is None:
            return Explanation(seed.text, text, (), 0)
        return Explanation(seed.text, text, (), 0, direct=shared_translations(store, seed.sentence, other))


DETECTED = _Detected()

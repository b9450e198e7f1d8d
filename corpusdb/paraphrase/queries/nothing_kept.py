"""Why a generation keeps nothing: what was made, if anything, and which part of the filter refuses how many."""

from __future__ import annotations

import json
from collections.abc import Sequence

from corpusdb.base.text import normalise
from corpusdb.corpus.model import GenerationReport
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.connection import translated_errors
from corpusdb.paraphrase.queries.filters import Filter, NSequenceFilter, relaxations, relaxations_told
from corpusdb.paraphrase.queries.origins.analogy import CANDIDATES
from corpusdb.paraphrase.queries.statistics import exchanged_pairs, generation_counts

__all__ = ["nothing_kept_told"]

_REFUSED = f"""
select count(*) filter (where not ({{order}})), count(*) filter (where not ({{validity}})),
       count(*) filter (where not ({{marks}}))
from {CANDIDATES} candidate join seed on seed.id = candidate.seed
where seed.language = :language and (:seeds is null or seed.text in (select value from json_each(:seeds)))
"""
_SENTENCES = "select count(*) from sentence where language = ?"
_PARAPHRASED = """
select exists (
    select 1 from paraphrase join sentence on sentence.id = paraphrase.sentence where sentence.language = ?)
"""


def nothing_kept_told(
    store: Store,
    language: str,
    kept: NSequenceFilter,
    report: GenerationReport,
    sentences: Sequence[str] | None = None,
) -> str | None:
    """In one line why a filter keeps nothing of what was generated, and what to try; None where it keeps something.

    ``sentences`` are the seeds, None for all sentences of the language.
    """
    if report.kept or report.exchanged:
        return None
    found = relaxations(kept, lambda less: _kept(store, language, less, sentences), final_marks=True)
    helpful = relaxations_told(found, "keeps")
    try_less = f"; {helpful}" if helpful else ""
    if report.candidates:
        return f"nothing is kept: {_refused_told(store, language, kept, report.candidates, sentences)}{try_less}"
    return f"nothing is kept: {_unmade_told(store, language, len(sentences or ()))}{try_less}"


def _kept(store: Store, language: str, kept: Filter, sentences: Sequence[str] | None) -> int:
    counts = generation_counts(store, language, kept, sentences)
    return counts.kept + exchanged_pairs(store, language, kept, sentences)


def _refused_told(
    store: Store, language: str, kept: NSequenceFilter, made: int, sentences: Sequence[str] | None
) -> str:
    """Which part refuses how many; both parts may refuse the same one."""
    conditions = {
        "order": kept.order_condition("candidate"),
        "validity": kept.validity_condition("candidate"),
        "marks": kept.marks_condition("candidate"),
    }
    seeds = None if sentences is None else json.dumps([normalise(each) for each in sentences])
    with translated_errors(store.path):
        by_order, by_validity, by_marks = store.connection.execute(
            _REFUSED.format(**conditions), {"language": language, "seeds": seeds, **kept.values}
        ).fetchone()
    parts = [f"{by_order:,} by N-sequences (N = {kept.order})"] if by_order else []
    parts += [f"{by_validity:,} by a least validity (V = {kept.min_validity:g})"] if by_validity else []
    parts += [f"{by_marks:,} for nothing but the marks at the end"] if by_marks else []
    return f"of {_counted(made, 'candidate')} {' and '.join(parts)} {'is' if made == 1 else 'are'} refused"


def _unmade_told(store: Store, language: str, seeds: int) -> str:
    """Why there is no candidate at all."""
    with translated_errors(store.path):
        (count,) = store.connection.execute(_SENTENCES, (language,)).fetchone()
        (is_paraphrased,) = store.connection.execute(_PARAPHRASED, (language,)).fetchone()
    if not is_paraphrased:
        return (
            f"no two of {count:,} sentences in {language} share a translation, which analogies start from; import"
            " more sentence pairs"
        )
    of_seeds = f" for {_counted(seeds, 'seed')}" if seeds else ""
    return f"no analogy was found{of_seeds} among {count:,} sentences in {language}; import more sentence pairs"


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"

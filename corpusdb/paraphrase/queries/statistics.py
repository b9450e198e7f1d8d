"""The paper's statistics for the corpus at hand (Lepage & Denoual 2005: tables 1 and 2, section 5, figure 1)."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from corpusdb.base.text import normalise, word_count
from corpusdb.corpus.model import Diversity, GenerationCounts, GenerationReport, VariationCounts
from corpusdb.corpus.orders import NO_LIMIT
from corpusdb.corpus.queries.sentences import check_languages
from corpusdb.corpus.store import Store
from corpusdb.corpus.store.connection import translated_errors
from corpusdb.paraphrase.queries.filters import (
    DEFAULT_FILTER,
    Address,
    Filter,
    NSequenceFilter,
    format_relaxations,
    relaxations,
)
from corpusdb.paraphrase.queries.origins.origin import find_seed
from corpusdb.paraphrase.queries.origins.registry import select_origins
from corpusdb.paraphrase.queries.origins.stored import CANDIDATES, EXCHANGE
from corpusdb.paraphrase.ranking import diversity, variation_counts
from corpusdb.paraphrase.sharing import MAX_SHARING

_MANY = 100


@dataclass(frozen=True, slots=True)
class TextSizes:
    """Tables 1 and 2: how many different texts, and how long they are. Standard deviations are of the population."""

    texts: int
    characters: float
    """Mean, in code points with spaces."""
    characters_deviation: float
    words: float
    """Mean; characters where the script does not delimit words."""
    words_deviation: float


@dataclass(frozen=True, slots=True)
class Detected:
    """Section 5, first phase."""

    sentences: int
    """Those with at least one detected paraphrase."""
    of: int
    average: float
    """Paraphrases by sentence, among those with one."""
    over_100: int
    most: int
    most_of: str | None
    """The sentence with most paraphrases; of several, the first by text."""


@dataclass(frozen=True, slots=True)
class Generated:
    """Section 5, second phase."""

    counts: GenerationCounts
    average: float
    """Paraphrases kept by seed, among those with one."""
    deviation: float
    variation: VariationCounts
    """Of all pairs kept, also those that are no candidates."""


@dataclass(frozen=True, slots=True)
class SeedsOfLength:
    """Figure 1, right: seeds of one length with at least one paraphrase kept."""

    words: int
    seeds: int
    average: float
    most: int


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """What the paper says of its corpus, for one language of this one."""

    language: str
    order: int
    """N: a candidate is kept when all its sequences of N characters occur in the corpus."""
    marks: bool
    """Whether those with the marks at both ends of the sentence count too."""
    corpus: TextSizes
    """Table 1."""
    paraphrases: TextSizes
    """Table 2: the different texts among the candidates kept."""
    detected: Detected
    generated: Generated
    seeds_by_paraphrases: tuple[tuple[int, int], ...]
    """Figure 1, left: a number of paraphrases kept, and how many seeds have so many."""
    paraphrases_by_length: tuple[SeedsOfLength, ...]
    """Figure 1, right."""
    orders: tuple[tuple[int, int], ...]
    """A fluency order, and how many candidates have it; those without a limit are not among them."""
    unlimited: int
    """Candidates that occur in the corpus whole."""
    min_validity: float = 0.0
    """With a least probability that it holds, and then N halved for some; see NSequenceFilter."""
    final_marks: bool = True
    """Whether candidates that differ from their seed in the marks at the end alone are kept too."""
    real: bool = False
    """Whether those that differ from it in capitals, marks and contractions alone are left out."""
    address: Address = "same"
    """``any``: those that change the address, number or gender of persons, halved by one pivot, are kept."""

    @property
    def filter(self) -> NSequenceFilter:
        how = (self.min_validity, self.final_marks, self.real, self.address)
        return NSequenceFilter(self.order, self.marks, *how)


_COUNTS = f"""
select count(distinct seed), coalesce(sum(frequency), 0), count(*), count(*) filter (where ({{kept}})),
       count(distinct case when ({{kept}}) then seed end)
from {CANDIDATES} candidate join seed on seed.id = candidate.seed where {{asked}}
"""
_DISTINCT = f"""
select count(*), count(*) filter (
    where not exists (select 1 from sentence where sentence.language = :language and sentence.text = kept.text))
from (
    select distinct candidate.text from {CANDIDATES} candidate join seed on seed.id = candidate.seed
    where {{asked}} and ({{kept}})) kept
"""


def _asked(
    statement: str, language: str, kept: Filter, sentences: Sequence[str] | None, **conditions: str
) -> tuple[str, dict[str, object]]:
    """A statement about all seeds of a language, or those in ``sentences`` alone, and what is bound to it."""
    of = "seed.language = :language" if sentences is None else f"seed.id in ({_GIVEN})"
    seeds = json.dumps([normalise(sentence) for sentence in sentences or ()])
    statement = statement.format(asked=of, kept=kept.condition("candidate"), **conditions)
    return statement, {"language": language, "seeds": seeds, **kept.values}


_GIVEN = """
select one.id from json_each(:seeds) given cross join seed one on one.language = :language and one.text = given.value
"""


def generation_counts(
    store: Store, language: str, kept: Filter = DEFAULT_FILTER, sentences: Sequence[str] | None = None
) -> GenerationCounts:
    """Count the candidates of a language and those that a filter keeps, or only those of the seeds in ``sentences``."""
    statements = (_asked(each, language, kept, sentences) for each in (_COUNTS, _DISTINCT))
    with translated_errors(store.path):
        all_kept, different = (store.connection.execute(*each).fetchone() for each in statements)
    return GenerationCounts(*all_kept, *different)


def exchanged_pairs(
    store: Store, language: str, kept: Filter = DEFAULT_FILTER, sentences: Sequence[str] | None = None
) -> int:
    """How many paraphrases of sentences of the corpus that only an exchange of words vouches for a filter keeps."""
    with translated_errors(store.path):
        if sentences is None:
            return sum(1 for _ in EXCHANGE.pairs(store, language, kept))
        numbers = {find_seed(store, language, sentence).sentence for sentence in sentences}
        return sum(len(EXCHANGE.accepted_of(store, number, kept)) for number in numbers if number is not None)


_KEPT_PAIRS = f"""
select seed.text, candidate.text from seed cross join {CANDIDATES} candidate on candidate.seed = seed.id
where {{asked}} and ({{kept}}) order by seed.id
"""


def generation_diversity(
    store: Store, language: str, kept: Filter = DEFAULT_FILTER, sentences: Sequence[str] | None = None
) -> Diversity:
    """The diversity of the pairs that a filter keeps, or only of those of the seeds in ``sentences``."""
    with translated_errors(store.path):
        return diversity(store.connection.execute(*_asked(_KEPT_PAIRS, language, kept, sentences)))


def kept_variation(
    store: Store, language: str, kept: Filter = DEFAULT_FILTER, sentences: Sequence[str] | None = None
) -> VariationCounts:
    """How many are real of all pairs that were made and stored, by whatever origin, and that a filter keeps.

    Or only of those of the seeds in ``sentences``. Detected pairs do not count.
    """
    origins = [origin for origin in select_origins() if not origin.is_at_hand]
    with translated_errors(store.path):
        if sentences is None:
            pairs = {(seed, text) for each in origins for text, seed in each.pairs(store, language, kept)}
        else:
            seeds = [find_seed(store, language, sentence) for sentence in sentences]
            pairs = {
                (seed.text, finding.text)
                for each in origins
                for seed in seeds
                for finding in each.accepted(store, seed, kept) or ()
            }
        return variation_counts(sorted(pairs), language)


def kept_counts(
    store: Store, language: str, kept: Filter = DEFAULT_FILTER, sentences: Sequence[str] | None = None
) -> dict[str, int]:
    """All that a run that generates tells: counted once and kept with the run, so that `info` looks at no pair."""
    return {
        **asdict(generation_counts(store, language, kept, sentences)),
        "exchanged": exchanged_pairs(store, language, kept, sentences),
        **asdict(kept_variation(store, language, kept, sentences)),
    }


_TEXTS = "select text from sentence where language = ?"
_ORDERS = """
select {reached} as reached, count(*)
from candidate join seed on seed.id = candidate.seed
where seed.language = :language group by reached order by reached
"""


def corpus_statistics(store: Store, language: str, filtered: NSequenceFilter = DEFAULT_FILTER) -> CorpusStatistics:
    """What the paper says of its corpus, for one language of this one. Raises InputError where it has no sentences."""
    counts = generation_counts(store, language, filtered)
    values = {"language": language, **filtered.values}
    with translated_errors(store.path):
        texts = [row[0] for row in store.connection.execute(_TEXTS, (language,))]
        if not texts:
            check_languages(store, [language])
        kept = store.connection.execute(*_asked(_KEPT_PAIRS, language, filtered, None)).fetchall()
        orders = dict(
            store.connection.execute(_ORDERS.format(reached=filtered.reached("candidate")), values).fetchall()
        )
        detected = _detected(store, language, len(texts))
    by_seed = Counter(seed for seed, _ in kept)
    average, deviation = _mean_and_deviation(by_seed.values())
    unlimited = orders.pop(NO_LIMIT, 0)
    return CorpusStatistics(
        language=language,
        order=filtered.order,
        marks=filtered.marks,
        corpus=_sizes(texts),
        paraphrases=_sizes({text for _, text in kept}),
        detected=detected,
        generated=Generated(counts, average, deviation, kept_variation(store, language, filtered)),
        seeds_by_paraphrases=tuple(sorted(Counter(by_seed.values()).items())),
        paraphrases_by_length=_by_length(by_seed),
        orders=tuple(orders.items()),
        unlimited=unlimited,
        min_validity=filtered.min_validity,
        final_marks=filtered.final_marks,
        real=filtered.real,
        address=filtered.address,
    )


def _sizes(texts: Collection[str]) -> TextSizes:
    characters = _mean_and_deviation([len(text) for text in texts])
    return TextSizes(len(texts), *characters, *_mean_and_deviation([word_count(text) for text in texts]))


def _mean_and_deviation(numbers: Collection[int]) -> tuple[float, float]:
    """Both 0 for no numbers."""
    if not numbers:
        return 0.0, 0.0
    # In their order, so that the sum is rounded the same way wherever they come from.
    values = np.sort(np.fromiter(numbers, dtype=np.int64, count=len(numbers)))
    return float(values.mean()), float(values.std())


_PARAPHRASES = """
select paraphrase.sentence, count(*) as paraphrases from paraphrase
join sentence on sentence.id = paraphrase.sentence where sentence.language = :language group by paraphrase.sentence
"""
_DETECTED = f"""
select count(*), coalesce(avg(paraphrases), 0.0), count(*) filter (where paraphrases > :many),
       coalesce(max(paraphrases), 0)
from ({_PARAPHRASES})
"""
_MOST = f"""
select text from ({_PARAPHRASES}) counted join sentence on sentence.id = counted.sentence
order by paraphrases desc, sentence.text limit 1
"""


def _detected(store: Store, language: str, sentences: int) -> Detected:
    values = {"language": language, "many": _MANY}
    found, average, many, most = store.connection.execute(_DETECTED, values).fetchone()
    row = store.connection.execute(_MOST, values).fetchone()
    return Detected(found, sentences, average, many, most, row[0] if row else None)


def _by_length(by_seed: Counter[str]) -> tuple[SeedsOfLength, ...]:
    lengths: dict[int, list[int]] = defaultdict(list)
    for seed, paraphrases in by_seed.items():
        lengths[word_count(seed)].append(paraphrases)
    return tuple(SeedsOfLength(words, len(n), sum(n) / len(n), max(n)) for words, n in sorted(lengths.items()))


_REFUSED = f"""
select count(*) filter (where not ({{order}})), count(*) filter (where not ({{validity}})),
       count(*) filter (where not ({{marks}})), count(*) filter (where not ({{real}}))
from {CANDIDATES} candidate join seed on seed.id = candidate.seed
where {{asked}}
"""
_SENTENCES = "select count(*) from sentence where language = ?"
_PARAPHRASED = """
select exists (
    select 1 from paraphrase join sentence on sentence.id = paraphrase.sentence where sentence.language = ?)
"""


def format_nothing_kept(
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
    helpful = format_relaxations(found, "keeps")
    try_less = f"; {helpful}" if helpful else ""
    if report.candidates:
        return f"nothing is kept: {_format_refused(store, language, kept, report.candidates, sentences)}{try_less}"
    return f"nothing is kept: {_format_unmade(store, language, len(sentences or ()))}{try_less}"


def _kept(store: Store, language: str, kept: Filter, sentences: Sequence[str] | None) -> int:
    counts = generation_counts(store, language, kept, sentences)
    return counts.kept + exchanged_pairs(store, language, kept, sentences)


def _format_refused(
    store: Store, language: str, kept: NSequenceFilter, made: int, sentences: Sequence[str] | None
) -> str:
    """Which part refuses how many; both parts may refuse the same one."""
    conditions = {
        "order": kept.order_condition("candidate"),
        "validity": kept.validity_condition("candidate"),
        "marks": kept.marks_condition("candidate"),
        "real": kept.real_condition("candidate"),
    }
    with translated_errors(store.path):
        statement = _asked(_REFUSED, language, kept, sentences, **conditions)
        refused = store.connection.execute(*statement).fetchone()
    by_order, by_validity, by_marks, by_change = refused
    parts = [f"{by_order:,} by N-sequences (N = {kept.order})"] if by_order else []
    parts += [f"{by_validity:,} by a least validity (V = {kept.min_validity:g})"] if by_validity else []
    parts += [f"{by_marks:,} for nothing but the marks at the end"] if by_marks else []
    parts += [f"{by_change:,} for nothing but capitals, marks and contractions"] if by_change else []
    return f"of {_counted(made, 'candidate')} {' and '.join(parts)} {'is' if made == 1 else 'are'} refused"


def _format_unmade(store: Store, language: str, seeds: int) -> str:
    with translated_errors(store.path):
        (count,) = store.connection.execute(_SENTENCES, (language,)).fetchone()
        (is_paraphrased,) = store.connection.execute(_PARAPHRASED, (language,)).fetchone()
    if not is_paraphrased:
        return (
            f"no two of {count:,} sentences in {language} share a translation (one that over {MAX_SHARING} share"
            " does not count), which analogies start from; import more sentence pairs"
        )
    of_seeds = f" for {_counted(seeds, 'seed')}" if seeds else ""
    return f"no analogy was found{of_seeds} among {count:,} sentences in {language}; import more sentence pairs"


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"

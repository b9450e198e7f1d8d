"""The paraphrases of one seed, from all origins, in their order; why one of them holds, and what people decided."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from corpusdb.base.errors import InputError
from corpusdb.base.text import normalise
from corpusdb.corpus.model import (
    ACCEPTED,
    ExchangeFigures,
    Explanation,
    Finding,
    Paraphrase,
    SharedTranslation,
    ValidityStep,
)
from corpusdb.corpus.orders import ONE_PIVOT
from corpusdb.corpus.store import Store, layer_state
from corpusdb.paraphrase.marking import TOLD_BY_WORDS, marking_of
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, Filter, NSequenceFilter
from corpusdb.paraphrase.queries.origins.origin import (
    GenerationOnce,
    Origin,
    Seed,
    SeedGeneration,
    find_seed,
    has_rejected,
    kept_findings,
)
from corpusdb.paraphrase.queries.origins.registry import ORIGINS, select_origins
from corpusdb.paraphrase.ranking import merge, rank, validity


def missing_origins(language: str) -> list[str]:
    """What somebody has to do for paraphrases in a language from all origins, in words; nothing where all is there."""
    return [told for origin in select_origins() if (told := origin.missing(language)) is not None]


Generations: TypeAlias = Sequence[tuple[Origin, SeedGeneration]]


def generations_of(store: Store, origins: Iterable[str] | None = None) -> Generations:
    """What generates from seeds of which the file holds nothing, for the origins of these names, or for all.

    What is read for one seed is held for the next ones. Raises UsageError for an unknown origin.
    """
    return [(origin, origin.generation(store)) for origin in select_origins(origins)]


def paraphrases(
    store: Store,
    text: str,
    language: str,
    *,
    limit: int = 20,
    kept: Filter = DEFAULT_FILTER,
    generations: Generations | None = None,
) -> list[Paraphrase]:
    """The paraphrases of ``text`` that a filter keeps, in the order of ``rank``: different ones first.

    ``limit`` 0 is all. ``generations`` limits what counts to some origins, and serves many texts. A text from which
    nothing was generated yet is tried now, and nothing is stored. Raises InputError where an origin needs an index that
    there is not.
    """
    ranked = paraphrases_by_filter(store, text, language, generations)(kept)
    return ranked[:limit] if limit else ranked


def paraphrases_by_filter(
    store: Store, text: str, language: str, generations: Generations | None = None
) -> Callable[[Filter], list[Paraphrase]]:
    """What tells the paraphrases of ``text`` that a filter keeps, all of them; they are generated once."""
    seed = find_seed(store, language, text)
    # All are held until the end: what several of them read into memory is read once.
    held = generations_of(store) if generations is None else generations
    once = [(origin, GenerationOnce(made)) for origin, made in held]

    def kept_by(kept: Filter) -> list[Paraphrase]:
        return rank(kept_findings(store, seed, kept, once), seed.text, language)

    return kept_by


# What people decided in sessions, as far as paraphrases and reference sets take it into account.
# Decisions are numbered in the order in which they were taken. A recipe names the last one that counts, so that what
# is decided later does not change a set that is made again.


@dataclass(frozen=True, slots=True)
class SeedDecisions:
    """Of seeds, by their texts."""

    accepted: Mapping[str, set[str]] = field(default_factory=dict)
    """The paraphrases that were accepted and are written into the corpus, whether or not it had them already."""
    rejected: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Those that were rejected and accepted in no other session, each with the name of a session that says so."""
    approved: Mapping[str, set[str]] = field(default_factory=dict)
    """Those that were accepted, written or not: what else is rejected does not count for them."""


NOTHING_DECIDED: Final = SeedDecisions()

_LAST = """
select coalesce(max(session_decision.id), 0) from session
join session_seed on session_seed.session = session.id
join session_decision on session_decision.seed = session_seed.id
where session.language = ?
"""


def last_decision(store: Store, language: str) -> int:
    """The number of the last decision on sentences of a language; 0 where there is none."""
    return int(store.connection.execute(_LAST, (language,)).fetchone()[0])


# Of several on the same paraphrase in a session the last that was not taken back. Deleted sessions reject nothing.
_DECIDED = """
select session_seed.text, said.text, said.verdict, said.applied is not null, session.name
from session join session_seed on session_seed.session = session.id
join session_decision said on said.seed = session_seed.id
where session.language = :language and said.id = (
    select max(other.id) from session_decision other
    where other.seed = said.seed and other.text = said.text and other.undone is null and other.id <= :last
) and (said.verdict = 'accept' or session.was_called is null)
order by session.name
"""


def decided_until(store: Store, language: str, last: int) -> SeedDecisions:
    """What stands of the decisions up to the number ``last``; nothing where that is 0."""
    if not last:
        return NOTHING_DECIDED
    accepted: dict[str, set[str]] = {}
    written: dict[str, set[str]] = {}
    rejected: dict[str, dict[str, str]] = {}
    for seed, text, verdict, is_written, name in store.connection.execute(
        _DECIDED, {"language": language, "last": last}
    ):
        if verdict == "reject":
            rejected.setdefault(seed, {}).setdefault(text, name)
            continue
        accepted.setdefault(seed, set()).add(text)
        if is_written:
            written.setdefault(seed, set()).add(text)
    for seed, texts in accepted.items():
        for text in texts & rejected.get(seed, {}).keys():
            del rejected[seed][text]
    return SeedDecisions(written, rejected, accepted)


# What people accepted of two sentences, in words: what they share since then is no evidence of the files.


# In a session, or one by one: then there is no name. What was accepted and not written has changed nothing.
_ACCEPTED = """
select json_extract(parameters, '$.candidate') as text, json_extract(parameters, '$.seed') as seed, null as name
from run where operation = 'accept' and json_extract(parameters, '$.language') = :language
    and json_extract(parameters, '$.candidate') in (:seed, :text)
union
select said.text, session_seed.text, coalesce(session.was_called || ', which was deleted', session.name)
from session_decision said
join session_seed on session_seed.id = said.seed
join session on session.id = session_seed.session and session.language = :language
where said.text in (:seed, :text) and said.verdict = 'accept' and said.applied is not null
order by 1, 2, 3
"""
_NAMES: Final = {"accepted": ACCEPTED}
# Translations that a sentence has by acceptance alone, and the other one of the two has as well.
_WAS_GIVEN = """
select exists (
    select 1 from sentence
    join translation on translation.sentence = sentence.id
    join collection on collection.id = translation.collection and collection.name = :accepted
    join sentence other on other.language = :language and other.text = :other
    join translation shared on shared.sentence = other.id and shared.translation = translation.translation
    where sentence.language = :language and sentence.text = :text and not exists (
        select 1 from translation given where given.sentence = sentence.id
            and given.translation = translation.translation and given.collection <> collection.id
    )
)
"""


def acceptances(store: Store, language: str, seed: str, text: str) -> Iterator[str]:
    """Who accepted ``text`` as a paraphrase of the seed, or the seed as one of it, and what was given to it.

    Also where either was accepted as a paraphrase of a third sentence, if the two share translations for that alone.
    """
    bound = {"language": language, "seed": seed, "text": text}
    for accepted, of, name in store.connection.execute(_ACCEPTED, bound).fetchall():
        other = seed if accepted == text else text
        pair = {"language": language, "text": accepted, "other": other, **_NAMES}
        (was_given,) = store.connection.execute(_WAS_GIVEN, pair).fetchone()
        where = "with `corpusdb accept`" if name is None else f"in session {name}"
        if (accepted, of) == (text, seed):
            yield f"accepted {where}" + ("; its translations are those of the seed" if was_given else "")
        elif of == other:
            given = "; the translations of the seed are those of it" if was_given else ""
            yield f"the seed was accepted {where} as a paraphrase of it{given}"
        elif was_given:
            yield f"{accepted!r} was accepted {where}; its translations are those of {of!r}"


def explain(store: Store, seed: str, candidate: str, language: str, *, limit: int = 10) -> Explanation:
    """What stands behind ``candidate`` as a paraphrase of ``seed``.

    At most ``limit`` analogies; 0 is all. The explanation has no analogy where the candidate was not generated, and no
    direct translation where the two share none; that of the seed itself, which is no paraphrase of it, has nothing.
    """
    from corpusdb.paraphrase.queries.exchanges import exchanges_between

    known, text = find_seed(store, language, seed), normalise(candidate)
    if text == known.text:
        return Explanation(known.text, text, (), 0)
    made = {origin: origin.generation(store) for origin in ORIGINS.values()}
    findings = list(_findings(store, known, text, made))
    holds = validity(findings)
    parts = [origin.explain(store, known, text, limit, generation) for origin, generation in made.items()]
    direct = tuple(chain.from_iterable(part.direct for part in parts))
    exchanges = () if holds is None else exchanges_between(store, language, known.text, text)
    return Explanation(
        seed=known.text,
        candidate=text,
        analogies=tuple(chain.from_iterable(part.analogies for part in parts)),
        total=sum(part.total for part in parts),
        shared={pair: shared for part in parts for pair, shared in part.shared.items()},
        direct=direct,
        reasons=tuple(chain.from_iterable(part.reasons for part in parts)),
        validity=holds,
        fails=_rejected(store, known, text) or _fails(findings),
        accepted=tuple(acceptances(store, language, known.text, text)),
        exchanges=exchanges,
        steps=_steps(store, known, findings, holds, direct, exchanges),
    )


def _rejected(store: Store, seed: Seed, text: str) -> str:
    """Which equivalents that people rejected the two exchange, in words; nothing where they exchange none."""
    if not has_rejected(store, seed.language):
        return ""
    from corpusdb.alignment.queries.phrases import RejectedExchanges

    pair = RejectedExchanges(store, seed.language).between(seed.text, text)
    if pair is None:
        return ""
    return f"left out of paraphrases: that {pair[0]!r} and {pair[1]!r} are equivalent was rejected (`rejections list`)"


def _fails(findings: Sequence[Finding]) -> str:
    """Why the usual filter refuses what may be valid, in words; nothing where it does not, or by the validity."""
    if not findings:
        return ""
    merged = merge(findings)
    return DEFAULT_FILTER.reason(merged) if DEFAULT_FILTER.failing(merged) in ("marks", "order") else ""


def _steps(
    store: Store,
    seed: Seed,
    findings: Sequence[Finding],
    holds: float | None,
    direct: Sequence[SharedTranslation],
    exchanges: Sequence[ExchangeFigures],
) -> tuple[ValidityStep, ...]:
    if holds is None:
        return ()
    from corpusdb.paraphrase.queries.seed_rewordings import validity_steps

    best = next(each for each in findings if each.validity == holds)
    languages = sorted({each.language for each in direct})
    in_corpus = seed.sentence is not None
    steps = validity_steps(store, seed.language, seed.text, best, languages, in_corpus=in_corpus)
    if holds >= 1 or not best.frequency or any(each.pairs for each in exchanges):
        return steps
    known = f"what is known are the analogies that give it: rewordings {best.frequency:,}, languages {best.languages}"
    return (ValidityStep(known, "+"), *steps)


def _findings(store: Store, seed: Seed, text: str, made: Mapping[Origin, SeedGeneration]) -> Iterator[Finding]:
    for origin, generation in made.items():
        try:
            found = origin.findings(store, seed, generation=generation)
        except InputError:  # it has no index
            continue
        yield from (finding for finding in found if finding.text == text)


# The languages that validities were learned through: with one alone it may be blind to what a paraphrase changes.


HELD_THROUGH_ONE: Final = "17 to 18%"
"""Of the pairs of the highest validities through the one language that does not mark what they may differ in: of French
and German ones through English that were read."""


class Pivots(NamedTuple):
    """What the validities of a language were learned through."""

    language: str
    languages: tuple[str, ...]
    """Those of the translations, ascending."""
    unseen: tuple[str, ...]
    """What the only one of them does not mark, in words: see ``ValidityModels``."""

    def document(self) -> dict[str, object] | None:
        """As JSON tells it of one pivot language; None where there are several."""
        if len(self.languages) != 1:
            return None
        return {"language": self.languages[0], "unseen": list(self.unseen)}

    def told(self, kept: Filter = DEFAULT_FILTER) -> str | None:
        """In one line that one language alone stands behind the validities; None where several do."""
        if len(self.languages) != 1:
            return None
        told = f"{self.languages[0]} is the one pivot language of {self.language}"
        if not self.unseen:
            return f"{told}: no other can confirm what validity says"
        told += f" and does not mark {_listed(self.unseen)}"
        if isinstance(kept, NSequenceFilter) and kept.address == "any":
            return f"{told}: paraphrases may change that (--address any)"
        if TOLD_BY_WORDS.issuperset(self.unseen) and marking_of(self.language) is not None:
            return (
                f"{told}: what changes that has a validity of at most"
                f" {ONE_PIVOT:g} before another language is imported; --address any takes it all the same"
            )
        return (
            f"{told}: no validity is above {ONE_PIVOT:g} before another"
            f" language is imported; of such pairs that were read {HELD_THROUGH_ONE} held"
        )


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_MODEL = """
select json_extract(run.parameters, '$.model.pivots'), json_extract(run.parameters, '$.model.unseen')
from layer join run on run.id = layer.run
where layer.language = ? and layer.name = 'validity' and layer.complete
"""


def validity_pivots(store: Store, language: str) -> Pivots | None:
    """What the stored validities of a language were learned through; None where nothing was, or by an older version."""
    row = store.connection.execute(_MODEL, (language,)).fetchone()
    if row is None or row[0] is None:
        return None
    return Pivots(language, *(tuple(json.loads(each)) for each in row))


_TELLING = """
select paraphrase.sentence from paraphrase join sentence on sentence.id = paraphrase.sentence
where sentence.language = ? and length(sentence.text) between ? and ?
group by 1 order by count(*) desc, 1 limit 1
"""
_TELLING_LENGTHS: Final = (20, 60)
"""In characters: no exclamation, and no more than a line."""


def telling_sentence(store: Store, language: str) -> int | None:
    """The sentence with most detected paraphrases, of those that are neither short nor long, by its number.

    None where none has any: it is one to begin with, for whoever does not know what to look for.
    """
    row = store.connection.execute(_TELLING, (language, *_TELLING_LENGTHS)).fetchone()
    return None if row is None else int(row[0])


# Whether all is judged: what was generated or detected, by what is known.


JUDGED_BY: Final[dict[str, object]] = {"rules": 13}
"""What the layer is made by; ``rules`` is raised when features or differences change."""

# The majority of all judges; a tie says nothing. Accepting are the verdicts of section 6.2 of the paper.
_JUDGED = """
select candidate.id, sum(iif(verdict in ('equivalence', 'entailment'), 1, -1)) as balance
from sample
cross join sample_item on sample_item.sample = sample.id and sample_item.source = 'candidate'
cross join current_judgement on current_judgement.item = sample_item.id and verdict <> 'skip'
cross join seed on seed.language = sample.language and seed.text = sample_item.seed_text
cross join candidate on candidate.seed = seed.id and candidate.text = sample_item.text
where sample.kind = 'meaning' and sample.language = ?
group by candidate.id having balance <> 0 order by candidate.id
"""


def judged_candidates(store: Store, language: str) -> dict[int, bool]:
    """The numbers of judged candidates, and whether more judges say that one holds than that it does not."""
    return {number: balance > 0 for number, balance in store.connection.execute(_JUDGED, (language,))}


# What was generated since all was judged last, or began to be: what people can have interrupted is not ended.
CANDIDATES_IN_PLACE = """
select candidate.id, seed.text, candidate.text, candidate.frequency, candidate.languages, candidate.probability,
       length(paraphrase.languages) - length(replace(paraphrase.languages, ',', '')) + 1
from (
    select id, text, sentence from seed not indexed where language = :language and (
        run > (select run from layer where language = :language and name = 'validity')
        or run in (select id from run where operation = 'generate' and finished is null))) seed
cross join candidate on candidate.seed = seed.id and candidate.validity is null
left join sentence other on other.language = :language and other.text = candidate.text
left join paraphrase on paraphrase.sentence = seed.sentence and paraphrase.paraphrase = other.id
limit :limit
"""
DETECTED_IN_PLACE = """
select paraphrase.sentence, paraphrase.paraphrase, sentence.text, other.text,
       length(paraphrase.languages) - length(replace(paraphrase.languages, ',', '')) + 1, candidate.validity
from paraphrase
cross join sentence on sentence.id = paraphrase.sentence and sentence.language = :language
cross join sentence other on other.id = paraphrase.paraphrase
left join seed on seed.sentence = sentence.id
left join candidate on candidate.seed = seed.id and candidate.text = other.text
where paraphrase.validity is null limit :limit
"""


def has_unjudged(store: Store, language: str) -> bool:
    values = {"language": language, "limit": 1}
    return any(store.connection.execute(query, values).fetchone() for query in (CANDIDATES_IN_PLACE, DETECTED_IN_PLACE))


def is_judged(store: Store, language: str, *, thorough: bool = False) -> bool:
    """Whether the stored paraphrases of a language are judged by the sums and models of the corpus as it is.

    ``thorough``: and by all judgements of people. What has no commutation index has nothing to be judged by.
    """
    index, state = (layer_state(store, language, name) for name in ("commutation", "validity"))
    if index is None or not index.complete:
        return True
    if state is None or not state.complete or state.parameters != JUDGED_BY:
        return False
    if (state.last_sentence, state.last_run) != (index.last_sentence, last_detected_run(store, language)):
        return False
    return not (has_unjudged(store, language) or (thorough and _is_judged_since(store, language)))


_JUDGEMENTS = """
select coalesce(json_extract(run.counts, '$.judgements'), 0) from layer join run on run.id = layer.run
where layer.language = ? and layer.name = 'validity'
"""


def _is_judged_since(store: Store, language: str) -> bool:
    (known,) = store.connection.execute(_JUDGEMENTS, (language,)).fetchone()
    return bool(known != len(judged_candidates(store, language)))


def last_detected_run(store: Store, language: str) -> int:
    """The last run whose translations are in the detected paraphrases."""
    state = layer_state(store, language, "paraphrase")
    return state.last_run if state else 0

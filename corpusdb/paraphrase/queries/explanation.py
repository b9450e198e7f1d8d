"""How probable it is that a paraphrase holds, what each origin says of it, and what people accepted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from corpusdb.base.errors import InputError
from corpusdb.base.text import normalise
from corpusdb.corpus.model import ACCEPTED, ExchangeFigures, Explanation, Finding, SharedTranslation
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.exchanges import exchanges_between
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER
from corpusdb.paraphrase.queries.origins.origin import Seed, find_seed
from corpusdb.paraphrase.queries.origins.registry import ORIGINS
from corpusdb.paraphrase.ranking import merge, validity


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


# Explanation: how probable it is that a paraphrase of a seed holds, and what each origin says of it.


def explain(store: Store, seed: str, candidate: str, language: str, *, limit: int = 10) -> Explanation:
    """What stands behind ``candidate`` as a paraphrase of ``seed``.

    At most ``limit`` analogies; 0 is all. The explanation has no analogy where the candidate was not generated, and no
    direct translation where the two share none.
    """
    known, text = find_seed(store, language, seed), normalise(candidate)
    findings = list(_findings(store, known, text))
    holds = validity(findings)
    parts = [origin.explain(store, known, text, limit) for origin in ORIGINS.values()]
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
        fails=_fails(findings),
        accepted=tuple(acceptances(store, language, known.text, text)),
        exchanges=exchanges,
        steps=_steps(store, known, findings, holds, direct, exchanges),
    )


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
) -> tuple[str, ...]:
    """What the highest validity that an origin gives is made of, beside its exchanges."""
    if holds is None:
        return ()
    from corpusdb.paraphrase.queries.seed_validity import validity_steps

    best = next(each for each in findings if each.validity == holds)
    languages = sorted({each.language for each in direct})
    in_corpus = seed.sentence is not None
    steps = validity_steps(store, seed.language, seed.text, best, languages, in_corpus=in_corpus)
    if holds >= 1 or not best.frequency or any(each.pairs for each in exchanges):
        return steps
    known = f"what is known are the analogies that give it: rewordings {best.frequency:,}, languages {best.languages}"
    return (known, *steps)


def _findings(store: Store, seed: Seed, text: str) -> Iterator[Finding]:
    for origin in ORIGINS.values():
        try:
            found = origin.findings(store, seed)
        except InputError:  # it has no index
            continue
        yield from (finding for finding in found if finding.text == text)

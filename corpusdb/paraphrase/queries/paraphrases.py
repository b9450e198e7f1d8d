"""The paraphrases of one seed, from all origins, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from corpusdb.corpus.model import Paraphrase
from corpusdb.corpus.store import Store
from corpusdb.paraphrase.queries.filters import DEFAULT_FILTER, Filter
from corpusdb.paraphrase.queries.origins.origin import find_seed
from corpusdb.paraphrase.queries.origins.registry import select_origins
from corpusdb.paraphrase.ranking import rank


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


# What people decided in sessions, as far as paraphrases and reference sets take it into account.
#
# Decisions are numbered in the order in which they were taken. A recipe names the last one that counts, so that what
# is decided later does not change a set that is made again.


@dataclass(frozen=True, slots=True)
class SeedDecisions:
    """Of seeds, by their texts."""

    accepted: Mapping[str, set[str]] = field(default_factory=dict)
    """The paraphrases that were accepted and are written into the corpus, whether or not it had them already."""
    rejected: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Those that were rejected and accepted in no other session, each with the name of a session that says so."""


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
    return SeedDecisions(written, rejected)

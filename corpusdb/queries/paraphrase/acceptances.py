"""What people accepted of two sentences, in words: what they share since then is no evidence of the files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from corpusdb.model import ACCEPTED
from corpusdb.store import Store

__all__ = ["acceptances"]

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

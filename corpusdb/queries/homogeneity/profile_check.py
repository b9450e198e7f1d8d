"""Are the rows of profiles those that their models give?"""

from __future__ import annotations

import sqlite3
from random import Random
from typing import Final

from corpusdb.errors import InputError
from corpusdb.queries.homogeneity.profile_update import ProfileRow, profile_rows
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile, profile_languages, profiles_of

__all__ = ["wrong_profiles"]

_SAMPLE: Final = 200
_AT_ONCE: Final = 20_000
_NEAR: Final = 1e-9
"""Relative difference of bits that is taken for rounding on another machine."""


def wrong_profiles(connection: sqlite3.Connection, random: Random, *, full: bool = False) -> list[str]:
    """Models that cannot be read, and sentences whose row is missing, or is another one than the models give.

    Looked at in a sample; all of them with ``full``. What no profile has measured yet is left out.
    """
    problems: list[str] = []
    for language in profile_languages(connection):
        for profile in profiles_of(connection, language):
            problems += _wrong_profile(connection, profile, None if full else random)
    return problems


_MEASURED = """
select sentence.id, sentence.text from sentence
where language = ? and id <= (select last_sentence from layer where language = sentence.language and name = 'profile')
    and id <= (select coalesce(max(sentence), 0) from profile_sentence where profile = ?)
order by id
"""
_ROWS = "select sentence, characters, bits1, bits2, unknown from profile_sentence where profile = ?"
_STRANGERS = """
select count(*) from profile_sentence join sentence on sentence.id = profile_sentence.sentence
where profile = ? and sentence.language <> ?
"""


def _wrong_profile(connection: sqlite3.Connection, profile: StoredProfile, random: Random | None) -> list[str]:
    what = f"profile {profile.id} of {profile.language}"
    try:
        models = profile.smoothed(connection)
    except InputError as error:
        return [f"{what}: {error}"]
    sentences = connection.execute(_MEASURED, (profile.language, profile.id)).fetchall()
    if random is not None and len(sentences) > _SAMPLE:
        sentences = random.sample(sentences, _SAMPLE)
    stored = {row[0]: row for row in connection.execute(_ROWS, (profile.id,))}
    wrong = 0
    for first in range(0, len(sentences), _AT_ONCE):
        part = sentences[first : first + _AT_ONCE]
        made = {row[0]: row for row in profile_rows(profile, models, part)}
        wrong += sum(not _same(made.get(number), stored.get(number)) for number, _ in part)
    problems = [f"{what}: {wrong} sentences have another row than its models give"] if wrong else []
    (strangers,) = connection.execute(_STRANGERS, (profile.id, profile.language)).fetchone()
    return problems + ([f"{what}: {strangers} rows are of another language"] if strangers else [])


def _same(made: ProfileRow | None, stored: ProfileRow | None) -> bool:
    if made is None or stored is None:
        return made is stored
    exact = (made[0], made[1], made[4]) == (stored[0], stored[1], stored[4])
    return exact and all(abs(a - b) <= _NEAR * max(1.0, abs(a)) for a, b in zip(made[2:4], stored[2:4], strict=True))

"""Sentences that a profile has not measured yet are measured by its models, each by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from corpusdb.charlm.normalisation import normalised
from corpusdb.charlm.scoring import text_bits
from corpusdb.charlm.smoothing import Model
from corpusdb.jobs import Job, Progress
from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile, profiles_of
from corpusdb.queries.homogeneity.text_keys import text_key
from corpusdb.store import Layer, Store, finish_run, layer_state, save_layer, start_run

__all__ = ["LAYER", "ProfileRow", "profile_rows", "update_profiles"]

LAYER = "profile"
"""The name of the layer."""
_SENTENCES_PER_TRANSACTION = 20_000

ProfileRow: TypeAlias = tuple[int, int, float, float, int]
"""Sentence, characters, bits under both models, unknown characters."""


def profile_rows(
    profile: StoredProfile, models: Sequence[Model], sentences: Sequence[tuple[int, str]]
) -> list[ProfileRow]:
    """What sentences cost, by number and text; none for those that are empty or stand in a reference."""
    texts = normalised([text for _, text in sentences], profile.parameters["normalisation"])
    known = profile.reference_keys
    kept = [
        (number, text)
        for (number, _), text in zip(sentences, texts, strict=True)
        if text and text_key(text) not in known
    ]
    if not kept:
        return []
    bits = text_bits(models, [text for _, text in kept])
    numbers = [number for number, _ in kept]
    columns = (bits.characters.tolist(), bits.bits[0].tolist(), bits.bits[1].tolist(), bits.unknown.tolist())
    return list(zip(numbers, *columns, strict=True))


_NEWEST = """
select coalesce((select max(id) from sentence where language = ?), 0),
       coalesce((select max(id) from run where operation in ('import', 'accept')), 0)
"""


def update_profiles(store: Store, language: str) -> Job[None]:
    """Measure what the profiles of a language have not measured yet; a part of a job."""
    profiles = profiles_of(store.connection, language)
    if not profiles:
        return
    state = layer_state(store, language, LAYER)
    done = state.last_sentence if state is not None and state.complete else 0
    for profile in profiles:
        yield from _follow(store, profile, done)
    newest = store.connection.execute(_NEWEST, (language,)).fetchone()
    measured = Layer({}, int(newest[0]), int(newest[1]), complete=True)
    if state != measured:
        with store.write():
            run = start_run(store, "profile sentences", {"language": language})
            save_layer(store, language, LAYER, measured, run)
            finish_run(store, run, {"profiles": len(profiles)})


_LAST = "select coalesce(max(sentence), 0) from profile_sentence where profile = ?"
_INSERT = """
insert into profile_sentence (profile, sentence, characters, bits1, bits2, unknown) values (?, ?, ?, ?, ?, ?)
"""


def _follow(store: Store, profile: StoredProfile, done: int) -> Job[None]:
    """Sentences up to ``done`` are measured; they come by their numbers, so that those up to the last row are too."""
    (last,) = store.connection.execute(_LAST, (profile.id,)).fetchone()
    waiting = sentences_after(store, profile.language, max(done, last))
    if not waiting:
        return
    models = profile.smoothed(store.connection)
    stage = f"measuring sentences in {profile.language}"
    for first in range(0, len(waiting), _SENTENCES_PER_TRANSACTION):
        yield Progress(stage, first, len(waiting))
        rows = profile_rows(profile, models, waiting[first : first + _SENTENCES_PER_TRANSACTION])
        if rows:
            with store.unchecked_references(), store.write() as connection:
                connection.executemany(_INSERT, [(profile.id, *row) for row in rows])
    yield Progress(stage, len(waiting), len(waiting))

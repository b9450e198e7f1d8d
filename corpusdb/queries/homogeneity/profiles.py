"""Profiles: what each sentence of a language costs under models of two references (Denoual 2005, equations 1 to 4).

A profile is made once from its references. Sentences that come later are measured by the same models, so that its rows
do not depend on the order of imports. What is kept are characters and bits; coefficients are made of their sums.
"""

from __future__ import annotations

import json
from dataclasses import asdict

from corpusdb.charlm.normalisation import normalised
from corpusdb.errors import InputError
from corpusdb.jobs import Job, Progress
from corpusdb.queries.corpus.sentences import sentences_after
from corpusdb.queries.homogeneity.char_models import TrainedModel, insert_model
from corpusdb.queries.homogeneity.profile_references import ProfileRecipe, References, check_alphabet, references_of
from corpusdb.queries.homogeneity.profile_update import LAYER, update_profiles
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile, drop_profile, find_profile
from corpusdb.queries.homogeneity.text_keys import text_keys
from corpusdb.store import Store, finish_run, start_run
from corpusdb.store.exclusive_jobs import exclusive
from corpusdb.store.layers import reopen_layers

__all__ = ["make_profile"]

_LINES_AT_A_TIME = 5_000


@exclusive("profile")
def make_profile(store: Store, language: str, recipe: ProfileRecipe, *, rebuild: bool = False) -> Job[StoredProfile]:
    """The profile of these references, made where there is none, with every sentence of the language measured.

    With ``rebuild`` one that is there is made anew. An interrupted call is continued by the same call. Raises
    InputError for a reference that is missing or empty, for references that overlap or span no scale, and where no
    sentence is left to measure.
    """
    parameters = json.dumps(asdict(recipe), ensure_ascii=False, sort_keys=True)
    found = find_profile(store.connection, language, parameters)
    if found is None or rebuild:
        found = yield from _new_profile(store, language, recipe, parameters, found)
    yield from update_profiles(store, language)
    return found


_INSERT = """
insert into profile (language, parameters, sources, model1, model2, h11, h12, h21, h22, d1, d2, unseen1, unseen2,
    reference_texts, run)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def _new_profile(
    store: Store, language: str, recipe: ProfileRecipe, parameters: str, old: StoredProfile | None
) -> Job[StoredProfile]:
    """Train the models, and store them in the place of the old profile, without any sentence measured."""
    yield Progress("reading the references", 0, 0)
    references = references_of(store, language, recipe)
    _check_left(store, language, recipe, references)
    yield Progress("measuring held-out parts of the references", 0, 0)
    ends = (*asdict(references.anchors()).values(), *references.held_out())
    sources = json.dumps([[asdict(each) for each in side] for side in references.records], ensure_ascii=False)
    with store.unchecked_references(), store.write() as connection:
        run = start_run(store, "profile", {"language": language, **asdict(recipe)})
        if old is not None:
            drop_profile(store, old.id)
        numbers = [
            insert_model(store, TrainedModel(language, None, recipe.model, records, counts), run)
            for records, counts in zip(references.records, references.counts, strict=True)
        ]
        values = (language, parameters, sources, *numbers, *ends, text_keys(references.lines), run.id)
        connection.execute(_INSERT, values)
        reopen_layers(store, language, (LAYER,), run)  # until it has measured all that the others have
        finish_run(store, run, {"characters": references.counts[0].characters})
    made = find_profile(store.connection, language, parameters)
    if made is None:
        raise RuntimeError("a profile that was stored is not there")
    return made


def _check_left(store: Store, language: str, recipe: ProfileRecipe, references: References) -> None:
    """Raise InputError where every sentence stands in a reference, or where one is in another script."""
    texts = [text for _, text in sentences_after(store, language, 0)]
    measured = normalised(texts[:_LINES_AT_A_TIME], recipe.normalisation)
    for what, side in zip(("spoken", "written"), references.sides, strict=True):
        check_alphabet(f"the {what} reference", side, measured)
    for first in range(0, len(texts), _LINES_AT_A_TIME):
        part = normalised(texts[first : first + _LINES_AT_A_TIME], recipe.normalisation)
        if any(text and text not in references.lines for text in part):
            return
    raise InputError(f"every sentence in {language} stands in a reference, so that there is none to measure")

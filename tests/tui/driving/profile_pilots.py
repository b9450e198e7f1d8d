"""Databases with a profile and a selection, made of what a corpus holds and of two files beside it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from corpusdb.base.jobs import finished
from corpusdb.base.options import options_to_json
from corpusdb.corpus.store import open_store
from corpusdb.homogeneity.queries.profile_view import ProfileView, keep_lines, read_groups, read_lines
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, make_profile
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.saved_queries import save_query

__all__ = ["REFERENCES", "add_profile", "write_references"]

REFERENCES = ("talk.txt", "news.txt")
_WHO = ("yeah you", "so we", "hey they", "well I", "oh she", "right he")
_WHAT = ("know it, okay?", "wanna go now!", "eat that, don't you?", "sleep in, see?", "got this, huh?")
_OFFICE = ("The minister", "The committee", "An official", "The company", "A spokesman", "The central bank")
_DID = ("announced the plan.", "met on Tuesday.", "rejected the proposal.", "published its report.", "fell by 4 %.")
_made: dict[bytes, bytes] = {}


def write_references() -> None:
    """Text like speech and text like news, in files here."""
    for name, subjects, rest in zip(REFERENCES, (_WHO, _OFFICE), (_WHAT, _DID), strict=True):
        lines = [f"{subject} {what}\n" for subject in subjects for what in rest]
        Path(name).write_text("".join(lines), encoding="utf-8")


def add_profile(path: Path, *languages: str) -> Path:
    """Profiles of some languages, English if none is named, a selection of their spoken end, and a saved search.

    Equal databases get the same, which is made once in a process.
    """
    write_references()
    before = hashlib.sha256(path.read_bytes() + "".join(languages).encode()).digest()
    if before not in _made:
        with open_store(path) as store:
            for language in languages or ("eng",):
                recipe = ProfileRecipe(spoken=REFERENCES[:1], written=REFERENCES[1:])
                profile = finished(make_profile(store, language, recipe))
                view = ProfileView(profile, read_lines(store, profile), read_groups(store, profile))
                order = view.order("line", "I")
                spoken = order.stretch(0, min(300, len(order.values)))
                seen = {"level": "line", "seen": "the spoken end"}
                keep_lines(store, f"talk-{language}", view, order.places(spoken), seen)
            save_query(store, "beers", "search", options_to_json(SearchRequest("beer", lang="eng")))
        _made[before] = path.read_bytes()
    path.write_bytes(_made[before])
    return path

"""What the place asks before a profile is made or lines are kept, and what it makes of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.bounds import number_of
from corpusdb.display import check_name
from corpusdb.errors import UsageError
from corpusdb.jobs import Job
from corpusdb.languages import language_code
from corpusdb.queries.homogeneity.profile_references import ProfileRecipe
from corpusdb.queries.homogeneity.profiles import make_profile
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile
from corpusdb.store import Store
from tui.shared.form import Field

__all__ = ["OTHERS", "ProfileRequest", "keep_fields", "kept_name", "limit_fields", "profile_fields", "profile_request"]

_SMOOTHINGS: Final = ("wb", "mkn")
_NORMALISATIONS: Final = ("none", "nfkc", "case", "letters")
OTHERS: Final = "all others"
_THESE: Final = "these"
_MOST_ORDER: Final = 20


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """A profile that somebody wants."""

    language: str
    recipe: ProfileRecipe
    rebuild: bool

    @property
    def title(self) -> str:
        return f"profile {self.language}"

    def job(self, store: Store) -> Job[StoredProfile]:
        """Make it, or measure what it has not measured yet."""
        return make_profile(store, self.language, self.recipe, rebuild=self.rebuild)


def profile_fields(
    languages: Sequence[str], collections: Sequence[str], shown: StoredProfile | None, *, stale: bool
) -> list[Field]:
    """The form, filled with the profile that is ``shown``."""
    given = shown.parameters if shown else {}
    there = ", ".join(collections[:3]) or "a file"
    now = shown.language if shown else languages[0] if len(languages) == 1 else ""
    return [
        Field("language", "Language", now, ", ".join(languages), tuple(languages)),
        Field("spoken", "Spoken: I = 0", ",".join(given.get("spoken", ())), f"collections, files: {there}"),
        Field("written", "Written: I = 1", ",".join(given.get("written", ())), "several with commas"),
        Field("order", "Longest n-grams", str(given.get("order", 5)), "in characters"),
        Field("smoothing", "Smoothing", given.get("smoothing", "wb"), choices=_SMOOTHINGS),
        Field("normalisation", "Normalise", given.get("normalisation", "case"), choices=_NORMALISATIONS),
        Field("rebuild", "Make it anew", "yes" if stale else "no", "yes, no", choices=("no", "yes")),
    ]


def profile_request(values: Mapping[str, str], collections: Sequence[str]) -> ProfileRequest:
    """What the fields say. Raises UsageError and InputError, also for a reference that is there in neither way."""
    sides = {name: tuple(filter(None, map(str.strip, values[name].split(",")))) for name in ("spoken", "written")}
    if not values["language"]:
        raise UsageError("name a language")
    for name, side in sides.items():
        if not side:
            raise UsageError(f"name the {name} reference: collections or files")
        for each in side:
            if each not in collections and not Path(each).is_file():
                raise UsageError(f"{each!r} is neither a collection nor a file")
    for name, choices in (("smoothing", _SMOOTHINGS), ("normalisation", _NORMALISATIONS), ("rebuild", ("no", "yes"))):
        if values[name] not in choices:
            raise UsageError(f"{values[name]!r} is none of {', '.join(choices)}")
    order = number_of(values["order"]) if values["order"].isdecimal() else 0
    if not 1 <= order <= _MOST_ORDER:
        raise UsageError(f"n-grams have 1 to {_MOST_ORDER} characters")
    recipe = ProfileRecipe(
        spoken=sides["spoken"],
        written=sides["written"],
        order=order,
        smoothing=values["smoothing"],
        normalisation=values["normalisation"],
    )
    return ProfileRequest(language_code(values["language"]), recipe, values["rebuild"] == "yes")


def keep_fields(these: str) -> list[Field]:
    """The form for a selection; ``these`` says in words what is seen."""
    return [
        Field("name", "Name", hint="of the selection, for `select --show NAME`"),
        Field("lines", "Lines", _THESE, these, choices=(_THESE, OTHERS)),
    ]


def kept_name(values: Mapping[str, str]) -> str:
    """The name that was given. Raises UsageError for what is none, and for lines that are neither."""
    check_name(values["name"], "a selection")
    if values["lines"] not in (_THESE, OTHERS):
        raise UsageError(f"lines are {_THESE!r} or {OTHERS!r}; PgDn goes through them")
    return values["name"]


def limit_fields(collections: Sequence[str], queries: Sequence[str], now: Mapping[str, str | None]) -> list[Field]:
    """The form for which sentences are measured."""
    return [
        Field("collection", "Collection", now.get("collection") or "", "or a selection", ("", *collections)),
        Field("document", "Document or file", now.get("document") or "", "any"),
        Field("query", "Saved search", now.get("query") or "", "what it finds", ("", *queries)),
    ]

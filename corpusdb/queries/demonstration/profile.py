"""Where the topics of the built-in phrasebook stand between speech and writing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from corpusdb.jobs import Job
from corpusdb.phrasebook import register_file
from corpusdb.queries.homogeneity.profile_levels import Entry, ProfileReport, entries_of, profile_report
from corpusdb.queries.homogeneity.profile_references import ProfileRecipe
from corpusdb.queries.homogeneity.profiles import make_profile
from corpusdb.store import Store

__all__ = ["ProfileShown", "profile_phrasebook"]

_LANGUAGES: Final = ("eng", "jpn")


@dataclass(frozen=True, slots=True)
class ProfileShown:
    """The topics of the phrasebook in one language."""

    report: ProfileReport
    """With the references and where unseen text of theirs stands."""
    topics: tuple[Entry, ...]
    """The nearest to speech first."""


def profile_phrasebook(store: Store) -> Job[tuple[ProfileShown, ...]]:
    """The profiles of its English and its Japanese, by references that come with the program."""
    shown: list[ProfileShown] = []
    for language in _LANGUAGES:
        spoken, written = (str(register_file(register, language)) for register in ("spoken", "written"))
        made = yield from make_profile(store, language, ProfileRecipe(spoken=(spoken,), written=(written,)))
        report = profile_report(store, made, ("document",))
        shown.append(ProfileShown(report, tuple(entries_of(store, made, "document"))))
    return tuple(shown)

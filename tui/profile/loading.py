"""What the place reads of the database: its profiles, the lines of one, then its documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from corpusdb.queries.corpus.files import collection_names
from corpusdb.queries.homogeneity.among import Among, among
from corpusdb.queries.homogeneity.seen.profile_view import (
    ProfileView,
    all_profiles,
    profile_state,
    read_lines,
)
from corpusdb.queries.homogeneity.selections.stored_selections import stored_selections
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile
from corpusdb.queries.search.saved_queries import saved_queries
from corpusdb.store import Store
from tui.background.reader import DatabaseReader
from tui.shared.place_screen import PlaceScreen

__all__ = ["Known", "Loading"]


@dataclass(frozen=True)
class Known:
    """What there is to choose from."""

    profiles: list[StoredProfile] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    collections: list[str] = field(default_factory=list)
    selections: list[str] = field(default_factory=list)
    searches: list[str] = field(default_factory=list)
    state: int = 0
    """Another number where sentences or profiles may have come or gone."""


def _known(reader: DatabaseReader) -> Known:
    store = reader.store
    profiles, languages = all_profiles(store)
    searches = [each.name for each in saved_queries(store) if each.command == "search"]
    selections = [each.name for each in stored_selections(store)]
    return Known(profiles, languages, collection_names(store), selections, searches, profile_state(store))


class Loading:
    """Reads again only what may have changed."""

    def __init__(self, screen: PlaceScreen, show: Callable[[ProfileView | None], None]) -> None:
        """``show`` is given the view: with its lines, and once more with its documents; None where there is none."""
        self._screen = screen
        self._show = show
        self.known = Known()
        self.limits: Mapping[str, str | None] = {}
        """Which sentences are measured: collection, document and query; empty for all."""
        self._chosen: int | None = None
        self._read: tuple[object, ...] = ()

    def load(self) -> None:
        """Look what there is, and read the chosen profile, else the last one, if it is not as it was."""
        self._screen.ask(_known, self._look, kind="profiles")

    def choose(self, profile: StoredProfile) -> None:
        """Go to another profile; what is measured are all of its sentences."""
        self._chosen, self.limits = profile.id, {}
        self.load()

    def limit(self, limits: Mapping[str, str | None]) -> None:
        """Measure some sentences only; what is not there is said, and changes nothing."""
        language = next((each.language for each in self.known.profiles if each.id == self._chosen), "")

        def found(_: Among | None) -> None:
            self.limits = limits
            self.load()

        self._screen.ask(lambda reader: among(reader.store, language, **limits), found)

    def choose_latest(self) -> None:
        """Go to the profile that was made last, as soon as it is seen."""
        self._chosen = None
        self.load()

    def _look(self, known: Known) -> None:
        self.known = known
        profile = next((each for each in known.profiles if each.id == self._chosen), None)
        if profile is None:
            profile = max(known.profiles, key=lambda each: each.id, default=None)
        self._chosen = None if profile is None else profile.id
        wanted = (self._chosen, tuple(self.limits.items()), known.state)
        if wanted == self._read:
            return
        if profile is None:
            self._show(None)
            return
        self._screen.say("reading the profile ...")
        self._read_profile(profile, wanted)

    def _read_profile(self, profile: StoredProfile, wanted: tuple[object, ...]) -> None:
        limits, beside = dict(self.limits), self._screen.shell.runner.ask_beside

        def lines(store: Store) -> ProfileView:
            chosen = among(store, profile.language, **limits)
            return ProfileView(profile, read_lines(store, profile, chosen), None, chosen)

        def lines_read(view: ProfileView) -> None:
            self._read = wanted
            self._show(view)
            self._screen.wait_for(lambda: beside(view.summed), self._show)

        self._screen.wait_for(lambda: beside(lines), lines_read)

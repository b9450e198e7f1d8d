"""What the place asks in dialogs: which profile, how one is made, which sentences, under what name lines are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from corpusdb.display import cell_safe
from corpusdb.errors import DatabaseReadOnly, UsageError
from corpusdb.queries.homogeneity.seen.keeping import keep_lines, line_places
from corpusdb.store import Store
from tui.profile.described import between, between_name, between_seen, profile_told
from tui.profile.forms import OTHERS, keep_fields, kept_name, limit_fields, profile_fields, profile_request
from tui.profile.loading import Loading
from tui.profile.sight import Sight
from tui.shared.dialogs import ChoiceDialog
from tui.shared.form import FormDialog
from tui.shared.place_screen import PlaceScreen

__all__ = ["ask_keep", "ask_limits", "ask_make", "ask_profile", "with_language"]


def ask_keep(screen: PlaceScreen, sight: Sight) -> None:
    """Keep the lines between the thresholds, or all others, as a selection."""
    view, level, order, stretch = sight.view, sight.level, sight.order, sight.between
    seen = between_seen(sight)

    def answered(values: dict[str, str] | None) -> None:
        if values is None:
            return
        name, others = values["name"], values["lines"] == OTHERS

        def keep(store: Store) -> int:
            places = line_places(store, view, level, order.places(stretch, others=others))
            return keep_lines(store, name, view, places, seen | {"others": others})

        screen.write(
            keep, lambda count: screen.say(f"{count:,} lines are saved; `corpusdb select --show {name}` lists them")
        )

    title = f"Save as a selection: {level}s with {between_name(sight)}"
    fields = keep_fields(between(sight).partition(": ")[2])
    screen.app.push_screen(FormDialog(title, fields, kept_name), answered)


def ask_profile(screen: PlaceScreen, loading: Loading) -> None:
    """Go to another profile."""
    profiles = loading.known.profiles

    def answered(place: int | None) -> None:
        if place is not None:
            loading.choose(profiles[place])

    if not profiles:
        raise UsageError("there is no profile yet: m makes one")
    screen.app.push_screen(ChoiceDialog("Which?", [cell_safe(profile_told(each)) for each in profiles]), answered)


def ask_make(screen: PlaceScreen, loading: Loading, sight: Sight | None) -> None:
    """Make a profile in the background."""
    known, shown = loading.known, None if sight is None else sight.view.profile
    if not known.languages:
        raise UsageError("the corpus is empty; `corpusdb import` fills it")

    def answered(values: dict[str, str] | None) -> None:
        if values is None:
            return
        with screen.errors_told():
            if screen.shell.read_only:
                raise DatabaseReadOnly(f"{screen.shell.path}: the database may only be read")
            request = profile_request(values, known.collections)
            loading.choose_latest()
            screen.shell.jobs.start(request.title, request.job)
            screen.say("the profile is being made; it is shown when that is done, and 6 shows how it goes")

    check = lambda values: profile_request(values, known.collections)  # noqa: E731
    fields = profile_fields(known.languages, known.collections, shown, stale=bool(sight and sight.view.lines.changed))
    screen.app.push_screen(FormDialog("A profile between two references", fields, check), answered)


def ask_limits(screen: PlaceScreen, loading: Loading, sight: Sight) -> None:
    """Measure some sentences only."""
    known = loading.known

    def answered(values: Mapping[str, str] | None) -> None:
        if values is not None:
            loading.limit({what: given for what, given in values.items() if given})

    fields = limit_fields([*known.collections, *known.selections], known.searches, loading.limits)
    title = f"Only sentences that fulfil all of this ({sight.view.profile.language}); nothing is all"
    screen.app.push_screen(FormDialog(title, fields, lambda values: values), answered)


def with_language(screen: PlaceScreen, loading: Loading, shown: str | None, then: Callable[[str], None]) -> None:
    """Go on with the language that is shown, else with the only one, or the one that somebody chooses."""
    languages = loading.known.languages
    if shown is not None or len(languages) == 1:
        then(shown or languages[0])
        return
    if not languages:
        raise UsageError("the corpus is empty; `corpusdb import` fills it")
    dialog = ChoiceDialog("Which language?", languages, screen.shell.language)
    screen.app.push_screen(dialog, lambda place: None if place is None else then(languages[place]))

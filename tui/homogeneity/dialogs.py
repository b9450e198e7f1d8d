"""What the place asks before a profile is made or lines are kept, and what it makes of the answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpusdb.base.display import cell_safe, check_name
from corpusdb.base.errors import DatabaseReadOnly, UsageError
from corpusdb.base.jobs import Job
from corpusdb.base.options import number_of
from corpusdb.base.text import language_code
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.profile_view import keep_lines, line_places
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, StoredProfile, make_profile
from tui.homogeneity.profile_view import Loading, ProfileState, between, between_name, between_seen, format_profile
from tui.kit.dialogs import ChoiceDialog, Field, FormDialog
from tui.kit.place_screen import PlaceScreen

# What the place asks before a profile is made or lines are kept, and what it makes of the answers.


_SMOOTHINGS: Final = ("wb", "mkn")
_NORMALISATIONS: Final = ("none", "nfkc", "case", "letters")
OTHERS: Final = "all others"
_THESE: Final = "these"
_MOST_ORDER: Final = 20


@dataclass(frozen=True, slots=True)
class ProfileRequest:
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
    return [
        Field("collection", "Collection", now.get("collection") or "", "or a selection", ("", *collections)),
        Field("document", "Document or file", now.get("document") or "", "any"),
        Field("query", "Saved search", now.get("query") or "", "what it finds", ("", *queries)),
    ]


# What the place asks in dialogs: which profile, how one is made, which sentences, under what name lines are kept.


def ask_keep(screen: PlaceScreen, sight: ProfileState) -> None:
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
    profiles = loading.known.profiles

    def answered(place: int | None) -> None:
        if place is not None:
            loading.choose(profiles[place])

    if not profiles:
        raise UsageError("there is no profile yet: m makes one")
    screen.app.push_screen(ChoiceDialog("Which?", [cell_safe(format_profile(each)) for each in profiles]), answered)


def ask_make(screen: PlaceScreen, loading: Loading, sight: ProfileState | None) -> None:
    known, shown = loading.known, None if sight is None else sight.view.profile
    if not known.languages:
        raise UsageError("the corpus is empty; `corpusdb import` fills it")

    def answered(values: dict[str, str] | None) -> None:
        if values is None:
            return
        with screen.errors_shown():
            if screen.shell.read_only:
                raise DatabaseReadOnly(f"{screen.shell.path}: the database may only be read")
            request = profile_request(values, known.collections)
            loading.choose_latest()
            screen.shell.jobs.start(request.title, request.job)
            screen.say("the profile is being made; it is shown when that is done, and 6 shows how it goes")

    check = lambda values: profile_request(values, known.collections)  # noqa: E731
    fields = profile_fields(known.languages, known.collections, shown, stale=bool(sight and sight.view.lines.changed))
    screen.app.push_screen(FormDialog("A profile between two references", fields, check), answered)


def ask_limits(screen: PlaceScreen, loading: Loading, sight: ProfileState) -> None:
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

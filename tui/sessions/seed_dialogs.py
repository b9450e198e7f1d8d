"""The dialogs of an open session: another seed, a seed of one's own, all translations."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from corpusdb.display import cell_safe, check_name
from corpusdb.errors import InputError
from corpusdb.queries.sessions.names import rename_session
from corpusdb.queries.sessions.sessions import SessionSeed, Standing, session_name
from corpusdb.queries.sessions.views import SeedView
from corpusdb.text import normalise
from tui.sessions.open_seed import OpenSeed
from tui.sessions.seed_lines import translation_lines
from tui.shared.dialogs import ChoiceDialog, DetailsDialog
from tui.shared.form import Field, FormDialog
from tui.shared.place_screen import PlaceScreen

__all__ = ["ask_name", "ask_position", "ask_seed", "ask_wording", "show_translations"]


def ask_name(screen: PlaceScreen, session: Standing, then: Callable[[str], None]) -> None:
    """Give a session another name; ``then`` gets it when the file has it."""
    name = session.name

    async def rename(values: Mapping[str, str]) -> None:
        await screen.shell.runner.change(
            lambda store: rename_session(store, session_name(store, session.id), values["name"])
        )

    def answered(values: dict[str, str] | None) -> None:
        if values is not None and values["name"] != name:
            then(values["name"])

    check = lambda values: check_name(values["name"], "a session")  # noqa: E731
    screen.app.push_screen(FormDialog("Rename this session", [Field("name", "Name", name)], check, rename), answered)


def ask_position(screen: PlaceScreen, seed: OpenSeed, then: Callable[[int], None]) -> None:
    """Choose a seed of a session, beginning at the open one; ``then`` gets the position of the one chosen, from 1."""
    position = seed.view.standing.position if seed.view else 1

    def choose(seeds: list[SessionSeed]) -> None:
        lines = [
            f"{each.position:>5}  {each.state:<7}  +{each.accepted} -{each.rejected}  {each.text}" for each in seeds
        ]
        choices = [cell_safe(line) for line in lines]
        dialog = ChoiceDialog("Which seed?", choices, choices[position - 1] if position <= len(choices) else None)
        screen.app.push_screen(dialog, lambda place: None if place is None else then(place + 1))

    screen.ask(lambda reader: seed.seeds(reader.store), choose, kind="session.seeds")


def ask_seed(screen: PlaceScreen, language: str, then: Callable[[str], None]) -> None:
    """Type a seed; ``then`` gets it."""

    def typed(values: Mapping[str, str]) -> None:
        if not values["text"]:
            raise InputError("an empty sentence is no seed")

    def answered(values: dict[str, str] | None) -> None:
        if values is not None:
            then(values["text"])

    # What it takes to generate from a sentence that the corpus does not have is read while one types.
    screen.ask(lambda reader: reader.seed_reader.prepare(language), lambda nothing: None)
    screen.app.push_screen(FormDialog("A seed of your own", [Field("text", "Sentence")], typed), answered)


def ask_wording(screen: PlaceScreen, seed: str, text: str, then: Callable[[str], None]) -> None:
    """Edit a paraphrase; ``then`` gets it, normalised as it is kept."""

    def typed(values: Mapping[str, str]) -> None:
        if not normalise(values["text"]):
            raise InputError("an empty sentence is no paraphrase")
        if normalise(values["text"]) == seed:
            raise InputError("that is the seed itself, which is a reference in any case")

    def answered(values: dict[str, str] | None) -> None:
        if values is not None:
            then(normalise(values["text"]))

    title = "Accept a wording of your own"
    screen.app.push_screen(FormDialog(title, [Field("text", "Paraphrase", text)], typed), answered)


def show_translations(screen: PlaceScreen, view: SeedView) -> None:
    """Show all translations of a seed."""
    screen.app.push_screen(DetailsDialog("Translations of the seed", translation_lines(view) or ["none"]))

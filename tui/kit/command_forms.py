"""Commands of the program, which are begun on every place: one is chosen, its form filled in, and its job started."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from corpusdb.base.options import CommandForm, FormField
from corpusdb.corpus.store import Store
from tui.kit.background import Offered
from tui.kit.command_dialog import WRITTEN, CommandDialog
from tui.kit.help_screens import FoundChoiceDialog, GuideScreen, guide_lines
from tui.kit.place_screen import PlaceScreen
from tui.kit.programs import Program, short_title
from tui.kit.shown import said_here

if TYPE_CHECKING:
    from corpusdb.scoring.queries.stored_scores import TestSet

_AROUND = 3
"""Cells beside a line of an answer."""
_GUIDE = "guide "


def choose_command(screen: PlaceScreen, first: Sequence[str] = (), group: str = "") -> None:
    """Choose one of the commands, those that belong to a place first, and fill in its form."""
    offered = screen.shell.commands
    if offered is None:
        screen.say("this browser begins no commands", is_error=True)
        return
    listed = dict(offered.listed(group))
    groups = dict.fromkeys(name.partition(" ")[0] for name in first if " " in name)
    within = {name: summary for each in groups for name, summary in offered.listed(each) if name in first}
    listed |= {} if group else within
    names = [*(name for name in first if name in listed), *(name for name in listed if name not in first)]
    width = max(map(len, names), default=0)
    choices = [f"{name:<{width}}  {listed[name]}" for name in names]
    chosen = [(name, "") for name in names]

    def members(word: str) -> list[str]:
        known = {name for name, option in chosen if not option}
        found = offered.listed(word) if word in listed else ()
        new = [(name, summary) for name, summary in found if name not in known]
        chosen.extend((name, "") for name, _ in new)
        return [f"{name:<{width}}  {summary}" for name, summary in new]

    async def longer() -> list[str]:
        """The commands in groups, the options of all, what else their help says, and what the guides do."""
        forms = await asyncio.to_thread(lambda: [*_forms_of(offered, names)])
        known = {name for name, option in chosen if not option}
        helps = [(form.name, *said_here(form.help).partition("\n")[::2]) for form in forms]
        options = [(form.name, option) for form in forms for option in form.fields]
        told = await asyncio.to_thread(guide_lines)
        found = [
            *((name, "", summary) for name, summary, _ in helps if name not in known),
            *((name, option.name, f"{option.label}: {_told_of(option)}") for name, option in options),
            *((name, "", " ".join(more.split())) for name, _, more in helps),
            *((f"{_GUIDE}{topic}", line, line.strip()) for topic, line in told),
        ]
        chosen.extend((name, at) for name, at, _ in found)
        return [f"{name:<{width}}  {text}" for name, _, text in found]

    def begin(place: int) -> None:
        name, at = chosen[place]
        if name.startswith(_GUIDE):
            screen.app.push_screen(GuideScreen(name.removeprefix(_GUIDE), at))
        else:
            begin_command(screen, name, option=at)

    FoundChoiceDialog("Begin which job?" if not group else f"corpusdb {group}", choices, members, longer).ask(
        screen, begin
    )


def _forms_of(offered: Offered, names: Sequence[str]) -> Iterator[CommandForm]:
    """The forms of some commands, and of those in groups of this name."""
    for name in names:
        if (form := offered.form(name)) is not None:
            yield form
        else:
            yield from _forms_of(offered, [each for each, _ in offered.listed(name) if each not in names])


def _told_of(field: FormField) -> str:
    choices = () if field.is_flag else field.choices
    return f"{said_here(field.help)} {' '.join(each for each in choices if each not in field.help)}".rstrip()


def begin_command(screen: PlaceScreen, name: str, said: Mapping[str, str] | None = None, option: str = "") -> None:
    """Fill in the form of a command, and start it as a job; of a group, choose one of its commands first.

    ``said`` is in the form instead of what else would be; the cursor begins on the line of an ``option``.
    """
    offered = screen.shell.commands
    form = None if offered is None else offered.form(name)
    if form is None:
        choose_command(screen, group=name)
        return

    def begin(words: list[str], typed: Mapping[str, str]) -> None:
        program = Program(tuple(words), max(screen.size.width, 80) - _AROUND, name, typed)
        screen.shell.jobs.left.pop(name, None)
        screen.shell.jobs.start(short_title(words), program)
        is_next = len(screen.shell.jobs.active) > 1
        screen.say(f"{'waits for the job before it' if is_next else 'started'}; 6, then Enter, shows its answer")

    known = {each.name: screen.shell.language for each in form.fields if each.is_required and each.metavar == "LANG"}
    place = screen.app.screen_stack[0]
    of_place = place.CHOSEN_FOR(name) if isinstance(place, PlaceScreen) and place is not screen else {}
    chosen = {**of_place, **screen.CHOSEN_FOR(name)}
    before = {**known, **_USUAL_HERE.get(name, {}), **chosen, **_in_vain(screen, name), **(said or {})}

    def ask(stored: Mapping[str, Sequence[str]]) -> None:
        first = {name: choices[0] for name, choices in stored.items() if choices}
        others = {each: said for each, said in before.items() if not (first and each in _NOT_STORED.get(name, ()))}
        dialog = CommandDialog(form, begin, {**first, **others}, stored, option)
        typed, _ = screen.shell.jobs.typed_before(name)
        begun = {field: said for field, said in typed.items() if field not in WRITTEN}
        dialog.last_time = screen.shell.jobs.left.get(name, begun)
        dialog.keep = lambda said: screen.shell.jobs.left.update({name: said})
        dialog.commands = offered
        dialog.said_before = [*screen.shell.jobs.typed_texts()]
        screen.app.push_screen(dialog)

    if (look := _STORED.get(name)) is None:
        ask({})
    else:
        about = {**before, "language": screen.shell.language}
        screen.ask(lambda reader: look(reader.store, about), ask, kind="form", opens=True)


def _pairs_to_align(store: Store, about: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    from corpusdb.alignment.queries.phrases import languages_to_align

    language = about["language"]
    return {"lang": [f"{language},{other}" for other in languages_to_align(store, language)]}


def _test_set(store: Store, about: Mapping[str, str]) -> TestSet | None:
    """That which the form is about, else the one that was scored last; None without any."""
    from corpusdb.scoring.queries.score_table import chosen_test_set
    from corpusdb.scoring.queries.stored_scores import all_test_sets

    found = all_test_sets(store)
    number, digest = about.get("test_set", ""), about.get("set", "")
    own = [each for each in found if number == str(each.number) or (digest and each.set_called(digest))]
    return chosen_test_set(own or found) if found else None


def _people(store: Store, about: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    from corpusdb.scoring.queries.stored_people import names_of_people

    return {"human": names_of_people(store, _test_set(store, about) if "test_set" in about else None)}


def _stored_systems(store: Store, about: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    """Pairs of systems of a test set, and all metrics that they were scored with."""
    from corpusdb.scoring.queries.score_table import score_table

    if (chosen := _test_set(store, about)) is None:
        return {}
    table = score_table(store, chosen)
    names = [shlex.quote(row.name) for row in table.rows][:_MOST_PAIRED]
    settings = [column.settings for column in table.columns if column.settings is not None]
    metrics = ",".join(dict.fromkeys(each.metric for each in settings))
    pairs = [" ".join(each) for each in combinations(names, 2)]
    return {"systems": pairs, "metric": [metrics], "unit": [settings[0].unit]} if pairs and metrics else {}


def _collections(store: Store, about: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    from corpusdb.corpus.queries.sentences import collection_names

    return dict.fromkeys(("spoken", "written", "collection", "task", "pool"), ("", *collection_names(store)))


_MOST_PAIRED = 4
_STORED: Mapping[str, Callable[[Store, Mapping[str, str]], Mapping[str, Sequence[str]]]] = {
    "align": _pairs_to_align,
    "agreement": _people,
    "compare": _stored_systems,
    **dict.fromkeys(("profile", "select"), _collections),
}
"""What the database has for the lines of a form, by the names of their fields; the first is what they begin with."""
_NOT_STORED: Mapping[str, Sequence[str]] = {
    "agreement": ("hypotheses", "ref", "source"),
    "compare": ("ref", "source"),
}
"""Files that need not be said where the database has what they hold."""


def _in_vain(screen: PlaceScreen, name: str) -> Mapping[str, str]:
    """What the form of a command said the last time, by the names of its fields, where nothing came of it."""
    typed, is_in_vain = screen.shell.jobs.typed_before(name)
    return typed if is_in_vain else {}


_AS_WORDS: Mapping[str, str] = {"ignore_case": "yes", "words_only": "yes"}
_USUAL_HERE: Mapping[str, Mapping[str, str]] = {
    "score": {"store": "yes"},
    "references": {"format": "jsonl"},
    "frequencies": _AS_WORDS,
    "collocates": {**_AS_WORDS, "least": "2"},
    "keywords": _AS_WORDS,
}
"""What is said instead of defaults, so that the browser shows what comes of it, and counts as its places do."""

"""Commands as forms: what a form says on the command line is what the command takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from corpusdb.base.cells import cell_width
from corpusdb.base.errors import UsageError
from corpusdb.base.options import CommandForm, FormField
from corpusdb.program.catalogue import COMMANDS, app
from corpusdb.program.commands import OfferedCommands

OFFERED = OfferedCommands()
LABEL_CELLS = 17
"""In the help of a form of the browser."""


def offered_names() -> Iterator[str]:
    for name, _ in OFFERED.listed():
        members = [each for each, _ in OFFERED.listed(name)]
        yield from members or [name]


def parsed(words: list[str]) -> dict[str, Any]:
    """What typer makes of the words of a command."""
    command: Any = get_command(app)
    context = command.make_context("corpusdb", [], resilient_parsing=True)
    while hasattr(command, "get_command"):
        command, words = command.get_command(context, words[0]), words[1:]
        context = command.context_class(command, parent=context)
    taken: dict[str, Any] = command.make_context(command.name, [*words]).params
    return taken


@pytest.mark.slow
@pytest.mark.parametrize("name", [*offered_names()])
def test_every_flag_and_choice_of_every_form_is_taken_as_it_was_said(name: str) -> None:
    form = OFFERED.form(name)
    assert form is not None and form.help.partition("\n")[0]
    assert len({field.name for field in form.fields}) == len({field.label for field in form.fields}) == len(form.fields)
    assert all(cell_width(field.label) <= LABEL_CELLS for field in form.fields)
    values = {field.name: "1" for field in form.fields if field.is_required}
    said: dict[str, object] = {}
    for field in form.fields:
        others = [each for each in field.choices if each not in ("", field.default)]
        if field.is_flag and (field.opposite or field.default != "yes"):
            values[field.name] = others[-1]
            said[field.name] = others[-1] == "yes"
        elif others and not field.is_flag and not field.is_many:
            values[field.name] = others[-1]
            said[field.name] = others[-1]
    taken = parsed(form.words(values))
    assert {name: str(taken[name]) for name in said} == {name: str(value) for name, value in said.items()}


@pytest.mark.parametrize("name", [*offered_names()])
def test_a_form_says_nothing_of_a_shell_that_it_has_not(name: str) -> None:
    form = OFFERED.form(name)
    assert form is not None
    for field in form.fields:
        assert not any(told in field.help for told in ("is stdin", "may be repeated", "repeatable")), field.help
        assert field.name != "as_text" or not all(each.typed for each in form.fields)


@pytest.mark.parametrize("name", ["score", "compare", "agreement", "references", "search", "trace"])
def test_options_of_long_forms_stand_under_headings(name: str) -> None:
    form = OFFERED.form(name)
    assert form is not None
    headings = Counter(each.heading for each in form.fields if each.typed)
    assert len(headings) > 3 and headings[""] <= 3 and headings.most_common(1)[0][1] < 24
    told = CliRunner().invoke(app, [name, "--help"]).stdout
    assert all(f"\n{heading or 'Options'}:\n" in told for heading in headings)


def test_every_command_is_offered_but_those_that_the_browser_is() -> None:
    every = {each.name for commands in COMMANDS.values() for each in commands}
    assert every - {name for name, _ in OFFERED.listed()} == {"browse", "guide", "man", "demo"}
    assert all(summary for name in every for _, summary in OFFERED.listed(name))
    assert OFFERED.form("rules") is None and OFFERED.form("rules nothing") is None


FORM = CommandForm(
    "do it",
    "Do it.",
    (
        FormField("text", "What.", metavar="TEXT", is_required=True, is_many=True),
        FormField("lang", "Where.", "--lang", metavar="LANG", is_required=True),
        FormField("least", "How often.", "--least", default="2"),
        FormField("kind", "Which.", "--kind", default="a", choices=("a", "b")),
        FormField("fast", "Fast.", "--fast", "--slow", default="no", choices=("no", "yes"), is_flag=True),
        FormField("mark", "Marks.", "--mark", "--no-mark", default="yes", choices=("no", "yes"), is_flag=True),
        FormField("ref", "Files.", "--ref", is_many=True, is_file=True),
    ),
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ["a", "--lang", "eng"]),
        ({"text": "'a b' c"}, ["a b", "c", "--lang", "eng"]),
        ({"text": "Don't go, please."}, ["Don't go, please.", "--lang", "eng"]),
        ({"text": f"{__file__} {__file__}"}, [__file__, __file__, "--lang", "eng"]),
        ({"text": "-x"}, ["--lang", "eng", "--", "-x"]),
        ({"text": "-"}, ["-", "--lang", "eng"]),
        ({"least": "2"}, ["a", "--lang", "eng"]),
        ({"least": "-3"}, ["a", "--lang", "eng", "--least=-3"]),
        ({"kind": "b", "fast": "yes", "mark": "no"}, ["a", "--lang", "eng", "--kind", "b", "--fast", "--no-mark"]),
        ({"ref": "'x y.txt' z"}, ["a", "--lang", "eng", "--ref", "x y.txt", "--ref", "z"]),
    ],
)
def test_what_the_fields_say_becomes_words(changes: dict[str, str], words: list[str]) -> None:
    assert FORM.words({"text": "a", "lang": "eng"} | changes) == ["do", "it", *words]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"text": ""}, "'Text' is needed"),
        ({"lang": ""}, "'Language' is needed"),
        ({"kind": "c"}, "'Kind': 'c' is not one of a, b"),
        ({"fast": "perhaps"}, "'Fast': 'perhaps' is not one of no, yes"),
        ({"text": "'a"}, "'Text': it cannot be split into words"),
    ],
)
def test_what_is_no_value_is_refused(changes: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        FORM.words({"text": "a", "lang": "eng"} | changes)


def test_marks_at_the_end_of_a_sentence_stand_for_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("them", "its", "one.en"):
        Path(name).touch()
    for text in ("Where is it?", "Who saw the*", "What? Now?"):
        assert FORM.words({"text": text, "lang": "eng"})[2] == text
    assert FORM.words({"text": "one.* 'Go on.'", "lang": "eng"})[2:4] == ["one.*", "Go on."]
    assert FORM.words({"text": "one.en it?", "lang": "eng"})[2:4] == ["one.en", "it?"]


def test_patterns_stand_for_the_files_that_there_are_where_files_are_asked_for(tmp_path: Path) -> None:
    for name in ("b.en", "a b.en", "c.de"):
        (tmp_path / name).touch()
    values = {"text": f"'{tmp_path}/*.en'", "lang": "eng", "ref": f"'{tmp_path}'/*.en {tmp_path}/*.fr"}
    files = [f"{tmp_path}/a b.en", f"{tmp_path}/b.en", f"{tmp_path}/*.fr"]
    words = [word for file in files for word in ("--ref", file)]
    assert FORM.words(values) == ["do", "it", f"{tmp_path}/*.en", "--lang", "eng", *words]

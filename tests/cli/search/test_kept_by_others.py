"""What other versions of the program kept: its JSON as version 72d0413 wrote it, with members missing and too many."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typer.testing import Result

from corpusdb.base.options import default_of, options_from_json, options_to_json
from corpusdb.program.catalogue import kept_command, replayed_command

Run: TypeAlias = Callable[..., Result]

KEPT: Mapping[str, Any] = json.loads(Path(__file__).with_name("kept_at_72d0413.json").read_text(encoding="utf-8"))
SAVED: Mapping[str, Any] = KEPT["saved"]
DOCUMENTS: Mapping[str, Any] = KEPT["documents"]
ASKED = [
    *((kept_command(each["command"]).options, each["options"]) for each in SAVED.values()),
    *((found.options, each["options"]) for name, each in DOCUMENTS.items() if (found := replayed_command(name))),
]
GONE = "was kept by another version of corpusdb, with an option of no effect now: 'colour'"


@pytest.mark.parametrize(("kind", "document"), ASKED, ids=[*SAVED, *(f"replay {name}" for name in DOCUMENTS)])
def test_every_option_is_what_was_kept_or_its_default(kind: type[Any], document: Mapping[str, object]) -> None:
    whole = options_to_json(options_from_json(kind, document))
    assert {name: value for name, value in document.items() if name in whole and whole[name] != value} == {}
    for option in fields(kind):
        if default_of(option) is not MISSING:
            rest = {name: value for name, value in document.items() if name != option.name}
            assert getattr(options_from_json(kind, rest), option.name) == default_of(option)


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement, values).rowcount == 1


def keep(path: Path, document: object) -> None:
    change(path, "update saved_query set options = ? where name = 'k'", json.dumps(document))


def last(result: Result) -> str:
    return result.stderr.splitlines()[-1]


OPTIONS: Mapping[str, Any] = SAVED["paraphrases"]["options"] | {"text": "A twin, please.", "fluency": 0, "order": 0}


@pytest.mark.parametrize("missing", [(), ("min_shared",), ("min_shared", "min_pivots", "as_text", "limit")])
@pytest.mark.parametrize("more", [{}, {"colour": "red"}])
def test_a_saved_query_is_run(missing: tuple[str, ...], more: dict[str, object], run: Run, generated: Path) -> None:
    first = run("paraphrases", "A twin, please.", "-n", "3", "--save", "k")
    with closing(sqlite3.connect(generated)) as connection:
        written = json.loads(connection.execute("select options from saved_query").fetchone()[0])
    keep(generated, {name: value for name, value in written.items() if name not in missing} | more)
    again = run("run", "k")
    assert (again.exit_code, again.stdout) == (0, first.stdout)
    assert again.stderr.count(f"the query 'k' {GONE}") == len(more)
    assert "corpusdb paraphrases" in run("queries").stdout


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"text": "a", "limit": "many"}, "'limit' cannot be 'many'"),
        ({"text": ["a"]}, "'text' cannot be ['a']"),
        ({"text": None}, "'text' cannot be None"),
        ({"limit": 3}, "it does not say what 'text' is to be"),
        (["text", "a"], "its options are no JSON object"),
        (None, "its options are no JSON object"),
    ],
)
def test_what_cannot_be_restored_is_told_in_one_line(document: object, told: str, run: Run, generated: Path) -> None:
    run("paraphrases", "A twin, please.", "--save", "k")
    keep(generated, document)
    result = run("run", "k")
    assert (result.exit_code, result.stdout) == (2, "")
    assert last(result) == f"corpusdb: error: the query 'k' was kept by another version of corpusdb: {told}"
    assert run("queries").exit_code == 0


@pytest.mark.parametrize("asked", ["-", "1"])
@pytest.mark.parametrize("more", [{}, {"colour": "red"}])
def test_a_query_of_the_history_is_run(
    asked: str, more: dict[str, object], run: Run, generated: Path, state: Path
) -> None:
    (entry,) = [each for each in KEPT["history"] if each["command"] == "search"][:1]
    options = {name: value for name, value in entry["options"].items() if name not in ("kwic", "limit")}
    line = entry | {"database": str(generated.resolve()), "options": options | more | {"pattern": "twin", "shown": ""}}
    folder = state / "corpusdb"
    folder.mkdir(exist_ok=True)
    # A member of the line itself that only another version knows is no reason to forget the query.
    (folder / "history.jsonl").write_text(json.dumps(line | {"mood": "glad"}) + "\n", encoding="utf-8")
    result = run("run", asked, "--format", "tsv")
    assert result.exit_code == 0
    assert "I'd like a twin, please." in result.stdout
    assert result.stderr.count(GONE) == len(more)
    kept = run("results", "keep", "twins", asked if asked == "-" else "1")
    assert kept.exit_code == 0
    # The query that was run is the last one now, without what there is no more.
    assert kept.stderr.count(GONE) == (len(more) if asked == "1" else 0)


@pytest.mark.parametrize("more", [{}, {"colour": "red"}])
def test_what_uses_a_saved_search_says_it_too(more: dict[str, object], run: Run, generated: Path) -> None:
    for name in ("k", "l"):
        assert run("search", "twin" if name == "k" else "pizza", "--lang", "eng", "--save", name).exit_code == 0
    keep(generated, SAVED["search"]["options"] | {"pattern": "twin", "shown": ""} | more)
    result = run("results", "union", "both", "k", "l")
    assert (result.exit_code, result.stderr.count(GONE)) == (0, len(more))


@pytest.mark.parametrize(
    ("dropped", "more", "code", "told"),
    [
        ((), {}, 0, ""),
        (("lowercase", "smoothing"), {}, 0, ""),
        ((), {"colour": 1}, 0, f"a stored score {GONE}"),
        ((), {"lowercase": "no"}, 3, "a stored score was kept by another version of corpusdb: 'lowercase' cannot be"),
        (("metric",), {}, 3, "a stored score was kept by another version of corpusdb: it does not say what 'metric'"),
    ],
)
def test_a_stored_score_is_computed_again(
    dropped: tuple[str, ...], more: dict[str, object], code: int, told: str, run: Run, generated: Path
) -> None:
    for name, text in (("hyp.txt", "A twin , please .\n"), ("ref.txt", "A twin , thanks .\n")):
        generated.with_name(name).write_text(text, encoding="utf-8")
    assert run("score", "hyp.txt", "--ref", "ref.txt", "--store").exit_code == 0
    document = {name: value for name, value in KEPT["records"]["score"].items() if name not in dropped} | more
    change(generated, "update score set parameters = ?", json.dumps(document))
    result = run("verify", "1")
    assert result.exit_code == code, result.stderr
    assert result.stderr.count("another version") == bool(told)
    assert told in result.stderr


@pytest.mark.parametrize(
    ("dropped", "more", "code", "told"),
    [
        ((), {}, 0, ""),
        (("order", "smoothing", "normalisation"), {}, 0, ""),
        ((), {"colour": 1}, 0, f"the model 'm' {GONE}"),
        ((), {"order": None}, 3, "the model 'm' was kept by another version of corpusdb: 'order' cannot be None"),
    ],
)
def test_a_stored_model_is_read(
    dropped: tuple[str, ...], more: dict[str, object], code: int, told: str, run: Run, generated: Path
) -> None:
    generated.with_name("words").write_text("one two\nthree\n", encoding="utf-8")
    assert run("model", "train", "m", "words", "--lang", "eng").exit_code == 0
    recipe = {name: value for name, value in KEPT["records"]["model"]["recipe"].items() if name not in dropped} | more
    change(generated, "update char_model set parameters = ?", json.dumps(recipe))
    for call in (("model", "list"), ("perplexity", "one", "--model", "m")):
        result = run(*call)
        assert result.exit_code == code, result.stderr
        assert told in result.stderr


@pytest.mark.parametrize(
    ("dropped", "more", "code", "told"),
    [
        ((), {}, 0, ""),
        (("lowercase", "segments", "samples"), {}, 0, ""),
        ((), {"colour": 1}, 0, GONE),
        ((), {"lowercase": "no"}, 3, "'lowercase' cannot be 'no'"),
    ],
)
def test_a_document_is_replayed(
    dropped: tuple[str, ...], more: dict[str, object], code: int, told: str, run: Run, tmp_path: Path
) -> None:
    for name in ("hyp.txt", "ref.txt"):
        (tmp_path / name).write_text("A twin , please .\n", encoding="utf-8")
    (row,) = json.loads(run("score", "hyp.txt", "--ref", "ref.txt", "--json").stdout)
    options = {name: value for name, value in DOCUMENTS["score"]["options"].items() if name not in dropped} | more
    row["made_from"] |= {"options": options}
    (tmp_path / "score.json").write_text(json.dumps([row]), encoding="utf-8")
    result = run("replay", "score.json")
    assert result.exit_code == code, result.stderr
    assert told in result.stderr

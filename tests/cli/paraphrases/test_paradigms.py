from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]


def test_what_stands_for_a_phrase(run: Run, generated: Path) -> None:
    result = run("paradigm", "beer", "-n", "1")
    assert result.stdout == "text\tcontexts\texample\nslice of pizza\t2\tI'd like a␣, please.\n"
    document = json.loads(run("paradigm", "beer", "--json").stdout)
    assert (document["phrase"], document["total"]) == ("beer", len(document["fillers"]))
    assert {(one["text"], one["contexts"]) for one in document["fillers"]} == {("twin", 2), ("slice of pizza", 2)}


def test_what_fills_a_gap(run: Run, generated: Path) -> None:
    result = run("paradigm", "I'd like _, please.", "-n", "2")
    assert len(result.stdout.splitlines()) == 3
    assert "1 more filler; `-n 0` shows all 3" in result.stderr
    whole = json.loads(run("paradigm", "I'd like _, please.", "--json", "-n", "0").stdout)
    assert {one["text"] for one in whole["fillers"]} == {"a beer", "a slice of pizza", "a twin"}


def test_marks_may_stand_apart_as_among_tokens(run: Run, generated: Path) -> None:
    found, apart = run("paradigm", "I'd like _, please."), run("paradigm", "I'd like _ , please .")
    assert (apart.exit_code, apart.stdout) == (found.exit_code, found.stdout)
    assert 'of "I\'d like _, please.": "I\'d like _ , please .", with a space before the mark, has none' in apart.stderr


def test_where_a_phrase_stands(run: Run, generated: Path) -> None:
    document = json.loads(run("paradigm", "twin", "--contexts", "--json").stdout)
    assert {(one["text"], one["fillers"]) for one in document["contexts"]} == {
        ("I'd like a␣, please.", 3),
        ("A␣, please.", 3),
    }
    result = run("paradigm", "I'd like _, please.", "--contexts")
    assert (result.exit_code, "is a context itself" in result.stderr) == (2, True)


def test_where_two_phrases_stand(run: Run, generated: Path) -> None:
    document = json.loads(run("paradigm", "beer", "--with", "twin", "--json").stdout)
    assert (document["total"], len(document["contexts"])) == (2, 2)
    assert {(one["sentence"], one["other_sentence"]) for one in document["contexts"]} == {
        ("I'd like a beer, please.", "I'd like a twin, please."),
        ("A beer, please.", "A twin, please."),
    }
    assert run("paradigm", "I'd like _, please.", "--with", "twin").exit_code == 2


def test_nothing_found_is_said(run: Run, generated: Path) -> None:
    result = run("paradigm", "bicycle")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no phrase stands in two or more of the contexts of 'bicycle'; --contexts shows these" in result.stderr
    assert "no context has both 'beer' and 'bicycle'" in run("paradigm", "beer", "--with", "bicycle").stderr
    assert "no contexts of 'bicycle'" in run("paradigm", "bicycle", "--contexts").stderr
    assert "no fillers of 'Ride _.'" in run("paradigm", "Ride _.").stderr
    assert json.loads(run("paradigm", "bicycle", "--json").stdout) == {"phrase": "bicycle", "total": 0, "fillers": []}


@pytest.mark.parametrize("options", [(), ("--lang", "eng")])
def test_a_corpus_that_was_never_prepared(options: tuple[str, ...], run: Run, corpus: Path) -> None:
    result = run("paradigm", "beer", *options)
    assert (result.exit_code, "corpusdb generate --lang" in result.stderr) == (3, True)


def test_two_languages_have_to_be_told_apart(run: Run, generated: Path) -> None:
    assert run("generate", "--lang", "fra").exit_code == 0
    result = run("paradigm", "beer")
    assert (result.exit_code, "eng, fra" in result.stderr) == (2, True)
    assert run("paradigm", "beer", "--lang", "en").exit_code == 0

"""What the program says where a pattern could be read otherwise, and where it finds nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import Result

Run: TypeAlias = Callable[..., Result]

ROWS = [
    ("I don't like movies.", "Je n’aime pas les films."),
    ("I don’t like coffee.", "Je n'aime pas le café."),
    ("He made it up.", "Il l'a inventé."),
    ("They made-up.", ""),
    ("You can\u00adnot see it.", "Tu ne peux pas le voir."),
    ("Don is here.", "Don est ici."),
    ("What is it?", "Qu'est-ce que c'est\u202f?"),
    ("Where is it?", "Où est-ce ?"),
]


@pytest.fixture
def corpus(run: Run, tmp_path: Path) -> Run:
    rows = "".join(f"{english}\t{french}\n" for english, french in ROWS if french)
    (tmp_path / "rows.tsv").write_text(rows, encoding="utf-8")
    (tmp_path / "more.tsv").write_text("They made-up.\tSie schminkten sich.\n", encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "eng,fra", "--header", "no").exit_code == 0
    assert run("import", "more.tsv", "--lang", "eng,deu", "--header", "no").exit_code == 0
    return run


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("search", "cannot", "--lang", "eng"), 0, "1 sentence with this string"),
        (("search", "cannot", "--lang", "eng"), 0, "of these only with other spaces, apostrophes or hyphens: 1; -s"),
        (("search", "cannot", "--lang", "eng", "-w"), 0, "1 sentence with this as whole words"),
        (("search", "cannot", "--lang", "eng", "-s"), 0, "0 sentences"),
        (("search", "don't", "--lang", "eng"), 0, "2 sentences with this string"),
        (("search", "don’t", "--lang", "eng"), 0, "of these only with other spaces, apostrophes or hyphens: 1; -s"),
        (("search", "est.* ?\\?", "-e", "--lang", "fra"), 0, "2 sentences with a match of this regular"),
        (("search", "ce \\?", "-e", "--lang", "fra"), 0, "1 sentence with a match of this regular"),
        (("search", "est \\?", "-e", "--lang", "fra"), 0, "only with other spaces, apostrophes or hyphens: 1; -s"),
        (("search", '"I" "do" "n\'t"', "--cqp", "--lang", "eng"), 0, "apostrophes or hyphens: 1; %l finds what is"),
        (("search", '"made" [] "up"', "--cqp", "--lang", "eng"), 0, "goes over a hyphen, which is a token; [word !="),
        (("search", '"made" [] "up"', "--cqp", "--lang", "eng"), 0, "instead of [] leaves them out: 1"),
        (("search", '"it|that" :fra ! "pas"', "--cqp", "--lang", "eng"), 0, "3 sentences with a match"),
        (("search", "made", "--not-aligned", "fra:pas", "--lang", "eng"), 0, "without any fra translation: 1; --tr"),
        (("search", '[lemma="go"]', "-e", "--lang", "eng"), 0, "this looks like a CQP query and was searched as a reg"),
        (("search", '"made" []{1,2} "up"', "-e", "--lang", "eng"), 2, "is a CQP query; --cqp takes it for one"),
        (("search", "it", "--group", "translation", "--with", "fra", "--lang", "eng"), 0, "per cent: of the transl"),
        (("search", "mvoies", "--lang", "eng"), 0, "eng has no 'mvoies'; it has movies"),
        (("search", '"mvoies"', "--cqp", "--lang", "eng"), 0, "eng has no 'mvoies'; it has movies"),
        (("search", "café", "--lang", "eng"), 0, "it stands in fra (1): --lang says where to look"),
        (("search", r"\p{Lu}", "-e", "--lang", "eng"), 2, r"there is no \p{...} in Python's re"),
        (("search", r'"\p{Lu}.*"', "--cqp", "--lang", "eng"), 2, r"there is no \p{...} in Python's re"),
        (("frequencies", "--pattern", r"\p{Lu}", "--lang", "eng"), 2, r"at character 1: there is no \p{...} in Python"),
        (("frequencies", "--pattern", "^don't$", "--lang", "eng"), 0, '"don\'t" is no token of eng: it is "do" "n\'t"'),
        (("frequencies", "--pattern", "^mvoies$", "--lang", "eng"), 0, "eng has movies"),
        (("frequencies", "--pattern", "n't", "--lang", "eng"), 0, "apostrophes or hyphens: 1, in rows of their own"),
        (("collocates", "mvoies", "--lang", "eng"), 1, "eng has movies"),
        (("collocates", "don", "--lang", "eng", "-i", "--least", "1"), 0, "eng has 1; by letters alone, as `search --"),
        (("collocates", "don", "--lang", "eng"), 1, "eng has 0; by letters alone, as `search --regex '\\bdon\\b'` c"),
        (("collocates", "n't", "--lang", "eng", "--least", "1"), 0, 'the token "n\'t" occurs 2 times'),
    ],
)
def test_what_is_told(corpus: Run, words: tuple[str, ...], code: int, told: str) -> None:
    result = corpus(*words)
    assert (result.exit_code, told in result.stderr) == (code, True), result.stderr


def test_a_reading_is_counted_among_the_sentences_that_are_left(corpus: Run) -> None:
    """What the conditions leave out is in none of the lines beside the count."""
    query = ("search", '"made" [] "up"', "--cqp", "--lang", "eng", "--translated")
    assert "hyphen" in corpus(*query, "deu").stderr
    assert "hyphen" not in corpus(*query, "fra").stderr
    typed = ("search", "don't", "--lang", "eng", "--aligned")
    assert "apostrophes" in corpus(*typed, "fra:café").stderr
    assert "apostrophes" not in corpus(*typed, "fra:films").stderr

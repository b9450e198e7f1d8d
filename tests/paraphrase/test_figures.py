"""The table of the figures of a paraphrase: what it shows, and that schema, values, JSON and the guide go by it."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from corpusdb.corpus.model import FIGURES, LISTED, SHOWN, Finding, Paraphrase, stored_in
from corpusdb.corpus.store import Store
from corpusdb.guides import guide_text
from corpusdb.paraphrase.queries.origins.origin import figures_of

BESIDE = {
    "candidate": {"id", "seed", "text", "unseen", "inner_unseen", "replacement", "run"},
    "rewording": {"sentence", "text", "replacement", "parts", "run"},
    "paraphrase": {"sentence", "paraphrase", "translations", "languages", "run"},
}
"""What these tables have beside figures; the languages of a detected paraphrase are a list of them."""


def test_the_columns_of_tables_and_of_lists() -> None:
    """Scripts read them by name."""
    shown = ["validity", "frequency", "order", "pivots", "langs", "p", "shared"]
    assert [each.heading for each in SHOWN] == shown
    assert [(each.heading, each.brief) for each in LISTED] == list(
        zip(shown[:5], ["valid", "freq", "order", "piv", "lg"], strict=True)
    )


def test_the_names_in_json() -> None:
    figures = ["frequency", "order", "inner_order", "pivots", "languages", "probability", "shared", "validity"]
    figures.append("word_gain")
    names = [each.name for each in fields(Paraphrase) if each.name != "findings"]
    assert [name for name in names if name in {each.name for each in FIGURES}] == figures
    assert set(names) == {*figures, "text", "in_corpus", "score"}


@pytest.mark.parametrize("table", BESIDE)
def test_a_table_has_the_columns_of_its_figures(empty: Store, table: str) -> None:
    """A column that is not in the table of figures would be neither read nor compared."""
    columns = {name for (name,) in empty.connection.execute("select name from pragma_table_info(?)", (table,))}
    assert columns == BESIDE[table] | set(stored_in(table))
    assert BESIDE[table].isdisjoint(stored_in(table))


def test_every_figure_is_a_field_of_what_travels() -> None:
    assert {each.column for each in FIGURES} <= set(Finding._fields[1:-3])
    assert {each.name for each in FIGURES} <= {each.name for each in fields(Paraphrase)}
    assert Finding._fields[-3:] == ("strength", "odds", "is_vouched")  # what `weighed` leaves out


def test_what_a_table_lacks_is_what_a_finding_has_that_lacks_it() -> None:
    said = [each.split(" as ") for each in figures_of("paraphrase", text="x", replacement="2").split(", ")]
    expressions = {name: expression for expression, name in said}
    assert expressions == {
        "text": "x",
        "replacement": "2",
        "validity": "paraphrase.validity",
        "probability": "paraphrase.probability",
        "word_gain": "null",
        **dict.fromkeys(["frequency", "pivots", "languages", "shared", "fluency", "inner_fluency", "only_marks"], "0"),
        "is_real": "1",
    }


def test_the_guide_tells_of_each_column_what_the_table_says() -> None:
    section = guide_text("columns").partition("\nParaphrases:")[2].partition("\nExchanges\n")[0]
    told = re.findall(r"(?m)^  (\w+) +(.*(?:\n {13}.*)*)", section.rpartition("shows all")[2])
    legend = {heading: " ".join(text.split()) for heading, text in told}
    for each in SHOWN:
        assert re.sub(rf"^{each.brief or '-'}( in the browser)?: ", "", legend[each.heading]) == each.help

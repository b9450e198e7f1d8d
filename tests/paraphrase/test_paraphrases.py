"""The paraphrases of a seed: which there are, with what figures, and in what order."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import fields
from math import inf, log2
from pathlib import Path

import pytest
from corpora import Row, all_rows, generated_store, import_rows, near, random_rows

from corpusdb.alignment.queries.phrases import set_rejected
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.model import FIGURES, LISTED, SHOWN, Finding, Paraphrase, stored_in
from corpusdb.corpus.queries.meant_language import language_of
from corpusdb.corpus.store import Store, open_store
from corpusdb.guides import guide_text
from corpusdb.paraphrase.queries.candidates import written_as
from corpusdb.paraphrase.queries.detection import detect
from corpusdb.paraphrase.queries.filters import NO_FILTER, NSequenceFilter
from corpusdb.paraphrase.queries.origins.origin import figures_of
from corpusdb.paraphrase.queries.origins.stored import DETECTED
from corpusdb.paraphrase.queries.paraphrases import explain, paraphrases
from corpusdb.paraphrase.ranking import EligibleParaphrase, rank_key, varied
from corpusdb.people.queries.decisions import decide
from corpusdb.people.queries.sessions import create_session
from corpusdb.people.queries.views import SeedReader

BEER: list[Row] = [
    ("A beer, please.", "ビールをください。"),
    ("Can I have a beer?", "ビールをください。"),
    ("A bottle of beer, please.", "ビールをください。"),
    ("A beer, please.", "ビールをお願いします。"),
    ("Can I have a beer?", "ビールをお願いします。"),
    ("I'd like a beer, please.", "ビールが欲しいのですが。"),
    ("A coffee, please.", "コーヒーをください。"),
    ("One coffee, please.", "コーヒーをください。"),
    ("I'd like a coffee, please.", "コーヒーが欲しいのですが。"),
    ("Can I have a coffee?", "コーヒーを頂けますか。"),
]


@pytest.fixture
def beer(tmp_path: Path) -> Iterator[Store]:
    with generated_store(tmp_path, BEER, ("eng", "jpn")) as store:
        yield store


def test_what_exchanges_rejected_equivalents_is_none_whoever_yields_it(beer: Store) -> None:
    seed, said = "A coffee, please.", "left out of paraphrases: that 'a' and 'one' are equivalent was rejected"
    create_session(beer, "coffee", "eng", [seed], NO_FILTER)

    def texts() -> list[set[str]]:
        pairs = {text for text, of in DETECTED.pairs(beer, "eng", NO_FILTER) if of == seed}
        shown = SeedReader(beer, lambda: nullcontext(beer)).read("coffee").paraphrases
        return [
            {one.text for one in paraphrases(beer, seed, "eng", kept=NO_FILTER)},
            pairs,
            {one.text for one in shown},
        ]

    before, seeds = texts(), DETECTED.seeds(beer, "eng", NO_FILTER)
    assert all("One coffee, please." in each for each in before) and seed in seeds
    set_rejected(beer, "eng", "one", "a", is_rejected=True)
    assert texts() == [each - {"One coffee, please."} for each in before]
    assert seed not in DETECTED.seeds(beer, "eng", NO_FILTER)
    assert "One coffee, please." not in DETECTED.texts(beer, "eng", NO_FILTER)
    assert explain(beer, seed, "One coffee, please.", "eng").fails.startswith(said)
    decide(beer, "coffee", seed, "One coffee, please.", "accept")
    assert texts()[2] == before[2], "what somebody accepted is shown"


@pytest.mark.slow
def test_detected_and_generated_together(beer: Store) -> None:
    """The first was only detected; the others were only generated, one of them is in the corpus."""
    found = {one.text: one for one in paraphrases(beer, "A coffee, please.", "eng", kept=NO_FILTER)}
    assert list(found) == ["One coffee, please.", "Can I have a coffee?", "A bottle of coffee, please."]
    detected, generated, new = found.values()
    assert [one.score for one in found.values()] == [one.validity for one in found.values()]
    assert (detected.shared, detected.frequency, detected.pivots, detected.in_corpus) == (1, 0, 0, True)
    assert (detected.order, detected.inner_order, detected.languages, detected.probability) == (None, None, 1, 0.5)
    assert (generated.shared, generated.pivots, generated.order, generated.in_corpus) == (0, 1, None, True)
    # p = 1/2 * 1/3 + 1/2 * 1/2 for the two translations of "A beer, please."; "I'd like a _, please." and "Can I have
    # a _?" make the two analogies.
    assert (generated.frequency, generated.probability) == (2, near(5 / 12))
    assert (new.shared, new.frequency, new.in_corpus, new.probability) == (0, 2, False, near(1 / 6))
    assert new.order is not None


def forget_validity(store: Store) -> None:
    """As in a database of an older version, until something is generated."""
    store.connection.execute("update candidate set validity_parts = null, replacement = null")
    store.connection.execute("update paraphrase set validity_parts = null")


def test_where_the_validity_is_not_known_the_evidence_ranks(beer: Store) -> None:
    forget_validity(beer)
    detected, generated, new = (
        paraphrases(beer, "A coffee, please.", "eng")[:2]
        + paraphrases(beer, "A coffee, please.", "eng", kept=NO_FILTER)[2:]
    )
    assert (detected.text, generated.text) == ("One coffee, please.", "Can I have a coffee?")
    assert (detected.validity, generated.validity, new.validity) == (None, None, None)
    assert detected.score == pytest.approx(0.95)
    assert generated.score == pytest.approx(1 - 1 / (1 + 5 / 12 * log2(3)))
    assert new.score == pytest.approx(1 - 1 / (1 + 1 / 6 * log2(3)))


@pytest.mark.slow
def test_one_found_in_both_ways_is_the_more_valid_for_it(beer: Store) -> None:
    """The sharing counts for the generated pair too, and both origins say the same of it."""
    before = {one.text: one for one in paraphrases(beer, "A coffee, please.", "eng", kept=NO_FILTER)}
    import_rows(beer, [("Can I have a coffee?", "コーヒーをください。")], ("eng", "jpn"))
    finished(generate(beer, "eng"))
    after = {one.text: one for one in paraphrases(beer, "A coffee, please.", "eng", kept=NO_FILTER)}
    both = after["Can I have a coffee?"]
    assert (both.origins, both.shared, both.frequency) == (("detected", "analogy"), 1, 2)
    assert {each.validity for each in both.findings} == {both.validity}
    assert both.score > before["Can I have a coffee?"].score
    assert list(after) == ["Can I have a coffee?", "One coffee, please.", "A bottle of coffee, please."]


@pytest.mark.slow
def test_one_found_in_both_ways_ranks_higher_by_its_evidence(beer: Store) -> None:
    import_rows(beer, [("Can I have a coffee?", "コーヒーをください。")], ("eng", "jpn"))
    finished(generate(beer, "eng"))
    forget_validity(beer)
    first, second, *_ = paraphrases(beer, "A coffee, please.", "eng", kept=NO_FILTER)
    assert (first.text, first.shared, first.frequency) == ("Can I have a coffee?", 1, 2)
    assert second.text == "One coffee, please."
    assert first.score > second.score == pytest.approx(0.95)


@pytest.mark.slow
@pytest.mark.parametrize("least", [0.2, 0.5, 0.9])
def test_what_is_told_of_a_pair_does_not_change_with_the_filter(beer: Store, least: float) -> None:
    """Also where one origin's row passes and another's does not, as that of analogies here."""
    import_rows(beer, [("Can I have a coffee?", "コーヒーをください。")], ("eng", "jpn"))
    finished(generate(beer, "eng"))
    beer.connection.execute("update candidate set validity_parts = 1000")
    beer.connection.execute("update paraphrase set validity_parts = 9500")
    all_of_them = {one.text: one for one in paraphrases(beer, "A coffee, please.", "eng", kept=NO_FILTER)}
    both = all_of_them["Can I have a coffee?"]
    assert (both.origins, both.frequency, both.shared) == (("detected", "analogy"), 2, 1)
    kept = paraphrases(beer, "A coffee, please.", "eng", kept=NSequenceFilter(0, min_validity=least))
    assert {one.text for one in kept} == {one.text for one in all_of_them.values() if (one.validity or 0) >= least}
    assert kept and all(one == all_of_them[one.text] for one in kept)


def _order(one: Paraphrase, marks: bool) -> int | None:
    return one.order if marks else one.inner_order


@pytest.mark.parametrize("number", range(10))
def test_order_limit_and_filter(empty: Store, number: int) -> None:
    import_rows(empty, random_rows(random.Random(number), 20, pivots=5))
    finished(generate(empty, "eng"))
    for (seed,) in empty.connection.execute("select text from sentence where language = 'eng'").fetchall():
        found = paraphrases(empty, seed, "eng", limit=0, kept=NO_FILTER)
        ranked = sorted(found, key=rank_key)
        choices = [EligibleParaphrase(one.text, seed, one.score) for one in ranked]
        assert found == [ranked[place] for place in varied(choices, [seed], "eng")]
        assert len({one.text for one in found}) == len(found)
        assert seed not in {one.text for one in found}
        assert all(0 < one.score <= 1 for one in found)
        for limit in (1, 3):
            assert paraphrases(empty, seed, "eng", limit=limit, kept=NO_FILTER) == found[:limit]
        for order in (3, 5, 20):
            for marks in (True, False):
                orders = [inf if each is None else each for each in (_order(one, marks) for one in ranked)]
                kept = [one for one, reached in zip(ranked, orders, strict=True) if reached >= order]
                asked = paraphrases(empty, seed, "eng", limit=0, kept=NSequenceFilter(order, marks=marks))
                assert sorted(asked, key=rank_key) == kept


@pytest.mark.slow
def test_ties_are_in_the_order_of_code_points(empty: Store) -> None:
    import_rows(empty, [(text, "t") for text in ("b", "é", "a", "Z", "seed")])
    finished(generate(empty, "eng"))
    assert [one.text for one in paraphrases(empty, "seed", "eng", kept=NO_FILTER)] == ["Z", "a", "b", "é"]


@pytest.mark.slow
@pytest.mark.parametrize("given", [None, ["A beer, please."]])
def test_a_seed_that_was_not_generated_from_is_tried_now(empty: Store, given: list[str] | None) -> None:
    """In the corpus or not; the answer is that of storing it, and nothing is stored."""
    import_rows(empty, [row for row in BEER if row[0] != "A coffee, please."], ("eng", "jpn"))
    finished(generate(empty, "eng", given))
    before = all_rows(empty)
    asked = {seed: paraphrases(empty, seed, "eng", kept=NO_FILTER) for seed in ("A coffee, please.", "A beer, please.")}
    assert [one.text for one in asked["A coffee, please."]] == ["Can I have a coffee?", "A bottle of coffee, please."]
    assert all_rows(empty) == before
    finished(generate(empty, "eng", list(asked)))
    for seed, found in asked.items():
        assert paraphrases(empty, seed, "eng", kept=NO_FILTER) == found


def test_unknown_seeds(beer: Store) -> None:
    assert paraphrases(beer, "Nothing like any of these", "eng") == []
    assert paraphrases(beer, "  A coffee,\tplease. ", "eng", kept=NO_FILTER) == paraphrases(
        beer, "A coffee, please.", "eng", kept=NO_FILTER
    )


def test_a_language_without_index(empty: Store) -> None:
    import_rows(empty, BEER, ("eng", "jpn"))
    finished(detect(empty, "eng"))
    with pytest.raises(InputError, match="corpusdb generate --lang eng"):
        paraphrases(empty, "A beer, please.", "eng")


def test_a_reader_is_enough_for_what_was_generated(beer: Store) -> None:
    with open_store(beer.path, read_only=True) as reader:
        assert paraphrases(reader, "A coffee, please.", "eng") == paraphrases(beer, "A coffee, please.", "eng")


@pytest.mark.slow
def test_language_of(empty: Store) -> None:
    import_rows(empty, [("Taxi", "Taxi"), ("Bus", "Bus à Paris")])
    assert language_of(empty, " Bus ") == "eng"
    assert language_of(empty, "Bus à Paris") == "fra"
    assert language_of(empty, "Taxi") is None
    assert language_of(empty, "Tram") is None
    finished(generate(empty, "fra"))
    assert language_of(empty, "Taxi") == "fra"
    assert language_of(empty, "Tram") == "fra"
    assert language_of(empty, "Bus") == "eng"
    finished(generate(empty, "eng"))
    assert language_of(empty, "Taxi") is None
    assert language_of(empty, "Tram") is None


def test_the_language_is_found_without_reading_every_sentence(empty: Store) -> None:
    """Found by reading: without a language the index by language and text was gone through from end to end."""
    statements: list[str] = []
    empty.connection.set_trace_callback(statements.append)
    language_of(empty, "Bus")
    empty.connection.set_trace_callback(None)
    plans = [row[3] for each in statements for row in empty.connection.execute(f"explain query plan {each}")]
    reads = [plan for plan in plans if "sentence" in plan or "seed" in plan]
    assert reads
    assert not [plan for plan in reads if plan.startswith(("SCAN sentence", "SCAN seed"))]


# The table of the figures of a paraphrase: what it shows, and that schema, values, JSON and the guide go by it.


BESIDE = {
    "candidate": {"id", "seed", "text", "unseen", "other_unseen", "inner_unseen", "replacement", "run"},
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
    columns = {name for (name,) in empty.connection.execute("select name from pragma_table_xinfo(?)", (table,))}
    assert columns == BESIDE[table] | set(stored_in(table)) | {written_as(name)[0] for name in stored_in(table)}
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

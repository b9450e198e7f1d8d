"""What is said of an exchange of words, against all pairs one by one, and its command."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from brute_force import slots
from calls import Run, document
from corpora import generated_store, import_rows, random_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.text import units_of
from corpusdb.chain.queries.generation import generate
from corpusdb.corpus.model import ExchangeFigures
from corpusdb.corpus.store import Store, open_store
from corpusdb.paraphrase.differences import BEGIN, END, GAP, LATER_GAP, Exchange, difference
from corpusdb.paraphrase.exchange_index import Sharing, StoredExchange, StoredPart, exchange_rate, sums_by_text
from corpusdb.paraphrase.frames import (
    Frames,
    as_inside,
    as_sentence,
    as_shown,
    as_stored,
    differs_so,
    frame_of,
    frame_sums,
)
from corpusdb.paraphrase.pair_differences import TURNED, Pair, PairComparer
from corpusdb.paraphrase.queries.exchanges import (
    ExchangeReport,
    exchange_report,
    exchanges_between,
    reports_behind,
    stored_exchanges,
)
from corpusdb.paraphrase.queries.filters import NO_FILTER
from corpusdb.paraphrase.queries.paraphrases import explain, paraphrases
from corpusdb.paraphrase.sharing import BUCKETS, WHOLE, SharedTranslations, TranslationLinks, measured_recalls
from corpusdb.paraphrase.word_model import WordModel

# What is said of an exchange of words, against all pairs of sentences one by one and against the stored sums.


ROWS = random_rows(random.Random(11), 90)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Random sentences with everything generated from them."""
    with generated_store(tmp_path, ROWS) as opened:
        yield opened


@pytest.fixture
def phrasebook(finished_phrasebook: Path) -> Iterator[Store]:
    with open_store(finished_phrasebook, read_only=True) as opened:
        yield opened


def counted(report: ExchangeReport) -> tuple[int, int]:
    return report.total.pairs, report.total.shared


@pytest.mark.slow
@pytest.mark.parametrize("third", [0, 1, 2])
def test_pairs_and_those_that_share_are_those_counted_one_by_one(store: Store, third: int) -> None:
    """Of each third of the exchanges of two words."""
    translations: dict[str, set[str]] = {}
    for text, translation in ROWS:
        translations.setdefault(text, set()).add(translation)
    contexts: dict[tuple[str, str], dict[str, str]] = {}
    for text in translations:
        for context, filler in slots(text):
            contexts.setdefault(context, {})[filler] = text
    fillers = {filler for each in contexts.values() for filler in each if len(each) > 1}
    in_two = {text for text in fillers if sum(text in each for each in contexts.values() if len(each) > 1) > 1}
    words = sorted({text.lstrip(" ") for text in in_two})
    seen = 0
    for before, after in list(product(words, repeat=2))[third::3]:
        if before == after:
            continue
        forms = product({before, f" {before}"}, {after, f" {after}"}) if before and after else ()
        asked = {form for form in forms if {*form} <= in_two}
        if not asked:
            continue
        pairs = [
            (each[one], each[other])
            for one, other in asked
            for each in contexts.values()
            if one in each and other in each
        ]
        sharing = [pair for pair in pairs if translations[pair[0]] & translations[pair[1]]]
        report = exchange_report(store, "eng", before, after, 0)
        if report is None:
            assert pairs == []
            continue
        seen += 1
        assert counted(report) == (len(pairs), len(sharing))
        assert {(each.one, each.other) for each in report.examples} == {*sharing}
        assert {(each.one, each.other) for each in report.counter_examples} == {*pairs} - {*sharing}
    assert seen > 10


def test_the_sums_are_those_that_are_stored(phrasebook: Store) -> None:
    rows = phrasebook.connection.execute("select x, y, pairs, shared, expected / 1048576.0 from exchange").fetchall()
    several = Counter((x.lstrip(" "), y.lstrip(" ")) for x, y, *_ in rows)
    checked = 0
    for x, y, *sums in rows[::20]:
        report = exchange_report(phrasebook, "eng", x, y)
        assert report is not None
        form = next(each for each in report.forms if (each.before, each.after) == (x, y))
        assert [form.pairs, form.shared, form.expected] == sums
        assert form.rate == exchange_rate(form.shared, form.expected)
        checked += several[x.lstrip(" "), y.lstrip(" ")] == 1
    assert checked > 20


def test_all_parts_have_the_pairs_of_the_whole(phrasebook: Store) -> None:
    report = exchange_report(phrasebook, "eng", "'s", "is", 0)
    assert report is not None
    assert len(report.forms) >= 1
    for parts in (report.forms, report.left, report.right):
        assert sum(each.pairs for each in parts) == report.total.pairs
        assert sum(each.shared for each in parts) == report.total.shared
        assert sum(each.expected for each in parts) == pytest.approx(report.total.expected)
    for part in report.by_language:
        assert part.pairs <= report.total.pairs and part.shared <= report.total.shared
    assert (len(report.left), len(report.right)) == report.neighbours
    assert [each.pairs for each in report.left] == sorted((each.pairs for each in report.left), reverse=True)


def test_examples_differ_in_the_exchange_alone(phrasebook: Store) -> None:
    report = exchange_report(phrasebook, "eng", "want", "'d like", 0)
    assert report is not None
    assert (len(report.examples), len(report.counter_examples)) == report.with_translations
    for each in (*report.examples, *report.counter_examples):
        found = difference(units_of(each.one), units_of(each.other))
        assert [text.strip() for text in found.exchange] == ["want", "'d like"]
    assert all(each.translations for each in report.examples)
    counter = [each.expected for each in report.counter_examples]
    assert counter == sorted(counter, reverse=True)
    turned = exchange_report(phrasebook, "eng", "'d like", "want", 2)
    assert turned is not None and counted(turned) == counted(report)
    assert [(each.other, each.one) for each in turned.examples] == [
        (each.one, each.other) for each in report.examples[:2]
    ]
    assert turned.with_translations == report.with_translations


@pytest.mark.slow
def test_recalls_are_measured_where_none_are_stored(store: Store) -> None:
    word, other = stored_exchanges(store, "eng", least=0)[0].before, stored_exchanges(store, "eng", least=0)[0].after
    before = exchange_report(store, "eng", word, other)
    assert before is not None
    with store.write() as connection:
        connection.execute("update run set parameters = json_remove(parameters, '$.recalls')")
        assert connection.execute("select changes()").fetchone()[0]
    assert exchange_report(store, "eng", word, other) == before


@pytest.mark.slow
def test_a_translation_of_very_many_is_no_evidence(empty: Store) -> None:
    many = [(f"It is {number}.", "C'est ça.") for number in range(120)]
    import_rows(empty, [*many, ("I am 5.", "J'ai 5."), ("I am 6.", "J'ai 6.")])
    finished(generate(empty, "eng"))
    report = exchange_report(empty, "eng", "5", "6")
    assert report is not None and counted(report) == (2, 0)


def test_the_list(phrasebook: Store) -> None:
    every = stored_exchanges(phrasebook, "eng", least=0)
    assert [each.rate for each in every] == sorted((each.rate for each in every), reverse=True)
    pairs, *_ = phrasebook.connection.execute(
        "select sum(pairs) from exchange where ltrim(x, ' ') <> ltrim(y, ' ')"
    ).fetchone()
    assert sum(each.pairs for each in every) == pairs
    by_pairs = stored_exchanges(phrasebook, "eng", sort="pairs")
    assert [each.pairs for each in by_pairs] == sorted((each.pairs for each in by_pairs), reverse=True)
    assert {*by_pairs} == {each for each in every if each.expected >= 3}
    of_is = stored_exchanges(phrasebook, "eng", " is", least=0)
    assert of_is and {each.before for each in of_is} == {"is"}
    assert {each.after for each in of_is} == {
        each.before if each.after == "is" else each.after for each in every if "is" in (each.before, each.after)
    }


@pytest.mark.slow
def test_what_a_validity_comes_from(phrasebook: Store) -> None:
    for seed in ("Where is the bus stop?", "A beer, please."):
        for each in paraphrases(phrasebook, seed, "eng", limit=0, kept=NO_FILTER):
            found = explain(phrasebook, seed, each.text, "eng", limit=1)
            assert found.validity == each.validity is not None
            regions = difference(units_of(seed), units_of(each.text)).regions
            assert [(one.before, one.after) for one in found.exchanges] == list(regions)
            behind = reports_behind(phrasebook, "eng", found, 1)
            assert [report.forms[0] for report in behind] == [one for one in found.exchanges if one.pairs]


def test_an_exchange_that_no_sentences_show(phrasebook: Store) -> None:
    assert exchanges_between(phrasebook, "eng", "A beer.", "A zebra.") == (
        ExchangeFigures(" beer", " zebra", 0, 0, 0.0, exchange_rate(0, 0)),
    )
    assert exchanges_between(phrasebook, "eng", "A beer.", "A beer.") == ()
    assert exchange_report(phrasebook, "eng", "beer", "zebra") is None


def test_what_cannot_be_asked(phrasebook: Store, empty: Store) -> None:
    with pytest.raises(UsageError, match="'beer ' is one"):
        exchange_report(phrasebook, "eng", "beer ", "beer")
    with pytest.raises(InputError, match="there are no sentences in xyz; there are some in eng, fra, jpn"):
        exchange_report(phrasebook, "xyz", "a", "b")
    with pytest.raises(InputError, match="generate --lang fra"):
        exchange_report(phrasebook, "fra", "a", "b")
    for language in ("fra", "xyz"):
        with pytest.raises(InputError, match=f"generate --lang {language}"):
            stored_exchanges(phrasebook, language)


@pytest.fixture
def ask(run: Run, finished_phrasebook: Path) -> Run:
    """The command on the phrasebook."""
    return lambda *arguments: run("--db", finished_phrasebook, "exchanges", *arguments)


@pytest.mark.parametrize(("option", "value"), [("--sort", "pairs"), ("--least", "0")])
def test_what_is_for_a_list_is_refused_for_one(run: Run, generated: Path, option: str, value: str) -> None:
    result = run("exchanges", "beer", "twin", option, value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{option} is for the list of exchanges: leave out 'beer' and 'twin'" in result.stderr


def test_an_exchange_with_its_counter_examples(run: Run, generated: Path) -> None:
    result = run("exchanges", "beer", "twin")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "beer / twin: 0 of 2 pairs of sentences share a translation; 1.3 expected if they mean the same",
        "",
        "of\tname\tpairs\tshared\texpected\trate",
        "all\tbeer / twin\t2\t0\t1.3\t0.13",
        "language\tfra\t2\t0\t1.3\t0.13",
        "left\tA\t1\t0\t0.6\t0.182",
        "left\ta\t1\t0\t0.6\t0.182",
        "right\t,\t2\t0\t1.3\t0.13",
        "",
        "beer / twin: pairs that share a translation (0)",
        "beer / twin: pairs with translations into one language that share none, most expected first (2)",
        "  A beer, please.  (expected 0.65)",
        "  A twin, please.",
        "  I'd like a beer, please.  (expected 0.65)",
        "  I'd like a twin, please.",
    ]


def test_an_exchange_as_json(ask: Run) -> None:
    found = document(ask("'s", "is", "--json", "-n", "3"))
    assert {"rate", "shared", "expected", "examples"} <= found.keys()
    assert (found["before"], found["after"]) == ("'s", "is")
    assert [(each["before"], each["after"]) for each in found["forms"]] == [("'s", " is")]
    assert found["rate"] == pytest.approx((found["shared"] + 0.3) / (found["expected"] + 1))
    assert {each["name"] for each in found["by_language"]} == {"fra", "jpn"}
    assert len(found["examples"]) == len(found["left"]) == len(found["right"]) == 3
    for each in found["examples"]:
        assert each["one"].replace("'s", " is", 1) == each["other"] and each["translations"]


def test_what_is_left_out_is_told(ask: Run) -> None:
    every = document(ask("'s", "is", "--json", "-n", "0"))
    result = ask("'s", "is", "-n", "2")
    for what, found in (("neighbours to the left", every["left"]), ("examples", every["examples"])):
        assert f"{len(found) - 2:,} more {what}; `-n 0` shows all {len(found):,}" in result.stderr
    assert f"pairs that share a translation (2 of {len(every['examples'])})" in result.stdout
    assert "more" not in ask("'s", "is", "-n", "0").stderr


def test_the_figures_in_another_format(ask: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(ask("'s", "is", "-n", "2", "--format", "csv").stdout, newline="")))
    assert [row["of"] for row in rows] == ["all", "language", "language", "left", "left", "right", "right"]
    whole = document(ask("'s", "is", "--json"))
    assert (int(rows[0]["pairs"]), int(rows[0]["shared"])) == (whole["pairs"], whole["shared"])


def test_an_exchange_that_the_corpus_does_not_have(ask: Run) -> None:
    for options in ((), ("--json",)):
        result = ask("beer", "zebra", *options)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == "corpusdb: no two sentences differ by 'beer' and 'zebra' alone\n"
    result = ask("beer", " beer")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def test_the_list_that_the_command_prints(ask: Run) -> None:
    found = document(ask("--json", "-n", "0"))
    assert [each["rate"] for each in found] == sorted((each["rate"] for each in found), reverse=True)
    assert min(each["expected"] for each in found) >= 3
    shown = ask("-n", "4")
    assert [line.split("\t")[:3] for line in shown.stdout.splitlines()] == [
        ["u", "v", "pairs"],
        *([each["before"], each["after"], str(each["pairs"])] for each in found[:4]),
    ]
    assert f"{len(found) - 4:,} more exchanges; `-n 0` shows all {len(found):,}" in shown.stderr
    by_pairs = document(ask("--json", "-n", "0", "--sort", "pairs", "--least", "0"))
    assert len(by_pairs) > len(found)
    assert [each["pairs"] for each in by_pairs] == sorted((each["pairs"] for each in by_pairs), reverse=True)


def test_the_list_of_one_word(ask: Run) -> None:
    found = document(ask("is", "--json"))
    assert "'s" in [each["after"] for each in found] and {each["before"] for each in found} == {"is"}
    markdown = ask("is", "-n", "1", "--format", "markdown").stdout.splitlines()
    assert (markdown[0], len(markdown)) == ("| u | v | pairs | shared | expected | rate |", 3)
    result = ask("zebra", "--json")
    assert (document(result), result.stderr) == ([], "")
    assert "no exchange of 'zebra' with 3 pairs expected to share; --least 0 shows all" in ask("zebra").stderr
    assert ask("zebra", "--least", "0").stderr == "corpusdb: no exchange of 'zebra'\n"


@pytest.mark.parametrize("arguments", [(), ("beer",), ("beer", "twin")])
def test_a_corpus_that_was_never_prepared(arguments: tuple[str, ...], run: Run, corpus: Path) -> None:
    for options in ((), ("--lang", "eng")):
        result = run("exchanges", *arguments, *options)
        assert (result.exit_code, "corpusdb generate --lang" in result.stderr) == (3, True)


# Exchanges at two places at once, against what is cut by hand and all ways of cutting sentences.


def frame(one: str, other: str) -> tuple[Exchange, str, str, str] | None:
    found = frame_of(units_of(one), units_of(other))
    return None if found is None else (found.exchange, found.left, found.right, "".join(found.middle))


def test_what_stands_around_what_stays() -> None:
    assert frame("Let's take a walk.", "Why don't we take a walk?") == (
        ("Let's\n.", "Why don't we\n?"),
        BEGIN,
        END,
        " take a walk",
    )
    assert frame("Take your hat off.", "Take off your hat.") == (("\n off", " off\n"), "Take", ".", " your hat")
    assert frame("I don't live here anymore.", "I no longer live here.") == (
        (" don't\n anymore", " no longer\n"),
        "I",
        ".",
        " live here",
    )


def test_what_is_no_frame() -> None:
    assert frame("A big hat.", "A large hat.") is None, "one place"
    assert frame("A big, red hat.", "A small, blue hat.") is None, "what stays has no word"
    assert frame("That is it.", "That is it.") is None
    assert frame("He left.", "He never left early.") is None, "the one has nothing at either place"
    assert frame("I gave the book that I had bought in town to him.", "To him gave I in town.") is None


def test_a_frame_turns_two_parts_round() -> None:
    exchange = " if\n,\v", "\v if\n"
    assert frame(" if it rains, I stay.", " I stay if it rains.") == (exchange, BEGIN, ".", " if it rains I stay")
    assert frame(" I stay if it rains", " if it rains, I stay") == (exchange[::-1], BEGIN, END, " if it rains I stay")
    found = frame(" if it rains, I stay.", " I stay if it rains?")
    assert found is None or "\v" not in found[0][0], "other final marks"
    found = frame(" Tom, come here.", " come here, Tom.")
    assert found is None or "\v" not in found[0][0], "a part has one unit"


UNLISTED = "und"
"""A language whose pronouns are not listed."""
WORDS = st.lists(st.sampled_from(["I", " a", " b", " off", ",", " hat", ".", "?"]), min_size=1, max_size=8)


@given(WORDS, WORDS)
def test_a_frame_makes_the_other_sentence_of_the_one(one: list[str], other: list[str]) -> None:
    sentences = "".join(one).strip(), "".join(other).strip()
    found, turned = frame_of(*map(units_of, sentences)), frame_of(*map(units_of, sentences[::-1]))
    assert (found is None) == (turned is None)
    if found is None or turned is None:
        return
    assert turned.exchange == found.exchange[::-1]
    frames = Frames({(min(found.exchange), max(found.exchange)): ({found.left}, {found.right})}, UNLISTED)
    made = {each.text: each for each in frames.applied(sentences[0])}
    assert differs_so(units_of(sentences[0]), sentences[1], found.exchange)
    assert made[sentences[1]][:4] == (sentences[1], *found[:3])


def ways_of_cutting(sentence: str, text: str) -> Iterator[tuple[str, str, str]]:
    """What stands before one text of a frame, what between its places, and what behind, wherever it stands."""
    bounds = [0]
    for unit in units_of(sentence):
        bounds.append(bounds[-1] + len(unit))
    first, last = text.split(GAP)
    for begin, stop in combinations(bounds, 2):
        for start, end in ((begin - len(first), stop + len(last)),):
            if start in bounds and end in bounds and sentence[start:end] == first + sentence[begin:stop] + last:
                yield sentence[:start], sentence[begin:stop], sentence[end:]


def beside(before: str, behind: str) -> tuple[str, str]:
    return (units_of(before) or [BEGIN])[-1], (units_of(behind) or [END])[0]


@given(
    st.lists(WORDS, min_size=1, max_size=3),
    st.sampled_from([("\n off", " off\n"), ("I a\n.", "I\n?"), (" a\n", "\n b")]),
)
def test_frames_are_exchanged_wherever_they_stand(sentences: list[list[str]], exchange: Exchange) -> None:
    known = {" the", "I", " b", BEGIN}, {".", END, " hat"}
    frames = Frames({(min(exchange), max(exchange)): known}, UNLISTED)
    for units in sentences:
        sentence = "".join(units).strip()
        expected = {
            f"{before}{other.replace(GAP, middle)}{behind}"
            for text, other in (exchange, exchange[::-1])
            for before, middle, behind in ways_of_cutting(sentence, text)
            if beside(before, behind)[0] in known[0] and beside(before, behind)[1] in known[1]
        }
        made = list(frames.applied(sentence))
        assert {each.text for each in made} == expected
        assert all(differs_so(units_of(sentence), each.text, each.exchange) for each in made if each.is_sure)


@given(WORDS)
def test_parts_are_turned_round_wherever_they_may_meet(words: list[str]) -> None:
    sentence = "".join(units_of(f" {''.join(words).strip()}"))
    body = sentence.rstrip(",.?")
    marks, units = sentence[len(body) :], units_of(body)
    cuts = [("".join(units[:place]), "".join(units[place:])) for place in range(len(units))]
    expected = {
        f"{then[1:]}{first}{marks}"
        for first, then in cuts
        if units[0] == " a" and then[0] == "," and len(units_of(first)) > 1 and len(units_of(then)) > 2
    }
    expected |= {
        f"{then},{first}{marks}"
        for first, then in cuts
        if units_of(then)[0] == " a" and len(units_of(first)) > 1 and len(units_of(then)) > 1
    }
    expected = {text for text in expected if text.removesuffix(marks).count(",") + body.count(",") == 1}
    others = [unit for unit in units if not unit[-1].isalnum()]
    exchange = f"{LATER_GAP} a{GAP}", f" a{GAP},{LATER_GAP}"
    made = Frames({exchange: ({BEGIN}, {(units_of(marks) or [END])[0]})}, UNLISTED).applied(sentence)
    assert {each.text for each in made} == {text for text in expected if others in ([], [","])}
    assert not list(Frames({exchange: ({BEGIN}, {"!"})}, UNLISTED).applied(sentence)), "other final marks"


@pytest.mark.parametrize(
    ("sentence", "turned"),
    [
        (" you eat if you like.", [" if you like, you eat."]),
        (" if you heat ice, it melts.", []),
        (" if Tom comes, he eats.", []),
        (" he eats if he comes.", [" if he comes, he eats."]),
    ],
)
def test_what_is_said_first_points_at_nothing_behind_it(sentence: str, turned: list[str]) -> None:
    frames = Frames({("\v if\n", " if\n,\v"): ({BEGIN}, {"."})}, "eng")
    assert [each.text for each in frames.applied(sentence)] == turned


TEXTS = [
    *("Take your hat off.", "Take off your hat."),
    *("Take your shoes off.", "Take off your shoes."),
    *("Take your coat off.", "Take off your coat."),
    *("Turn the light off.", "Turn off the light."),
]
"""Of the first two pairs each shares a translation; the third has translations and shares none; the fourth has none."""
TRANSLATIONS = [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 3)]


def summed_up() -> tuple[list[StoredExchange], list[StoredPart]]:
    own, other = np.array(TRANSLATIONS, dtype=np.int64).T
    shared = SharedTranslations.of(TranslationLinks(own, np.zeros(len(own), dtype=np.int64), other), len(TEXTS), 1, 100)
    detected = np.array([0, 1, 2, 3]), np.array([1, 0, 3, 2])
    numbers: dict[str, int] = {}
    found = frame_sums(UNLISTED, TEXTS, detected, Sharing(("fra",), shared, measured_recalls(shared)), numbers)
    rows = sums_by_text([(found.sums, found.exchanges)], list(numbers))
    return [StoredExchange(place, *row) for place, row in enumerate(rows.exchanges)], [
        StoredPart(*row) for row in rows.parts
    ]


def test_the_sums_are_of_all_pairs_beside_known_words() -> None:
    (off,), parts = summed_up()
    assert (off.x, off.y, off.pairs, off.shared) == ("\n off", " off\n", 3, 2)
    recall = (20 * 0.65) / 20
    assert off.expected == 3 * round(recall * WHOLE), "each of three pairs has one translation on either side"
    assert parts == [
        StoredPart(0, "language", "fra", 3, 2, off.expected),
        StoredPart(0, "left", "Take", 3, 2, off.expected),
        StoredPart(0, "right", ".", 3, 2, off.expected),
    ]
    assert (
        len(measured_recalls(SharedTranslations.of(TranslationLinks(*np.empty((3, 0), dtype=np.int64)), 0, 1, 1))[0])
        == BUCKETS
    )


def test_what_is_listed_can_be_asked_for(empty: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames too, and marks that are written as what stands for a part of one."""
    monkeypatch.setattr("corpusdb.paraphrase.word_model.LEAST_SENTENCES", 1)
    rows = [(TEXTS[place], f"t{number}") for place, number in [*TRANSLATIONS, (6, 6), (7, 7)]]
    dots = [(f"{word}{mark}", f"{word}!") for word in ("Wait", "No", "Yes") for mark in ("...", ".")]
    import_rows(empty, [*rows, *dots])
    finished(generate(empty, "eng"))
    listed = stored_exchanges(empty, "eng", least=0)
    assert {(each.before, each.after, each.pairs) for each in listed} == {("_ off", "off _", 3), (".", "...", 3)}
    for each in listed:
        (turned,) = stored_exchanges(empty, "eng", each.after, least=0)
        assert turned == replace(each, before=each.after, after=each.before)
        told, back = (exchange_report(empty, "eng", one.before, one.after) for one in (each, turned))
        assert told is not None and back is not None and (told.total, back.total) == (each, turned)
        assert [(one.other, one.one) for one in told.examples] == [(one.one, one.other) for one in back.examples]
    frame = exchange_report(empty, "eng", "off _", "_ off")
    assert frame is not None and [each.one for each in frame.examples] == [TEXTS[1], TEXTS[3]]
    assert [each.other for each in frame.counter_examples] == [TEXTS[4]]
    assert [(each.name, each.pairs) for each in (*frame.left, *frame.right)] == [("take", 3), (".", 3)]
    assert exchange_report(empty, "eng", "_ up", "up _") is None


def test_stored_frames_are_exchanged_as_those_that_were_found() -> None:
    exchanges, parts = summed_up()
    frames = Frames.stored([*exchanges, StoredExchange(9, " big", " large", 9, 9, 9)], parts, UNLISTED)
    assert [each.text for each in frames.applied("Take that wet scarf off.")] == ["Take off that wet scarf."]
    assert [each.text for each in frames.applied("Take off that wet scarf.")] == ["Take that wet scarf off."]
    assert list(frames.applied("Turn that light off.")) == [], "no pair that shares a translation has this to the left"
    assert list(frames.applied("Take that big hat.")) == [], "no frame"
    (known,) = frames.figures.values()
    assert (known.pairs, known.shared) == (3, 2)


def test_a_pair_that_a_frame_makes_differs_by_it_as_a_whole() -> None:
    exchange = "\n off", " off\n"
    pairs = [
        Pair(1, "Take your hat off.", "Take off your hat.", frame=exchange),
        Pair(2, "Take your hat off.", "Take off your hat."),
    ]
    comparer = PairComparer({}, {})
    comparer.add(pairs)
    assert ("\n off", " off\n") in comparer.exchanges()
    found = comparer.differences({"\n off": 1, " off\n": 2})
    assert (found.code >= 0).tolist() == [True, False]
    assert (found.units_before[0], found.units_after[0]) == (1, 1)
    assert set(found.region_pair.tolist()) == {1}, "no region of the first is judged alone"
    assert found.replacement.tolist() == [True, False]


def test_of_parts_that_are_turned_round_it_is_told_how_long_they_are() -> None:
    sentences, exchange = ("If it rains, I stay at home.", "I stay at home if it rains."), (" if\n,\v", "\v if\n")
    comparer = PairComparer({}, {})
    comparer.add(Pair(0, *pair, frame=by) for pair, by in ((sentences, exchange), (sentences[::-1], exchange[::-1])))
    found = comparer.differences({})
    assert found.framed.tolist() == [TURNED, TURNED]
    assert np.stack([found.units_before, found.units_after]).tolist() == [[3, 5], [5, 3]]


def test_what_begins_a_sentence_is_looked_at_as_inside_of_another() -> None:
    corpus = [
        "I am here today.",
        "Today I am here.",
        "Tom and I came, Tom.",
        "Give it to Tom, give it.",
        "Please come today, please.",
    ]
    model = WordModel.trained(corpus * 20)
    inside = as_inside(["Today I came.", "I came today.", "Tom came.", "Zoë came.", '"Today" is a word.'], model)
    assert inside == [" today I came.", " I came today.", " Tom came.", " Zoë came.", '"Today" is a word.']
    assert [as_sentence(text) for text in inside[:2]] == ["Today I came.", "I came today."]
    frames = Frames(
        {(" give\n, please", " please give\n"): ({BEGIN}, {"."}), ("\n today", " today\n"): ({BEGIN}, {"."})},
        "eng",
    )
    (made,) = frames.applied(as_inside(["Tom and I am here today."], model)[0])
    assert as_sentence(made.text) == "Today Tom and I am here."


def test_how_they_are_shown() -> None:
    assert [as_shown(text) for text in ("Let's\n.", "\n off", " do\n have", " if\n,\v", " big")] == [
        "Let's _.",
        "_ off",
        "do _ have",
        "if _, ...",
        "big",
    ]
    assert [as_stored(text) for text in ("if _, ...", "... if _", "_ off")] == ["if\n,\v", "\v if\n", "\n off"]

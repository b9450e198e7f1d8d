"""Categories of lines: against a dictionary for each step, and their command."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from calls import Run
from corpora import filled_store, import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, StoreError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.store import Store, open_store, user_history
from corpusdb.search.queries.categories import (
    CategorySet,
    FoundLines,
    categorised_lines,
    category_counts,
    category_sets,
    counts_among,
    found_lines,
    set_category,
    undo_categories,
)
from corpusdb.search.queries.concordance import Wanted, arrange_lines
from corpusdb.search.queries.distribution import LinePlace, categories_of
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.results import found_by
from corpusdb.search.queries.search import Searcher

# Categories of lines: against a dictionary for each step, over other searches, and what cannot be one.


TEXTS = ["run and run", "she runs 😀 a run", "a cat runs"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with filled_store(tmp_path, import_rows, tuple((text, f"fr {text}") for text in TEXTS)) as store:
        yield store


def lines(store: Store, pattern: str = "run") -> list[LinePlace]:
    return list(found_lines(store, SearchRequest(pattern, lang="eng", limit=1)).places)


_PLACES = [(0, 0, 3), (0, 8, 11), (1, 4, 7), (2, 6, 9)]
_STEPS = st.lists(
    st.one_of(
        st.none(),
        st.tuples(st.sampled_from("AB"), st.sets(st.sampled_from(_PLACES)), st.sampled_from(["x", "y", "z", None])),
    ),
    max_size=12,
)


@pytest.mark.slow
@given(_STEPS)
def test_steps_and_their_undoing_are_those_of_dictionaries(steps: list[tuple[str, set[LinePlace], str | None]]) -> None:
    """A step is what changed something; None undoes the last one of A, also after others were undone."""
    with TemporaryDirectory() as folder, new_store(Path(folder)) as store:
        import_rows(store, [(text, f"fr {text}") for text in TEXTS])
        states: dict[str, list[dict[LinePlace, str]]] = {"A": [{}], "B": [{}]}
        numbers = [row[0] for row in store.connection.execute("select id from sentence where language = 'eng'")]
        for step in steps:
            if step is None:
                undone = len(states["A"]) > 1
                before = states["A"].pop() if undone else states["A"][-1]
                changed = sum(before.get(place) != states["A"][-1].get(place) for place in {*before, *states["A"][-1]})
                assert len(undo_categories(store, "A")) == changed
                continue
            name, chosen, category = step
            places = [LinePlace(numbers[sentence], *span) for sentence, *span in chosen]
            after = {place: each for place, each in states[name][-1].items() if place not in places}
            after |= {place: category for place in places if category is not None}
            changed = sum(states[name][-1].get(place) != after.get(place) for place in places)
            assert set_category(store, name, places, category) == changed
            if changed:
                states[name].append(after)
        for name, (*_, now) in states.items():
            assert categories_of(store, name) == now
            counts = category_counts(store, name)
            assert {each.category: each.lines for each in counts} == Counter(now.values())
        assert category_sets(store) == [
            CategorySet(name, len({*now.values()}), len(now)) for name, (*_, now) in states.items() if now
        ]
        assert check(store, full=True).problems == ()


def test_another_search_finds_the_categories(store: Store) -> None:
    first, second, *_ = lines(store)
    set_category(store, "senses", [first], "x")
    set_category(store, "other", [second], "y")
    assert categories_of(store, "senses") == {first: "x"}
    again = found_lines(store, SearchRequest("run and|cat", lang="eng", regex=True)).places
    assert first not in again  # the match is another one, of which nobody said anything
    assert first in found_lines(store, SearchRequest('"run"', lang="eng", cqp=True)).places


def test_lines_are_sorted_counted_and_chosen_by_category(store: Store) -> None:
    found = lines(store)
    given = dict(zip(found, ("z", "b", "z"), strict=False))
    for place, category in given.items():
        set_category(store, "senses", [place], category)
    request = SearchRequest("run", lang="eng", kwic=True, categories="senses")
    assert list(found_lines(store, replace(request, sort="category")).places) == sorted(
        found, key=lambda place: (place not in given, given.get(place, ""))
    )
    for category in ("z", "b", "(none)", "unheard-of"):
        expected = [place for place in found if given.get(place, "(none)") == category]
        assert list(found_lines(store, replace(request, category=category)).places) == expected
        kept = found_by(store, replace(request, category=category))
        assert kept.get("eng", np.array([])).tolist() == sorted({place.sentence for place in expected})
    concordance = finished(arrange_lines(Searcher(store).find(request.search("eng")), request.arrangement))
    groups = {group.key: group.count for group in concordance.groups("category", store)}
    assert groups == Counter(given.get(place, "(none)") for place in found)
    for asked in ({"sort": "category"}, {"group": "match,category"}, {"category": "z"}):
        with pytest.raises(UsageError, match="--categories says"):
            SearchRequest("run", lang="eng", **asked).search("eng")  # type: ignore[arg-type]


def test_ratios_with_their_interval_in_the_order_of_the_first(store: Store) -> None:
    found = lines(store)
    set_category(store, "senses", found[:3], "z")
    set_category(store, "senses", found[3:4], "a")
    z, a = category_counts(store, "senses")
    assert (z.category, z.lines, z.share, a.category, a.lines, a.share) == ("z", 3, 0.75, "a", 1, 0.25)
    assert z.interval is None
    z, a, none = counts_among(store, "senses", FoundLines(found[:4], are_drawn=True))
    assert (z.category, z.lines, z.share, none.category, none.lines) == ("z", 3, 0.75, "", 0)
    assert z.interval is not None
    # Wilson (1927), with 1.959964 for 95 %, for 3 of 4
    q, n, p = 1.959964, 4, 0.75
    centre, half = (
        (p + q * q / (2 * n)) / (1 + q * q / n),
        q / (1 + q * q / n) * sqrt(p * (1 - p) / n + q * q / (4 * n * n)),
    )
    assert (z.interval.low, z.interval.high) == pytest.approx((centre - half, centre + half), abs=1e-6)
    *_, none = counts_among(store, "senses", FoundLines(found, are_drawn=False))
    assert (none.lines, none.interval) == (len(found) - 4, None)
    assert counts_among(store, "others", FoundLines(found, are_drawn=False)) == []


def test_the_lines_with_their_categories(store: Store) -> None:
    found = lines(store)
    set_category(store, "senses", [found[-1], found[2]], "x")
    shown = list(categorised_lines(store, "senses", Wanted(("fra",), places=True)))
    assert [each.texts["category"] for each in shown] == ["x", "x"]
    assert [(each.texts["left"], each.texts["match"], each.texts["right"]) for each in shown] == [
        ("she ", "run", "s 😀 a run"),
        ("a cat ", "run", "s"),
    ]
    assert [each.translations[0].text for each in shown] == ["fr she runs 😀 a run", "fr a cat runs"]
    assert all(each.places for each in shown)
    with pytest.raises(InputError, match="no set of categories 'sense'; did you mean 'senses'"):
        list(categorised_lines(store, "sense", Wanted()))
    undo_categories(store, "senses")
    with pytest.raises(InputError, match="in the set 'senses' any more"):
        list(categorised_lines(store, "senses", Wanted()))


@pytest.mark.parametrize("name", ["", " ", "a\x1bb", "-a", " a"])
def test_what_is_no_name(store: Store, name: str) -> None:
    for set_name, category in ((name, "x"), ("senses", name)):
        with pytest.raises(UsageError):
            set_category(store, set_name, lines(store), category)
    with pytest.raises(UsageError, match="no digit"):
        set_category(store, "senses", lines(store), "1st")
    assert category_sets(store) == []


def test_nobody_deletes_or_changes_a_category(store: Store) -> None:
    set_category(store, "senses", lines(store), "x")
    for statement in ("delete from line_category", "update line_category set category = 'y'"):
        with pytest.raises(StoreError, match="never"), store.write() as connection:
            connection.execute(statement)


def test_a_set_is_renamed_or_deleted_whole(run: Run, animals: Path) -> None:
    run("search", "runs", "--lang", "eng", "--kwic", "-n", "3")
    for name in ("A", "B"):
        assert run("categories", "set", name, "one", "--lines", "1,3").exit_code == 0
    assert "there is a set of categories 'B' already" in run("categories", "rename", "A", "B").stderr
    assert run("categories", "rename", "A", "C").exit_code == run("categories", "undo", "C").exit_code == 0
    for name, lines in (("B", 2), ("C", 0)):
        assert json.loads(run("categories", "remove", name, "--json").stdout)["lines"] == lines
    assert "no set of categories 'B'; there is none yet" in run("categories", "remove", "B").stderr
    assert run("check").exit_code == 0
    assert run("categories", "set", "B", "one").exit_code == 0  # what keeps rows as they are is back
    with open_store(animals / "corpus.db") as store:
        test_nobody_deletes_or_changes_a_category(store)


# `corpusdb categories`: from a search to lines with their categories, their ratios and a file.


def test_from_a_search_to_a_file(run: Run, animals: Path) -> None:
    run("search", "runs", "--lang", "eng", "--kwic", "-n", "3")
    report = run("categories", "set", "A", "one", "--lines", "1,3", "--json")
    assert json.loads(report.stdout) == {
        "name": "A",
        "category": "one",
        "query": "corpusdb search --lang eng --kwic runs",
        "lines": 2,
        "changed": 2,
        "first": {"line": 1, "left": "cat ", "match": "runs", "right": "."},
    }
    run("categories", "set", "A", "two", "--lines", "2-3")
    shown = run("search", "runs", "--lang", "eng", "--kwic", "--categories", "A").stdout.splitlines()
    assert [line.split("\t")[3:] for line in shown] == [
        ["category", "left", "match", "right"],
        ["one", "cat ", "runs", "."],
        ["two", "dog ", "runs", "."],
        ["two", "cat dog ", "runs", "."],
    ]
    hits = json.loads(run("search", "dog runs", "--lang", "eng", "--kwic", "--categories", "A", "--json").stdout)[
        "hits"
    ]
    assert [hit["category"] for hit in hits] == ["", ""]  # another match
    for asked in (("--group", "category"), ("--group", "match", "--category", "two")):
        counted = run("search", "runs", "--lang", "eng", "--categories", "A", *asked)
        assert (counted.exit_code, "no effect" in counted.stderr) == (0, False)  # it says of which set they are
    ratios = json.loads(run("categories", "ratios", "A", "--json").stdout)["categories"]
    assert [(each["category"], each["lines"], round(each["share"], 4)) for each in ratios] == [
        ("one", 1, 0.3333),
        ("two", 2, 0.6667),
    ]
    assert [each["interval"] for each in ratios] == [None, None]  # nobody drew them
    assert run("categories", "list").stdout.splitlines()[1:] == ["A\t2\t3"]
    assert run("categories", "export", "A", "--with", "fra", "-o", "lines.tsv").exit_code == 0
    exported = (animals / "lines.tsv").read_text(encoding="utf-8").splitlines()
    assert exported[0] == "id language category left match right fra".replace(" ", "\t")
    assert [line.split("\t")[2:] for line in exported[1:]] == [
        ["one", "cat ", "runs", ".", "le cat runs."],
        ["two", "dog ", "runs", ".", "le dog runs."],
        ["two", "cat dog ", "runs", ".", "le cat dog runs."],
    ]
    assert run("categories", "undo", "A").stdout == "set\tA\nlines\t2\n"
    lines = json.loads(run("categories", "export", "A", "--json").stdout)["lines"]
    assert [(each["category"], each["left"]) for each in lines] == [("one", "cat "), ("one", "cat dog ")]
    run("search", "cat", "--lang", "eng", "--save", "cats")
    assert run("categories", "clear", "A", "cats").stdout.endswith("changed\t0\n")
    run("search", "runs", "--lang", "eng", "--kwic", "--save", "running")
    assert run("categories", "clear", "A", "running", "--lines", "1").stdout.endswith("changed\t1\n")
    assert run("categories", "list").stdout.splitlines()[1:] == ["A\t1\t1"]


def test_ratios_are_of_the_lines_that_were_drawn(run: Run, animals: Path) -> None:
    run("search", "runs", "--lang", "eng", "--kwic")
    run("categories", "set", "A", "one", "--lines", "1")
    run("categories", "set", "A", "two", "--lines", "2-3")
    drawn = run("search", "s", "--lang", "eng", "--kwic", "--sample", "4")
    assert drawn.exit_code == 0
    among = json.loads(run("categories", "ratios", "A", "-", "--json").stdout)
    assert sum(each["lines"] for each in among["categories"]) == 4
    assert among["categories"][-1]["category"] is None and all(each["interval"] for each in among["categories"])
    told = run("categories", "ratios", "A", "-")
    assert told.stdout.splitlines()[-1].startswith("(none)\t")
    assert "of 4 lines of `corpusdb search --lang eng --kwic --sample 4 s`" in told.stderr
    run("search", "s", "--lang", "eng", "--kwic")
    told = run("categories", "ratios", "A", "-")
    assert "no interval, for lack of lines drawn with --sample; all lines are there" in told.stderr


def test_an_export_takes_the_selection_of_the_export_of_units(run: Run, animals: Path) -> None:
    run("search", "runs", "--lang", "eng", "--save", "running")
    run("categories", "set", "A", "one", "running")
    run("search", "dog runs", "--lang", "eng", "--save", "dogs")
    assert run("results", "keep", "dogs only", "dogs").exit_code == 0

    def lefts(*words: str) -> list[str]:
        return [each["left"] for each in json.loads(run("categories", "export", "A", *words, "--json").stdout)["lines"]]

    assert lefts() == lefts("running") == lefts("--query", "running") == ["cat ", "dog ", "cat dog "]
    assert lefts("--collection", "dogs only") == ["dog ", "cat dog "]
    assert lefts("running", "--collection", "dogs only") == ["dog ", "cat dog "]
    none = run("categories", "export", "A", "dogs")
    assert (none.exit_code, "none of these lines has a category in the set 'A'" in none.stderr) == (0, True)
    last = "of `corpusdb search --lang eng 'dog runs'`, from your history; QUERY names another"
    assert last in run("categories", "export", "A", "-").stderr
    assert last in run("export", "--query", "-", "-o", "last.tsv", "--lang", "eng,fra").stderr
    both = run("categories", "export", "A", "dogs", "--query", "dogs")
    assert (both.exit_code, "give QUERY or --query" in both.stderr) == (2, True)


@pytest.mark.slow
def test_an_export_of_lines_with_categories_says_how_to_get_these(run: Run, animals: Path) -> None:
    """They were left behind without a word."""
    assert "categories" not in run("export", "--lang", "eng,fra", "-o", "before.tsv").stderr
    run("search", "dog runs", "--lang", "eng", "--save", "dogs")
    run("categories", "set", "A", "one", "dogs")
    told = "some lines have categories; this exports them: `corpusdb categories export A"
    result = run("export", "--query", "dogs", "-o", "dogs.tsv", "--lang", "eng,fra")
    assert f"{told} --query dogs -o FILE`" in result.stderr
    assert run("categories", "export", "A", "--query", "dogs", "-o", "senses.tsv").exit_code == 0
    assert f"{told} -o FILE`" in run("export", "-o", "all.tsv", "--lang", "eng,fra").stderr
    run("search", "wolf", "--lang", "eng", "--save", "cats")
    run("search", "cat sleeps", "--lang", "eng", "--save", "sleeping")
    assert "categories" not in run("export", "--query", "sleeping", "-o", "s.tsv", "--lang", "eng,fra").stderr


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("set", "A", "one", "--lines", "4"), 2, "'4' is not among the lines 1 to 3 that the query finds"),
        (("set", "A", "one", "--lines", "0"), 2, "'0' is not among the lines 1 to 3"),
        (("set", "A", "one", "--lines", "3-2"), 2, "'3-2' is not among the lines 1 to 3"),
        (("set", "A", "one", "--lines", "x"), 2, "'x' names no lines; write 3,5-9"),
        (("set", "A", "1st"), 2, "'1st' cannot be a category"),
        (("set", " A", "one"), 2, "cannot be the name of a set of categories"),
        (("undo", "A"), 3, "there is no set of categories 'A'; there is none yet; `corpusdb categories set A"),
        (("clear", "A"), 3, "there is no set of categories 'A'"),
        (("ratios", "A"), 3, "there is no set of categories 'A'"),
        (("export", "A"), 3, "there is no set of categories 'A'"),
        (("set", "A", "one", "nothing"), 3, "no query is saved as 'nothing'"),
    ],
)
def test_what_cannot_be_done_is_told_and_nothing_stored(
    run: Run, animals: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    run("search", "runs", "--lang", "eng", "--kwic")
    result = run("categories", *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert told in result.stderr
    assert run("categories", "list", "--json").stdout == "[]\n"


@pytest.mark.parametrize(
    ("search", "lines", "told"),
    [
        (("--kwic", "-n", "2"), "3", "'3' was not shown, only the lines 1 to 2; `corpusdb search --lang eng --kwic"),
        (("--kwic", "-n", "1"), "1-2", "'1-2' was not shown, only the lines 1 to 1; "),
        ((), "1", "showed no lines that could be counted; `corpusdb search --lang eng --kwic runs` shows them"),
        (("--group", "match"), "1", "`corpusdb search --lang eng --kwic runs` shows them"),
    ],
)
def test_lines_that_were_not_shown_are_refused(
    run: Run, animals: Path, search: tuple[str, ...], lines: str, told: str
) -> None:
    run("search", "runs", "--lang", "eng", *search)
    result = run("categories", "set", "A", "one", "--lines", lines)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
    assert run("categories", "list", "--json").stdout == "[]\n"


def test_lines_of_a_document_that_is_read(run: Run, animals: Path) -> None:
    """They have numbers, as those of a pattern, and can be given a category and kept."""
    shown = json.loads(run("search", "", "--kwic", "--document", "animals.tsv", "--json").stdout)["hits"]
    assert run("categories", "set", "A", "one", "--lines", "2").exit_code == 0
    assert run("results", "keep", "all of it").exit_code == 0
    (line,) = json.loads(run("categories", "export", "A", "--json").stdout)["lines"]
    assert (line["id"], line["match"]) == (shown[1]["id"], shown[1]["match"])
    run("search", "", "--kwic", "--document", "animals.tsv", "--sample", "1")
    assert run("results", "keep", "one of it").exit_code == 0
    none = run("search", "Dog", "--lang", "eng", "--kwic", "--categories", "A", "--category", "two", "-i")
    assert "none of these lines has the category 'two'" in none.stderr and "ignoring case there" not in none.stderr


def test_no_line_is_told(run: Run, animals: Path) -> None:
    run("search", "wolf", "--lang", "eng")
    result = run("categories", "set", "A", "one")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no lines found, nothing changed" in result.stderr


def test_a_set_that_there_is_not_is_not_searched_with(run: Run, animals: Path) -> None:
    run("search", "runs", "--lang", "eng", "--kwic")
    run("categories", "set", "use", "one", "--lines", "2")
    result = run("search", "runs", "--lang", "eng", "--kwic", "--categories", "us")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "no set of categories 'us'; did you mean 'use'?" in result.stderr
    assert run("categories", "undo", "use").exit_code == 0
    result = run("search", "runs", "--lang", "eng", "--kwic", "--categories", "use")
    assert result.exit_code == 0
    assert "no line has a category in the set 'use' any more" in result.stderr
    assert run("categories", "undo", "use").exit_code == 1


def test_the_answer_names_the_query_and_the_first_line(
    run: Run, animals: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_history, "this_terminal", lambda: "one")
    run("search", "runs", "--lang", "eng", "--kwic")
    monkeypatch.setattr(user_history, "this_terminal", lambda: "other")
    run("search", "sleeps", "--lang", "eng", "--kwic")
    for terminal, word in (("one", "runs"), ("other", "sleeps")):
        monkeypatch.setattr(user_history, "this_terminal", lambda name=terminal: name)
        report = run("categories", "set", "A", terminal, "--lines", "2-3")
        rows = dict(line.split("\t") for line in report.stdout.splitlines())
        assert rows["query"] == f"corpusdb search --lang eng --kwic {word}"
        assert rows["first line"] == f"2: dog [{word}]."
    monkeypatch.setattr(user_history, "this_terminal", lambda: "new")
    for words in (("categories", "set", "A", "new"), ("results", "keep", "R")):
        refused = run(*words)
        assert (refused.exit_code, "this terminal has no query yet" in refused.stderr) == (2, True)
    assert "taking that of another terminal" in run("run", "-").stderr
    monkeypatch.setattr(user_history, "this_terminal", lambda: "one")
    assert "--kwic runs" in run("results", "keep", "R").stdout

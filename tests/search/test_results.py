"""Results under a name: sets made of them, and their command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path

import pytest
from calls import Run
from corpora import filled_store, import_rows, new_store
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.options import options_to_json
from corpusdb.corpus.queries.export import Held, Selection, by_sentence, export_units
from corpusdb.corpus.queries.names import save_query
from corpusdb.corpus.queries.sentences import sentences_of
from corpusdb.corpus.store import Store
from corpusdb.search.commands import lines_again
from corpusdb.search.queries.frequencies import Count, frequency_list
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.results import (
    NewSelection,
    Operation,
    combine_results,
    found_by,
    keep_found,
    keep_selection,
    part_of_corpus,
    remove_selection,
    stored_selections,
)
from corpusdb.search.queries.token_selection import TokenSelection

# Results under a name: what a query finds, and sets made of them, against Python's own sets.


TEXTS = [f"{a} {b}" for a in ("cat", "dog", "cat dog", "bird") for b in ("runs", "sleeps", "eats")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with filled_store(tmp_path, fill) as store:
        yield store


def fill(store: Store) -> None:
    import_rows(store, [(text, f"fr {text}") for text in TEXTS])
    import_rows(store, [("cat runs", "encore"), ("lion", "lion")])


def searched(pattern: str, lang: str = "eng") -> SearchRequest:
    return SearchRequest(pattern, lang=lang)


def numbers(store: Store, pattern: str) -> set[int]:
    sql = "select id from sentence where language = 'eng' and instr(text, ?)"
    return {row[0] for row in store.connection.execute(sql, (pattern,))}


def kept(store: Store, name: str) -> set[int]:
    return {*sentences_of(store, name).tolist()}


def test_all_that_is_found_is_kept(store: Store) -> None:
    count = keep_found(store, "A", SearchRequest("cat", lang="eng", limit=1), "in words")
    assert count == len(numbers(store, "cat")) == 6
    assert kept(store, "A") == numbers(store, "cat")
    (one,) = stored_selections(store)
    assert (one.name, one.language, one.sentences) == ("A", "eng", 6)
    assert one.parameters == {"method": "query", "query": "in words"}


def test_a_name_is_that_of_one_set(store: Store) -> None:
    keep_found(store, "A", searched("cat"), "")
    with pytest.raises(InputError, match="there is a result 'A' already"):
        keep_found(store, "A", searched("dog"), "")
    with pytest.raises(InputError, match="there is a collection 'rows'"):
        keep_found(store, "rows", searched("dog"), "")
    with pytest.raises(InputError, match="there is a result 'A' already"):
        combine_results(store, "A", "union", ["A", "A"])


def test_a_result_takes_the_place_of_another(store: Store) -> None:
    keep_found(store, "A", searched("cat"), "cats")
    keep_found(store, "A", searched("dog"), "dogs", replace=True)
    assert [each.parameters["query"] for each in stored_selections(store)] == ["dogs"]
    keep_found(store, "B", searched("cat"), "")
    assert combine_results(store, "A", "union", ["A", "B"], replace=True) == 9
    assert keep_found(store, "A", searched("wolf"), "", replace=True) == 0
    assert {each.name: each.sentences for each in stored_selections(store)} == {"A": 9, "B": 6}
    with pytest.raises(InputError, match="there is a collection 'rows'"):
        keep_found(store, "rows", searched("dog"), "", replace=True)
    keep_selection(store, NewSelection("drawn", "eng", {"method": "random"}, [], 1), [(1, 0.0)])
    with pytest.raises(InputError, match="there is a selection 'drawn'"):
        keep_found(store, "drawn", searched("dog"), "", replace=True)


_COMBINED: dict[Operation, Callable[[set[int], set[int]], set[int]]] = {
    "union": lambda one, other: one | other,
    "intersection": lambda one, other: one & other,
    "difference": lambda one, other: one - other,
}


@given(st.sampled_from(sorted(_COMBINED)), st.lists(st.sampled_from(["A", "B", "C", "saved"]), min_size=2, max_size=4))
def test_sets_of_sets(tmp_path_factory: pytest.TempPathFactory, operation: Operation, names: list[str]) -> None:
    with new_store(tmp_path_factory.mktemp("sets")) as store:
        import_rows(store, [(text, f"fr {text}") for text in TEXTS])
        patterns = {"A": "cat", "B": "dog", "C": "runs", "saved": "sleeps"}
        for name in ("A", "B", "C"):
            keep_found(store, name, searched(patterns[name]), "")
        save_query(store, "saved", "search", options_to_json(searched("sleeps")))
        expected = reduce(_COMBINED[operation], [numbers(store, patterns[name]) for name in names])
        assert combine_results(store, "all", operation, names) == len(expected)
        if expected:
            assert kept(store, "all") == expected
        else:
            assert "all" not in [each.name for each in stored_selections(store)]


def test_of_a_collection_the_sentences_of_the_language_count(store: Store) -> None:
    keep_found(store, "A", searched("runs"), "")
    assert combine_results(store, "I", "intersection", ["A", "rows"]) == 4
    assert combine_results(store, "U", "union", ["A", "rows"]) == len(TEXTS) + 1
    assert kept(store, "U") == numbers(store, "")


@pytest.mark.parametrize(
    ("names", "error", "reason"),
    [
        (["A"], UsageError, "two sets or more"),
        (["A", "none"], InputError, "'none' is not a result, a collection or a saved search; there are A, F, rows"),
        (["A", "F"], UsageError, "a result is of one language; these are in eng, fra"),
        (["rows", "rows"], UsageError, "collections alone do not say which"),
    ],
)
def test_what_is_no_set(store: Store, names: list[str], error: type[Exception], reason: str) -> None:
    keep_found(store, "A", searched("cat"), "")
    keep_found(store, "F", searched("cat", "fra"), "")
    with pytest.raises(error, match=reason):
        combine_results(store, "X", "union", names)
    assert [each.name for each in stored_selections(store)] == ["A", "F"]


def test_a_query_in_several_languages_is_no_result(store: Store) -> None:
    assert {*found_by(store, searched("cat", "all"))} == {"eng", "fra"}
    with pytest.raises(UsageError, match="finds sentences in eng, fra: give --lang"):
        keep_found(store, "A", searched("cat", "all"), "")
    assert keep_found(store, "lions", searched("encore", "all"), "") == 1


def test_a_result_is_a_subcorpus(store: Store) -> None:
    keep_found(store, "A", searched("cat"), "")
    counted = frequency_list(store, Count(TokenSelection("eng", collection="A")))
    assert {row.text: row.count for row in counted.rows} == {"cat": 6, "dog": 3, "runs": 2, "sleeps": 2, "eats": 2}
    remove_selection(store, "A")
    with pytest.raises(InputError, match="no collection 'A'"):
        sentences_of(store, "A")


def exported(
    store: Store, part: tuple[Held, ...] | None, languages: tuple[str, ...] = ()
) -> list[tuple[str | None, ...]]:
    return [unit.texts for unit in export_units(store, Selection(languages=languages, held=part))]


def test_the_units_of_a_result_are_exported(store: Store) -> None:
    keep_found(store, "A", searched("cat runs"), "")
    part = part_of_corpus(store, ["A"])
    assert part.collections == ()
    assert exported(store, part.held) == [("cat runs", "fr cat runs"), ("cat runs", "encore")]
    assert exported(store, part.held, languages=("fra", "eng"))[1] == ("encore", "cat runs")
    assert exported(store, None) != exported(store, part.held)
    units = list(by_sentence(store, "eng", sentences=part.sentences))
    assert [unit.texts for unit in units] == [("cat runs", "encore", "fr cat runs")]


def test_units_of_the_part_that_was_searched_are_exported(run: Run, animals: Path) -> None:
    """Of a sentence that stands elsewhere, too, only the unit there: by the name of a result, and by the query."""
    (animals / "more.tsv").write_text("eng\tfra\ndog runs.\tailleurs\n", encoding="utf-8")
    assert run("import", "more.tsv", "--name", "more").exit_code == 0
    run("search", "dog runs", "--lang", "eng", "--collection", "more")
    run("results", "keep", "M")
    for chosen in (("--query", "-"), ("--collection", "M"), ("--collection", "M", "--query", "-")):
        written = run("export", *chosen, "-o", "-", "--format", "tsv").stdout
        assert written == "eng\tfra\ndog runs.\tailleurs\n", chosen
    run("search", "dog runs", "--lang", "eng")
    everywhere = run("export", "--query", "-", "-o", "all.tsv", "--lang", "eng")
    assert "2 sentences in 3 units, each in all its places" in everywhere.stderr, everywhere.stderr


def test_results_and_a_query_narrow_what_is_exported(store: Store) -> None:
    keep_found(store, "A", searched("cat"), "")
    keep_found(store, "B", searched("bird"), "")
    whole = part_of_corpus(store, ["rows"])
    assert (whole.collections, whole.sentences) == (("rows",), None)
    assert part_of_corpus(store, ["A", "B"]).sentences == frozenset(numbers(store, "cat") | numbers(store, "bird"))
    narrowed = part_of_corpus(store, ["A", "B", "rows"], searched("runs"))
    assert narrowed.collections == ("rows",)
    assert narrowed.sentences == frozenset((numbers(store, "cat") | numbers(store, "bird")) & numbers(store, "runs"))
    with pytest.raises(InputError, match="the query finds nothing"):
        part_of_corpus(store, [], searched("wolf"))
    with pytest.raises(InputError, match="there is no collection 'none'"):
        part_of_corpus(store, ["none"])


# `corpusdb results`: a query, kept under a name, combined, counted and exported in every format.


def test_from_a_search_to_files_of_every_format(run: Run, animals: Path) -> None:
    run("search", "cat", "--lang", "eng", "-n", "1")
    assert json.loads(run("results", "keep", "A", "--json").stdout) == {
        "name": "A",
        "query": "corpusdb search --lang eng cat",
        "sentences": 4,
    }
    run("search", "dog", "--lang", "eng", "--save", "dogs")
    assert (
        run("results", "keep", "B", "dogs").stdout == "result\tB\nquery\tcorpusdb search --lang eng dog\nsentences\t4\n"
    )
    for operation, count in (("union", 6), ("intersection", 2), ("difference", 2)):
        made = run("results", operation, f"{operation} of both", "A", "B", "--json")
        assert json.loads(made.stdout)["sentences"] == count
    rows = run("results", "list").stdout.splitlines()
    assert rows[1] == "A\teng\t4\tquery\tcorpusdb search --lang eng cat"
    assert "difference of both\teng\t2\tdifference\tdifference of A, B" in rows
    assert "cat\t4" in run("frequencies", "--collection", "A", "--lang", "eng").stdout
    for name in ("x.tmx", "x.jsonl", "x.tsv", "x.csv"):
        report = json.loads(run("export", "-o", name, "--collection", "difference of both", "--json").stdout)
        assert report["units"] == 2
    run("export", "-o", "x", "--format", "moses", "--lang", "eng,fra", "--collection", "difference of both")
    assert (animals / "x.eng").read_text(encoding="utf-8") == "cat runs.\ncat sleeps.\n"
    piped = run("export", "-o", "-", "--format", "tsv", "--query", "dogs").stdout
    assert piped.splitlines()[1:] == [f"{a} {b}.\tle {a} {b}." for a in ("dog", "cat dog") for b in ("runs", "sleeps")]
    assert run("results", "remove", "A").exit_code == 0
    assert run("frequencies", "--collection", "A", "--lang", "eng").exit_code == 3


def test_what_is_empty_is_told(run: Run, animals: Path) -> None:
    run("search", "wolf", "--lang", "eng")
    result = run("results", "keep", "A")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no sentences found, nothing saved" in result.stderr
    run("frequencies", "--lang", "eng")
    result = run("results", "keep", "A")
    assert result.exit_code == 2
    assert "only those of search find sentences" in result.stderr


def test_a_result_is_kept_again_in_its_place(run: Run, animals: Path) -> None:
    run("search", "cat", "--lang", "eng")
    run("results", "keep", "A")
    run("search", "dog runs", "--lang", "eng")
    result = run("results", "keep", "A")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "there is a result 'A' already; give another name, or `results keep --replace`" in result.stderr
    assert run("results", "keep", "A", "--replace").stdout.endswith("sentences\t2\n")
    assert run("results", "union", "A", "A", "animals", "--replace").stdout.endswith("sentences\t6\n")
    assert "[QUERY]" in run("results", "keep", "--help").stdout
    assert "[QUERY]" in run("categories", "set", "--help").stdout


def test_what_is_asked_of_a_result_is_asked_in_its_language(run: Run, animals: Path) -> None:
    run("search", "cat", "--lang", "fra")
    run("results", "keep", "A")
    run("search", "cat", "--lang", "eng")
    run("results", "keep", "E")
    for language, name in (("fra", "A"), ("eng", "E")):
        told = f"in {language}, the language of '{name}'"
        found = run("search", "runs", "--collection", name)
        assert told in found.stderr
        assert [row.split("\t")[1] for row in found.stdout.splitlines()[1:]] == [language] * 2
        for words in (
            ("collocates", "cat", "--collection", name, "--least", "1"),
            ("frequencies", "--collection", name),
            ("keywords", name),
            ("keywords", "animals", "--against", name),
        ):
            asked = run(*words)
            assert (asked.exit_code, told in asked.stderr) == (0, True), asked.stderr


def test_results_are_taken_and_named_where_collections_are(run: Run, animals: Path) -> None:
    run("search", "cat", "--lang", "eng")
    run("results", "keep", "A")
    inside = run("search", "", "--collection", "A", "--document", "animals.tsv", "--json")
    assert json.loads(inside.stdout)["total"] == 4
    for words in (
        ("search", "cat", "--collection", "B"),
        ("keywords", "B"),
        ("export", "-o", "b.tsv", "--collection", "B"),
    ):
        result = run(*words)
        assert result.exit_code == 3
        assert "there is no collection 'B'; there are animals, and of results A" in result.stderr


def test_the_lines_of_a_result_are_had_again(run: Run, animals: Path) -> None:
    lines = run("search", "dog", "--lang", "eng", "--kwic").stdout
    kept = run("results", "keep", "A")
    call = "corpusdb search --kwic --collection A --lang eng dog"
    assert f"a result holds sentences; to see its lines: `{call}`" in kept.stderr
    empty = run("search", "", "--kwic", "--collection", "A")
    assert "a concordance needs a pattern" in empty.stderr
    assert empty.exit_code == 2 and f"'A' holds sentences: their lines are `{call}`" in empty.stderr
    assert run(*call.split()[1:]).stdout == lines
    assert "a concordance needs a pattern" in run("search", "", "--kwic").stderr
    run("search", "dog", "--lang", "eng", "--kwic", "--collection", "animals")
    kept = run("results", "keep", "of it")
    call = "corpusdb search --kwic --collection 'of it' --lang eng dog"
    assert f"a result holds sentences; to see its lines: `{call}`" in kept.stderr
    assert lines_again("B", "corpusdb search --kwic 'a --collection x'") == (
        "corpusdb search --kwic --collection B 'a --collection x'"
    )

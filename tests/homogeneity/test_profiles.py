"""Profiles follow the corpus, and correlations over its documents."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from corpora import MIXED_ROWS, NEWS, TALK, import_file, import_rows, new_store, write_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusdb.base.char_model_counts import Alphabet, normalised, train
from corpusdb.base.char_model_probabilities import model_of, text_bits
from corpusdb.base.errors import InputError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import check_source, import_source, update_layers
from corpusdb.chain.queries.repair import repair
from corpusdb.corpus.formats import Options, open_source
from corpusdb.corpus.store import Store, layer_state, open_store
from corpusdb.homogeneity.queries.profile_levels import document_correlations, entries_of, profile_report
from corpusdb.homogeneity.queries.profiles import ProfileRecipe, among, make_profile, profiles_of
from corpusdb.homogeneity.scale import Statistics, coefficients

# Profiles follow the corpus: whatever the order of imports, their rows are those of a profile made at the end.


def recipe(folder: Path, **others: object) -> ProfileRecipe:
    """References in files."""
    for name, lines in (("spoken.txt", TALK), ("written.txt", NEWS)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    names = {"spoken": (str(folder / "spoken.txt"),), "written": (str(folder / "written.txt"),)}
    return ProfileRecipe(**(names | others))  # type: ignore[arg-type]


def damage(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(statement).rowcount > 0
        connection.commit()


def rows_of(store: Store) -> dict[str, tuple[object, ...]]:
    """The rows of all profiles by text."""
    query = """
        select text, characters, bits1, bits2, unknown from profile_sentence
        join sentence on sentence.id = profile_sentence.sentence order by profile"""
    return {row[0]: row[1:] for row in store.connection.execute(query)}


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**20), cuts=st.lists(st.integers(0, len(MIXED_ROWS)), max_size=3))
@pytest.mark.slow
def test_a_profile_that_followed_is_one_made_at_the_end(
    tmp_path_factory: pytest.TempPathFactory, seed: int, cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("profiles")
    chance, chosen = random.Random(seed), recipe(folder, normalisation="letters")
    rows = list(MIXED_ROWS)
    chance.shuffle(rows)
    bounds = [0, *sorted(cuts), len(rows)]
    with new_store(folder, "grown") as grown, new_store(folder, "whole") as whole:
        import_rows(grown, [("A first one.", "Une.")])
        finished(make_profile(grown, "eng", chosen))
        for first, last in pairwise(bounds):
            if rows[first:last]:
                import_rows(grown, rows[first:last])
                finished(update_layers(grown))
        import_rows(whole, [("A first one.", "Une."), *sorted(rows)])
        finished(make_profile(whole, "eng", chosen))
        assert rows_of(grown) == rows_of(whole)
        assert {"!!!", "Oh, right."}.isdisjoint(rows_of(grown))
        assert check(grown, full=True).problems == ()
        state = layer_state(grown, "eng", "profile")
        assert state is not None and state.complete
        assert profile_report(grown, profiles_of(grown.connection, "eng")[0]).measured == len(MIXED_ROWS) - 1


def test_rows_are_what_models_of_the_references_give(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, MIXED_ROWS)
    made = finished(make_profile(empty, "eng", recipe(tmp_path, characters=80)))
    report = profile_report(empty, made)
    assert report.characters == (80, 80)
    assert (report.sentences, report.in_references, report.empty, report.measured) == (7, 1, 0, 6)
    models = made.smoothed(empty.connection)
    assert models[0].alphabet == models[1].alphabet
    stored = rows_of(empty)
    for text, row in stored.items():
        bits = text_bits(models, normalised([text], "case"))
        expected = (bits.characters[0], bits.bits[0, 0], bits.bits[1, 0], bits.unknown[0])
        assert row == pytest.approx(expected)
    assert stored["你好"][3] == 2
    values = np.array(list(stored.values()))
    statistics = Statistics(values[:, 0].astype(np.int64), values[:, 1], values[:, 2])
    [whole] = entries_of(empty, made, "collection")
    assert whole.coefficient == pytest.approx(coefficients(statistics.total(), made.anchors).values[0])
    assert (whole.lines, whole.left_out, whole.unknown) == (6, 1, report.unknown)


def test_anchors_are_those_of_both_references_as_they_are(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, MIXED_ROWS)
    made = finished(make_profile(empty, "eng", recipe(tmp_path, normalisation="none", characters=10**6)))
    size = sum(map(len, TALK))
    alphabet = models_alphabet = made.smoothed(empty.connection)[0].alphabet
    assert {*"".join(TALK)} <= {*alphabet.characters}
    spoken = model_of(train(TALK, models_alphabet, 5), "wb")  # the smaller one, which stays whole
    bits = text_bits([spoken], TALK)
    assert made.anchors.h11 == pytest.approx(bits.bits.sum() / size)
    assert made.anchors.h12 > made.anchors.h11 and made.anchors.h21 > made.anchors.h22
    assert Alphabet.of(TALK) | alphabet == alphabet


def test_the_same_call_measures_only_what_is_new(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, MIXED_ROWS[:3])
    first = finished(make_profile(empty, "eng", recipe(tmp_path)))
    import_rows(empty, MIXED_ROWS[3:])
    again = finished(make_profile(empty, "eng", recipe(tmp_path)))
    assert again.id == first.id
    changes = empty.connection.total_changes
    finished(make_profile(empty, "eng", recipe(tmp_path)))
    assert empty.connection.execute("select count(*) from profile").fetchone() == (1,)
    assert empty.connection.total_changes - changes < 10  # the job lock


def test_a_second_profile_has_all_sentences_too_also_after_an_interruption(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, MIXED_ROWS)
    finished(make_profile(empty, "eng", recipe(tmp_path)))
    job = make_profile(empty, "eng", recipe(tmp_path, order=3))
    for step in job:
        if step.stage.startswith("measuring sentences"):
            break
    job.close()
    assert len(profiles_of(empty.connection, "eng")) == 2
    finished(update_layers(empty))
    counts = empty.connection.execute("select count(*) from profile_sentence group by profile").fetchall()
    assert counts == [(6,), (6,)]
    assert check(empty, full=True).problems == ()


def test_a_reference_that_changes_makes_it_stale(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, MIXED_ROWS)
    chosen = recipe(tmp_path)
    made = finished(make_profile(empty, "eng", chosen))
    assert made.changed(empty) == []
    before = rows_of(empty)
    with (tmp_path / "spoken.txt").open("a", encoding="utf-8") as file:
        file.write("Shares fell.\n")
    same = finished(make_profile(empty, "eng", chosen))
    assert same.id == made.id and same.changed(empty) == [f"the file {tmp_path / 'spoken.txt'} is another one now"]
    assert rows_of(empty) == before
    anew = finished(make_profile(empty, "eng", chosen, rebuild=True))
    assert anew.changed(empty) == []
    assert "Shares fell." not in rows_of(empty)
    assert empty.connection.execute("select count(*) from char_model").fetchone() == (2,)
    (tmp_path / "spoken.txt").unlink()
    (tmp_path / "spoken.txt").mkdir()
    assert anew.changed(empty) == [f"{tmp_path / 'spoken.txt'}: is a directory, not a file"]


def test_a_collection_that_grows_makes_it_stale(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, [(text, f"Phrase {number}.") for number, text in enumerate(TALK)])
    import_file(empty, write_rows(tmp_path / "others.tsv", MIXED_ROWS), ("eng", "fra"), "others")
    made = finished(make_profile(empty, "eng", recipe(tmp_path, spoken=("rows",))))
    import_rows(empty, [("Well, okay.", "Bon.")])
    finished(update_layers(empty))
    assert made.changed(empty) == ["the collection rows has other texts now"]
    assert "Well, okay." in rows_of(empty)


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"spoken": ("nothing",)}, "'nothing' is neither a collection nor a file; collections are rows"),
        ({"spoken": ("rows",), "written": ("rows",)}, "'rows' is both references; they must not overlap"),
        ({"spoken": ("rows", "rows")}, "'rows' is named twice"),
        ({"spoken": ("blank.txt",)}, "the spoken reference has no characters"),
        ({"spoken": ("rows",)}, "every sentence in eng is part of a reference, so there is none to measure"),
    ],
)
def test_references_that_cannot_be_taken(
    empty: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: dict[str, object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "blank.txt").write_text(" \n\n", encoding="utf-8")
    import_rows(empty, [("Hey you.", "Toi.")])
    with pytest.raises(InputError, match=message):
        finished(make_profile(empty, "eng", recipe(tmp_path, **others)))
    assert empty.connection.execute("select count(*) from profile").fetchone() == (0,)
    assert empty.connection.execute("select count(*) from char_model").fetchone() == (0,)


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "update profile_sentence set bits1 = bits1 + 0.01 where sentence = 1",
        "delete from profile_sentence where sentence = 1",
        "insert into profile_sentence select profile, 3, 1, 1.0, 1.0, 0 from profile_sentence limit 1",
    ],
)
def test_changed_rows_are_found_and_made_again(empty: Store, tmp_path: Path, statement: str) -> None:
    import_rows(empty, [row for row in MIXED_ROWS if row[0] != "!!!"])
    path = empty.path
    finished(make_profile(empty, "eng", recipe(tmp_path)))
    rows = rows_of(empty)
    numbers = dict(empty.connection.execute("select text, id from sentence where language = 'eng'"))
    numbered = {1: numbers["Okay, see you there."], 3: numbers["Oh, right."]}
    statement = statement.replace("sentence = 1", f"sentence = {numbered[1]}").replace(
        "profile, 3", f"profile, {numbered[3]}"
    )
    empty.close()
    damage(path, statement)
    with open_store(path) as damaged:
        assert any("have another row than its models give" in each for each in check(damaged).problems)
        assert finished(repair(damaged)).ok
        assert rows_of(damaged) == rows


def test_a_corrupt_model_is_told(empty: Store, tmp_path: Path) -> None:
    import_rows(empty, MIXED_ROWS)
    path = empty.path
    made = finished(make_profile(empty, "eng", recipe(tmp_path)))
    empty.close()
    damage(path, "update char_model set counts = cast(substr(counts, 1, length(counts) - 1) || 'x' as blob)")
    with open_store(path) as damaged:
        assert f"profile {made.id} of eng: the model is corrupt" in check(damaged).problems
        with pytest.raises(InputError, match="the model is corrupt"):
            made.smoothed(damaged.connection)


# Correlations over documents, against scipy's of the coefficients that are listed.

PROFILE_CORRELATIONS_WRITTEN = [
    "The minister announced the plan on Tuesday.",
    "Officials declined to comment on the report.",
    "Shares fell by four percent in early trading.",
]


def profile_correlations_recipe(folder: Path, *more: str) -> ProfileRecipe:
    names = []
    for name, lines in (("spoken", TALK), ("written", PROFILE_CORRELATIONS_WRITTEN)):
        path = folder / f"{name}{len(more)}.txt"
        path.write_text("".join(f"{line}\n" for line in [*lines, *more]), encoding="utf-8")
        names.append((str(path),))
    return ProfileRecipe(spoken=names[0], written=names[1])


def test_correlations_are_those_of_the_documents_listed(tmp_path: Path) -> None:
    stats = pytest.importorskip("scipy.stats")
    units = []
    for document in range(7):
        for line in range(document % 3 + 1):
            pair = (TALK[line % 5], PROFILE_CORRELATIONS_WRITTEN[document % 3])
            text = f"{pair[0] if (document + line) % 2 else pair[1]} {'so ' * document}{line}"
            units.append({"eng": text, "fra": f"{text[::-1]} {document}", "document": f"d{document}"})
    path = tmp_path / "u.jsonl"
    path.write_text("".join(f"{json.dumps(unit)}\n" for unit in units), encoding="utf-8")
    with new_store(tmp_path) as store:
        finished(import_source(store, finished(check_source(open_source("jsonl", [path], Options()))), "own"))
        english = finished(make_profile(store, "eng", profile_correlations_recipe(tmp_path)))
        alone = {each.beside: each for each in document_correlations(store, english)}
        french = finished(make_profile(store, "fra", profile_correlations_recipe(tmp_path, "yeht raeh ti")))
        both = {each.beside: each for each in document_correlations(store, english)}
        entries = {
            language: {each.name: each for each in entries_of(store, made, "document")}
            for language, made in (("eng", english), ("fra", french))
        }
        few = document_correlations(store, english, among(store, "eng", document="d1"))
    own = entries["eng"]
    beside: dict[str, dict[str, float | None]] = {
        "characters": {name: each.characters for name, each in own.items()},
        "characters per line": {name: each.characters / each.lines for name, each in own.items()},
        "I in fra": {name: each.coefficient for name, each in entries["fra"].items()},
    }
    assert ([*alone], [*both], few) == (["characters", "characters per line"], [*beside], [])
    for name, values in beside.items():
        known = [each for each in own if own[each].coefficient is not None and values[each] is not None]
        expected = stats.pearsonr([own[each].coefficient for each in known], [values[each] for each in known])
        low, high = expected.confidence_interval(0.95)
        found = both[name]
        assert found.documents == len(known)
        assert found.value == pytest.approx(expected.statistic)
        assert found.interval.low == pytest.approx(low)
        assert found.interval.high == pytest.approx(high)

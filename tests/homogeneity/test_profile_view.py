"""A profile to be looked at, against sums made line by line; what is seen becomes a selection, and goes again."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from corpora import MIXED_ROWS, NEWS, TALK, import_file, import_rows, write_rows
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.errors import CorpusError, InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.base.options import options_to_json
from corpusdb.chain.queries.checking import check
from corpusdb.corpus.queries.names import save_query
from corpusdb.corpus.queries.sentences import sentence_id, sentences_of
from corpusdb.corpus.store import Store
from corpusdb.homogeneity.queries.likeness import outliers
from corpusdb.homogeneity.queries.profile_levels import (
    SCALES,
    WIDTHS,
    Level,
    ProfileView,
    Scale,
    ScaleOrder,
    entries_of,
    keep_lines,
    keep_outliers,
    line_places,
    profile_report,
    read_groups,
)
from corpusdb.homogeneity.queries.profiles import (
    ProfileRecipe,
    StoredProfile,
    all_profiles,
    among,
    make_profile,
    read_lines,
)
from corpusdb.homogeneity.report import histogram
from corpusdb.homogeneity.scale import Anchors, LinearScale, Statistics, coefficients
from corpusdb.search.queries.request import SearchRequest
from corpusdb.search.queries.results import remove_selection, selection_members, stored_selections


def profile_of(anchors: Anchors, scale: LinearScale | None) -> StoredProfile:
    return StoredProfile(1, "eng", {}, ((), ()), (1, 2), anchors, scale, (None, None), b"")


PROFILE = profile_of(Anchors(1.0, 3.0, 3.0, 1.0), LinearScale(-1.0, 1.0))
entry = st.tuples(st.integers(1, 60), st.floats(0, 6), st.floats(0, 6))


@given(
    entries=st.lists(entry, max_size=40),
    scale=st.sampled_from(SCALES),
    width=st.sampled_from(WIDTHS),
    ends=st.tuples(st.floats(-2, 3), st.floats(-2, 3)).map(sorted),
)
def test_stretches_and_bars_are_what_counting_one_by_one_gives(
    entries: list[tuple[int, float, float]], scale: Scale, width: float, ends: list[float]
) -> None:
    characters = np.array([each[0] for each in entries], dtype=np.int64)
    bits1, bits2 = (np.array([each[0] * each[side] for each in entries], dtype=np.float64) for side in (1, 2))
    statistics = Statistics(characters, bits1, bits2)
    order = ScaleOrder(PROFILE, statistics, scale)
    found = coefficients(statistics, PROFILE.anchors)
    values = found.values if scale == "I" else LinearScale(-1.0, 1.0).positions(statistics)
    between = order.between(*ends)
    inside = [place for place, value in enumerate(values.tolist()) if ends[0] <= value <= ends[1]]
    assert sorted(order.places(between).tolist()) == inside
    assert sorted(order.places(between, others=True).tolist()) == sorted({*range(len(entries))} - {*inside})
    assert (between.entries, between.characters) == (len(inside), int(characters[inside].sum()))
    assert between.share == pytest.approx(characters[inside].sum() / max(characters.sum(), 1))
    bars = order.bars(width)
    stretches = [bar.stretch for bar in bars]
    assert [each.first for each in stretches] == [0, *(each.last for each in stretches[:-1])]
    assert stretches[-1].last == len(entries)
    for bar in bars:
        for place in order.places(bar.stretch).tolist():
            value = float(values[place])
            match bar.kind:
                case "undefined":
                    assert math.isnan(value)
                case "bar" if bar.low is not None and bar.high is not None:
                    assert bar.low - 1e-9 <= value <= bar.high + 1e-9 and not (scale == "I" and found.clipped[place])
                case _ if scale == "I":
                    assert found.clipped[place] and value == (0 if bar.kind == "below" else 1)
                case "below" if bar.high is not None:
                    assert value <= bar.high + 1e-9
                case _ if bar.low is not None:
                    assert value >= bar.low - 1e-9


def test_references_without_a_linear_scale_have_no_j() -> None:
    nothing = Statistics(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
    with pytest.raises(UsageError, match="too small for the scale J"):
        ScaleOrder(profile_of(PROFILE.anchors, None), nothing, "J")


@pytest.fixture
def view(empty: Store, tmp_path: Path) -> ProfileView:
    """Of two collections: the usual rows, and two of them again with another."""
    more = [MIXED_ROWS[0], (MIXED_ROWS[0][0], "Salut."), MIXED_ROWS[4], ("A minister met us.", "Un ministre.")]
    for name, rows in (("rows", MIXED_ROWS), ("more", more)):
        import_file(empty, write_rows(tmp_path / f"{name}.tsv", rows), ("eng", "fra"), name)
    for name, lines in (("talk.txt", TALK), ("news.txt", NEWS)):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    recipe = ProfileRecipe(spoken=(str(tmp_path / "talk.txt"),), written=(str(tmp_path / "news.txt"),))
    profile = finished(make_profile(empty, "eng", recipe))
    return ProfileView(profile, read_lines(empty, profile), read_groups(empty, profile))


def test_a_view_has_the_entries_of_a_report(empty: Store, view: ProfileView) -> None:
    assert all_profiles(empty)[0] == [view.profile]
    report = profile_report(empty, view.profile)
    assert (len(view.lines.sentences), view.lines.left_out) == (report.measured, report.sentences - report.measured)
    assert view.groups is not None
    for level in report.levels:
        order = view.order(level.level, "I")
        assert (len(order), int(order.clipped.sum())) == (level.coefficients.entries, level.coefficients.clipped)
        expected = {each.coefficient for each in entries_of(empty, view.profile, level.level)}
        assert {None if math.isnan(value) else value for value in order.values.tolist()} == expected
        bars = histogram(view, level.level, "I")
        assert sum(each.bar.stretch.entries for each in bars) == len(order)
        names = [tick.name for each in bars for tick in each.ticks]
        marked: Level = "collection" if level.level == "collection" else "document"
        assert sorted(names) == sorted(view.groups[marked].names)


def test_parts_of_a_corpus_are_measured_alone(empty: Store, view: ProfileView) -> None:
    save_query(empty, "plans", "search", options_to_json(SearchRequest("plan", lang="eng")))
    save_query(empty, "words", "frequencies", {})
    profile = view.profile
    for asked, wanted in (
        ({"collection": "more"}, sentences_of(empty, "more")),
        ({"document": "rows.tsv"}, sentences_of(empty, None, "rows.tsv")),
        ({"query": "plans"}, np.array([sentence_id(empty, "eng", MIXED_ROWS[1][0])])),
        ({"collection": "more", "query": "plans"}, np.array([], dtype=np.int64)),
    ):
        chosen = among(empty, "eng", **asked)
        assert chosen is not None
        lines = read_lines(empty, profile, chosen)
        assert {*lines.sentences.tolist()} == {*wanted.tolist()} & {*view.lines.sentences.tolist()}
        report = profile_report(empty, profile, ("line", "whole"), chosen)
        assert report.measured == len(lines.sentences)
        [whole] = entries_of(empty, profile, "whole", chosen)
        total = coefficients(lines.statistics.total(), profile.anchors).values[0]
        assert (whole.lines, whole.characters) == (report.measured, int(lines.statistics.characters.sum()))
        assert whole.coefficient == (None if math.isnan(total) else pytest.approx(total))
    assert among(empty, "eng") is None
    of_document = among(empty, "eng", document="more.tsv")
    [entry] = entries_of(empty, profile, "document", of_document)
    [same] = [each for each in entries_of(empty, profile, "document") if each.name == "more.tsv"]
    assert entry == same and entry.lines == 4  # one of its lines stands there twice
    for asked, reason in (
        ({"collection": "none"}, "there is no collection 'none'"),
        ({"query": "none"}, "no query is saved as 'none'"),
        ({"query": "words"}, "is not a search"),
    ):
        with pytest.raises(CorpusError, match=reason):
            among(empty, "eng", **asked)


def test_what_is_seen_is_kept_and_forgotten_again(empty: Store, view: ProfileView) -> None:
    order = view.order("line", "I")
    half = order.stretch(0, 3)
    seen = {"level": "line", "scale": "I", "from": None, "to": 0.5}
    assert keep_lines(empty, "low", view, order.places(half), seen) == 3
    assert keep_lines(empty, "high", view, order.places(half, others=True), seen | {"others": True}) == len(order) - 3
    low, high = ({*sentences_of(empty, name).tolist()} for name in ("low", "high"))
    assert low.isdisjoint(high) and low | high == {*view.lines.sentences.tolist()}
    scores = [score for _, _, score in selection_members(empty, "low")]
    assert scores == sorted(scores)
    bits = dict(zip(view.lines.sentences.tolist(), view.lines.statistics.difference().tolist(), strict=True))
    assert all(score == pytest.approx(bits[number]) for number, _, score in selection_members(empty, "low"))
    chosen = among(empty, "eng", collection="low")
    assert chosen is not None and profile_report(empty, view.profile, ("line",), chosen).measured == 3
    assert check(empty, full=True).problems == ()
    for name, reason in (("low", "there is a selection 'low'"), ("rows", "there is a collection"), (" ", "not a name")):
        with pytest.raises(CorpusError, match=reason):
            keep_lines(empty, name, view, order.places(half), seen)
    with pytest.raises(InputError, match="no sentence to keep"):
        keep_lines(empty, "nothing", view, order.places(order.stretch(0, 0)), seen)
    assert [each.name for each in stored_selections(empty)] == ["high", "low"]
    members = len(selection_members(empty, "high"))
    assert remove_selection(empty, "low") == 3
    assert [each.name for each in stored_selections(empty)] == ["high"]
    assert len(selection_members(empty, "high")) == members
    with pytest.raises(InputError, match="there is no selection 'low'; there are high"):
        remove_selection(empty, "low")
    assert check(empty, full=True).problems == ()


def test_documents_are_kept_by_their_lines(empty: Store, view: ProfileView) -> None:
    assert view.groups is not None
    names = view.groups["document"].names
    places = line_places(empty, view, "document", np.array([names.index("more.tsv")]))
    wanted = {*sentences_of(empty, "more").tolist()} & {*view.lines.sentences.tolist()}
    assert {*view.lines.sentences[places].tolist()} == wanted
    every = line_places(empty, view, "document", np.arange(len(names)))
    assert sorted(every.tolist()) == [*range(len(view.lines.sentences))]  # each once
    both = line_places(empty, view, "collection", np.arange(2))
    assert sorted(both.tolist()) == sorted(every.tolist())


def test_outlying_lines_are_kept_or_all_others(empty: Store) -> None:
    import_rows(empty, [*MIXED_ROWS, *((f"Number {number} is here.", "x") for number in range(20))])
    report = finished(outliers(empty, "eng", limit=4))
    for line in report.lines:
        marked = "".join(char for place, char in enumerate(line.measured) if place in line.dearest)
        inside = "".join(part.partition("]")[0] for part in line.marked.split("[")[1:])
        assert marked == inside and marked
    assert keep_outliers(empty, "odd", report) == 4
    assert keep_outliers(empty, "rest", report, others=True) == report.measured - 4
    odd, rest = ({*sentences_of(empty, name).tolist()} for name in ("odd", "rest"))
    assert odd == {line.sentence for line in report.lines} and odd.isdisjoint(rest)
    assert [number for number, *_ in selection_members(empty, "odd")] == [
        line.sentence for line in reversed(report.lines)
    ]
    strangest = finished(outliers(empty, "eng", "rest", limit=2))
    assert keep_outliers(empty, "kept", strangest, "rest", others=True) == report.measured - 6

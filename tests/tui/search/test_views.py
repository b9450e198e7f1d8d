"""How the corpus place shows what it found: detail, concordances, groups, documents; what matters is in sight."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpora import import_rows
from corpus_pilots import corpus_place, fill, is_error, status, texts, type_in
from hypothesis import given
from hypothesis import strategies as st
from pilots import press, screen_text, settled
from rich.cells import cell_len

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import update_layers
from corpusdb.corpus.queries.sentences import sentence_detail
from corpusdb.corpus.store import open_store
from corpusdb.search.queries.request import SearchRequest
from tui.chain import OverviewScreen
from tui.kit.dialogs import FormDialog
from tui.kit.shown import RowList, Text
from tui.search.document_screen import DocumentScreen, DocumentsScreen, _without_repeated
from tui.search.forms import SORTED, sampled, sortings
from tui.search.results import LineRows, SentencePane, in_sight, kwic_text
from tui.search.screen import CorpusScreen


async def test_the_detail_follows_the_cursor(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        pane = screen.query_one("#detail", SentencePane)
        screen.search.search_for("May I have another pillow?", "eng")
        await settled(pilot)
        lines = pane.lines()
        assert lines[0] == "May I have another pillow?"
        assert {line[:5] for line in lines if line[:3] in ("fra", "jpn")} == {"fra  ", "jpn  "}
        assert any(line.startswith("in phrasebook/") for line in lines)
        await press(pilot, "T")
        await fill(pilot, shown="fr", distance="3")
        told = [line[:5] for line in pane.lines()[2:] if not line.startswith("in ")]
        assert "fra 1" in told
        assert "fra 2" in told
        assert not any(line.startswith(("jpn", "eng")) for line in told)
        assert "translations: fr, to distance 3" in screen.lines()[1]
        await press(pilot, "T")
        await fill(pilot, distance="4")
        assert screen.search.words.distance == 3, "4 is none of the choices"
        await press(pilot, "d")
        assert not pane.display
        await press(pilot, "d")
        assert pane.display
        before, words = pane.text, screen.search.words
        with open_store(phrasebook) as store:
            detail = sentence_detail(store, screen.results.current or 0, words.shown_languages, words.distance)
        pane.display = False
        await settled(pilot)
        pane.show_detail(lines[0], detail, shown=words.shown)  # found while it has no cells
        pane.display = True
        await settled(pilot)
        assert pane.text == before


async def test_the_detail_is_shown_on_demand_where_there_is_little_room(phrasebook: Path) -> None:
    async with corpus_place(phrasebook, (60, 17)) as (pilot, screen):
        assert not screen.query_one("#detail").display
        await press(pilot, "d")
        assert screen.query_one("#detail").display


async def test_kwic(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("ホテル", "jpn")
        await settled(pilot)
        await press(pilot, "v")
        shown = [line for line in screen_text(pilot.app).splitlines()[3:-1] if "ホテル" in line][:10]
        assert len({cell_len(line[: line.index("ホテル")]) for line in shown}) == 1
        orders = [each for each in SORTED if each not in ("target", "category")]  # of these there is none
        await press(pilot, "s")
        assert [line for line in pilot.app.screen.lines() if line in SORTED.values()] == [  # type: ignore[attr-defined]
            SORTED[each] for each in sortings(screen.search.words)
        ]
        await press(pilot, "escape")
        for sorting in orders[::3]:
            at = sortings(screen.search.words).index(sorting)
            await press(pilot, "s", "g", *["j"] * at, "enter")
            assert screen.search.words.sort == sorting
            assert f"KWIC {SORTED[sorting]}" in screen_text(pilot.app)
        everything = screen.hits.count
        await press(pilot, "S")
        await fill(pilot, sample="5", seed="7")
        assert screen.hits.count == 5
        assert f"5 lines of {everything:,}, chosen at random" in status(screen)
        sample = screen.hits.lines()
        await press(pilot, "S")
        await fill(pilot, seed="8")
        assert screen.hits.lines() != sample
        await press(pilot, "S")
        await fill(pilot, seed="x")
        assert "! 'x' is not a seed" in screen_text(pilot.app)
        await press(pilot, "escape", "v")
        assert not screen.search.words.kwic


async def test_groups_and_their_lines(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("please", "eng")
        await settled(pilot)
        await press(pilot, "b", "j", "enter")
        assert screen.search.words.group == "left"
        assert "q back" in screen_text(pilot.app) and "q quit" not in screen_text(pilot.app)
        total = len(texts(phrasebook, SearchRequest("please").search("eng")))
        counts = [int(line.split()[0].replace(",", "")) for line in screen.hits.lines()]
        assert sum(counts) == total
        assert counts == sorted(counts, reverse=True)
        await press(pilot, "enter")
        assert screen.hits.count == counts[0]
        assert "please" in screen.query_one("#detail", SentencePane).text.plain.lower()
        await press(pilot, "q")
        assert screen.hits.count == len(counts)
        await press(pilot, "q")
        assert screen.search.words.group is None
        assert "q quit" in screen_text(pilot.app)
        assert screen.hits.count == total
        await press(pilot, "b", "G", "k", "enter")
        assert screen.search.words.group == "translation"
        assert status(screen).endswith("; a line counts in each of its own; Enter: those of one")


@pytest.mark.slow
async def test_groups_are_written_as_they_are_seen(phrasebook: Path, tmp_path: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        words = SearchRequest("please", lang="eng", kwic=True, group="translation", shown="fra")
        screen.search.open_words(words)
        await settled(pilot)
        await press(pilot, "e")
        await fill(pilot, file=str(tmp_path / "groups.tsv"))
        rows = [line.split() for line in screen.hits.lines()]
        assert screen.results.found is not None and "a line counts in each of its own" in screen.results.found.summary
    heading, *written = [line.split("\t") for line in (tmp_path / "groups.tsv").read_text().splitlines()]
    assert heading == ["language", "translation", "lines", "share"]
    assert [(count, key.split()) for _, key, count, _ in written] == [(row[0], row[3:]) for row in rows]


@pytest.mark.slow
async def test_the_way_back_from_counts_searches_for_nothing_and_keeps_the_cursor(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.open_words(SearchRequest("please", lang="eng", kwic=True, words_only=True))
        await settled(pilot)
        lines = screen.hits.lines()
        await press(pilot, "j", "j", "b", "g", "j", "enter", "j")
        name = screen.hits.lines()[1].split()[-1]
        groups = screen.hits.lines()
        await press(pilot, "enter", "j")
        assert f"KWIC, the word before it: {name}" in screen_text(pilot.app)
        job = screen.search.job
        await press(pilot, "q")
        assert (screen.hits.lines(), screen.hits.cursor) == (groups, 1)
        assert "lines and their share, by the word before it" in screen_text(pilot.app)
        await press(pilot, "q")
        assert (screen.hits.lines(), screen.hits.cursor) == (lines, 2)
        assert screen.search.job is None is not job
        assert status(screen).startswith(f"{len(lines)} lines")
        await press(pilot, "b", "g", "j", "enter", "T")
        await fill(pilot, shown="fra")  # what is shown beside lines stays as it was chosen last
        await press(pilot, "q")
        assert screen.search.words.shown == "fra" and screen.search.words.group is None


@pytest.mark.slow
async def test_what_a_key_changes_of_a_search_while_its_group_is_open_is_searched_for_again(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.open_words(SearchRequest("please", lang="eng", kwic=True, words_only=True))
        await settled(pilot)
        await press(pilot, "b", "g", "j", "enter", "enter", "i", "q", "q")
        assert screen.hits.count == len(texts(phrasebook, SearchRequest("please", ignore_case=False).search("eng")))


@pytest.mark.slow
async def test_marks_are_no_words_beside_a_match_unless_they_are_wanted(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("please", "eng")
        await settled(pilot)
        groups: list[set[str]] = []
        for _ in range(2):
            await press(pilot, "b", "g", "j", "enter")
            groups.append({line.split()[-1] for line in screen.hits.lines()})
            await press(pilot, "q", "s", "G", "enter")
        without, with_marks = groups
        assert "," in with_marks and without.isdisjoint(",.?!")
        await press(pilot, "s", "G", "enter", "b", "g", "j", "enter")
        lines, _, name = screen.hits.lines()[1].split(maxsplit=2)
        await press(pilot, "j", "enter")
        assert status(screen) == f"{lines} lines: the word before it is {name}"


@pytest.mark.slow
async def test_the_word_by_which_lines_are_sorted_is_underlined(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("coffee", "eng")
        await settled(pilot)
        for way, at in (("left", 1), ("2R", 6), ("2R,left", 11)):
            await press(pilot, "s", "g", *["j"] * at, "enter")
            if at == 11:
                assert screen_text(pilot.app).count("First by") == 1
                await fill(pilot, first="2R", second="1L")
                assert "KWIC by 2R,left" in screen_text(pilot.app)
            assert screen.search.words.sort == way
            rows, marked = screen.results.found, 0
            assert isinstance(rows, LineRows)
            for row in range(rows.count):
                spans = rows.concordance.key_spans(row)
                text = rows.text(row)
                underlined = [text.plain[each.start : each.end] for each in text.spans if each.style == "underline"]
                (line,) = rows.concordance.lines(row, 1)
                words = [(line.left + line.match + line.right)[slice(*span)] for span in spans]
                assert underlined == words or any(each.endswith("…") for each in underlined)
                marked = max(marked, len(words))
            assert marked == len(way.split(","))


@pytest.mark.slow
async def test_a_new_query_begins_with_all_lines_in_the_order_of_those_before(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        await press(pilot, "slash", *"ticket", "enter", "s", "j", "enter", "S")
        await fill(pilot, sample="3")
        await press(pilot, "slash", "end", "backspace", "t")  # the same, mended
        assert (screen.search.words.sort, screen.search.words.sample) == ("left", 3)
        await press(pilot, "enter", "slash", *"beer")
        words = screen.search.words
        assert (words.pattern, words.kwic, words.sort, words.sample) == ("beer", True, "left", None)


async def test_what_was_found_stays_in_the_status_line_and_the_rest_goes_with_the_next_key(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("pillow", "eng")
        await settled(pilot)
        found = status(screen)
        assert found.endswith(" sentences")
        await press(pilot, "n")
        assert status(screen) == "nothing was looked for in this list yet"
        await press(pilot, "j")
        assert status(screen) == found
        await press(pilot, "r")
        assert is_error(screen)
        await press(pilot, "3", "1")
        assert (status(screen), is_error(screen)) == (found, False), "it is old when one comes back"


def test_a_sentence_with_several_translations_is_not_repeated_around_a_line() -> None:
    lines = [(1, "eng", 5, "a"), (1, "fra", 6, "x"), (2, "eng", 5, "a"), (2, "fra", 7, "y"), (3, "eng", 5, "a")]
    again = [(4, "eng", 5, "a"), (4, "fra", 7, "y"), (5, "eng", 9, "b"), (5, "fra", 7, "y"), (6, "eng", 5, "a")]
    shown = [(line, number) for line, _, number, _ in _without_repeated([*lines, *again])]
    assert shown == [(1, 5), (1, 6), (2, 7), (3, 5), (4, 7), (5, 9), (5, 7), (6, 5)]


@pytest.mark.slow
async def test_the_document_around_a_sentence(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("May I have another pillow?", "eng")
        await settled(pilot)
        await press(pilot, "enter")
        document = pilot.app.screen
        assert isinstance(document, DocumentScreen)
        rows = document.query_one("#document")
        text = screen_text(pilot.app)
        assert "> =" in text
        assert "phrasebook/hotel.tsv" in text
        assert "\n  eng  May I have another pillow?" in text, "whole, below: one of the lines has no room in its row"
        await pilot.resize_terminal(119, 24)
        await settled(pilot)
        assert not document.query_one("#document-whole").display, "all is seen in its row"
        assert "May I have another pillow?" in rows.text_of(rows.cursor)  # type: ignore[attr-defined]
        words, found = screen.search.words, screen.hits.lines()
        await press(pilot, "j", "j", "j")
        sentence = rows.text_of(rows.cursor).split("  ")[-1]  # type: ignore[attr-defined]
        assert sentence != "May I have another pillow?"
        await press(pilot, "enter")
        assert pilot.app.screen is document
        centre = rows.text_of(rows.cursor)  # type: ignore[attr-defined]
        assert centre.startswith("=") and centre.endswith(sentence)
        await press(pilot, "g")
        assert document.lines()[0].startswith("phrasebook/hotel.tsv: line 2 of 923")
        assert (rows.cursor, rows.text_of(0).split()[0]) == (0, "2")  # type: ignore[attr-defined]
        await press(pilot, "G")
        assert document.lines()[0].startswith("phrasebook/hotel.tsv: line 923 of 923")
        await press(pilot, *["k"] * 3, "pageup")
        assert " line 91" in document.lines()[0], "where one is"
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, CorpusScreen)
        assert (screen.search.words, screen.hits.lines()) == (words, found)


@pytest.mark.slow
async def test_a_place_in_the_collection_that_is_asked_for_is_opened_first_and_a_key_goes_to_the_others(
    phrasebook: Path,
) -> None:
    with open_store(phrasebook) as store:
        rows = [("Never said before.", "Jamais dit."), ("Where do I check in?", "Par ici ?"), ("Last.", "Fin.")]
        import_rows(store, rows)
        (file,) = store.connection.execute("select name from document order by id desc limit 1").fetchone()
        finished(update_layers(store))
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("Where do I check in?", "eng")
        await settled(pilot)
        await press(pilot, "f")
        await fill(pilot, collection="rows")
        await press(pilot, "enter")
        document = pilot.app.screen
        assert isinstance(document, DocumentScreen)
        assert document.lines()[0] == f"rows/{file}: line 2 of 3; 1 of its 2 places (o: next)"
        assert any("Never said before." in line for line in document.lines())
        await press(pilot, "o")
        assert document.lines()[0].startswith("phrasebook/airport.tsv: line 2 of 425; 2 of its 2 places")
        assert any("Où est-ce que" in line for line in document.lines())
        await press(pilot, "o", "k", "k", "enter")
        assert document.lines()[0] == f"rows/{file}: line 1 of 3"
        await press(pilot, "j", "j", "enter")
        assert document.lines()[0].startswith(f"rows/{file}: line 2"), "one stays in the document that is shown"
        await press(pilot, "q")
        screen.search.search_for("Never said before.", "eng")
        await settled(pilot)
        await press(pilot, "enter")
        await press(pilot, "o")
        assert "this sentence is nowhere else" in screen_text(pilot.app)


async def test_a_collection_lists_its_documents_which_are_read_from_their_beginning(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, _):
        await press(pilot, "7")
        rows = pilot.app.screen.query_one(RowList)
        rows.cursor = next(row for row, line in enumerate(rows.lines()) if line.startswith("  phrasebook "))
        await press(pilot, "enter")
        listed = pilot.app.screen
        assert isinstance(listed, DocumentsScreen) and "8 files, 5,852 units" in screen_text(pilot.app)
        assert listed.lines()[0].split() == ["424", "units", "eng,jpn,fra", "airport.tsv"]
        await press(pilot, "j", "enter")
        assert isinstance(pilot.app.screen, DocumentScreen)
        assert pilot.app.screen.lines()[0].startswith("phrasebook/conversation.tsv: line 2 of 915")
        await press(pilot, "q", "q")
        assert isinstance(pilot.app.screen, OverviewScreen)


async def test_the_document_side_by_side(phrasebook: Path) -> None:
    async with corpus_place(phrasebook, (160, 40)) as (pilot, _):
        await press(pilot, "enter")
        lines = pilot.app.screen.query_one("#document", RowList).lines()
        assert len(lines) > 5
        assert all(" fra " in line and " jpn " in line for line in lines)
        assert len({cell_len(line[: line.index(" jpn ")]) for line in lines}) == 1


@pytest.mark.parametrize(
    ("left", "width", "column"),
    [("", 40, 18), ("私は", 40, 18), ("a" * 50, 40, 18), ("猫" * 50, 41, 18), ("e\u0301" * 30, 20, 9)],
)
def test_matches_stand_below_each_other(left: str, width: int, column: int) -> None:
    text = kwic_text(left, "match", " right", width).plain
    before = text[: text.index("match")]
    assert cell_len(before) == column
    assert left.endswith(before.strip().removeprefix("…"))
    assert ("…" in before) is (cell_len(left) > column)


@pytest.mark.slow
async def test_the_line_of_hints_tells_what_a_key_does_next(phrasebook: Path) -> None:
    async with corpus_place(phrasebook, size=(120, 30)) as (pilot, screen):
        screen.search.search_for("coffee", "eng")
        await settled(pilot)
        assert "m words" in screen_text(pilot.app) and "v KWIC" in screen_text(pilot.app)
        await press(pilot, "v", "m")
        assert "m regex" in screen_text(pilot.app) and "v plain" in screen_text(pilot.app)


async def test_a_pattern_of_another_kind_that_finds_nothing_is_told(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for('[word="coffee"]', "eng")
        await settled(pilot)
        assert "this looks like a CQP query" in screen_text(pilot.app)
        assert "until it is cqp" in screen_text(pilot.app)
        screen.search.search_for("such a thing is not there", "eng")
        await settled(pilot)
        assert "looks like" not in screen_text(pilot.app)


async def test_formats_of_results_name_the_command(phrasebook: Path) -> None:
    async with corpus_place(phrasebook) as (pilot, _):
        await press(pilot, "e")
        await fill(pilot, file="hits.tmx")
        assert "w keeps the result as NAME, then" in " ".join(screen_text(pilot.app).split())
        assert isinstance(pilot.app.screen, FormDialog)


@pytest.mark.slow
async def test_lines_are_written_with_as_much_context_as_is_wanted(
    phrasebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with corpus_place(phrasebook) as (pilot, screen):
        screen.search.search_for("coffee", "eng", "word")
        await settled(pilot)
        await press(pilot, "e")
        await fill(pilot, file="lines.tsv", width="wide")
        assert "'wide' is not a width" in screen_text(pilot.app)
        await press(pilot, "escape", "e")
        await fill(pilot, file="lines.tsv", width="5")
        assert isinstance(screen.results.found, LineRows)
        lines = screen.results.found.concordance.lines()
    rows = [line.split("\t")[2:5] for line in (tmp_path / "lines.tsv").read_text(encoding="utf-8").splitlines()]
    assert rows == [["left", "match", "right"], *([each.left[-5:], each.match, each.right[:5]] for each in lines)]


# What matters of a hit is on the screen: its match, however far to the right, and what stands around it.


@given(
    before=st.text("ab c猫に", max_size=120), match=st.text("xy犬", min_size=1, max_size=8), width=st.integers(40, 120)
)
def test_a_match_is_in_sight_wherever_it_stands(before: str, match: str, width: int) -> None:
    shown = in_sight(Text(f"{before}{match} and more"), len(before), len(before) + len(match), width).plain
    place = shown.index(match)
    assert cell_len(shown[: place + len(match)]) <= width
    assert shown.startswith("…") == (cell_len(before + match) > width - 1)
    assert before.endswith(shown[:place].removeprefix("…"))


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), pytest.param((200, 60), marks=pytest.mark.slow)])
async def test_the_sentence_from_which_one_came_is_in_the_middle(size: tuple[int, int], phrasebook: Path) -> None:
    async with corpus_place(phrasebook, size) as (pilot, _):
        await press(pilot, "slash")
        await type_in(pilot, "draft beer")
        await press(pilot, "enter")
        for key in ("enter", "enter"):
            await press(pilot, key)
            assert isinstance(pilot.app.screen, DocumentScreen)
            rows = pilot.app.screen.query_one(RowList)
            assert "draft beer" in rows.text_of(rows.cursor)
            assert abs(rows.cursor - rows.scroll_offset.y - rows.size.height // 2) <= 1


def test_a_sample_of_no_size_leaves_lines_as_they_are_shown() -> None:
    sentences = SearchRequest("beer", lang="eng", sample=5)
    assert sampled(sentences, {"sample": "", "seed": "1"}).kwic is False
    assert sampled(sentences, {"sample": "7", "seed": "1"}).kwic is True

"""Japanese aligned by morphemes, and what the commands say of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from calls import Run
from corpora import import_file, import_rows, new_store, write_rows
from recorded_analyses import RecordedAnalyser, lose_morphemes

from corpusdb.alignment.queries.corpus_alignment import AlignmentReport, align_languages
from corpusdb.alignment.queries.equivalents import equivalents_of, seed_substitutions
from corpusdb.alignment.queries.pairs import (
    IMPORTED,
    can_cut,
    linked_pair,
    linked_sentence,
    links_between,
    pairs_of,
    ready_model,
    spans_of,
)
from corpusdb.alignment.queries.phrase_places import translations_of
from corpusdb.alignment.queries.phrases import aligned_languages, key_in, language_of_phrase, phrase_key
from corpusdb.base import tokenisation as sudachi
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.jobs import finished
from corpusdb.chain.queries.checking import check
from corpusdb.chain.queries.importing import update_layers
from corpusdb.chain.queries.overview import overview
from corpusdb.chain.queries.removing import remove_collection
from corpusdb.chain.queries.repair import repair
from corpusdb.corpus.store import Store

# Japanese aligned by morphemes: what links refer to is said by the model, and is never taken for something else.


ROWS = [
    ("He ate an apple.", "彼はりんごを食べた。"),
    ("He read a book.", "彼は本を読んだ。"),
    ("She ate bread.", "彼女はパンを食べた。"),
    ("She read a book.", "彼女は本を読んだ。"),
    ("The school is new.", "学校は新しい。"),
    ("The book is new.", "本は新しい。"),
    ("The school is near.", "学校は近い。"),
    ("New York is near.", "New Yorkは近い。"),
]
MORE = ("She ate an apple.", "彼女はりんごを食べた。")


def aligned(folder: Path, *, retrain: bool = False) -> tuple[Store, AlignmentReport]:
    store = new_store(folder)
    import_rows(store, ROWS, ("eng", "jpn"))
    return store, finished(align_languages(store, "jpn", "eng", retrain=retrain))


def tokens_linked(store: Store, japanese: str) -> list[str]:
    """The tokens of a Japanese sentence as its links have them."""
    model = ready_model(store, "eng", "jpn")
    assert model is not None
    pairs = [linked_pair(store, model, pair) for pair in pairs_of(store, "eng", "jpn")]
    (found,) = [pair for pair in pairs if pair.translation == japanese]
    return [found.translation[begin:end] for begin, end in found.translation_spans]


@pytest.fixture
def morphemes_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    lose_morphemes(monkeypatch)


def test_morphemes_are_linked_and_looked_up(tmp_path: Path, recorded_morphemes: RecordedAnalyser) -> None:
    store, report = aligned(tmp_path)
    with store:
        assert (report.source_tokens, report.target_tokens) == ("words", f"morphemes by {recorded_morphemes.identity}")
        assert report.advice == ()
        (written,) = store.connection.execute("select parameters from alignment_model").fetchone()
        assert json.loads(written)["tokens"] == ["units", recorded_morphemes.identity]
        (run,) = store.connection.execute("select parameters from run where operation = 'align'").fetchone()
        assert json.loads(run)["tokens"] == ["units", recorded_morphemes.identity]

        assert tokens_linked(store, "彼は本を読んだ。") == ["彼", "は", "本", "を", "読ん", "だ", "。"]
        assert tokens_linked(store, "New Yorkは近い。") == ["New", "York", "は", "近い", "。"]
        found = translations_of(store, "jpn", "学校", "eng")
        assert found.occurrences == 2
        assert "school" in found.members[0].text
        example = found.members[0].example
        assert [example.text[begin:end] for begin, end in example.marks] == ["学校"]
        assert equivalents_of(store, "jpn", "学校").text == "学校"
        assert check(store, full=True).problems == ()


def test_a_phrase_is_found_however_it_is_cut_alone(tmp_path: Path, recorded_morphemes: RecordedAnalyser) -> None:
    store, _ = aligned(tmp_path)
    with store:
        model = ready_model(store, "eng", "jpn")
        assert model is not None
        assert key_in(store, model, "jpn", "学校") == "学校"
        assert key_in(store, model, "jpn", " 食べ た ") == key_in(store, model, "jpn", "食べた") == "食べ た"
        assert key_in(store, model, "eng", "New York") == "new york"
        assert key_in(store, model, "jpn", "無") == "無"  # unknown
        assert language_of_phrase(store, "食べた") == "jpn"
        with pytest.raises(UsageError, match="at least one word"):
            key_in(store, model, "jpn", " ")
        long = "彼は本を読んだ。" * 4  # longer than what is tried in all cuts
        assert key_in(store, model, "jpn", long) == phrase_key(long, recorded_morphemes.identity)


def test_without_the_extra_nothing_is_shown_between_other_tokens(
    tmp_path: Path, recorded_morphemes: RecordedAnalyser, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = aligned(tmp_path)
    with store:
        rows = store.connection.execute("select * from phrase_pair").fetchall()
        lose_morphemes(monkeypatch)
        (one, other), *_ = pairs_of(store, "eng", "jpn")
        for ask in (
            lambda: links_between(store, one, other),
            lambda: translations_of(store, "jpn", "学校", "eng"),
            lambda: translations_of(store, "eng", "school", "jpn"),
        ):
            with pytest.raises(UsageError, match="pip install"):
                ask()
        (shown,) = [each for each in linked_sentence(store, one).translations if each.language == "jpn"]
        assert shown.pair is None and "pip install" in shown.reason  # and other languages would have theirs
        assert equivalents_of(store, "jpn", "学校").text == "学校"  # which are counted, and need no tokens
        assert list(seed_substitutions(store, "jpn", "学校は新しい。")) == []

        import_rows(store, [MORE], ("eng", "jpn"))
        finished(update_layers(store))
        assert store.connection.execute("select * from phrase_pair").fetchall() == rows
        assert {layer.state for each in overview(store).languages for layer in each.layers} == {"behind"}
        with pytest.raises(UsageError, match="pip install"):
            finished(align_languages(store, "eng", "jpn"))
        report = check(store, full=True)
        assert report.problems == ()
        assert any("the links of eng and jpn: Japanese morphemes need more" in each for each in report.left_out)

        monkeypatch.setattr(sudachi, "_opened", lambda dictionary: recorded_morphemes)
        finished(update_layers(store))
        assert tokens_linked(store, "彼女はりんごを食べた。")[:3] == ["彼女", "は", "りんご"]
        assert {layer.state for each in overview(store).languages for layer in each.layers} == {"up to date"}
        report = check(store, full=True)
        assert report.problems == ()
        assert not any("links" in each for each in report.left_out)


@pytest.mark.parametrize("kind", ["trained", IMPORTED])
def test_without_the_extra_what_is_removed_takes_along_what_cannot_be_made(
    tmp_path: Path, recorded_morphemes: RecordedAnalyser, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    store, _ = aligned(tmp_path)
    with store:
        import_file(store, write_rows(tmp_path / "more.tsv", [MORE]), ("eng", "jpn"), "more")
        finished(update_layers(store))
        with store.write() as connection:
            connection.execute("update alignment_model set parameters = json_set(parameters, '$.kind', ?)", (kind,))
        lose_morphemes(monkeypatch)
        (told,) = finished(remove_collection(store, "more")).dropped
        assert store.connection.execute("select count(*) from phrase").fetchone() == (0,)
        assert check(store, full=True).problems == ()
        assert ("links" in told, bool(aligned_languages(store))) == (kind == IMPORTED, kind == IMPORTED)
        monkeypatch.setattr(sudachi, "_opened", lambda dictionary: recorded_morphemes)
        assert finished(repair(store)).ok
        report = finished(align_languages(store, "eng", "jpn"))
        assert report.aligned == len(ROWS) and report.phrase_pairs


@pytest.mark.usefixtures("recorded_morphemes")
def test_another_dictionary_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, _ = aligned(tmp_path)
    with store:
        monkeypatch.setattr(sudachi, "_opened", lambda dictionary: RecordedAnalyser("sudachi-0.7.0-small-2-C", {}))
        one, other = pairs_of(store, "eng", "jpn")[0]
        with pytest.raises(InputError, match=r"sudachi-0\.7\.0-small-2-C is installed: pip install .*--retrain"):
            links_between(store, one, other)


def test_a_model_of_characters_stays_one_until_it_is_trained_anew(
    tmp_path: Path, recorded_morphemes: RecordedAnalyser, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose_morphemes(monkeypatch)
    store, report = aligned(tmp_path)
    with store:
        assert report.target_tokens == "characters"
        (advice,) = report.advice
        assert "pip install 'corpusdb[japanese]'" in advice
        text = "彼は本を読んだ。"
        assert tokens_linked(store, text) == list(text)

        monkeypatch.setattr(sudachi, "_opened", lambda dictionary: recorded_morphemes)
        assert tokens_linked(store, text) == list(text)
        import_rows(store, [MORE], ("eng", "jpn"))
        finished(update_layers(store))
        assert tokens_linked(store, "彼女はりんごを食べた。") == list("彼女はりんごを食べた。")
        (advice,) = finished(align_languages(store, "eng", "jpn")).advice
        assert "--retrain aligns morphemes" in advice
        report = finished(align_languages(store, "eng", "jpn", retrain=True))
        assert (report.aligned, report.advice) == (len(ROWS) + 1, ())
        assert tokens_linked(store, text)[4:6] == ["読ん", "だ"]
        assert check(store, full=True).problems == ()


@pytest.mark.usefixtures("recorded_morphemes")
def test_a_model_of_before_there_were_morphemes_is_of_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        lose_morphemes(patched)
        store, _ = aligned(tmp_path)
    with store:
        with store.write() as connection:
            connection.execute("update alignment_model set parameters = json_remove(parameters, '$.tokens')")
        assert tokens_linked(store, "本は新しい。") == list("本は新しい。")
        assert check(store).problems == ()


@pytest.mark.usefixtures("morphemes_are_lost")
def test_ways_that_nobody_has() -> None:
    assert not can_cut("sudachi-0.7.0-small-20261015-C")
    assert not can_cut("mecab")
    with pytest.raises(InputError, match="knows no analyser 'mecab'"):
        spans_of("mecab")


# `align`, `translations` and `equivalents` of Japanese: what is linked is said, and so is what is missing.

JAPANESE_PHRASES_ROWS = """\
english	japanese
He read a book.	彼は本を読んだ。
She read a book.	彼女は本を読んだ。
The school is new.	学校は新しい。
The book is new.	本は新しい。
The school is near.	学校は近い。
"""


@pytest.fixture
def imported(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "rows.tsv").write_text(JAPANESE_PHRASES_ROWS, encoding="utf-8")
    assert run("import", "rows.tsv", "--lang", "eng,jpn").exit_code == 0
    return run


def test_morphemes_are_linked_and_found(imported: Run, recorded_morphemes: RecordedAnalyser) -> None:
    found = imported("align", "--lang", "jpn,eng")
    assert found.exit_code == 0, found.stderr
    assert f"tokens of eng\twords\ntokens of jpn\tmorphemes by {recorded_morphemes.identity}\n" in found.stdout
    shown = imported("translations", "学校", "--with", "eng", "--format", "tsv")
    assert "[学校]" in shown.stdout.splitlines()[1]
    assert imported("translations", "school", "--with", "jpn").exit_code == 0


@pytest.mark.usefixtures("recorded_morphemes")
@pytest.mark.parametrize("phrase", ["学校", "school"])
def test_what_cannot_be_shown_is_said(imported: Run, monkeypatch: pytest.MonkeyPatch, phrase: str) -> None:
    assert imported("align", "--lang", "jpn,eng").exit_code == 0
    lose_morphemes(monkeypatch)
    found = imported("translations", phrase, "--with", "eng" if phrase == "学校" else "jpn")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "pip install 'corpusdb[japanese]'" in found.stderr
    checked = imported("check")
    assert (checked.exit_code, checked.stdout) == (0, "ok\n")
    assert "the links of eng and jpn: Japanese morphemes need more" in checked.stderr


def test_characters_are_said_where_there_are_no_morphemes(imported: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lose_morphemes(monkeypatch)
    found = imported("align", "--lang", "eng,jpn")
    assert found.exit_code == 0, found.stderr
    assert "tokens of jpn\tcharacters\n" in found.stdout
    assert "Japanese is aligned by characters; by morphemes with pip install 'corpusdb[japanese]'" in found.stderr
    assert imported("translations", "本", "--with", "eng").exit_code == 0

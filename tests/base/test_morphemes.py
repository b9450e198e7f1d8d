"""The morphemes that SudachiPy finds, those recorded for the tests, and what is said where it is missing."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from recorded_analyses import FILE, RecordedAnalyser, recorded_in

from corpusdb.base import tokenisation as sudachi
from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.tokenisation import Analyser, Morpheme, analysers_used, required_analyser, sudachi_analyser


@pytest.fixture(scope="module")
def analyser() -> Analyser:
    pytest.importorskip("sudachipy", reason="the extra japanese is not installed")
    return sudachi_analyser()


def surfaces(morphemes: tuple[Morpheme, ...]) -> list[str]:
    return [morpheme.surface for morpheme in morphemes]


def check_places(text: str, morphemes: tuple[Morpheme, ...]) -> None:
    """Morphemes are stretches of the text in their order, and nothing but white space is between them."""
    end = 0
    for morpheme in morphemes:
        assert morpheme.surface and not morpheme.surface.isspace()
        assert text[morpheme.begin : morpheme.end] == morpheme.surface
        assert not text[end : morpheme.begin].strip()
        end = morpheme.end
    assert not text[end:].strip()


def test_a_text_is_cut_without_its_white_space(analyser: Analyser) -> None:
    text = "彼は本を 読んだ。"
    morphemes = analyser.analyse(text)
    assert surfaces(morphemes) == ["彼", "は", "本", "を", "読ん", "だ", "。"]
    check_places(text, morphemes)
    verb, past = morphemes[4:6]
    assert (verb.part_of_speech, verb.conjugation, verb.form) == (("動詞", "一般"), "五段-マ行", "連用形-撥音便")
    assert (past.conjugation, past.normalized_form) == ("助動詞-タ", "た")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \u3000\r\n\t\u2028\x1c", []),
        ("一行\r\n本", ["一行", "本"]),
        ("\ufeff本", ["\ufeff", "本"]),
        ("本\x00だ", ["本", "\x00", "だ"]),
        ("😀本\U0001f600", ["😀", "本", "😀"]),
        ("本\ud800だ", ["本", "\ud800", "だ"]),
        ("㍿で働く", ["㍿", "で", "働く"]),  # which is two entries of the dictionary, 株式 and 会社
        ("はい…", ["はい", "…"]),  # three full stops
        ("\ufc5f本", ["\ufc5f", "本"]),  # a mark that Sudachi takes for white space
    ],
)
def test_odd_texts(analyser: Analyser, text: str, expected: list[str]) -> None:
    assert surfaces(analyser.analyse(text)) == expected
    check_places(text, analyser.analyse(text))


ODD = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("彼は本を読んだ。 …㍿ﷺ\u3099\ufeff\r\n\x00\ud800😀"),
        st.characters(min_codepoint=0x3000, max_codepoint=0x30FF),
    ),
    max_size=60,
)


@given(text=ODD)
@example(text="ﷺ" * 5)
def test_morphemes_are_stretches_of_the_text(analyser: Analyser, text: str) -> None:
    check_places(text, analyser.analyse(text))


@pytest.mark.parametrize("piece", ["彼は本を読んだ。", "あ", "ﷺ", "😀", "か\u3099", "\ud800", "本 "])
@pytest.mark.slow
def test_texts_longer_than_sudachi_takes(analyser: Analyser, piece: str) -> None:
    text = piece * (60_000 // len(piece))
    found = analyser.analyse(text)
    check_places(text, found)
    if piece == "彼は本を読んだ。":  # cut between sentences, it has the morphemes of its sentences
        assert surfaces(found) == surfaces(analyser.analyse(piece)) * 7_500


def test_threads_share_an_analyser(analyser: Analyser) -> None:
    texts = [f"彼は{number}冊の本を読んだ。" for number in range(200)]
    expected = [analyser.analyse(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(analyser.analyse, texts * 3)) == expected * 3


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # which pytest-xdist gives threads
def test_a_forked_process_goes_on_with_it(analyser: Analyser) -> None:
    text = "彼は本を読んだ。"
    expected = analyser.analyse(text)
    child = os.fork()
    if not child:
        os._exit(0 if analyser.analyse(text) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.usefixtures("without_extra")
def test_without_the_extra_the_command_that_installs_it_is_said() -> None:
    with pytest.raises(UsageError, match=r"pip install 'corpusdb\[japanese\]'"):
        sudachi_analyser()


def test_a_dictionary_that_cannot_be_opened(analyser: Analyser) -> None:
    with pytest.raises(UsageError, match="the dictionary 'nonsense' of Japanese cannot be opened"):
        sudachi_analyser("nonsense")


def test_another_version_works_but_is_told_apart(recorded_morphemes: RecordedAnalyser) -> None:
    identity = recorded_morphemes.identity
    assert required_analyser(identity) is recorded_morphemes
    recorded_morphemes = RecordedAnalyser("sudachi-0.7.0-small-20270101-C", {})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sudachi, "_opened", lambda dictionary: recorded_morphemes)
        assert sudachi_analyser().identity == "sudachi-0.7.0-small-20270101-C"
        with pytest.raises(InputError, match=f"{identity}, but sudachi-0.7.0-small-20270101-C"):
            required_analyser(identity)
    with pytest.raises(InputError, match="knows no analyser 'mecab'"):
        required_analyser("mecab")


def test_who_asks_for_an_analyser_is_noted(recorded_morphemes: RecordedAnalyser) -> None:
    with analysers_used() as used:
        assert used == set()
        sudachi_analyser()
    sudachi_analyser()
    assert used == {recorded_morphemes.identity}


@pytest.mark.slow
def test_the_record_is_what_sudachi_says() -> None:
    pytest.importorskip("sudachipy", reason="the extra japanese is not installed")
    identity, analyses = recorded_in(FILE)
    analyser = sudachi_analyser()
    if analyser.identity != identity:
        pytest.skip(f"{identity} is recorded, and {analyser.identity} is installed")
    assert len(analyses) > 10
    for text, morphemes in analyses.items():
        assert analyser.analyse(text) == morphemes, text


def test_a_test_gets_the_record(recorded_morphemes: RecordedAnalyser) -> None:
    assert sudachi_analyser() is recorded_morphemes
    text = "彼は本を 読んだ。"
    found = recorded_morphemes.analyse(text)
    assert [each.surface for each in found] == ["彼", "は", "本", "を", "読ん", "だ", "。"]
    assert all(text[each.begin : each.end] == each.surface for each in found)


def test_what_is_not_recorded_is_an_error() -> None:
    with pytest.raises(AssertionError, match="CORPUSDB_RECORD_MORPHEMES"):
        RecordedAnalyser("an analyser", {}).analyse("本")

"""Tokenisations against sacrebleu's of the same name, on real texts and random ones; and Japanese morphemes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_analyses import RecordedAnalyser

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.tokenisation import (
    TOKENISATIONS,
    check_tokenisation,
    sudachi_analyser,
    surface_of,
    tokeniser,
    versioned_tokenisation,
)
from corpusdb.scoring.measures import measures
from corpusdb.scoring.metric_settings import Signature
from corpusdb.scoring.metrics import metric_named, settings_for

Sample: TypeAlias = tuple[list[str], list[list[str]]]
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def theirs(name: str) -> Any:
    """sacrebleu's tokeniser as its BLEU uses it: the end of the line is cut off first."""
    bleu = pytest.importorskip("sacrebleu.metrics").BLEU(tokenize=name)
    return lambda text: bleu._preprocess_segment(text).split()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("none", " a,b  c\t d ", ["a,b", "c", "d"]),
        ("13a", 'It\'s 3,5-4.5%: "a.b" (c) <skipped>&amp; 2.', 'It\'s 3,5 - 4.5 % : " a . b " ( c ) & 2 .'.split()),
        ("intl", "«C’est 3,5 €», dit-il. 1999.", "« C ’ est 3,5 € » , dit - il . 1999.".split()),
        ("char", "これは ペン\u3000です", list("これはペンです")),
        ("13a", "one sen-\ntence,\ntwo", ["one", "sentence", ",", "two"]),
        ("13a", "", []),
        ("intl", "  ", []),
    ],
)
def test_examples(name: str, text: str, expected: list[str]) -> None:
    assert list(tokeniser(name)(text)) == expected


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["none", "13a", "intl", "char"])
def test_real_texts(captions: Sample, news: dict[str, Sample], name: str) -> None:
    texts = [*captions[0], *(DATA / "wmt21-ruen" / "source.ru").read_text(encoding="utf-8").split("\n")]
    texts += [text for hypotheses, _ in news.values() for text in hypotheses[:300]]
    texts += (DATA / "wmt21-jaen" / "source.ja").read_text(encoding="utf-8").split("\n")
    ours, expected = tokeniser(name), theirs(name)

    assert len(texts) > 7000
    for text in texts:
        assert list(ours(text)) == expected(text)


# Characters of long standing: sacrebleu's Unicode may be later than Python's.
TEXTS = st.text(
    st.one_of(st.characters(max_codepoint=0x24F, exclude_categories=("Cn", "Cs")), st.sampled_from(".,-1²٣日。€’&; \n"))
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["none", "13a", "intl", "char"])
@given(text=TEXTS)
def test_random_texts(name: str, text: str) -> None:
    assert list(tokeniser(name)(text)) == theirs(name)(text)


@pytest.mark.parametrize("name", ["13a", "char"])
def test_case_is_folded_on_demand(name: str) -> None:
    assert list(tokeniser(name, lowercase=True)("ÀB.")) == list(tokeniser(name)("àb."))


def test_chinese_through_sacrebleu() -> None:
    pytest.importorskip("sacrebleu")

    assert list(tokeniser("zh")("我们在 3.5 楼, ok?")) == "我 们 在 3.5 楼 , ok ?".split()


@pytest.mark.parametrize(("name", "package"), [("zh", "corpusdb[sacrebleu]"), ("ja-mecab", "sacrebleu[ja]")])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, name: str, package: str) -> None:
    for module in [name for name in sys.modules if name.split(".")[0] == "sacrebleu"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "sacrebleu", None)

    with pytest.raises(UsageError) as caught:
        tokeniser(name)
    assert f"pip install '{package}'" in str(caught.value)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown tokenisation '13b'; there are none, 13a, intl, char, ja-mecab, zh"):
        tokeniser("13b")
    assert len(TOKENISATIONS) == 9


JAPANESE = "彼は 本を読まなかった。"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ja-sudachi", "彼 は 本 を 読ま なかっ た 。"),
        ("ja-sudachi-pos", "彼 は/助詞 本 を/助詞 読ま なかっ/助動詞 た/助動詞 。"),
    ],
)
@pytest.mark.usefixtures("recorded_morphemes")
def test_japanese_morphemes(name: str, expected: str) -> None:
    units = list(tokeniser(name)(JAPANESE))
    assert units == expected.split()
    assert "".join(map(surface_of, units)) == "".join(JAPANESE.split())
    assert surface_of("km/h") == "km/h"


@pytest.mark.usefixtures("recorded_morphemes")
def test_no_unit_has_a_space() -> None:
    """Few entries of the dictionary have one: New York."""
    assert list(tokeniser("ja-sudachi")("New Yorkだ。")) == ["New", "York", "だ", "。"]
    assert list(tokeniser("ja-sudachi", lowercase=True)("New Yorkだ。")) == ["new", "york", "だ", "。"]


def test_the_dictionary_stands_in_signatures(recorded_morphemes: RecordedAnalyser) -> None:
    version = recorded_morphemes.identity.removeprefix("sudachi-")
    assert versioned_tokenisation("ja-sudachi-pos") == f"ja-sudachi-pos-{version}"
    for name in TOKENISATIONS:
        check_tokenisation(versioned_tokenisation(name))
        settings = settings_for("bleu", tokenisation=name)
        signature = metric_named("bleu").signature(settings, [1], "0" * 64)
        assert Signature.parse(str(signature)).tokenisation == versioned_tokenisation(name)


@pytest.mark.usefixtures("recorded_morphemes")
def test_another_dictionary_is_refused() -> None:
    with pytest.raises(InputError, match=r"split by sudachi-0\.7\.0-small-20990101-C, but sudachi-"):
        check_tokenisation("ja-sudachi-pos-0.7.0-small-20990101-C")


@pytest.mark.data
@pytest.mark.slow
def test_bleu_over_morphemes_is_that_of_sacrebleu() -> None:
    """Of the system, and with the dictionary, of which the feasibility study tells 25.648."""
    pytest.importorskip("sudachipy", reason="the extra japanese is not installed")
    sacrebleu = pytest.importorskip("sacrebleu")
    data = DATA / "wmt23-enja"
    files = data / "systems" / "ONLINE-B.ja", data / "ref.A.ja"
    texts = [path.read_text(encoding="utf-8").split("\n")[:2074] for path in files]
    settings = settings_for("bleu", tokenisation="ja-sudachi")
    (measure,) = measures([settings], [[text] for text in texts[1]])
    ours = float(measure.scores(measure.statistics(texts[0]).sum(axis=0)))

    hypotheses, references = ([" ".join(tokeniser("ja-sudachi")(text)) for text in each] for each in texts)
    expected = sacrebleu.corpus_bleu(hypotheses, [references], tokenize="none", smooth_method="none", force=True)
    assert ours == pytest.approx(expected.score, abs=1e-9)
    if sudachi_analyser().identity == "sudachi-0.7.0-small-20261015-C":
        assert ours == pytest.approx(26.453, abs=5e-4)

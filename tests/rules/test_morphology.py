"""Japanese inflection, content words in the spelling of the dictionary, and texts of two registers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb.base.tokenisation import Morpheme, sudachi_analyser
from corpusdb.rules.matching import canonical_spelling, clashes_in
from corpusdb.rules.morphology import Analysis, conjugated, endings, forms_of, in_form, voices
from corpusdb.rules.rewriting import Expander, load_rules

# Japanese inflection: forms as a grammar gives them, and the table against itself.


def verb(surface: str, conjugation: str, form: str, lexeme: str | None = None) -> Morpheme:
    word = lexeme or surface
    return Morpheme(surface, 0, ("動詞", "一般"), conjugation, form, word, word, "")


# By a school grammar: 終止形, then the forms that rules name.
PARADIGMS = [
    ("書く", "五段-カ行", "書か 書き 書い 書け 書け 書こう"),
    ("行く", "五段-カ行", "行か 行き 行っ 行け 行け 行こう"),
    ("泳ぐ", "五段-ガ行", "泳が 泳ぎ 泳い 泳げ 泳げ 泳ごう"),
    ("話す", "五段-サ行", "話さ 話し 話し 話せ 話せ 話そう"),
    ("待つ", "五段-タ行", "待た 待ち 待っ 待て 待て 待とう"),
    ("死ぬ", "五段-ナ行", "死な 死に 死ん 死ね 死ね 死のう"),
    ("飛ぶ", "五段-バ行", "飛ば 飛び 飛ん 飛べ 飛べ 飛ぼう"),
    ("読む", "五段-マ行", "読ま 読み 読ん 読め 読め 読もう"),
    ("取る", "五段-ラ行", "取ら 取り 取っ 取れ 取れ 取ろう"),
    ("おっしゃる", "五段-ラ行", "おっしゃら おっしゃい おっしゃっ おっしゃれ おっしゃい おっしゃろう"),
    ("買う", "五段-ワア行", "買わ 買い 買っ 買え 買え 買おう"),
    ("問う", "五段-ワア行", "問わ 問い 問う 問え 問え 問おう"),
    ("食べる", "下一段-バ行", "食べ 食べ 食べ 食べれ 食べろ 食べよう"),
    ("見る", "上一段-マ行", "見 見 見 見れ 見ろ 見よう"),
    ("くれる", "下一段-ラ行", "くれ くれ くれ くれれ くれ くれよう"),
    ("する", "サ行変格", "し し し すれ しろ しよう"),
    ("愛する", "サ行変格", "愛し 愛し 愛し 愛すれ 愛しろ 愛しよう"),
    ("くる", "カ行変格", "こ き き くれ こい こよう"),
    ("来る", "カ行変格", "来 来 来 来れ 来い 来よう"),
]
NAMES = ("irrealis", "continuative", "euphonic", "conditional", "imperative", "volitional")


@pytest.mark.parametrize(("word", "conjugation", "forms"), PARADIGMS)
def test_a_verb_is_inflected_as_in_a_grammar(word: str, conjugation: str, forms: str) -> None:
    cited = verb(word, conjugation, "終止形-一般")
    assert [in_form(cited, name) for name in NAMES] == forms.split()


@pytest.mark.parametrize(
    ("word", "continuative", "euphonic", "conditional"),
    [
        ("高い", "高く", "高かっ", "高けれ"),
        ("いい", "よく", "よかっ", "よけれ"),
        ("かわいい", "かわいく", "かわいかっ", "かわいけれ"),
    ],
)
def test_an_adjective_is_inflected(word: str, continuative: str, euphonic: str, conditional: str) -> None:
    cited = Morpheme(word, 0, ("形容詞", "一般"), "形容詞", "終止形-一般", word, word, "")
    assert [in_form(cited, name) for name in ("continuative", "euphonic", "conditional")] == [
        continuative,
        euphonic,
        conditional,
    ]


def test_the_spelling_of_the_stem_is_that_of_the_text() -> None:
    assert in_form(verb("信じ", "サ行変格", "連用形-一般", "信ずる"), "final") == "信じる"
    assert in_form(verb("たべ", "下一段-バ行", "連用形-一般", "食べる"), "volitional") == "たべよう"


def test_what_has_no_such_form_has_none() -> None:
    assert in_form(Morpheme("本", 0, ("名詞",), "", "", "本", "本", ""), "final") is None
    assert conjugated("読む", "五段-マ行", "終止形-一般", "連用形-ウ音便") is None


def test_what_follows_is_voiced_after_some_verbs() -> None:
    assert voices(verb("読ん", "五段-マ行", "連用形-撥音便", "読む"))
    assert voices(verb("泳い", "五段-ガ行", "連用形-イ音便", "泳ぐ"))
    assert not voices(verb("書い", "五段-カ行", "連用形-イ音便", "書く"))


def test_a_form_may_be_two() -> None:
    assert forms_of(verb("食べ", "下一段-バ行", "連用形-一般", "食べる")) == {"continuative", "euphonic"}
    assert forms_of(verb("読み", "五段-マ行", "連用形-一般", "読む")) == {"continuative"}
    assert forms_of(verb("話し", "五段-サ行", "連用形-一般", "話す")) == {"continuative", "euphonic"}


ROWS = [(row, form) for row, forms in endings().items() for form in forms]


@given(st.sampled_from(ROWS), st.data(), st.text("書読見高愛あいう", max_size=3))
def test_any_form_comes_back_from_any_other(one: tuple[str, str], data: st.DataObject, stem: str) -> None:
    row, form = one
    wanted = data.draw(st.sampled_from(sorted(endings()[row])))
    surface = stem + endings()[row][form]
    other = conjugated(surface, row, form, wanted)
    assert other == stem + endings()[row][wanted]
    assert conjugated(other, row, wanted, form) == surface


@pytest.mark.usefixtures("recorded_morphemes")
@pytest.mark.parametrize(
    ("text", "respelt", "replaced"),
    [
        ("それは分った。", "それは分かった。", (("分る", "分かる"),)),  # an inflected form keeps its ending
        ("わかりません。", "分かりません。", (("わかる", "分かる"),)),
        ("こどもが いた。", "子供が いた。", (("こども", "子供"),)),  # with the white space of the text
        ("本を読んでください。", "本を読んでください。", ()),  # a function word is style, and stays
        ("", "", ()),
    ],
)
def test_content_words_are_respelt(text: str, respelt: str, replaced: tuple[tuple[str, str], ...]) -> None:
    found = canonical_spelling(Analysis(text, sudachi_analyser().analyse(text)))
    assert (found.text, found.replaced) == (respelt, replaced)


@pytest.mark.usefixtures("recorded_morphemes")
def test_respelling_twice_changes_nothing_more() -> None:
    once = canonical_spelling(Analysis("それは分った。", sudachi_analyser().analyse("それは分った。"))).text
    assert canonical_spelling(Analysis(once, sudachi_analyser().analyse(once))).text == once


@pytest.mark.usefixtures("recorded_morphemes")
@pytest.mark.parametrize(
    ("text", "clashes"),
    [
        ("2時から神田様とお約束している。", {"courtesy"}),
        ("2時から神田様とお約束しています。", set()),  # courtesy becomes a polite speaker
        ("かしこまった。", {"courtesy"}),
        ("急に変更いただき申し訳ない。", {"courtesy"}),
        ("セミナーはいかがだったか？", {"courtesy"}),
        ("弊社からは誰が出席する予定か？", {"courtesy"}),
        ("御社はどちらにあるか？", {"courtesy"}),
        ("御社はどちらにありますか？", set()),
        ("今、お時間いいか？", {"courtesy"}),
        ("「神田様です」と彼は言った。", set()),  # somebody else is courteous
        ("東京新聞の田中だ。", {"name"}),
        ("彼は田中だ。", set()),
        ("ま、それは無理である。", {"speech"}),
        ("彼は学生である。", set()),
        ("お茶を飲んだ。", set()),  # a word of everybody
        ("", set()),
    ],
)
def test_what_clashes(text: str, clashes: set[str]) -> None:
    assert clashes_in(Analysis(text, sudachi_analyser().analyse(text))) == clashes


@pytest.mark.usefixtures("recorded_morphemes")
def test_a_rewriting_that_clashes_is_dropped_and_counted() -> None:
    rules = load_rules()
    few = rules.without({*rules.names} - {"verb-past"})
    found = Expander(few, sudachi_analyser()).expand("かしこまりました。")
    assert (found.rewritings, found.dropped) == ((), {"mixed": 1})

"""Traps of Japanese rewriting, from a feasibility study that fell into them: what must come out, and what must not."""

from __future__ import annotations

import pytest

from corpusdb.base.tokenisation import Analyser
from corpusdb.rules.rewriting import Expander
from corpusdb.rules.rule import RuleSet

NEVER = [
    # だ is the copula, the past of 読む, or cut from んだ
    ("彼は本を読んだ。", "彼は本を読んです。"),
    ("彼は本を読んだ。", "彼は本を読んである。"),
    ("船が沈んだ。", "船が沈んです。"),
    # で before は is an auxiliary or a case particle
    ("公園では遊ばない。", "公園じゃ遊びません。"),
    ("静かではある。", "静かではあります。"),
    ("静かではある。", "静かではです。"),
    # ある has no あらない; である becomes です
    ("時間がありません。", "時間があらない。"),
    ("時間がありませんでした。", "時間があらなかった。"),
    ("彼は学生である。", "彼は学生であります。"),
    ("彼は学生であった。", "彼は学生でありました。"),
    # でした after ません is none of the copula
    ("知りませんでした。", "知りませんだった。"),
    ("知りませんでした。", "知りませんであった。"),
    # くれる, くださる and なさる have imperatives of their own
    ("これをくれ。", "これをくれろ。"),
    ("座ってください。", "座ってくださいなさい。"),
    ("座ってください。", "座ってくださります。"),
    ("お帰りなさい。", "お帰れ。"),
    ("おやすみなさい。", "おやすんでください。"),
    ("ごめんなさい。", "ごめんしてください。"),
    # 下さい stays as it is written where a rule does not say otherwise
    ("本を読んで下さい。", "本を読んでくれ下さい。"),
    # いらっしゃる and its like take い before ます
    ("先生がいらっしゃる。", "先生がいらっしゃります。"),
    ("先生がそうおっしゃる。", "先生がそうおっしゃります。"),
    ("ありがとうございます。", "ありがとうござる。"),
    ("申し訳ございません。", "申し訳ござらない。"),
    ("ご案内いたします。", "ご案内いたす。"),
    ("担当の者が参ります。", "担当の者が参る。"),
    # what is quoted stays, and so does what stands before と, って, という, かどうか, のに and ので
    ("彼は「行く。」と言った。", "彼は「行きます。」と言いました。"),
    ("彼は「行きます。」と述べた。", "彼は「行く。」と述べた。"),
    ("『日本の川を管理する』を読んだ。", "『日本の川を管理します』を読みました。"),
    ("彼は来ると言った。", "彼は来ますと言いました。"),
    ("彼は来るって言った。", "彼は来ますって言いました。"),
    ("人が死ぬという話だ。", "人が死にますという話です。"),
    ("彼が来るかどうか知らない。", "彼が来ますかどうか知りません。"),
    ("待っているのに来ない。", "待っていますのに来ません。"),
    ("暑いので窓を開けた。", "暑いですので窓を開けました。"),
    ("そうだと思う。", "そうですと思います。"),
    # から that ends a predicate is another than から of a clause
    ("疲れたからだ。", "疲れましたからです。"),
    ("好きだからだ。", "好きですからです。"),
    ("寒いからか、誰もいない。", "寒いですからか、誰もいません。"),
    # だ is never before か
    ("本当ですか。", "本当だか。"),
    ("何が問題なのか。", "何が問題なのだか。"),
    ("そうですか。", "そうだか。"),
    ("いくらですか。", "いくらか。"),
    ("それは何ですか。", "それは何か。"),
    # か inside of a sentence
    ("彼が来るか分からない。", "彼が来ますか分かりません。"),
    # headlines, nouns at the end, place-holders
    ("首相、訪米へ", "首相、訪米へです"),
    ("[PERSON1]さんからの手紙。", "[PERSON1]さんからの手紙です。"),
    ("https://example.com/2023 を見て。", "https://example.com/２０２３ を見て。"),
    # の and ん
    ("雨なので行かない。", "雨なんで行かない。"),
    ("なので、行かない。", "なんで、行かない。"),
    ("彼は笑ってんだ。", "彼は笑ってのだ。"),
    ("これは私のだ。", "これは私んだ。"),
    ("忙しいので行けません。", "忙しいんで行けません。"),
    # the continuative in the middle of a sentence
    ("彼は医者であり、作家だ。", "彼は医者であって、作家だ。"),
    ("病気になっており、行けない。", "病気になっておって、行けない。"),
    ("そう思い、黙っていた。", "そう思いて、黙っていた。"),
    # what would be read otherwise
    ("この家の敷居はまたがない。", "この家の敷居はまたがないです。"),
    ("息を飲んだ。", "息を飲みだ。"),
    # の, わ, な and けど that end nothing
    ("私の本だ。", "私んですか本だ。"),
    ("わけがわからない。", "けがわかりません。"),
    # two sentences are flipped together or not at all
    ("雨だった。寒かった。", "雨でした。寒かった。"),
    ("行きました。楽しかったです。", "行った。楽しかったです。"),
    # commas, は, and marks are not taken away
    ("私は、行く。", "私は行く。"),
    ("ジョン・スミスが来た。", "ジョンスミスが来た。"),
    ("ざまあみろ。", "ざまあみなさい。"),
    ("ざまあみろ。", "ざまあみてください。"),
    ("本なら読める。", "本であればば読める。"),
    ("などなど。", "等等。"),
    ("そうではないかと思う。", "そうではありませんかと思う。"),
    ("いただけますでしょうか。", "いただけますだろうか。"),
    ("失礼します。", "失礼する。"),
    ("よろしくお願いします。", "よろしくお願いする。"),
    ("よろしくお願いします。", "よろしく願います。"),
    ("私たちは列車から降りました。", "私たちは列車から降った。"),
    ("行くんじゃなかった。", "行くんじゃありませんでした。"),
    ("おいしい？", "おいしいです？"),
    # found by reading
    ("英語のみならずフランス語も話す。", "英語だけならずフランス語も話す。"),
    ("関税はかからないですんだから良かった。", "関税はかからないですんですから良かったです。"),
    ("反抗的だが真面目な新人だ。", "反抗的ですが真面目な新人です。"),
    ("そうだね、明日話そう。", "そうだね、明日話しましょう。"),
    ("仕事は8時から5時までだ。", "仕事は8時から５時までだ。"),
    ("トムと申します。", "トムと申す。"),
    ("何とおっしゃいますか。", "何とおっしゃるか。"),
    ("個人的な事じゃないか。", "個人的な事でないか。"),
    ("お願い、急いで！", "お願って、急いで！"),
    ("おやすみ、トム。", "おやすんで、トム。"),
    ("長く持たなかった かっこいいけど、要改善", "長く持たなかった かっこいいですけど、要改善"),
    ("今日は何時までですか？！", "今日は何時までですか？。"),
    ("明日までに送ってくださいね。", "明日までに送ってくれね。"),
    ("少し休みたまえ。", "少し休みたまいなさい。"),
    ("牛肉が余ってしまったじゃない。", "牛肉が余ってしまったじゃありません。"),
    ("男が包丁で武装か", "男が包丁で武装ですか"),
    ("方法をご存知ですか？", "方法をご存知か？"),
    ("席に着いておりません。", "席に着いておらない。"),
    ("当日は７００人にも満たなかった。", "当日は７００人にも満ちませんでした。"),
    ("像は被害にあった。", "像は被害にありました。"),
    ("明けましておめでとう。", "明けておめでとう。"),
    ("そろそろ帰るか。", "そろそろ帰るか？"),
]  # fmt: skip
"""Texts, and what their rewritings must not be."""

ALWAYS = [
    ("彼は本を読んだ。", "彼は本を読みました。"),
    ("本ではなかった。", "本ではありませんでした。"),
    ("学生ではない。", "学生じゃありません。"),
    ("彼は学生である。", "彼は学生です。"),
    ("時間がありません。", "時間がない。"),
    ("知りませんでした。", "知らなかった。"),
    ("これを読んでくれ。", "これを読んでください。"),
    ("座りなさい。", "座れ。"),
    ("先生がいらっしゃる。", "先生がいらっしゃいます。"),
    ("彼は来ると言った。", "彼は来ると言いました。"),
    ("疲れたからだ。", "疲れたからです。"),
    ("行くけど、遅れる。", "行きますけど、遅れます。"),
    ("本当か。", "本当ですか。"),
    ("どうして来ないの？", "どうして来ないんですか？"),
    ("そうするべきだ。", "そうするべきです。"),
    ("彼は笑っているんだ。", "彼は笑っているのだ。"),
    ("病気になっており、行けない。", "病気になっていて、行けない。"),
    ("その話を信じます。", "その話を信じる。"),
    ("雨だった。寒かった。", "雨でした。寒かったです。"),
    ("行きました。楽しかったです。", "行った。楽しかった。"),
    ("子供が泳いでいる。", "子供が泳いでる。"),
    ("全部飲んでしまった。", "全部飲んじゃった。"),
    ("準備しておく。", "準備しとく。"),
    ("帰らなければならない。", "帰らなきゃならない。"),
    ("彼は「行く。」と言った。", "彼は「行く。」と言いました。"),
    ("「もう帰る。」", "「もう帰ります。」"),
    ("会議は１０時に始まる。", "会議は10時に始まります。"),
    ("申し訳ない。", "申し訳ございません。"),
    ("とんでもない。", "とんでもありません。"),
    ("明日は晴れるだろう。", "明日は晴れるでしょう。"),
]  # fmt: skip
"""Texts, and what one of their rewritings must be."""


ASKED_WITHIN = [
    # a question that is part of a sentence asks nobody, and stays plain
    ("どこに住むか、それが問題だ。", "住むか、"),
    ("どこに住んだか、それが問題だ。", "住んだか、"),
    ("何が必要か、それが問題だ。", "必要か、"),
    ("誰が来ないか、それは言えない。", "来ないか、"),
    ("いつ行くのか、それが問題だ。", "行くのか、"),
    ("どれが安いか、調べた。", "安いか、"),
    ("何をしたいか、聞いた。", "したいか、"),
    ("なぜ時間がないか、考えた。", "ないか、"),
    ("彼が来るか分からない。", "来るか分"),
    ("彼が来るか知らない。", "来るか知"),
    ("彼が来るかどうか分からない。", "来るかどうか分"),
    ("行くとか、行かないとか言った。", "行くとか、行かないとか"),
    # nor does one of several that are set side by side, wherever the last of them ends
    ("行くかどうか。", "行くかどうか"),
    ("行くか否か。", "行くか否か"),
    ("来るのか来ないのか。", "来るのか来ないのか"),
    ("来るか、来ないか。", "来るか、来ないか"),
    ("行くか、それとも残るか。", "行くか、それとも残るか"),
    ("本物かそれとも偽物か。", "本物かそれとも偽物か"),
    ("生きるべきか、死ぬべきか。", "生きるべきか、死ぬべきか"),
]
"""Texts with a question that no rule for politeness may touch, and what stays of them."""

ASKED = [
    ("どこに住むか。", "どこに住みますか。"),
    ("「どこに住むか」", "「どこに住みますか」"),
    ("どこに住みますか？", "どこに住むか？"),
    ("いつ行くのか。", "いつ行くのですか。"),
    ("本当か。", "本当ですか。"),
    ("彼が来るか知っているか。", "彼が来るか知っていますか。"),
    ("彼が来るかどうか知っているか。", "彼が来るかどうか知っていますか。"),
    ("何人かいるか。", "何人かいますか。"),
    ("どこかに行くか。", "どこかに行きますか。"),
    ("雨が降るかもしれないが、来るか。", "雨が降るかもしれませんが、来ますか。"),
    ("もう帰るか。明日来るか。", "もう帰りますか。明日来ますか。"),
    # what is asked within stays, and what it stands in changes
    ("どこに住むか、それが問題だ。", "どこに住むか、それが問題です。"),
    ("来るかどうか、聞いた。", "来るかどうか、聞きました。"),
    ("来るのか来ないのか、言わなかった。", "来るのか来ないのか、言いませんでした。"),
]
"""Questions to somebody, and what one of their rewritings must be."""


@pytest.fixture(scope="module")
def expander(rules: RuleSet, analyser: Analyser) -> Expander:
    return Expander(rules, analyser, cap=200)


def rewrites(expander: Expander, text: str, other: str) -> bool:
    return other in {rewriting.text for rewriting in expander.expand(text).rewritings}


def test_no_trap_is_fallen_into(expander: Expander) -> None:
    assert [(text, wrong) for text, wrong in NEVER if rewrites(expander, text, wrong)] == []


def test_what_is_asked_comes_out(expander: Expander) -> None:
    assert [(text, right) for text, right in ALWAYS if not rewrites(expander, text, right)] == []


@pytest.mark.parametrize(("text", "within"), ASKED_WITHIN)
def test_a_question_within_a_sentence_stays_plain(rules: RuleSet, analyser: Analyser, text: str, within: str) -> None:
    polite = Expander(rules.only(["polite"]), analyser, cap=200)
    assert within in text
    assert [each.text for each in polite.expand(text).rewritings if within not in each.text] == []


@pytest.mark.parametrize(("text", "right"), ASKED)
def test_a_question_to_somebody_is_rewritten(expander: Expander, text: str, right: str) -> None:
    assert right in {rewriting.text for rewriting in expander.expand(text).rewritings}


def test_there_are_many_traps() -> None:
    assert len(set(NEVER)) >= 60


@pytest.mark.parametrize(
    "text",
    ["首相、訪米へ", "なるほど。", "はい。", "[PERSON1]", "https://example.com/", "。", "", "「", "abc def", "\ufeff"],
)
def test_what_has_no_predicate_stays(expander: Expander, text: str) -> None:
    assert expander.expand(text).rewritings == ()

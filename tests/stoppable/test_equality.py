"""Hits and spans are those of ``re``, in this process and in the other, on real sentences in five languages."""

from __future__ import annotations

import gzip
import re
from functools import cache
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusdb.base.jobs import Limit
from corpusdb.base.pattern_effort import Effort
from corpusdb.base.regular_expressions import Regex
from corpusdb.search.corpus_text import LanguageText
from corpusdb.search.matches import Matcher
from corpusdb.search.patterns import Folding, Pattern

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "tatoeba"
LANGUAGES = ("eng", "fra", "deu", "jpn", "cmn")

PATTERNS = r"""
the;^I ;\?$;^[A-Z][a-z]+!$;(cat|dog)s?;ing[.]$;^.{1,8}$;o{2};\d+;\b\w+ing\b;^I .*\?$;\b(\w+) \1\b;Tom's;[?!]{2}
^(\w+ )*\w+[.]$;(\w+ )+;\w+-\w+;(?i)tom;(?i:TOM)|Mary;(?x) t h e;a.*b.*c;[aeiou]{3};[^aeiou\W]{5};\bun[a-z]*;n't\b
'\w+;"[^"]*";\([^)]*\);\d+[.,:]\d+;(?<=the )\w+;(?<!the )\bcat;\w+(?= Tom);\w+(?! Tom);(\w)\1;(\w)(\w)\2\1;^(.).*\1.$
(?P<w>\w+) (?P=w);(a)?(?(1)b|c);(?>a+)b;a++b;.*?,;,.*?,;^\W;\W$;\s\s;\S+;^\S+$;\S{12,};[A-Z]{2,};[A-Z]\w*( [A-Z]\w*)+
(\w+,? )+and;(the|that|this|these) \w+;(I|you|he|she)('m|'re|'s)?;[éèêë];[äöüß];\bqu'|l';œ|æ;^Je .* pas
[ß]{1};ss|ß;\bin[A-Z];[^\x00-\x7f]+;[À-ÿ]+;é$;\u00e9;\N{LATIN SMALL LETTER E WITH ACUTE};[ぁ-ん]+;[ァ-ヶー]+;[一-龠]+
[一-龠]{3,};は.*です;^私;。$;[^。]$;(.)\1;ん[だでな];[ぁ-ん]+[一-龠]+[ぁ-ん]+;「[^」]*」;[０-９]+;[Ａ-Ｚａ-ｚ]+;々
我.*你;不.不;^[我你他她];[？！]$;[，、].*[，、];[\u4e00-\u9fff]{8};(.)不\1;的.*的;\w;\W;\s;\d;\b;\B;^;$;.;x*;a|;(?s).
(?m)^.;(?a)\w+;(?a)\W;(?u)\w{9};[\w.]+;[\W_];[^\W\d_]{10,};[\s\S]{60};a{0,2}b;(ab|cd)+;(?:[bcd][aeiou])+;((a|e)(n|r))+
(th?e?)+;(.{5}){3}$;^(?=.*a)(?=.*e)(?=.*i);^(?!.*e);(?!^)[A-Z];[.]{3};…;\.\.;-{2};—|–;%|€|\$;\d{4};\b[0-9]+\b
(^|\s)[ao](\s|$);e\b.*e\b;(?i)^the;(?i)[a-c]{2};(?i)straße;(?i)é;(?i)[^a-z ]+$;\A\w;\w\Z;(\w+) .* \1;^(\w+)\b.*\b\1\W?$
"""
TABLE = [pattern for pattern in PATTERNS.replace("\n", ";").split(";") if pattern]


@cache
def sentences(language: str, count: int) -> LanguageText:
    """Some sentences of Tatoeba."""
    file = DATA / f"eng-{'fra' if language == 'eng' else language}.tsv.gz"
    column = 0 if language == "eng" else 1
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        texts = dict.fromkeys(line.rstrip("\n").split("\t")[column] for line in islice(lines, 20 * count))
    chosen = list(texts)[:: max(1, len(texts) // count)][:count]
    return LanguageText(language, np.arange(len(chosen)), "".join(f"{text}\n" for text in chosen))


def expected(pattern: str, flags: int, texts: list[str]) -> dict[int, list[tuple[int, int]]]:
    """What ``re`` finds."""
    compiled = re.compile(pattern, flags)
    found = {place: [match.span() for match in compiled.finditer(text)] for place, text in enumerate(texts)}
    return {place: spans for place, spans in found.items() if spans}


def test_the_table_is_long() -> None:
    assert len(set(TABLE)) >= 130


@pytest.mark.data
@pytest.mark.parametrize(
    "pattern",
    [pytest.param(pattern, marks=pytest.mark.slow if place % 4 else ()) for place, pattern in enumerate(TABLE)],
)
def test_hits_and_spans_are_those_of_re(pattern: str) -> None:
    for language in LANGUAGES:
        for case in (False, True):
            text = sentences(language, 400)
            wanted = expected(pattern, re.IGNORECASE if case else 0, text.lines)
            matcher = Matcher(Pattern(pattern, "regex", Folding(case=case)))
            found = matcher.indexes(text).tolist()
            assert found == list(wanted)
            for place, spans in wanted.items():
                filled = [span for span in spans if span[0] < span[1]]
                assert matcher.spans(text.lines[place]) == (filled or spans[:1])


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("pattern", TABLE)
def test_in_the_other_process_too(pattern: str) -> None:
    texts = [line for language in LANGUAGES for line in sentences(language, 400).lines]
    wanted = expected(pattern, 0, texts)
    with patch.object(Regex, "_is_quick", lambda regex, length: False):
        regex = Regex(pattern)
        assert regex.among(texts, range(len(texts)), Limit()) == list(wanted)
        assert {place: regex.spans(texts[place]) for place in wanted} == wanted
        whole = re.compile(pattern)
        assert regex.matching_whole(texts, Limit()) == [
            place for place, text in enumerate(texts) if whole.fullmatch(text)
        ]


atoms = st.sampled_from(["a", "e", "t", " ", ".", r"\w", r"\b", r"\s", "[aeiou]", "[^a-z]", "は", "的", "é", "$", "^"])
made = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("({}){}".format, inner, st.sampled_from(["?", "{2}", "+", "*?"])),
    ),
    max_leaves=5,
)


@pytest.mark.data
@settings(max_examples=200, deadline=None)
@given(made)
def test_patterns_that_were_made_up(pattern: str) -> None:
    if Effort(pattern).longest < 120:
        return
    for language in LANGUAGES:
        text = sentences(language, 60)
        matcher = Matcher(Pattern(pattern, "regex"))
        assert matcher.indexes(text).tolist() == list(expected(pattern, 0, text.lines))

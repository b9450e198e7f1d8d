"""Patterns of people: the hits of ``re``, what is taken to be quick, and an end to those that have none."""

from __future__ import annotations

import gzip
import itertools
import re
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpusdb.base import regular_expressions as process
from corpusdb.base.errors import Cancelled, UsageError
from corpusdb.base.jobs import Limit, TookTooLong, shortened
from corpusdb.base.regular_expressions import Regex, beginning, quick_length, spans_in_process
from corpusdb.search.matches import LanguageText, Matcher
from corpusdb.search.patterns import Folding, Pattern

# Hits and spans are those of ``re``, in this process and in the other, on real sentences in five languages.


DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "tatoeba"
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
    return LanguageText(language, np.arange(len(chosen)), "".join(f"{text}\n" for text in chosen).encode())


def expected(pattern: str, flags: int, texts: list[str]) -> dict[int, list[tuple[int, int]]]:
    """What ``re`` finds."""
    compiled = re.compile(pattern, flags)
    found = {place: [match.span() for match in compiled.finditer(text)] for place, text in enumerate(texts)}
    return {place: spans for place, spans in found.items() if spans}


def test_the_table_is_long() -> None:
    assert len(set(TABLE)) >= 130


@pytest.mark.slow
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
    with patch.object(process, "quick_length", lambda pattern, flags: -1):
        regex, limit = Regex(pattern), Limit(seconds_a_text=1e9)  # however busy the machine is
        assert regex.among(texts, limit) == list(wanted)
        assert {place: regex.spans(texts[place]) for place in wanted} == wanted
        whole = re.compile(pattern)
        assert regex.matching_whole(texts, limit) == [
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


@pytest.mark.slow
@pytest.mark.data
@settings(max_examples=200, deadline=None)
@given(made)
def test_patterns_that_were_made_up(pattern: str) -> None:
    if quick_length(pattern, re.compile(pattern).flags) < 60:
        return  # a process for each takes a second
    for language in LANGUAGES:
        text = sentences(language, 60)
        matcher = Matcher(Pattern(pattern, "regex"))
        assert matcher.indexes(text).tolist() == list(expected(pattern, 0, text.lines))


@pytest.mark.parametrize(
    ("pattern", "begins"),
    [
        (r"(\w+ly )+", r"(\w+ly )"),
        (r"the (\w+ ){2,}cat", r"the (\w+ )"),
        (r"a(\w+ )*b", "a"),
        ("a(b(c+d)+)e", "a"),
        ("a((b+c)+d)+e", "a"),
        (r"a|(\w+ )+", ""),
        (r"x(?#()a|b(\w+ )+", ""),
        ("a(bc)+", ""),
    ],
)
def test_with_what_matches_begin(pattern: str, begins: str) -> None:
    """Nothing is asked of a pattern that is quick by itself."""
    assert beginning(pattern) == begins


repeated = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "$", "a+", "b?"]),
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("{}|{}".format, inner, inner),
        st.builds("{}{}){}".format, st.sampled_from(["(", "(?:", "(?>", "(?="]), inner, st.sampled_from("*+?")),
    ),
    max_leaves=6,
)


@given(repeated, st.lists(st.text("abc", max_size=8), max_size=20))
def test_what_a_pattern_matches_has_its_beginning(pattern: str, texts: list[str]) -> None:
    begins = re.compile(beginning(pattern))
    assert all(begins.search(text) for text in texts if re.search(pattern, text))


def test_what_no_match_begins_with_does_not_go_to_the_process() -> None:
    texts = ["b", "ab ab c", *["c"] * 9]
    with patch.object(process, "spans_in_process", wraps=spans_in_process) as asked:
        assert Regex(r"a(\w+ )+").among(texts, Limit(seconds_a_text=1e9)) == [1]
    assert asked.call_args.args[2] == ["ab ab c"]


# Patterns that never end, ended by a clock of the test's own or by somebody; no test waits for a real one.


ENDLESS = [
    (r"^(\w+\s*)+$", "x" * 60 + "!"),
    pytest.param("(a|a)*$", "a" * 60 + "!", marks=pytest.mark.slow),
    pytest.param("(.*)*x", "a" * 60, marks=pytest.mark.slow),
    pytest.param(r"^(\w+)+\1$", "ab" * 30 + "!", marks=pytest.mark.slow),
    pytest.param("(x+x+)+y", "x" * 60, marks=pytest.mark.slow),
]


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Those that were started; none is left behind."""
    started: list[subprocess.Popen[bytes]] = []
    original = subprocess.Popen

    def noted(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        started.append(original(*arguments, **options))  # type: ignore[call-overload]
        return started[-1]

    with patch.object(subprocess, "Popen", noted):
        yield started
    assert all(each.returncode is not None for each in started)


def hurried(**options: Any) -> Limit:
    """A limit whose clock goes on by a tenth of a second whenever somebody looks at it."""
    ticks = itertools.count()
    return Limit(clock=lambda: next(ticks) / 10, **options)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("pattern", "text"), ENDLESS)
@pytest.mark.slow
def test_one_sentence_may_take_so_long_and_is_named(
    pattern: str, text: str, processes: list[subprocess.Popen[bytes]]
) -> None:
    with pytest.raises(TookTooLong, match=re.escape(f"{pattern!r} was stopped")) as error:
        Regex(pattern).among(["a", text, "b"], hurried(seconds_a_text=5))
    assert shortened(text) in str(error.value)
    assert "\n" not in str(error.value)
    assert len(processes) == 1


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("pattern", "text"), ENDLESS)
@pytest.mark.parametrize("by_processor", [False, True])
def test_all_of_it_may_take_so_long(pattern: str, text: str, by_processor: bool) -> None:
    with pytest.raises(TookTooLong, match="after 3 seconds; `--timeout 0`"):
        Regex(pattern).among([text], hurried(seconds=3, seconds_a_text=1e9, by_processor=by_processor))


class Impatient(Limit):
    """Cancelled from another place while the process runs."""

    looks = 0

    def check(self, pattern: str) -> None:
        self.looks += 1
        if self.looks == 4:
            self.cancel()
        super().check(pattern)


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("pattern", "text"), ENDLESS)
def test_somebody_can_stop_it(pattern: str, text: str, processes: list[subprocess.Popen[bytes]]) -> None:
    with pytest.raises(Cancelled):
        Regex(pattern).among([text], Impatient(seconds_a_text=1e9))
    assert [each.returncode for each in processes] == [-9]


@pytest.mark.usefixtures("processes")
def test_ctrl_c_ends_the_process(processes: list[subprocess.Popen[bytes]]) -> None:
    with patch.object(Limit, "check", side_effect=[None, None, KeyboardInterrupt]), pytest.raises(KeyboardInterrupt):
        spans_in_process("(a|a)*$", 0, ["a" * 60 + "!"], Limit(seconds_a_text=1e9))
    assert [each.returncode for each in processes] == [-9]


@pytest.mark.usefixtures("processes")
def test_a_quick_pattern_can_be_stopped_too_and_needs_no_process(processes: list[subprocess.Popen[bytes]]) -> None:
    limit = Limit()
    limit.cancel()
    with pytest.raises(Cancelled):
        Regex("cat").among(["a cat"], limit)
    with pytest.raises(Cancelled):
        Regex("cat").matching_whole(["cat"], limit)
    assert processes == []


@pytest.mark.usefixtures("processes")
def test_a_process_that_was_ended_by_others_is_told_of() -> None:
    with patch.object(process, "_watch", lambda *arguments: None), pytest.raises(TookTooLong):
        spans_in_process("(a|a)*$", 0, ["a" * 60 + "!"], Limit())


@pytest.mark.usefixtures("processes")
def test_only_long_texts_go_to_the_process(processes: list[subprocess.Popen[bytes]]) -> None:
    texts = ["b", "a" * 20, "c", "ba" * 10]
    with patch.object(process, "quick_length", lambda pattern, flags: 4):
        regex = Regex("a+")
        assert regex.among(texts, Limit(seconds_a_text=1e9)) == [1, 3]
        assert [regex.spans(text) for text in texts] == [
            [match.span() for match in re.finditer("a+", text)] for text in texts
        ]
    assert len(processes) == 1


@pytest.mark.usefixtures("processes")
def test_a_fault_of_re_is_told_in_one_line() -> None:
    regex = Regex("a")
    with patch.object(regex, "_compiled") as compiled:
        compiled.search.side_effect = compiled.finditer.side_effect = SystemError("a span is wrong")
        for call in (lambda: regex.among(["a"], Limit()), lambda: regex.spans("a")):
            with pytest.raises(UsageError, match="cannot run the regular expression 'a'"):
                call()


# What is taken to be quick, against a matcher that counts the steps that it takes.


@pytest.mark.parametrize(
    ("pattern", "least"),
    [
        ("", 10**6),
        ("cat", 10**6),
        ("(the|that|this) x|[|*?(]", 10**5),
        ("^I .*[?]$", 10**6),
        (r"\A(?:Mr|Mrs|Ms)\. \w+", 400),
        (r"\b\w+ing\b", 1_000),
        ('"[^"]*"', 1_000),
        (r"\(\)*(?i:a)", 1_000),
        (r"\b(\w+) \1\b", 100),
        (r"\d+(\.\d+)?", 100),
        (r"(?P<a>.)(?P=a)", 1_000),
    ],
)
def test_what_people_ask_for_is_quick_in_most_sentences(pattern: str, least: int) -> None:
    compiled = re.compile(pattern)
    assert least < quick_length(pattern, compiled.flags) < 100 * least


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(\w+\s*)+$",
        "(a|a)*$",
        "(a?){50}b",
        "(?=(\\w+\\s*)+$)",
        "((|a)(a|))*b",
        "(a?)" * 60,
        "a?" * 2_000,
        "(?x)(a*) *",
        "(?i-s:(?x: (a*) # no\n *))",
        "(?sx-i:(a*) +)",
        "([)]*)*",
    ],
)
def test_of_what_may_have_too_many_ways_nothing_is_known(pattern: str) -> None:
    assert quick_length(pattern, re.compile(pattern).flags) == -1


def test_flags_from_outside_count() -> None:
    assert quick_length("(a*) *", re.VERBOSE) == -1
    assert quick_length("^a*b", re.MULTILINE) < quick_length("^a*b") // 100


def simple(kind: Any, of: Any, char: str) -> bool:
    """Whether one character matches a part that is one."""
    if kind is codes.LITERAL:
        return bool(ord(char) == of)
    if kind is codes.IN:
        return any(simple(each, what, char) for each, what in of)
    return kind is codes.ANY


def noted(ends: list[int], end: int) -> bool:
    ends.append(end)
    return True


class Counting:
    """A backtracking matcher that tries what ``re`` tries, in the same order, and counts the parts that it looks at."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0

    def match(self, nodes: list[Any], place: int, then: Callable[[int], bool]) -> bool:
        if not nodes:
            return then(place)
        self.steps += 1
        (kind, of), rest = nodes[0], nodes[1:]

        def go_on(end: int) -> bool:
            return self.match(rest, end, then)

        if kind is codes.AT:
            return place == len(self.text) and go_on(place)
        if kind is codes.SUBPATTERN:
            return self.match(list(of[-1]), place, go_on)
        if kind is codes.BRANCH:
            return any(self.match(list(branch), place, go_on) for branch in of[1])
        if kind is codes.ASSERT:
            return self.match(list(of[1]), place, lambda end: True) and go_on(place)
        if kind is codes.ATOMIC_GROUP:
            ends: list[int] = []
            return self.match(list(of), place, lambda end: noted(ends, end)) and go_on(ends[0])
        if kind in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            return self.repeat(kind, of, place, 0, go_on)
        return place < len(self.text) and simple(kind, of, self.text[place]) and go_on(place + 1)

    def repeat(self, kind: Any, of: Any, place: int, done: int, go_on: Callable[[int], bool]) -> bool:
        least, most, body = of

        def once_more() -> bool:
            if done >= most:
                return False
            return self.match(list(body), place, further)

        def further(end: int) -> bool:
            return end > place and self.repeat(kind, of, end, done + 1, go_on)

        def enough() -> bool:
            return done >= least and go_on(place)

        return (once_more() or enough()) if kind is codes.MAX_REPEAT else (enough() or once_more())

    def search(self, nodes: list[Any]) -> int:
        """The steps of trying every place."""
        for place in range(len(self.text) + 1):
            self.match(nodes, place, lambda end: True)
        return self.steps


parts = st.recursive(
    st.sampled_from(["a", "b", ".", "[ab]", "$", "ab"]),
    lambda inner: st.one_of(
        st.builds("{}{}{}".format, inner, st.sampled_from("ab."), st.sampled_from(["*", "+", "?", "*?", "{1,2}"])),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("({}){}".format, inner, st.sampled_from(["*", "?", "{2}"])),
        st.builds("(?={})".format, inner),
        st.builds("(?>{})".format, inner),
    ),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(parts, st.text("abc", max_size=10))
@example("(?:a|)(?:a|)(?:a|)(?:a|)(?:a|)b", "aaaaaaaa")
@example("a*a*a*b", "aaaaaaaa")
def test_a_quick_text_takes_no_more_steps_than_was_said(pattern: str, text: str) -> None:
    most = 2000.0
    with patch.object(process, "_MOST_STEPS", most):
        longest = quick_length(pattern)
    for length in range(min(longest, len(text)) + 1):
        # A step of the estimate is a part that is looked at and the end of it: two or three of those counted here.
        assert Counting(text[:length]).search(list(parser.parse(pattern))) <= 4 * most

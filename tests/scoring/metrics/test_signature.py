"""Signatures: one line out, the same signature back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusdb import __version__
from corpusdb.base.errors import InputError, UsageError
from corpusdb.scoring.metric_settings import ReferenceCounts, Signature, Smoothing, signature_fields

DIGEST = "0123456789abcdef"
FULL = Signature(
    metric="bleu",
    order=18,
    unit="char",
    case="lc",
    tokenisation="char",
    smoothing=str(Smoothing("floor", effective=True)),
    references=ReferenceCounts.of([1, 13, 2]),
    digest=DIGEST,
    seed=0,
    version="0.1.0",
)
LINE = (
    "metric:bleu|order:18|unit:char|case:lc|tok:char|smooth:floor[0.1]+effective|refs:1/5.33/13|"
    f"set:{DIGEST}|seed:0|version:0.1.0"
)


def test_the_line() -> None:
    assert str(FULL) == LINE
    assert Signature.parse(LINE) == FULL


def test_every_field_is_told_in_words() -> None:
    fields = signature_fields(LINE)
    assert "|".join(f"{key}:{value}" for key, value, _ in fields) == LINE
    assert ("order", "18", "n-grams of 1 to so many units count") in fields
    assert signature_fields("scores of people: seg-DA.tsv") == []


def test_what_means_nothing_for_a_metric_is_left_out() -> None:
    signature = Signature(metric="ter", tokenisation="none", references=ReferenceCounts(2, 2, 2), digest=DIGEST)

    assert str(signature) == f"metric:ter|case:mixed|tok:none|refs:2|set:{DIGEST}|version:{__version__}"
    assert Signature.parse(str(signature)) == signature


WORDS = st.text("aZ09.:+[]-", min_size=1, max_size=12)


@given(
    st.builds(
        Signature,
        metric=WORDS,
        order=st.none() | st.integers(1, 30),
        unit=st.none() | st.sampled_from(["word", "char"]),
        case=WORDS,
        tokenisation=WORDS,
        smoothing=st.none() | WORDS,
        effective=st.none() | WORDS,
        word_order=st.none() | WORDS,
        asian=st.none() | WORDS,
        origins=st.none() | WORDS,
        references=st.lists(st.integers(1, 50), min_size=1).map(ReferenceCounts.of),
        copies=st.none() | st.integers(1, 10_000),
        digest=st.sampled_from([DIGEST, f"2-{DIGEST[2:]}"]),
        drawn_from=st.none() | st.lists(st.integers(1, 50), min_size=1).map(ReferenceCounts.of),
        draws=st.none() | st.integers(1, 1000),
        seed=st.none() | st.integers(0, 2**64),
        version=WORDS,
    )
)
def test_the_line_gives_the_signature_back(signature: Signature) -> None:
    assert Signature.parse(str(signature)) == signature


@pytest.mark.parametrize(
    "changes",
    [
        {"order": 4},
        {"unit": "word"},
        {"case": "mixed"},
        {"tokenisation": "13a"},
        {"smoothing": "none"},
        {"references": ReferenceCounts(1, 5.34, 13)},
        {"digest": "f" * 16},
        {"digest": "2-" + "f" * 14},
        {"effective": "yes"},
        {"char_order": "6"},
        {"word_order": "2"},
        {"beta": "2"},
        {"space": "no"},
        {"normalised": "no"},
        {"punctuation": "yes"},
        {"asian": "no"},
        {"origins": "files+corpus"},
        {"seed": None},
        {"draws": 20},
        {"drawn_from": ReferenceCounts(2, 5.33, 13)},
        {"version": "0.2.0"},
    ],
)
def test_every_field_shows(changes: dict[str, object]) -> None:
    assert str(replace(FULL, **changes)) != LINE  # type: ignore[arg-type]
    assert replace(FULL, **changes).short() != FULL.short()  # type: ignore[arg-type]


def test_the_short_form_is_of_the_same_fields() -> None:
    short = "bleu|n:18|u:c|c:lc|tok:char|s:floor[0.1]+effective|#:1/5.33/13|set:2-01234567|seed:0|v:0.1.0"
    signature = replace(FULL, digest="2-0123456789abcd")
    assert signature.short() == short
    made = replace(signature, equivalents="closed+n2+c0.75+any+0123", rules="polite:0123+max16+sudachi")
    assert made.short() == short.replace("|seed", "|eq:closed|rules:polite|seed")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "bleu",
        LINE + "|",
        LINE + "|order:4",
        LINE + "|tokens:5",
        LINE.replace("|case:lc", ""),
        LINE.replace("order:18", "order:many"),
        LINE.replace("1/5.33/13", "1/13"),
        LINE.replace("1/5.33/13", "2/1.00/3"),
        LINE.replace("1/5.33/13", "0"),
        LINE.replace(DIGEST, "0123"),
        LINE.replace("unit:char", "unit:"),
    ],
)
def test_other_lines_are_refused(line: str) -> None:
    with pytest.raises(InputError, match="not a signature"):
        Signature.parse(line)


@pytest.mark.parametrize(
    "changes",
    [{"metric": "a|b"}, {"tokenisation": "a b"}, {"case": ""}, {"digest": "F" * 16}, {"digest": "3-" + "f" * 14}],
)
def test_values_that_no_line_can_hold(changes: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        replace(FULL, **changes)  # type: ignore[arg-type]


def test_no_segments_have_no_counts() -> None:
    with pytest.raises(UsageError, match="no segments"):
        ReferenceCounts.of([])

"""The units of many texts at once, against the pattern that cuts one after the other."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from corpusdb.base.text import needs_slow_units, unit_ends
from corpusdb.paraphrase.units import ends_of_plain

parts = st.sampled_from(
    [
        *(
            "'",
            "'",
            "\N{RIGHT SINGLE QUOTATION MARK}",
            " ",
            "\n",
            "-",
            "...",
            "?!",
            "_",
            "\N{NO-BREAK SPACE}",
            "\x1c",
            "\u2026",
        ),
        *("n", "t", "N'T", "s", "D", "re", "Ve", "ll", "em", "do", "x"),
        *("l", "J", "qu", "Lorsqu", "puisQu", "quoiqu", "QU", "é", "İ"),
        *(".", ",", ":", "5", "30", "²", "٣"),
    ]
)
plain = st.one_of(st.lists(parts, max_size=14).map("".join), st.text()).filter(lambda text: not needs_slow_units(text))


@given(plain)
@example("don't've l'eau o'don't 5:30's")
@example("n't'x ''s 'n'tonight 'tis")
@example("'")
def test_units_end_where_the_pattern_ends_them(text: str) -> None:
    assert ends_of_plain(text).tolist() == unit_ends(text, slow=False)


def test_a_long_chain_of_apostrophes() -> None:
    text = "a'" * 300 + "s"
    assert ends_of_plain(text).tolist() == unit_ends(text)

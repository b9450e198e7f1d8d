"""The text of a query read piece by piece, and what to say where it is wrong."""

from __future__ import annotations

import re
import warnings
from typing import Final, NoReturn

from corpusdb.base.errors import QueryError
from corpusdb.base.regular_expressions import check_named_classes
from corpusdb.base.text import nfc
from corpusdb.search.cqp_syntax import WordPattern

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[^\W\d]\w*(?:-\w+)*")
_LABEL = re.compile(_NAME.pattern + ":(?!:)")
_REFERENCE = re.compile(_NAME.pattern + r"\s*\.\s*" + _NAME.pattern)
_NUMBER = re.compile(r"[0-9]{1,9}(?![0-9])")
_PLAIN = re.compile(r"[^\s\"\[\](){}|&?*+:;,<>=%!@/$#~]+")
_VALUED_TAG = re.compile(rf"<({_NAME.pattern})\s*(?=!?=)")
_TAG = re.compile(r"</?\w[^>]*>|<<\w+>>")
_CURLY = "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{DOUBLE LOW-9 QUOTATION MARK}«»「」"
_OPERATORS: Final = {
    **dict.fromkeys(("mu", "tab", "containing"), ""),
    "meet": " belongs inside MU(...)",
    "sort": "; here --sort does it",
    **dict.fromkeys(("group", "count"), "; here --group does it"),
    "cat": "; here --kwic shows lines",
    "show": "; here --show adds attributes",
    "set": "; here --width and --context say what is shown",
    "tabulate": "; here --format tsv has columns",
    "reduce": "; here --sample takes some",
}
"""What does in this program what they do in CQP."""
_FUNCTIONS: Final = {
    "lbound": "; <s> stands where a sentence begins",
    "rbound": "; </s> stands where a sentence ends",
    **dict.fromkeys(("distance", "distabs"), "; quantifiers say how far: a:[] []{0,3} b:[]"),
    "strlen": '; word=".{6,}" has six characters or more',
}
_NEAR_MISSES = {
    "[:": "lookahead is not supported",
    "<<": "regions are not supported; the only tags are <s> and </s>",
    "(?": "matching strategies are not supported; each match is the shortest from where it begins",
    "/": "macros are not supported",
    "$": "word lists are not supported; write alternatives: [word=\"a|b\"]",
    "RE(": "word lists are not supported; write alternatives: [word=\"a|b\"]",
    "@": "the marker @ goes before a token without a label: @[...]",
    "==>": "write the aligned language as :jpn \"...\"",
    "?": "a quantifier follows a token or a group",
    "*": "a quantifier follows a token or a group",
    "+": "a quantifier follows a token or a group",
    "{": "a quantifier follows a token or a group",
    "%": "flags such as %c follow a string directly",
    "=": "named queries are not supported; `corpusdb results keep NAME` keeps what was found",
    "!": "a negation belongs inside brackets: [word!=\"...\"]; or after a language: :jpn ! \"...\"",
    "&": "& belongs inside brackets or after ::",
    ";": "a query ends with its first ;",
}  # fmt: skip
_LONGEST_FIRST = sorted(_NEAR_MISSES, key=len, reverse=True)


class Scanner:
    """A place in the text of a query. White space is skipped before everything that is read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.skip_space()

    @property
    def at_end(self) -> bool:
        return self.position == len(self.text)

    def skip_space(self) -> None:
        self.position += len(_SPACE.match(self.text, self.position)[0])  # type: ignore[index]  # it always matches

    def sees(self, symbol: str) -> bool:
        return self.text.startswith(symbol, self.position)

    def accept(self, symbol: str) -> bool:
        if not self.sees(symbol):
            return False
        self.position += len(symbol)
        self.skip_space()
        return True

    def expect(self, symbol: str, purpose: str) -> None:
        """Go behind ``symbol``; raises QueryError, "expected " ``symbol`` ``purpose``, where it does not stand here."""
        if not self.accept(symbol):
            self.fail(f"expected {symbol}{purpose}")

    def peek_name(self) -> str | None:
        """The name that stands here, if one does."""
        found = _NAME.match(self.text, self.position)
        return None if found is None else found[0]

    def sees_reference(self) -> bool:
        """Whether the attribute of a labelled token stands here: ``a.word``."""
        return _REFERENCE.match(self.text, self.position) is not None

    def name(self) -> str | None:
        return self._read(_NAME)

    def tag_with_value(self) -> str | None:
        """Read the beginning of ``<name="value">``, up to the sign, if it stands here."""
        found = self._read(_VALUED_TAG)
        return None if found is None else found[1:].rstrip()

    def number(self) -> int | None:
        """Read a number of at most nine digits, if one stands here."""
        digits = self._read(_NUMBER)
        return None if digits is None else int(digits)

    def equality(self) -> bool:
        """Read = or !=: whether it is =."""
        if self.sees("=="):
            self.fail('for a literal string write = "..."%l')
        if self.peek_name() in ("contains", "matches", "not"):
            self.fail(r'feature sets are texts here: [lemma="(.*\|)?go(\|.*)?"]')
        if not (self.sees("=") or self.sees("!=")):
            self.fail("expected = or !=")
        return self.accept("=") or not self.accept("!=")

    def label(self) -> str | None:
        """Read a label and the colon directly behind it, if they stand here."""
        found = self._read(_LABEL)
        return None if found is None else found[:-1]

    def refuse_function(self) -> None:
        """Raise QueryError where a function stands here, such as lbound(s)."""
        name = self.peek_name()
        if name is not None and self.text.startswith("(", self.position + len(name)):
            self.fail(f"functions such as {name}() are not supported{_FUNCTIONS.get(name, '')}")

    def string(self) -> WordPattern | None:
        """Read a string in quotes and its flags, if a string stands here.

        A quote of the same kind inside is doubled or stands behind a backslash. Raises QueryError for a string that
        does not end, a flag other than c, d, l, and a regular expression that cannot be used.
        """
        start, quote = self.position, self.text[self.position : self.position + 1]
        if not quote or quote not in "\"'":
            return None
        found = re.compile(rf"{quote}((?:[^{quote}\\]|\\.|{quote}{quote})*){quote}", re.DOTALL).match(self.text, start)
        if found is None:
            self.fail(f"this string has no closing {quote}")
        self.position = found.end()
        self.skip_space()
        flags = self.flags("cdl")
        if "l" in flags:
            text = re.sub(rf"[\\{quote}]{quote}", quote, found[1])
        else:
            self._check(found[1], start + 1)
            text = found[1].replace(quote * 2, quote)
        return WordPattern(nfc(text), "l" in flags, "c" in flags, "d" in flags, start)

    def flags(self, known: str) -> frozenset[str]:
        """Read ``%`` and the flags behind it, if they stand here."""
        if not self.accept("%"):
            return frozenset()
        letters = self.peek_name() or ""
        for place, letter in enumerate(letters):
            if letter not in known:
                self.fail(f"no flag {letter}; the flags here are {', '.join(known)}", self.position + place)
        if not letters:
            self.fail(f"expected a flag after %: {', '.join(known)}")
        self._read(_NAME)
        return frozenset(letters)

    def fail(self, reason: str, position: int | None = None) -> NoReturn:
        raise QueryError(reason, query=self.text, position=self.position if position is None else position)

    def fail_here(self, expected: str) -> NoReturn:
        """Raise QueryError with the best that can be said of what stands here instead of ``expected``."""
        if self.at_end:
            self.fail(f"expected {expected}, but the query ends here")
        if self.text[self.position] in _CURLY:
            self.fail('use straight quotes: "..."')
        if _TAG.match(self.text, self.position) is not None:
            self.fail('the only tags are <s> and </s>, first also <text> and <u_who="Bob">, and last </text>')
        for symbol in _LONGEST_FIRST:
            if self.sees(symbol):
                self.fail(_NEAR_MISSES[symbol])
        plain = _PLAIN.match(self.text, self.position)
        if plain is None:
            self.fail(f"unexpected {self.text[self.position]}; expected {expected}")
        behind = self.text[plain.end() :].lstrip()
        if behind.startswith("=") and not behind.startswith("==>"):
            self.fail(_NEAR_MISSES["="])
        way = _OPERATORS.get(plain[0].lower())
        told = f"{plain[0]}{way}" if way and not way.startswith(";") else f"{plain[0]} of CQP is not supported{way}"
        operator = "" if way is None else f" (the operator {told})"
        bare = "" if re.search(r"[\[\"']", self.text) else "; without --cqp it is a string, with --regex a pattern"
        self.fail(f'put it in quotes: "{plain[0]}"{operator}{bare}')

    def _read(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.position)
        if found is None:
            return None
        self.position = found.end()
        self.skip_space()
        return found[0]

    def _check(self, written: str, start: int) -> None:
        """Fail at the character of the query where the regular expression ``written`` is wrong.

        It is checked as it is written, doubled quotes and all, so that its offsets are those of the query; a quote
        more or less does not make it right or wrong.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of what a later Python may read in another way
                check_named_classes(written)
                re.compile(written)
        except re.error as error:
            self.fail(
                f'bad regular expression: {error.msg}; for a literal string write "..."%l',
                start + (error.pos or 0),
            )
        except (OverflowError, RecursionError):
            self.fail("bad regular expression: too large", start)

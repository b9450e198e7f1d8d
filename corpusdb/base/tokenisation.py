"""How a text is cut into units before it is scored; all names but those with sudachi are sacrebleu's.

``none``      at white space: text that is tokenised already
``13a``       as mteval-v13a.pl does, which knows ASCII punctuation; what WMT and sacrebleu use by default
``intl``      as mteval-v14.pl --international-tokenization does: Unicode punctuation and symbols stand alone
``char``      characters without white space, so that segmented and unsegmented text compare (BLEUcM)
``ja-mecab``  MeCab with the IPA dictionary, through sacrebleu
``zh``        Chinese characters stand alone, the rest as 13a, through sacrebleu
``ja-sudachi``      Japanese morphemes as SudachiPy finds them (B1 of Kanayama 2003)
``ja-sudachi-pos``  the same; particles and auxiliaries carry their part of speech, as が/助詞 (his B2)

The last two look at the whole text: a part of it may be cut otherwise alone. So a lattice of a reference has the units
of its parts, which may be others than those of a whole reference in which something was replaced.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import TypeAlias

from corpusdb.base.errors import InputError, UsageError
from corpusdb.base.morphemes import required_analyser, sudachi_analyser

Tokenise: TypeAlias = Callable[[str], Sequence[str]]
"""Cuts a text into its units."""

TOKENISATIONS = ("none", "13a", "intl", "char", "ja-mecab", "zh", "ja-sudachi", "ja-sudachi-pos")


def _apart(found: re.Match[str]) -> str:
    return f" {found[0]} "


def _second_apart(found: re.Match[str]) -> str:
    both = found[0]
    return f"{both[0]} {both[1]} "


def _first_apart(found: re.Match[str]) -> str:
    both = found[0]
    return f" {both[0]} {both[1]}"


# With functions, since Python expands a template such as r"\1 \2 " three times as slowly. mteval sets spaces apart as
# well, which changes no token.
_13A: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = (
    (re.compile(r"[{-~\[-`!-&(-+:-@/]"), _apart),
    (re.compile(r"[^0-9][.,]"), _second_apart),
    (re.compile(r"[.,][^0-9]"), _first_apart),
    (re.compile(r"[0-9]-"), _second_apart),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_THROUGH_SACREBLEU = {
    "ja-mecab": ("sacrebleu.tokenizers.tokenizer_ja_mecab", "TokenizerJaMecab", "sacrebleu[ja]"),
    "zh": ("sacrebleu.tokenizers.tokenizer_zh", "TokenizerZh", "corpusdb[sacrebleu]"),
}
_BY_MORPHEMES = ("ja-sudachi", "ja-sudachi-pos")
_SUDACHI = "sudachi-"
"""What the identity of its analyser begins with."""
_FUNCTION_WORDS = frozenset({"助詞", "助動詞"})
"""Particles and auxiliaries."""
_MARK = "/"


def tokeniser(name: str, *, lowercase: bool = False) -> Tokenise:
    """The function that cuts a text in the way of this name; ``lowercase`` folds case first.

    Raises UsageError for an unknown name, and for one whose package is missing, with the command that installs it.
    """
    own: dict[str, Tokenise] = {
        "none": str.split,
        "13a": _tokens_13a,
        "intl": _tokens_international,
        "char": _characters,
    }
    if name not in TOKENISATIONS:
        raise UsageError(f"unknown tokenisation {name!r}; there are {', '.join(TOKENISATIONS)}")
    otherwise = _by_morphemes if name in _BY_MORPHEMES else _through_sacrebleu
    tokenise = own[name] if name in own else otherwise(name)
    return (lambda text: tokenise(text.lower())) if lowercase else tokenise


def versioned_tokenisation(name: str) -> str:
    """A tokenisation as signatures have it: with analyser, dictionary and mode, where these decide what a word is.

    Raises UsageError as tokeniser does where they are missing.
    """
    if name not in _BY_MORPHEMES:
        return name
    return f"{name}-{sudachi_analyser().identity.removeprefix(_SUDACHI)}"


def check_tokenisation(versioned: str) -> None:
    """Raise InputError where a tokenisation, as a signature has it, is of another dictionary than the one here.

    Raises UsageError as tokeniser does where there is none.
    """
    # The longer name first: the other is its beginning.
    for name in sorted(_BY_MORPHEMES, key=len, reverse=True):
        if versioned.startswith(f"{name}-"):
            identity = _SUDACHI + versioned.removeprefix(f"{name}-")
            required_analyser(identity)
            if identity != (now := sudachi_analyser().identity):
                raise InputError(f"the Japanese was cut by {identity}, and is cut by {now} now")
            return


def surface_of(unit: str) -> str:
    """What a unit of any of these tokenisations stands for in the text: without its part of speech."""
    surface, mark, part_of_speech = unit.rpartition(_MARK)
    return surface if mark and part_of_speech in _FUNCTION_WORDS else unit


def _characters(text: str) -> list[str]:
    return list("".join(text.split()))


def _tokens_13a(text: str) -> list[str]:
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    text = f" {text} "
    for pattern, replacement in _13A:
        text = pattern.sub(replacement, text)
    return text.split()


def _tokens_international(text: str) -> list[str]:
    text = text.rstrip()
    for pattern, replacement in _international(0x7F if text.isascii() else sys.maxunicode):
        text = pattern.sub(replacement, text)
    return text.split()


@lru_cache(maxsize=2)
def _international(last: int) -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...]:
    """The replacements for texts of characters up to ``last``; looking at all of Unicode takes a quarter of a second.

    The categories are those of this Python's Unicode; sacrebleu's may be a later one, which knows more characters.
    """
    number, mark, symbol = (_category(initial, last) for initial in "NPS")
    return (
        (re.compile(f"[^{number}][{mark}]"), _second_apart),
        (re.compile(f"[{mark}][^{number}]"), _first_apart),
        (re.compile(f"[{symbol}]"), _apart),
    )


def _category(initial: str, last: int) -> str:
    """The inside of a character class for the Unicode categories that begin with ``initial``."""
    members = [code for code in range(last + 1) if unicodedata.category(chr(code))[0] == initial]
    return "".join(re.escape(chr(code)) for code in members)


def _through_sacrebleu(name: str) -> Tokenise:
    module, class_name, package = _THROUGH_SACREBLEU[name]
    try:
        # RuntimeError is what sacrebleu raises where MeCab or its dictionary is missing.
        tokenise: Callable[[str], str] = getattr(import_module(module), class_name)()
    except (ImportError, RuntimeError) as error:
        raise UsageError(f"tokenisation {name} needs more: pip install '{package}'") from error
    return lambda text: tokenise(text.rstrip()).split()


def _by_morphemes(name: str) -> Tokenise:
    """Few entries of a dictionary have a space inside, as New York: no unit has."""
    analyse, has_parts = sudachi_analyser().analyse, name == "ja-sudachi-pos"

    def tokenise(text: str) -> list[str]:
        units: list[str] = []
        for morpheme in analyse(text):
            if has_parts and morpheme.part_of_speech[0] in _FUNCTION_WORDS:
                units.append(f"{morpheme.surface}{_MARK}{morpheme.part_of_speech[0]}")
            else:
                units += morpheme.surface.split()
        return units

    return tokenise


def needs_spaces(tokenisation: str | None) -> bool:
    """Whether words are told apart by the spaces between them."""
    return tokenisation in ("13a", "intl", "none")

"""Morphemes of languages that are written without spaces: what they are, and SudachiPy, which finds them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final, NamedTuple, Protocol

from corpusdb.base.errors import InputError, UsageError

# What a morpheme is, and what is asked of whoever finds the morphemes of a text.


class Morpheme(NamedTuple):
    """A morpheme of a text, with the tags of UniDic; what a tag does not say is the empty string."""

    surface: str
    """As it stands in the text; never white space."""
    begin: int
    """The place of its first character in the text, from 0."""
    part_of_speech: tuple[str, ...]
    """From the widest class to the narrowest, one to four of them: ("動詞", "一般")."""
    conjugation: str
    """How it is inflected: "五段-マ行", "助動詞-マス"; empty where it is not."""
    form: str
    """In which form it stands: "連用形-撥音便"; empty where it is not inflected."""
    dictionary_form: str
    """Its form of citation, in the spelling of the text: 読む."""
    normalized_form: str
    """Its form of citation in the spelling that the dictionary prefers: 附属 and 付属 are both 付属."""
    reading: str
    """How the surface is read, in katakana."""

    @property
    def end(self) -> int:
        """The place behind its last character."""
        return self.begin + len(self.surface)


class Analyser(Protocol):
    """Cuts texts into morphemes."""

    @property
    def identity(self) -> str:
        """The program, the dictionary and the mode with their versions: what makes two analyses comparable."""

    def analyse(self, text: str) -> tuple[Morpheme, ...]:
        """The morphemes of a text, in their order, without white space."""


# Japanese morphemes by SudachiPy, in the longest units of its dictionary (mode C).
#
# The only module that imports sudachipy, which comes with the extra ``japanese``.


_DICTIONARY: Final = "small"
_NOTHING: Final = "*"
_MOST_BYTES: Final = 49_149
"""Of a text in UTF-8, as it stands and as Sudachi normalises it: of the latter it takes some more."""
_MOST_BYTES_OF_A_CHARACTER: Final = 54
"""U+FDFA, normalised, is 18 characters of up to 3 bytes."""
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_SENTENCE_ENDS: Final = re.compile(r"[。！？!?\n]+[」』）)]*|\s+")


class _Sudachi:
    """An open dictionary. Its tokenizer is not made for two threads at once, so each analysis makes its own."""

    def __init__(self, dictionary: str) -> None:
        sudachipy = import_module("sudachipy")
        self._mode = sudachipy.SplitMode.C
        try:
            self._dictionary = sudachipy.Dictionary(dict=dictionary)
        except (sudachipy.errors.SudachiError, OSError, ValueError) as error:
            raise UsageError(f"the dictionary {dictionary!r} of Japanese cannot be opened: {error}") from error
        self._tags: dict[int, tuple[tuple[str, ...], str, str]] = {}
        self.identity = _identity(dictionary)

    def analyse(self, text: str) -> tuple[Morpheme, ...]:
        # Half of a surrogate pair is no character; what stands in for it has its length, so that places stay.
        readable = text if text.isascii() else _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)
        if len(text) * _MOST_BYTES_OF_A_CHARACTER <= _MOST_BYTES:
            return tuple(self._morphemes(text, readable, 0))
        found: list[Morpheme] = []
        begin = 0
        for piece in _pieces(readable):
            found += self._morphemes(text, piece, begin)
            begin += len(piece)
        return tuple(found)

    def _morphemes(self, text: str, piece: str, offset: int) -> Iterator[Morpheme]:
        """Those of a piece, which begins at ``offset`` in the text.

        A character that stands for several (㍿ is 株式会社) is one morpheme, with the tags of the first: the others
        would have no character of the text.
        """
        for morpheme in self._dictionary.tokenizer(self._mode).tokenize(piece):
            begin = offset + morpheme.begin()
            surface = text[begin : offset + morpheme.end()]
            # By its characters: Sudachi takes some for white space that have a form, and keeps some that have none.
            if surface and not surface.isspace():
                part_of_speech, conjugation, form = self._tags_of(morpheme)
                yield Morpheme(
                    surface,
                    begin,
                    part_of_speech,
                    conjugation,
                    form,
                    morpheme.dictionary_form(),
                    morpheme.normalized_form(),
                    morpheme.reading_form(),
                )

    def _tags_of(self, morpheme: Any) -> tuple[tuple[str, ...], str, str]:
        """The three tags of a morpheme, made once for each of the few hundred that there are."""
        number = morpheme.part_of_speech_id()
        if number not in self._tags:
            *part_of_speech, conjugation, form = morpheme.part_of_speech()
            said = tuple(level for level in part_of_speech if level != _NOTHING)
            self._tags[number] = said, conjugation.replace(_NOTHING, ""), form.replace(_NOTHING, "")
        return self._tags[number]


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces that Sudachi takes, cut at the end of a sentence or at white space where there is any."""
    begin = 0
    while begin < len(text):
        end = _end_that_fits(text, begin)
        if end < len(text):
            places = [match.end() for match in _SENTENCE_ENDS.finditer(text, begin, end)]
            end = places[-1] if places else end
        yield text[begin:end]
        begin = end


def _end_that_fits(text: str, begin: int) -> int:
    """Where the longest piece ends that is short enough both as it stands and normalised."""
    left = _MOST_BYTES
    for place in range(begin, len(text)):
        char = text[place]
        left -= max(len(char.encode()), len(unicodedata.normalize("NFKC", char).lower().encode()))
        if left < 0:
            return place
    return len(text)


def _identity(dictionary: str) -> str:
    return f"sudachi-{version('SudachiPy')}-{dictionary}-{version(f'sudachidict_{dictionary}')}-C"


_IDENTITY: Final = re.compile(r"sudachi-(?P<program>[^-]+)-(?P<dictionary>[a-z]+)-(?P<version>[^-]+)-C")
_used: ContextVar[set[str] | None] = ContextVar("analysers", default=None)


@contextmanager
def analysers_used() -> Iterator[set[str]]:
    """The identities of the analysers that are asked for inside the block; the set grows."""
    identities: set[str] = set()
    token = _used.set(identities)
    try:
        yield identities
    finally:
        _used.reset(token)


def sudachi_analyser(dictionary: str = _DICTIONARY) -> Analyser:
    """The analyser with this dictionary (small, core or full), opened once a process.

    Threads may share it. Raises UsageError where SudachiPy or the dictionary is missing, with the command that installs
    them, and where the dictionary cannot be read.
    """
    found = _opened(dictionary)
    if (used := _used.get()) is not None:
        used.add(found.identity)
    return found


@lru_cache(maxsize=4)
def _opened(dictionary: str) -> Analyser:
    try:
        return _Sudachi(dictionary)
    except ImportError as error:
        raise UsageError("Japanese morphemes need more: pip install 'corpusdb[japanese]'") from error


def required_analyser(identity: str) -> Analyser:
    """The analyser of this very identity, for what was analysed before.

    Raises UsageError where it is missing, as sudachi_analyser does, and InputError where what is installed is another
    version, with the command that installs the one.
    """
    wanted = _IDENTITY.fullmatch(identity)
    if wanted is None:
        raise InputError(f"this version knows no analyser {identity!r}")
    found = sudachi_analyser(wanted["dictionary"])
    if found.identity != identity:
        packages = f"sudachipy=={wanted['program']} sudachidict-{wanted['dictionary']}=={wanted['version']}"
        raise InputError(
            f"the Japanese was cut by {identity}, and installed is {found.identity}: pip install {packages}"
        )
    return found


# Morphemes of languages that are written without spaces: what they are, and who finds them.
#
# An analyser is whatever satisfies the protocol ``Analyser``; ``sudachi_analyser`` makes the one there is, for
# Japanese.

"""Japanese morphemes by SudachiPy, in the longest units of its dictionary (mode C).

The only module that imports sudachipy, which comes with the extra ``japanese``.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

from corpusdb.errors import UsageError
from corpusdb.morphemes.analyser import Analyser, Morpheme

__all__ = ["sudachi_analyser"]

_DICTIONARY = "small"
_WHITE_SPACE = "空白"
_NOTHING = "*"


class _Sudachi:
    """An open dictionary. Its tokenizer is not made for two threads at once, so each analysis makes its own."""

    def __init__(self, dictionary: str) -> None:
        sudachipy = import_module("sudachipy")
        self._mode = sudachipy.SplitMode.C
        self._dictionary = sudachipy.Dictionary(dict=dictionary)
        self._tags: dict[int, tuple[tuple[str, ...], str, str]] = {}
        self.identity = f"sudachi:{version('SudachiPy')}|{dictionary}:{version(f'sudachidict_{dictionary}')}|C"

    def analyse(self, text: str) -> tuple[Morpheme, ...]:
        found = []
        for morpheme in self._dictionary.tokenizer(self._mode).tokenize(text):
            part_of_speech, conjugation, form = self._tags_of(morpheme)
            if part_of_speech[0] != _WHITE_SPACE:
                found.append(
                    Morpheme(
                        morpheme.surface(),
                        morpheme.begin(),
                        part_of_speech,
                        conjugation,
                        form,
                        morpheme.dictionary_form(),
                        morpheme.normalized_form(),
                        morpheme.reading_form(),
                    )
                )
        return tuple(found)

    def _tags_of(self, morpheme: Any) -> tuple[tuple[str, ...], str, str]:
        """The three tags of a morpheme, made once for each of the few hundred that there are."""
        number = morpheme.part_of_speech_id()
        if number not in self._tags:
            *part_of_speech, conjugation, form = morpheme.part_of_speech()
            said = tuple(level for level in part_of_speech if level != _NOTHING)
            self._tags[number] = said, conjugation.replace(_NOTHING, ""), form.replace(_NOTHING, "")
        return self._tags[number]


@lru_cache(maxsize=4)
def sudachi_analyser(dictionary: str = _DICTIONARY) -> Analyser:
    """The analyser with this dictionary (small, core or full), opened once a process.

    Raises UsageError where SudachiPy or the dictionary is missing, with the command that installs them.
    """
    try:
        return _Sudachi(dictionary)
    except ImportError as error:
        raise UsageError("Japanese morphemes need more: pip install 'corpusdb[japanese]'") from error

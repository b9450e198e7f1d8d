"""Words as pieces of a SentencePiece model, which spBLEU counts (Goyal et al. 2022): sacrebleu's, from a file.

A tokenisation is the name of the model, and behind an equals sign its file: ``flores200=FILE``. Without a file it is
sacrebleu's own copy, where it has one. Nothing is fetched.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from corpusdb.base.errors import InputError, UsageError

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
        raise InputError("is no model of SentencePiece", path=path) from error

"""What a document, a score or a reference set was made of, as names with digests.

An input is of a kind, has a name and a digest: nothing else is known of it when two are compared. A new kind of input
is a function in DATABASE_INPUTS, or a name that somebody adds to a record; documents without it stay what they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from corpusdb import __version__
from corpusdb.errors import InputError
from corpusdb.formats.files.reading import STDIN, digest_of
from corpusdb.morphemes import required_analyser
from corpusdb.queries.alignment.alignment_models import linked_digest, ready_models
from corpusdb.queries.alignment.phrases.phrase_lookup import aligned_languages
from corpusdb.store import Store
from corpusdb.store.runs import corpus_fingerprint

__all__ = [
    "DATABASE_INPUTS",
    "Input",
    "MadeFrom",
    "analyser_inputs",
    "check_analysers",
    "database_inputs",
    "differing_inputs",
    "file_inputs",
    "version_difference",
]


_CORPUS: Final = "corpus"
_LAYER: Final = "layer"
_ANALYSER: Final = "analyser"


@dataclass(frozen=True, slots=True)
class Input:
    """Something that a result depends on."""

    kind: str
    """file, analyser, corpus, layer, judgements ..."""
    name: str
    digest: str
    """Another one for another content; empty where it cannot be told."""


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """How a document was made: enough to make it again, and to say what has changed where it then differs."""

    command: str
    options: Mapping[str, Any]
    """As options.options_to_json gives them."""
    inputs: tuple[Input, ...]
    version: str = __version__
    """Of corpusdb."""

    def document(self) -> dict[str, object]:
        """The same as JSON has it."""
        inputs = [asdict(each) for each in self.inputs]
        return {"command": self.command, "options": self.options, "inputs": inputs, "version": self.version}

    @classmethod
    def of(cls, document: object, path: Path) -> MadeFrom:
        """What ``document`` records. Raises InputError, for the file ``path``, where it is no such record."""
        try:
            return cls(
                command=_text(document, "command"),
                options=dict(_member(document, "options")),
                inputs=tuple(
                    Input(_text(each, "kind"), _text(each, "name"), _text(each, "digest"))
                    for each in _member(document, "inputs")
                ),
                version=_text(document, "version"),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise InputError("what it was made from is not told as corpusdb tells it", path=path) from error


def _member(document: Any, name: str) -> Any:
    return document[name]


def _text(document: Any, name: str) -> str:
    value = document[name]
    if not isinstance(value, str):
        raise TypeError(name)
    return value


def file_inputs(paths: Iterable[Path]) -> Iterator[Input]:
    """The files, each once, as they are now; standard input has no digest, since nobody has it afterwards.

    Raises InputError for a file that is not there any more.
    """
    for path in dict.fromkeys(paths):
        if path == STDIN:
            yield Input("file", str(path), "")
        elif not path.is_file():
            raise InputError("it was read then, and is not there now; replay where it is", path=path)
        else:
            yield Input("file", str(path), digest_of([path]))


def analyser_inputs(identities: Iterable[str]) -> Iterator[Input]:
    """The analysers of morphemes; the digest of one is its version, with that of its dictionary."""
    for identity in sorted(identities):
        yield Input(_ANALYSER, "of Japanese", identity)


def check_analysers(record: MadeFrom, path: Path) -> None:
    """Raise InputError where a document was made with another dictionary than the one here: words are others then.

    Raises UsageError where there is none.
    """
    for each in record.inputs:
        if each.kind == _ANALYSER:
            try:
                required_analyser(each.digest)
            except InputError as error:
                raise InputError(error.reason, path=path) from error


def database_inputs(store: Store) -> Iterator[Input]:
    """What of the database results depend on: all that DATABASE_INPUTS yield."""
    for inputs in DATABASE_INPUTS:
        yield from inputs(store)


def _corpus(store: Store) -> Iterator[Input]:
    yield Input(_CORPUS, "documents", corpus_fingerprint(store))


_LAYERS = """
select layer.name, layer.language, layer.parameters, layer.complete, layer.last_sentence, run.operation, run.parameters
from layer join run on run.id = layer.run order by layer.language, layer.name
"""


def _layers(store: Store) -> Iterator[Input]:
    """What was derived in each language, by what it was made by: that of the validity has what was learned in it."""
    for name, language, *made_by in store.connection.execute(_LAYERS):
        yield Input(_LAYER, f"{name} of {language}", _digest(made_by))


_JUDGEMENTS = "select * from judgement order by 1"


def _judgements(store: Store) -> Iterator[Input]:
    if rows := store.connection.execute(_JUDGEMENTS).fetchall():
        yield Input("judgements", "of all samples", _digest([list(row) for row in rows]))


_REJECTIONS = "select language, phrase, equivalent from current_rejection order by 1, 2, 3"


def _rejections(store: Store) -> Iterator[Input]:
    if rows := store.connection.execute(_REJECTIONS).fetchall():
        yield Input("rejections", "of equivalents", _digest([list(row) for row in rows]))


def _alignments(store: Store) -> Iterator[Input]:
    """What links the words of two languages, by what it learned and how much it linked."""
    for language in aligned_languages(store):
        for model in ready_models(store, language):
            if language == model.source:
                yield Input("alignment", f"of {model.languages}", linked_digest(store, [model])[:16])


_PROFILES = "select id, language, parameters, sources, hex(reference_texts) from profile order by id"


def _profiles(store: Store) -> Iterator[Input]:
    """By what coefficients are measured: the references of each profile."""
    for number, language, *made_of in store.connection.execute(_PROFILES):
        yield Input("profile", f"{number} of {language}", _digest(made_of))


DATABASE_INPUTS: Final[tuple[Callable[[Store], Iterator[Input]], ...]] = (
    *(_corpus, _layers, _judgements),
    *(_rejections, _alignments, _profiles),
)
"""Each yields inputs of its kind, in an order that does not change."""


def _digest(value: object) -> str:
    """SHA-256 of a value as JSON, its first 16 digits."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:16]


def version_difference(version: str) -> Iterator[str]:
    """In words, where something was made by another version of corpusdb than this one."""
    if version != __version__:
        yield f"version of corpusdb: {version} then and {__version__} now"


def differing_inputs(before: Sequence[Input], now: Sequence[Input]) -> Iterator[str]:
    """In words, a line each, the inputs that are others now, that there are no more, and that are new.

    What is derived is told only where the corpus is the same: otherwise it follows from that.
    """
    then, today = ({(each.kind, each.name): each.digest for each in inputs} for inputs in (before, now))
    corpora = ({key: digest for key, digest in inputs.items() if key[0] == _CORPUS} for inputs in (then, today))
    derives = len({json.dumps(sorted(each.values())) for each in corpora}) > 1
    for kind, name in then | today:
        if kind == _LAYER and derives:
            continue
        old, new = then.get((kind, name)), today.get((kind, name))
        if new is None:
            yield f"{kind} {name}: there is none now"
        elif old is None:
            yield f"{kind} {name}: there was none"
        elif old != new:
            yield f"{kind} {name}: changed since, {old[:16]} then and {new[:16]} now"

"""What is asked before a session begins, and what is made of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpusdb.bounds import number_of
from corpusdb.errors import UsageError
from corpusdb.languages import language_code
from corpusdb.ngrams.fluency_orders import DEFAULT_ORDER
from corpusdb.queries.paraphrase.filters import filter_at
from corpusdb.queries.sessions.distinct_seeds import distinct_seeds
from corpusdb.queries.sessions.seeds import SeedSource, seeds_from
from corpusdb.queries.sessions.sessions import Standing, create_session
from corpusdb.store import Store
from tui.shared.form import Field

__all__ = ["SessionRequest", "session_fields", "session_request"]


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """A session that somebody wants."""

    name: str
    language: str
    source: SeedSource
    order: int

    def create(self, store: Store) -> tuple[Standing, str]:
        """Begin it; what was left out of the seeds, in words. Raises what seeds_from and create_session raise."""
        kept = filter_at(self.order)
        seeds = seeds_from(store, self.source, self.language, kept)
        standing = create_session(store, self.name, self.language, seeds, kept, self.source.described)
        return standing, distinct_seeds(seeds).left_out


def session_fields(name: str, languages: Sequence[str], language: str) -> list[Field]:
    """The lines of the form; one of the four in the middle tells where the seeds come from."""
    return [
        Field("name", "Name", name),
        Field("language", "Language", language, choices=tuple(languages)),
        Field("sample", "Sample of", hint="so many sentences with paraphrases, at random"),
        Field("file", "or file", hint="one seed a line"),
        Field("search", "or search", hint="the sentences that hold this"),
        Field("text", "or sentence", hint="the only seed; t adds others later"),
        Field("seed", "Random seed", "1", "of the sample"),
        Field("order", "N", str(DEFAULT_ORDER), "of the filter; 0: all pass"),
    ]


def session_request(values: Mapping[str, str]) -> SessionRequest:
    """What the fields say. Raises CorpusError."""
    if not values["name"]:
        raise UsageError("a session needs a name")
    file = Path(values["file"]).expanduser() if values["file"] else None
    if file is not None and not file.is_file():
        raise UsageError(f"there is no file {values['file']!r}")
    source = SeedSource(
        texts=(values["text"],) if values["text"] else (),
        file=file,
        search=values["search"] or None,
        sample=_number(values["sample"], "the sample", 1) if values["sample"] else None,
        seed=_number(values["seed"], "the random seed"),
    )
    return SessionRequest(values["name"], language_code(values["language"]), source, _number(values["order"], "N"))


def _number(text: str, what: str, least: int = 0) -> int:
    if not text.isdecimal() or number_of(text) < least:
        raise UsageError(f"{what} is a whole number from {least}, not {text!r}")
    return number_of(text)

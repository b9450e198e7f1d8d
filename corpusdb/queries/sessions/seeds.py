"""Where the seeds of a session come from: typed ones, a file, a search, or a random sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.scoring_input import read_plain
from corpusdb.queries.paraphrase.filters import DEFAULT_FILTER, Filter, relaxations
from corpusdb.queries.paraphrase.origins.registry import select_origins
from corpusdb.queries.search.search import Search, Searcher
from corpusdb.stats.drawing import lowest_tickets
from corpusdb.store import Store
from corpusdb.textsearch.patterns import Pattern

__all__ = ["SeedSource", "sample_seeds", "seeds_from"]


@dataclass(frozen=True, slots=True)
class SeedSource:
    """Where to take seeds from. Raises UsageError unless it is one source."""

    texts: tuple[str, ...] = ()
    file: Path | None = None
    """One seed a line; ``-`` is stdin."""
    search: str | None = None
    """The sentences that hold this."""
    sample: int | None = None
    """So many sentences that have paraphrases."""
    seed: int = 1
    """Of the random sample."""

    def __post_init__(self) -> None:
        named = sum((bool(self.texts), self.file is not None, self.search is not None, self.sample is not None))
        if named != 1:
            told = f"{named} sources of the seeds are named; name one" if named else "name one source of the seeds"
            raise UsageError(f"{told}: sentences, a file, a search or a sample")
        if self.sample is not None and (self.sample < 1 or self.seed < 0):
            raise UsageError("a sample has one sentence or more, and its seed is not below 0")

    @property
    def described(self) -> dict[str, object]:
        """For the record of the run; typed seeds are in the session itself."""
        if self.file is not None:
            return {"file": self.file.name}
        if self.search is not None:
            return {"search": self.search}
        return {"sample": self.sample, "seed": self.seed} if self.sample is not None else {}


def seeds_from(store: Store, source: SeedSource, language: str, kept: Filter = DEFAULT_FILTER) -> list[str]:
    """The seeds; of a file every line, also those that are blank or double, which a session does without.

    Raises InputError for a file that cannot be read, and where nothing is found.
    """
    if source.file is not None:
        return read_plain(source.file)
    if source.search is not None:
        hits = Searcher(store).find(Search(language, Pattern(source.search)))
        if not len(hits):
            raise InputError(f"no sentence in {language} holds {source.search!r}")
        return [hits.text(place) for place in range(len(hits))]
    if source.sample is not None:
        return sample_seeds(store, language, source.sample, source.seed, kept)
    return list(source.texts)


def sample_seeds(
    store: Store,
    language: str,
    size: int,
    seed: int,
    kept: Filter = DEFAULT_FILTER,
    origins: Iterable[str] | None = None,
) -> list[str]:
    """Sentences drawn at random from those that have a paraphrase, of these origins or any, that the filter keeps.

    The same ``seed`` draws the same sentences in the same order from the same paraphrases, and a larger sample begins
    with the smaller one; where there are fewer than ``size``, all are taken. Raises InputError where there is none.
    """
    chosen = select_origins(origins)

    def having(accepted: Filter) -> set[str]:
        return {text for origin in chosen for text in origin.seeds(store, language, accepted)}

    population = having(kept)
    if not population:
        found = relaxations(kept, lambda less: len(having(less)))
        others = (f"; at {each.kept} {each.found:,} would have one" for each in found)
        raise InputError(f"no sentence in {language} has a paraphrase at {kept}{''.join(others)}")
    return [text for text, _ in lowest_tickets(seed, size, ((text, None) for text in population))]

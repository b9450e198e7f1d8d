"""Where the seeds of a session come from: typed ones, a file, a search, or a random sample."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpusdb.errors import InputError, UsageError
from corpusdb.formats.files.reading import read_lines
from corpusdb.queries.judging.samples import lowest_tickets
from corpusdb.queries.search.search import Search, Searcher
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
        if sum((bool(self.texts), self.file is not None, self.search is not None, self.sample is not None)) != 1:
            raise UsageError("seeds come from one source: sentences, a file, a search or a sample")
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


def seeds_from(store: Store, source: SeedSource, language: str, order: int = 20) -> list[str]:
    """The seeds. Raises InputError for a file that cannot be read, and where nothing is found."""
    if source.file is not None:
        return [line for _, line in read_lines(source.file) if line.strip()]
    if source.search is not None:
        hits = Searcher(store).find(Search(language, Pattern(source.search)))
        if not len(hits):
            raise InputError(f"no sentence in {language} holds {source.search!r}")
        return [hits.text(place) for place in range(len(hits))]
    if source.sample is not None:
        return sample_seeds(store, language, source.sample, source.seed, order)
    return list(source.texts)


_WITH_PARAPHRASES = """
select sentence.text, null from sentence
where language = :language and id in (select sentence from paraphrase)
union
select seed.text, null from seed
where language = :language
  and exists (select 1 from candidate where candidate.seed = seed.id and candidate.fluency >= :order)
"""


def sample_seeds(store: Store, language: str, size: int, seed: int, order: int = 20) -> list[str]:
    """Sentences drawn at random from those with a detected paraphrase, or a candidate of fluency order ``order``.

    The same ``seed`` draws the same sentences in the same order from the same candidates, and a larger sample begins
    with the smaller one; where there are fewer than ``size``, all are taken. Raises InputError where there is none.
    """
    population = store.connection.execute(_WITH_PARAPHRASES, {"language": language, "order": order}).fetchall()
    if not population:
        raise InputError(f"no sentence in {language} has a paraphrase at N = {order}")
    return [text for text, _ in lowest_tickets(seed, size, population)]

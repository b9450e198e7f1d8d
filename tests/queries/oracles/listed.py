"""Units that a test lists or draws, as the source that a format with documents and versions would give."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpusdb.base.jobs import finished
from corpusdb.chain.queries.importing import check_source, import_source
from corpusdb.corpus.formats import Item, Record, Rejected
from corpusdb.corpus.formats.records import Document, Version
from corpusdb.corpus.model import ImportReport
from corpusdb.corpus.store import Store

__all__ = ["ListedSource", "drawn_units", "import_units"]

LANGUAGES = ("eng", "fra", "jpn")


@dataclass(frozen=True)
class ListedSource:
    """A file that holds the items given."""

    listed: tuple[Item, ...]
    languages: tuple[str, ...] = ()
    name: str = "listed.tmx"

    @property
    def paths(self) -> tuple[Path, ...]:
        return (Path(self.name),)

    def items(self) -> Iterator[Item]:
        return iter(self.listed)

    def digest(self) -> str:
        return hashlib.sha256(repr(self.listed).encode()).hexdigest()


def import_units(
    store: Store,
    listed: Sequence[Item],
    languages: tuple[str, ...] = (),
    collection: str = "units",
    name: str = "listed.tmx",
) -> ImportReport:
    """Check and import the items as one file."""
    source = ListedSource(tuple(listed), languages, name)
    return finished(import_source(store, finished(check_source(source)), collection))


def drawn_units(chance: random.Random, count: int) -> list[Item]:
    """Units in and outside documents, with and without ids and versions, and some that are left out."""
    items: list[Item] = []
    document: Document | None = None
    for line in range(1, count + 1):
        if chance.random() < 0.3:
            name = f"d{chance.randrange(3)}"
            document = chance.choice([None, Document(name), Document(name, (("domain", "news"), ("origlang", "en")))])
        if chance.random() < 0.1:
            items.append(Rejected(line, "empty text"))
            continue
        languages = tuple(chance.choices(LANGUAGES, k=chance.randint(2, 4)))
        texts = [f"{language} {chance.randrange(count // 3)}" for language in languages]
        texts += [texts[0]] if chance.random() < 0.2 else []
        languages += (languages[0],) * (len(texts) - len(languages))
        roles = [Version("source")] + [Version("reference", name) for name in "ABCDE"]
        versions = tuple(roles[: len(texts)]) if chance.random() < 0.3 else ()
        items.append(Record(line, tuple(texts), languages, chance.choice(["", f"u{line}"]), document, versions))
    return items

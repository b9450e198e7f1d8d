"""A translator that stays open as long as the corpus stays as it is, for those who translate one text after another."""

from __future__ import annotations

from corpusdb.jobs import Job
from corpusdb.queries.corpus.sentences import languages_of
from corpusdb.queries.translation.example_pairs import are_paired
from corpusdb.queries.translation.ladder import Translator
from corpusdb.store import Store

__all__ = ["OpenTranslators"]

_FIRST = "eng"


class OpenTranslators:
    """Translators of a database; the newest one is kept."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: tuple[tuple[str, str, int], Translator] | None = None

    def translator(self, source: str, target: str) -> Job[Translator]:
        """From one language to another, by all methods that the corpus is ready for. Raises as Translator.open does."""
        key = (source, target, self._newest_run())
        if self._kept is None or self._kept[0] != key:
            self._kept = None  # two of them at a time would be twice the memory
            self._kept = key, (yield from Translator.open(self._store, source, target))
        return self._kept[1]

    def _newest_run(self) -> int:
        return int(self._store.connection.execute(_NEWEST_RUN).fetchone()[0])

    def targets(self, source: str) -> list[str]:
        """The languages that sentences of a language are translated into, English first."""
        others = [code for code in languages_of(self._store) if code != source]
        found = [code for code in others if are_paired(self._store, source, code)]
        return sorted(found, key=lambda code: (code != _FIRST, code))


_NEWEST_RUN = "select coalesce(max(id), 0) from run"

"""The outputs of systems that are kept, as they are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from corpusdb.store import Store

__all__ = ["StoredOutput", "all_outputs", "known_outputs", "outputs_called"]

_SHOWN: Final = 5


class StoredOutput(NamedTuple):
    """The output of a system as it is kept, but for its texts."""

    id: int
    system: str
    digest: str
    segments: int

    @property
    def full_name(self) -> str:
        """The name by which it is told from other outputs of the system: NAME@DIGEST."""
        return f"{self.system}@{self.digest[:8]}"


_OUTPUTS = "select id, system, digest, segments from system_output order by id"


def all_outputs(store: Store) -> list[StoredOutput]:
    """Every output that is kept, in the order in which they came."""
    return [StoredOutput(*row) for row in store.connection.execute(_OUTPUTS)]


def outputs_called(outputs: Sequence[StoredOutput], name: str) -> list[StoredOutput]:
    """The outputs of that name, or of that name and the beginning of a digest: NAME@DIGEST."""
    if found := [each for each in outputs if each.system == name]:
        return found
    system, _, digest = name.rpartition("@")
    return [each for each in outputs if digest and each.system == system and each.digest.startswith(digest)]


def known_outputs(outputs: Sequence[StoredOutput]) -> str:
    """Which systems outputs are kept of, in words."""
    known = list(dict.fromkeys(each.system for each in outputs))
    if not known:
        return "`corpusdb score --store` keeps outputs"
    return f"there are {', '.join(known[:_SHOWN])}{', ...' if len(known) > _SHOWN else ''}"

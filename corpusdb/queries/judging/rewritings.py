"""The rewritings that are kept, as samples for judging are drawn from them, and which rules made the items of one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from corpusdb.store import Store

__all__ = ["Made", "kept_rewritings", "nothing_kept", "rules_behind"]

Made: TypeAlias = tuple[str, ...]
"""The steps that made a rewriting, each as its rule and its direction: ``verb-past ->``."""

_KEPT: Final = """
select rewriting.text, rewritten_text.text, rewriting.lineage
from rewriting join rewritten_text on rewritten_text.id = rewriting.origin
order by rewritten_text.method, rewritten_text.text desc
"""


def kept_rewritings(store: Store, *, with_origin: bool) -> dict[tuple[str, str | None], Made]:
    """What made each rewriting that is kept, by its text and, where wanted, the text that was rewritten.

    Of several that made the same, the newest method counts, and then the text that comes first.
    """
    rows = store.connection.execute(_KEPT)
    return {(text, origin if with_origin else None): _made(json.loads(lineage)) for text, origin, lineage in rows}


def _made(lineage: Iterable[Sequence[object]]) -> Made:
    return tuple(f"{rule} {direction}" for rule, direction, *_ in lineage)


def nothing_kept(language: str) -> str:
    """Why there is nothing to draw in a language."""
    return f"no rewritings of {language} are kept; `corpusdb rules apply --corpus --store` keeps those of Japanese"


_PARAMETERS: Final = "select parameters from sample where id = ?"


def rules_behind(store: Store, sample: int) -> list[Made]:
    """What made each item of a sample of rewritings, in the order of its items; empty for a control.

    An empty list for a sample of something else.
    """
    (parameters,) = store.connection.execute(_PARAMETERS, (sample,)).fetchone()
    return [tuple(made) for made in json.loads(parameters).get("made", [])]

"""The substitutions of a whole language, found while its slots are in memory, and which pairs of fillers they ask for.

``slot_index.store_substitutions`` finds those of a few sentences through the database; both give the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from corpusdb.analogy.commutation import SlotIndex, asked_pairs
from corpusdb.analogy.derivation import MOST_FILLER
from corpusdb.analogy.substitution import FilledSlot, Rewording, Substitution, substitutions
from corpusdb.arrays import I64
from corpusdb.jobs import Job, Progress
from corpusdb.store import Store
from corpusdb.text import unit_ends

__all__ = ["asked_by", "find_substitutions"]

_PAIRS_AT_ONCE = 10_000
_PARAPHRASES = """
select sentence.id, paraphrase.paraphrase from sentence cross join paraphrase on paraphrase.sentence = sentence.id
where sentence.language = ? order by sentence.id, paraphrase.paraphrase
"""


def find_substitutions(
    store: Store, language: str, sentences: Sequence[tuple[int, str]], index: SlotIndex, fillers: Sequence[str]
) -> Job[I64]:
    """Where the fillers of all sentences (id, text) stand in their paraphrases: the columns of Substitution, by
    context, filler and paraphrase, with -1 for no place.

    Contexts and fillers are places in ``index``, ``fillers`` their texts. Part of a job.
    """
    texts = dict(sentences)
    pairs = store.connection.execute(_PARAPHRASES, (language,)).fetchall()
    ids = np.array([sentence for sentence, _ in sentences], dtype=np.int64)
    slots = _SlotsOf(index, fillers)
    found = [np.empty((0, 6), dtype=np.int64)]
    for first in range(0, len(pairs), _PAIRS_AT_ONCE):
        yield Progress("finding substitutions in paraphrases", first, len(pairs))
        ends: dict[int, frozenset[int]] = {}
        rows: list[Substitution] = []
        for sentence, rewordings in groupby(pairs[first : first + _PAIRS_AT_ONCE], key=itemgetter(0)):
            members = slots.of(sentence, int(np.searchsorted(ids, sentence)))
            for _, rewording in rewordings if members else ():
                if rewording not in ends:
                    ends[rewording] = frozenset(unit_ends(texts[rewording]))
                rows += substitutions(members, Rewording(rewording, texts[rewording], ends[rewording]))
        found.append(_as_array(rows))
    array = np.concatenate(found)
    return array[np.lexsort((array[:, 2], array[:, 1], array[:, 0]))]


def _as_array(rows: Sequence[Substitution]) -> I64:
    numbers = (-1 if number is None else number for row in rows for number in row)
    return np.fromiter(numbers, dtype=np.int64, count=6 * len(rows)).reshape(-1, 6)


class _SlotsOf:
    """The slots of an index by sentence."""

    def __init__(self, index: SlotIndex, fillers: Sequence[str]) -> None:
        order = np.argsort(index.slot_sentence, kind="stable")
        self._sentence = index.slot_sentence[order]
        self._context, self._filler = index.slot_context[order], index.slot_filler[order]
        self._fillers = fillers

    def of(self, sentence: int, place: int) -> list[FilledSlot]:
        """Those of the sentence of this number at this place."""
        begin, end = np.searchsorted(self._sentence, [place, place + 1]).tolist()
        columns = self._context[begin:end].tolist(), self._filler[begin:end].tolist()
        return [
            FilledSlot(sentence, context, filler, self._fillers[filler])
            for context, filler in zip(*columns, strict=True)
        ]


def asked_by(context: I64, filler: I64, index: SlotIndex, texts: Sequence[str], fillers: Sequence[str]) -> I64:
    """The pairs of fillers that the slots of all sentences (by ``texts``) ask for, where these fillers can be replaced
    in these contexts."""
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    longest = MOST_FILLER * sizes
    filler_sizes = np.fromiter(map(len, fillers), dtype=np.int64, count=len(fillers))
    usable = filler_sizes[index.slot_filler] <= longest[index.slot_sentence]
    codes = np.unique(context << 32 | filler)
    return asked_pairs(index.slot_context, index.slot_filler, usable, codes >> 32, codes & (1 << 32) - 1)

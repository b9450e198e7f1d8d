"""The links of pairs of texts, by a model: those of the texts that it was trained on, or of others."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import Final

import numpy as np

from corpusdb.alignment.bitext import Batch, Bitext, Tokens, batches_of
from corpusdb.alignment.links import Links, Symmetrisation, symmetrised
from corpusdb.alignment.model import AlignmentModel
from corpusdb.alignment.threads import computed_ahead, one_blas_thread
from corpusdb.arrays import I64, Bools
from corpusdb.jobs import Job, Progress
from corpusdb.text import MAX_SENTENCE_UNITS

__all__ = ["align", "align_bitext"]

_DECIMALS: Final = 7
_LEAST_AGREED: Final = 0.25
"""How probable a link is at least: chosen as the settings of training are."""


def align(
    model: AlignmentModel,
    source: Sequence[Tokens],
    target: Sequence[Tokens],
    way: Symmetrisation = "grow-diag-final-and",
) -> Job[Links]:
    """The links of each pair of texts, which depend on the model and on that pair alone.

    How probable a link is, is the geometric mean of what it is in both directions, which were trained to agree. In each
    direction a word is linked with the word with which that is most probable, where it is over a quarter. Pairs with
    an empty side, and with one of over MAX_SENTENCE_UNITS words, have no links.
    Raises InputError for different numbers of texts.
    """
    bitext = Bitext.of(source, target, model.vocabularies.source, model.vocabularies.target)
    return (yield from align_bitext(model, bitext, way))


def align_bitext(model: AlignmentModel, bitext: Bitext, way: Symmetrisation = "grow-diag-final-and") -> Job[Links]:
    """What ``align`` gives, for texts in the numbers of the vocabularies of the model."""
    parts: list[tuple[I64, Bools]] = []
    done = 0
    yield Progress("linking, pairs of texts", done, len(bitext))
    linked = partial(_linked, model, way)
    with one_blas_thread(), closing(computed_ahead(linked, batches_of(bitext, MAX_SENTENCE_UNITS))) as found:
        for pairs, links in found:
            parts.append((pairs, links))
            done += len(pairs)
            yield Progress("linking, pairs of texts", done, len(bitext))
    return Links.in_order(parts, len(bitext))


def _linked(model: AlignmentModel, way: Symmetrisation, batch: Batch) -> tuple[I64, Bools]:
    """The numbers of the pairs of a batch, and which words are linked: shape (B, T, S)."""
    to_target, to_source = model.posteriors(batch)
    # Rounded, so that a tie is one whatever other pairs stand in the batch: the order of sums hangs on its width.
    agreed = np.sqrt(to_target.states.transpose(1, 0, 2) * to_source.states.transpose(1, 2, 0)).round(_DECIMALS)
    is_likely = agreed > _LEAST_AGREED
    targets, sources = np.arange(agreed.shape[1]), np.arange(agreed.shape[2])
    forward = is_likely & (sources == agreed.argmax(axis=2)[:, :, np.newaxis])
    backward = is_likely & (targets[:, np.newaxis] == agreed.argmax(axis=1)[:, np.newaxis, :])
    return batch.pairs, symmetrised(forward, backward, way)

"""The training of a model on all pairs of two languages: after each step the file has what the next begins with."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

import numpy as np

from corpusdb.alignment.bitext import Bitext
from corpusdb.alignment.model import AlignmentModel, Vocabularies
from corpusdb.alignment.training import Training, TrainingSettings
from corpusdb.jobs import Job
from corpusdb.queries.alignment.alignment_models import StoredModel, model_bytes, save_state
from corpusdb.queries.alignment.pair_tokens import SentencePair, SentenceTokens
from corpusdb.store import Store

__all__ = ["PARAMETERS", "train_model"]

PARAMETERS: dict[str, object] = asdict(TrainingSettings())


def train_model(
    store: Store, model: StoredModel, pairs: Sequence[SentencePair], tokens: SentenceTokens
) -> Job[tuple[StoredModel, AlignmentModel]]:
    """Take the steps that are left; part of a job. The pairs must be those that the training began with.

    Raises InputError where none of them can be trained with.
    """
    tokens.keep(chain.from_iterable(pairs))
    source = tokens.numbered([pair.sentence for pair in pairs])
    target = tokens.numbered([pair.translation for pair in pairs])
    vocabularies = Vocabularies(source.vocabulary(), target.vocabulary())
    bitext = Bitext(source.in_vocabulary(vocabularies.source), target.in_vocabulary(vocabularies.target))
    del source, target
    training = Training(bitext, vocabularies)
    if (begun := model_bytes(store, model)) is not None:
        training.restore(_read(begun))
    while training.steps < training.total:
        yield from training.step()
        if training.steps < training.total:
            written = _written(training.state())
            with store.write():
                save_state(store, model, "training", written)
    learned = training.model()
    with store.write():
        model = save_state(store, model, "decoding", learned.to_bytes())
    return model, learned


def _written(state: dict[str, np.ndarray[Any, Any]]) -> bytes:
    file = io.BytesIO()
    np.savez(file, **state)  # type: ignore[arg-type]
    return file.getvalue()


def _read(written: bytes) -> dict[str, np.ndarray[Any, Any]]:
    with np.load(io.BytesIO(written), allow_pickle=False) as arrays:
        return dict(arrays)

"""The hidden Markov model of word alignment (Vogel et al. 1996), with null words as in Och and Ney (2003).

The words of one text are generated from left to right; each comes from a word of the other text, the state, or from
none. A state j follows a state i with a probability that depends on the jump j - i alone; a word that comes from none
keeps the place of the state before it. Before the first word the place is -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corpusdb.alignment.cooccurrence import added_up
from corpusdb.arrays import F32, F64, I64

__all__ = ["Emissions", "Posteriors", "jump_counts", "posteriors"]


@dataclass(frozen=True, slots=True)
class Emissions:
    """How probable each word of B texts is, by what it comes from; L words to be generated, J states."""

    states: F32 | F64
    """Given the state: shape (L, B, J), 0 where there is no such state."""
    null: F32 | F64
    """Given that it comes from none: shape (L, B)."""
    lengths: I64
    """Of the texts that are generated: shape (B,)."""
    state_lengths: I64


@dataclass(frozen=True, slots=True)
class Posteriors:
    """How probable it is that a word comes from a state, given both texts; 0 outside of the texts."""

    states: F32 | F64
    """Shape (L, B, J)."""
    null: F32 | F64
    """Shape (L, B)."""


def posteriors(emissions: Emissions, jumps: F64, null: float) -> Posteriors:
    """Forward-backward over a whole batch; the probability of a word that comes from none is ``null``.

    ``jumps``: 2 W + 1 weights, of the jumps -W to W; farther ones have that of the farthest. They are normalised over
    the states that a text has.
    """
    precision: np.dtype[Any] = emissions.states.dtype
    inside = np.arange(len(emissions.null))[:, np.newaxis] < emissions.lengths  # (L, B)
    is_state = np.arange(emissions.states.shape[2]) < emissions.state_lengths[:, np.newaxis]  # (B, J)
    # Behind its end a text goes on with words that every state is certain to give, which changes nothing before it.
    states = np.where(inside[..., np.newaxis], emissions.states, is_state.astype(precision))
    by_null = np.where(inside, null * emissions.null, null).astype(precision)
    weights = _jump_weights(jumps, states.shape[2])
    last = emissions.state_lengths - 1
    leaving = (1 - null) / np.cumsum(weights[1:], axis=1)[:, last].T  # (B, J): normalises the jumps from a state
    begin = weights[0] * is_state / np.cumsum(weights[0])[last][:, np.newaxis]
    steps = weights[1:].astype(precision)
    leaving, begin = leaving.astype(precision), begin.astype(precision)

    arriving, forward, scales = np.empty_like(states), np.empty_like(states), np.empty_like(by_null)
    for at in range(len(states)):
        before = forward[at - 1] if at else begin
        arriving[at] = (before * leaving) @ steps if at else (1 - null) * begin
        here = arriving[at] * states[at] + before * by_null[at][:, np.newaxis]
        scales[at] = here.sum(axis=1)
        np.divide(here, scales[at][:, np.newaxis], out=forward[at])

    backward = np.ones_like(leaving)
    for at in range(len(states) - 1, -1, -1):
        onwards = states[at] * backward / scales[at][:, np.newaxis]
        arriving[at] *= onwards
        backward = (onwards @ steps.T) * leaving + backward * (by_null[at] / scales[at])[:, np.newaxis]
    arriving *= inside[..., np.newaxis]
    return Posteriors(arriving, np.maximum(inside - arriving.sum(axis=2), 0).astype(precision))


def _jump_weights(jumps: F64, states: int) -> F64:
    """The weight of each jump: row 0 from before the first state, row i + 1 from state i, to each state."""
    places = np.arange(states)
    return jumps[_buckets(places - np.arange(-1, states)[:, np.newaxis], len(jumps))]


def _buckets(jumps: I64, count: int) -> I64:
    most = count // 2
    return np.clip(jumps, -most, most) + most


def jump_counts(links: F32 | F64, count: int) -> F64:
    """How often each jump is expected, from how probable links are: shape (B, L, J) to (``count``,).

    Two links of words that follow each other are taken to be independent.
    """
    states = links.shape[2]
    before, after = links[:, :-1].reshape(-1, states), links[:, 1:].reshape(-1, states)
    places = np.arange(states)
    both = before.T @ after
    jumps = _buckets(places - places[:, np.newaxis], count)
    return added_up(jumps.ravel(), both.ravel(), count)

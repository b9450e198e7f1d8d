"""Where the segments of a test set stand between speech and writing, by a profile of their language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from corpusdb.charlm.normalisation import normalised
from corpusdb.charlm.scoring import text_bits
from corpusdb.errors import InputError
from corpusdb.homogeneity.scale import Coefficients, Statistics, coefficients
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile, profiles_of
from corpusdb.queries.homogeneity.text_keys import text_key
from corpusdb.store import Store

__all__ = ["SegmentCoefficients", "coefficients_note", "segment_coefficients"]


@dataclass(frozen=True, slots=True, eq=False)
class SegmentCoefficients:
    """The coefficient of each segment, and what it was measured by."""

    profile: StoredProfile
    values: Coefficients
    left_out: int
    """Lines that were not measured, because they stand in a reference of the profile."""


def segment_coefficients(store: Store, language: str, texts: Sequence[Sequence[str]]) -> SegmentCoefficients:
    """The coefficient of each segment, of its texts together, by the profile of the language that was made last.

    Lines that stand in a reference of the profile are not measured; a segment without others has no coefficient. Raises
    InputError where the language has no profile, or where it is corrupt.
    """
    profiles = profiles_of(store.connection, language)
    if not profiles:
        raise InputError(
            f"there is no profile of {language}; `corpusdb profile --lang {language} --spoken A --written B` makes one"
        )
    profile = profiles[-1]
    owners = np.repeat(np.arange(len(texts)), [len(each) for each in texts])
    lines = normalised([text for each in texts for text in each], profile.parameters["normalisation"])
    known = profile.reference_keys
    kept = np.array([text_key(line) not in known for line in lines], dtype=np.bool_)
    bits = text_bits(
        profile.smoothed(store.connection),
        [line if keep else "" for line, keep in zip(lines, kept.tolist(), strict=True)],
    )
    statistics = Statistics(bits.characters, bits.bits[0], bits.bits[1]).grouped(owners, len(texts))
    return SegmentCoefficients(profile, coefficients(statistics, profile.anchors), int((~kept).sum()))


def coefficients_note(found: SegmentCoefficients) -> str:
    """In words what the coefficients were measured by, and how many segments have none or one at an end."""
    given, values = found.profile.parameters, found.values
    spoken, written = ("+".join(given[side]) for side in ("spoken", "written"))
    told = f"; {found.left_out:,} lines stand in them, and are left out" if found.left_out else ""
    return (
        f"I of the references: 0 is {spoken}, 1 is {written} (order {given['order']}, {given['smoothing']}, "
        f"{given['normalisation']}){told}; undefined for {int(values.undefined.sum()):,} of {len(values.values):,} "
        f"segments, clipped for {int(values.clipped.sum()):,}"
    )

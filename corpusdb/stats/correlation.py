"""How far two measures say the same of the same texts: Pearson's correlation, and kappa over grades.

Denoual and Lepage (2005), sections 4.1 and 4.2, compare BLEU in words and in characters in these two ways.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from corpusdb.arrays import F64, I64
from corpusdb.errors import UsageError
from corpusdb.stats.agreement import Kappa, cohen_kappa

__all__ = ["graded_kappa", "grades", "pearson", "pearson_of_sums", "pearson_rows", "pearson_table"]

_EXACT = 1e-12


def pearson(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Pearson's correlation, -1 to 1; None where it is not defined: one does not vary, or there are under two values.

    Raises UsageError for different numbers of values, and for values that are not finite.
    """
    value = float(pearson_table(np.atleast_2d(first), np.atleast_2d(second))[0, 0])
    return None if np.isnan(value) else value


def pearson_table(first: npt.ArrayLike, second: npt.ArrayLike) -> F64:
    """The correlation of each row of ``first`` with each row of ``second``: shapes (m, n) and (k, n) to (m, k).

    NaN where it is not defined. Raises UsageError for different numbers of values, and for values that are not finite.
    """
    ours, theirs = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if ours.shape[-1] != theirs.shape[-1]:
        raise UsageError(f"{ours.shape[-1]} values cannot be correlated with {theirs.shape[-1]}")
    if not (np.isfinite(ours).all() and np.isfinite(theirs).all()):
        raise UsageError("values to correlate must be finite")
    table: F64 = np.clip(_standardised(ours) @ _standardised(theirs).T, -1.0, 1.0)
    return table


def pearson_rows(first: F64, second: F64) -> F64:
    """The correlation of each row of ``first`` with the row beside it: shapes (m, n) and (m or 1, n) to (m).

    NaN where it is not defined. The values must be finite.
    """
    correlations: F64 = np.clip((_standardised(first) * _standardised(second)).sum(axis=-1), -1.0, 1.0)
    return correlations


def pearson_of_sums(rows: F64) -> F64:
    """Pearson's correlation from n and the sums of x, y, xx, yy and xy; NaN where it is not defined.

    Shape (..., 6) to (...). Exact to rounding where x and y are given from about their means.
    """
    n, x, y, xx, yy, xy = np.moveaxis(rows, -1, 0)
    first, second = n * xx - x * x, n * yy - y * y
    varies = (first > _EXACT * n * xx) & (second > _EXACT * n * yy)
    correlations: F64 = np.full(first.shape, np.nan)
    # The roots one by one: the product of two small variances may be 0.
    size = np.sqrt(np.maximum(first, 0.0)) * np.sqrt(np.maximum(second, 0.0))
    np.divide(n * xy - x * y, size, out=correlations, where=varies & (size > 0))
    return np.clip(correlations, -1.0, 1.0)


def _standardised(rows: F64) -> F64:
    """Each row around 0 and of length 1; NaN where it does not vary."""
    if not rows.shape[-1]:
        return np.full((len(rows), 1), np.nan)
    varies = rows.max(axis=1, keepdims=True) > rows.min(axis=1, keepdims=True)
    centred = rows - rows.mean(axis=1, keepdims=True)
    size = np.abs(centred).max(axis=1, keepdims=True)
    scaled = np.divide(centred, size, out=np.full(rows.shape, np.nan), where=varies & (size > 0))
    standardised: F64 = scaled / np.sqrt((scaled**2).sum(axis=1, keepdims=True))
    return standardised


def grades(scores: npt.ArrayLike, count: int = 10) -> I64:
    """The grade of each score of 0 to 1, from 0 to ``count`` - 1: [0, 0.1[ is 0 and [0.9, 1] is 9 (section 4.2).

    Scores up to 1e-12 below the bound of a grade belong to it: BLEU of a text with itself can be a little less than 1.
    Raises UsageError for scores outside 0 to 1 and for fewer than one grade.
    """
    values = np.asarray(scores, dtype=np.float64)
    if count < 1:
        raise UsageError(f"there is at least one grade, not {count}")
    if not ((values >= -_EXACT) & (values <= 1 + _EXACT)).all():
        raise UsageError("only scores from 0 to 1 have a grade")
    return np.clip(np.floor((values + _EXACT) * count), 0, count - 1).astype(np.int64)


def graded_kappa(first: npt.ArrayLike, second: npt.ArrayLike, count: int = 10) -> Kappa:
    """Cohen's kappa of two measures that are taken for judges, each giving a text the grade of its score (section 4.2).

    Raises UsageError for different numbers of scores, and as grades does.
    """
    ours, theirs = grades(first, count), grades(second, count)
    if ours.shape != theirs.shape:
        raise UsageError(f"{ours.size} scores cannot be compared with {theirs.size}")
    table = np.bincount(ours.ravel() * count + theirs.ravel(), minlength=count * count).reshape(count, count)
    return cohen_kappa(table.tolist())

"""A profile, and what of it is looked at, in words."""

from __future__ import annotations

from corpusdb.display import cell_safe
from corpusdb.queries.homogeneity.stored_profiles import StoredProfile
from corpusdb.reports.homogeneity import between_told
from tui.profile.sight import Sight

__all__ = ["between", "between_name", "between_seen", "profile_told", "told"]


def profile_told(profile: StoredProfile) -> str:
    """The language and the references, and what is not as usual."""
    given = profile.parameters
    spoken, written = (", ".join(given[side]) for side in ("spoken", "written"))
    return f"{profile.language} between {spoken} and {written} (order {given['order']}, {given['smoothing']})"


def told(sight: Sight) -> str:
    """How much is looked at, and what of it has no value or was clipped; where unseen text stands."""
    order, view = sight.order, sight.view
    parts = [f"{len(order):,} {sight.level}{'' if len(order) == 1 else 's'}"]
    parts.append(f"{len(order) - order.defined:,} undefined{_share(len(order) - order.defined, len(order))}")
    if sight.scale == "I":
        clipped = int(order.clipped.sum())
        parts.append(f"{clipped:,} clipped{_share(clipped, len(order))}")
    if (median := order.quantile(0.5)) is not None:
        parts.append(f"median {median:.2f}")
    first, second = view.profile.unseen if sight.scale == "I" else (0.0, 1.0)
    if first is not None and second is not None:
        parts.append(f"unseen {first:.2f}/{second:.2f}")
    if view.lines.left_out and sight.level == "line":
        parts.append(f"{view.lines.left_out:,} not measured")
    front = [f"only {view.among.name}"] if view.among else []
    if view.lines.changed:
        front.append("STALE (m)")
    return cell_safe("; ".join([*front, ", ".join(parts)]))


def _share(part: int, whole: int) -> str:
    return f" ({100 * part / whole:.1f} %)" if part else ""


def between(sight: Sight) -> str:
    """The thresholds, the one that moves in brackets, and what lies between them."""
    low, high = (f"{end:.2f}" for end in sight.ends)
    ends = f"from {low} to [{high}]" if sight.is_high else f"from [{low}] to {high}"
    return f"{ends}: {between_told(sight.between, sight.level)}"


def between_name(sight: Sight) -> str:
    """The thresholds in few words."""
    low, high = sight.ends
    return f"{sight.scale} from {low:g} to {high:g}"


def between_seen(sight: Sight) -> dict[str, object]:
    """The thresholds as a selection keeps them."""
    low, high = sight.ends
    return {"level": sight.level, "scale": sight.scale, "from": low, "to": high}

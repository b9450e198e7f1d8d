"""What a job or a run gave, as lines for a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass

from corpusdb.queries.database.overview import RunOverview

__all__ = ["counts_in_words", "gist", "job_details", "report_lines", "run_details"]


def report_lines(report: object) -> list[str]:
    """The fields of a report by their names, lists with a line for each member; none for no report."""
    if report is None:
        return []
    if not is_dataclass(report):
        return [str(report)]
    lines = []
    for field in fields(report):
        value, name = getattr(report, field.name), field.name.replace("_", " ")
        if isinstance(value, tuple | list):
            lines += [f"{name}:", *(f"   {_place(each)}" for each in value)] if value else []
        elif value is not None:
            lines.append(f"{name}: {_figure(value)}")
    return lines


def gist(report: object) -> str:
    """The whole numbers of a report in one line; nothing for what is no report."""
    if not is_dataclass(report):
        return ""
    values = {field.name: getattr(report, field.name) for field in fields(report)}
    return counts_in_words({name: value for name, value in values.items() if type(value) is int})


def job_details(title: str, phase: str, told: str, report: object) -> list[str]:
    """All that is known of a job: what it is called, what it is doing, and its report if it is done."""
    lines = [title, f"state: {phase}", told, *report_lines(report)]
    if phase in ("failed", "cancelled"):
        lines.append("r in the list runs it again; it goes on where it stopped")
    return [line for line in lines if line]


def run_details(run: RunOverview) -> list[str]:
    """All that the database knows of a run."""
    lines = [
        f"operation: {run.operation}",
        f"started: {run.started}",
        f"finished: {run.finished or 'not, or not yet'}",
    ]
    return lines + [f"{name.replace('_', ' ')}: {_figure(value)}" for name, value in run.counts.items()]


def counts_in_words(counts: Mapping[str, object]) -> str:
    """The figures of a run in one line."""
    return ", ".join(f"{name.replace('_', ' ')} {_figure(value)}" for name, value in counts.items())


def _figure(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.1f}"
    return str(value)


def _place(member: object) -> str:
    """A file with its line and the reason as compilers write them; anything else as it is."""
    if not isinstance(member, tuple):
        return str(member)
    place, reason = member[:2], member[2:]
    return ": ".join([":".join(map(str, place)), *map(str, reason)])

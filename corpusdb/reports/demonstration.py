"""What the demonstration shows, as text."""

from __future__ import annotations

from corpusdb.ngrams.fluency_orders import DEFAULT_ORDER
from corpusdb.queries.chain.demonstration import DemoExample, DemoReport, DemoTable

__all__ = ["demonstration_text"]


def demonstration_text(report: DemoReport) -> str:
    """The report, in lines of at most 80 columns."""
    lines = _summary(report)
    for table in report.tables:
        lines += _table(table)
    if report.example is not None:
        lines += _example(report.example)
    return "\n".join([*lines, "", f"All of this took {report.seconds:.1f} s."])


def _summary(report: DemoReport) -> list[str]:
    detection, generation = report.detection, report.generation
    return [
        "The built-in travel phrasebook: English, Japanese and French.",
        "",
        f"{report.sentences:9,}  different English sentences",
        f"{detection.sentences:9,}  of them share a translation with another one ({detection.pairs:,} pairs)",
        f"{generation.analogies:9,}  proportional analogies A : B :: C : D, solved with paraphrases of B,",
        f"{generation.candidates:9,}  gave candidates, for {generation.seeds:,} seeds",
        f"{generation.kept:9,}  are left where every sequence of {DEFAULT_ORDER} characters must have been seen;",
        f"{generation.distinct:9,}  different sentences, {generation.novel:,} of them new to the phrasebook",
    ]


def _table(table: DemoTable) -> list[str]:
    """Frequency first, what the filter strikes out marked."""
    lines = ["", f"{table.seed}   (frequency; ✗: struck out at N = {DEFAULT_ORDER})"]
    for each in table.candidates:
        new = "  (new)" if each.is_kept and each.is_new else ""
        lines.append(f"{each.frequency:6}  {' ' if each.is_kept else '✗'} {each.text}{new}")
    return [*lines, f"        ... and {table.more} more"] if table.more else lines


def _example(example: DemoExample) -> list[str]:
    analogy = example.analogy
    return [
        "",
        f"Why {example.text!r}:",
        f"    {analogy.a} : {analogy.b}",
        f" :: {analogy.c} : {analogy.d}",
        f"  and {analogy.b!r} is {analogy.rewording!r},",
        f"  since both are translated as {example.shared!r}",
    ]

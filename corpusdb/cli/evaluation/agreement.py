"""The command that tells how far scores agree with people."""

from __future__ import annotations

from corpusdb.cli.evaluation.agreement_input import AgreementOptions, read_judged
from corpusdb.cli.program.command import command
from corpusdb.cli.program.invocation import Invocation
from corpusdb.cli.program.output import write_json, write_line, write_text

__all__ = ["agreement"]


@command("agreement", answers=True, kept=False)
def agreement(invocation: Invocation, options: AgreementOptions) -> int:
    """Tell how far scores agree with those of people.

    Of systems: Pearson, Spearman, Kendall tau-b, and the share of pairs of systems that are in the order in which
    people have them. Of segments: Pearson, Kendall, and the same share with ties (acc_eq), over all outputs, within
    systems and within segments. `corpusdb guide agreement` explains them. Lists with commas make variants, which are
    compared in one call: --metric bleu,chrf --unit word,char --order 1,2,4 --references 1,2,all.

    --by length and novelty make four classes of segments; novelty is the share of the n-grams of 1 to 4 words in the
    outputs (characters where the script has no spaces) that no reference of the segment matches.
    """
    from corpusdb.queries.agreement.agreement import agreement as measured
    from corpusdb.reports.evaluation.agreement import comparison_table, documents_of, figure_table, long_table, remarks

    judged, question = read_judged(invocation, options)
    report = invocation.run(measured(judged, question), resumes=False)
    if invocation.json:
        write_json(documents_of(report, question))
    elif invocation.format == "table":
        invocation.show(*figure_table(report))
        if report.comparisons:
            write_line()
            invocation.show(*comparison_table(report))
    else:
        invocation.show(*long_table(report))
    for line in remarks(report, question, is_table=invocation.format == "table"):
        if invocation.format == "table":
            write_text(line)
        else:
            invocation.say(line)
    return len(report.figures)

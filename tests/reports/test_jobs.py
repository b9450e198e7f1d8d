"""What a job gave, as lines."""

from __future__ import annotations

import json

import pytest

from corpusdb.chain.report import counts_in_words, gist, job_details, report_lines
from corpusdb.corpus.model import ImportReport

REPORT = ImportReport(3, 2, 1, 0, 1, 1.25, first_rejected=(("a.tsv", 4, "empty"),), first_duplicates=(("a.tsv", 2),))


def test_a_report_is_told_field_by_field() -> None:
    told = report_lines(REPORT)
    assert told[:3] == ["read: 3", "sentences: 2", "translations: 1"]
    assert "seconds: 1.2" in told
    assert told[-4:] == ["first rejected:", "   a.tsv:4: empty", "first duplicates:", "   a.tsv:2"]
    assert gist(REPORT) == "read 3, sentences 2, translations 1, duplicates 0, rejected 1"


@pytest.mark.parametrize(("report", "told"), [(None, []), ("some text", ["some text"]), (7, ["7"])])
def test_what_is_no_report(report: object, told: list[str]) -> None:
    assert report_lines(report) == told
    assert gist(report) == ""


def test_counts_in_one_line() -> None:
    counts: dict[str, object] = json.loads('{"kept_seeds": 1234, "seconds": 1.25, "all": true}')
    assert counts_in_words(counts) == "kept seeds 1,234, seconds 1.2, all yes"


@pytest.mark.parametrize(("phase", "advice"), [("done", False), ("failed", True), ("cancelled", True)])
def test_a_job_that_did_not_end_can_be_run_again(phase: str, advice: bool) -> None:
    told = job_details("import a.tsv", phase, "", REPORT)
    assert told[:2] == ["import a.tsv", f"state: {phase}"]
    assert told[2] == "read: 3", "there is nothing to tell of its state"
    assert told[-1].startswith("r in the list runs it again") == advice

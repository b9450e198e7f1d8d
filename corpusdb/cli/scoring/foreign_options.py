"""The options of sacrebleu's command line that `score` has under another name, or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["OF_SACREBLEU"]

_GUIDE: Final = "(`corpusdb guide sacrebleu`)"
_OURS: Final = {
    ("--paired-bs", "-pbs"): "--significance bootstrap",
    ("--paired-ar", "-par"): "--significance randomisation",
    ("--paired-bs-n", "-pbsn", "--paired-ar-n", "-parn", "--confidence-n", "-cin"): "--samples N",
    ("-ci",): "--confidence",
    ("-f",): "--format NAME",
    ("-q",): "--quiet",
    ("--detail", "-d"): "--verbose",
    ("--smooth-value", "-sv"): "--smoothing METHOD=VALUE, such as floor=0.1",
    ("--stdin",): "-i -",
    ("--chrf-word-order", "-cw"): "--metric chrf++ for word order 2",
}
"""What `score` has under another name."""
_NONE: Final = {
    ("--test-set", "-t", "--language-pair", "-l", "--origlang", "-ol", "--subset"): (
        "test sets are files of yours, REF... -i HYP..."
    ),
    ("--list", "--download", "--echo", "--cite", "--citation"): "test sets are files of yours, none is downloaded",
    ("--chrf-char-order", "-cc", "--chrf-beta", "--chrf-whitespace", "--chrf-eps-smoothing", "--chrf-lowercase"): (
        "--metric chrf and chrf++ have sacrebleu's own settings"
    ),
    ("--ter-case-sensitive", "--ter-asian-support", "--ter-no-punct", "--ter-normalized"): (
        "--metric ter has sacrebleu's own settings"
    ),
    ("--num-refs", "-nr"): "give a file for each reference, or jsonl or tsv with as many as a segment has",
    ("--encoding", "-e"): "texts are UTF-8",
    ("--short", "-sh"): "both signatures stand below the table",
    ("--paired-jobs", "-j"): "metrics that are slow use all cores",
    ("--no-color", "-nc"): "nothing is told by colours",
    ("--force",): "--tokenise says how texts are cut, and nothing is refused for it",
}
OF_SACREBLEU: Final[Mapping[str, str]] = {
    **{name: f"here it is {ours} {_GUIDE}" for names, ours in _OURS.items() for name in names},
    **{name: f"{told} {_GUIDE}" for names, told in _NONE.items() for name in names},
}
"""By each of its names there, what to say here."""

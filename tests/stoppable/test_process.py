"""Patterns that never end, ended by a clock of the test's own or by somebody; no test waits for a real one."""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from corpusdb.base import regular_expressions as process
from corpusdb.base.errors import Cancelled, UsageError
from corpusdb.base.jobs import Limit, TookTooLong, shortened
from corpusdb.base.regular_expressions import Regex, spans_in_process

ENDLESS = [
    (r"^(\w+\s*)+$", "x" * 60 + "!"),
    pytest.param("(a|a)*$", "a" * 60 + "!", marks=pytest.mark.slow),
    pytest.param("(.*)*x", "a" * 60, marks=pytest.mark.slow),
    pytest.param(r"^(\w+)+\1$", "ab" * 30 + "!", marks=pytest.mark.slow),
    pytest.param("(x+x+)+y", "x" * 60, marks=pytest.mark.slow),
]


@pytest.fixture(autouse=True)
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Those that were started; none is left behind."""
    started: list[subprocess.Popen[bytes]] = []
    original = subprocess.Popen

    def noted(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        started.append(original(*arguments, **options))  # type: ignore[call-overload]
        return started[-1]

    with patch.object(subprocess, "Popen", noted):
        yield started
    assert all(each.returncode is not None for each in started)


def hurried(**options: float) -> Limit:
    """A limit whose clock goes on by a tenth of a second whenever somebody looks at it."""
    ticks = itertools.count()
    return Limit(clock=lambda: next(ticks) / 10, **options)


@pytest.mark.parametrize(("pattern", "text"), ENDLESS)
def test_one_sentence_may_take_so_long_and_is_named(
    pattern: str, text: str, processes: list[subprocess.Popen[bytes]]
) -> None:
    with pytest.raises(TookTooLong, match=re.escape(f"{pattern!r} was stopped")) as error:
        Regex(pattern).among(["a", text, "b"], range(3), hurried(seconds_a_text=5))
    assert shortened(text) in str(error.value)
    assert "\n" not in str(error.value)
    assert len(processes) == 1


@pytest.mark.parametrize(("pattern", "text"), ENDLESS)
def test_all_of_it_may_take_so_long(pattern: str, text: str) -> None:
    with pytest.raises(TookTooLong, match="after 3 seconds; `--timeout 0`"):
        Regex(pattern).among([text], [0], hurried(seconds=3, seconds_a_text=1e9))


class Impatient(Limit):
    """Cancelled from another place while the process runs."""

    looks = 0

    def check(self, pattern: str) -> None:
        self.looks += 1
        if self.looks == 4:
            self.cancel()
        super().check(pattern)


@pytest.mark.parametrize(("pattern", "text"), ENDLESS)
def test_somebody_can_stop_it(pattern: str, text: str, processes: list[subprocess.Popen[bytes]]) -> None:
    with pytest.raises(Cancelled):
        Regex(pattern).among([text], [0], Impatient(seconds_a_text=1e9))
    assert [each.returncode for each in processes] == [-9]


def test_ctrl_c_ends_the_process(processes: list[subprocess.Popen[bytes]]) -> None:
    with patch.object(Limit, "check", side_effect=[None, None, KeyboardInterrupt]), pytest.raises(KeyboardInterrupt):
        spans_in_process("(a|a)*$", 0, ["a" * 60 + "!"], Limit(seconds_a_text=1e9))
    assert [each.returncode for each in processes] == [-9]


def test_a_quick_pattern_can_be_stopped_too_and_needs_no_process(processes: list[subprocess.Popen[bytes]]) -> None:
    limit = Limit()
    limit.cancel()
    with pytest.raises(Cancelled):
        Regex("cat").among(["a cat"], [0], limit)
    with pytest.raises(Cancelled):
        Regex("cat").matching_whole(["cat"], limit)
    assert processes == []


def test_a_process_that_was_ended_by_others_is_told_of() -> None:
    with patch.object(process, "_watch", lambda *arguments: None), pytest.raises(TookTooLong):
        spans_in_process("(a|a)*$", 0, ["a" * 60 + "!"], Limit())


def test_only_long_texts_go_to_the_process(processes: list[subprocess.Popen[bytes]]) -> None:
    texts = ["b", "a" * 20, "c", "ba" * 10]
    with patch.object(Regex, "_is_quick", lambda regex, length: length < 5):
        regex = Regex("a+")
        assert regex.among(texts, range(4), Limit()) == [1, 3]
        assert [regex.spans(text) for text in texts] == [
            [match.span() for match in re.finditer("a+", text)] for text in texts
        ]
    assert len(processes) == 1


def test_a_fault_of_re_is_told_in_one_line() -> None:
    regex = Regex("a")
    with patch.object(regex, "_compiled") as compiled:
        compiled.search.side_effect = compiled.finditer.side_effect = SystemError("a span is wrong")
        for call in (lambda: regex.among(["a"], [0], Limit()), lambda: regex.spans("a")):
            with pytest.raises(UsageError, match="cannot run the regular expression 'a'"):
                call()

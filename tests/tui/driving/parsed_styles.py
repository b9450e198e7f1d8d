"""The style sheets of the browser, parsed once for all browsers of a process: that is a tenth of what one costs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation

__all__ = ["styles_parsed_once"]


@contextmanager
def styles_parsed_once() -> Iterator[None]:
    """As textual does it for one browser with the same colours: nobody changes the rules that came of it."""
    parse, known = Stylesheet._parse_rules, dict[tuple[object, ...], list[RuleSet]]()

    def parsed(
        sheet: Stylesheet, css: str, read_from: CSSLocation, is_default_rules: bool, tie_breaker: int, scope: str
    ) -> list[RuleSet]:
        key = (css, read_from, is_default_rules, tie_breaker, scope, *sorted(sheet._variables.items()))
        if key not in known:
            known[key] = parse(sheet, css, read_from, is_default_rules, tie_breaker, scope)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parsed)
        yield

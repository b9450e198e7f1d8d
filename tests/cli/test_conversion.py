"""Words are converted as typer converts them, and plain ones without loading what it needs for that."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
import typer
from hypothesis import example, given
from hypothesis import strategies as st
from typer._coercion import build_runtime_param
from typer.core import TyperOption
from typer.main import get_group

from corpusdb.base.errors import one_line
from corpusdb.commands.options import convert_plainly

app = typer.Typer()


@app.command()
def words(
    text: str = typer.Option("", "--text"),
    way: Literal["one", "two"] = typer.Option("one", "--way"),
    words: list[str] = typer.Option([], "--words"),
    file: Path = typer.Option(Path("x"), "--file"),
    folder: Path = typer.Option(Path(), "--folder", exists=True, file_okay=False),
    flag: bool = typer.Option(False, "--flag"),
) -> None: ...


@app.command()
def numbers(
    count: int = typer.Option(1, "--count", min=0, max=99),
    share: float = typer.Option(0.5, "--share", min=0, max=1),
    numbers: list[int] = typer.Option([], "--numbers", min=0),
) -> None: ...


_COMMANDS = get_group(app).commands
_OPTIONS = {
    option.name: option for each in _COMMANDS.values() for option in each.params if isinstance(option, TyperOption)
}
_WORDS = st.one_of(
    st.text(max_size=6),
    st.from_regex(r"\A[-+]?[0-9]{0,17}(\.[0-9]*)?\Z"),
    st.sampled_from(["one", "TWO", "1e3", "nan", "inf", "true", "0x1", "1_0", " 1", "١", "", ".", "/", __file__, "\0"]),
    st.integers(-5, 200),
    st.floats(-1, 2),
    st.booleans(),
    st.just(Path("y")),
)


def _converted(option: TyperOption, value: object, by: Any) -> tuple[type, object]:
    """The value, or the words of the error."""
    try:
        made = by.coerce(value, option, typer.Context(_COMMANDS["words"]))
    except Exception as error:
        return type(error), one_line(str(error), 200)
    return type(made), made


@pytest.mark.parametrize("name", sorted(_OPTIONS))
@given(word=_WORDS, others=st.lists(_WORDS, max_size=2))
@example(word="7", others=["007"])
@example(word="0.25", others=[])
def test_values_and_errors_are_those_of_typer(name: str, word: object, others: list[object]) -> None:
    option = _OPTIONS[name]
    value = [word, *others] if option.multiple else word
    theirs = _converted(option, value, build_runtime_param(option.type_descriptor))
    option._runtime_param = None
    convert_plainly([option])
    assert _converted(option, value, option.get_runtime_param()) == theirs

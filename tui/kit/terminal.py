"""The application on a terminal: its looks, its signals, what it copies, and what it keeps for the next time."""

from __future__ import annotations

import asyncio
import os
import subprocess
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.app import App, AutopilotCallbackType, ScreenStackError
from textual.binding import Binding
from textual.color import Color
from textual.events import Compose, Event
from textual.filter import LineFilter
from textual.keys import KEY_DISPLAY_ALIASES, format_key
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.theme import BUILTIN_THEMES, Theme

from corpusdb.base import signals
from corpusdb.base.display import cell_safe
from corpusdb.base.errors import CorpusError
from corpusdb.base.outputs import Guard, Outputs
from tui.kit.fields import shortened_home
from tui.kit.saved_state import SavedState
from tui.kit.settings import THEMES, BrowserSettings, TypeAhead

_WITHOUT_LINES = ("dumb", "linux", "vt")


def draws_lines(environment: Mapping[str, str]) -> bool:
    """Whether the terminal has the characters of lines and corners: it speaks UTF-8 and is no bare console."""
    if environment.get("TERM", "").startswith(_WITHOUT_LINES):
        return False
    language = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := environment.get(name))), "")
    # Where nothing is said, Python itself takes the terminal for one of UTF-8.
    return language in ("", "C", "POSIX") or language.lower().replace("-", "").endswith("utf8")


class TextWall(LineFilter):
    """Makes each line of the screen harmless, whoever painted it; the line keeps its width."""

    def __init__(self) -> None:
        super().__init__()
        self.met: list[str] = []
        """What came here that the door had not seen, the last few."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        text = "".join(segment.text for segment in segments)
        harmless = cell_safe(text)
        if harmless == text:
            return segments
        self.met = [*self.met[-9:], text]
        rewritten, done = [], 0
        for part, style, control in segments:
            rewritten.append(Segment(harmless[done : done + len(part)], style, control))
            done += len(part)
        width = sum(cell_len(segment.text) for segment in segments)
        return list(Strip(rewritten).adjust_cell_length(width, Style.null()))


class PlainScrollBar(ScrollBarRender):
    """A scroll bar whose ends are whole characters."""

    VERTICAL_BARS = [" "]  # noqa: RUF012
    HORIZONTAL_BARS = [" "]  # noqa: RUF012


class TerminalApplication(TypeAhead):
    """Runs until somebody leaves it, a signal ends it, or a fault of the program does, which is raised."""

    opens = ""
    """What is said until the first screen stands."""

    def __init__(self) -> None:
        # Where no colour is wanted, those of the terminal are not to be made true colours, and then greys.
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        self.wall = TextWall()
        self._loop_of_screen: asyncio.AbstractEventLoop | None = None
        self._is_ended = False

    async def on_event(self, event: Event) -> None:
        """And say what one waits for before anything else is drawn."""
        if isinstance(event, Compose) and self._driver is not None:
            self._driver.write(f"{self.opens}\r")
            self._driver.flush()
        await super().on_event(event)

    def on_mount(self) -> None:
        self._loop_of_screen = asyncio.get_running_loop()
        if self._is_ended:
            self.exit()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Every line of every screen passes them, the wall last."""
        return [*super().get_line_filters(), self.wall]

    def get_key_display(self, binding: Binding) -> str:
        """A key as one would say it: ``ctrl+d``, ``?``, ``up``."""
        *modifiers, key = binding.key.split("+")
        named = key if key in KEY_DISPLAY_ALIASES and key != "minus" else format_key(key)
        return "+".join([*modifiers, named])

    def clear_selection(self) -> None:
        """Nothing is selected before the first screen stands; a line of input asks for it while it is being made."""
        with suppress(ScreenStackError):
            super().clear_selection()

    def run_until_left(
        self, *, size: tuple[int, int] | None = None, pilot: AutopilotCallbackType | None = None
    ) -> None:
        """Run on the terminal, or unseen where there is a ``pilot``, until somebody leaves.

        Raises any fault of the program, and KeyboardInterrupt where a signal ended it: the terminal is in order then.
        """
        with signals.handled_by(self._end):
            self.run(headless=pilot is not None, size=size, mouse=False, auto_pilot=pilot)
        if self._exception is not None:
            raise self._exception
        signals.raise_received()

    def _end(self) -> None:
        """Leave at once, whatever is under way; called between any two steps of the main thread."""
        self._is_ended = True
        if self._loop_of_screen is not None:
            self._loop_of_screen.call_soon_threadsafe(self.exit)

    def _fatal_error(self) -> None:
        """Leave after a fault of the program; ``run`` raises it, and textual shows no traceback of its own."""
        self._close_messages_no_wait()


# Copying over SSH: to the terminal, which may or may not take it, to tmux where it runs, and always to a file.


_TMUX_SECONDS = 2.0
_TERMINAL_BYTES = 74_994
"""The most that common terminals take in one sequence: 100,000 characters with its beginning and its end."""


def fits_terminal(text: str) -> bool:
    """Whether a terminal would take ``text`` whole; of more it takes nothing, or shows what it did not take."""
    return len(text.encode()) <= _TERMINAL_BYTES


def copy_file() -> Path:
    """The file that holds what was copied last: ``copied.txt`` in the state folder of corpusdb."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "corpusdb" / "copied.txt"


def copy_beside_terminal(text: str, environment: Mapping[str, str]) -> str:
    """Copy to the file, and inside tmux to its buffer; what to tell of both and of the terminal.

    The terminal itself is sent the text by whoever draws on it (OSC 52), which tmux keeps to itself as it is set up by
    default. It never answers, so that nobody can tell whether it took the text.
    """
    lines = text.count("\n") + 1
    reached: list[str] = []
    failures: list[str] = []
    try:
        reached.append(shortened_home(_written(text)))
    except OSError as error:
        failures.append(f"no file: {error.strerror or error}")
    except CorpusError as error:
        failures.append(f"no file: {error}")
    if environment.get("TMUX"):
        try:
            _load_tmux_buffer(text)
            reached.append("tmux")
        except (OSError, subprocess.SubprocessError) as error:
            failures.append(f"no tmux buffer: {_reason(error)}")
    if fits_terminal(text):
        reached.append("terminal (OSC 52)")
    else:
        failures.append("too long for the terminal")
    what = "1 line" if lines == 1 else f"{lines:,} lines"
    return "; ".join([f"{what} to {', '.join(reached)}", *failures])


def _written(text: str) -> Path:
    path = copy_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Outputs(Guard(overwrite=True)) as outputs, outputs.text(path, mode=0o600) as file:  # the program's own file
        file.write(text + "\n")
    return path


def _load_tmux_buffer(text: str) -> None:
    """Make a buffer of tmux, which passes it on to its terminal; tmux before 3.2 only keeps it."""
    for command in (["tmux", "load-buffer", "-w", "-"], ["tmux", "load-buffer", "-"]):
        done = subprocess.run(command, input=text.encode(), capture_output=True, timeout=_TMUX_SECONDS, check=False)
        if done.returncode == 0:
            return
    raise subprocess.CalledProcessError(done.returncode, command, stderr=done.stderr)


def _reason(error: OSError | subprocess.SubprocessError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if isinstance(error, subprocess.CalledProcessError):
        return error.stderr.decode(errors="replace").strip() or f"exit code {error.returncode}"
    return "no answer"


# The colours of what means something, from the 16 of the terminal; never by colour alone.
# Each stands for one meaning wherever it appears, beside a letter, a sign or a style that says the same without
# colour. Everything else has the terminal's own colour.


MATCH = "bold underline yellow"
"""What was searched for, or matches a reference; underlined."""
ACCEPTED = "bold green"
"""Beside ``+``."""
WRITTEN = "bold bright_green"
"""Beside ``w``: accepted and in the corpus."""
REJECTED = "red"
"""Beside ``-``."""
UNSTORED = "bold yellow"
"""Beside ``~``: decided, and not in the file yet."""
FAULT = "bold red"
"""A message that begins with ``!``."""
KEY = "bold cyan"
"""A key in a line of hints."""
ORIGINS: Mapping[str, str] = {
    "detected": "cyan",
    "analogy": "magenta",
    "exchange": "yellow",
    "equivalent": "bright_blue",
    "rule": "bright_magenta",
}
"""Of the letters of origins, by the names of these."""
_SURE, _DOUBTFUL = 0.95, 0.5


_VALIDITIES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)


def moved_validity(at: float, by: int) -> float:
    """The next step above ``at``, or below where ``by`` is negative; beyond the ends, ``at`` itself."""
    place = bisect_right(_VALIDITIES, at) if by > 0 else bisect_left(_VALIDITIES, at) - 1
    return _VALIDITIES[place] if 0 <= place < len(_VALIDITIES) else at


def validity_style(validity: float | None) -> str:
    """Of a validity, which stands there as a figure: what holds, what is more likely not to hold, and between."""
    if validity is None:
        return "dim"
    return "green" if validity >= _SURE else "" if validity >= _DOUBTFUL else "red"


QUIET = Theme(
    name=THEMES["quiet"],
    primary="ansi_bright_black",
    secondary="ansi_cyan",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    accent="ansi_cyan",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    dark=True,
    ansi=True,
    variables={
        **BUILTIN_THEMES["ansi-dark"].variables,
        "border-blurred": "ansi_bright_black",
        "input-selection-background": "ansi_cyan",
        "scrollbar": "ansi_bright_black",
        "scrollbar-background": "ansi_default",
    },
)
"""The terminal's own background and text, light or dark; colours are left to what has a meaning, as below."""


class Looks:
    """The looks of an application, as its user and the terminal want them."""

    def __init__(self, app: App[None], settings: BrowserSettings, memory: SavedState | None = None) -> None:
        """``memory`` knows the theme that was chosen the last time."""
        self._app = app
        self._memory = memory
        self._settings = settings
        self.theme = ""
        """The name of the theme, one of THEMES."""

    @property
    def ascii_only(self) -> bool:
        borders = self._settings.borders
        return borders == "ascii" or (borders == "auto" and not draws_lines(os.environ))

    def begin(self) -> None:
        self._app.register_theme(QUIET)
        self.wear(self._first_theme())
        self._app.set_class(self.ascii_only, "ascii")
        ScrollBar.renderer = PlainScrollBar if self.ascii_only else ScrollBarRender

    def wear(self, theme: str) -> None:
        self.theme = theme
        self._app.theme = THEMES[theme]

    def choose(self, theme: str) -> None:
        """Change the theme, and keep it for the next time."""
        self.wear(theme)
        if self._memory is not None:
            self._memory.keep_theme(theme, self._settings.theme)

    @property
    def next_theme(self) -> str:
        names = list(THEMES)
        return names[(names.index(self.theme) + 1) % len(names)]

    def _first_theme(self) -> str:
        chosen = self._memory.theme(self._settings.theme) if self._memory is not None else ""
        if chosen in THEMES:
            return chosen
        return next(iter(THEMES)) if self._settings.theme == "auto" else self._settings.theme

"""How words are written side by side: capitals and spaces, as the texts of a language have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

__all__ = ["Spacing", "is_after_end", "written_text"]

_ENDS: Final = frozenset('.?!。？！…"“”„«»「」『』')
"""A capital behind one of these says nothing about the word."""
_STRAIGHT: Final = '"'
_OPENING, _CLOSING = '«"', '»"'
_CLOSING_MARKS: Final = frozenset({_CLOSING, "»", "”", "」"})
_SHARE: Final = 0.5


def is_after_end(before: str) -> bool:
    """Whether a word may have a capital only because of the token before it."""
    return before[:1] in _ENDS


class Spacing:
    """What stands between two tokens: what most often stood between these two, else what either allows."""

    def __init__(self, texts: Iterable[tuple[str, Sequence[tuple[int, int]]]]) -> None:
        """Texts, and where the tokens of each begin and end."""
        pairs: Counter[tuple[str, str, str]] = Counter()
        before: dict[str, list[int]] = {}
        behind: dict[str, list[int]] = {}
        between_words = [0, 0]
        for text, spans in texts:
            tokens = _told_apart([text[begin:end].lower() for begin, end in spans])
            for number in range(1, len(tokens)):
                own, after = tokens[number - 1], tokens[number]
                gap = text[spans[number - 1][1] : spans[number][0]]
                pairs[own, after, gap] += 1
                # Beside a mark or a clitic a word is joined by that: what it does itself shows beside a plain word.
                if own.isalnum():
                    before.setdefault(after, [0, 0])[bool(gap)] += 1
                if own.isalnum() and after.isalnum():
                    between_words[bool(gap)] += 1
                if after.isalnum():
                    behind.setdefault(own, [0, 0])[bool(gap)] += 1
        self._gaps = {(own, after): gap for (own, after, gap), _ in reversed(pairs.most_common())}
        self._before = {token: apart / (joined + apart) for token, (joined, apart) in before.items()}
        self._behind = {token: apart / (joined + apart) for token, (joined, apart) in behind.items()}
        self._behind.setdefault(_OPENING, 0.0)
        self._before.setdefault(_CLOSING, 0.0)
        self._usual = 1.0 if between_words[1] >= between_words[0] else 0.0

    def joined(self, tokens: Sequence[str]) -> str:
        """The tokens as one text."""
        keys = _told_apart([token.lower() for token in tokens])
        parts = list(tokens[:1])
        for number in range(1, len(tokens)):
            parts += [self._gap(keys[number - 1], keys[number]), tokens[number]]
        return "".join(parts)

    def _gap(self, own: str, after: str) -> str:
        gap = self._gaps.get((own, after))
        if gap is not None:
            return gap
        apart = min(self._before.get(after, self._usual), self._behind.get(own, self._usual))
        return " " if apart >= _SHARE else ""


def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


def _told_apart(tokens: Sequence[str]) -> list[str]:
    """The tokens with every second straight quotation mark as one that closes."""
    found, is_open = [], False
    for token in tokens:
        if token == _STRAIGHT:
            token, is_open = _CLOSING if is_open else _OPENING, not is_open
        found.append(token)
    return found


def written_text(tokens: Sequence[str], forms: Mapping[str, str], spacing: Spacing, *, capital: bool) -> str:
    """Words in lower case as a text; ``forms`` are those that are written otherwise inside of a sentence.

    ``capital``: whether the first word has one, and those behind the end of a sentence.
    """
    written, begins = [], capital
    for token, key in zip(tokens, _told_apart(tokens), strict=True):
        form = forms.get(token, token)
        if key in _CLOSING_MARKS:  # "Where?" asked the man.
            begins = False
        if begins and _is_word(form):
            form, begins = form[:1].upper() + form[1:], False
        elif capital and token in (".", "?", "!"):
            begins = True
        written.append(form)
    return spacing.joined(written)

"""Opening text files: what ends a line, what is refused at which line, and how much they hold."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpusdb.base.errors import InputError
from corpusdb.corpus.formats import reading
from corpusdb.corpus.formats.reading import (
    BYTES_VARIABLE,
    MAX_LINE,
    RATIO_VARIABLE,
    STDIN,
    digest_of,
    file_inputs,
    read_lines,
    read_lines_and_faults,
    read_text,
    unpacked,
    unpacked_size,
)

LINES = [f"line {number} é 日本" for number in range(1, 20_001)]
TEXT = "".join(f"{line}\n" for line in LINES).encode()


def _write(tmp_path: Path, data: bytes, name: str = "file.txt") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\r\r\nc\r", ["a\rb\r", "c\r"]),
        (b"\n\na\n\n", ["", "", "a", ""]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\n".encode(), ["a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"]),
        (b"\n", [""]),
        (b"\xef\xbb\xbf\n", [""]),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_lf_alone_ends_a_line(tmp_path: Path, data: bytes, lines: list[str], pack: type[bytes]) -> None:
    path = _write(tmp_path, pack(data))

    assert list(read_lines(path)) == list(enumerate(lines, 1))


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"", None, "empty"),
        (b"\xef\xbb\xbf", None, "empty"),
        (gzip.compress(b"", mtime=0), None, "empty"),
        ("a\nb\n".encode("utf-16"), 1, "looks like UTF-16; convert to UTF-8"),
        ("a\nb\n".encode("utf-16-be"), 1, "looks like UTF-16; convert to UTF-8"),
        (b"\xfe\xff" + "日本".encode("utf-16-be"), 1, "looks like UTF-16; convert to UTF-8"),
        ("a\nb\n".encode("utf-32"), 1, "looks like UTF-32; convert to UTF-8"),
        (b"\x00\x00\xfe\xff" + "a".encode("utf-32-be"), 1, "looks like UTF-32; convert to UTF-8"),
        (gzip.compress("a\nb\n".encode("utf-16"), mtime=0), 1, "looks like UTF-16"),
        (b"BZh91AY&SY\x01", 1, "is a bzip2 file; unpack it first"),
        (b"one\ntwo\nth\0ree\nfour\n", 3, "NUL byte at byte 3 of the line"),
        (b"one\ntwo\nthr\xe9e\n", 3, "invalid UTF-8: byte 0xE9 at byte 4 of the line"),
        (b"one\n\xed\xa0\x80\n", 2, "invalid UTF-8: byte 0xED at byte 1 of the line"),
        (b"one\ntwo\xe6\x97", 2, "invalid UTF-8: byte 0xE6 at byte 4 of the line"),
        (b"one\nt\0wo\nthr\xe9e\n", 2, "NUL byte"),
        (b"one\nt\xe9wo\nthr\0ee\n", 2, "invalid UTF-8"),
        (TEXT + b"\xff\n" + TEXT, 20_001, "invalid UTF-8: byte 0xFF at byte 1 of the line"),
        (TEXT + b"a\0\n" + TEXT, 20_001, "NUL byte at byte 2 of the line"),
        (gzip.compress(TEXT + b"a\0\n" + TEXT, mtime=0), 20_001, "NUL byte at byte 2 of the line"),
        (b"a\nb\n" + b"c" * 5 * MAX_LINE + b"\nd\n", 3, "longer than 1,048,576 bytes"),
        (b"a\nb\n" + b"c" * (MAX_LINE + 1) + b"\nd\n", 3, "longer than 1,048,576 bytes"),
        (gzip.compress(TEXT + b"c" * 5 * MAX_LINE, mtime=0), 20_001, "longer than 1,048,576 bytes"),
        (gzip.compress(b"c" * 5 * MAX_LINE, mtime=0), 1, "longer than 1,048,576 bytes"),
        (gzip.compress(TEXT, mtime=0)[:-8], 20_001, "cut off"),
        (gzip.compress(TEXT, mtime=0)[:5], 1, "cut off"),
        (gzip.compress(TEXT, mtime=0) + gzip.compress(b"x\ny\n", mtime=0)[:-1], 20_003, "cut off"),
        (gzip.compress(TEXT, mtime=0) + b"rubbish", 20_001, "corrupt"),
        (gzip.compress(TEXT, mtime=0)[:-8] + b"\0" * 8, 20_001, "corrupt"),
        (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + b"\xff" * 20, 1, "corrupt"),
    ],
)
def test_an_unusable_file_is_refused_at_its_line(tmp_path: Path, data: bytes, line: int | None, reason: str) -> None:
    path = _write(tmp_path, data)

    with pytest.raises(InputError) as caught:
        list(read_lines(path))

    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert reason in caught.value.reason


def test_a_gzip_file_cut_anywhere_gives_its_whole_lines_and_then_the_line_that_is_lacking(tmp_path: Path) -> None:
    packed = gzip.compress(TEXT, mtime=0)
    for size in (len(packed) // 7, len(packed) // 2, len(packed) - 9):
        path = _write(tmp_path, packed[:size])
        read: list[tuple[int, str]] = []
        with pytest.raises(InputError, match="cut off") as caught:
            read.extend(read_lines(path))
        # list.extend keeps what came before the error.
        assert read == list(enumerate(LINES, 1))[: len(read)]
        assert caught.value.line == len(read) + 1


def test_the_longest_line_is_read(tmp_path: Path) -> None:
    path = _write(tmp_path, b"a\n" + b"c" * MAX_LINE + b"\n" + b"d" * MAX_LINE)

    assert [len(line) for _, line in read_lines(path)] == [1, MAX_LINE, MAX_LINE]


def test_an_overlong_line_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = _write(tmp_path, gzip.compress(b"c" * 20 * MAX_LINE, mtime=0))
    tracemalloc.start()
    with pytest.raises(InputError):
        list(read_lines(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 4 * MAX_LINE


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = _write(tmp_path, TEXT * 20)
    tracemalloc.start()
    for _ in read_lines(path):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 3 * MAX_LINE < path.stat().st_size


def test_gzip_is_known_by_its_content_and_may_have_several_members(tmp_path: Path) -> None:
    assert list(read_lines(_write(tmp_path, b"a\n", "named.gz"))) == [(1, "a")]
    members = gzip.compress(b"a\nb", mtime=0) + gzip.compress(b"c\n", mtime=0) + b"\0" * 16
    assert list(read_lines(_write(tmp_path, members, "unnamed"))) == [(1, "a"), (2, "bc")]


def test_a_missing_file_a_directory_and_a_pipe_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, reason in (("missing", "no such file"), ("", "is a directory"), ("pipe", "is not a regular file")):
        with pytest.raises(InputError, match=reason) as caught:
            list(read_lines(tmp_path / name))
        assert caught.value.path == str(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    path = _write(tmp_path, b"a\n")
    path.chmod(0)
    with pytest.raises(InputError, match="no permission"):
        list(read_lines(path))


def test_standard_input_is_read_as_often_as_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (b"a\nb\n", b"other\n"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        expected = list(enumerate(text.decode().split("\n")[:-1], 1))
        assert [list(read_lines(STDIN)) for _ in range(2)] == [expected, expected]
        assert digest_of([STDIN]) == hashlib.sha256(text).hexdigest()


def test_what_a_shell_puts_for_a_command_is_read_as_often_as_wanted(tmp_path: Path) -> None:
    for text in (b"a\nb\n", gzip.compress(b"a\nb\n", mtime=0)):
        reading, writing = os.pipe()
        os.write(writing, text)
        os.close(writing)
        path = Path(f"/dev/fd/{reading}")
        assert [list(read_lines(path)) for _ in range(2)] == [[(1, "a"), (2, "b")]] * 2
        assert digest_of([path]) == hashlib.sha256(text).hexdigest()
        assert [(each.name, each.digest) for each in file_inputs([path])] == [(str(path), "")]
        os.close(reading)


def test_the_digest_is_of_the_stored_bytes_in_order(tmp_path: Path) -> None:
    one, two = _write(tmp_path, gzip.compress(b"a", mtime=0), "one"), _write(tmp_path, b"b", "two")

    assert digest_of([one, two]) == hashlib.sha256(one.read_bytes() + b"b").hexdigest()
    assert digest_of([two, one]) != digest_of([one, two])
    with pytest.raises(InputError, match="no such file"):
        digest_of([tmp_path / "missing"])


@given(st.lists(st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"])), min_size=1))
def test_whatever_text_is_written_line_by_line_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    # A first character U+FEFF is a byte order mark, which is no text.
    lines = ["first", *lines]
    path = tmp_path_factory.mktemp("lines") / "file.txt"
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())

    assert list(read_lines(path)) == list(enumerate(lines, 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["a", "\n", "a\r\nb\rc\n", "日本" * 200_000, "x" * (3 * MAX_LINE), "é\ufeff\n" * 100_000]
)
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_text_without_lines_comes_in_pieces(tmp_path: Path, text: str, bom: str, pack: type[bytes]) -> None:
    pieces = list(read_text(_write(tmp_path, pack((bom + text).encode()))))

    assert "".join(pieces) == text
    assert max(map(len, pieces)) < MAX_LINE


@pytest.mark.parametrize("lines", [0, 2, 100_000])
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"abcdef\0", "NUL byte"),
        (b"a\xe9\n", "invalid UTF-8: byte 0xE9"),
        (b"\xe6\x97", "invalid UTF-8: byte 0xE6"),
    ],
)
def test_bad_bytes_in_text_without_lines(tmp_path: Path, lines: int, data: bytes, reason: str) -> None:
    path = _write(tmp_path, "é\n".encode() * lines + data)

    with pytest.raises(InputError, match=reason) as caught:
        list(read_text(path))

    assert caught.value.line == lines + 1


@pytest.mark.parametrize(("data", "reason"), [(b"", "empty"), (b"\xff\xfea\0", "UTF-16"), (b"BZh91AY&SY", "bzip2")])
def test_files_that_are_no_text(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        list(read_text(_write(tmp_path, data)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from([b"", b"one", b"two\r", b"\xc3\xa9\xc3\xa9", b"b\xe9d", b"NUL\0", b"x" * 45]), min_size=1),
    st.booleans(),
)
def test_bad_lines_stand_among_the_good_ones_wherever_a_piece_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[bytes], ends: bool
) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 40)
    monkeypatch.setattr(reading, "read_piece", lambda stream, path, line, size=16: stream.read(min(size, 16)))
    path = tmp_path / "lines.txt"
    path.write_bytes(b"first\n" + b"\n".join(lines) + (b"\n" if ends else b""))
    written = [b"first", *lines] if ends or lines[-1] else [b"first", *lines[:-1]]
    expected: list[tuple[int, str | None]] = []
    for number, line in enumerate(written, 1):
        is_bad = b"\xe9" in line.replace(b"\xc3\xa9", b"") or b"\0" in line or len(line) > 40
        is_ended = ends or number <= len(lines)  # a line feed stands behind all but the last, which may be empty
        text = None if is_bad else (line.removesuffix(b"\r") if is_ended else line).decode()
        expected.append((number, text))
    found = [(number, None if isinstance(line, InputError) else line) for number, line in read_lines_and_faults(path)]
    assert found == expected
    first_bad = next((number for number, text in expected if text is None), None)
    if first_bad is None:
        assert list(read_lines(path)) == expected
    else:
        with pytest.raises(InputError) as caught:
            list(read_lines(path))
        assert caught.value.line == first_bad


BOMB = gzip.compress(b"one\tun\n" * 3_000_000)
"""Of short lines: 21 MB in 50 KB."""


@pytest.fixture
def bomb(tmp_path: Path) -> Path:
    path = tmp_path / "bomb.tsv.gz"
    path.write_bytes(BOMB)
    return path


@pytest.mark.slow
def test_a_packed_file_is_read_as_long_as_it_unpacks_in_proportion(bomb: Path) -> None:
    with pytest.raises(InputError, match="more than 100 times its size; CORPUSDB_MAX_RATIO raises that") as told:
        for _ in read_lines(bomb):
            pass
    assert told.value.path == str(bomb)
    with pytest.raises(InputError, match="100 times"):
        for _ in read_text(bomb):
            pass


@pytest.mark.slow
def test_the_proportion_can_be_raised(bomb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RATIO_VARIABLE, "1000")
    assert sum(1 for _ in read_lines(bomb)) == 3_000_000


@pytest.mark.parametrize("told", ["0", *(pytest.param(told, marks=pytest.mark.slow) for told in ("", "many", "-3"))])
def test_a_setting_that_is_no_number_is_none(told: str, bomb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RATIO_VARIABLE, told)
    with pytest.raises(InputError, match="100 times"):
        for _ in read_lines(bomb):
            pass


@pytest.mark.slow
def test_a_small_file_may_unpack_to_anything_that_is_small(tmp_path: Path) -> None:
    path = tmp_path / "small.gz"
    path.write_bytes(gzip.compress(b"one\tun\n" * 1_000_000))
    assert sum(1 for _ in read_lines(path)) == 1_000_000


def test_standard_input_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpusdb.corpus.formats.reading._most_bytes", lambda: 1000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\n" * 251)))
    with pytest.raises(InputError, match=f"holds more than 8 GiB; {BYTES_VARIABLE} raises that"):
        list(read_lines(STDIN))


def test_standard_input_is_read_as_often_as_wanted_and_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"one\ntwo\n"))))
    first = read_lines(STDIN)
    assert next(first) == (1, "one")
    assert list(read_lines(STDIN)) == [(1, "one"), (2, "two")]
    assert list(first) == [(2, "two")]


# What files hold, told without reading them: beside what comes out of them.


UNPACKED_SIZE_TEXT = "".join(f"Sentence {number} is about {number * number}.\n" for number in range(3_000)).encode()


@given(texts=st.lists(st.binary(min_size=3, max_size=300).filter(lambda text: text[:2] != b"\x1f\x8b"), max_size=4))
def test_plain_files_hold_what_they_are(texts: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("plain")
    for number, text in enumerate(texts):
        (folder / str(number)).write_bytes(text)
    assert unpacked_size(folder / str(number) for number in range(len(texts))) == sum(map(len, texts))


def test_a_packed_file_tells_its_size(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(UNPACKED_SIZE_TEXT))
    with unpacked(path) as stream:
        assert unpacked_size([path]) == len(stream.read()) == len(UNPACKED_SIZE_TEXT)
    (tmp_path / "b.tsv").write_bytes(UNPACKED_SIZE_TEXT)
    assert unpacked_size([path, tmp_path / "b.tsv"]) == 2 * len(UNPACKED_SIZE_TEXT)


def test_a_packed_file_whose_last_member_is_not_all_is_guessed(tmp_path: Path) -> None:
    """As bgzip writes them, with an empty member at the end."""
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(UNPACKED_SIZE_TEXT) + gzip.compress(b""))
    told = unpacked_size([path])
    assert told is not None
    assert told != 0
    assert len(UNPACKED_SIZE_TEXT) / 4 < told < 4 * len(UNPACKED_SIZE_TEXT)


def test_a_size_that_no_such_file_can_have_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    packed = gzip.compress(UNPACKED_SIZE_TEXT)
    path.write_bytes(packed[:-4] + b"\xff\xff\xff\xff")
    assert unpacked_size([path]) == round(3.5 * len(packed))


def test_what_cannot_be_known(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"a\tb\n")
    assert unpacked_size([tmp_path / "there", STDIN]) is None
    assert unpacked_size([tmp_path / "there", tmp_path / "missing"]) is None
    assert unpacked_size([tmp_path]) is None, "a folder"
    os.mkfifo(tmp_path / "pipe")
    assert unpacked_size([tmp_path / "pipe"]) is None, "nobody writes to it, and it would be waited for"
    assert unpacked_size([]) == 0

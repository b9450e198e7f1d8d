"""Which mount a path lies on."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpusdb.corpus.store.opening import is_network_file_system

TABLE = """\
/dev/sda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
server:/home /home nfs4 rw,vers=4.2 0 0
/dev/sdb1 /home/local ext4 rw 0 0
//server/share /mnt/share cifs rw 0 0
//server/two /mnt/two\\040words\\011and\\134more cifs rw 0 0
//server/hash /mnt/corpus\\0431 cifs rw 0 0
//server/ja /mnt/共有\u3000二 cifs rw 0 0
user@host: /mnt/ssh fuse.sshfs rw 0 0
portal /mnt/portal fuse.portal rw 0 0
server:/over /over nfs rw 0 0
/dev/sdc1 /over ext4 rw 0 0
/dev/sdd1 /under ext4 rw 0 0
server:/under /under nfs rw 0 0
short
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/corpus.db", False),
        ("/home", True),
        ("/home/ann/corpus.db", True),
        ("/home/local/corpus.db", False),  # a local disk inside a network one
        ("/home/locally/corpus.db", True),  # not inside /home/local
        ("/homely/corpus.db", False),
        ("/mnt/share/corpus.db", True),
        ("/mnt/two words\tand\\more/corpus.db", True),
        ("/mnt/two", False),
        ("/mnt/corpus#1/corpus.db", True),
        ("/mnt/共有\u3000二/corpus.db", True),
        ("/mnt/ssh/corpus.db", True),
        ("/mnt/portal/corpus.db", False),
        ("/over/corpus.db", False),  # what is mounted later hides what was there
        ("/under/corpus.db", True),
    ],
)
def test_the_innermost_mount_decides(path: str, expected: bool, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(TABLE, encoding="utf-8")
    assert is_network_file_system(Path(path), mounts) is expected


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "lustre", "gpfs", "ceph", "fuse.sshfs", "afs"])
def test_network_file_systems(kind: str, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"somewhere / {kind} rw 0 0\n", encoding="utf-8")
    assert is_network_file_system(Path("/corpus.db"), mounts)


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "apfs", "fuse.ntfs"])
def test_local_file_systems(kind: str, tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"somewhere / {kind} rw 0 0\n", encoding="utf-8")
    assert not is_network_file_system(Path("/corpus.db"), mounts)


def test_links_are_followed(tmp_path: Path) -> None:
    real, link, mounts = tmp_path / "real", tmp_path / "link", tmp_path / "mounts"
    real.mkdir()
    link.symlink_to(real)
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nserver:/x {real.resolve()} nfs rw 0 0\n", encoding="utf-8")
    assert is_network_file_system(link / "corpus.db", mounts)


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_bytes(b"/dev/sda1 / ext4 rw 0 0\nserver:/x /mnt/caf\xe9 nfs rw 0 0\n")
    assert is_network_file_system(Path("/mnt/caf\udce9/corpus.db"), mounts)


def test_a_system_without_a_table_of_mounts(tmp_path: Path) -> None:
    assert not is_network_file_system(tmp_path, tmp_path / "none")

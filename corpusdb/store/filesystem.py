"""What kind of file system a database lies on: on a network one SQLite's write-ahead log corrupts files."""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["is_network_file_system"]

_NETWORK = frozenset(
    "nfs nfs3 nfs4 cifs smb smb2 smb3 smbfs afs afpfs ncpfs coda 9p lustre gpfs beegfs ceph glusterfs pvfs2 orangefs "
    "davfs fuse.sshfs fuse.glusterfs fuse.ceph fuse.s3fs fuse.rclone fuse.gcsfuse fuse.davfs2 fuse.juicefs "
    "webdav acfs panfs".split()
)
_ESCAPED = re.compile(r"\\([0-7]{3})")  # blanks, line breaks, # and the backslash itself


def is_network_file_system(path: Path, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Whether ``path`` lies on a file system that other machines may write to. False where the system does not tell."""
    target = os.path.realpath(path)
    best, kind = "", ""
    try:
        table = mounts.read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except OSError:
        return False
    for line in table:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[1])
        inside = target == point or target.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # the last of equal mounts hides the ones before it
            best, kind = point, fields[2]
    return kind in _NETWORK

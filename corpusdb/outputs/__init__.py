"""The one way in which the program writes files: each whole or not at all, and never over a database.

A file grows in the folder in which it is to stand, under a name that nobody can guess, ``.corpusdb-``, 32 hexadecimal
digits and ``.unfinished``, and gets its own name when it is complete and on the disk. What fails or is interrupted
leaves nothing, and what stood there before stays. Only kill -9 or a power failure leaves such a file: it is no data,
no format reads it (``is_unfinished``), and it may be removed when nobody is writing there. One that ends in ``.before``
is what stood under a name that was being replaced together with others.

Names are followed as far as they are safe. A symbolic link stays, and what it points to is replaced, where the link was
made by the user or by root; one that leads nowhere, or was made by somebody else, is refused. Pipes and devices, and
stdout and stderr by their names, are written to directly: they hold nothing that could be lost.

A file that begins as those of SQLite do, what belongs to one (``-wal``, ``-shm``, ``-journal``) and the database of the
call are never written over, by whatever name, and other files only when asked for. What another program puts under the
name meanwhile is kept too; where files may be replaced, all but what it puts there between the last look and the
renaming that follows at once.
"""

from corpusdb.outputs.guard import NEW_ONLY, Guard, check_output
from corpusdb.outputs.writing import Content, Outputs, append, folder_for, is_unfinished, write_files

__all__ = [
    "NEW_ONLY",
    "Content",
    "Guard",
    "Outputs",
    "append",
    "check_output",
    "folder_for",
    "is_unfinished",
    "write_files",
]

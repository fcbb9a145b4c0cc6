"""Which record of a game is the latest: the file, or the folder of one that was interrupted."""

import shutil
from pathlib import Path

from teeter.engine.record.format import META, RecordError
from teeter.engine.record.part import SUFFIX, FolderLock, folder_of
from teeter.engine.record.reader import load


def latest(path: Path) -> Path:
    """Returns the record to go on with: the file, or the folder of a game that was interrupted, whichever is further.

    A folder that was left while a file was played up to its end, and holds nothing else, is removed; while somebody
    still plays up to there, it is the file.
    """
    folder = folder_of(path)
    target = folder.with_name(folder.name.removesuffix(SUFFIX))
    if folder.is_dir() and target.exists() and not _continues(folder, target):
        try:
            lock = FolderLock(folder)
        except RecordError:
            return target
        shutil.rmtree(folder)
        lock.release()
    return folder if folder.is_dir() else target


def _continues(folder: Path, file: Path) -> bool:
    """Whether a folder goes on where a file ends; else it was left while the file was played up to there, and holds
    nothing that the file does not, or nothing yet. Raises RecordError when they are two games."""
    if not (folder / META).exists():
        return False
    longer, shorter = load(folder).hashes, load(file).hashes
    if longer[: len(shorter)] == shorter and len(longer) > len(shorter):
        return True
    if shorter[: len(longer)] == longer:
        return False
    problem = f"is another game than the one in {file.name}: move one of them away, and name the other"
    raise RecordError(folder, problem)

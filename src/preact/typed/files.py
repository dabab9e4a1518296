"""Text files of a sensible size."""

from pathlib import Path

LARGEST_FILE = 64 * 2**20  # bytes; a record of 1001 layers has 0.1 MB
"""The largest file that is read, in bytes."""


def read_text(path: Path) -> str:
    """Read the text file at `path`, of a sensible size, with or without BOM.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If it is no regular file, larger than `LARGEST_FILE`, or not UTF-8.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from preact.typed import read_text
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "mine.toml"
    ...     _ = path.write_text("depth = 110", "utf-8-sig")  # with a BOM
    ...     read_text(path)
    'depth = 110'
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist")
    if not path.is_file():
        raise ValueError(f"{path} must be a regular file")
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise ValueError(
            f"{path} must have at most {LARGEST_FILE:,} bytes; got {size:,}"
        )
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be UTF-8: {error}") from error

"""A large file from the network: resumed, with limits, in plain sentences.

By hand, because the libraries that download data sets (pooch, for one) begin
again from nothing where a connection breaks.
"""

import urllib.request
from collections.abc import Callable
from http.client import HTTPException, InvalidURL
from pathlib import Path
from urllib.error import HTTPError, URLError

from preact.typed import plain

Progress = Callable[[int, int], None]  # bytes so far, bytes in all
WAIT_S = 60.0  # for each answer of the server
BLOCK = 1 << 20


def fetch(
    url: str, part: Path, size: int, progress: Progress | None = None
) -> None:
    """Download a file of `size` bytes to `part`, from where it broke off.

    Refuse what is no address; a ConnectionError if the server cannot be
    reached, refuses, or breaks off: what has arrived is kept.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(
            f"url must begin with http:// or https://; got {url!r}"
        )
    have = part.stat().st_size if part.exists() else 0
    if have >= size:
        return
    try:
        request = urllib.request.Request(url)
        if have:
            request.add_header("Range", f"bytes={have}-")
        with urllib.request.urlopen(request, timeout=WAIT_S) as reply:
            # A server that ignores the range sends everything again.
            resumes = bool(have) and reply.status == 206
            have = have if resumes else 0
            end = size if reply.length is None else have + reply.length
            with part.open("ab" if resumes else "wb") as out:
                # More than the size would be another file.
                while have <= size and (block := reply.read(BLOCK)):
                    out.write(block)
                    have += len(block)
                    if progress:
                        progress(have, size)
        if have < min(end, size):  # no error to the library
            raise ConnectionError(f"it broke off after {have:,} of {end:,}")
    except (InvalidURL, ValueError) as error:
        raise ValueError(
            f"url must be an address like https://host/file; got {url!r} "
            f"({error})"
        ) from error
    except (HTTPException, URLError, ConnectionError, TimeoutError) as error:
        if isinstance(error, HTTPError):
            error.close()
        raise ConnectionError(
            f"{url}: {_reason(error)}; what has arrived is kept: run the "
            "command again, or give another address with --url"
        ) from error


def _reason(error: Exception) -> str:
    """What a network library's error says, in a few words."""
    if isinstance(error, HTTPError):
        return f"it answers {error.code} {error.reason}"
    reason = error.reason if isinstance(error, URLError) else error
    if isinstance(reason, TimeoutError):
        return f"it is silent for {WAIT_S:g} s"
    if isinstance(reason, OSError) and reason.strerror:
        return f"it cannot be reached ({reason.strerror})"
    return plain(reason) if isinstance(reason, Exception) else str(reason)

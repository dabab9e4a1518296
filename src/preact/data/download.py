"""A large file from the network: resumed, with limits, in plain sentences.

By hand, because the libraries that download data sets (pooch, for one) begin
again from nothing where a connection breaks.
"""

import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, InvalidURL
from pathlib import Path
from urllib.error import HTTPError, URLError

Progress = Callable[[int, int], None]  # bytes so far, bytes in all
WAIT_S = 60.0  # for each answer of the server
BLOCK = 1 << 20


def fetch(
    url: str, part: Path, size: int, progress: Progress | None = None
) -> None:
    """Download to `part`, from where it broke off.

    Parameters
    ----------
    url : str
        Address, http or https.
    part : Path
        Where the file grows; what is there is not asked for again.
    size : int
        Bytes that the file must have in the end.
    progress : callable, optional
        Called with bytes so far and bytes in all.

    Raises
    ------
    ValueError
        If the address is none, or `part` is no regular file.
    ConnectionError
        If the server cannot be reached, refuses, or breaks off; what has
        arrived is kept, unless the server cannot go on from there.
    """
    if not url.startswith(("http://", "https://")):
        raise ValueError(
            f"url must begin with http:// or https://; got {url!r}"
        )
    if part.is_symlink() or (part.exists() and not part.is_file()):
        raise ValueError(f"{part} must be a regular file; delete it")
    have = part.stat().st_size if part.exists() else 0
    if have >= size:
        return
    with _explained(url, part):
        request = urllib.request.Request(url)
        if have:
            request.add_header("Range", f"bytes={have}-")
        reply = urllib.request.urlopen(request, timeout=WAIT_S)
    with reply:
        # A server that ignores the range sends everything again.
        resumes = bool(have) and reply.status == 206
        have = have if resumes else 0
        # Closed too early is not an error to the library: count.
        end = size if reply.length is None else have + reply.length
        try:
            with part.open("ab" if resumes else "wb") as out:
                while have <= size:  # more would be another file
                    with _explained(url, part):
                        block = reply.read(BLOCK)
                    if not block:
                        break
                    out.write(block)
                    have += len(block)
                    if progress:
                        progress(have, size)
        except OSError as error:
            if error.strerror and not error.filename:
                error.filename = str(part)  # a full disk does not say whose
            raise
    if have < min(end, size):
        raise ConnectionError(
            f"{url} broke off after {have:,} of {end:,} bytes; they are "
            "kept, run the command again to go on"
        )


@contextmanager
def _explained(url: str, part: Path) -> Iterator[None]:
    """Turn what the network library raises into one sentence."""
    again = "what has arrived is kept, run the command again to go on"
    try:
        yield
    except HTTPError as error:
        error.close()
        if error.code == 416:
            part.unlink(missing_ok=True)
            raise ConnectionError(
                f"{url} has nothing beyond what has arrived before; that is "
                "deleted, run the command again to begin anew"
            ) from error
        raise ConnectionError(
            f"{url} answers {error.code} {error.reason}; try later, or give "
            "another address with --url"
        ) from error
    except (InvalidURL, ValueError) as error:
        raise ValueError(
            f"url must be an address like https://host/file; got {url!r} "
            f"({error})"
        ) from error
    except TimeoutError as error:
        raise ConnectionError(
            f"{url} is silent for {WAIT_S:g} s; {again}"
        ) from error
    except URLError as error:
        if isinstance(error.reason, TimeoutError):
            raise ConnectionError(
                f"{url} is silent for {WAIT_S:g} s; {again}"
            ) from error
        why = getattr(error.reason, "strerror", None) or error.reason
        raise ConnectionError(
            f"{url} cannot be reached ({why}); check the network, or give "
            "another address with --url"
        ) from error
    except (HTTPException, ConnectionError) as error:
        why = getattr(error, "strerror", None)
        why = why or f"{type(error).__name__}: {error}"
        raise ConnectionError(f"{url} broke off ({why}); {again}") from error

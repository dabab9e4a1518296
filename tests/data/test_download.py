"""Downloads from a server on this machine that breaks off, lies or works."""

import functools
import hashlib
import io
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from preact.data import download_cifar
from preact.data.cifar import CIFAR

FILES = {"train.bin": b"train" * 1000, "test.bin": b"test" * 500}


def archive(files, extra=()):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in [*files.items(), *extra]:
            info = tarfile.TarInfo(
                name if "/" in name else f"cifar-100-binary/{name}"
            )
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


class Server:
    """Serves `data`, with ranges; breaks the next reply off at `stop`."""

    def __init__(self, data):
        self.data, self.stop, self.ranges, self.honors = data, None, [], True

    def handle(self, request):
        start = 0
        wanted = request.headers.get("Range")
        self.ranges.append(wanted)
        if wanted and self.honors:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
        body = self.data[start:]
        request.send_response(206 if start else 200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        stop, self.stop = self.stop, None
        request.wfile.write(body[:stop])


@pytest.fixture
def serve(monkeypatch):
    servers = []

    def start(data, **facts):
        state = Server(data)
        handler = type(
            "Handler",
            (BaseHTTPRequestHandler,),
            {
                "do_GET": lambda self: state.handle(self),
                "log_message": lambda *_: None,
            },
        )
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        small = CIFAR["cifar100"] | {
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "files": {
                name: hashlib.sha256(content).hexdigest()
                for name, content in FILES.items()
            },
        }
        monkeypatch.setitem(CIFAR, "cifar100", small | facts)
        state.get = functools.partial(
            download_cifar,
            "cifar100",
            url=f"http://127.0.0.1:{server.server_port}/x",
        )
        return state

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def names(folder):
    return sorted(p.name for p in folder.rglob("*"))


def test_a_download_is_verified_and_unpacked(serve, tmp_path):
    server, seen = serve(archive(FILES)), []
    folder = server.get(tmp_path, progress=lambda a, b: seen.append((a, b)))
    for name, content in FILES.items():
        assert (folder / name).read_bytes() == content
    assert names(tmp_path) == ["cifar-100-binary", "test.bin", "train.bin"]
    assert seen[-1] == (len(server.data), len(server.data))
    server.get(tmp_path)
    assert len(server.ranges) == 1  # what is there is not fetched again


@pytest.mark.parametrize("honors", [True, False])
def test_a_broken_download_is_resumed(serve, tmp_path, honors):
    server = serve(archive(FILES))
    server.stop, server.honors = 100, honors
    with pytest.raises((OSError, ValueError)):
        server.get(tmp_path)
    assert not (tmp_path / "cifar-100-binary").exists()
    part = tmp_path / "cifar100.tar.gz.part"
    kept = part.stat().st_size if part.exists() else 0
    server.get(tmp_path)
    assert server.ranges[-1] == (f"bytes={kept}-" if kept else None)
    assert names(tmp_path) == ["cifar-100-binary", "test.bin", "train.bin"]


def test_a_corrupted_archive_is_deleted_and_nothing_is_left(serve, tmp_path):
    server = serve(archive(FILES), sha256="0" * 64)
    with pytest.raises(ValueError, match="SHA-256 must be 0000"):
        server.get(tmp_path)
    assert names(tmp_path) == []


def test_a_wrong_file_in_the_archive_leaves_no_data_set(serve, tmp_path):
    server = serve(archive(FILES | {"test.bin": b"other"}))
    with pytest.raises(ValueError, match=r"test\.bin must have SHA-256"):
        server.get(tmp_path)
    assert not (tmp_path / "cifar-100-binary").exists()


def test_only_expected_files_leave_the_archive(serve, tmp_path):
    evil = [("../evil.bin", b"x"), ("cifar-100-binary/more.bin", b"y")]
    server = serve(archive(FILES, evil))
    server.get(tmp_path / "data")
    assert names(tmp_path) == [
        "cifar-100-binary",
        "data",
        "test.bin",
        "train.bin",
    ]

"""Downloads from a server on this machine that breaks off, lies or works."""

import hashlib
import io
import socket
import tarfile
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from preact.data import download
from preact.data.cifar import CIFAR, download_cifar

FILES = {"train.bin": b"train" * 1000, "test.bin": b"test" * 500}


def archive(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(f"cifar-100-binary/{name}")
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
            "files": dict.fromkeys(FILES, "0" * 64),
        }
        monkeypatch.setitem(CIFAR, "cifar100", small | facts)
        state.get = partial(
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
    (tmp_path / "cifar-100-binary").mkdir()  # an empty folder is filled
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
    with pytest.raises(
        ConnectionError, match=rf"off after 100 of {len(server.data)}; what"
    ):
        server.get(tmp_path)
    assert names(tmp_path) == ["cifar100.tar.gz.part"]
    server.get(tmp_path)
    assert server.ranges[-1] == "bytes=100-"
    assert names(tmp_path) == ["cifar-100-binary", "test.bin", "train.bin"]


def answer_once(reply, wait=None):
    """Serve one connection some bytes; return the address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        with listener, listener.accept()[0] as connection:
            connection.recv(4096)
            connection.sendall(reply)
            if wait:
                wait.wait(60)

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}/x"


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (b"HTTP/1.0 404 Not Found\r\n\r\n", "answers 404 Not Found"),
        (b"HTTP/1.0 302 Found\r\nLocation: file:///a\r\n\r\n", "answers 302"),
        (b"HELLO I AM NOT HTTP\r\n\r\n", "HELLO"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nabc", "off after 3 of"),
    ],
)
def test_a_bad_answer_is_a_sentence_with_its_address(reply, said, tmp_path):
    url = answer_once(reply)
    with pytest.raises(ConnectionError, match=f"{url}: .*{said}.* --url"):
        download_cifar("cifar100", tmp_path, url=url)


def test_a_silent_server_is_not_waited_for_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(download, "WAIT_S", 0.2)
    over = threading.Event()
    url = answer_once(b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\n", over)
    try:
        with pytest.raises(ConnectionError, match=r"is silent for 0\.2 s; wh"):
            download_cifar("cifar100", tmp_path, url=url)
    finally:
        over.set()


def test_what_is_no_address_is_refused_and_nobody_there_is_told(tmp_path):
    for url in (
        "file:///etc/passwd",
        "http://127.0.0.1/a b",
    ):
        with pytest.raises(ValueError, match="url must be"):
            download_cifar("cifar100", tmp_path, url=url)
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}/x"
    with pytest.raises(ConnectionError, match=f"{url}: it cannot be reached"):
        download_cifar("cifar100", tmp_path, url=url)
    assert names(tmp_path) == []


def test_another_archive_is_deleted_and_no_more_of_it_read_than_due(
    serve, tmp_path, monkeypatch
):
    monkeypatch.setattr(download, "BLOCK", 1000)
    server = serve(archive(FILES) + bytes(10**6), bytes=1000)
    seen = []
    with pytest.raises(ValueError, match=r"http.* SHA-256 must be .* --url"):
        server.get(tmp_path, progress=lambda a, b: seen.append(a))
    assert seen[-1] <= 2000
    assert names(tmp_path) == []


def test_a_folder_that_lacks_files_says_what_to_do(serve, tmp_path):
    target = tmp_path / "cifar-100-binary"
    target.mkdir()
    (target / "train.bin").touch()
    with pytest.raises(ValueError, match=r"lacks test\.bin; delete the fold"):
        serve(archive(FILES)).get(tmp_path)

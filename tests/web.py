"""A web server in a thread that answers what a test says, over http or https."""

import datetime as dt
import ipaddress
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Answer:
    status: int
    media: str
    body: bytes


Answering = Callable[[str, str, bytes], Answer]
"""From method, path and body to what is answered."""


@contextmanager
def web_server(answer: Answering, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve while the block runs; give the base URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            said = answer(self.command, self.path, self.rfile.read(self._length()))
            self.send_response(said.status)
            self.send_header("Content-Type", said.media)
            self.send_header("Content-Length", str(len(said.body)))
            self.end_headers()
            self.wfile.write(said.body)

        do_POST = do_GET  # noqa: N815 - the name that http.server calls

        def _length(self) -> int:
            return int(self.headers.get("Content-Length", 0))

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass  # clients that break off are what these tests are about

    server = Server(("127.0.0.1", 0), Handler)
    scheme = "http"
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"{scheme}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def openai(
    *,
    models: Sequence[str] = ("m",),
    usage: bool = True,
    stream_usage: bool = True,
    refuse: bytes = b"",
) -> Answering:
    """Return a chat server's answers: four tokens to any prompt, whose every word is a token.

    `usage` and `stream_usage` say whether whole and streamed answers carry it; `refuse` is the
    error body that every streamed request gets.
    """

    def answer(method: str, path: str, body: bytes) -> Answer:
        if (method, path) == ("GET", "/v1/models"):
            listed = {"data": [{"id": name} for name in models]}
            return Answer(200, "application/json", json.dumps(listed).encode())
        if (method, path) != ("POST", "/v1/chat/completions"):
            return Answer(404, "application/json", b"{}")
        asked = json.loads(body)
        words = sum(len(message["content"].split()) for message in asked["messages"])
        counts = {"prompt_tokens": words, "completion_tokens": 4, "total_tokens": words + 4}
        if not asked.get("stream"):
            whole = {"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}
            whole |= {"usage": counts} if usage else {}
            return Answer(200, "application/json", json.dumps(whole).encode())
        if refuse:
            return Answer(400, "application/json", refuse)
        chunks = [{"choices": [{"delta": {"content": "x "}}]} for _ in range(4)]
        chunks.append({"choices": [{"delta": {}, "finish_reason": "length"}]})
        if stream_usage:
            chunks.append({"choices": [], "usage": counts})
        events = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
        return Answer(200, "text/event-stream", f"{events}data: [DONE]\n\n".encode())

    return answer


def self_signed(folder: Path) -> ssl.SSLContext:
    """Return a TLS context whose certificate for 127.0.0.1 nobody vouches for.

    Certificate and key are kept in `folder` as `cert.pem` and `key.pem`.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context

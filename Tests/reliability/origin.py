"""A loopback origin for the tests beside this file: pictures that change, and answers that fail on request."""
import collections
import email.utils
import http.server
import random
import socket
import struct
import threading
import time
import zlib


def png(seed, width=64, height=48, noise=True):
    """A PNG of random pixels, or of random stripes; different for each seed."""
    chance = random.Random(seed)
    if noise:
        rows = b"".join(b"\0" + chance.randbytes(width * 3) for _ in range(height))
    else:
        rows = b"".join(b"\0" + chance.randbytes(3) * width for _ in range(height))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def damaged(body):
    """The image with its last third overwritten: whole by its length, not by its pixels."""
    return body[: len(body) * 2 // 3] + bytes(len(body) - len(body) * 2 // 3)


class Resource:
    """What a path serves. `policy` is how caches may use it.

    strict: etag (revalidated by entity tag), date (by date), none (never stored). loose: fresh (an hour), heuristic."""

    def __init__(self, body, policy):
        self.policy = policy
        self.version = 0
        self.bodies = []
        self.change(body)

    def change(self, body):
        self.body = body
        self.version += 1
        self.bodies.append(body)

    @property
    def is_strict(self):
        return self.policy in ("etag", "date", "none")

    def headers(self):
        tag = f'"{self.version}"'
        # Dates differ by more than the second that they can tell apart, and are long past.
        date = email.utils.formatdate(1_000_000_000 + 1000 * self.version, usegmt=True)
        match self.policy:
            case "etag": return {"Cache-Control": "no-cache", "ETag": tag}
            case "date": return {"Cache-Control": "no-cache", "Last-Modified": date}
            case "none": return {"Cache-Control": "no-store"}
            case "fresh": return {"Cache-Control": "max-age=3600", "ETag": tag}
            case _: return {"Last-Modified": date}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        origin = self.server.origin
        with origin.lock:
            origin.requests[self.path] += 1
            faults = origin.faults.get(self.path)
            fault = faults.pop(0) if faults else None
            if faults is not None and not faults and fault and origin.lasting.get(self.path):
                faults.append(fault)
            resource = origin.resources.get(self.path)
        try:
            self.answer(resource, fault)
        except OSError:
            self.close_connection = True  # The client was killed, or had enough.

    def answer(self, resource, fault):
        if resource is None:
            return self.send(404, {}, b"")
        body = resource.body
        match fault:
            case None: pass
            case "500" | "503" | "404" | "410": return self.send(int(fault), {"Cache-Control": "no-store"}, b"no")
            case "type": return self.send(200, {"Cache-Control": "no-store", "Content-Type": "text/html"}, b"<p>no</p>")
            case "damaged": return self.send(200, {"Cache-Control": "no-store", "Content-Type": "image/png"}, damaged(body))
            case "reset" | "closed":
                self.close_connection = True
                if fault == "reset":
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Ty")
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            case "truncated":
                self.close_connection = True
                self.send(200, resource.headers(), body, size=len(body) // 2)
                return
            case "stall":
                self.send(200, resource.headers(), body, size=len(body) // 2)
                self.wfile.flush()
                time.sleep(self.server.origin.stall)
                self.wfile.write(body[len(body) // 2 :])
                return
        headers = resource.headers()
        conditions = [(self.headers.get("If-None-Match"), headers.get("ETag"))]
        if conditions[0][0] is None:
            conditions = [(self.headers.get("If-Modified-Since"), headers.get("Last-Modified"))]
        if any(asked is not None and asked == own for asked, own in conditions):
            return self.send(304, headers, b"")
        self.send(200, headers, body)

    def send(self, status, headers, body, size=None):
        self.send_response(status)
        if "Content-Type" not in headers:
            self.send_header("Content-Type", "image/png")
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 304:
            self.wfile.write(body if size is None else body[:size])

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 512

    def handle_error(self, request, client_address):
        pass  # Connections that the client, or a fault, has closed.


class Origin:
    """Serves `resources` by path. `faults` has a list of the next answers of a path; the last is repeated if `lasting`."""

    def __init__(self, stall=0.2):
        self.stall = stall
        self.lock = threading.Lock()
        self.resources = {}
        self.faults = {}
        self.lasting = {}
        self.requests = collections.Counter()
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.origin = self
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_address[1]}"

    def clear_faults(self):
        with self.lock:
            self.faults = {}
            self.lasting = {}

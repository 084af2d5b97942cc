"""A proxy that spoils requests, and runs through it: `Tests/s3/check` uses them."""
import collections
import hashlib
import json
import os
import random
import signal
import socket
import struct
import subprocess
import threading
import time

FAULTS = ["500", "SlowDown", "reset", "cut", "stall", "ExpiredToken"]
ERRORS = {
    "500": (500, "InternalError"), "SlowDown": (503, "SlowDown"), "ExpiredToken": (400, "ExpiredToken"),
}
# Longer than `--stall-timeout` of the runs.
STALL_SECONDS = 3


class Proxy:
    """Passes requests on to a server of object storage, and spoils a part of them. It counts what it sees.

    The `Host` field stays as it is, since it is signed.
    """

    def __init__(self, endpoint, seed=0):
        self.upstream = ("127.0.0.1", int(endpoint.rsplit(":", 1)[1]))
        self.rate = 0.0
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.spoiled = collections.Counter()
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(256)
        self.endpoint = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def begin(self, rate):
        """Forgets the counts, and spoils so many requests of one."""
        with self.lock:
            self.rate = rate
            self.counts.clear()
            self.spoiled.clear()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def choose(self, method, target):
        with self.lock:
            kind = next(
                (kind for kind, text in [("list", "list-type=2"), ("part", "partNumber="), ("uploads", "uploads=")]
                 if text in target), method)
            self.counts[kind] += 1
            if self.random.random() >= self.rate:
                return None
            fault = self.random.choice(FAULTS)
            self.spoiled[fault] += 1
            return fault

    def serve(self, client):
        server = None
        try:
            reader = client.makefile("rb")
            while head := read_head(reader):
                method, target, _ = head[0].decode("latin-1").split(" ", 2)
                length = length_of(head)
                fault = self.choose(method, target)
                if fault in ERRORS:
                    reader.read(length)
                    status, code = ERRORS[fault]
                    body = b"" if method == "HEAD" else f"<Error><Code>{code}</Code></Error>".encode()
                    client.sendall(
                        f"HTTP/1.1 {status} Error\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n\r\n"
                        .encode() + body)
                    continue
                if fault == "reset":
                    # In the middle of the body, if there is one.
                    reader.read(length // 2)
                    return abort(client)
                if fault == "stall":
                    time.sleep(STALL_SECONDS)
                    return
                if server is None:
                    server = socket.create_connection(self.upstream)
                    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    answers = server.makefile("rb")
                server.sendall(b"".join(head))
                copy(reader, server, length)
                answer = read_head(answers)
                if not answer:
                    return
                # An interim answer comes before the real one.
                while answer[0].split(b" ")[1] == b"100":
                    answer = read_head(answers)
                status = answer[0].split(b" ")[1].decode()
                size = 0 if method == "HEAD" or status in ("204", "304") else length_of(answer)
                if fault == "cut":
                    # The server has done it, and nobody learns that.
                    if size:
                        client.sendall(b"".join(answer) + answers.read(size)[:size // 2])
                    return abort(client)
                with self.lock:
                    if method == "GET" and status in ("200", "206") and "?" not in target:
                        self.counts["bodies"] += 1
                client.sendall(b"".join(answer))
                if size is None:
                    copy_chunks(answers, client)
                else:
                    copy(answers, client, size)
                if closes(answer):
                    return
        except OSError:
            pass  # Either side has gone: so does the other.
        finally:
            client.close()
            if server is not None:
                server.close()


def read_head(reader):
    lines = []
    while line := reader.readline():
        lines.append(line)
        if line in (b"\r\n", b"\n"):
            return lines
    return []


def field(head, name):
    for line in head[1:]:
        key, _, value = line.partition(b":")
        if key.strip().lower() == name:
            return value.strip().lower()
    return b""


def length_of(head):
    """The body's length; None if it comes in chunks."""
    if field(head, b"transfer-encoding") == b"chunked":
        return None
    return int(field(head, b"content-length") or 0)


def closes(head):
    return field(head, b"connection") == b"close"


def copy(source, target, length):
    while length:
        piece = source.read(min(length, 1 << 18))
        if not piece:
            raise OSError("the body is short")
        target.sendall(piece)
        length -= len(piece)


def copy_chunks(source, target):
    while True:
        line = source.readline()
        target.sendall(line)
        size = int(line.split(b";")[0], 16)
        copy(source, target, size + 2)
        if size == 0:
            return


def abort(connection):
    """Closes with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Runs:
    """Runs of the command against a bucket, with a directory of their own."""

    def __init__(self, name, binary, client, bucket, endpoint, keys, directory, check):
        self.name, self.client, self.bucket, self.check = name, client, bucket, check
        self.binary, self.directory = binary, directory
        self.proxy = Proxy(endpoint)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(directory), "IMAGEMILL_CACHE_DIR": str(directory / "faults-cache"),
            "IMAGEMILL_ALLOW_NET": "loopback", "AWS_ACCESS_KEY_ID": keys[0], "AWS_SECRET_ACCESS_KEY": keys[1],
            "AWS_ENDPOINT_URL_S3": self.proxy.endpoint, "AWS_REGION": "us-east-1"}

    def list(self, prefix):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=prefix)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def digests(self, prefix):
        """The digests of the objects below a prefix. Not every server keeps the one in their metadata."""
        found = {}
        for key in self.list(prefix):
            answer = self.client.get_object(Bucket=self.bucket, Key=key)
            found[key] = hashlib.sha256(answer["Body"].read()).hexdigest()
            told = answer["Metadata"].get("imagemill-sha256", found[key])
            self.check(told == found[key], f"{self.name}: {key} has other bytes than its metadata tell")
        return found

    # MARK: Faults

    def faults(self, jobs, png):
        """Jobs from objects to objects while one request of twenty is spoiled."""
        sources = [f"faults-in/{number}.png" for number in range(jobs)]
        for number, key in enumerate(sources):
            self.client.put_object(Bucket=self.bucket, Key=key, Body=png(number), ContentType="image/png")
        lines = "".join(f"s3://{self.bucket}/{key}\n" for key in sources).encode()
        expected = self.expected(jobs, png)

        def run(rate):
            self.proxy.begin(rate)
            start = time.monotonic()
            outcome = subprocess.run(
                [self.binary, "pipe", "-q", "--json", "--failures-are-results", "--stall-timeout", "1s", "--retry-wait",
                 "50ms", "-f", "fit:4x4", "-o", f"s3://{self.bucket}/faults-out/{{name}}.webp"],
                input=lines, cwd=self.directory, env=self.environment, capture_output=True, timeout=1800)
            self.check(outcome.returncode == 0, f"{self.name}: faults: {outcome.returncode} {outcome.stderr.decode()[-2000:]}")
            results = [json.loads(line) for line in outcome.stdout.splitlines()]
            self.check(len(results) == jobs, f"{self.name}: faults: {len(results)} results of {jobs}")
            return results, time.monotonic() - start

        results, seconds = run(0.05)
        failed = [r for r in results if r["status"] == "failed"]
        nameless = [r for r in failed if not r.get("error", {}).get("code") or not r["error"].get("message")]
        self.check(not nameless, f"{self.name}: failures without a name: {nameless[:3]}")
        made = {key.rsplit("/", 1)[1]: key for key in self.list("faults-out/")}
        for name, key in made.items():
            body = self.client.get_object(Bucket=self.bucket, Key=key)["Body"].read()
            self.check(body == expected[name], f"{self.name}: {key} is damaged or wrong")
        told = {r["output"].rsplit("/", 1)[1] for r in results if r["status"] != "failed"}
        self.check(told <= set(made), f"{self.name}: told as written, and missing: {sorted(told - set(made))[:3]}")
        codes = collections.Counter(r["error"]["code"] for r in failed)
        print(
            f"{self.name}: {jobs} jobs with faults: {jobs - len(failed)} right, {len(failed)} named failures "
            f"{dict(codes)}, {len(made)} objects, {sum(self.proxy.spoiled.values())} requests spoiled "
            f"{dict(self.proxy.spoiled)}, {seconds:.1f} s", flush=True)
        self.check(sum(self.proxy.spoiled.values()) > jobs / 40, f"{self.name}: few faults: {self.proxy.spoiled}")

        results, _ = run(0)
        self.check(all(r["status"] != "failed" for r in results), f"{self.name}: a run without faults has failures")
        self.check(self.proxy.counts["PUT"] <= len(failed), f"{self.name}: uploaded again: {self.proxy.counts}")
        self.check(len(self.list("faults-out/")) == jobs, f"{self.name}: outputs are missing")

        results, seconds = run(0)
        counts = self.proxy.counts
        self.check(
            all(r["status"] == "unchanged" for r in results), f"{self.name}: not up to date: {counts}")
        self.check(counts["PUT"] == counts["POST"] == counts["part"] == 0, f"{self.name}: the last run uploads: {counts}")
        self.check(counts["list"] <= (jobs + 999) // 1000, f"{self.name}: {counts['list']} listings: {counts}")
        self.check(counts["bodies"] == 0, f"{self.name}: the last run downloads {counts['bodies']} bodies")
        print(f"{self.name}: a run after that: {dict(counts)}, {seconds:.1f} s", flush=True)

    def expected(self, jobs, png):
        """The outputs by their names, made from files."""
        folder = self.directory / "faults"
        (folder / "in").mkdir(parents=True)
        for number in range(jobs):
            (folder / "in" / f"{number}.png").write_bytes(png(number))
        names = "".join(f"in/{number}.png\n" for number in range(jobs)).encode()
        subprocess.run(
            [self.binary, "pipe", "-q", "-f", "fit:4x4", "-C", "out", "-o", "{name}.webp"], input=names, cwd=folder,
            env=self.environment | {"IMAGEMILL_CACHE_DIR": str(folder / "cache")}, check=True, capture_output=True,
            timeout=1800)
        return {path.name: path.read_bytes() for path in (folder / "out").iterdir()}

    # MARK: Kills

    def kills(self, count, png):
        """Runs that are killed, with small outputs and one of 70 MB, which is a multipart upload."""
        small = 20
        (self.directory / "long.png").write_bytes(png(1))
        manifest = ["imagemill: 1", "jobs:"]
        for number in range(small):
            (self.directory / f"kill-{number}.png").write_bytes(png(number))
            manifest.append(f'  - {{source: kill-{number}.png, filter: "fit:4x4", output: {number}.webp}}')
        manifest.append(
            "  - {source: long.png, filter: 'scale:5000x4700', output: long.tiff, encode: {compression: none}}")
        (self.directory / "kill.yaml").write_text("\n".join(manifest) + "\n")
        self.proxy.begin(0)
        self.environment["IMAGEMILL_CACHE_DIR"] = str(self.directory / "kills-cache")
        rng = random.Random(count)

        def start():
            return subprocess.Popen(
                [self.binary, "run", "-q", "--report", "kills.json", "-C", f"s3://{self.bucket}/kills", "kill.yaml"],
                cwd=self.directory, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

        def whole():
            process = start()
            begun = time.monotonic()
            errors = process.communicate(timeout=600)[1].decode()
            self.check(process.returncode == 0, f"{self.name}: kills: {process.returncode} {errors}")
            return time.monotonic() - begun

        def empty():
            for key in self.list("kills/"):
                self.client.delete_object(Bucket=self.bucket, Key=key)

        def unfinished():
            return self.client.list_multipart_uploads(Bucket=self.bucket).get("Uploads", [])

        whole()
        expected = self.digests("kills/")
        empty()
        seconds = whole()
        middle, left = 0, 0
        for turn in range(count):
            empty()
            process = start()
            limit = time.monotonic() + rng.uniform(0.02, seconds)
            if turn % 2:
                # In the middle of a multipart upload.
                self.proxy.begin(0)
                while not self.proxy.counts["part"] and process.poll() is None:
                    time.sleep(0.005)
                limit = time.monotonic() + rng.uniform(0, seconds / 10)
            try:
                process.wait(max(0, limit - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                middle += 1
            process.communicate()
            wrong = [key for key, digest in self.digests("kills/").items() if digest != expected.get(key)]
            self.check(not wrong, f"{self.name}: half objects: {wrong}")
            left += len(unfinished())
        # By the second: an upload that was begun in the second in which a run begins may be its own.
        time.sleep(1.5)
        empty()
        begun = time.strftime("%H:%M:%S", time.gmtime())
        whole()
        self.check(not unfinished(), f"{self.name}: open uploads after the next run, begun at {begun}: {unfinished()}")
        made = self.digests("kills/")
        self.check(len(made) == small + 1 and made == expected, f"{self.name}: outputs after kills: {sorted(made)}")
        print(
            f"{self.name}: {count} kills, {middle} of a running command, {left} multipart uploads found after them",
            flush=True)

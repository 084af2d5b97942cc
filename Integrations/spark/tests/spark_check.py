#!/usr/bin/env python3
"""The package on two executors: `make spark-check`. Not found by unittest's discovery, since it needs Spark.

    spark_check.py IMAGEMILL [TEST...]

ROWS is the number of images (default: 2000). Everything is on this machine: a server of tiny images on loopback, and
Spark's local-cluster[2,1,1024], whose executors are processes of their own.
"""

import collections
import datetime
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = pathlib.Path(__file__).parent
SOURCES = str(HERE.parent / "src")
sys.path[:0] = [SOURCES, str(HERE)]

from pyspark.sql import SparkSession, functions  # noqa: E402
from test_rows import png  # noqa: E402

from imagemill_spark import process  # noqa: E402

COMMAND = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
ROWS = int(os.environ.get("ROWS", "2000"))
CHAIN = "fill:24x24,circle"
OPTIONS = ("--allow-net", "loopback")


class Server(ThreadingHTTPServer):
    """Serves /N.png, an image of its own for each N. The first request for a number in `slow` takes its seconds."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = collections.Counter()
        self.slow = {}
        self.on_request = lambda count: None
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, number):
        return f"http://127.0.0.1:{self.server_port}/{number}.png"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        server = self.server
        name = self.path.strip("/").removesuffix(".png")
        with server.lock:
            server.requests[name] += 1
            pause = server.slow.pop(name, 0)
            count = sum(server.requests.values()) if pause or len(server.requests) % 100 == 0 else 0
        if count:
            server.on_request(count)
        time.sleep(pause)
        number = int(name) if name.isdigit() else None
        status = 404 if number is None else 200
        body = b"" if number is None else png(32, 32, (number % 256, number // 256 % 256, number // 65536))
        self.send_response(status)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def descendants(pid):
    """The processes below one, with their command lines."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = pathlib.Path("/proc", entry, "stat").read_text()
                line = pathlib.Path("/proc", entry, "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            parents[int(entry)] = (int(stat.rsplit(")", 1)[1].split()[1]), line)
    found = {}
    for child, (_, line) in parents.items():
        ancestor = child
        while ancestor in parents and ancestor != pid:
            ancestor = parents[ancestor][0]
        if ancestor == pid and child != pid:
            found[child] = line
    return found


def mills():
    """The processes of imagemill that read lines; their workers end with them."""
    return [pid for pid, line in descendants(os.getpid()).items() if "--failures-are-results" in line]


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ["PYTHONPATH"] = SOURCES
        cls.spark = (
            SparkSession.builder.master("local-cluster[2,1,1024]").appName("imagemill")
            .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
           .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.executorEnv.PYTHONPATH", SOURCES)
            .config("spark.speculation", "true").config("spark.speculation.multiplier", "1.2")
            .config("spark.speculation.quantile", "0.5").config("spark.speculation.interval", "100ms")
            .config("spark.speculation.minTaskRuntime", "100ms")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "500")
            .getOrCreate())
        cls.spark.sparkContext.setLogLevel("ERROR")
        cls.folder = tempfile.TemporaryDirectory(prefix="imagemill-spark-")
        cls.server = Server()
        cls.expected, cls.seconds = cls.alone()
        # Both executors, and a Python worker on each, before anything is measured.
        cls.spark.range(0, 4, 1, 4).mapInArrow(lambda batches: batches, "id long").count()

    @classmethod
    def tearDownClass(cls):
        cls.spark.stop()
        cls.server.shutdown()
        cls.folder.cleanup()

    @classmethod
    def alone(cls):
        """The digests of one process without Spark, and its seconds."""
        lines = "".join(
            json.dumps({"source": cls.server.url(number), "filter": CHAIN, "output": f"{number}.png"}) + "\n"
            for number in range(ROWS))
        start = time.monotonic()
        done = subprocess.run(
            [COMMAND, "pipe", "--input", "ndjson", "--json", "--failures-are-results", "-q", "--progress", "none",
             "-j", "2", "--per-host", "12", "-C", cls.folder.name + "/alone", "--cache-dir",
             cls.folder.name + "/alone-cache", *OPTIONS],
            input=lines.encode(), stdout=subprocess.PIPE, check=True)
        seconds = time.monotonic() - start
        digests = {}
        for line in done.stdout.splitlines():
            result = json.loads(line)
            digests[result["index"] - 1] = result["sha256"]
        assert len(digests) == ROWS and None not in digests.values()
        return digests, seconds

    def rows(self, partitions=8, count=None):
        rows = [(number, self.server.url(number), CHAIN, f"{number}.png") for number in range(count or ROWS)]
        return self.spark.createDataFrame(rows, "id long, url string, chain string, output string").repartition(
            partitions)

    def output(self):
        return tempfile.mkdtemp(dir=self.folder.name)

    def check(self, found, output):
        """Every row once, and every output right."""
        counts = collections.Counter(row.id for row in found)
        self.assertEqual(set(counts), set(range(ROWS)))
        self.assertEqual(set(counts.values()), {1})
        for row in found:
            self.assertNotEqual(row.status, "failed", row.error_message)
            self.assertEqual(row.sha256, self.expected[row.id])
            made = pathlib.Path(output, row.output).read_bytes()
            self.assertEqual(hashlib.sha256(made).hexdigest(), row.sha256)
        names = [name for name in os.listdir(output)]
        self.assertEqual(len(names), ROWS, "temporary files were left behind")

    def test_every_row_has_its_result_and_is_counted(self):
        output = self.output()
        context = self.spark.sparkContext
        counters = {name: context.accumulator(0) for name in ("written", "failed", "bytes")}
        start = time.monotonic()
        found = process(
            self.rows(), output_dir=output, command=COMMAND, per_host=12, counters=counters, options=OPTIONS).collect()
        seconds = time.monotonic() - start
        self.check(found, output)
        self.assertEqual(counters["failed"].value, 0)
        self.assertEqual(counters["bytes"].value, sum(row.bytes for row in found))
        print(f"\n{ROWS} images: Spark {seconds:.2f} s, one process {self.seconds:.2f} s: {seconds / self.seconds:.2f}")

    def test_a_killed_executor_and_slow_tasks_change_nothing(self):
        output = self.output()
        self.server.requests.clear()
        # The tasks that have these rows are slow, and get copies.
        self.server.slow = {str(number): 6 for number in range(0, ROWS, max(1, ROWS // 3))}
        killed = []

        def kill(count):
            if count < ROWS // 4 or killed:
                return
            executors = [
                pid for pid, line in descendants(os.getpid()).items()
                if "CoarseGrainedExecutorBackend" in line and "java" in line.split(" ")[0]
            ]
            killed.extend(executors[:1])
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

        self.server.on_request = kill
        try:
            found = process(
                self.rows(), output_dir=output, command=COMMAND, per_host=12, options=OPTIONS).collect()
        finally:
            self.server.on_request = lambda count: None
        self.assertEqual(len(killed), 1)
        self.check(found, output)

    def test_the_death_of_imagemill_fails_the_task_which_is_tried_again(self):
        output = self.output()
        mill = pathlib.Path(self.folder.name, "mortal")
        # The first process of all is killed in the middle.
        mill.write_text(f"""#!/bin/bash
if mkdir '{output}.first' 2> /dev/null; then
  head -n 20 | '{COMMAND}' "$@"
  kill -KILL $$
fi
exec '{COMMAND}' "$@"
""")
        mill.chmod(0o755)
        found = process(
            self.rows(partitions=4), output_dir=output, command=str(mill), per_host=12, options=OPTIONS).collect()
        self.check(found, output)
        self.assertIn(2, {row.attempts for row in found})

    def test_failures_are_rows_and_other_columns_keep_their_types(self):
        moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 678)
        rows = [
            (2**60 + 1, self.server.url(1), "circle", "a.png", moment, [1, None], {"k": "v"}),
            (None, self.server.url("none"), None, "b.png", None, None, None),
            (3, None, None, "c.png", moment, [], {}),
        ]
        frame = self.spark.createDataFrame(
            rows, "big long, url string, chain string, output string, at timestamp, list array<int>, "
            "map map<string, string>")
        # Sorted here: Spark would compute the rows twice, once for a sample of what it sorts by.
        found = sorted(process(
            frame, output_dir=self.output(), command=COMMAND, placeholders=True, partition_by="host", partitions=3,
            per_host=2, options=OPTIONS + ("--retries", "0")).collect(), key=lambda row: row.output)
        self.assertEqual([tuple(row)[:7] for row in found], rows)
        self.assertEqual([row.status for row in found], ["written", "failed", "failed"])
        self.assertEqual(found[1].error_code, "http-status")
        self.assertTrue(found[0].blur_hash and found[0].milliseconds is not None)

    def test_the_rows_of_a_host_are_in_one_partition(self):
        frame = self.spark.createDataFrame(
            [(f"http://h{number % 7}.example:{8000 + number}/{number}", "x") for number in range(100)],
            "url string, output string")
        from imagemill_spark._process import _host

        placed = frame.repartition(5, _host(frame.url)).select(
            _host(functions.col("url")).alias("host"), functions.spark_partition_id().alias("partition"))
        self.assertEqual(placed.distinct().count(), 7)

    def test_a_consumer_that_stops_early_leaves_no_process(self):
        found = process(
            self.rows(partitions=1), output_dir=self.output(), command=COMMAND, per_host=12,
            options=OPTIONS).limit(5).collect()
        self.assertEqual(len(found), 5)
        deadline = time.monotonic() + 30
        while mills() and time.monotonic() < deadline:
            time.sleep(0.2)
        self.assertEqual(mills(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")

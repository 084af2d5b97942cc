#!/usr/bin/env python3
"""Compares imagemill_spark with one `imagemill pipe` on two cores, and with img2dataset's PySpark distributor.

usage: spark_bench.py [--rows N] [--rounds N] [--sides pipe,spark,img2dataset] IMAGEMILL DIRECTORY

Everything is on this machine: nginx on loopback serves the JPEGs of the web set, each as often as the rows need, with a
comment of its own (equal images would be rendered once), and all sides on Spark use the same two executors of one core (local-cluster[2,1,1024]), which have started and
done a small job of each kind before anything is measured. Each side makes JPEGs of at most 256x256 from URLs, with an empty cache, in turns: A B C A B C. The
CPU time is that of all processes but nginx.
"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = str(HERE.parents[1] / "Integrations" / "spark" / "src")
sys.path[:0] = [SOURCES, str(HERE.parent / "suite")]

import corpora  # noqa: E402

CHAIN = "limit:256x256"
OPTIONS = ("--allow-net", "loopback", "--quality", "80")
# The share of an executor in the connections: one pipe has 12, and img2dataset's threads have as many.
PER_HOST = 12


def processor_seconds(but):
    """The seconds of CPU of this process and all below it, by kind: java, python, and imagemill with what has ended."""
    parents, own, reaped, names = {}, {}, {}, {}
    tick = os.sysconf("SC_CLK_TCK")
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                name, fields = pathlib.Path("/proc", entry, "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            except OSError:
                continue
            fields = fields.split()
            process = int(entry)
            parents[process], names[process] = int(fields[1]), name
            own[process] = sum(map(int, fields[11:13])) / tick
            reaped[process] = sum(map(int, fields[13:15])) / tick
    totals = {"java": 0.0, "python": 0.0, "imagemill": 0.0}
    for process in parents:
        ancestor = process
        while ancestor in parents and ancestor not in (os.getpid(), but):
            ancestor = parents[ancestor]
        if ancestor == os.getpid():
            kind = next((kind for kind in ("java", "python") if kind in names[process]), "imagemill")
            totals[kind] += own[process]
            totals["imagemill"] += reaped[process]
    return totals


def distinct(root, rows):
    """The web set with as many files as rows, no two of them with the same bytes."""
    corpora.web(root)
    folder = root / f"web-{rows}"
    if folder.exists():
        return folder
    part = root / f"web-{rows}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    originals = [path.read_bytes() for path in sorted((root / "web").iterdir())]
    for number in range(rows):
        jpeg = originals[number % len(originals)]
        comment = b"%08d" % number
        # A comment segment after the start of the image.
        (part / f"{number}.jpg").write_bytes(
            jpeg[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + jpeg[2:])
    part.rename(folder)
    return folder


def serve(root, corpus):
    """nginx with the corpus."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = root / "nginx"
    folder.mkdir(exist_ok=True)
    paths = "".join(
        f"{name}_temp_path {folder}/{name}; " for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    (folder / "conf").write_text(
        f"worker_processes 1; daemon off; master_process off; pid {folder}/pid; error_log {folder}/log;\n"
        "events { worker_connections 1024; }\n"
        f"http {{ access_log off; sendfile on; keepalive_requests 1000000; {paths}types {{ image/jpeg jpg; }}\n"
        f"server {{ listen 127.0.0.1:{port}; root {corpus}; }} }}\n")
    process = subprocess.Popen([shutil.which("nginx") or "/usr/sbin/nginx", "-c", folder / "conf"])
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.1)
    raise SystemExit("nginx doesn't start")


class Bench:
    def __init__(self, command, root, rows, partitions):
        self.command, self.root, self.partitions = command, root, partitions
        self.out = root / "out"
        self.nginx, base = serve(root, distinct(root, rows))
        self.urls = [f"{base}/{number}.jpg" for number in range(rows)]
        self.spark = None

    def session(self):
        if self.spark is None:
            from pyspark.sql import SparkSession

            os.environ["PYSPARK_PYTHON"] = sys.executable
            os.environ["PYTHONPATH"] = SOURCES
            self.spark = (
                SparkSession.builder.master("local-cluster[2,1,1024]").appName("bench")
                .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
                .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.executorEnv.PYTHONPATH", SOURCES)
                .getOrCreate())
            self.spark.sparkContext.setLogLevel("ERROR")
            self.spark.range(0, 4, 1, 4).mapInArrow(lambda batches: batches, "id long").count()
        return self.spark

    def clear(self):
        subprocess.run(["rm", "-rf", self.out, self.root / "bench-cache"], check=True)
        self.out.mkdir()

    # MARK: Sides

    def pipe(self):
        lines = "".join(
            json.dumps({"source": url, "filter": CHAIN, "output": f"{number}.jpg"}) + "\n"
            for number, url in enumerate(self.urls))
        done = subprocess.run(
            [self.command, "pipe", "--input", "ndjson", "--json", "--failures-are-results", "-q", "--progress", "none", "-j",
             "2", "--per-host", str(PER_HOST), "-C", self.out, "--cache-dir", self.root / "bench-cache", *OPTIONS],
            input=lines.encode(), stdout=subprocess.PIPE, check=True)
        return sum(b'"failed"' not in line for line in done.stdout.splitlines())

    def imagemill_spark(self):
        from imagemill_spark import process

        rows = [(url, CHAIN, f"{number}.jpg") for number, url in enumerate(self.urls)]
        frame = self.session().createDataFrame(rows, "url string, chain string, output string")
        found = process(
            frame.repartition(self.partitions), output_dir=str(self.out), command=str(self.command), per_host=PER_HOST,
            options=OPTIONS)
        counts = found.groupBy("status", "error_code", "error_message").count().collect()
        for row in counts:
            if row["status"] == "failed":
                print(row, file=sys.stderr)
        return sum(row["count"] for row in counts if row["status"] != "failed")

    def img2dataset(self):
        from img2dataset import download

        self.session()
        urls = self.root / "urls.txt"
        urls.write_text("".join(url + "\n" for url in self.urls))
        download(
            url_list=str(urls), output_folder=str(self.out / "set"), distributor="pyspark", processes_count=2,
            thread_count=PER_HOST // 2, image_size=256, resize_mode="keep_ratio_largest", encode_quality=80,
            output_format="files", retries=0, number_sample_per_shard=max(1, len(self.urls) // self.partitions))
        return sum(1 for _ in (self.out / "set").rglob("*.jpg"))

    def measure(self, side):
        self.clear()
        if side is not self.pipe:
            self.session()
        cpu, start = processor_seconds(self.nginx.pid), time.monotonic()
        count = side()
        wall, after = time.monotonic() - start, processor_seconds(self.nginx.pid)
        kinds = {kind: after[kind] - cpu[kind] for kind in after}
        cpu = sum(kinds.values())
        if count != len(self.urls):
            raise SystemExit(f"{side.__name__}: {count} images of {len(self.urls)}")
        words = ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in kinds.items())
        print(f"{side.__name__}: {wall:.2f} s, {cpu:.2f} s CPU ({words})", flush=True)
        return wall, cpu


def main():
    parser = argparse.ArgumentParser(prog="spark_bench.py")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--sides", default="imagemill_spark,pipe,img2dataset")
    parser.add_argument("imagemill")
    parser.add_argument("directory")
    options = parser.parse_args()
    root = pathlib.Path(options.directory).resolve()
    root.mkdir(parents=True, exist_ok=True)
    bench = Bench(pathlib.Path(options.imagemill).resolve(), root, options.rows, options.partitions)
    try:
        sides = [getattr(bench, name) for name in options.sides.split(",")]
        figures = {side.__name__: [] for side in sides}
        print("Not counted:")
        bench.urls, urls = bench.urls[:200], bench.urls
        for side in sides:
            bench.measure(side)
        bench.urls = urls
        print("Counted:")
        for _ in range(options.rounds):
            for side in sides:
                figures[side.__name__].append(bench.measure(side))
    finally:
        if bench.spark is not None:
            bench.spark.stop()
        bench.nginx.terminate()
        bench.nginx.wait()
    first = next(iter(figures))
    for name in list(figures)[1:]:
        for index, what in enumerate(["time", "CPU"]):
            ratios = [ours[index] / theirs[index] for ours, theirs in zip(figures[first], figures[name])]
            print(
                f"{first} / {name}, {what}: {statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})")


if __name__ == "__main__":
    main()

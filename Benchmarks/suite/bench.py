"""Compares whole jobs, from URL or file to file, with other programs, in one run on one machine.

usage: bench.py IMAGEMILL DIRECTORY [SCENARIO...]

Corpora, references and outputs are made in DIRECTORY, which should be in memory (/dev/shm) or on the disk to be
measured. A ratio is imagemill's time divided by the other program's: below 1, imagemill is faster.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import corpora
from measure import Side, compare

HERE = Path(__file__).parent
ROUNDS = 4
PORT = 8377


class Bench:
    def __init__(self, imagemill, directory):
        self.imagemill = imagemill
        self.root = directory
        self.root.mkdir(parents=True, exist_ok=True)
        self.out = self.root / "out"
        self.cache = self.root / "cache"
        self.reference = self.root / "reference"
        temporary = self.root / "tmp"
        temporary.mkdir(exist_ok=True)
        # On the same disk, or in memory too.
        os.environ["TMPDIR"] = str(temporary)
        subprocess.run(
            f"cc -O2 {HERE}/reference.c -o {self.reference} $(pkg-config --cflags --libs vips)", shell=True, check=True)

    # MARK: What is run

    # rm, because the peak memory of this process counts for the programs that it starts (a directory of a million files).
    def clear(self):
        subprocess.run(["rm", "-rf", self.out, self.cache], check=True)
        self.out.mkdir()

    def clear_outputs(self):
        subprocess.run(["rm", "-rf", self.out], check=True)
        self.out.mkdir()

    def listing(self, corpus, base=None):
        path = self.root / f"{corpus.name}-{'urls' if base else 'files'}.txt"
        names = sorted(file.name for file in corpus.iterdir())
        path.write_text("".join(f"{base or corpus}/{name}\n" for name in names))
        return path

    def ours(self, name, arguments, listing, before=None):
        command = [self.imagemill, "pipe", "-q", "--allow-outside", "-C", self.out, *arguments]
        return Side(name, command, before or self.clear, listing)

    def libvips(self, suffix, widths, listing, name="bare libvips loop, two processes,"):
        return Side(name, [self.reference, "2", self.out, suffix, *map(str, widths)], self.clear, listing)

    def pillow(self, suffix, size, listing):
        command = [sys.executable, HERE / "pillow_pool.py", self.out, suffix, str(size)]
        return Side("Pillow, pool of two,", command, self.clear, listing)

    def pyvips(self, suffix, size, listing):
        command = [sys.executable, HERE / "pyvips_pool.py", self.out, suffix, str(size)]
        return Side("pyvips, pool of two,", command, self.clear, listing)

    def net(self):
        return ["--allow-net", "loopback", "--cache-dir", self.cache]

    # MARK: Scenarios

    def web(self):
        corpus = corpora.web(self.root)
        files, urls = self.listing(corpus), self.listing(corpus, f"http://127.0.0.1:{PORT}/{corpus.name}")
        make = ["-f", "limit:256x256", "--quality", "80", "-o", "{name}.jpg"]
        from_urls = self.ours("web set from URLs, empty cache", [*make, *self.net()], urls)
        yield from_urls, self.pillow(".jpg", 256, files)
        yield from_urls, self.libvips(".jpg[Q=80]", [256], files)
        from_files = self.ours("web set from files, no cache", [*make, "--no-cache"], files)
        yield from_files, self.pillow(".jpg", 256, files)
        yield from_files, self.libvips(".jpg[Q=80]", [256], files)
        yield from_files, self.pyvips(".jpg[Q=80]", 256, files)

    def img2dataset(self):
        corpus = corpora.web(self.root)
        urls = self.listing(corpus, f"http://127.0.0.1:{PORT}/{corpus.name}")
        make = ["-f", "limit:256x256", "--quality", "80", "-o", "{name}.jpg"]
        command = [
            Path(sys.executable).with_name("img2dataset"), "--url_list", urls, "--output_folder", self.out / "set",
            "--processes_count", "2", "--thread_count", "16", "--image_size", "256", "--resize_mode", "keep_ratio_largest",
            "--encode_quality", "80", "--output_format", "files", "--retries", "0"]
        yield self.ours("web set from URLs, empty cache", [*make, *self.net()], urls), Side(
            "img2dataset", command, self.clear)

    def photos(self):
        files = self.listing(corpora.photos(self.root))
        make = ["-f", "limit:400x400", "--quality", "80", "-o", "{name}.jpg", "--no-cache"]
        ours = self.ours("49 photographs of 10 MP to 400 px", make, files)
        yield ours, self.libvips(".jpg[Q=80]", [400], files)
        yield ours, self.pillow(".jpg", 400, files)

    def transparent(self):
        files = self.listing(corpora.transparent(self.root))
        make = ["-f", "limit:400x400", "--quality", "80", "-o", "{name}.webp", "--no-cache"]
        ours = self.ours("100 PNGs with alpha to WebP of 400 px", make, files)
        yield ours, self.libvips(".webp[Q=80]", [400], files)
        yield ours, self.pillow(".webp", 400, files)

    def tiny(self):
        files = self.listing(corpora.tiny(self.root))
        make = ["-f", "limit:100x100", "--quality", "80", "-o", "{name}.jpg", "--no-cache"]
        ours = self.ours("10,000 JPEGs of 5 kB to 100 px", make, files)
        yield ours, self.libvips(".jpg[Q=80]", [100], files)
        yield ours, self.pillow(".jpg", 100, files)

    def huge(self):
        files = self.listing(corpora.huge(self.root))
        make = ["-f", "limit:1000x1000", "--quality", "80", "-o", "{name}.jpg", "--no-cache"]
        ours = self.ours("4 JPEGs of 100 MP to 1,000 px", make, files)
        yield ours, self.libvips(".jpg[Q=80]", [1000], files)
        yield ours, self.pillow(".jpg", 1000, files)

    def animated(self):
        files = self.listing(corpora.animated(self.root))
        make = ["-f", "limit:240x240", "--quality", "75", "-o", "{name}.webp", "--no-cache"]
        ours = self.ours("20 GIFs of 24 frames to WebP of 240 px", make, files)
        yield ours, self.libvips(".webp[Q=75]", [240], files)

    def manifest(self, name, corpus, widths, formats):
        """A manifest with outputs of all widths and formats for each source, and the outputs' names."""
        path, names = self.root / f"{name}.yaml", []
        with open(path, "w") as lines:
            lines.write("imagemill: 1\njobs:\n")
            for source in sorted(corpus.iterdir()):
                lines.write(f"  - source: {source}\n    outputs:\n")
                for width in widths:
                    for suffix in formats:
                        output = f"{source.stem}-{width}.{suffix}"
                        lines.write(f'      - {{filter: "limit:{width}x{width}", output: "{output}", quality: 80}}\n')
                        names.append((source, output))
        return path, names

    def fanout(self):
        corpus = corpora.photos(self.root)
        files = self.listing(corpus)
        widths, formats = [320, 480, 640, 960, 1280, 1920], ["jpg", "webp", "tiff"]
        manifest, _ = self.manifest("fanout", corpus, widths, formats)
        command = [self.imagemill, "run", "-q", "--allow-outside", "-C", self.out, "--no-cache", manifest]
        sizes = " ".join(map(str, widths))
        loops = "; ".join(
            f"{self.reference} 2 {self.out} '{suffix}' {sizes} < {files}" for suffix in (".jpg[Q=80]", ".webp[Q=80]", ".tiff[compression=lzw]"))
        yield Side("49 photographs, 6 widths in 3 formats", command, self.clear), Side(
            "bare libvips loop, a decode for each output,", ["sh", "-c", loops], self.clear)

    def repeated(self):
        """Ten thousand outputs of a thousand sources, when they exist, and when the cache has them."""
        corpus = corpora.web(self.root)
        manifest, names = self.manifest("outputs", corpus, [100, 200, 300, 400, 500], ["jpg", "webp"])
        command = [
            self.imagemill, "run", "-q", "--allow-outside", "-C", self.out, "--cache-dir", self.cache, manifest]
        makefile = self.root / "outputs.mk"
        makefile.write_text(
            "all: " + " ".join(str(self.out / name) for _, name in names) + "\n"
            + "".join(f"{self.out / name}: {source}\n\tfalse\n" for source, name in names))
        copy = self.root / "copy"
        self.clear()
        subprocess.run(command, check=True)
        shutil.copytree(self.out, copy, dirs_exist_ok=True)
        yield Side("10,000 outputs, all in place", command), Side("make", ["make", "-s", "-f", makefile, "all"])
        yield Side("10,000 outputs, put back from the store", command, self.clear_outputs), Side(
            "cp -r of the outputs", ["cp", "-r", f"{copy}/.", self.out], self.clear_outputs)

    def latency(self):
        corpus = corpora.web(self.root)
        urls = self.listing(corpus, f"http://127.0.0.1:{PORT + 1}/{corpus.name}")
        files = self.listing(corpus)
        make = ["-f", "limit:256x256", "--quality", "80", "-o", "{name}.jpg"]
        ours = self.ours("web set from a server 30 ms away", [*make, *self.net(), "--per-host", "16"], urls)
        network = self.root / "latency.curl"
        network.write_text("".join(f'url = "{url}"\noutput = "/dev/null"\n' for url in urls.read_text().split()))
        curl = Side("the network alone: curl, 16 at once,", ["curl", "-sS", "-Z", "--parallel-max", "16", "-K", network])
        rendering = self.ours("rendering alone: the same from files", [*make, "--no-cache"], files)
        server = subprocess.Popen([sys.executable, HERE / "slow_server.py", str(PORT + 1), "30", corpus])
        try:
            wait_for(PORT + 1)
            yield ours, curl
            yield ours, rendering
        finally:
            server.terminate()
            server.wait()

    def workers(self):
        files = self.listing(corpora.photos(self.root))
        make = ["-f", "limit:400x400", "--quality", "80", "-o", "{name}.jpg", "--no-cache"]
        alone = self.ours("one worker", [*make, "--jobs", "1"], files)
        for count in (2, 4):
            yield self.ours(f"49 photographs, {count} workers", [*make, "--jobs", str(count)], files), alone

    def jobs(self):
        """Jobs of one small source, a file each: what a job costs besides its pixels."""
        source = self.root / "job.png"
        corpora.small(source)
        sides = []
        for count in (100, 10_000, 1_000_000):
            listing = self.root / f"jobs-{count}.txt"
            if not listing.exists():
                with open(listing, "w") as lines:
                    lines.writelines(f"{source}\n" for _ in range(count))
            make = ["-f", "fit:8x8", "-o", "{index}.png", "--cache-dir", self.cache]
            sides.append(self.ours(f"{count:,} jobs, the time of each", make, listing))
            sides[-1].units = count
        for less, more in zip(sides, sides[1:]):
            yield more, less, 1

    def once(self):
        source = sorted(corpora.photos(self.root).iterdir())[0]
        command = [self.imagemill, "convert", "-q", "--no-cache", source, self.out / "one.jpg", "-f", "limit:400x400"]
        peer = ["vipsthumbnail", source, "--size", "400x400>", "-o", self.out / "two.jpg"]
        ours = Side("one photograph, convert", command, self.clear)
        yield ours, Side("vipsthumbnail", peer, self.clear)
        magick = ["/usr/bin/convert", "-define", "jpeg:size=800x800", source, "-resize", "400x400>", self.out / "three.jpg"]
        yield ours, Side("ImageMagick", magick, self.clear)


def wait_for(port):
    """Returns when a server listens."""
    for _ in range(500):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise SystemExit(f"nothing listens on port {port}")


def serve(root):
    """nginx on loopback, with everything that it writes in one directory."""
    place = root / "nginx"
    place.mkdir(exist_ok=True)
    paths = "".join(
        f"{name}_temp_path {place}/{name}; " for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (place / "nginx.conf").write_text(
        f"worker_processes 1; daemon off; pid {place}/pid; error_log {place}/error.log;\n"
        f"events {{ worker_connections 1024; }}\nhttp {{ access_log off; sendfile on; keepalive_requests 100000; {paths}\n"
        f"types {{ image/jpeg jpg; image/png png; image/gif gif; }}\n"
        f"server {{ listen 127.0.0.1:{PORT}; root {root}; }} }}\n")
    return subprocess.Popen(["nginx", "-c", place / "nginx.conf", "-e", place / "error.log"])


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    bench = Bench(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    scenarios = [
        "web", "img2dataset", "photos", "fanout", "transparent", "tiny", "huge", "animated", "once", "repeated",
        "latency", "workers", "jobs"]
    chosen = sys.argv[3:] or scenarios
    server = serve(bench.root)
    try:
        print("| scenario | imagemill | peer | ours / theirs: median (range) |\n| --- | --- | --- | --- |")
        for name in chosen:
            for ours, theirs, *rounds in getattr(bench, name)():
                print(compare(*rounds or [ROUNDS], ours, theirs), flush=True)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()

"""libvips from Python: `thumbnail` in a pool of two processes.

usage: pyvips_pool.py OUTPUT-DIRECTORY SUFFIX[OPTIONS] SIZE < LIST
"""

import os
import sys
from multiprocessing import Pool
from pathlib import Path

# One thread for each process is the fastest way for a list of files.
os.environ["VIPS_CONCURRENCY"] = "1"

import pyvips  # noqa: E402


def convert(arguments):
    source, directory, suffix, size = arguments
    image = pyvips.Image.thumbnail(source, size, height=size, size="down")
    image.write_to_file(str(directory / (Path(source).stem + suffix)))


if __name__ == "__main__":
    directory, suffix, size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    sources = sys.stdin.read().split("\n")[:-1]
    with Pool(2) as pool:
        for _ in pool.imap_unordered(convert, ((source, directory, suffix, size) for source in sources), 16):
            pass

"""Pillow's way: `draft`, Lanczos and a pool of two processes.

usage: pillow_pool.py OUTPUT-DIRECTORY SUFFIX SIZE < LIST
"""

import sys
from multiprocessing import Pool
from pathlib import Path

from PIL import Image

OPTIONS = {".jpg": {"quality": 80}, ".webp": {"quality": 80, "method": 4}, ".png": {}}


def convert(arguments):
    source, directory, suffix, size = arguments
    with Image.open(source) as image:
        image.draft("RGB", (size * 2, size * 2))
        image.thumbnail((size, size), Image.LANCZOS)
        image.save(directory / (Path(source).stem + suffix), **OPTIONS[suffix])


if __name__ == "__main__":
    directory, suffix, size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    sources = sys.stdin.read().split("\n")[:-1]
    with Pool(2) as pool:
        for _ in pool.imap_unordered(convert, ((source, directory, suffix, size) for source in sources), 16):
            pass

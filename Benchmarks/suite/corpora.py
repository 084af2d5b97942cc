"""Corpora that anyone can make again: crops of the photographs in Debian's wallpaper packages, by a fixed seed."""

import multiprocessing
import random
import shutil
import subprocess
from pathlib import Path

from PIL import Image

PACKAGES = ["plasma-workspace-wallpapers", "gnome-backgrounds", "mate-backgrounds"]
SEED = 7883


def photographs():
    """The packages' JPEGs of three megapixels or more, one per picture: the largest of its sizes."""
    listing = subprocess.run(["dpkg", "-L", *PACKAGES], capture_output=True, text=True, check=True).stdout
    largest = {}
    for line in sorted(set(listing.split("\n"))):
        path = Path(line)
        if path.suffix not in (".jpg", ".jpeg") or path.is_symlink() or not path.is_file():
            continue
        with Image.open(path) as image:
            width, height = image.size
        name = str(path.parent)
        if width * height >= 3_000_000 and width * height > largest.get(name, (0,))[0]:
            largest[name] = (width * height, path)
    return [path for _, path in sorted(largest.values(), key=lambda entry: str(entry[1]))]


def crop(image, rng, width, height):
    """A random part of the shape width x height, between half the picture and all of it, at that size."""
    scale = min(image.width / width, image.height / height) * rng.uniform(0.5, 1)
    box = (int(width * scale), int(height * scale))
    left = rng.randint(0, image.width - box[0])
    top = rng.randint(0, image.height - box[1])
    return image.resize((width, height), Image.LANCZOS, (left, top, left + box[0], top + box[1]), 3)


def once(directory, make):
    """Makes a corpus if it is not there, whole or not at all, in a process of its own: the peak memory of a process counts
    for the programs that it starts too."""
    if directory.exists():
        return directory
    part = directory.with_name(directory.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    child = multiprocessing.get_context("fork").Process(target=make, args=(part, random.Random(SEED)))
    child.start()
    child.join()
    if child.exitcode:
        raise SystemExit(f"{directory.name}: the corpus can't be made")
    part.rename(directory)
    return directory


def spread(directory, rng, count, draw, save):
    """Makes count pictures, with every photograph decoded once and used for its share of them."""
    paths = photographs()
    for start, path in enumerate(paths):
        with Image.open(path) as opened:
            image = opened.convert("RGB")
        for number in range(start, count, len(paths)):
            save(draw(image, rng), directory / f"{number:05}", number, rng)


def web(root):
    """1,000 JPEGs as web pages have them: 640 to 1,660 pixels wide, 80 kB on average, a tenth progressive."""

    def draw(image, rng):
        width = rng.randint(640, 1660)
        return crop(image, rng, width, int(width * rng.choice([0.5625, 0.6667, 0.75, 1, 1.3333])))

    def save(image, path, number, rng):
        quality = rng.choice([60, 70, 75, 80])
        image.save(path.with_suffix(".jpg"), quality=quality, progressive=number % 10 == 0, optimize=number % 10 == 0)

    return once(root / "web", lambda directory, rng: spread(directory, rng, 1000, draw, save))


def photos(root):
    """49 photographs of 3872x2592, quality 90."""

    def save(image, path, number, rng):
        image.save(path.with_suffix(".jpg"), quality=90)

    def make(directory, rng):
        spread(directory, rng, 49, lambda image, rng: crop(image, rng, 3872, 2592), save)

    return once(root / "photos", make)


def transparent(root):
    """100 PNGs of 1600x1200 with a soft alpha channel."""

    def save(image, path, number, rng):
        alpha = Image.radial_gradient("L").resize(image.size)
        image.putalpha(alpha)
        image.save(path.with_suffix(".png"), compress_level=6)

    def make(directory, rng):
        spread(directory, rng, 100, lambda image, rng: crop(image, rng, 1600, 1200), save)

    return once(root / "transparent", make)


def tiny(root):
    """10,000 JPEGs of about 5 kB."""

    def save(image, path, number, rng):
        image.save(path.with_suffix(".jpg"), quality=70)

    def make(directory, rng):
        spread(directory, rng, 10_000, lambda image, rng: crop(image, rng, 200, 150), save)

    return once(root / "tiny", make)


def huge(root):
    """Four JPEGs of 12000x8400, 100 megapixels."""

    def save(image, path, number, rng):
        image.save(path.with_suffix(".jpg"), quality=85)

    def make(directory, rng):
        spread(directory, rng, 4, lambda image, rng: crop(image, rng, 12000, 8400), save)

    return once(root / "huge", make)


def animated(root):
    """20 GIFs of 480x360 with 24 frames: a window that moves over a photograph."""

    def draw(image, rng):
        wide = crop(image, rng, 720, 360)
        return [wide.crop((step * 10, 0, step * 10 + 480, 360)) for step in range(24)]

    def save(frames, path, number, rng):
        first, *rest = [frame.quantize(128) for frame in frames]
        first.save(path.with_suffix(".gif"), save_all=True, append_images=rest, duration=80, loop=0)

    return once(root / "animated", lambda directory, rng: spread(directory, rng, 20, draw, save))


def small(path):
    """One PNG of 16x16."""
    if not path.exists():
        Image.radial_gradient("L").resize((16, 16)).save(path)

"""Structural similarity of our outputs and of libvips' `thumbnail`, each to a full decode and Lanczos in the same light.

usage: quality.py IMAGEMILL DIRECTORY [COUNT]

Each picture of the web set and of the photographs is reduced three ways: by us, by vips_thumbnail(), and, as the
reference, by a decode at full size and Lanczos 3 of Pillow with exact geometry. SSIM is computed on luma, in windows of
8x8. The two may differ by a pixel in size, so each is compared with a reference of its own size. Prints the pictures for
which ours is worse by more than 0.001, and the minimum and mean of both. Ends with 1 if there is such a picture.
"""

import subprocess
import sys
from pathlib import Path

import numpy
from PIL import Image

import corpora


def luma(image):
    return numpy.asarray(image.convert("L"), dtype=numpy.float64)


def blocks(values, size=8):
    """Means over windows of size x size, one for each place (an integral image)."""
    total = numpy.pad(values.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    area = total[size:, size:] - total[:-size, size:] - total[size:, :-size] + total[:-size, :-size]
    return area / (size * size)


def ssim(a, b):
    """Wang et al. 2004, with uniform windows of 8x8 and the usual constants for 8 bits."""
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mean_a, mean_b = blocks(a), blocks(b)
    var_a, var_b = blocks(a * a) - mean_a**2, blocks(b * b) - mean_b**2
    both = blocks(a * b) - mean_a * mean_b
    return float(numpy.mean(
        (2 * mean_a * mean_b + c1) * (2 * both + c2) / ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2))))


def score(path, original):
    """The similarity of a result to the original reduced to the same size."""
    with Image.open(path) as image:
        result = luma(image)
    return ssim(result, luma(original.resize((result.shape[1], result.shape[0]), Image.LANCZOS)))


def compare(imagemill, corpus, size, work, count):
    files = sorted(corpus.iterdir())[:count]
    ours, theirs = work / "ours", work / "theirs"
    for directory in (ours, theirs):
        directory.mkdir(parents=True, exist_ok=True)
    listing = work / "files.txt"
    listing.write_text("".join(f"{file}\n" for file in files))
    with open(listing) as source:
        subprocess.run(
            [imagemill, "pipe", "-q", "--allow-outside", "--no-cache", "-C", ours, "-f", f"limit:{size}x{size}", "-o",
             "{name}.png"], stdin=source, stdout=subprocess.DEVNULL, check=True)
    subprocess.run(
        ["vipsthumbnail", "--size", f"{size}x{size}>", "-o", f"{theirs}/%s.png", *files], check=True)
    scores, worse = [], []
    for file in files:
        with Image.open(file) as image:
            original = image.convert("RGB")
        mine, peer = (score(directory / f"{file.stem}.png", original) for directory in (ours, theirs))
        scores.append((mine, peer))
        if mine < peer - 0.001:
            worse.append(file.name)
            print(f"worse: {file.name}: {mine:.4f}, vips_thumbnail() {peer:.4f}")
    mine, peers = zip(*scores)
    print(
        f"| {corpus.name}, {len(files)} pictures to {size} px | {min(mine):.4f}, mean {numpy.mean(mine):.4f} "
        f"| {min(peers):.4f}, mean {numpy.mean(peers):.4f} | {len(worse)} worse |", flush=True)
    return not worse


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    imagemill, root = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    root.mkdir(parents=True, exist_ok=True)
    count = int(sys.argv[3]) if len(sys.argv) > 3 else None
    print("| set | imagemill, SSIM | vips_thumbnail(), SSIM | |\n| --- | --- | --- | --- |")
    good = [
        compare(imagemill, corpora.web(root), 256, root / "quality", count),
        compare(imagemill, corpora.photos(root), 400, root / "quality", count),
    ]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()

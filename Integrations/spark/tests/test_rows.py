"""Rows, options and limits; and rows through the real command, if the variable IMAGEMILL names one."""

import hashlib
import os
import pathlib
import struct
import sys
import tempfile
import unittest
import zlib

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))

from imagemill_spark._process import divided, host  # noqa: E402
from imagemill_spark._rows import Settings, convert_rows  # noqa: E402


class Counter:
    """As much of an accumulator as is used."""

    def __init__(self):
        self.value = 0

    def add(self, amount):
        self.value += amount


class Rows(unittest.TestCase):
    settings = Settings(command=str(HERE / "fake_imagemill.py"), output_dir="out")

    def test_keep_their_columns_and_get_those_of_results(self):
        rows = [
            {"url": "a", "chain": "circle", "output": "a.webp", "id": 2**60 + 1},
            {"url": "fail", "chain": None, "output": "b.webp", "id": None},
        ]
        found = sorted(convert_rows(rows, self.settings, os.environ, attempt=3), key=lambda row: row["url"])
        self.assertEqual(found[0], {
            **rows[0], "status": "written", "width": 3, "height": 2, "bytes": 100, "sha256": "ab" * 32,
            "error_code": None, "error_message": None, "attempts": 3, "milliseconds": 12})
        self.assertEqual(found[1]["error_code"], "http-status")
        self.assertEqual(found[1]["error_message"], "404 Not Found")
        self.assertEqual([found[1][name] for name in ("id", "width", "bytes", "milliseconds")], [None] * 4)

    def test_have_placeholders_where_asked(self):
        settings = Settings(command=self.settings.command, output_dir="out", placeholders=True)
        [row] = convert_rows([{"url": "a", "output": "a.webp"}], settings, os.environ)
        self.assertEqual((row["blur_hash"], row["dominant_color"]), ("L0", "#fff"))

    def test_are_counted(self):
        counters = {"written": Counter(), "failed": Counter(), "bytes": Counter()}
        rows = [{"url": url, "output": "o"} for url in ("a", "fail", "b")]
        self.assertEqual(len(list(convert_rows(rows, self.settings, os.environ, counters))), 3)
        self.assertEqual({name: counter.value for name, counter in counters.items()},
                         {"written": 2, "failed": 1, "bytes": 200})

    def test_of_mistakes_name_hosts_and_limits(self):
        self.assertEqual(divided(64, 16), 4)
        with self.assertRaisesRegex(ValueError, "partition_by='host'"):
            divided(6, 16)
        for url, wanted in {
            "https://Example.com/a": "example.com", "http://user:p@h.example:80/": "h.example",
            "s3://bucket/key": "bucket", "http://[::1]:80/": "[::1]", "a.png": "", None: "", "data:,x": "",
        }.items():
            self.assertEqual(host(url), wanted)


def png(width, height, color):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    pixels = (b"\0" + bytes(color) * width) * height
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))


@unittest.skipUnless("IMAGEMILL" in os.environ, "IMAGEMILL names no command")
class RealCommand(unittest.TestCase):
    def test_makes_outputs_and_says_what_fails_in_two_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "s.png")
            source.write_bytes(png(40, 30, (200, 10, 10)))
            settings = Settings(
                command=os.environ["IMAGEMILL"], output_dir=folder + "/out", cache_dir=folder + "/cache",
                placeholders=True, options=("--allow-outside",))
            rows = [
                *({"url": str(source), "chain": f"fill:{n % 30 + 1}x9", "output": f"{n}.png", "id": n}
                  for n in range(300)),
                {"url": folder + "/none.png", "chain": None, "output": "none.png", "id": 300},
                {"url": str(source), "chain": "crcle", "output": "wrong.png", "id": 301},
                {"url": None, "chain": None, "output": "null.png", "id": 302},
                {"url": str(source), "chain": None, "output": None, "id": 303},
            ]
            for expected in ({"written", "cached"}, {"unchanged"}):
                found = {row["id"]: row for row in convert_rows(rows, settings, os.environ)}
                self.assertEqual(set(found), set(range(304)))
                for n in range(300):
                    made = pathlib.Path(folder, "out", f"{n}.png").read_bytes()
                    self.assertIn(found[n]["status"], expected)
                    self.assertEqual(found[n]["sha256"], hashlib.sha256(made).hexdigest())
                    self.assertEqual(
                        (found[n]["width"], found[n]["height"], found[n]["bytes"]), (n % 30 + 1, 9, len(made)))
                    self.assertTrue(found[n]["blur_hash"])
                for n in range(300, 304):
                    self.assertEqual(found[n]["status"], "failed")
                    self.assertTrue(found[n]["error_code"] and found[n]["error_message"])


if __name__ == "__main__":
    unittest.main()

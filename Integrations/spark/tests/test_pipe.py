"""The protocol, with a program that speaks it and fails as it is told."""

import os
import pathlib
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))

from imagemill_spark import PipeError  # noqa: E402
from imagemill_spark._pipe import convert  # noqa: E402

FAKE = [sys.executable, str(HERE / "fake_imagemill.py")]


def rows(*sources):
    return [({"source": source, "output": f"{number}.webp"}, number) for number, source in enumerate(sources)]


def run(rows, mode="", arguments=FAKE, **settings):
    environment = {**os.environ, "FAKE": mode}
    return [entry for group in convert(rows, arguments, environment, **settings) for entry in group]


class Protocol(unittest.TestCase):
    def test_each_row_has_its_own_result_in_whatever_order(self):
        for mode in ("", "late"):
            found = run(rows(*(f"{number}.png" for number in range(2000))), mode)
            self.assertEqual(len(found), 2000)
            self.assertEqual({token for token, _ in found}, set(range(2000)))
            for token, result in found:
                self.assertEqual(result["source"], f"{token}.png")

    def test_failures_are_results(self):
        found = run(rows("a", "fail", "b"))
        statuses = {token: result["status"] for token, result in found}
        self.assertEqual(statuses, {0: "written", 1: "failed", 2: "written"})

    def test_any_text_arrives_as_it_is(self):
        text = 'a "b"\n\u2028\x00é\U0001f600 {x}'
        self.assertEqual(run(rows(text))[0][1]["source"], text)

    def test_without_rows_no_process_is_started(self):
        self.assertEqual(run([], arguments=["/nonexistent"]), [])

    def test_no_more_rows_than_allowed_are_in_flight(self):
        with tempfile.TemporaryDirectory() as folder:
            log = folder + "/log"
            environment = {**os.environ, "FAKE_LOG": log}
            taken = 0

            def counted():
                nonlocal taken
                for row in rows(*["a"] * 5000):
                    taken += 1
                    yield row

            groups = convert(counted(), FAKE, environment, in_flight=600)
            given = len(next(groups))
            time.sleep(0.5)
            # The consumer doesn't go on, so nothing does.
            self.assertLessEqual(taken, given + 600)
            given += sum(len(group) for group in groups)
            self.assertEqual((given, taken), (5000, 5000))


class Deaths(unittest.TestCase):
    def check(self, sources, mode, message):
        with self.assertRaisesRegex(PipeError, message):
            run(rows(*sources), mode)

    def test_a_killed_process_is_an_error(self):
        self.check(["a", "b", "die", "c"], "", r"ended by signal 9; \d of 4 rows have no result")

    def test_a_process_that_leaves_rows_is_an_error_even_with_status_0(self):
        self.check(["a", "leave", "b"], "", r"status 0; \d of 3 rows have no result")

    def test_a_failure_after_all_results_is_an_error_with_its_message(self):
        self.check(["a"], "status", "status 1; 0 of 1 rows .*No space left on device")

    def test_a_usage_error_is_an_error_with_its_message(self):
        self.check(["a"] * 10, "usage", "status 2; .*unknown option")

    def test_other_output_is_an_error(self):
        self.check(["a", "garbage"], "", "something else than results")

    def test_a_missing_command_is_an_error(self):
        with self.assertRaises(FileNotFoundError):
            run(rows("a"), arguments=["/nonexistent"])

    def test_an_error_of_the_rows_is_passed_on_and_ends_the_process(self):
        def broken():
            yield from rows("a", "b")
            raise KeyError("url")

        before = threading.active_count()
        with self.assertRaises(KeyError):
            run(broken())
        self.assertEqual(threading.active_count(), before)


class EarlyEnd(unittest.TestCase):
    def end(self, mode, sources):
        with tempfile.TemporaryDirectory() as folder:
            pid_file = folder + "/pid"
            environment = {**os.environ, "FAKE": mode, "FAKE_PID": pid_file}
            before = threading.active_count()
            groups = convert(rows(*sources), FAKE, environment)
            self.assertTrue(next(groups))
            pid = int(pathlib.Path(pid_file).read_text())
            groups.close()
            with self.assertRaises(ProcessLookupError):
                os.kill(pid, 0)
            self.assertEqual(threading.active_count(), before)

    def test_of_the_consumer_ends_the_process_and_the_threads(self):
        self.end("", ["a"] * 3000)
        self.end("", ["a"] * 600 + ["hang"])

    def test_ends_a_process_that_ignores_signals(self):
        self.end("stubborn", ["a"] * 600 + ["hang"])


if __name__ == "__main__":
    unittest.main()

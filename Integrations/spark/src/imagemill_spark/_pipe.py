"""One `imagemill pipe` process, which gives each line that it reads a result. Needs no Spark."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections import deque
from typing import Any, Dict, Generic, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

Token = TypeVar("Token")
Line = Mapping[str, str]
Result = Dict[str, Any]

# The rows that imagemill has at most at once. More would wait in its window, which has this size.
IN_FLIGHT = 1024
# Results are passed on when there are this many, or when the first has waited this long.
GROUP = 512
GROUP_SECONDS = 1.0
# The seconds in which a process that is no longer needed may end by itself.
END_SECONDS = 5.0


class PipeError(RuntimeError):
    """imagemill ended, or sent something else than results, before every row had its result."""


class Pipe:
    """A running process: lines go in, results come out, in any order.

    Two threads write its input and read its output, so that neither pipe can block the other. Only the caller's thread
    reads rows: a thread that waited for rows of Spark could still wait when the task has ended, and would take the
    bytes of the next task of the same Python worker.
    """

    def __init__(self, arguments: Sequence[str], environment: Optional[Mapping[str, str]] = None) -> None:
        self._process = subprocess.Popen(
            list(arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=dict(environment) if environment is not None else None)
        # Neither can grow beyond the rows in flight.
        self._lines: "queue.SimpleQueue[Optional[bytes]]" = queue.SimpleQueue()
        self._results: "queue.SimpleQueue[Union[Result, Exception, None]]" = queue.SimpleQueue()
        self._messages: "deque[str]" = deque(maxlen=20)
        self._threads = [
            threading.Thread(target=work, name=f"imagemill-{work.__name__.strip('_')}", daemon=True)
            for work in (self._write, self._read, self._listen)
        ]
        for thread in self._threads:
            thread.start()

    def send(self, lines: bytes) -> None:
        """Hands lines to the writer, without waiting."""
        self._lines.put(lines)

    def end_input(self) -> None:
        """Closes the process's input after the lines that were sent."""
        self._lines.put(None)

    def results(self, timeout: float) -> List[Optional[Result]]:
        """The results that have arrived; waits at most `timeout` seconds for the first. None is the end of the output.

        Raises PipeError if the output isn't results.
        """
        found: List[Optional[Result]] = []
        try:
            result = self._results.get(timeout=timeout)
            while True:
                if isinstance(result, Exception):
                    raise PipeError(f"imagemill sent something else than results: {result}") from result
                found.append(result)
                result = self._results.get_nowait()
        except queue.Empty:
            return found

    def status(self) -> int:
        """The exit status, after the end of the output."""
        return self._process.wait()

    def message(self) -> str:
        """The last lines of standard error."""
        self._threads[2].join(END_SECONDS)
        return " ".join(self._messages)

    def stop(self) -> None:
        """Ends the process, with whatever it was doing, and the threads."""
        self._lines.put(None)
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for thread in self._threads:
            thread.join(END_SECONDS)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _write(self) -> None:
        stream = self._process.stdin
        assert stream is not None
        try:
            while (lines := self._lines.get()) is not None:
                stream.write(lines)
                stream.flush()
        except OSError:
            pass  # The process has ended, which its output and its status tell.
        finally:
            try:
                stream.close()
            except OSError:
                pass

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        try:
            for line in stream:
                result = json.loads(line)
                if not isinstance(result, dict) or not isinstance(result.get("index"), int):
                    raise ValueError(line[:200].decode("utf-8", "replace"))
                self._results.put(result)
            self._results.put(None)
        except Exception as error:  # Passed on to the thread that waits for results.
            self._results.put(error)

    def _listen(self) -> None:
        stream = self._process.stderr
        assert stream is not None
        for line in stream:
            self._messages.append(line.decode("utf-8", "replace").strip())


def convert(
    rows: Iterable[Tuple[Line, Token]], arguments: Sequence[str], environment: Optional[Mapping[str, str]] = None,
    in_flight: int = IN_FLIGHT,
) -> Iterator[List[Tuple[Token, Result]]]:
    """Gives every row to one process, and yields groups of rows with their results, each row once, in any order.

    A row is the object that imagemill reads, and a token that comes back with the result. At most `in_flight` rows are
    in the process or on their way; no further row is taken while the consumer doesn't take results. Without rows, no
    process is started. If the consumer stops early, the process is ended.

    Raises PipeError if the process ends before every row has its result.
    """
    source = iter(rows)
    try:
        first = next(source)
    except StopIteration:
        return
    pipe = Pipe(arguments, environment)
    try:
        yield from _Conversion(pipe, in_flight).groups(_chain(first, source))
    finally:
        pipe.stop()


def _chain(first: Tuple[Line, Token], rest: Iterator[Tuple[Line, Token]]) -> Iterator[Tuple[Line, Token]]:
    yield first
    yield from rest


class _Conversion(Generic[Token]):
    def __init__(self, pipe: Pipe, in_flight: int) -> None:
        self._pipe = pipe
        self._in_flight = in_flight
        self._pending: Dict[int, Token] = {}
        self._sent = 0
        self._is_exhausted = False

    def groups(self, rows: Iterator[Tuple[Line, Token]]) -> Iterator[List[Tuple[Token, Result]]]:
        group: List[Tuple[Token, Result]] = []
        since = 0.0
        is_over = False
        while not is_over:
            self._fill(rows)
            results = self._pipe.results(timeout=GROUP_SECONDS)
            if results and not group:
                since = time.monotonic()
            for result in results:
                if result is None:
                    is_over = True
                    break
                group.append((self._token(result), result))
            if group and (is_over or len(group) >= GROUP or time.monotonic() - since >= GROUP_SECONDS):
                yield group
                group = []
        self._check_end()

    def _fill(self, rows: Iterator[Tuple[Line, Token]]) -> None:
        """Sends as many rows as may be in flight."""
        if self._is_exhausted:
            return
        lines: List[bytes] = []
        while len(self._pending) < self._in_flight:
            try:
                line, token = next(rows)
            except StopIteration:
                self._is_exhausted = True
                break
            self._sent += 1
            self._pending[self._sent] = token
            lines.append(json.dumps(line).encode() + b"\n")
        if lines:
            self._pipe.send(b"".join(lines))
        if self._is_exhausted:
            self._pipe.end_input()

    def _token(self, result: Result) -> Token:
        try:
            return self._pending.pop(result["index"])
        except KeyError:
            raise PipeError(f"imagemill sent a result for row {result['index']}, which awaits none") from None

    def _check_end(self) -> None:
        status = self._pipe.status()
        if status == 0 and self._is_exhausted and not self._pending:
            return
        end = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        raise PipeError(
            f"imagemill {end}; {len(self._pending)} of {self._sent} rows have no result: {self._pipe.message()}")

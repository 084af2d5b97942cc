"""Runs two commands in turns, A B A B, and tells their ratio."""

import os
import statistics
import subprocess
import time
from dataclasses import dataclass, field


@dataclass
class Run:
    """One run: seconds by the clock, seconds of CPU of all its processes, and the largest process's peak, in MB."""

    wall: float
    cpu: float
    memory: float


@dataclass
class Side:
    """A command, what is done before each of its runs, what it is given on standard input, and how many units of work it
    does: ratios are of the time per unit."""

    name: str
    command: list
    before: object = None
    input: str = None
    environment: dict = field(default_factory=dict)
    units: int = 1
    runs: list = field(default_factory=list)

    def run(self):
        if self.before:
            self.before()
        source = open(self.input, "rb") if self.input else subprocess.DEVNULL
        start = time.monotonic()
        process = subprocess.Popen(
            self.command, stdin=source, stdout=subprocess.DEVNULL, env=os.environ | self.environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if self.input:
            source.close()
        if process.returncode:
            raise SystemExit(f"{self.name}: exit {process.returncode}: {' '.join(map(str, self.command))}")
        return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)

    def best(self, figure):
        return min(getattr(run, figure) for run in self.runs)


def compare(rounds, ours, theirs):
    """Lines of a table: our figures, theirs, and the ratio of each round."""
    ours.runs, theirs.runs = [], []
    # The files are in the page cache, and the libraries loaded, for both.
    for side in (ours, theirs):
        side.run()
    for _ in range(rounds):
        ours.runs.append(ours.run())
        theirs.runs.append(theirs.run())
    units = ours.units / theirs.units
    ratios = [a.wall / b.wall / units for a, b in zip(ours.runs, theirs.runs)]
    cpu = [a.cpu / b.cpu / units for a, b in zip(ours.runs, theirs.runs) if b.cpu]
    return (
        f"| {ours.name} | {ours.best('wall'):.2f} s, {ours.best('cpu'):.2f} s CPU, {ours.best('memory'):.0f} MB "
        f"| {theirs.name} {theirs.best('wall'):.2f} s, {theirs.best('cpu'):.2f} s CPU, {theirs.best('memory'):.0f} MB "
        f"| {statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f}); "
        f"CPU {statistics.median(cpu):.2f} |"
    )

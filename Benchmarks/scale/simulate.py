#!/usr/bin/env python3
"""Simulates a cluster that converts images: how much of its time renders, and which limit binds.

    simulate.py [--images-each N] [--executors 1,2,4,…]

An executor has one core. It takes a partition, starts a process for it, downloads with several slots, and renders what
has arrived, one image after the other. The limit of a host is kept in one of two ways: it is divided
among the processes, or all rows of a host are moved to one partition. An executor without work takes a copy of the partition
that has most left, if speculation is on.

Efficiency is the time in which all cores would render the same images without a pause, divided by the simulated time.
The limit that binds is the one without which the same cluster is fastest, if that is 5 % faster or more. The service
times are measured. The same seed gives the same figures. Only the standard library is used.
"""

import argparse
import heapq
import math
import random
from collections import deque
from dataclasses import dataclass, replace

# Seconds. The means are of RESULTS.md (web set from URLs, CPU of all processes for each image; two images of 5 kB).
RENDER = 0.0055
RENDER_SPREAD = 0.6  # The standard deviation of the logarithm.
START = 0.08
LATENCY_SPREAD = 0.4
# What a process has read ahead of its renderings.
AHEAD = 64
UNLIMITED = 10**9


@dataclass(frozen=True)
class Cluster:
    executors: int
    images: int
    per_host: int = 6
    hosts: int = 1000
    top_share: float = 0.0  # The share of the rows that one host has.
    mode: str = "divide"  # Or repartition.
    latency: float = 0.03  # Seconds of a download.
    slots: int = 32
    stragglers: float = 0.0  # The share of executors that are slow; at least one if it isn't 0.
    slowness: float = 4.0
    speculation: bool = False
    partitions_each: int = 4
    start: float = START


class Attempt:
    """A process that works on a partition."""

    def __init__(self, part, counts, limit, slots):
        self.part = part
        self.remaining = dict(counts)
        self.left = sum(counts.values())
        self.limit = limit
        self.slots = slots
        self.active = dict.fromkeys(counts, 0)
        self.ready = deque(counts)
        self.downloads = 0
        self.arrived = 0
        self.rendering = False
        self.over = False

    def next_host(self):
        """A host of which another image may be downloaded now; None without one."""
        if self.downloads >= self.slots or self.downloads + self.arrived >= AHEAD or not self.ready:
            return None
        host = self.ready.popleft()
        self.remaining[host] -= 1
        self.active[host] += 1
        self.downloads += 1
        if self.remaining[host] and self.active[host] < self.limit:
            self.ready.append(host)
        return host

    def finish(self, host):
        if self.remaining[host] and self.active[host] == self.limit:
            self.ready.append(host)
        self.active[host] -= 1
        self.downloads -= 1
        self.arrived += 1


def partitions(cluster, rng):
    """The rows of each partition: how many of which host."""
    count = cluster.executors * cluster.partitions_each
    places = {}
    if cluster.mode == "repartition":
        places = {host: rng.randrange(count) for host in range(cluster.hosts)}
    parts = [{} for _ in range(count)]
    for number in range(cluster.images):
        host = 0 if rng.random() < cluster.top_share else rng.randrange(cluster.hosts)
        part = parts[places[host] if places else number % count]
        part[host] = part.get(host, 0) + 1
    return [part for part in parts if part]


def limit_of_process(cluster):
    """The limit of one process; 0 if there are more processes than the limit has parts."""
    return cluster.per_host if cluster.mode == "repartition" else cluster.per_host // cluster.executors


def simulate(cluster, seed=7883):
    """The seconds until every partition is done."""
    rng = random.Random(seed)
    times = random.Random(seed + 1)
    parts = partitions(cluster, rng)
    limit = limit_of_process(cluster)
    slow = max(1, round(cluster.stragglers * cluster.executors)) if cluster.stragglers else 0
    factor = [cluster.slowness if number < slow else 1 for number in range(cluster.executors)]
    waiting = deque(range(len(parts)))
    running = {}  # The attempts of each partition that isn't done.
    done = 0
    idle = []
    events = []  # (time, number, executor, attempt, host or None for a rendering or -1 for the start)
    count = 0

    def push(time, executor, attempt, what):
        nonlocal count
        count += 1
        heapq.heappush(events, (time, count, executor, attempt, what))

    def begin(executor, now):
        part = None
        if waiting:
            part = waiting.popleft()
        elif cluster.speculation and done * 2 >= len(parts):
            alone = [part for part, attempts in running.items() if len(attempts) == 1]
            part = max(alone, key=lambda part: running[part][0].left, default=None)
        if part is None:
            idle.append(executor)
            return
        attempt = Attempt(part, parts[part], limit, cluster.slots)
        running.setdefault(part, []).append(attempt)
        push(now + cluster.start * factor[executor], executor, attempt, -1)

    def feed(executor, attempt, now):
        while (host := attempt.next_host()) is not None:
            mean = math.log(cluster.latency) - LATENCY_SPREAD**2 / 2
            push(now + times.lognormvariate(mean, LATENCY_SPREAD), executor, attempt, host)
        if attempt.arrived and not attempt.rendering:
            attempt.arrived -= 1
            attempt.rendering = True
            mean = math.log(RENDER) - RENDER_SPREAD**2 / 2
            push(now + times.lognormvariate(mean, RENDER_SPREAD) * factor[executor], executor, attempt, None)

    for executor in reversed(range(cluster.executors)):
        begin(executor, 0)
    now = 0.0
    while done < len(parts):
        now, _, executor, attempt, what = heapq.heappop(events)
        if attempt.over:
            # The copy was faster: this executor is free as soon as it hears of it.
            if executor is not None and attempt.part is not None:
                attempt.part = None
                begin(executor, now)
            continue
        if what is None:
            attempt.rendering = False
            attempt.left -= 1
            if attempt.left == 0:
                for other in running.pop(attempt.part):
                    other.over = True
                attempt.part = None
                done += 1
                begin(executor, now)
                if cluster.speculation and idle:
                    others, idle[:] = list(idle), []
                    for other in others:
                        begin(other, now)
                continue
        elif what >= 0:
            attempt.finish(what)
        feed(executor, attempt, now)
    return now


def binding(cluster, seconds):
    """The limit without which the cluster is fastest, and that time."""
    lifted = {
        "host limit": replace(cluster, per_host=UNLIMITED),
        "download slots": replace(cluster, slots=UNLIMITED),
        "start": replace(cluster, start=0),
    }
    if cluster.stragglers:
        lifted["stragglers"] = replace(cluster, stragglers=0)
    if cluster.mode == "repartition":
        # All limits stay with the host, but its rows are wherever there is room.
        lifted["uneven hosts"] = replace(cluster, mode="divide", per_host=UNLIMITED)
    times = {name: simulate(other) for name, other in lifted.items()}
    name = min(times, key=lambda name: times[name])
    return (name, times[name]) if times[name] < seconds * 0.95 else ("cores", seconds)


SCENARIOS = [
    ("1,000 hosts, 6 each, divided", {}),
    ("1,000 hosts, 6 each, repartitioned", {"mode": "repartition"}),
    ("1,000 hosts, one of which has 20 % of the rows, repartitioned", {"mode": "repartition", "top_share": 0.2}),
    ("one host, 6, divided", {"hosts": 1}),
    ("one store that takes 2,048 at a time, divided", {"hosts": 1, "per_host": 2048}),
    ("the same, an executor in 16 is 4 times slower", {"hosts": 1, "per_host": 2048, "stragglers": 1 / 16}),
    ("the same with speculation", {"hosts": 1, "per_host": 2048, "stragglers": 1 / 16, "speculation": True}),
    (
        "the same with speculation and 16 partitions for each executor",
        {"hosts": 1, "per_host": 2048, "stragglers": 1 / 16, "speculation": True, "partitions_each": 16},
    ),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images-each", type=int, default=2000)
    parser.add_argument("--executors", default="1,2,4,8,16,32,64")
    options = parser.parse_args()
    numbers = [int(word) for word in options.executors.split(",")]
    print(f"{options.images_each} images for each executor; efficiency, and the limit that binds\n")
    print("| | " + " | ".join(map(str, numbers)) + " |\n| --- |" + " --- |" * len(numbers))
    for name, settings in SCENARIOS:
        cells = []
        for executors in numbers:
            cluster = Cluster(executors=executors, images=options.images_each * executors, **settings)
            if limit_of_process(cluster) < 1:
                cells.append("refused")
                continue
            seconds = simulate(cluster)
            efficiency = cluster.images * RENDER / executors / seconds
            cells.append(f"{efficiency:.2f} {binding(cluster, seconds)[0]}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

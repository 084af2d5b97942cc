#!/usr/bin/env python3
"""Speaks imagemill's protocol, and fails as it is told by the sources of its lines and by the variable FAKE."""

import json
import os
import signal
import sys
import time

mode = os.environ.get("FAKE", "")
if mode == "usage":
    print("imagemill: unknown option '--nothing'", file=sys.stderr)
    sys.exit(2)
if mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "FAKE_PID" in os.environ:
    with open(os.environ["FAKE_PID"], "w") as file:
        file.write(str(os.getpid()))
held = []
for index, line in enumerate(sys.stdin.buffer, 1):
    record = json.loads(line)
    if "FAKE_LOG" in os.environ:
        with open(os.environ["FAKE_LOG"], "ab") as log:
            log.write(line)
    source = record.get("source", "")
    if source == "die":
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    if source == "leave":
        sys.stdout.flush()
        sys.exit(0)
    if source == "garbage":
        print("Segmentation fault", flush=True)
        continue
    if source == "hang":
        time.sleep(600)
    result = {"version": 1, "index": index, "source": source, "output": record.get("output"), "status": "written"}
    if source == "fail" or "output" not in record:
        result.update(
            status="failed", width=None,
            error={"code": "http-status", "stage": "download", "message": "404 Not Found", "temporary": False})
    else:
        result.update(width=3, height=2, bytes=100, sha256="ab" * 32, seconds=0.0125)
    if "--placeholders" in sys.argv:
        result["placeholders"] = {
            "dominantColor": "#fff", "blurHash": "L0", "thumbHash": "1Q", "dataURI": "data:,"}
    held.append(json.dumps(result))
    # Out of order, as downloads end.
    if len(held) == 3 or mode != "late":
        print("\n".join(reversed(held)), flush=True)
        held = []
print("\n".join(held), flush=True) if held else None
if mode == "status":
    print("imagemill: can't write standard output: No space left on device", file=sys.stderr)
    sys.exit(1)

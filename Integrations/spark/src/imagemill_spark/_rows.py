"""Rows as imagemill reads them, and results as rows. Needs no Spark."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from ._pipe import IN_FLIGHT, Line, Result, convert

URL, CHAIN, OUTPUT = "url", "chain", "output"

# The columns of a result, with the types of Spark.
RESULT_COLUMNS: Tuple[Tuple[str, str], ...] = (
    ("status", "string"), ("width", "int"), ("height", "int"), ("bytes", "bigint"), ("sha256", "string"),
    ("error_code", "string"), ("error_message", "string"), ("attempts", "int"), ("milliseconds", "bigint"),
)
PLACEHOLDER_COLUMNS: Tuple[Tuple[str, str], ...] = (
    ("dominant_color", "string"), ("blur_hash", "string"), ("thumb_hash", "string"), ("data_uri", "string"),
)
# Sums that can be counted beside the statuses of rows.
COUNTED_BYTES = "bytes"
STATUSES = ("written", "unchanged", "cached", "kept", "failed")


@dataclass(frozen=True)
class Settings:
    """What a partition needs to know."""

    command: str
    output_dir: str
    jobs: int = 1
    memory: Optional[str] = None
    per_host: Optional[int] = None
    cache_dir: Optional[str] = None
    placeholders: bool = False
    options: Tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    in_flight: int = IN_FLIGHT

    def arguments(self) -> List[str]:
        arguments = [
            self.command, "pipe", "--input", "ndjson", "--json", "--failures-are-results", "--quiet", "--progress",
            "none", "--jobs", str(self.jobs), "--output-dir", self.output_dir,
        ]
        if self.per_host is not None:
            arguments += ["--per-host", str(self.per_host)]
        if self.memory is not None:
            arguments += ["--memory", self.memory]
        if self.cache_dir is not None:
            arguments += ["--cache-dir", self.cache_dir]
        if self.placeholders:
            arguments.append("--placeholders")
        return arguments + list(self.options)

    def columns(self) -> Tuple[Tuple[str, str], ...]:
        return RESULT_COLUMNS + (PLACEHOLDER_COLUMNS if self.placeholders else ())


def line(url: Optional[str], chain: Optional[str], output: Optional[str]) -> Line:
    """The object that imagemill reads; it gives one without a source or an output a failure as its result."""
    record: Dict[str, str] = {}
    if url is not None:
        record["source"] = url
    if output is not None:
        record["output"] = output
    if chain:
        record["filter"] = chain
    return record


def values(result: Result, attempt: int, placeholders: bool) -> Tuple[Any, ...]:
    """The values of `Settings.columns`."""
    error = result.get("error") or {}
    seconds = result.get("seconds")
    row = (
        result["status"], result.get("width"), result.get("height"), result.get("bytes"), result.get("sha256"),
        error.get("code"), error.get("message"), attempt,
        None if seconds is None else round(seconds * 1000),
    )
    if not placeholders:
        return row
    found = result.get("placeholders") or {}
    return row + tuple(found.get(name) for name in ("dominantColor", "blurHash", "thumbHash", "dataURI"))


def count(counters: Mapping[str, Any], results: Sequence[Result]) -> None:
    """Adds to accumulators, whose names are statuses and `bytes`."""
    for name, counter in counters.items():
        if name == COUNTED_BYTES:
            amount = sum(result.get("bytes") or 0 for result in results)
        else:
            amount = sum(result["status"] == name for result in results)
        if amount:
            counter.add(amount)


def convert_rows(
    rows: Iterable[Mapping[str, Any]], settings: Settings, environment: Mapping[str, str],
    counters: Optional[Mapping[str, Any]] = None, attempt: int = 1,
) -> Iterator[Dict[str, Any]]:
    """The rows of a partition as mappings, each with its result's columns."""
    lines = ((line(row.get(URL), row.get(CHAIN), row.get(OUTPUT)), row) for row in rows)
    names = [name for name, _ in settings.columns()]
    for group in convert(lines, settings.arguments(), environment, settings.in_flight):
        count(counters or {}, [result for _, result in group])
        for row, result in group:
            yield {**row, **dict(zip(names, values(result, attempt, settings.placeholders)))}

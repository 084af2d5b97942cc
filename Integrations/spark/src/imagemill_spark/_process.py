"""The public function, and what runs on executors."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ._pipe import IN_FLIGHT, Line, Result, convert
from ._rows import CHAIN, COUNTED_BYTES, OUTPUT, STATUSES, URL, Settings, count, line, values

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame

# The value of `cache_dir` for a directory that ends with its executor.
EXECUTOR = "executor"
# Scheme, user and host, as Java reads them: the port is left out, since a host's ports share a machine.
HOST_PATTERN = r"^[a-z][a-z0-9+.-]*://(?:[^@/?#]*@)?(\[[^\]]*\]|[^:/?#]*)"


def process(
    df: "DataFrame",
    *,
    output_dir: str,
    command: str = "imagemill",
    partition_by: Optional[str] = None,
    partitions: Optional[int] = None,
    per_host: Optional[int] = None,
    parallelism: Optional[int] = None,
    jobs: int = 1,
    memory: Optional[str] = None,
    cache_dir: Optional[str] = EXECUTOR,
    placeholders: bool = False,
    counters: Optional[Mapping[str, Any]] = None,
    options: Sequence[str] = (),
    environment: Optional[Mapping[str, str]] = None,
    in_flight: int = IN_FLIGHT,
) -> "DataFrame":
    """Converts the images of a DataFrame, and returns the result of each row.

    `df` has the columns `url` (a source of imagemill), `output` (a path below `output_dir`, which may have fields such
    as {name}) and, if wanted, `chain` (filters such as fill:100x100,circle). Other columns are passed through.

    The result has all columns of `df` and

    - status: written, unchanged, cached, kept or failed
    - width, height, bytes, sha256 of the output
    - error_code, error_message of a failed row; codes are in imagemill(1) under DIAGNOSTICS
    - attempts: how often Spark started the row's task
    - milliseconds from the start of the row's download to its output
    - dominant_color, blur_hash, thumb_hash, data_uri with `placeholders`

    Rows fail alone. If imagemill itself fails, the task does, and Spark tries it again: outputs that are in place are
    not made again. Rows of the result are in no order.

    Parameters:
        output_dir: The directory of outputs, which all executors mount under this path.
        command: imagemill on the executors.
        partition_by: "host" moves the rows of a host to one partition, so that one process has all of its limit.
        partitions: How many partitions "host" makes (default: spark.sql.shuffle.partitions).
        per_host: Requests at once to one host from all executors together. Without partition_by, the limit is divided
            by `parallelism`. Default: imagemill's own limit for each process.
        parallelism: Tasks that run at once (default: the cores of all executors).
        jobs: Rendering slots of a process; the cores of a task.
        memory: Memory for the rendering of a process, such as 2GiB (default: half of the machine's).
        cache_dir: imagemill's cache: a path on the executors, None for imagemill's default, or "executor" for one in
            each executor's own directory (default).
        counters: Accumulators named written, unchanged, cached, kept, failed and bytes, any of them.
        options: More options of `imagemill pipe`.
        environment: More variables for imagemill.
        in_flight: Rows that one process has at most at once.
    """
    session = df.sparkSession
    settings = Settings(
        command=command, output_dir=output_dir, jobs=jobs, memory=memory, cache_dir=cache_dir,
        placeholders=placeholders, options=tuple(options), environment=dict(environment or {}), in_flight=in_flight)
    _check(df.columns, settings, counters)
    if partition_by == "host":
        number = partitions or int(session.conf.get("spark.sql.shuffle.partitions", "200") or 200)
        df = df.repartition(number, _host(df[URL]))
        settings = replace(settings, per_host=per_host)
    elif partition_by is None:
        if partitions is not None:
            raise ValueError("partitions is for partition_by='host'; use df.repartition()")
        if per_host is not None:
            settings = replace(
                settings, per_host=divided(per_host, parallelism or session.sparkContext.defaultParallelism))
    else:
        raise ValueError(f"partition_by must be 'host' or None, not {partition_by!r}")
    return df.mapInArrow(_converter(settings, dict(counters or {})), _schema(df, settings))


def divided(per_host: int, processes: int) -> int:
    """The part of a host's limit that each of several processes has."""
    if per_host < processes:
        raise ValueError(
            f"per_host={per_host} can't be divided among {processes} processes; use partition_by='host', or coalesce()")
    return per_host // processes


def host(url: Optional[str]) -> str:
    """The host that partition_by='host' finds; empty for a path."""
    found = re.match(HOST_PATTERN, (url or "").lower())
    return found.group(1) if found else ""


def _host(url: "Column") -> "Column":
    from pyspark.sql import functions

    found = functions.regexp_extract(functions.lower(url), HOST_PATTERN, 1)
    # Paths have no host, and need not be together.
    return functions.when(found != "", found).otherwise(url)


def _check(columns: Sequence[str], settings: Settings, counters: Optional[Mapping[str, Any]]) -> None:
    missing = [name for name in (URL, OUTPUT) if name not in columns]
    if missing:
        raise ValueError(f"the DataFrame has no column {' and no column '.join(missing)}")
    taken = [name for name, _ in settings.columns() if name in columns]
    if taken:
        raise ValueError(f"the DataFrame has columns with names of results: {', '.join(taken)}; rename them")
    unknown = sorted(set(counters or {}) - {*STATUSES, COUNTED_BYTES})
    if unknown:
        raise ValueError(f"no counter is called {unknown[0]!r}; names are {', '.join(STATUSES)} and {COUNTED_BYTES}")
    if settings.jobs < 1 or settings.in_flight < 1:
        raise ValueError("jobs and in_flight must be 1 or more")


def _schema(df: "DataFrame", settings: Settings) -> Any:
    from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

    types = {"string": StringType(), "int": IntegerType(), "bigint": LongType()}
    return StructType(df.schema.fields + [StructField(name, types[kind]) for name, kind in settings.columns()])


# MARK: On executors


def _converter(
    settings: Settings, counters: Mapping[str, Any]
) -> Callable[[Iterator["pyarrow.RecordBatch"]], Iterator["pyarrow.RecordBatch"]]:
    # Arrow rather than pandas: there, whole numbers with nulls would become floats.
    def convert_batches(batches: Iterator["pyarrow.RecordBatch"]) -> Iterator["pyarrow.RecordBatch"]:
        attempt = _attempt()
        environment = {**os.environ, **settings.environment}
        own = replace(settings, cache_dir=_cache_directory(settings.cache_dir))
        for group in convert(_rows(batches), own.arguments(), environment, own.in_flight):
            count(counters, [result for _, result in group])
            yield from _results(group, own, attempt)

    return convert_batches


def _attempt() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return 1 if context is None else context.attemptNumber() + 1


def _cache_directory(setting: Optional[str]) -> Optional[str]:
    if setting != EXECUTOR:
        return setting
    from pyspark import SparkFiles

    return os.path.join(SparkFiles.getRootDirectory(), "imagemill-cache")


Place = Tuple["pyarrow.RecordBatch", int]


def _rows(batches: Iterator["pyarrow.RecordBatch"]) -> Iterator[Tuple[Line, Place]]:
    for batch in batches:
        names = batch.schema.names
        columns: List[List[Optional[str]]] = [
            batch.column(names.index(name)).to_pylist() if name in names else [None] * batch.num_rows
            for name in (URL, CHAIN, OUTPUT)
        ]
        for place, (url, chain, output) in enumerate(zip(*columns)):
            yield line(url, chain, output), (batch, place)


def _results(
    group: Sequence[Tuple[Place, Result]], settings: Settings, attempt: int
) -> Iterator["pyarrow.RecordBatch"]:
    """The rows of a group, by the batches that they came from."""
    import pyarrow

    types = {"string": pyarrow.string(), "int": pyarrow.int32(), "bigint": pyarrow.int64()}
    by_batch: Dict[int, List[Tuple[Place, Result]]] = {}
    for entry in group:
        by_batch.setdefault(id(entry[0][0]), []).append(entry)
    for entries in by_batch.values():
        batch = entries[0][0][0]
        kept = batch.take(pyarrow.array([place for (_, place), _ in entries], pyarrow.int64()))
        made = zip(*(values(result, attempt, settings.placeholders) for _, result in entries))
        columns = [
            pyarrow.array(list(column), types[kind]) for column, (_, kind) in zip(made, settings.columns())
        ]
        names = [name for name, _ in settings.columns()]
        yield pyarrow.RecordBatch.from_arrays(list(kept.columns) + columns, batch.schema.names + names)

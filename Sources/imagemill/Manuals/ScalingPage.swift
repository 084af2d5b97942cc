/// imagemill-scale(7). The figures are those of Benchmarks/NOTES.md and Benchmarks/RESULTS.md.
enum ScalingPage {
  static let text =
    ManualPage.head("IMAGEMILL-SCALE", section: 7)
      + #"""
      .Sh NAME
      .Nm imagemill-scale
      .Nd run imagemill on several machines
      .Sh DESCRIPTION
      .Nm imagemill
      has no scheduler of its own.
      Jobs are independent, unless the source of one is the output of another.
      Any scheduler can divide a list among machines: as parts of a manifest
      .Pq Fl \-shard
      or as partitions of a Spark DataFrame.
      Machines share only the place of the outputs and an optional remote cache.
      .Ss Parts of a manifest
      .Fl \-shard Ar k/n
      selects one of n parts.
      Each job is in exactly one part, which depends on its sources and outputs only: a job stays in its part when others are
      added, and a part can be run again alone.
      All parts use the same manifest; every part reads all of it.
      .Pp
      With
      .Fl \-report ,
      each part writes a report;
      .Cm imagemill report merge
      merges them.
      Job indexes are those of the whole manifest.
      .Pp
      .Pa Examples/scale
      of the source tree has examples for GNU parallel, a Slurm array, a Kubernetes indexed Job and a GitHub Actions matrix.
      .Ss Spark
      .Pa Integrations/spark
      of the source tree is a Python package,
      .Ql imagemill_spark ,
      with one function.
      It takes a DataFrame with the columns
      .Ql url ,
      .Ql chain
      and
      .Ql output ,
      and returns one with the result of each row, failed or not:
      .Bd -literal -offset indent
      from imagemill_spark import process

      rows = spark.read.parquet("images.parquet")
      results = process(rows, output_dir="/mnt/images", per_host=64)
      results.write.parquet("results.parquet")
      .Ed
      .Pp
      All executors must mount the output directory.
      Each partition is converted by one
      .Cm imagemill pipe
      on its executor.
      If that process ends before its last result, the task fails and Spark tries it again.
      A task may run twice, even concurrently: both attempts write identical files, and each file is replaced atomically.
      .Ss A cache for all machines
      With
      .Fl \-remote\-cache ,
      a machine renders nothing that another machine with the same versions has rendered; see REMOTE CACHE in
      .Xr imagemill-run 1 .
      The cache is an HTTP server, or a bucket of object storage that all machines can reach:
      .Ql s3://bucket/prefix .
      It pays off where the same outputs are made again from an empty directory, as in CI, and after a part moved to another
      machine.
      For images that are converted once it only adds requests: one GET per output, and two PUTs per upload.
      In S3, a million outputs cost $0.40 for GETs and $10 for PUTs; a second machine pays $0.80, for two GETs per output.
      .Ss Sources in object storage
      Each machine reads
      .Ql s3://
      sources directly; see
      .Xr imagemill-s3 7 .
      Outputs are uploaded with
      .Fl C Ql s3://bucket/prefix ;
      otherwise they are files: put them on a file system that all machines mount, or copy them at the end of each part.
      .Ss Limits of hosts
      .Fl \-per\-host
      limits one process.
      Together, n processes send n times as many requests to a host as one.
      Either divide the limit by the number of processes, or give all sources of a host to the same process.
      .Ql process()
      divides
      .Ql per_host
      among the executors; with
      .Ql partition_by="host" ,
      it moves the rows of a host to one partition, which gets the whole limit.
      .Pp
      A process that renders r images per second from a store with a latency of t seconds needs r times t concurrent downloads:
      about six for 180 images per second and 30 milliseconds.
      On eight cores with one store, set
      .Fl \-per\-host
      and
      .Fl \-downloads
      to 64.
      .Sh ESTIMATE FOR 16 EXECUTORS
      16 executors of one core, each with its own process; images of 100 kB that become 256 pixels wide and 10 kB.
      The CPU time per image (5.5 milliseconds) was measured on one machine.
      The efficiency (0.95, with a store that allows 2,048 concurrent requests) was simulated.
      Efficiency is the throughput divided by that of the same cores without waits.
      The rest is arithmetic.
      No cluster of this size has been measured.
      .Bl -tag -width Ds
      .It Images
      2,760 per second; 10^8 in 10 hours, which are 160 core-hours
      .It Requests to the store
      2,760 GETs per second, 80 at a time if each takes 30 milliseconds
      .It Bytes
      276 MB/s in and 28 MB/s out, 17 and 2 MB/s for each core; 10 TB and 1 TB in all
      .It Shuffle
      none; with
      .Ql partition_by="host" ,
      the rows once (URLs, not images)
      .It Results
      0.5 kB per row, 50 GB in all, which Spark writes
      .It Price at S3's list prices in us-east-1
      $40 for 10^8 GETs ($0.0004 per 1,000) and $0.50 for 10^5 LIST requests of 1,000 keys each ($0.005 per 1,000).
      Transfer within the region is free; transfer out costs $900 ($0.09 per GB), more than everything else.
      Storing the outputs in S3 costs $500 for 10^8 PUTs, and $23 per month.
      .El
      .Ss Where it breaks first
      .Bl -tag -width Ds
      .It One host
      A host that allows 6 concurrent requests feeds one core: two executors have an efficiency of 0.54, and four are slower
      than one.
      .It Uneven hosts
      If the rows of a host are kept together, the largest partition ends last.
      With 1,000 hosts the efficiency of 16 executors is 0.82 and that of 64 is 0.71; if one host has a fifth of the rows,
      executors after the sixth add nothing.
      Give that host a job of its own.
      .It Slow machines
      One executor in 16 that is four times slower brings the efficiency to 0.48.
      Speculation, which Spark has with
      .Ql spark.speculation ,
      brings it back to 0.78.
      .It One prefix of a bucket
      S3 serves 5,500 GETs per second for each prefix, which 32 cores reach.
      Above that, it responds with 503 SlowDown;
      .Nm imagemill
      retries and slows down.
      Spread the keys over several prefixes.
      .It A long manifest
      Every part reads the whole manifest.
      Above about ten million lines, give each part its own list, or use Spark.
      .It Many files
      A directory of 10^8 files is slow in most file systems: use an output such as
      .Ql {source-hash:2}/{source-hash:16}.webp .
      .El
      .Sh EXAMPLES
      Run two of four parts, and merge their reports:
      .Pp
      .Dl imagemill run --shard 1/4 --report 1.ndjson images.yaml
      .Dl imagemill run --shard 2/4 --report 2.ndjson images.yaml
      .Dl imagemill report merge 1.ndjson 2.ndjson -o both.html
      .Pp
      Run the other two, one after the other:
      .Pp
      .Dl for part in 3 4; do imagemill run --shard $part/4 --report $part.ndjson images.yaml; done
      .Sh SEE ALSO
      .Xr imagemill-pipe 1 ,
      .Xr imagemill-report 1 ,
      .Xr imagemill-run 1 ,
      .Xr imagemill-manifest 5 ,
      .Xr imagemill-s3 7

      """#
}

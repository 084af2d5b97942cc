/// REPORTS: the files that `--report` and `--emit` write.
enum ReportSection {
  /// REPORTS of a command; empty for commands that run no batch.
  static func text(of command: String) -> String {
    guard ["run", "pipe"].contains(command) else { return "" }
    return """
      .Sh REPORTS
      A report is written atomically at the end of a run, even if a signal ended it.
      Outputs are in the order of the input.
      The extension of the file name selects the format:
      .Bl -tag -width Ds
      .It Pa .ndjson
      One JSON object for each output, on a line of its own.
      Its members are
      .Ql version
      (1),
      .Ql index ,
      .Ql source ,
      .Ql output
      (the path as requested),
      .Ql path
      (of the file),
      .Ql status
      (see below),
      .Ql width ,
      .Ql height ,
      .Ql frames ,
      .Ql bytes ,
      .Ql quality
      (chosen to meet
      .Fl \\-max-output-bytes ) ,
      .Ql sourceBytes ,
      .Ql sha256 ,
      .Ql filter ,
      .Ql format ,
      .Ql seconds ,
      .Ql usedPlaceholder
      (whether the fallback image was used)
      and
      .Ql fields
      (of the input).
      A failed output also has
      .Ql error ,
      with
      .Ql code ,
      .Ql stage ,
      .Ql source
      (the one that failed),
      .Ql message
      and
      .Ql temporary .
      An output of a manifest, a list or a table also has
      .Ql location ,
      with
      .Ql file ,
      .Ql line
      and
      .Ql column .
      With
      .Fl \\-placeholders
      or an .html report, an output also has
      .Ql placeholders
      (dominant color, BlurHash, ThumbHash and data URI).
      .Fl \\-failed
      reads this report.
      .It Pa .json
      One object with
      .Ql version
      (1),
      .Ql imagemill
      (the version of imagemill),
      .Ql summary
      (of the run) and
      .Ql outputs
      (the objects of .ndjson, without
      .Ql version ) .
      .It Pa .xml
      JUnit, for the test pages of GitLab, Jenkins and others: a case for each output, a failure for each output that
      isn't in place, and one skipped case for all jobs that were not started.
      Cases have the manifest's
      .Ql file
      and
      .Ql line .
      .It Pa .html
      A contact sheet: every image with its size, its savings and its chain as written in the manifest.
      Failures come first, then the outputs of each source.
      A slider compares an output with its source.
      The page can be searched and printed.
      It loads images from its own directory; a remote source is loaded only for comparison.
      .Fl \\-compare
      with the
      .Pa .json
      or
      .Pa .ndjson
      report of an earlier run shows which outputs are new, changed, fixed, newly failed or missing.
      .El
      .Pp
      The status of an output is one of these:
      .Bl -tag -width unchanged
      .It Li written
      It was rendered and written.
      .It Li unchanged
      It was up to date, or the file had the same bytes.
      .It Li cached
      It was copied from the cache or from an equal output.
      .It Li kept
      .Fl \\-no-clobber
      kept the existing file.
      .It Li failed
      It couldn't be made or written.
      .El
      .Pp
      .Fl \\-emit
      writes markup for each job's outputs, with URLs relative to the directory of its file:
      .Ql srcset
      is an <img> in the format that most browsers support,
      .Ql picture
      is a <picture> with a source for each format, and
      .Ql json
      has the same data as JSON.
      .Ic markup
      in a manifest sets the alternative text and other attributes.

      """
  }
}

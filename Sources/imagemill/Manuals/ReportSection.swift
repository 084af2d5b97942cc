/// REPORTS: what `--report` and `--emit` write. A test holds the members against those of a report.
enum ReportSection {
  /// Of the commands that run batches; none for others.
  static func text(of command: String) -> String {
    guard ["run", "pipe"].contains(command) else { return "" }
    return """
      .Sh REPORTS
      A report is put in its place, whole, when the run has ended, also when a signal has ended it.
      Outputs stand in the order of the input.
      Its name says what it is:
      .Bl -tag -width Ds
      .It Pa .ndjson
      An object a line for each output, with the members
      .Ql index ,
      .Ql source ,
      .Ql output
      (as it was asked for) and
      .Ql path
      (to open),
      .Ql status
      (written, cached, unchanged, kept or failed),
      .Ql width ,
      .Ql height ,
      .Ql frames ,
      .Ql bytes ,
      .Ql quality
      (that max-bytes has reached),
      .Ql sourceBytes ,
      .Ql sha256 ,
      .Ql filter ,
      .Ql format ,
      .Ql seconds ,
      .Ql usedPlaceholder ,
      .Ql fields
      (of the input), for a failure
      .Ql error
      with
      .Ql code ,
      .Ql stage ,
      .Ql source
      (the one that failed),
      .Ql message
      and
      .Ql temporary ,
      where there is a manifest
      .Ql manifest
      with
      .Ql file ,
      .Ql line
      and
      .Ql column ,
      and, with
      .Fl \\-placeholders
      or a contact sheet,
      .Ql placeholders .
      .Fl \\-failed
      reads it.
      .It Pa .json
      One object: imagemill's version, a
      .Ql summary
      of the run, and the same objects as
      .Ql outputs .
      .It Pa .xml
      JUnit's, for the tests' pages of GitLab, Jenkins and others: a case for each output, a failure for each that
      isn't in place, and a skipped case for the jobs that were never begun.
      .It Pa .html
      A contact sheet: every picture with its size and what it saves, failures with their reasons, to be searched
      and printed.
      It loads nothing but the pictures beside it.
      .El
      .Pp
      .Fl \\-emit
      writes what a page needs to show the outputs of a matrix, with addresses from the directory of its file:
      .Ql srcset
      an <img> in the format that every browser knows,
      .Ql picture
      a <picture> with a source for each format, and
      .Ql json
      the same as data.
      The text for
      .Ql alt
      is left to you.

      """
  }
}

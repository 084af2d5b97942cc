/// FOR PROGRAMS: how another program drives `pipe`.
enum ProgramsSection {
  /// The section of a command; empty for commands that have none.
  static func text(of command: String) -> String {
    guard command == "pipe" else { return "" }
    return #"""
      .Sh FOR PROGRAMS
      A program that needs a result for each line, such as a Spark executor, uses
      .Fl \-input Cm ndjson Fl \-json Fl \-failures\-are\-results .
      The result of the n-th job has the
      .Ql index
      n, from 1, and the members of an NDJSON report line; blank lines aren't counted.
      A job with several outputs has a result for each.
      .Pp
      The exit status is 0 if every line is a JSON object and has its result, failed or not.
      It is 1 if a line isn't a JSON object; that line has a failed result too.
      Also with another status, or if the input or the output fails, results may be missing: the command line is wrong, or a
      signal stopped the run.
      Lines without a result can be given to another process: outputs that are in place are not made again, and outputs
      are never partial.
      Failures are not repeated on standard error.
      .Pp
      If the template has no field, the first line is converted when the second one or the end of the input has come: two lines
      would have the same path.
      .Pp
      Results are written in batches, at most 50 milliseconds late.
      If results are not read,
      .Nm imagemill
      stops reading after about 1,024 lines.
      The process ends within a second after the end of its input and the last result.

      """#
  }
}

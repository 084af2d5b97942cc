/// FOR PROGRAMS: how another program drives `pipe`.
enum ProgramsSection {
  /// The section of a command; empty for commands that have none.
  static func text(of command: String) -> String {
    guard command == "pipe" else { return "" }
    return #"""
      .Sh FOR PROGRAMS
      A program that gives each line a result of its own, such as an executor of Spark, uses
      .Fl \-input Cm ndjson Fl \-json Fl \-failures\-are\-results .
      The result of the n-th line has the
      .Ql index
      n, and the members of a line of an NDJSON report.
      .Pp
      The exit status then is 0 when every line has its result, failed or not.
      Other statuses mean that results may be missing: the command line is wrong, a line isn't a JSON object, the input or
      the output failed, or a signal stopped the run.
      Lines without a result can be given to another process: outputs that are in place are not made again, and none is
      there in part.
      Failures are not repeated on standard error.
      .Pp
      A result is written at most 50 milliseconds after it is known, together with others of that time.
      If results are not read, lines are not read either, beyond about a thousand.
      The process ends within a second after the end of its input and the last result.

      """#
  }
}

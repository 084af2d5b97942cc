import ArgumentParser
import Glibc

/// Parses the arguments, runs the command and ends the process with its status.
enum CommandRunner {
  static func run(_ arguments: [String]) async {
    // A reader that closes its end is an error of that write, not the end of us.
    signal(SIGPIPE, SIG_IGN)
    // A file that grows beyond `ulimit -f` is an error of that write too.
    signal(SIGXFSZ, SIG_IGN)
    do {
      try CommandLineComplaint.check(arguments)
      var command = try Imagemill.parseAsRoot(Operands.grouped(arguments))
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      try StandardOutput.end()
    } catch {
      // What ends a command early ends its display too.
      StandardError.endDisplay()
      end(with: error)
    }
  }

  private static func end(with error: any Error) -> Never {
    switch error {
    case let status as ExitStatus: exit(status.rawValue)
    case let complaint as Complaint:
      StandardError.write("imagemill: \(complaint.message)\n")
      exit(complaint.status.rawValue)
    case let complaint as ManifestComplaint:
      complaint.print()
      exit(ExitStatus.usage.rawValue)
    default: end(withParser: error)
    }
  }

  /// Help and versions go to standard output with status 0; what is wrong with the command line, to standard error
  /// with status 2.
  private static func end(withParser error: any Error) -> Never {
    let text = Imagemill.fullMessage(for: error)
    let code = Imagemill.exitCode(for: error)
    if code == .success {
      do throws(Complaint) {
        try StandardOutput.write(text.isEmpty ? "" : text + "\n")
        try StandardOutput.end()
      } catch {
        end(with: error)
      }
      exit(ExitStatus.success.rawValue)
    }
    StandardError.write(text.isEmpty ? "" : CommandLineComplaint.text(text))
    exit(code == .validationFailure ? ExitStatus.usage.rawValue : ExitStatus.failed.rawValue)
  }
}

/// Something that ends the command with a sentence on standard error.
struct Complaint: Error {
  let status: ExitStatus
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}

import ArgumentParser
import Glibc
import SystemIO

/// Parses the arguments, runs the command and ends the process with its status.
enum CommandRunner {
  static func run(_ arguments: [String]) async {
    // Writing to a closed pipe fails with EPIPE instead of killing the process.
    signal(SIGPIPE, SIG_IGN)
    // Likewise EFBIG for a file that grows beyond `ulimit -f`.
    signal(SIGXFSZ, SIG_IGN)
    Signals.endAtOnce()
    // The pages of 'help' have their own width.
    if arguments.first != HelpCommand._commandName { widenHelp() }
    do {
      try refuseOtherEncodings()
      try UsageErrorFormatter.check(arguments)
      let invocation = try Invocation(arguments)
      invocation.loadEngine()
      let command = try invocation.parse()
      try await Invocation.$current.withValue(invocation) { try await run(command) }
      try StandardOutput.end()
      ExitStatus.success.endProcess()
    } catch {
      // An error may end the command while the progress display is still up.
      StandardError.endDisplay()
      end(with: error, arguments)
    }
  }

  /// Refuses arguments that aren't UTF-8. As text they would name other files.
  private static func refuseOtherEncodings() throws {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = CommandLine.unsafeArgv[index], String(validatingCString: bytes) == nil else {
        continue
      }
      throw CommandError(
        .usage,
        "the argument '\(String(cString: bytes))' isn't UTF-8; rename the file, or set the terminal to UTF-8")
    }
  }

  private static func run(_ command: any ParsableCommand) async throws {
    var command = command
    if var asynchronous = command as? any AsyncParsableCommand {
      try await asynchronous.run()
    } else {
      try command.run()
    }
  }

  private static func end(with error: any Error, _ arguments: [String]) -> Never {
    switch error {
    case let status as ExitStatus: status.endProcess()
    case let complaint as CommandError:
      StandardError.say("imagemill: \(complaint.message)")
      complaint.status.endProcess()
    case let complaint as ManifestCommandError:
      complaint.print()
      ExitStatus.usage.endProcess()
    default: end(withParser: error, arguments)
    }
  }

  /// Widens help on a narrow terminal. The parser formats it even to find the exit status, and ends the process if
  /// descriptions get no room beside the names of options.
  private static func widenHelp() {
    let leastColumns = 40
    var width: Int?
    if let text = getenv("COLUMNS").map({ String(cString: $0) }), let columns = Int(text), columns > 0 {
      width = columns
    } else {
      var size = winsize()
      if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { width = Int(size.ws_col) }
    }
    if let width, width < leastColumns { setenv("COLUMNS", "\(leastColumns)", 1) }
  }

  /// Writes help and versions to standard output with status 0, usage errors to standard error with status 2.
  private static func end(withParser error: any Error, _ arguments: [String]) -> Never {
    let text = Imagemill.fullMessage(for: error)
    let code = Imagemill.exitCode(for: error)
    if code == .success {
      do throws(CommandError) {
        try StandardOutput.write(text.isEmpty ? "" : text + "\n")
        try StandardOutput.end()
      } catch {
        end(with: error, arguments)
      }
      ExitStatus.success.endProcess()
    }
    if !text.isEmpty { StandardError.say(UsageErrorFormatter.text(text, arguments: arguments)) }
    (code == .validationFailure ? ExitStatus.usage : .failed).endProcess()
  }
}

/// An error that ends the command with an exit status and a message on standard error.
struct CommandError: Error {
  let status: ExitStatus
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// A file that can't be read.
  init(unreadable path: String, _ error: SystemError) {
    self.init(.failed, "can't read \(path): \(error.text)")
  }
}

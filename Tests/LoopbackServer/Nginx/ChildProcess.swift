import Glibc

/// A program that runs beside the test; it is told to end by the end of its standard input, which comes however the test
/// ends.
final class ChildProcess: Sendable {
  private let identifier: pid_t
  private let input: Int32

  /// Starts a program.
  /// - Parameters:
  ///   - arguments: the program's name or path, and its arguments.
  ///   - variables: environment variables beside those of the test.
  ///   - descriptors: what it has open as 3, 4 …; their own numbers are above those.
  ///   - errors: a file for what it prints.
  init(
    _ arguments: [String], variables: [String] = [], descriptors: [Int32] = [], printsTo path: String
  ) throws {
    // Not a pipe: its ends can't be made close-on-exec at once, and another child could keep them open.
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else {
      throw ServerError(message: "no socket pair: \(String(cString: strerror(errno)))")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    for (index, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(3 + index))
    }
    // Swift's threads block most signals, and a child that inherited that would not hear of its own child's end.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var inherited: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let variable = next.pointee {
      inherited.append(variable)
      next += 1
    }
    let own = variables.map { strdup($0) }
    let words = arguments.map { strdup($0) }
    defer { (own + words).forEach { free($0) } }
    var child = pid_t()
    let status = posix_spawnp(
      &child, arguments[0], &actions, &attributes, words + [nil], inherited + own + [nil])
    close(ends[0])
    guard status == 0 else {
      close(ends[1])
      throw ServerError(message: "can't start \(arguments[0]): \(String(cString: strerror(status)))")
    }
    identifier = child
    input = ends[1]
  }

  /// Ends its standard input and waits for its end.
  /// - Returns: its exit status, or -1 where a signal ended it.
  @discardableResult
  func end() -> Int32 {
    close(input)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      if errno != EINTR { return -1 }
    }
    return status & 0x7f == 0 ? (status >> 8) & 0xff : -1
  }

  /// Runs a program to its end.
  /// - Throws: what it printed, where it failed.
  static func run(_ arguments: [String], printsTo path: String) throws {
    let status = try ChildProcess(arguments, printsTo: path).end()
    guard status == 0 else {
      throw ServerError(message: "\(arguments.joined(separator: " ")) ended with \(status); see \(path)")
    }
  }
}

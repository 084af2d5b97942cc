import FoundationEssentials
import Glibc
import Synchronization
import SystemIO

/// A child process that renders, one request at a time (docs/decisions/worker-processes.md).
///
/// Its calls block: they belong on a thread of the caller's own. `kill()` may come from any thread.
final class WorkerProcess: Sendable {
  /// Why a worker gave no answer.
  enum Death: Error {
    /// It ended by a signal or of itself; `text` is the end of what it wrote to standard error.
    case ended(signal: Int32?, text: String)
    /// It gave no answer in time, and was killed.
    case timedOut
    /// It could not be started.
    case notStarted(String)
  }

  private let socket: FramedSocket
  private let standardError: Int32
  /// Nil once the process has been waited for: a process number may be used again from then on.
  private let process: Mutex<pid_t?>

  /// Starts `executable` with `arguments`, our end of a socket pair being its descriptor 3.
  init(executable: String, arguments: [String]) throws(Death) {
    var sockets: [Int32] = [-1, -1]
    var errors: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else { throw .notStarted(SystemError.last.text) }
    guard socketpair(AF_UNIX, kind, 0, &errors) == 0 else {
      let reason = SystemError.last.text
      sockets.forEach { close($0) }
      throw .notStarted(reason)
    }
    defer {
      close(sockets[1])
      close(errors[1])
    }
    var started: pid_t = 0
    let status = Self.spawn(
      executable: executable, arguments: arguments, socket: sockets[1], standardError: errors[1], &started)
    guard status == 0 else {
      close(sockets[0])
      close(errors[0])
      throw .notStarted("\(executable): \(SystemError(code: status).text)")
    }
    socket = FramedSocket(descriptor: sockets[0])
    standardError = errors[0]
    process = Mutex(started)
  }

  /// Ends the process and waits until it is gone.
  func end() {
    kill()
    _ = reap()
  }

  deinit {
    end()
    close(socket.descriptor)
    close(standardError)
  }

  /// Sends a request and waits for its answer. After a `Death` the worker is of no use any more.
  func exchange<Request: WireValue, Response: WireValue>(
    _ request: Request, _ response: Response.Type, timeout: Duration
  ) throws(Death) -> Response {
    do {
      try socket.send(request)
      return try socket.receive(response, timeout: timeout)
    } catch .timedOut {
      kill()
      _ = reap()
      throw .timedOut
    } catch {
      // Closed or garbled: either way this process can't be trusted with another request. One that has closed
      // its socket is about to end, and its own signal says why. One that lives on would be waited for for ever,
      // under the lock that `kill()` takes.
      var isEnding = false
      if case .closed = error { isEnding = endsSoon() }
      if !isEnding { kill() }
      let signal = reap()
      throw .ended(signal: isEnding ? signal : nil, text: errorText())
    }
  }

  /// Waits up to two seconds for the process's end, and leaves it to be reaped.
  /// - Returns: whether it has ended.
  private func endsSoon() -> Bool {
    for _ in 0..<2000 {
      let hasEnded = process.withLock { process in
        guard let process else { return true }
        var information = siginfo_t()
        return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0
          && information.si_signo == SIGCHLD
      }
      if hasEnded { return true }
      usleep(1000)
    }
    return false
  }

  /// Ends the process at once, whatever it does.
  func kill() {
    process.withLock { process in
      if let process { _ = Glibc.kill(process, SIGKILL) }
    }
  }

  /// Waits for the process's end; the signal that ended it, if one did.
  private func reap() -> Int32? {
    process.withLock { process in
      guard let number = process else { return nil }
      process = nil
      var status: Int32 = 0
      while waitpid(number, &status, 0) < 0 && errno == EINTR {}
      let signal = status & 0x7f
      return signal == 0 ? nil : signal
    }
  }

  private func errorText() -> String {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(standardError, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    guard count > 0 else { return "" }
    return String(decoding: buffer[..<count].suffix(2000), as: UTF8.self)
  }

  private static func spawn(
    executable: String, arguments: [String], socket: Int32, standardError: Int32, _ started: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    // Standard error before the socket: its descriptor may be 3 here, and dup2 to 3 would close it.
    posix_spawn_file_actions_adddup2(&actions, standardError, 2)
    posix_spawn_file_actions_adddup2(&actions, socket, WorkerMain.socketDescriptor)
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGTERM, SIGPIPE, SIGHUP, SIGTSTP] { sigaddset(&defaults, signal) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    let words = ([executable] + arguments).map { strdup($0) }
    defer { words.forEach { free($0) } }
    let variables = environment().map { strdup($0) }
    defer { variables.forEach { free($0) } }
    return posix_spawn(&started, executable, &actions, &attributes, words + [nil], variables + [nil])
  }

  /// What a worker's environment has for its own needs.
  private static let ownVariables = [
    // A decoder that crashes is reported by its signal, at once.
    "SWIFT_BACKTRACE": "enable=no",
    // The C library keeps the megabytes that one image has freed for the next, which is usually as large. Pages that are
    // given back come again one fault at a time, cleared: 4 % of the time of small images.
    "MALLOC_TRIM_THRESHOLD_": String(32 << 20),
    "MALLOC_MMAP_THRESHOLD_": String(8 << 20),
    // One thread works at a time, whichever of libvips' it is.
    "MALLOC_ARENA_MAX": "1",
  ]

  /// Our own with these.
  private static func environment() -> [String] {
    var variables = ownVariables.map { "\($0)=\($1)" }
    var entry = environ
    while let text = entry.pointee.map({ String(cString: $0) }) {
      if ownVariables[String(text.prefix { $0 != "=" })] == nil { variables.append(text) }
      entry += 1
    }
    return variables
  }
}

import FoundationEssentials
import Glibc
import Synchronization
import SystemIO

/// A child process that renders one request at a time (docs/decisions/worker-processes.md).
///
/// Its calls block and must be made on a dedicated thread. `kill()` may be called from any thread.
final class WorkerProcess: Sendable {
  /// Why a worker didn't respond.
  enum TerminationReason: Error {
    /// The process ended, by a signal if `signal` isn't nil. `text` is the end of its standard error.
    case ended(signal: Int32?, text: String)
    /// The process didn't respond in time and was killed.
    case timedOut(ProcessActivity.Delay)
    /// The process took more than the processor time of one request.
    case outOfProcessorTime
    /// The process couldn't be started.
    case notStarted(String)
    /// The request couldn't be sent to this process, because of the system's limits.
    case notSent(String)
    /// The request can't be sent to any process. This one can be used again.
    case unsendable(String)
  }

  private let socket: FramedSocket
  /// Whether the process's greeting is still to be received.
  private let isSilent: Mutex<Bool>
  private let output: ProcessOutput
  /// nil once the process has been reaped, because the kernel may then reuse its ID.
  private let process: Mutex<pid_t?>

  /// Starts `executable` with `arguments`, and the other end of a socket pair as its descriptor 3.
  /// - Parameter greets: Whether the first frame of the process is a `WorkerGreeting`. Default: false.
  init(executable: String, arguments: [String], greets: Bool = false) throws(TerminationReason) {
    isSilent = Mutex(greets)
    var sockets: [Int32] = [-1, -1]
    var errors: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &sockets) == 0 else { throw .notStarted(SystemError.last.text) }
    // A socket instead of a pipe, so that `recv` can read it without blocking.
    guard socketpair(AF_UNIX, kind, 0, &errors) == 0 else {
      let reason = SystemError.last.text
      sockets.forEach { close($0) }
      throw .notStarted(reason)
    }
    defer {
      close(sockets[1])
      close(errors[1])
    }
    let started: pid_t
    do throws(SystemError) {
      let (socket, standardError) = (sockets[1], errors[1])
      started = try SpawningThread.shared.get().start {
        Self.spawn(executable: executable, arguments: arguments, socket: socket, standardError: standardError)
      }
    } catch {
      close(sockets[0])
      close(errors[0])
      throw .notStarted("\(executable): \(error.text)")
    }
    output = ProcessOutput(descriptor: errors[0])
    socket = FramedSocket(descriptor: sockets[0], output: output)
    process = Mutex(started)
  }

  func end() {
    kill()
    _ = reap()
  }

  deinit {
    end()
    close(socket.descriptor)
  }

  /// Sends a request and waits for the response. After any reason but
  /// `unsendable`, the worker can't be used again.
  /// - Parameters:
  ///   - places: What is sent before the process's first request. Default: nothing.
  ///   - processorTime: The processor time that the process grants itself for a request. Default: none.
  func exchange<Request: WireValue, Response: WireValue>(
    _ request: Request, _ response: Response.Type, after places: WorkerPlaces? = nil, timeout: Duration,
    processorTime limit: Duration? = nil
  ) throws(TerminationReason) -> Response {
    let before = processorTime
    let deadline = ContinuousClock.now + timeout
    do {
      if let places { try socket.send(places, timeout: timeout) }
      try socket.send(request, timeout: timeout)
      _ = try receiveGreeting(until: deadline)
      let value = try socket.receive(response, timeout: ContinuousClock.now.duration(to: deadline))
      // It is about this request, and must not explain the death of a later one.
      output.clear()
      return value
    } catch .unsendable(let reason) {
      throw .unsendable(reason)
    } catch .timedOut {
      let delay = process.withLock { process in
        process.map {
          ProcessActivity.delay(
            of: $0, used: (ProcessActivity.processorTime(of: $0) ?? before) - before, limit: timeout)
        }
      }
      kill()
      _ = reap()
      throw .timedOut(delay ?? .ownWork)
    } catch .system(let code) {
      kill()
      _ = reap()
      throw .notSent(SystemError(code: code).text)
    } catch {
      // A process that closed its socket is about to end, and its signal gives the reason. Kill any other:
      // its state is unknown, and reaping it would block forever under the lock of `kill()`.
      var isEnding = false
      if case .closed = error { isEnding = endsSoon() }
      if !isEnding { kill() }
      let (signal, used) = reap()
      // Another process can send the same signal: only what the process did itself is its request's fault.
      if isEnding, signal == SIGXCPU, let limit, used - before >= limit { throw .outOfProcessorTime }
      throw .ended(signal: isEnding ? signal : nil, text: output.text)
    }
  }

  /// Waits for the greeting of a process that was just started.
  /// - Returns: The engine of the process; nil if it doesn't tell it in time.
  func engine(timeout: Duration) -> String? {
    // The first request reports the error.
    (try? receiveGreeting(until: ContinuousClock.now + timeout))?.engine
  }

  /// Receives the greeting unless it was received before.
  private func receiveGreeting(
    until deadline: ContinuousClock.Instant
  ) throws(FramedSocket.Failure) -> WorkerGreeting? {
    guard isSilent.withLock(\.self) else { return nil }
    let greeting = try socket.receive(
      WorkerGreeting.self, timeout: ContinuousClock.now.duration(to: deadline))
    isSilent.withLock { $0 = false }
    return greeting
  }

  private var processorTime: Duration {
    process.withLock { $0.flatMap(ProcessActivity.processorTime(of:)) } ?? .zero
  }

  /// Waits up to two seconds for the process to end, without reaping it.
  /// - Returns: Whether it has ended.
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

  func kill() {
    process.withLock { process in
      if let process { _ = Glibc.kill(process, SIGKILL) }
    }
  }

  /// Waits for the process to end.
  /// - Returns: The signal that ended it, if any, and the processor time that it used.
  private func reap() -> (signal: Int32?, used: Duration) {
    process.withLock { process in
      guard let number = process else { return (nil, .zero) }
      process = nil
      var status: Int32 = 0
      var usage = rusage()
      while wait4(number, &status, 0, &usage) < 0 && errno == EINTR {}
      let used = [usage.ru_utime, usage.ru_stime].reduce(Duration.zero) {
        $0 + .seconds($1.tv_sec) + .microseconds($1.tv_usec)
      }
      let signal = status & 0x7f
      return (signal == 0 ? nil : signal, used)
    }
  }

  /// `POSIX_SPAWN_SETSID`, which Swift's Glibc module lacks. A worker has no terminal and no process group of others.
  private static let newSession: Int32 = 0x80

  private static func spawn(
    executable: String, arguments: [String], socket: Int32, standardError: Int32
  ) -> Result<pid_t, SystemError> {
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
    for signal in [SIGTERM, SIGPIPE, SIGHUP, SIGTSTP, SIGXCPU] { sigaddset(&defaults, signal) }
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | newSession))

    let words = ([executable] + arguments).map { strdup($0) }
    defer { words.forEach { free($0) } }
    let variables = environment().map { strdup($0) }
    defer { variables.forEach { free($0) } }
    var started: pid_t = 0
    let status = posix_spawn(&started, executable, &actions, &attributes, words + [nil], variables + [nil])
    return status == 0 ? .success(started) : .failure(SystemError(code: status))
  }

  /// A worker's complete environment. Variables with keys and tokens are left out, because a compromised
  /// decoder could read and send them.
  private static func environment() -> [String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee.map({ String(cString: $0) }) {
      if let (name, value) = WorkerEnvironment.split(text) { variables[name] = value }
      entry += 1
    }
    return WorkerEnvironment.variables(from: variables).map { "\($0)=\($1)" }
  }
}

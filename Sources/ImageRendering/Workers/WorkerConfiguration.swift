import SystemIO

/// The number of worker processes and their limits.
public struct WorkerConfiguration: Sendable {
  /// The number of workers that run concurrently.
  public var slots: Int
  /// The worker's executable, a program whose first line is ``WorkerMain/runIfWorker()``.
  public var executable: String
  /// The time limit of one request, from when a worker receives it.
  public var timeout: Duration
  /// The memory for all workers together, in bytes.
  public var memory: Int
  /// The restrictions of the workers.
  public var sandbox: WorkerSandbox

  /// The processor time of one request. No request exceeds this before ``timeout`` ends it; it ends one whose parent is
  /// stopped.
  package var processorTime: Duration {
    get { ownProcessorTime ?? max(.seconds(1), timeout * Machine.onlineProcessors) }
    set { ownProcessorTime = newValue }
  }
  private var ownProcessorTime: Duration?

  /// Creates a configuration.
  /// - Parameters:
  ///   - slots: The number of workers that run concurrently, from 1. Default: the processors that the process may use.
  ///   - executable: The worker's executable. Default: the calling program itself.
  ///   - timeout: The time limit of one request. Default: 60 seconds.
  ///   - memory: The memory for all workers together, in bytes. Default: half of the machine's.
  ///   - sandbox: The restrictions of the workers. Default: what the kernel has.
  public init(
    slots: Int? = nil, executable: String = "/proc/self/exe", timeout: Duration = .seconds(60),
    memory: Int? = nil, sandbox: WorkerSandbox = .auto
  ) {
    self.slots = max(1, slots ?? Machine.availableProcessors)
    self.executable = executable
    self.timeout = timeout
    self.sandbox = sandbox
    self.memory = memory ?? Machine.memory / 2
  }

  /// Bounds the slots by file descriptors, one slot for every 16: a slot takes some for its worker's sockets and the files
  /// of three requests, and downloads take half of all (`ImageDownloader.Configuration.fit(intoDescriptors:)`).
  /// - Parameter limit: The number of descriptors that the process may open.
  package mutating func fit(intoDescriptors limit: Int) { slots = min(slots, max(1, limit / 16)) }
}

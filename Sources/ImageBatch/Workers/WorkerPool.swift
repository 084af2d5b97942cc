import Collections

/// Worker processes behind a fixed number of rendering slots.
///
/// A worker is started when a request first needs it. One that dies is replaced: its request is tried once more,
/// alone in a new process, and then fails with `decoder-crashed`, `timed-out` or `out-of-memory`.
public actor WorkerPool: RenderingService {
  /// What the pool's workers are and may take.
  public struct Configuration: Sendable {
    /// Rendering slots: how many workers run at once.
    public var slots: Int
    /// The program that is a worker when its first argument is ``WorkerMain/argument``.
    public var executable: String
    /// For one request, from when a worker takes it.
    public var timeout: Duration
    /// For all workers together, in bytes.
    public var memory: Int

    /// A pool of `slots` workers.
    public init(
      slots: Int, executable: String = "/proc/self/exe", timeout: Duration = .seconds(60), memory: Int
    ) {
      self.slots = slots
      self.executable = executable
      self.timeout = timeout
      self.memory = memory
    }
  }

  /// How many requests can run at once.
  public nonisolated var slots: Int { configuration.slots }
  /// The time and the memory of one request.
  public nonisolated var limitsIdentifier: String {
    "timeout=\(configuration.timeout):memory=\(configuration.memory)"
  }
  /// How many worker processes have been started, replacements included.
  public private(set) var workersStarted = 0

  private let configuration: Configuration
  private var freeSlots: [Int]
  private var admission: MemoryAdmission<CheckedContinuation<Bool, Never>>
  private var waiting: Deque<CheckedContinuation<Int?, Never>> = []
  private var workers: [Int: Worker] = [:]
  private var isStopped = false

  /// A pool that has started nothing yet.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    freeSlots = Array((0..<configuration.slots).reversed())
    admission = MemoryAdmission(total: configuration.memory)
  }

  /// Renders in the next free slot.
  public func render(
    _ prepare: @Sendable (_ slot: Int) async -> RenderRequest?
  ) async -> RenderResponse? {
    guard let slot = await takeSlot() else { return nil }
    defer { release(slot) }
    guard var request = await prepare(slot) else { return nil }
    // Every slot has its share without waiting; only what needs more has to wait for the others.
    let share = configuration.memory / max(1, configuration.slots)
    let memory = max(share, admission.charge(for: request.memoryEstimate))
    guard await admit(memory) else { return RenderResponse(failing: request, .cancelled) }
    defer { release(memory: memory) }
    request.limits.memory = memory
    do throws(WorkerProcess.Death) {
      return try await exchange(request, in: slot)
    } catch {
      if isStopped { return RenderResponse(failing: request, .cancelled) }
      guard error.mayPass else { return RenderResponse(failing: request, jobError(error)) }
    }
    // Once more alone: in a process that nothing else has touched and that nothing else will.
    do throws(WorkerProcess.Death) {
      let response = try await exchange(request, in: slot)
      await workers.removeValue(forKey: slot)?.end()
      return response
    } catch {
      return RenderResponse(failing: request, isStopped ? .cancelled : jobError(error))
    }
  }

  /// Ends the workers, waits until they are gone, and answers whoever waits.
  public func stop() async {
    isStopped = true
    while let continuation = waiting.popFirst() { continuation.resume(returning: nil) }
    for continuation in admission.removeWaiting() { continuation.resume(returning: false) }
    for worker in Array(workers.values) { await worker.end() }
    workers = [:]
  }

  // MARK: Slots

  /// A free slot, or nil when the pool has been stopped. Each continuation is resumed once: it leaves `waiting` in
  /// the same step.
  private func takeSlot() async -> Int? {
    if isStopped { return nil }
    if let slot = freeSlots.popLast() { return slot }
    return await withCheckedContinuation { waiting.append($0) }
  }

  private func release(_ slot: Int) {
    if let next = waiting.popFirst() {
      next.resume(returning: slot)
    } else {
      freeSlots.append(slot)
    }
  }

  /// Waits for memory; false when the pool has been stopped. Each continuation is resumed once: it leaves `admission`
  /// in the same step.
  private func admit(_ bytes: Int) async -> Bool {
    if isStopped { return false }
    return await withCheckedContinuation { continuation in
      if admission.enter(continuation, bytes: bytes) { continuation.resume(returning: true) }
    }
  }

  private func release(memory bytes: Int) {
    for continuation in admission.leave(bytes: bytes) { continuation.resume(returning: true) }
  }

  // MARK: Workers

  private func exchange(
    _ request: RenderRequest, in slot: Int
  ) async throws(WorkerProcess.Death) -> RenderResponse {
    if isStopped { throw .notStarted("the run was stopped") }
    let worker: Worker
    if let running = workers[slot] { worker = running } else { worker = try start(in: slot) }
    do throws(WorkerProcess.Death) {
      return try await worker.exchange(request, timeout: configuration.timeout)
    } catch {
      workers[slot] = nil
      throw error
    }
  }

  private func start(in slot: Int) throws(WorkerProcess.Death) -> Worker {
    let worker = try Worker(
      executable: configuration.executable, slot: slot,
      memory: configuration.memory)
    workersStarted += 1
    workers[slot] = worker
    return worker
  }

  private func jobError(_ death: WorkerProcess.Death) -> JobError {
    switch death {
    case .timedOut:
      JobError(
        code: .timedOut, stage: .decode, .time(limit: configuration.timeout / .seconds(1)),
        message: "rendering took longer than \(configuration.timeout)")
    case .notStarted(let reason):
      JobError(code: .workerNotStarted, stage: .decode, message: "can't start a worker process: \(reason)")
    case .ended(let signal, let text):
      if death.isOutOfMemory {
        JobError(
          code: .outOfMemory, stage: .decode,
          message: "rendering needed more memory than a worker has")
      } else {
        JobError(
          code: .decoderCrashed, stage: .decode,
          message: "the decoder crashed on this picture\(signal.map { " (signal \($0))" } ?? "")"
            + "\(text.isEmpty ? "" : ": " + text.singleLine)")
      }
    }
  }
}

extension WorkerProcess.Death {
  fileprivate var mayPass: Bool { if case .notStarted = self { false } else { true } }

  /// The kernel's out-of-memory killer sends SIGKILL, as we do after a timeout; GLib and the C++ library print a
  /// message before they abort.
  fileprivate var isOutOfMemory: Bool {
    guard case .ended(let signal, let text) = self else { return false }
    return signal == 9 || text.contains("failed to allocate") || text.contains("bad_alloc")
      || text.contains("out of memory")
  }
}

extension RenderResponse {
  /// The answer of a request of which no recipe could be made.
  init(failing request: RenderRequest, _ error: JobError) {
    self.init(
      outputs: request.recipes.map { RenderedOutput(id: $0.id, result: .failure(error)) }, warnings: [],
      counts: RenderCounts())
  }
}

extension String {
  fileprivate var singleLine: String {
    split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
  }
}

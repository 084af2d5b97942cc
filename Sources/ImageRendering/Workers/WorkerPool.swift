import Glibc

/// Renders in worker processes, one per slot.
///
/// Workers are started on demand. If one dies, its request is retried once in a new process and then fails with
/// `decoder-crashed`, `out-of-memory`, `system-call-refused`, or, if the cause came from outside, `worker-killed`. A request
/// that exceeds its time or the limit of file sizes isn't retried: it fails with `timed-out`, `processor-time` or
/// `file-size`.
package actor WorkerPool: RenderingService {
  /// The number of requests that can run concurrently.
  package nonisolated var slots: Int { configuration.slots }
  /// The time and memory limits as text.
  package nonisolated var limitsIdentifier: String {
    "timeout=\(configuration.timeout):memory=\(configuration.memory)"
  }
  /// The number of worker processes started so far, including replacements.
  package private(set) var workersStarted = 0

  private let configuration: WorkerConfiguration
  private let requests: RenderingSlots
  private var admission: MemoryAdmission<CheckedContinuation<Bool, Never>>
  private var workers: [Int: Worker] = [:]
  private var isStopped = false

  /// Creates a pool. No worker is started yet.
  package init(_ configuration: WorkerConfiguration) {
    self.configuration = configuration
    requests = RenderingSlots(configuration.slots)
    admission = MemoryAdmission(total: configuration.memory)
  }

  /// Renders in the next free slot. See ``RenderingService/render(_:onStart:onEnd:afterwards:)``.
  package nonisolated func render(
    _ prepare: @Sendable () async -> RenderRequest?, onStart: @Sendable (_ slot: Int) async -> Bool,
    onEnd: @Sendable (_ slot: Int) async -> Void, afterwards: @Sendable () async -> Void
  ) async -> RenderResponse? {
    await requests.render(prepare, onStart: onStart, onEnd: onEnd, afterwards: afterwards) { request, slot in
      await self.response(to: request, in: slot)
    }
  }

  /// Starts a worker for the next slot without one: a process takes tens of milliseconds to load libvips.
  package func startAhead() {
    guard !isStopped, workersStarted < slots, let slot = (0..<slots).first(where: { workers[$0] == nil })
    else { return }
    let isExpected = EngineIdentity.expect()
    do throws(WorkerProcess.TerminationReason) {
      let worker = try start(in: slot)
      if isExpected { worker.tellEngine(timeout: configuration.timeout) }
    } catch {
      // The first request in this slot tries again, and reports the error.
      if isExpected { EngineIdentity.decide(nil) }
    }
  }

  /// Ends the workers, waits for their exit, and resumes all waiting requests.
  package func stop() async {
    isStopped = true
    requests.close()
    for continuation in admission.removeWaiting() { continuation.resume(returning: false) }
    // All at once: a process takes tens of milliseconds to give back its memory.
    for worker in workers.values { worker.kill() }
    for worker in Array(workers.values) { await worker.end() }
    workers = [:]
  }

  /// Renders a request as soon as there is memory for it, at the second attempt in a fresh worker.
  private func response(to request: RenderRequest, in slot: Int) async -> RenderResponse {
    // A worker has only the filters of the table.
    guard !request.recipes.contains(where: \.chain.hasOwnFilters) else {
      return RenderResponse(
        failing: request,
        RenderError(
          code: .unknownFilter, stage: .filter,
          message: "a program's own filter can't run in a worker process; render in this process"))
    }
    var request = request
    // At least a slot's share, so that small requests in all slots always fit. Only larger ones wait for memory.
    let share = configuration.memory / max(1, configuration.slots)
    let memory = max(share, admission.charge(for: request.memoryEstimate))
    guard await admit(memory) else { return RenderResponse(failing: request, .cancelled) }
    defer { release(memory: memory) }
    request.limits.memory = memory
    do throws(WorkerProcess.TerminationReason) {
      return try await exchange(request, in: slot)
    } catch {
      if isStopped { return RenderResponse(failing: request, .cancelled) }
      guard error.isWorthRetrying else { return RenderResponse(failing: request, jobError(error)) }
    }
    // Retry in a fresh process that serves no other request, before or after.
    do throws(WorkerProcess.TerminationReason) {
      let response = try await exchange(request, in: slot)
      await workers.removeValue(forKey: slot)?.end()
      return response
    } catch {
      return RenderResponse(failing: request, isStopped ? .cancelled : jobError(error))
    }
  }

  // MARK: Memory

  /// Waits for memory; false if the pool is stopped. Each continuation is resumed once, when `admission` removes it.
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
  ) async throws(WorkerProcess.TerminationReason) -> RenderResponse {
    if isStopped { throw .notStarted("the run was stopped") }
    let worker: Worker
    if let running = workers[slot] { worker = running } else { worker = try start(in: slot) }
    do throws(WorkerProcess.TerminationReason) {
      return try await worker.exchange(request, timeout: configuration.timeout)
    } catch {
      if case .unsendable = error { throw error }
      await workers.removeValue(forKey: slot)?.end()
      throw error
    }
  }

  private func start(in slot: Int) throws(WorkerProcess.TerminationReason) -> Worker {
    guard configuration.sandbox != .strict || WorkerSandbox.isComplete else {
      throw .notStarted("the kernel has no \(WorkerSandbox.missing.joined(separator: " and no "))")
    }
    let worker = try Worker(configuration)
    workersStarted += 1
    workers[slot] = worker
    return worker
  }

  private func notSent(_ reason: String) -> RenderError {
    RenderError(
      code: .workerNotStarted, stage: .decode,
      message:
        "can't send the request to a worker process: \(reason); raise the limit of open files (ulimit -n)",
      isTemporary: true)
  }

  private func jobError(_ reason: WorkerProcess.TerminationReason) -> RenderError {
    switch reason {
    case .timedOut(.stopped):
      RenderError(
        code: .workerKilled, stage: .decode,
        message: "the worker process was stopped from outside for longer than \(configuration.timeout)",
        isTemporary: true)
    case .timedOut(let delay):
      RenderError(
        code: .timedOut, stage: .decode, .time(limit: configuration.timeout),
        message: "rendering took longer than \(configuration.timeout)"
          + (delay == .starved ? ", because the machine gave it less than half of that time" : ""),
        isTemporary: delay == .starved)
    case .outOfProcessorTime:
      RenderError(
        code: .processorTime, stage: .decode, .time(limit: configuration.timeout),
        message: "rendering took more than \(configuration.processorTime) of CPU time")
    case .notStarted(let reason):
      RenderError(code: .workerNotStarted, stage: .decode, message: "can't start a worker process: \(reason)")
    case .notSent(let reason): notSent(reason)
    case .ended(_, let text) where text.hasPrefix(WorkerMain.receivingFailure): notSent(text.singleLine)
    case .unsendable(let reason):
      RenderError(
        code: .notRendered, stage: .decode,
        message: "the request can't be sent to a worker process: \(reason)")
    case .ended(_, let text) where text.hasPrefix(WorkerMain.sandboxFailure):
      RenderError(
        code: .workerNotStarted, stage: .decode, message: "can't start a worker process: \(text.singleLine)")
    case .ended(.some(SIGSYS), _):
      RenderError(
        code: .systemCallRefused, stage: .decode,
        message: "the sandbox ended the worker process for a system call that no decoder needs")
    case .ended(.some(SIGXFSZ), _):
      RenderError(
        code: .fileSize, stage: .write, message: "the worker process reached the limit of file sizes")
    case .ended(let signal, let text):
      if reason.isOutOfMemory {
        .outOfMemory(.decode)
      } else if let signal, !WorkerProcess.TerminationReason.faults.contains(signal) {
        RenderError(
          code: .workerKilled, stage: .decode,
          message: "the worker process was killed from outside (signal \(signal))", isTemporary: true)
      } else {
        RenderError(
          code: .decoderCrashed, stage: .decode,
          message: "the decoder crashed on this image\(signal.map { " (signal \($0))" } ?? "")"
            + "\(text.isEmpty ? "" : ": " + text.singleLine)")
      }
    }
  }
}

extension WorkerProcess.TerminationReason {
  fileprivate var isWorthRetrying: Bool {
    switch self {
    case .ended(.some(SIGXFSZ), _): false
    case .ended, .notSent, .timedOut(.stopped): true
    case .timedOut, .outOfProcessorTime, .notStarted, .unsendable: false
    }
  }

  /// The signals that a process's own code causes. Others come from outside: from the kernel's out-of-memory
  /// killer, a shell's limits, or kill(1).
  fileprivate static let faults: Set<Int32> = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP]

  /// GLib and the C++ library print a message before they abort, and ``AllocationWatch`` before a library fails otherwise.
  fileprivate var isOutOfMemory: Bool {
    guard case .ended(let signal, let text) = self, signal.map(Self.faults.contains) ?? true else {
      return false
    }
    return text.contains("failed to allocate") || text.contains("bad_alloc") || text.contains("out of memory")
  }
}

extension RenderResponse {
  /// Creates a response in which every recipe fails with `error`.
  init(failing request: RenderRequest, _ error: RenderError) {
    self.init(
      outputs: request.recipes.map { RenderedOutput(id: $0.id, result: .failure(error)) }, warnings: [],
      counts: RenderCounts())
    if request.wantsInspection { inspection = .failure(error) }
  }
}

extension String {
  fileprivate var singleLine: String {
    split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
  }
}

import Synchronization
import SystemIO

/// A worker process with a thread for its blocking calls.
final class Worker: Sendable {
  private let process: WorkerProcess
  private let thread: SerialThread
  private let processorTime: Duration
  /// Whether the process waits for the places that it may use.
  private let isConfined: Bool
  /// The process's directory, since its first request.
  private let directory = Mutex<WorkerDirectory?>(nil)

  init(_ configuration: WorkerConfiguration) throws(WorkerProcess.TerminationReason) {
    do throws(SystemError) { thread = try SerialThread() } catch {
      throw .notStarted("can't start a thread for it: \(error.text)")
    }
    process = try WorkerProcess(
      executable: configuration.executable,
      arguments: [
        WorkerMain.argument, String(configuration.memory), configuration.sandbox.rawValue,
        String(configuration.processorTime.components.seconds),
      ], greets: true)
    isConfined = configuration.sandbox.restrictsFiles
    processorTime = configuration.processorTime
  }

  // Before its directory is removed, in which it could put a link in place.
  deinit { process.end() }

  /// Receives the engine's identity for this process, as soon as the worker has loaded it.
  func tellEngine(timeout: Duration) {
    thread.start { [self] in EngineIdentity.decide(process.engine(timeout: timeout)) }
  }

  func exchange(
    _ request: RenderRequest, timeout: Duration
  ) async throws(WorkerProcess.TerminationReason) -> RenderResponse {
    let result: Result<RenderResponse, WorkerProcess.TerminationReason> = await withCheckedContinuation {
      continuation in
      thread.start { [self] in
        let result: Result<RenderResponse, WorkerProcess.TerminationReason>
        do throws(WorkerProcess.TerminationReason) {
          result = .success(try response(to: request, timeout: timeout))
        } catch {
          result = .failure(error)
        }
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  private func response(
    to request: RenderRequest, timeout: Duration
  ) throws(WorkerProcess.TerminationReason) -> RenderResponse {
    guard isConfined else {
      return try process.exchange(
        request, RenderResponse.self, timeout: timeout, processorTime: processorTime)
    }
    var places: WorkerPlaces?
    let own: WorkerDirectory
    if let known = directory.withLock(\.self) {
      // A user may remove what is in the store's directory for temporary files. The rules hold for that directory alone.
      guard known.exists else { throw .ended(signal: nil, text: "") }
      own = known
    } else {
      do throws(SystemError) { own = try WorkerDirectory(for: request) } catch {
        throw .notStarted("can't create its directory: \(error.text)")
      }
      directory.withLock { $0 = own }
      places = own.places
    }
    let sent = own.prepare(request)
    // Its files are open until the worker has answered.
    defer { own.release(sent) }
    let response = try process.exchange(
      sent.request, RenderResponse.self, after: places, timeout: timeout, processorTime: processorTime)
    return own.land(response, of: sent, for: request)
  }

  /// Kills the process without waiting for its end.
  func kill() { process.kill() }

  /// Kills the process, waits until it has ended, and removes its directory.
  func end() async {
    process.kill()
    await withCheckedContinuation { continuation in
      thread.start { [self] in
        process.end()
        directory.withLock(\.self)?.remove()
        continuation.resume()
      }
    }
  }
}

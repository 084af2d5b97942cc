import Dispatch

/// A worker process with a queue for its blocking calls.
final class Worker: Sendable {
  private let process: WorkerProcess
  private let queue: DispatchQueue
  private let processorTime: Duration

  init(_ configuration: WorkerConfiguration, slot: Int) throws(WorkerProcess.TerminationReason) {
    process = try WorkerProcess(
      executable: configuration.executable,
      arguments: [
        WorkerMain.argument, String(configuration.memory), configuration.sandbox.rawValue,
        String(configuration.processorTime.components.seconds),
      ])
    processorTime = configuration.processorTime
    queue = DispatchQueue(label: "imagemill.worker.\(slot)")
  }

  func exchange(
    _ request: RenderRequest, timeout: Duration
  ) async throws(WorkerProcess.TerminationReason) -> RenderResponse {
    let result: Result<RenderResponse, WorkerProcess.TerminationReason> = await withCheckedContinuation {
      continuation in
      queue.async { [process, processorTime] in
        let result: Result<RenderResponse, WorkerProcess.TerminationReason>
        do throws(WorkerProcess.TerminationReason) {
          result = .success(
            try process.exchange(
              request, RenderResponse.self, timeout: timeout, processorTime: processorTime))
        } catch {
          result = .failure(error)
        }
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  /// Kills the process without waiting for its end.
  func kill() { process.kill() }

  /// Kills the process and waits until it has ended.
  func end() async {
    process.kill()
    await withCheckedContinuation { continuation in
      queue.async { [process] in
        process.end()
        continuation.resume()
      }
    }
  }
}

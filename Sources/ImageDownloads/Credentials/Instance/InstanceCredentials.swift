package import ObjectStorage
import Synchronization
import SystemIO

/// The credentials of this container or instance, fetched at the first use and renewed before they expire. There is one
/// fetch at a time, however many requests wait for it.
package final class InstanceCredentials: AccessKeyProvider {
  private typealias Waiter = CheckedContinuation<Result<AccessKey, CredentialFailure>, Never>

  private struct State {
    var renewal = CredentialRenewal()
    var waiters: [Int: Waiter] = [:]
    var lastWaiter = 0
  }

  private let endpoint: CredentialEndpoint
  private let fetch: CredentialFetch
  private let state = Mutex(State())
  package let identity: String

  package convenience init(_ endpoint: CredentialEndpoint) {
    self.init(endpoint, fetch: CredentialFetch(endpoint: endpoint))
  }

  init(_ endpoint: CredentialEndpoint, fetch: CredentialFetch) {
    self.endpoint = endpoint
    self.fetch = fetch
    identity = endpoint.identity(machine: Self.machine)
  }

  /// What tells this machine from others, if it has such a name.
  private static var machine: String {
    do throws(SystemError) {
      return String(decoding: try File.contents(of: "/etc/machine-id", limit: 1024), as: UTF8.self)
    } catch {
      return ""
    }
  }

  package var lastAccessKey: AccessKey? { state.withLock(\.renewal.key) }

  package func discard(_ key: AccessKey) {
    state.withLock { $0.renewal.discard(key, now: SystemTime.monotonic) }
  }

  package func accessKey() async throws(CredentialFailure) -> AccessKey {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let result: Result<AccessKey, CredentialFailure> = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let answer = state.withLock { state in
          let answer = state.renewal.ask(now: SystemTime.monotonic)
          if case .wait = answer { state.waiters[id] = waiter }
          return answer
        }
        switch answer {
        case .key(let key, let fetches):
          if fetches { startFetch() }
          waiter.resume(returning: .success(key))
        case .failed(let failure): waiter.resume(returning: .failure(failure))
        case .wait(let fetches):
          if fetches { startFetch() }
          // The task may have been cancelled before it waited.
          if Task.isCancelled { cancel(id) }
        }
      }
    } onCancel: {
      cancel(id)
    }
    return try result.get()
  }

  /// Only who takes a waiter from the table resumes it.
  private func cancel(_ id: Int) {
    state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: .failure(.cancelled))
  }

  /// Not a part of the task that asks, whose end must not end it.
  private func startFetch() {
    Task.detached { [self] in
      let result: Result<(key: AccessKey, lifetime: Double), CredentialFailure>
      do throws(CredentialFailure) { result = .success(try await fetch.run()) } catch {
        result = .failure(error)
      }
      let (outcome, waiters) = state.withLock { state in
        defer { state.waiters = [:] }
        return (state.renewal.finish(result, now: SystemTime.monotonic), state.waiters.values)
      }
      for waiter in waiters { waiter.resume(returning: outcome) }
    }
  }
}

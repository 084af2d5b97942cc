import Glibc
import ImageCaches
import Synchronization
import Testing

@testable import ImageDownloads

/// A machine whose actions are told as text, and whose answers are given as a driver gives them.
struct MachineDriver {
  /// What the completions were told, as `name: disposition or code`.
  final class Log: Sendable {
    let lines = Mutex<[String]>([])
  }

  var machine: DownloadStateMachine
  let log = Log()

  init(abortsOnCancel: Bool = false, lookups: Int = 8, total: Int = 32, unreachableTimeout: Double = 30) {
    var limits = DownloadQueue<Int>.Limits()
    limits.total = total
    limits.unreachableTimeout = unreachableTimeout
    machine = DownloadStateMachine(limits: limits, lookupLimit: lookups, abortsOnCancel: abortsOnCancel)
  }

  /// - Returns: the event's actions, one word and a number each.
  mutating func send(_ event: DownloadStateMachine.Event, at now: Double = 0) -> [String] {
    machine.handle(event, now: now).map { action in
      switch action {
      case .lookUp(let id, _): return "lookUp \(id)"
      case .transfer(let id, _): return "transfer \(id)"
      case .refuse(let id, _): return "refuse \(id)"
      case .cancelTransfer(let id): return "cancelTransfer \(id)"
      case .finished(let id): return "finished \(id)"
      case .answer(let completion, let outcome):
        completion(outcome)
        return "answer \(log.lines.withLock { $0.last } ?? "nobody")"
      case .report(.retrying): return "report retrying"
      case .report(.hostPaused): return "report hostPaused"
      case .report: return "report"
      case .wake(let time): return "wake \(time)"
      }
    }
  }

  mutating func request(
    _ name: String, _ key: RequestKey, priority: Int = 0, receipt: RequestReceipt? = nil, at now: Double = 0
  ) -> [String] {
    let receipt = receipt ?? RequestReceipt(ImageRequest(key.source), owner: name)
    let waiter = InFlightDownload.Waiter(receipt: receipt) { [log] outcome in
      let text =
        switch outcome {
        case .success(let response): response.disposition.rawValue
        case .failure(let error): error.code.rawValue
        }
      log.lines.withLock { $0.append("\(name): \(text)") }
    }
    return send(.requested(key, priority: priority, waiter), at: now)
  }
}

/// What the suites of the state machine have in common.
protocol DownloadStateMachineSuite {}

extension DownloadStateMachineSuite {
  func key(_ path: String, host: String = "a.example") -> RequestKey {
    RequestKey(source: .url("http://\(host)/\(path)"), headers: [], cacheMode: .standard)
  }

  func state(_ key: RequestKey) throws -> RequestState {
    RequestState(key, originalURL: try #require(key.url))
  }

  func response(_ disposition: StoredSource.Disposition = .downloaded) -> Response {
    let fingerprint = FileFingerprint(path: "/a", status: stat())
    var response = Response(
      file: "/a", digest: ContentDigest(hashing: [1]), fingerprint: fingerprint, isFingerprintCertain: true)
    response.disposition = disposition
    return response
  }

  func failure(_ code: DownloadError.Code) -> DownloadStateMachine.Outcome {
    .failure(DownloadError(code, "it failed", source: "a"))
  }

  func retry(_ key: RequestKey, after seconds: Double, hostPause: Double? = nil) throws -> NextStep {
    let error = DownloadError(.timedOut, "too slow", source: "a")
    return .retry(.init(state: try state(key), seconds: seconds, error: error, hostPause: hostPause))
  }

  /// A download that has its slot; its number is 1.
  func transferring(
    abortsOnCancel: Bool = false, total: Int = 32, unreachableTimeout: Double = 30
  ) throws -> MachineDriver {
    var driver = MachineDriver(
      abortsOnCancel: abortsOnCancel, total: total, unreachableTimeout: unreachableTimeout)
    _ = driver.request("x", key("a"))
    #expect(driver.send(.lookupFinished(1, .transfer(try state(key("a"))))) == ["transfer 1"])
    return driver
  }
}
